"""How many tokens a draft model writes: as many as save time.

A round with n draft tokens costs one pass of the target and n of the draft model, whose passes
cost ``cost`` of the target's each. If a draft token is accepted with chance a, it brings
(1 - a**(n + 1)) / (1 - a) tokens (Leviathan et al., arXiv 2211.17192, section 3.1). The length is
the n with the most tokens per cost under the current estimate of a, so it grows when drafts
are accepted whole and shrinks when they are rejected. Knows counts, no tokens and no clock: what
is drafted must not depend on how busy the machine is.
"""

from __future__ import annotations

_LONGEST = 64
# The estimate remembers some sixteen tokens: acceptance changes within an answer, from copying to
# writing and back. At the start it believes in three accepted of four.
_MEMORY = 15 / 16
_START_ACCEPTED, _START_JUDGED = 3.0, 4.0
_LONGEST_PAUSE = 32


class DraftLength:
    """The length of the next draft. ``cost``: of a draft token, in passes of the target."""

    def __init__(self, cost: float) -> None:
        self._cost = max(cost, 0.01)
        self._accepted = _START_ACCEPTED
        self._judged = _START_JUDGED
        self._pause = 0  # rounds to sit out
        self._next_pause = 2

    @property
    def acceptance(self) -> float:
        """The chance that the next draft token is accepted, as it is estimated now."""
        return self._accepted / self._judged

    def length(self) -> int:
        """Tokens to draft this round; 0 while drafting does not pay, but for a try now and then."""
        if self._pause:
            self._pause -= 1
            return 0
        return max(self._paying_length(), 1)

    def worth_going_on(self, chance: float) -> bool:
        """Whether one more token pays if it is needed with ``chance``: it saves a target's pass."""
        return chance > self._cost

    def observe(self, num_drafted: int, num_accepted: int) -> None:
        """A draft has been judged up to its first rejected token."""
        was_a_try = self._paying_length() == 0
        judged = min(num_accepted + 1, num_drafted)
        if was_a_try and num_accepted:
            # What was learned long ago no longer holds: start afresh.
            self._accepted, self._judged = _START_ACCEPTED, _START_JUDGED
        else:
            kept = _MEMORY**judged
            self._accepted = self._accepted * kept + num_accepted
            self._judged = self._judged * kept + judged
        if self._paying_length() == 0:
            self._pause = self._next_pause
            self._next_pause = min(2 * self._next_pause, _LONGEST_PAUSE)
        elif not was_a_try:
            self._next_pause = 2

    def _paying_length(self) -> int:
        chance = self.acceptance
        best, best_rate, brought = 0, 1.0, 1.0
        for count in range(1, _LONGEST + 1):
            brought += chance**count
            rate = brought / (1.0 + count * self._cost)
            if rate <= best_rate:
                break
            best, best_rate = count, rate
        return best
