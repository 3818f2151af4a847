"""Tells whether other code uses what some lines define: a variable, a constant, a variant, or an option of the command line."""

from __future__ import annotations

import re
from collections.abc import Iterator

from editd.syntax.code import Code
from editd.syntax.words import as_word

_MODIFIERS = frozenset(
    """
    const let var local export readonly static final val mut pub public private protected internal default declare type global
    async override volatile unsigned
    """.split()  # noqa: SIM905
)
_SET = re.compile(r"^(?P<left>[^=;\n]*?[\w\])}])\s*(?::=|[-+|&]?=(?![=>~]))")
_DECLARED = re.compile(r"^(?:[\w.<>\[\],?&*]+\s+)+(?P<name>[^\W\d]\w*)\s*;")
_VARIANT = re.compile(
    r"^(?P<name>[A-Z]\w*)\s*(?:\([^()]*\)|\{[^{}]*\}|=\s*[\w\"']+)?\s*,?\s*(?://.*|#.*)?$"
)
_OPTION = re.compile(
    r"[\w.]+\.(?:add_argument|option|add_option)\([^)]*?[\"']--(?P<name>[\w-]+)[\"']"
)
_SHELL_OPTION = re.compile(r"@(?:click|app)\.option\([^)]*?[\"']--(?P<name>[\w-]+)[\"']")


def is_used_elsewhere(start: int, end: int, code: Code) -> bool:
    """Whether code outside of the lines ``start .. end`` uses a name that they define, and nothing before them in the same definition has
    given it a value.
    """
    text = "".join(code.lines[start:end])
    if option := _OPTION.search(text) or _SHELL_OPTION.search(text):
        name = option["name"].replace("-", "_")
        return (
            re.search(rf"(?:\.|\b){name}\b", _without_lines(0, len(code.lines), start, end, code))
            is not None
        )
    first, last = _scope(start, end, code)
    rest = _without_lines(first, last, start, end, code)
    before = "".join(code.lines[first:start])
    return any(
        as_word(name).search(rest) is not None and not _is_set_in(before, name)
        for name in _names_set(text.strip(), code)
    )


def is_mentioned_elsewhere(name: str, start: int, end: int, code: Code) -> bool:
    """Whether the code outside of some lines has a name, comments aside."""
    starts = code.line_starts
    first, last = starts[start], starts[end] if end < len(starts) else len(code.text)
    comments = [(x.start, x.end) for x in code.tokens_of("comment")]
    return any(
        not first <= x.start() < last and not any(a <= x.start() < b for a, b in comments)
        for x in as_word(name).finditer(code.text)
    )


def _names_set(text: str, code: Code) -> Iterator[str]:
    """Yield the names to which a statement gives a value or a type, of members only those of ``self`` and ``this``; of an enum's line the
    variant.
    """
    if code.language in ("rust", "java", "typescript", "csharp", "c", "cpp", "go") and (
        variant := _VARIANT.fullmatch(text)
    ):
        yield variant["name"]
        return
    if declared := _DECLARED.match(text):
        yield declared["name"]
        return
    found = _SET.match(text)
    if found is None:
        return
    left = re.sub(r"\s*:(?!:)\s*[^,={}]+$", "", found["left"])
    for part in re.split(r"[,{}()\[\]]" if not re.search(r"\w[\[(]", left) else r"(?!)", left):
        member = re.fullmatch(r"\s*(?:self|this)\.(?P<name>\w+)\s*", part)
        words = re.findall(r"(?<![\w.])[^\W\d]\w*(?![\w.(\[])", part)
        words = [x for x in words if x not in _MODIFIERS]
        if member:
            yield member["name"]
        elif words and "." not in part and "[" not in part:
            yield words[-1]


def _is_set_in(text: str, name: str) -> bool:
    """Whether a text gives a name a value, or has it as a parameter."""
    set_ = rf"(?m)(?<![.\w]){re.escape(name)}\s*(?::[^=\n]+)?:?=(?![=>])|\bfor\s+[^\n]*\b{re.escape(name)}\s+in\b"
    head = text.split("\n", 1)[0]
    return re.search(set_, text) is not None or as_word(name).search(head) is not None


def _scope(start: int, end: int, code: Code) -> tuple[int, int]:
    """The lines of the innermost function around some lines; all if none is, or they stand right inside a class."""
    around = [x for x in code.definitions if x.is_block and x.start < start and end <= x.end]
    inner = min(around, key=lambda x: x.end - x.start, default=None)
    if inner is None:
        return 0, len(code.lines)
    text = "".join(code.lines[inner.start : inner.end])
    if re.search(
        rf"\b(?:class|struct|enum|interface|trait|type)\s+{re.escape(inner.name)}\b", text
    ):
        return 0, len(code.lines)
    return inner.start, inner.end


def _without_lines(first: int, last: int, start: int, end: int, code: Code) -> str:
    """The lines ``first .. last`` without those of ``start .. end``."""
    return "".join((*code.lines[first:start], *code.lines[end:last]))
