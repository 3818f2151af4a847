"""Whether an answer does what the words alone say, where they have a literal meaning.

A line that every reading changes and the answer leaves is doubted, and what no reading changes; that is only worth a
note where another name is asked for, which often means imports and comments, too. Blank lines and the place of an
import are nobody's. What the words make of a text is computed in ``instruction``.

Where they only say of what kind something is that is to be added or to go, ``additions`` looks for it.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from editd.checks.additions import added
from editd.diff.document import Document, DocumentLines
from editd.diff.edits import apply
from editd.diff.hunk import Hunk
from editd.diff.matching import changes
from editd.intent import Parsed
from editd.intent.intents import (
    AddImport,
    Chore,
    Conditional,
    Intent,
    Rename,
    ReplaceText,
    UseFStrings,
    WrapTry,
)
from editd.refactor.readings import candidates_for
from editd.turns import yield_point

AGREES = "Exactly what the words say."
NOT_NAMED = "The words do not name this change."
_MOST_LINES = 6  # named in a sentence


@dataclass(frozen=True, slots=True)
class Compared:
    """An answer beside the readings of an instruction: the texts that its words alone make of the buffer.

    agrees: the answer is a reading. left: numbers of lines that every reading changes and the answer does not. missing: in
    words, what every reading adds and the answer does not. more: ids of hunks that change what no reading changes.
    is_computed: readings exist; else the words only name a kind of code. is_plain: the words can mean nothing more.
    """

    agrees: bool
    left: tuple[int, ...] = ()
    missing: str = ""
    more: frozenset[int] = frozenset()
    is_computed: bool = True
    is_plain: bool = False

    @property
    def doubt(self) -> str:
        """Why the answer looks wrong, in one sentence: the lines that it leaves (``left``), else what it does not add
        (``missing``); empty if there is neither.
        """
        if self.left:
            it = "it" if len(self.left) == 1 else "them"
            return f"The words alone would change {_numbered(self.left)}; this answer leaves {it}."
        if self.missing:
            return f"The words ask for {self.missing}; this answer does not add it."
        return ""

    def summary(self, *, is_changed: bool) -> str:
        """A sentence about the whole edit: that it is what the words say (of a changed text), or what they ask for (of
        an unchanged one); empty if the answer neither agrees nor leaves all as it was. is_changed: whether the answer
        changes anything.
        """
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
    parsed: Parsed,
    language: str,
    selected: tuple[int, int] | None = None,
) -> Compared | None:
    """Compare the answer that ``hunks`` are with what the words alone say: it agrees if it is one of the texts that
    they can mean, blank lines and blanks at line ends (and the place of an added import) aside. Else ``left`` are the
    lines that all these texts change and the answer does not, ``missing`` a line that all add if none changes one of
    the buffer, ``more`` the hunks that write or take away what no text does (never for a chore).

    ``None`` if the words have no literal meaning, or leave open which of many texts is right, and name no kind of code. parsed: the instruction. selected: the only
    lines (start, end exclusive) that may change; what is left undone elsewhere is no fault. Calls ``yield_point`` for
    each such text.
    """
    computed = candidates_for(parsed, document.model_text, language)
    if computed is None:
        return _comparison_of_kinds(document, hunks, parsed.text, language, selected)
    old = document.model_lines
    readings = [Document.of(text).model_lines for text in computed.texts]
    if computed.wider is not None:
        readings.append(Document.of(computed.wider).model_lines)
    new = _answer(document, hunks)
    solid = _solid(new)
    if any(solid == _solid(reading) for reading in readings):
        return Compared(agrees=True)
    if computed.is_one_of_many:
        return _comparison_of_kinds(document, hunks, parsed.text, language, selected)
    if isinstance(parsed.intent, AddImport) and Counter(solid) == Counter(_solid(readings[0])):
        return Compared(agrees=True)
    touched = []
    for reading in readings:
        touched.append(_changed(old, reading))
        yield_point()
    answered = _changed(old, new)
    left = set.intersection(*touched) - answered
    if selected is not None:
        left = {line for line in left if selected[0] <= line < selected[1]}
    known = Counter({"pass": len(new)})  # in the place of what had to go
    for lines in (old, *readings):
        known |= Counter(line.strip() for line in lines)
    unknown = set(Counter(line.strip() for line in new) - known)
    unknown |= {line.strip() for line in _moved(new, old, readings)}
    new_in_all = set.intersection(
        *({x.strip() for x in r} - {x.strip() for x in old} for r in readings)
    )
    missing = new_in_all - {line.strip() for line in new} if not set.union(*touched) else set()
    may_go = set.union(*touched)
    # Code does of a chore what is certain; a model may well do the rest.
    looked_at = () if isinstance(parsed.intent, Chore) else hunks
    more = (hunk.id for hunk in looked_at if _is_more(hunk, old, may_go, unknown))
    absent = f"“{next(iter(missing))}”" if missing else ""
    fresh = None
    if not left and isinstance(parsed.intent, UseFStrings | WrapTry):
        # The lines are those that the words change; what they say now is for a look at the code.
        fresh = _comparison_of_kinds(document, hunks, parsed.text, language, selected)
    return Compared(
        False,
        tuple(sorted(left)),
        absent or (fresh.missing if fresh else ""),
        frozenset(more) | (fresh.more if fresh else frozenset()),
        is_plain=fresh.is_plain if fresh else _leaves_no_more(parsed.intent),
    )


def _moved(new: DocumentLines, old: DocumentLines, readings: Sequence[DocumentLines]) -> set[str]:
    """Lines of ``new`` that neither ``old`` nor a reading has in this depth, ``pass`` aside."""
    known = {line.rstrip() for lines in (old, *readings) for line in lines}
    return {line for line in new if line.rstrip() not in known and line.strip() not in ("", "pass")}


def _leaves_no_more(intent: Intent) -> bool:
    """Whether the words can mean nothing more: whoever gives a name often means imports and comments, too."""
    return not isinstance(intent, Rename | ReplaceText | Conditional | Chore)


def _comparison_of_kinds(
    document: Document,
    hunks: Sequence[Hunk],
    instruction: str,
    language: str,
    selected: tuple[int, int] | None,
) -> Compared | None:
    """The comparison where the words only name a kind of code; ``None`` if they name none, or ``added`` cannot compare.
    Code that is missing in a definition outside of ``selected`` is no fault.
    """
    found = added(document, hunks, instruction, language)
    if found is None:
        return None
    is_meant = selected is None or found.line < 0 or selected[0] <= found.line < selected[1]
    return Compared(
        agrees=False,
        missing=found.missing if is_meant else "",
        more=found.more,
        is_computed=False,
        is_plain=found.is_plain,
    )


def _answer(document: Document, hunks: Sequence[Hunk]) -> DocumentLines:
    """The lines of the text that ``hunks`` make, each ended by LF."""
    return Document.of(apply(hunks, document.text, document)).model_lines


def _solid(lines: Iterable[str]) -> list[str]:
    """The lines that are not blank, without white space at their ends."""
    return [bare for line in lines if (bare := line.rstrip())]


def _changed(old: Sequence[str], new: Sequence[str]) -> set[int]:
    """Numbers of the lines of ``old``, blank ones left out, that a diff to ``new`` takes away or replaces."""
    return {
        number
        for change in changes([x.rstrip() for x in old], [x.rstrip() for x in new])
        for number in range(change.old_start, change.old_end)
        if old[number].strip()
    }


def _is_more(hunk: Hunk, old: Sequence[str], may_go: set[int], unknown: set[str]) -> bool:
    """Whether a hunk writes a line of ``unknown``, or takes a line of ``old`` away for good whose number is not in
    ``may_go``.

    unknown: lines without blanks around them. Indentation and blank lines do not count: a line that is only moved to
    another depth is not taken away.
    """
    lines = [line.strip() for line in hunk.new_lines]
    replaced = range(hunk.start, hunk.start + hunk.old_count)
    return any(line and line in unknown for line in lines) or any(
        number not in may_go and old[number].strip() and old[number].strip() not in lines
        for number in replaced
    )


def _numbered(lines: Sequence[int]) -> str:
    """Line numbers (0-based) in words, counted from 1: ``line 3``; ``lines 3, 9 and 12``; of more than six the first
    six and how many more. Raises ``ValueError`` for none.
    """
    first = [str(line + 1) for line in lines[:_MOST_LINES]]
    if lines[_MOST_LINES:]:
        first.append(f"{len(lines) - _MOST_LINES} more")
    *others, last = first
    return f"lines {', '.join(others)} and {last}" if others else f"line {last}"
