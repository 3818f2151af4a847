"""Hunks that repeat: tokens that were replaced once may be replaced again in the same context.

A substitution replaces one word by another. Much of what repeats in an edit is not a word: a removed
line end, an added comma, three lines that became one. So a finished hunk that teaches no substitution
is stored as it is, with the tokens beside it. Where the rest of the buffer has the same tokens, the
replacement is drafted. Knows tokens, no text.

Worked example. Once ``) : ⏎ pass ⏎`` has become ``) : ... ⏎``, every further ``) : ⏎ pass ⏎`` is drafted
so, until the output keeps one.
"""

from __future__ import annotations

from array import array
from collections import Counter
from collections.abc import Sequence
from typing import NamedTuple

from editd.decode.drafters.following.substitutions import REPEATED, SubstitutedBuffer

# Counted on a third of the recorded edits and half of the release edits: where two tokens before a hunk
# and one behind it stood again with the same tokens between them, 187 of 285 were changed alike. Of what
# was inserted 9 of 114 were, so that has to be shown twice; and so does what went without a trace,
# which leaves little to be refuted by.
_BEFORE, _BEHIND = 2, 1
_SHOWN_TO_BE_SURE = 2
_LONGEST = 32  # tokens; longer hunks are new text and rarely repeat
_PACK = 4  # bytes of a packed token id


class RepeatedHunk(NamedTuple):
    """Between ``before`` and ``behind``, ``old`` becomes ``new``. All are tokens."""

    before: tuple[int, ...]
    old: tuple[int, ...]
    behind: tuple[int, ...]
    new: tuple[int, ...]


class RepeatedHunks:
    """The hunks of one edit that may come back."""

    def __init__(self) -> None:
        self._known: list[RepeatedHunk] = []  # the buffer says by its number which one stands where
        self._live: dict[int, int] = {}  # number → byte of the plain text from which on it is made
        self._shown: Counter[RepeatedHunk] = Counter()
        self._refuted: Counter[RepeatedHunk] = Counter()

    def learn(
        self, ids: Sequence[int], start: int, end: int, new: Sequence[int], origin: int
    ) -> bool:
        """Tokens ``start .. end`` of ``ids`` became ``new``. Returns whether more of them is to come.

        origin: byte of the plain text at which token ``end`` begins.
        """
        if start < _BEFORE or end + _BEHIND > len(ids) or max(end - start, len(new)) > _LONGEST:
            return False
        before, behind = ids[start - _BEFORE : start], ids[end : end + _BEHIND]
        hunk = RepeatedHunk(tuple(before), tuple(ids[start:end]), tuple(behind), tuple(new))
        self._shown[hunk] += 1
        shown = self._shown[hunk]
        if shown <= self._refuted[hunk] or (not (hunk.old and new) and shown < _SHOWN_TO_BE_SURE):
            return False
        places = _places(array("i", ids).tobytes(), hunk)
        kept_before = shown == 1 and places[0] < start
        if kept_before or places[-1] <= start:
            return False
        if hunk not in self._known:
            self._known.append(hunk)
        number = self._known.index(hunk)
        if number in self._live:
            return False
        for other in [other for other in self._live if self._known[other][:3] == hunk[:3]]:
            del self._live[other]
        self._live[number] = origin
        return True

    def refute(self, rule: str) -> None:
        """The output kept what the hunk of this name would have replaced."""
        number = int(rule.removeprefix(REPEATED))
        del self._live[number]
        self._refuted[self._known[number]] += 1

    def applied_to(self, buffer: SubstitutedBuffer) -> SubstitutedBuffer:
        """The buffer with every hunk made where it comes back."""
        if not self._live:
            return buffer
        packed = array("i", buffer.ids).tobytes()
        found = sorted(
            (place, number)
            for number, origin in self._live.items()
            for place in _places(packed, self._known[number])
            if buffer.origins[place] >= origin
        )
        ids: list[int] = []
        origins: list[int] = []
        rules: list[str] = []
        done = 0
        for place, number in found:
            if place < done:
                continue  # inside another
            hunk = self._known[number]
            # Where nothing is left, what stands behind bears the name: there it would be refuted.
            made = hunk.new or hunk.behind
            ids += [*buffer.ids[done:place], *made]
            origins += [*buffer.origins[done:place], *[buffer.origins[place]] * len(made)]
            rules += [*buffer.rules[done:place], *[f"{REPEATED}{number}"] * len(made)]
            done = place + len(hunk.old) + (0 if hunk.new else len(hunk.behind))
        return SubstitutedBuffer(
            ids + buffer.ids[done:], origins + buffer.origins[done:], rules + buffer.rules[done:]
        )


def _places(packed: bytes, hunk: RepeatedHunk) -> list[int]:
    """Where ``old`` begins, wherever it stands between ``before`` and ``behind``, in order."""
    needle = array("i", (*hunk.before, *hunk.old, *hunk.behind)).tobytes()
    places = []
    at = packed.find(needle)
    while at >= 0:
        if at % _PACK == 0:
            places.append(at // _PACK + len(hunk.before))
        at = packed.find(needle, at + 1)
    return places
