"""The outcome of an edit, as figures that can be counted."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field
from difflib import SequenceMatcher
from time import monotonic
from typing import Any, Self
from unittest.mock import patch

from editd.checks import check_hunks
from editd.checks.rewrite import Rewrite
from editd.checks.syntax import suspicions as syntax_suspicions
from editd.diff.document import Document, split_lines
from editd.diff.hunk import Hunk
from editd.engine import Engine
from editd.engine.provenance import Hesitated, spans
from editd.messages import EditRequest, EditResult
from editd.messages.options import EditOptions
from editd.messages.reports import Trace
from editd.refactor.computed import compute_edit
from tests.fixtures.proposed_edits import Case

AnswerPiece = tuple[int, str, str, float | None, str]
"""A piece of an answer: region, text, source; of a token of the model's own how likely it was, and the
likeliest other."""

Token = tuple[int, int, int, str, float, str]
"""A token of the model's own in a hunk: line, start, end, text, how likely it was, and the likeliest other."""

Changed = tuple[int, int, list[str], list[Token]]
"""A hunk as it came, before any mark: start, old lines, new lines, the model's own tokens."""


@dataclass(frozen=True, slots=True)
class Outcome:
    """An edit that was carried out.

    answer: all that the model wrote. exact: the text is the right one. parses: it does, or did
    not before. untouched: share of the lines that the right answer leaves alone and that were left
    alone. change: lines that it changes, by those that the right answer changes. suspect: a check
    doubts it. ended: the model came to an end by itself. noted: a hunk has a note. pieces: of the
    answer, in their order. hunks, regions: what the checks were given, so that they can be run again without a model.
    computed: by the words, without a model.
    """

    case: Case
    finish_reason: str
    text: str | None
    answer: str
    exact: bool
    parses: bool
    untouched: float
    change: float
    suspect: bool
    unchanged: bool
    ended: bool
    tokens: int
    rounds: int
    seconds: float
    suspects: tuple[str, ...]
    noted: bool = False
    pieces: tuple[AnswerPiece, ...] = ()
    hunks: tuple[Changed, ...] = ()
    regions: tuple[tuple[int, int], ...] = ()
    computed: bool = False

    @property
    def refused(self) -> bool:
        return self.finish_reason == "refused"


def carry_out(engine: Engine, case: Case, options: EditOptions) -> Outcome:
    """Ask for an edit, as a client does. Raises ``RuntimeError`` where the model cannot be had."""
    request = EditRequest(case.name, case.before, case.instruction, path=case.path, options=options)
    started = monotonic()
    with Overheard() as overheard:
        result = next(m for m in engine.edit(request) if isinstance(m, EditResult))
    if result.finish_reason == "error" and result.error is not None:
        raise RuntimeError(result.error.message)
    trace = next(reversed(engine.take_traces()), None)
    return judged(case, result, trace, monotonic() - started, overheard)


def by_the_words(case: Case) -> Outcome | None:
    """Compute ``case``; ``None`` where its words do not decide alone, and a model would be asked."""
    started = monotonic()
    result = compute_edit(EditRequest(case.name, case.before, case.instruction, path=case.path))
    return None if result is None else judged(case, result, None, monotonic() - started)


@dataclass
class Overheard:
    """Records, while it is entered, the input of the checks: hunks without marks, and every token of the model's own in
    them, also where the product says nothing of hesitation.
    """

    hunks: list[Hunk] = field(default_factory=list)
    regions: tuple[tuple[int, int], ...] = ()
    _tokens: list[list[Hesitated]] = field(default_factory=list)
    _patches: ExitStack = field(default_factory=ExitStack)

    def __enter__(self) -> Self:
        self._patches.enter_context(patch("editd.engine.provenance.spans", self._spans))
        self._patches.enter_context(
            patch("editd.engine.edit_job.notes_hesitation", lambda *_: True)
        )
        self._patches.enter_context(patch("editd.engine.edit_job.check_hunks", self._check))
        return self

    def __exit__(self, *_: object) -> None:
        self._patches.close()

    def changed(self) -> Iterator[Changed]:
        for hunk, tokens in zip(self.hunks, self._tokens, strict=True):
            written = [(*token[:4], token.at.chance, token.at.rival) for token in tokens]
            yield hunk.start, hunk.old_count, list(hunk.new_lines), written

    def _spans(self, found: Sequence[Hesitated]) -> Any:
        self._tokens.append(list(found))
        return spans(found)

    def _check(self, document: Document, hunks: Sequence[Hunk], *args: Any, **named: Any) -> Any:
        self.hunks, self.regions = list(hunks), tuple(named.get("regions", ()))
        return check_hunks(document, hunks, *args, **named)


def judged(
    case: Case,
    result: EditResult,
    trace: Trace | None,
    seconds: float,
    overheard: Overheard | None = None,
) -> Outcome:
    """Compare ``result`` with the right answer of ``case``. overheard: the checks' input, if it was recorded."""
    text = result.text
    shown = case.before if text is None else text
    pieces = (piece.text for r in (trace.rounds if trace else ()) for piece in r.pieces)
    return Outcome(
        case,
        result.finish_reason,
        text,
        "".join(pieces),
        exact=text == case.after,
        parses=_parses(case, shown),
        untouched=_share_untouched(case, shown),
        change=_num_changed(case.before, shown) / max(1, _num_changed(case.before, case.after)),
        suspect=bool(result.suspects) or any(hunk.suspect for hunk in result.hunks),
        unchanged=text == case.before,
        ended=result.finish_reason in ("stop", "refused")
        and not any("repeat" in reason and "ended" in reason for reason in result.suspects),
        tokens=result.stats.output_tokens or 0,
        rounds=result.stats.rounds or 0,
        seconds=seconds,
        suspects=result.suspects,
        noted=any(hunk.note or hunk.note_spans for hunk in result.hunks),
        pieces=tuple(pieces_of(trace)) if trace else (),
        hunks=tuple(overheard.changed()) if overheard else (),
        regions=overheard.regions if overheard else (),
        computed=result.stats.written_by == "words",
    )


def pieces_of(trace: Trace) -> Iterator[AnswerPiece]:
    """The pieces of the answers, in order; the last piece of a round is the model's own token, if its chance is known."""
    for done in trace.rounds:
        last = len(done.pieces) - 1
        for number, piece in enumerate(done.pieces):
            own = number == last and done.chance is not None
            chance, rival = (done.chance, done.rival) if own else (None, "")
            yield done.region, piece.text, piece.source, chance, rival


def _parses(case: Case, text: str) -> bool:
    document = Document.of(case.before)
    everything = Hunk(1, 0, len(document.lines), tuple(split_lines(text)))
    lines = (0, len(document.lines))
    doubts = syntax_suspicions(Rewrite(document, (everything,), "", case.language, (lines,)))
    return not doubts


def _share_untouched(case: Case, text: str) -> float:
    """Of the lines that the right answer leaves alone, the share that ``text`` has as well."""
    old = split_lines(case.before)
    untouched = _matched(old, split_lines(case.after))
    return len(untouched & _matched(old, split_lines(text))) / len(untouched) if untouched else 1.0


def _num_changed(old: str, new: str) -> int:
    """How many old lines the new text lacks, plus how many new lines the old text lacks."""
    before, after = split_lines(old), split_lines(new)
    return len(before) + len(after) - 2 * len(_matched(before, after))


def _matched(old: list[str], new: list[str]) -> set[int]:
    blocks = SequenceMatcher(None, old, new, autojunk=False).get_matching_blocks()
    return {block.a + i for block in blocks for i in range(block.size)}
