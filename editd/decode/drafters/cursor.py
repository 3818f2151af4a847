"""The place in the buffer where the output continues: hypotheses, copies or gaps (new text), each with a belief.

While the output copies the buffer, the cursor moves along with it. When it leaves the buffer, several hypotheses are
followed side by side, each with its share of belief (a pair hidden Markov model, Durbin et al., 1998, with a short
beam):

- a *copy* at index i: the output continues with buffer token i. Each token that agrees makes it more probable, the first ones
  most; a token that does not agree turns it into a gap.
- a *gap* that opened at index i: new text is being written in place of the tokens there. After a gap the copy may continue
  anywhere: near rather than far, forward rather than back.

Very improbable hypotheses are dropped. A gap may also close at a place that the output has passed, so a wrong jump
can be undone.

Worked example. Buffer ``a b c d e f``, output ``a b x``. After ``a b`` the cursor stands before ``c``. ``x`` does not
agree: a gap opens there, and ``d`` (``c`` was replaced) and ``c`` (``x`` was inserted) are proposed with small
chances. If ``d e`` come next, the copy at ``d`` gains belief with each of them until there is no doubt; the hunk
``c`` → ``x`` is reported.
"""

from __future__ import annotations

from bisect import bisect_left
from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence
from typing import NamedTuple

from editd.decode.drafters.base import Codec, TokenTable, is_word

# Fitted on a third of the recorded edits by maximum likelihood of "the copy goes on for at least
# eight tokens from here", then rounded; the other two thirds agree (docs/explanation/drafting.md).
_RESUME = 1 / 8  # a gap ends here and now at the very place where it opened
_FORWARD = 0.65  # … or d tokens further on: less by (1 + d) ** this
_BACKWARD = 1 / 64  # … or anywhere before it
_AGREE = 2.0  # r agreeing tokens are worth (1 + r) ** this: chance agreements last, too
_SURPRISE = 0.12  # and a token's rarity to this power
_REPLACED = 0.22  # one token was replaced, or half as likely a word of several
_INSERTED = 0.06
_LINES = (0.2, 0.06)  # a line ended: the copy goes on with the next line, or the one after it
# A copy breaks off here: hunks come in clusters, so a young copy breaks more easily.
_BREAK_YOUNG, _BREAK_OLD, _OLD = 0.1, 0.04, 16

_MOST_ANCHORS = 1000  # places of the rarest of them that are tried
_ANCHOR = 4  # agreeing tokens that make a far place worth a look
_NEAREST, _NEAREST_BEFORE = 4, 2  # places of one token or anchor that are looked at
_REACH, _REACH_BEFORE = 512, 128  # how far a single token is looked for; anchors: anywhere
_LONGEST_CONTEXT = 24  # more agreeing tokens prove nothing new
_MOST_GAPS = 4
_LEAST_BELIEF = 1e-3
_CERTAIN, _CERTAIN_HELD = 0.95, 8  # belief and agreement that end the doubt
_REPORTED, _REPORTED_HELD = 0.8, 3  # … and those that suffice to tell a hunk


class Continuation(NamedTuple):
    """The output may go on at buffer token ``at``, after ``held`` agreeing tokens."""

    at: int
    held: int
    chance: float


class TokenHunk(NamedTuple):
    """Buffer tokens ``start .. end`` became output tokens ``new_start .. new_end``."""

    start: int
    end: int
    new_start: int
    new_end: int


class _Copy(NamedTuple):
    """A hypothesis: the output copies the buffer. held: agreeing tokens so far."""

    belief: float
    held: int
    home: int  # where the gap before it opened; -1 once its hunk is reported
    opened: int  # and at which output index


class _Gap(NamedTuple):
    """A hypothesis: new text is being written. opened: the output index at which it began."""

    belief: float
    opened: int


class Cursor:
    """Follows the output through the buffer's tokens.

    synced: the output is copying the buffer, its next token is ``ids[at]``, and the copy has held for ``held``
    tokens. Else ``places()`` has the places where it may go on. hunks: finished hunks, which the owner removes.
    """

    def __init__(self, ids: Sequence[int], codec: Codec) -> None:
        self.ids = ids
        self.at = 0
        # An answer starts where the buffer starts; few edits touch the first lines.
        self.held = 64
        self.synced = True
        self.hunks: list[TokenHunk] = []
        self._looks = TokenTable(codec, _look_of)
        self._copies: dict[int, _Copy] = {}
        self._gaps: dict[int, _Gap] = {}
        self._standing: dict[int, list[int]] = {}  # token → its places in the buffer, in order

    def walk(self, output_ids: Sequence[int], start: int) -> int:
        """Move along while output and buffer agree, from output index ``start``, adding the tokens
        to ``held``; returns the index of the first output token that differs or is not in the
        buffer any more, the output's length if none does. Only while ``synced``, which does not
        change.
        """
        ids, at = self.ids, self.at
        seen, end = start, min(len(output_ids), start + len(ids) - at)
        while seen < end and ids[at] == output_ids[seen]:
            at += 1
            seen += 1
        self.held += seen - start
        self.at = at
        return seen

    def step(self, output_ids: Sequence[int], seen: int) -> None:
        """Update all hypotheses by output token ``seen`` (an index), while the place is in doubt or
        has just been lost; a place that was certain becomes the only hypothesis first, and
        ``synced`` false.

        May append to ``hunks``, and set ``synced`` and ``at`` once the place is beyond doubt.
        """
        if self.synced:
            self.synced = False
            self._copies = {self.at: _Copy(1.0, self.held, -1, -1)}
            self._gaps = {}
        self._update_hypotheses(output_ids[max(0, seen + 1 - _LONGEST_CONTEXT) : seen + 1], seen)

    def places(self, output_ids: Sequence[int]) -> list[Continuation]:
        """The places in the buffer where the output, which is not empty, may go on, likeliest
        first: copies, and where copies usually continue after a gap. Only while not ``synced``.
        """
        found = {i: Continuation(i, copy.held, copy.belief) for i, copy in self._copies.items()}
        for home, gap in self._gaps.items():
            habits = self._usual_resumptions(home, len(output_ids) - gap.opened, output_ids[-1])
            for index, prior in habits.items():
                if index < len(self.ids) and index not in found:
                    found[index] = Continuation(index, 0, gap.belief * prior)
        return sorted(found.values(), key=lambda place: -place.chance)

    @property
    def home(self) -> int:
        """The buffer index of the likeliest hypothesis: where a gap opened or where a copy stands;
        ``at`` if there is none. Only while not ``synced``.
        """
        found = [(gap.belief, index) for index, gap in self._gaps.items()]
        found += [(copy.belief, index) for index, copy in self._copies.items()]
        return max(found, default=(0.0, self.at))[1]

    def move(self, ids: Sequence[int], new_index: Callable[[int], int]) -> None:
        """Replace the buffer's tokens, and map the cursor and all hypotheses to them; ``new_index``
        maps each old index to the new one. Of two that fall together the later one stays.
        """
        self.ids = ids
        self.at = new_index(self.at)
        self._copies = {
            new_index(i): copy if copy.home < 0 else copy._replace(home=new_index(copy.home))
            for i, copy in self._copies.items()
        }
        self._gaps = {new_index(i): gap for i, gap in self._gaps.items()}
        self._standing = {}

    def _update_hypotheses(self, tail: Sequence[int], seen: int) -> None:
        """Update every hypothesis by the last token of ``tail``, which is output token ``seen``: a
        copy goes on or becomes a gap, and a gap stays and brings copies near and far that begin
        with that token. May append to ``hunks`` and set ``synced``. tail: the last output tokens,
        at least one.
        """
        token_id = tail[-1]
        surprise = (len(self.ids) / max(len(self._places_of(token_id)), 1)) ** _SURPRISE
        copies, gaps = self._advance_copies(token_id, seen, surprise)
        self._resume_near(tail, seen, surprise, copies)
        for home, gap in self._gaps.items():
            if home not in gaps or gaps[home].belief < gap.belief:
                gaps[home] = gap
        if len(tail) >= _ANCHOR:
            self._resume_far(tail, copies, gaps)
        self._normalise(copies, gaps, seen)

    def _advance_copies(
        self, token_id: int, seen: int, surprise: float
    ) -> tuple[dict[int, _Copy], dict[int, _Gap]]:
        """The copies that agree with the token, one token on, with more belief, and the gaps that
        the others become, with less. Appends to ``hunks`` for a copy after a gap that breaks off,
        if it was likelier than not and held for more than one token.

        seen: the token's index in the output. surprise: how much a token that agrees proves.
        """
        ids = self.ids
        copies: dict[int, _Copy] = {}
        gaps: dict[int, _Gap] = {}
        for index, (belief, held, home, opened) in self._copies.items():
            if index < len(ids) and ids[index] == token_id:
                gain = ((held + 2) / (held + 1)) ** _AGREE * surprise
                copies[index + 1] = _Copy(belief * gain, held + 1, home, opened)
            else:
                breaks = _BREAK_YOUNG if held < _OLD else _BREAK_OLD
                gaps[index] = _Gap(belief * breaks, seen)
                if home >= 0 and belief > 0.5 and held > 1:  # a short stay, but a hunk before it
                    self.hunks.append(_hunk(home, index, opened, seen, held))
        return copies, gaps

    def _resume_near(
        self, tail: Sequence[int], seen: int, surprise: float, copies: dict[int, _Copy]
    ) -> None:
        """Add to ``copies``, in place, those that begin, after a gap that was open before this
        token, with the last output token where it stands nearby. Beliefs of several gaps in one
        place are added up; a place from which a copy has just gone on is skipped.

        tail: the last output tokens, at least two if a gap is open. seen: the last one's index in
        the output. surprise: how much a token that agrees proves.
        """
        standing = self._places_of(tail[-1])
        agreeing: dict[int, int] = {}
        for home, gap in self._gaps.items():
            habits = self._usual_resumptions(home, seen - gap.opened, tail[-2])
            for index in _nearest(standing, home):
                if index in self._copies:
                    continue  # that copy has just gone on
                prior = max(_prior(index - home), habits.get(index, 0.0))
                # What agrees to the left counts too, also where it stands before the gap: an
                # inserted "await " may as well be " await", one token earlier.
                held = agreeing.get(index) or self._num_agreeing(index + 1, tail, 1)
                agreeing[index] = held
                belief = gap.belief * prior * (1 + held) ** _AGREE * surprise
                known = copies.get(index + 1)
                if known is None:
                    copies[index + 1] = _Copy(belief, held, home, gap.opened)
                else:
                    stronger = (
                        (home, gap.opened) if belief > known.belief else (known.home, known.opened)
                    )
                    copies[index + 1] = _Copy(known.belief + belief, held, *stronger)

    def _resume_far(
        self, tail: Sequence[int], copies: dict[int, _Copy], gaps: dict[int, _Gap]
    ) -> None:
        """Add to ``copies``, in place, for each gap, those that continue after the nearest places
        of the last ``_ANCHOR`` tokens of ``tail``, the output's end.

        At any distance: a few places after the gap and before it. A copy that is there with less
        agreement is replaced; beliefs of several gaps in one place are added up.
        """
        starts = self._anchors(tail, gaps)
        far: dict[int, _Copy] = {}
        for home, gap in gaps.items() if starts else ():
            at = bisect_left(starts, home)
            for start in (*starts[at : at + _NEAREST], *starts[max(0, at - _NEAREST_BEFORE) : at]):
                index = start + _ANCHOR
                if index in copies and copies[index].held >= _ANCHOR:
                    continue
                held = self._num_agreeing(index, tail, _ANCHOR)
                belief = gap.belief * _prior(index - home) * (1 + held) ** _AGREE * 2.0
                known = far.get(index)
                if known is None or belief > known.belief:
                    far[index] = _Copy(
                        belief + (known.belief if known else 0.0), held, home, gap.opened
                    )
                else:
                    far[index] = known._replace(belief=known.belief + belief)
        copies.update(far)

    def _normalise(self, copies: dict[int, _Copy], gaps: dict[int, _Gap], seen: int) -> None:
        """Set the hypotheses to ``copies`` and ``gaps``, beliefs scaled to a sum of 1, without
        those with next to none and all but the ``_MOST_GAPS`` likeliest gaps.

        Appends a hunk once a copy after a gap is likely enough; sets ``synced``, ``at`` and
        ``held`` once it is beyond doubt. seen: index of the last output token.
        """
        if len(gaps) > _MOST_GAPS:
            strongest = sorted(gaps.items(), key=lambda item: -item[1].belief)
            gaps = dict(strongest[:_MOST_GAPS])
        total = sum(copy[0] for copy in copies.values()) + sum(gap[0] for gap in gaps.values())
        least = total * _LEAST_BELIEF
        self._copies = {
            i: _Copy(belief / total, held, home, opened)
            for i, (belief, held, home, opened) in copies.items()
            if belief >= least
        }
        self._gaps = {
            i: _Gap(belief / total, opened)
            for i, (belief, opened) in gaps.items()
            if belief >= least
        }
        for index, copy in self._copies.items():
            if copy.belief > _REPORTED:
                if copy.held >= _REPORTED_HELD and copy.home >= 0:
                    hunk = _hunk(copy.home, index, copy.opened, seen + 1, copy.held)
                    self.hunks.append(hunk)
                    self._copies[index] = copy._replace(home=-1)
                if copy.belief > _CERTAIN and copy.held >= _CERTAIN_HELD:
                    self.synced, self.at, self.held = True, index, copy.held
                return

    def _usual_resumptions(self, home: int, new: int, last_id: int) -> dict[int, float]:
        """The places where copies usually continue after a gap, with no evidence yet: index in the
        buffer → prior chance.

        home: index at which the gap opened. new: tokens written since then. last_id: the last of
        them. If it ends a line, the starts of the next few lines after ``home``; if it is the gap's
        first token, ``home`` itself and the end of the word there; else none, as at the buffer's
        end.
        """
        ids, looks = self.ids, self._looks
        if home >= len(ids) or new < 1:
            return {}
        if looks[last_id].ends_line:
            priors = {}
            index, number = home, 0
            while index < len(ids) and number < len(_LINES):
                index += 1
                if looks[ids[index - 1]].ends_line:
                    priors[index] = _LINES[number]
                    number += 1
            return priors
        if new > 1:
            return {}
        end = home + 1
        in_word = looks[ids[home]].ends_in_word
        while in_word and end < len(ids) and looks[ids[end]].starts_in_word:
            in_word = looks[ids[end]].ends_in_word
            end += 1
        return {home: _INSERTED, end: _REPLACED if end == home + 1 else _REPLACED / 2}

    def _places_of(self, token_id: int) -> Sequence[int]:
        """The indexes of a token in the buffer, in order; empty if it has none. The first call,
        also after ``move``, indexes the buffer.
        """
        if not self._standing:
            standing = self._standing = defaultdict(list)
            for index, standing_id in enumerate(self.ids):
                standing[standing_id].append(index)
        return self._standing.get(token_id, ())

    def _anchors(self, tail: Sequence[int], homes: Iterable[int]) -> list[int]:
        """The buffer indexes, in order, at which the last ``_ANCHOR`` output tokens stand; if there
        are very many, only those near ``homes``.
        """
        needle = list(tail[-_ANCHOR:])
        standing = [self._places_of(token_id) for token_id in needle]
        rarest = min(range(_ANCHOR), key=lambda number: len(standing[number]))
        places = standing[rarest]
        if len(places) > _MOST_ANCHORS:
            near: set[int] = set()
            for home in homes:
                at = bisect_left(places, home)
                near.update(places[max(0, at - _MOST_ANCHORS // 2) : at + _MOST_ANCHORS // 2])
            places = sorted(near)
        starts = [index - rarest for index in places if index >= rarest]
        ids = self.ids
        return [start for start in starts if ids[start : start + _ANCHOR] == needle]

    def _num_agreeing(self, index: int, tail: Sequence[int], held: int) -> int:
        """The number of tokens before ``index`` in the buffer that agree with the end of ``tail``,
        all of it at most; the last ``held`` are known to agree, and counted.
        """
        ids = self.ids
        limit = min(index, len(tail))
        while held < limit and ids[index - 1 - held] == tail[-1 - held]:
            held += 1
        return held


def _hunk(home: int, index: int, opened: int, seen: int, held: int) -> TokenHunk:
    """The hunk before a copy that stands at buffer index ``index`` after ``seen`` output tokens and
    whose last ``held`` tokens agree: both sides end where the agreement begins.

    home, opened: the buffer index and the output index at which its gap opened. Unless the copy is
    before ``home``, agreement does not count further back than these.
    """
    if home <= index:
        held = min(held, index - home, seen - opened)  # what agrees further back is no news
    return TokenHunk(home, index - held, opened, seen - held)


def _nearest(standing: Sequence[int], home: int) -> list[int]:
    """The nearest of a token's places (``standing``, in order): from ``home`` on, nearest first, then before it, nearest first.

    At most ``_NEAREST`` and ``_NEAREST_BEFORE`` of them, within ``_REACH`` and ``_REACH_BEFORE``.
    """
    at = bisect_left(standing, home)
    found = [index for index in standing[at : at + _NEAREST] if index < home + _REACH]
    before = standing[max(0, at - _NEAREST_BEFORE) : at]
    found += [index for index in reversed(before) if index >= home - _REACH_BEFORE]
    return found


def _prior(distance: int) -> float:
    """The chance that a copy continues so far from where the gap opened."""
    return _RESUME * ((1 + distance) ** -_FORWARD if distance >= 0 else _BACKWARD)


class _Look(NamedTuple):
    """The kinds of characters at a token's ends."""

    starts_in_word: bool
    ends_in_word: bool
    ends_line: bool


def _look_of(_token_id: int, text: str) -> _Look:
    """The look of a token with this text."""
    return _Look(is_word(text[:1]), is_word(text[-1:]), text.endswith("\n"))
