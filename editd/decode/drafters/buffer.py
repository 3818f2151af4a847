"""The buffer as the draft: a cursor that follows the output, and substitutions learned on the way.

Knows the prediction (by default the buffer) and the output so far. ``cursor`` finds the place where the output
continues, ``substitutions`` derives from a finished hunk how the rest of the buffer will read. This module turns both
into guesses.

Worked example. Buffer ``f(user); g(user); h(user)``, and the output so far is ``f(account); g(`` with ``user``
proposed next. The hunk ``user`` → ``account`` was reported when ``); g(`` had agreed, the rule was applied to the
rest, and the draft is ``account); h(account)``. Had the output kept ``user``, the rule would have been dropped and
the buffer read as before.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

from editd.decode.drafters.base import DraftTask
from editd.decode.drafters.cursor import Continuation, Cursor, TokenHunk
from editd.decode.drafters.guesses import PRESETS, DraftChoice, Guesser, GuessTree
from editd.decode.drafters.substitutions import (
    SHIFTED,
    PlainText,
    Shift,
    SubstitutedBuffer,
    Substitutions,
    shift_of,
)

# A copy of the buffer that is beyond doubt goes on as if it had held for so many tokens more;
# measured, of copies that held for 8 tokens 57 % held for 32, 21 % for 128.
_CREDIT = 32.0
# Of a place that is in doubt, much of what agrees agrees by chance, and ends soon; the rest lasts. The
# first tokens part the two, so what is left of it falls fast and then slowly: given its first token, j
# more hold with chance (r / (r + j)) ** this, where r rises with the odds of the place. Fitted by maximum
# likelihood on a third of the recorded edits and half of the release edits (docs/explanation/drafting.md).
_DOUBT_DECAY, _DOUBT_LENGTH = 0.58, 2.0
_SYNCED = 0.98  # chance of the next token of a copy that is beyond doubt
_AHEAD = 128  # tokens of the buffer that other drafters see
_CONTEXT = 8  # tokens on each side of a hunk in which a word of it may begin or end


class BufferDrafter(Guesser):
    """Drafts the tokens after the cursor in the prediction, with learned substitutions made.

    Preset ``chain`` proposes its best guess, ``tree`` several in one draft, ``auto`` whichever pays.
    """

    def __init__(self, task: DraftTask, preset: str) -> None:
        self.name = "buffer" if preset == PRESETS[0] else f"buffer:{preset}"
        self.choice = DraftChoice(task, preset)
        text = _text_to_copy(task)
        self._codec = task.codec
        self._text = PlainText(text, task.answer_opening, task.codec)
        self._cursor = Cursor(self._text.ids, task.codec)
        self._substitutions = Substitutions(text)
        self._shift: Shift | None = None
        self._substituted: SubstitutedBuffer | None = None  # the plain text until there is a rule
        self._num_followed = 0  # output tokens that the cursor has followed

    @property
    def synced(self) -> bool:
        """Whether the output is copying the text; as of the last ``grow``."""
        return self._cursor.synced

    def grow(
        self, tree: GuessTree, output_ids: Sequence[int], max_tokens: int, share: float
    ) -> float:
        """Follow the new output, learning from it, and add to ``tree`` the tokens after the cursor
        or, where the place is in doubt, after each place where the output may continue, likeliest
        first, but none less likely than ``tree.least``.

        share: the chance that is left for these guesses. Returns the part of it that they leave:
        1.0 if nothing was added, never below 0. In doubt also sets ``tree.ahead``, the buffer's
        tokens from the likeliest place on.
        """
        self._text.next_round()
        self._follow(output_ids)
        if self._text.unfinished:
            self._rewrite()
        cursor = self._cursor
        if cursor.synced:
            ids, sources = self._slice(cursor.at, max_tokens)
            tree.add_copy(-1, ids, _SYNCED * share, _CREDIT + cursor.held, sources, is_certain=True)
            return 1.0 - _SYNCED if ids else 1.0
        tree.ahead = cursor.ids[cursor.home : cursor.home + _AHEAD]
        left = 1.0
        for place in cursor.places(output_ids):
            if place.chance * share < tree.least:
                break
            left -= place.chance
            ids, sources = self._slice(place.at, max_tokens)
            tree.add_copy(
                -1, ids, place.chance * share, _assumed_length(place), sources, _DOUBT_DECAY
            )
        return max(left, 0.0)

    def _slice(self, start: int, count: int) -> tuple[Sequence[int], str | Sequence[str]]:
        """Up to ``count`` buffer tokens, with substitutions, from index ``start``, and their
        sources: a single one if no token comes from a substitution.
        """
        ids = self._cursor.ids[start : start + count]
        rules = (
            self._substituted.rules[start : start + count] if self._substituted is not None else ()
        )
        if not any(rules):
            return ids, "buffer"
        return ids, ["substitution" if rule else "buffer" for rule in rules]

    def _follow(self, output_ids: Sequence[int]) -> None:
        """Move the cursor along the output that it has not followed yet, learn from finished hunks,
        and drop rules that the output refutes.
        """
        cursor = self._cursor
        while self._num_followed < len(output_ids):
            if cursor.synced:
                self._num_followed = cursor.walk(output_ids, self._num_followed)
                if self._num_followed == len(output_ids):
                    break
                if self._drop_refuted_rule(output_ids[self._num_followed]):
                    continue
            cursor.step(output_ids, self._num_followed)
            self._num_followed += 1
            for hunk in cursor.hunks:
                self._learn(hunk, output_ids)
            cursor.hunks.clear()

    def _drop_refuted_rule(self, token_id: int) -> bool:
        """Drop the rule, or the shift of indentation, at the cursor if the output's ``token_id`` is
        what the plain buffer has there; returns whether it was dropped.

        Reads the buffer anew without it then, which moves the cursor.
        """
        buffer, at = self._substituted, self._cursor.at
        if buffer is None or at >= len(buffer.ids) or not buffer.rules[at]:
            return False
        plain = self._text.plain()
        index = plain.index_at(buffer.origins[at])
        if index >= len(plain.ids) or plain.ids[index] != token_id:
            return False
        if buffer.rules[at] == SHIFTED and self._shift is not None:
            self._shift = None
        elif not self._substitutions.refute(buffer.rules[at]):
            return False
        # One rule less each time, so this ends.
        self._rewrite()
        return True

    def _learn(self, hunk: TokenHunk, output_ids: Sequence[int]) -> None:
        """Learn a substitution, or a change of indentation, from a finished hunk, and read the
        buffer anew if either changes. Does nothing for a hunk after which the output went back to
        an earlier place in the buffer (``end`` before ``start``).
        """
        if hunk.end < hunk.start:
            return
        ids, text = self._cursor.ids, self._codec.decode
        hunk_texts = (
            text(ids[max(0, hunk.start - _CONTEXT) : hunk.start]),
            text(ids[hunk.start : hunk.end]),
            text(output_ids[hunk.new_start : hunk.new_end]),
            text(ids[hunk.end : hunk.end + _CONTEXT]),
        )
        changed = self._substitutions.learn(*hunk_texts)
        indents = shift_of(*hunk_texts)
        if indents is not None and hunk.end < len(ids):
            buffer = self._substituted or self._text.plain()
            self._shift = Shift(buffer.origins[hunk.end], *indents)
            changed = True
        if changed:
            self._rewrite()

    def _rewrite(self) -> None:
        """Read the buffer through the present rules and shift, and move the cursor and its
        hypotheses to the same places in it.
        """
        old = self._substituted or self._text.plain()
        at = self._cursor.at
        origin = old.origins[at] if 0 <= at < len(old.origins) else 0
        new = self._text.substituted(self._substitutions, self._shift, origin)
        self._substituted = new
        if new.ids == old.ids:
            return
        self._cursor.move(
            new.ids,
            lambda index: (
                new.index_at(old.origins[index]) if index < len(old.origins) else len(new.ids)
            ),
        )


def _text_to_copy(task: DraftTask) -> str:
    """The text that the output may copy: the prediction, then the text that closes the answer, with
    a line end between them if both are not empty and the prediction does not end with one.
    """
    text = task.prediction
    if task.answer_closing and text and not text.endswith("\n"):
        text += "\n"
    return text + task.answer_closing


def _assumed_length(place: Continuation) -> float:
    """For how many tokens a copy in doubt counts as having held."""
    chance = min(max(place.chance, 0.001), 0.99)
    return _DOUBT_LENGTH * math.sqrt(chance / (1.0 - chance))
