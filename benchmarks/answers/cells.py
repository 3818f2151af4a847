"""Marks of recorded answers, counted without a model: ``python -m benchmarks.answers.cells FILE …``.

Reads what ``python -m benchmarks.answers --json FILE`` wrote and runs the checks again, so that it says what
they say today. Of the same answers it tells what a person meets, for whom the words come first.
"""

from __future__ import annotations

import ast
import re
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from difflib import unified_diff
from pathlib import Path
from typing import Annotated

import typer

from benchmarks.answers.cases import recorded_cases
from benchmarks.answers.judge import Outcome, Token
from benchmarks.answers.report import saved
from editd.checks import check_hunks
from editd.checks.literal import compared
from editd.diff.document import Document
from editd.diff.hunk import Hunk, Span
from editd.engine.provenance import LESS_THAN, Hesitated, guess, notes_hesitation, spans
from editd.intent import parse
from editd.messages import EditRequest
from editd.models.text_source import Hesitation
from editd.refactor.computed import compute_edit, hunks_to
from editd.syntax.code import read_code
from editd.syntax.python_tree import parse_python
from tests.fixtures.proposed_edits import Case

THRESHOLDS = (0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9)
CELLS = (
    "right",
    "right, with a note",
    "right, suspect",
    "harmless",
    "harmless, marked",
    "own words",
    "own words, marked",
    "nothing changed, and said so",
    "no answer, and said so",
    "wrong, suspect",
    "wrong, with a note",
    "wrong, without a mark",
)


@dataclass(frozen=True, slots=True)
class Marks:
    """The sentences that a person sees beside an answer, by kind."""

    doubts: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    hesitations: tuple[str, ...] = ()

    @property
    def any(self) -> bool:
        return bool(self.doubts or self.notes or self.hesitations)


def main(
    files: Annotated[list[Path] | None, typer.Argument(help="Answers that were kept.")] = None,
    *,
    kinds: Annotated[bool, typer.Option(help="A table for each kind, too.")] = False,
    show: Annotated[str, typer.Option(help="Print the edits of this cell.")] = "",
    people: Annotated[
        Path | None, typer.Option(help="Recorded edits of people, as if each were an answer.")
    ] = None,
) -> None:
    """Print the cells of each file, model first and words first, and notes by threshold."""
    if people is not None:
        _of_people(people)
    tables: dict[str, Counter[str]] = {}
    for file in files or ():
        outcomes = saved(file)
        model, product = Counter[str](), Counter[str]()
        for outcome in outcomes:
            marks = marks_of(outcome)
            cell = cell_of(outcome, outcome.text, marks)
            model[cell] += 1
            product[_with_words_first(outcome, cell)] += 1
            if kinds:
                tables.setdefault(f"{file.stem}: {outcome.case.kind}", Counter())[cell] += 1
            if show == cell:
                _show(outcome, marks)
        tables |= {f"{file.stem}, the model alone": model, f"{file.stem}, words first": product}
    print(_table(tables))
    print("\n| answers | a token less likely than | right ones with a note | wrong ones |")
    print("|---|---|---|---|")
    for file in files or ():
        _by_threshold(file.stem, saved(file))


def marks_of(outcome: Outcome, less_than: float = LESS_THAN) -> Marks:
    """The marks that today's checks give this answer."""
    case = outcome.case
    document = Document.of(case.before)
    tells = notes_hesitation(case.instruction, case.language)
    hunks = [
        Hunk(number, start, count, tuple(lines), note_spans=_spans(tokens, less_than, tells=tells))
        for number, (start, count, lines, tokens) in enumerate(outcome.hunks, start=1)
    ]
    literal = compared(document, hunks, parse(case.instruction), case.language)
    guesses = {
        hunk.id: what
        for hunk, (*_, tokens) in zip(hunks, outcome.hunks, strict=True)
        if tells and (what := guess(_hesitated(tokens)))
    }
    marked, doubts = check_hunks(
        document,
        hunks,
        case.instruction,
        case.language,
        regions=outcome.regions,
        comparison=literal,
        guesses=guesses,
    )
    # That an answer was ended is known only while it is written.
    doubts += [reason for reason in outcome.suspects if "was ended" in reason]
    return Marks(
        tuple(doubts),
        tuple(hunk.note for hunk in marked if hunk.note),
        tuple(span.text for hunk in marked for span in hunk.note_spans),
    )


def _spans(tokens: Iterable[Token], less_than: float, *, tells: bool) -> tuple[Span, ...]:
    return spans(_hesitated(tokens), less_than) if tells else ()


def _hesitated(tokens: Iterable[Token]) -> list[Hesitated]:
    return [Hesitated(*token[:4], Hesitation(*token[4:])) for token in tokens]


def cell_of(outcome: Outcome, text: str | None, marks: Marks) -> str:
    """The cell, of ``CELLS``, that an answer counts in."""
    case = outcome.case
    if text is None:
        return "no answer, and said so"
    if text == case.after:
        if marks.doubts:
            return "right, suspect"
        return "right, with a note" if marks.any else "right"
    if text == case.before:
        return "nothing changed, and said so"
    if is_harmless(text, case.after):
        return "harmless, marked" if marks.any else "harmless"
    if is_in_own_words(text, case):
        return "own words, marked" if marks.any else "own words"
    if marks.doubts:
        return "wrong, suspect"
    return "wrong, with a note" if marks.any else "wrong, without a mark"


def is_harmless(text: str, right: str) -> bool:
    """Whether two texts differ in blank lines, quotes and the places of imports alone."""
    return _loose(text) == _loose(right)


def _loose(text: str) -> tuple[list[str], list[str]]:
    lines = [bare.replace("'", '"') for x in text.splitlines() if (bare := x.rstrip())]
    imports = sorted(filter(_IMPORT.match, lines))
    return imports, [line for line in lines if not _IMPORT.match(line)]


def is_in_own_words(text: str, case: Case) -> bool:
    """Whether only words differ that the instruction leaves open: of a docstring, a log message, a handler.

    An import that the right answer does without is nobody's either. Python alone.
    """
    if (
        case.language != "python"
        or case.kind not in _OPEN
        or re.search(r"[\"'`].* .*[\"'`]", case.instruction)
    ):
        return False
    answer, right = (_bare(source, case) for source in (text, case.after))
    return answer is not None and answer == right


def _bare(source: str, case: Case) -> str | None:
    if cut := read_code(case.before, case.language).cut:  # its end is compared letter by letter
        ended = cut.without_end(source)
        return None if ended is None else _bare(ended, replace(case, before=cut.whole))
    parsed, old = parse_python(source), parse_python(case.before)
    if parsed is None or old is None:
        return None
    tree = parsed[0]
    had = {ast.unparse(node) for node in old[0].body}
    tree.body = [n for n in tree.body if not isinstance(n, ast.Import) or ast.unparse(n) in had]
    documented = {ast.get_docstring(n) for n in ast.walk(old[0]) if isinstance(n, _DEFINITION)}
    for node in ast.walk(tree):
        if isinstance(node, _DEFINITION) and ast.get_docstring(node) not in documented:
            node.body[0] = ast.Expr(ast.Constant("a docstring"))
        if isinstance(node, ast.Call) and ast.unparse(node.func).startswith(
            ("logging.", "logger.")
        ):
            node.args, node.keywords = [ast.Constant("a message")], []
        if isinstance(node, ast.ExceptHandler) and "return" not in case.instruction.lower():
            node.name, node.body = None, [ast.Pass()]
    return ast.dump(tree)


_DEFINITION = ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef
_OPEN = frozenset(["add-docstring", "add-logging", "wrap-try"])
_IMPORT = re.compile(r"\s*(?:import|from)\b")


def _with_words_first(outcome: Outcome, cell: str) -> str:
    case = outcome.case
    computed = compute_edit(EditRequest("1", case.before, case.instruction, path=case.path))
    if computed is None:
        return cell
    stays = ("stays",) if "It stays in" in computed.summary else ()
    return cell_of(
        outcome, computed.text, Marks(notes=stays) if computed.text != case.after else Marks()
    )


def _of_people(file: Path) -> None:
    counts = Counter[str]()
    for case in recorded_cases(file, 1 << 30):
        document = Document.of(case.before)
        hunks = hunks_to(document, Document.of(case.after).model_text)
        literal = compared(document, hunks, parse(case.instruction), case.language)
        marked, doubts = check_hunks(
            document, hunks, case.instruction, case.language, comparison=literal
        )
        counts["edits"] += 1
        counts["suspect"] += bool(doubts)
        counts["with a note alone"] += not doubts and any(hunk.note for hunk in marked)
    print(f"By people: {dict(counts)}\n")


def _by_threshold(name: str, outcomes: Sequence[Outcome]) -> None:
    for threshold in THRESHOLDS:
        counts = Counter(
            cell_of(outcome, outcome.text, marks_of(outcome, threshold)) for outcome in outcomes
        )
        right = sum(counts[cell] for cell in CELLS[:3])
        wrong = sum(counts[cell] for cell in CELLS[-3:])
        marked = counts["wrong, suspect"] + counts["wrong, with a note"]
        noted = counts["right, suspect"] + counts["right, with a note"]
        used = " (used)" if threshold == LESS_THAN else ""
        print(f"| {name} | {threshold}{used} | {noted} of {right} | {marked} of {wrong} |")


def _table(rows: dict[str, Counter[str]]) -> str:
    lines = [f"| answers | edits | {' | '.join(CELLS)} |", "|---" * (len(CELLS) + 2) + "|"]
    for name, counts in rows.items():
        cells = " | ".join(str(counts[cell]) for cell in CELLS)
        lines.append(f"| {name} | {counts.total()} | {cells} |")
    return "\n".join(lines)


def _show(outcome: Outcome, marks: Marks) -> None:
    case = outcome.case
    print(f"\n## {case.name} {case.path}: {case.instruction}\n{marks}")
    for name, text in (("answer", outcome.text or ""), ("right", case.after)):
        diff = unified_diff(case.before.splitlines(), text.splitlines(), "before", name, n=1)
        print("\n".join([*diff][1:40]))


if __name__ == "__main__":
    typer.run(main)
