"""The text that an instruction's words say, computed; and how sure it is that nothing else is meant.

Several readings are kept where people differ: whether a name in a comment is renamed, where an import
goes. Texts are the model's: LF, no BOM.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

from editd.breathing import breathe
from editd.instruction import (
    AddImport,
    DeleteComments,
    DeleteDefinition,
    DeleteLines,
    DeletePrints,
    Instruction,
    Rename,
    Replace,
    SetValue,
)
from editd.prompts.outline import outline
from editd.words.source import Token, parse_python, parses, tokens_of

MOST = 200_000  # characters of a text that is looked at


@dataclass(frozen=True, slots=True)
class Literal:
    """What the words say of one text.

    readings: new texts, the most usual first. is_single: that one is certainly meant. stays: what
    resembles what is changed and is not, in words, with its lines (0-based). resembling: the text
    with that changed, too.
    """

    readings: tuple[str, ...]
    is_single: bool = False
    stays: tuple[tuple[str, tuple[int, ...]], ...] = ()
    resembling: str | None = None


def literal(instruction: Instruction, text: str, language: str) -> Literal | None:
    """What the words say of ``text``; ``None`` where they have no literal meaning.

    The reading is ``text`` itself where nothing in it is meant.
    """
    if len(text) > MOST:
        return None
    breathe()
    match instruction.meaning:
        case Rename() as meaning:
            found = _renamed(meaning, instruction, text, language)
        case Replace(old, new, is_number):
            found = (_renumbered if is_number else _replaced)(old, new, text, language)
        case SetValue(name, new):
            found = _valued(name, new, text, language)
        case DeleteLines(said):
            found = _without_lines(said, text)
        case DeleteDefinition() as meaning:
            found = _undefined(meaning, text, language)
        case DeletePrints():
            found = _without_prints(instruction, text, language)
        case DeleteComments():
            found = _without_comments(text, language)
        case AddImport() as meaning:
            found = _imported(meaning, text) if language == "python" else None
        case _:
            found = None
    if found is None:
        return None
    if found.is_single and parses(text, language) and parses(found.readings[0], language) is False:
        return Literal(found.readings)
    return found


Spans = list[tuple[int, int, str]]


def _with(text: str, spans: Iterable[tuple[int, int, str]]) -> str:
    pieces: list[str] = []
    done = 0
    for start, end, new in sorted(set(spans)):
        if start >= done:
            pieces += (text[done:start], new)
            done = end
    return "".join((*pieces, text[done:]))


def _lines(text: str) -> list[str]:
    return re.findall(r"[^\n]*\n|[^\n]+", text)


def _word(text: str) -> re.Pattern[str]:
    """``text``, with word borders where it begins and ends as a word."""
    before = r"(?<!\w)" if re.match(r"\w", text) else ""
    after = r"(?!\w)" if re.search(r"\w$", text) else ""
    return re.compile(f"{before}{re.escape(text)}{after}")


def _in(tokens: Iterable[Token], old: str, new: str) -> Spans:
    """Each mention of ``old`` inside these tokens."""
    word = _word(old)
    return [
        (token.start + match.start(), token.start + match.end(), new)
        for token in tokens
        for match in word.finditer(token.text)
    ]


def _lines_of(text: str, spans: Iterable[tuple[int, int, str]]) -> tuple[int, ...]:
    return tuple(dict.fromkeys(text.count("\n", 0, start) for start, _, _ in sorted(spans)))


def _stays(text: str, *kinds: tuple[str, Spans]) -> tuple[tuple[str, tuple[int, ...]], ...]:
    return tuple((what, _lines_of(text, spans)) for what, spans in kinds if spans)


# --- names ---------------------------------------------------------------------------------------


_HARDLY_ENGLISH = re.compile(r"[_\d]|[a-z][A-Z]")


def _renamed(meaning: Rename, instruction: Instruction, text: str, language: str) -> Literal | None:
    old, new = meaning.old, meaning.new
    everywhere = _word(old).sub(lambda _: new, text)
    tokens = tokens_of(text, language)
    if meaning.owner:
        return None
    if everywhere == text:
        return Literal((text,))
    if tokens is None:
        return Literal((everywhere,))
    own = [t for t in tokens if t.text == old and t.kind in ("name", "member", "argument", "key")]
    defined = outline(_lines(text), language)
    is_member = any(one.name == old and one.owner for one in defined) or any(
        token.kind == "member" and token.of in ("self", "this", "cls", "Self") for token in own
    )
    functions = {one.name for one in defined}
    foreign = [
        token
        for token in own
        if (token.kind == "member" and not is_member)
        or (token.kind == "argument" and token.of not in functions)
        or (token.kind == "key" and not is_member)
    ]
    spans = [(t.start, t.end, new) for t in own if t not in foreign]
    others = [(t.start, t.end, new) for t in foreign]
    told = _in([t for t in tokens if t.kind in ("comment", "docstring")], old, new)
    strings = [
        span
        for span in _in([t for t in tokens if t.kind == "string"], old, new)
        if span not in spans and span not in others
    ]
    told = [span for span in told if span not in spans]
    # "sum" in a comment is an English word, "max_size" is that name.
    every = instruction.has_quantifier or bool(_HARDLY_ENGLISH.search(old))
    first = spans + (told if every else [])
    stays = _stays(
        text,
        ("comments", [] if every else told),
        ("strings", strings),
        ("members of other objects", others),
    )
    readings = (
        _with(text, first),
        _with(text, spans),
        _with(text, spans + others),
        _with(text, spans + told),
        _with(text, spans + told + others),
        everywhere,
    )
    names = {token.text for token in tokens if token.kind not in ("string", "comment", "docstring")}
    is_name = bool(re.fullmatch(r"[^\W\d]\w*", new)) and re.fullmatch(r"[^\W\d]\w*", old)
    is_single = bool(spans and is_name and new not in names)
    is_single = is_single and not any(t.kind == "key" and is_member for t in own)
    return Literal(
        tuple(dict.fromkeys(readings)),
        is_single,
        stays,
        _with(text, spans + told + strings + others) if stays else None,
    )


# --- texts and numbers ---------------------------------------------------------------------------

_DELIMITED = re.compile(r"(?s)([a-zA-Z]{0,2}#*)(\"\"\"|'''|\"|'|`)(.*)\2#*")


def _replaced(old: str, new: str, text: str, language: str) -> Literal | None:
    everywhere = text.replace(old, new)
    tokens = tokens_of(text, language)
    if tokens is None or everywhere == text:
        return Literal((everywhere,))
    strings = [token for token in tokens if token.kind in ("string", "docstring")]
    exact: Spans = []
    for token in strings:
        cut = _DELIMITED.fullmatch(token.text)
        if cut and cut[3] == old:
            exact.append((token.start + cut.start(3), token.start + cut.end(3), new))
    inside = [
        (token.start + at.start(), token.start + at.end(), new)
        for token in strings
        for at in re.finditer(re.escape(old), token.text)
    ]
    others = [span for span in inside if span not in exact]
    is_plain = not re.search(r"[\\\"'`\n{}$]", old + new)
    outside = everywhere.count(new) - _with(text, inside).count(new)
    readings = (_with(text, exact or inside), _with(text, inside), everywhere)
    stays = _stays(text, ("longer strings", others if exact else []))
    return Literal(
        tuple(dict.fromkeys(one for one in readings if one != text)) or (text,),
        bool(exact) and is_plain and not (outside and not inside),
        stays,
        _with(text, inside) if stays else None,
    )


def _renumbered(old: str, new: str, text: str, language: str) -> Literal | None:
    pattern = re.compile(rf"(?<![\w.]){re.escape(old)}(?![\w.])")
    everywhere = pattern.sub(lambda _: new, text)
    tokens = tokens_of(text, language)
    if tokens is None or old.startswith(("-", "+")):
        return Literal((everywhere,))
    spans = [(t.start, t.end, new) for t in tokens if t.kind == "number" and t.text == old]
    others = [(at.start(), at.end(), new) for at in pattern.finditer(text)]
    others = [span for span in others if span not in spans]
    stays = _stays(text, ("strings or comments", others))
    readings = tuple(dict.fromkeys((_with(text, spans), everywhere)))
    return Literal(readings, bool(spans), stays, everywhere if stays else None)


def _valued(name: str, new: str, text: str, language: str) -> Literal | None:
    name = name.rsplit(".", 1)[-1]
    found = list(
        re.finditer(
            rf"(?<!\w){re.escape(name)}[\"']?(?:\s*:\s*[\w\[\]. ]+?)?\s*(?::=|=(?!=)|:)\s*(-?\d[\w.]*)",
            text,
        )
    )
    if len(found) != 1:
        return None
    at = found[0]
    tokens = tokens_of(text, language)
    is_code = tokens is not None and any(
        t.kind == "number" and t.end == at.end(1) and at.start(1) <= t.start for t in tokens
    )
    mentions = len(_word(name).findall(text))
    return Literal((_with(text, [(at.start(1), at.end(1), new)]),), is_code and mentions > 0)


# --- deletions -----------------------------------------------------------------------------------


def _dropped(lines: Sequence[str], numbers: Iterable[int]) -> str:
    gone = set(numbers)
    return "".join(line for number, line in enumerate(lines) if number not in gone)


def _without_lines(said: str, text: str) -> Literal | None:
    lines = _lines(text)
    word = _word(said)
    by_word = [number for number, line in enumerate(lines) if word.search(line)]
    by_text = [number for number, line in enumerate(lines) if said in line]
    readings = tuple(
        dict.fromkeys(_dropped(lines, numbers) for numbers in (by_word, by_text) if numbers)
    )
    return Literal(readings or (text,), by_word == by_text)


def _undefined(meaning: DeleteDefinition, text: str, language: str) -> Literal | None:
    lines = _lines(text)
    found = [
        one
        for one in outline(lines, language)
        if one.name == meaning.name
        and one.is_block
        and (not meaning.owner or one.owner == meaning.owner)
    ]
    if len(found) != 1 or tokens_of(text, language) is None:
        return None
    one = found[0]
    head = one.start
    while head < one.end and lines[head].lstrip().startswith(("#", "//", "/*", "*")):
        head += 1
    first, last = one.start, one.end
    above, below = first, last
    while above and not lines[above - 1].strip():
        above -= 1
    while below < len(lines) and not lines[below].strip():
        below += 1
    if below == len(lines) or 0 < first - above < below - last:
        first = above
    else:
        last = below
    rest = _dropped(lines, range(first, last))
    used = [n for n, line in enumerate(lines) if _word(one.name).search(line)]
    used = [number for number in used if not first <= number < last]
    without = _dropped(lines, range(head, one.end))
    stays = (("mentions of it", tuple(used)),) if used else ()
    return Literal(tuple(dict.fromkeys((rest, without))), head == one.start, stays)


def _without_prints(instruction: Instruction, text: str, language: str) -> Literal | None:
    is_console = "console" in instruction.text.lower()
    if (
        language != "python"
        or is_console
        or "printf" in instruction.text
        or "println" in instruction.text
    ):
        return None
    parsed = parse_python(text)
    if parsed is None:
        return None
    tree, shift = parsed
    lines = _lines(text)
    gone = [
        number
        for node in ast.walk(tree)
        if isinstance(node, ast.Expr)
        and isinstance(node.value, ast.Call)
        and isinstance(node.value.func, ast.Name)
        and node.value.func.id == "print"
        for number in range(node.lineno - 1 - shift, (node.end_lineno or node.lineno) - shift)
    ]
    is_alone = all(re.match(r"\s*print\b|\s*[^\s;][^;]*$", lines[number]) for number in gone)
    return Literal((_dropped(lines, gone),), is_alone)


_FOR_TOOLS = re.compile(
    r"#\s*(?:type:|noqa|pragma|pylint|mypy|fmt:|ruff|-\*-|!)|//\s*(?:@|eslint|go:|nolint|\+build)|/\*\s*eslint|///|/\*\*|//!|#!|@ts-"
)


def _without_comments(text: str, language: str) -> Literal | None:
    tokens = tokens_of(text, language)
    if tokens is None:
        return None
    comments = [t for t in tokens if t.kind == "comment" and not t.text.startswith("#!")]
    spans: Spans = []
    for token in comments:
        start, end = token.start, token.end
        line = text.rfind("\n", 0, start) + 1
        after = text.find("\n", end)
        after = len(text) if after < 0 else after
        if not text[end:after].strip():  # the end of its line goes with it
            end = after
            if not text[line:start].strip():
                start, end = line, min(len(text), after + 1)
            else:
                start = line + len(text[line:start].rstrip())
        spans.append((start, end, ""))
    is_single = not any(_FOR_TOOLS.match(token.text) for token in comments)
    return Literal((_with(text, spans),), is_single)


# --- imports -------------------------------------------------------------------------------------


def _imported(meaning: AddImport, text: str) -> Literal | None:
    line = f"import {meaning.module}\n"
    if meaning.item:
        line = f"from {meaning.module} import {meaning.item}\n"
    parsed = parse_python(text)
    if parsed is None or parsed[1]:
        return None
    body = parsed[0].body
    if any(ast.unparse(one) == line.strip() for one in body):
        return None
    lines = _lines(text)
    first = last = 0  # an import goes between these lines
    at = None
    for number, node in enumerate(body):
        is_docstring = (
            not number and isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)
        )
        is_future = isinstance(node, ast.ImportFrom) and node.module == "__future__"
        if not (is_docstring or isinstance(node, ast.Import | ast.ImportFrom)):
            break
        last = node.end_lineno or node.lineno
        if is_docstring or is_future:
            first = last
        elif at is None:
            at = node.lineno - 1
    if last and not lines[last - 1].endswith("\n"):
        return None
    header = 0
    while header < len(lines) and lines[header].startswith("#"):
        header += 1
    places = dict.fromkeys(
        (first if at is None else at, *range(first, last + 1), max(first, header))
    )
    if at is None:
        following = next((node.lineno - 1 for node in body if node.lineno > last), len(lines))
        places |= dict.fromkeys(range(first, following + 1))
    made: Callable[[int], str] = lambda place: "".join([*lines[:place], line, *lines[place:]])  # noqa: E731
    return Literal(tuple(map(made, places)), is_single=True)
