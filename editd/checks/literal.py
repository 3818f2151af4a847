"""Whether an answer does what the words alone say, where they have a literal meaning.

A line that every reading changes and the answer leaves is doubted. What no reading changes is only worth a
note: who asks for another name often means imports and comments, too. Blank lines and the place of an
import are nobody's. What the words make of a text is computed in ``instruction``.

Where the words only say what is to be added to a definition ("document X", "log each call of X", "guard X", "X
returns bool"), how that is written is the model's business, where it belongs is not: ``added`` looks whether it is
there, and everything else as it was. Python alone, by syntax tree; a sentence that asks for anything else
besides is not judged, nor a text that does not parse.
"""

from __future__ import annotations

import ast
import copy
import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

from editd.breathing import breathe
from editd.diff.document import Document, Lines
from editd.diff.edits import apply
from editd.diff.hunk import Hunk
from editd.diff.matching import changes
from editd.instruction import Instruction, read
from editd.instruction.answering import literal
from editd.instruction.meanings import AddImport, Tidy
from editd.instruction.syntax import parse_python

AGREES = "Exactly what the words say."
NOT_NAMED = "The words do not name this change."
_MOST_LINES = 6  # named in a sentence


@dataclass(frozen=True, slots=True)
class Compared:
    """An answer beside the words' own readings.

    agrees: it is one of them. left: numbers of lines that every reading changes and it does not.
    missing: what every reading adds and it does not. more: ids of hunks that change what no reading changes.
    is_computed: there are readings; else the words say what is added alone.
    """

    agrees: bool
    left: tuple[int, ...] = ()
    missing: str = ""
    more: frozenset[int] = frozenset()
    is_computed: bool = True

    @property
    def doubt(self) -> str:
        """Why the answer looks wrong, in one sentence; empty if it does not."""
        if self.left:
            it = "it" if len(self.left) == 1 else "them"
            return f"The words alone would change {_numbered(self.left)}; this answer leaves {it}."
        if self.missing:
            return f"The words ask for {self.missing}; this answer does not add it."
        return ""

    def summary(self, *, is_changed: bool) -> str:
        """One line about the whole edit, or empty."""
        if self.agrees:
            return AGREES if is_changed else ""
        if not is_changed and self.left:
            return f"Nothing changed; the words mean {_numbered(self.left)}."
        if not is_changed and self.missing:
            return f"Nothing changed; the words ask for {self.missing}."
        return ""


def compared(
    document: Document,
    hunks: Sequence[Hunk],
    instruction: str,
    language: str,
    selected: tuple[int, int] | None = None,
) -> Compared | None:
    """The answer that ``hunks`` are, beside what the words say; ``None`` if they have no literal meaning.

    selected: the only lines that may change.
    """
    said = read(instruction)
    meant = literal(said, document.model_text, language)
    if meant is None:
        return added(document, hunks, said, selected) if language == "python" else None
    old = document.model_lines
    readings = [Document.of(text).model_lines for text in meant.readings]
    if meant.resembling is not None:
        readings.append(Document.of(meant.resembling).model_lines)
    new = _answer(document, hunks)
    solid = _solid(new)
    if any(solid == _solid(reading) for reading in readings):
        return Compared(agrees=True)
    if isinstance(said.meaning, AddImport) and Counter(solid) == Counter(_solid(readings[0])):
        return Compared(agrees=True)
    touched = []
    for reading in readings:
        touched.append(_changed(old, reading))
        breathe()
    answered = _changed(old, new)
    left = set.intersection(*touched) - answered
    if selected is not None:
        left = {line for line in left if selected[0] <= line < selected[1]}
    known: Counter[str] = Counter()
    for lines in (old, *readings):
        known |= Counter(line.strip() for line in lines)
    unknown = set(Counter(line.strip() for line in new) - known)
    new_in_all = set.intersection(
        *({x.strip() for x in r} - {x.strip() for x in old} for r in readings)
    )
    missing = new_in_all - {line.strip() for line in new} if not set.union(*touched) else set()
    may_go = set.union(*touched)
    # Code does of a chore what is certain; a model may well do the rest.
    looked_at = () if isinstance(said.meaning, Tidy) else hunks
    more = (hunk.id for hunk in looked_at if _is_more(hunk, old, may_go, unknown))
    absent = f"“{next(iter(missing))}”" if missing else ""
    return Compared(False, tuple(sorted(left)), absent, frozenset(more))


def _answer(document: Document, hunks: Sequence[Hunk]) -> Lines:
    """The lines of the text that ``hunks`` make, as a model sees them."""
    return Document.of(apply(hunks, document.text, document)).model_lines


def _solid(lines: Iterable[str]) -> list[str]:
    """The lines that are not blank, without white space at their ends."""
    return [bare for line in lines if (bare := line.rstrip())]


def _changed(old: Sequence[str], new: Sequence[str]) -> set[int]:
    """Numbers of the lines of ``old`` that are not blank and not in ``new``."""
    return {
        number
        for change in changes([x.rstrip() for x in old], [x.rstrip() for x in new])
        for number in range(change.old_start, change.old_end)
        if old[number].strip()
    }


def _is_more(hunk: Hunk, old: Sequence[str], may_go: set[int], unknown: set[str]) -> bool:
    """Whether it writes a line that no reading has (so often), or takes one away that no reading changes."""
    lines = [line.strip() for line in hunk.new_lines]
    gone = range(hunk.start, hunk.start + hunk.old_count)
    return any(line and line in unknown for line in lines) or any(
        number not in may_go and old[number].strip() and old[number].strip() not in lines
        for number in gone
    )


def _numbered(lines: Sequence[int]) -> str:
    """For example ``lines 3, 9 and 12``."""
    first = [str(line + 1) for line in lines[:_MOST_LINES]]
    if lines[_MOST_LINES:]:
        first.append(f"{len(lines) - _MOST_LINES} more")
    *others, last = first
    return f"lines {', '.join(others)} and {last}" if others else f"line {last}"


_Definition = ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef


def added(
    document: Document,
    hunks: Sequence[Hunk],
    said: Instruction,
    selected: tuple[int, int] | None = None,
) -> Compared | None:
    """What an answer adds beside what the words name; ``None`` where they ask for no addition."""
    told = said.nameless
    kinds = [kind for kind in _KINDS if kind.words.search(told)]
    if not kinds or _OTHER.search(told):
        return None
    names = {name.rpartition(".")[2] for name in (*said.names, *said.words, *said.quoted)}
    old = _Module.of(document.model_text, names)
    text = "".join(_answer(document, hunks))
    new = _Module.of(text, names)
    if old is None or new is None or not old.named:
        return None
    answer = Compared(agrees=False, is_computed=False)

    def lacks(thing: str, line: int = 0) -> Compared:
        is_meant = selected is None or selected[0] <= line < selected[1]
        return replace(answer, missing=thing) if is_meant else answer

    if absent := [asked for asked in said.quoted if asked not in text]:
        return lacks(f"“{absent[0]}”")
    if all(kind.found(old.named) == kind.found(new.named) for kind in kinds):
        first = old.named[0]
        return lacks(f"{kinds[0].title} for “{first.name}”", first.lineno - 1 - old.shift)
    if new.without(kinds, old) == old.without(kinds, old):
        return answer
    others = {
        hunk.id
        for hunk in hunks
        if (alone := _Module.of("".join(_answer(document, [hunk])), names)) is not None
        and alone.without(kinds, old) != old.without(kinds, old)
    }
    return replace(answer, more=frozenset(others or {hunk.id for hunk in hunks}))


@dataclass(frozen=True, slots=True)
class _Kind:
    """words: of a sentence that asks for it. title: with its article. things: those in a definition.
    strip: takes them out of one.
    """

    words: re.Pattern[str]
    title: str
    things: Callable[[_Definition], Iterator[ast.AST | str]]
    strip: Callable[[_Definition], None]

    def found(self, named: Sequence[_Definition]) -> list[str]:
        return [
            thing if isinstance(thing, str) else ast.dump(thing)
            for one in named
            for thing in self.things(one)
        ]


@dataclass(frozen=True, slots=True)
class _Module:
    """A parsed text. named: the definitions that the words name. shift: lines before the text."""

    tree: ast.Module
    named: list[_Definition]
    names: set[str]
    shift: int

    @classmethod
    def of(cls, text: str, names: set[str]) -> _Module | None:
        parsed = parse_python(text)
        if parsed is None:
            return None
        tree, shift = parsed
        return cls(tree, list(_named(tree, names)), names, shift)

    def without(self, kinds: Sequence[_Kind], old: _Module) -> str:
        """All but what these kinds add, and but imports that ``old`` has not, in the parser's words."""
        tree = copy.deepcopy(self.tree)
        for one in _named(tree, self.names):
            if _DOCSTRING not in kinds and ast.get_docstring(one) is None:
                one.name += " without a docstring"  # that something stands before it now
            for kind in kinds:
                kind.strip(one)
        had = {ast.unparse(node) for node in old.tree.body}
        tree.body = [node for node in tree.body if ast.unparse(node) in had or not _is_means(node)]
        return ast.dump(tree)


def _named(tree: ast.Module, names: set[str]) -> Iterator[_Definition]:
    for node in ast.walk(tree):
        if isinstance(node, _Definition) and node.name in names:
            yield node


def _is_means(node: ast.stmt) -> bool:
    """An import, or ``logger = logging.getLogger(…)``."""
    return isinstance(node, ast.Import | ast.ImportFrom) or (
        isinstance(node, ast.Assign) and "getLogger(" in ast.unparse(node)
    )


# --- docstrings ---


def _docstring(one: _Definition) -> Iterator[str]:
    found = ast.get_docstring(one, clean=False)
    if found is not None:
        yield found


def _undocument(one: _Definition) -> None:
    if ast.get_docstring(one, clean=False) is not None:
        one.body = one.body[1:]


# --- logging calls ---


def _is_log(node: ast.AST) -> bool:
    call = node.value if isinstance(node, ast.Expr) else None
    function = call.func if isinstance(call, ast.Call) else None
    return (
        isinstance(function, ast.Attribute)
        and function.attr in _LEVELS
        and "log" in ast.unparse(function).lower()
    )


def _logs(one: _Definition) -> Iterator[ast.AST]:
    return filter(_is_log, ast.walk(one))


class _Unlogged(ast.NodeTransformer):
    def visit_Expr(self, node: ast.Expr) -> ast.AST | None:
        return None if _is_log(node) else node


def _unlog(one: _Definition) -> None:
    _Unlogged().generic_visit(one)


# --- try ---


def _tries(one: _Definition) -> Iterator[ast.AST]:
    return (node for node in ast.walk(one) if isinstance(node, ast.Try))


class _Untried(ast.NodeTransformer):
    def visit_Try(self, node: ast.Try) -> list[ast.stmt]:
        self.generic_visit(node)
        return [*node.body, *node.orelse, *node.finalbody]


def _untry(one: _Definition) -> None:
    _Untried().generic_visit(one)


# --- types ---


def _annotated(one: _Definition) -> Iterator[ast.arg | _Definition]:
    for node in ast.walk(one):
        if isinstance(node, ast.arg | ast.FunctionDef | ast.AsyncFunctionDef):
            yield node


def _types(one: _Definition) -> Iterator[ast.AST]:
    for node in _annotated(one):
        found = node.annotation if isinstance(node, ast.arg) else getattr(node, "returns", None)
        if found is not None:
            yield found


def _untype(one: _Definition) -> None:
    for node in _annotated(one):
        if isinstance(node, ast.arg):
            node.annotation = None
        elif not isinstance(node, ast.ClassDef):
            node.returns = None


_LEVELS = frozenset(["debug", "info", "warning", "warn", "error", "critical", "exception", "log"])
_DOCSTRING = _Kind(
    re.compile(r"\b(?:doc-?string|document(?:ed)?\b|describe\b)", re.IGNORECASE),
    "a docstring",
    _docstring,
    _undocument,
)
_KINDS = (
    _DOCSTRING,
    _Kind(
        re.compile(r"\blog(?:s|ged|ging)?\b(?! (?:in|out)\b)", re.IGNORECASE),
        "a logging call",
        _logs,
        _unlog,
    ),
    _Kind(
        re.compile(
            r"\b(?:try|catch\w*|guard\w*|except\w*|handle|raised)\b|\bon \w*error\b", re.IGNORECASE
        ),
        "a “try”",
        _tries,
        _untry,
    ),
    _Kind(
        re.compile(
            r"\b(?:types?|annotat\w+|hints?|returns|returning|return type|declare)\b", re.IGNORECASE
        ),
        "a type",
        _types,
        _untype,
    ),
)
# Where a sentence asks for anything else, or for the contrary.
_OTHER = re.compile(
    r"\b(?:refactor|restructur|renam|extract|mov(?:e|ing)|fix|convert|chang|replac|rewrit|remov|delet|drop"
    r"|split|simplif|implement|creat|support|modif|optimi|test|class|without|no longer|instead|also|then"
    r"|comment|parameter|print)|\band (?!(?:return|except|catch)\b)|[.;]\s+\w|\n",
    re.IGNORECASE,
)
