"""Which guesses for new text are likelier: what stands just ahead in the buffer, what was written lately.

A vote of contexts does not know where in the file it is asked. But new text reuses the words of the
text that it replaces, in their order, and those that were written some lines before. Of guesses that
the vote gives a chance of 1/32, one in seven comes true if it is among the next four tokens of the
buffer, and one in a hundred if it stands nowhere near.

Worked example. Buffer ``f(first, last)``, output ``f(*, ``: the vote says ``first`` and ``self`` with
1/32 each. ``first`` is one token ahead of the gap and gets 1/8, ``self`` 1/100.
"""

from __future__ import annotations

from collections.abc import Sequence

REACH = 64
"""Tokens ahead in the buffer that are looked at."""

# Logistic regression of "the guess came true" on the odds that the vote gives it and both distances,
# by their number of binary digits. Fitted on a third of the recorded edits and half of the release
# edits; on the others it tells as much (docs/explanation/drafting.md).
_POWER = 0.9
_AHEAD = (5.0, 2.6, 1.9, 1.03, 0.64, 0.46, 0.46, 0.30)
_SINCE = (0.5, 0.74, 1.3, 1.65, 1.7, 1.6, 1.2, 1.07) + 25 * (0.74,)  # 0.74: long ago, or never
_NOT_KNOWN = (0.6,) * len(_AHEAD)  # no buffer, or its end
# In a chain a guess takes the place of the copies that go the same way with a longer breath; there
# nearness counts to this power. Measured: with all of it, a chain closes 1 to 2 % less of the gap.
_POWER_IN_CHAIN = 0.35
_AHEAD_IN_CHAIN = tuple(weight**_POWER_IN_CHAIN for weight in _AHEAD)


class Proximity:
    """The buffer's next tokens at the place where new text is being written.

    ``home``: tokens of these that the guesses so far have passed. branches: whether the guesses are
    for a tree.
    """

    def __init__(self, ahead: Sequence[int], *, branches: bool) -> None:
        self._weights = _AHEAD if branches else _AHEAD_IN_CHAIN
        self._ahead = ahead
        # token → where it stands ahead first
        self._first = dict(zip(reversed(ahead), range(len(ahead) - 1, -1, -1), strict=True))

    def distance(self, token_id: int, home: int = 0) -> int:
        """How many tokens ahead of ``home`` it stands first; ``REACH`` if it does not."""
        first = self._first.get(token_id)
        if first is None:
            return REACH
        if first >= home:
            return min(first - home, REACH)
        reached = self._ahead[home : home + REACH]
        return reached.index(token_id) if token_id in reached else REACH

    def chance(self, said: float, distance: int, since: int, home: int = 0) -> float:
        """The chance of a guess to which the vote gives ``said``.

        since: tokens written since it was written last.
        """
        near = (self._weights if home < len(self._ahead) else _NOT_KNOWN)[distance.bit_length()]
        late = _SINCE[since.bit_length()]
        odds: float = (said / (1.0 - said)) ** _POWER * near * late
        return odds / (1.0 + odds)
