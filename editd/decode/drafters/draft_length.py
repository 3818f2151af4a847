"""How many tokens a draft model writes: as many as save time.

A round with n draft tokens costs one pass of the target over n + 1 rows, and n passes of the draft
model. If a draft token is accepted with chance a, it brings (1 - a**(n + 1)) / (1 - a) tokens
(Leviathan et al., arXiv 2211.17192, section 3.1, where a pass costs the same however many rows it has;
on a CPU it does not). The length is the n with the most tokens per cost under the current estimate of
a, so it grows when drafts are accepted whole and shrinks when they are rejected. Knows counts and
costs, no tokens and no clock.
"""

from __future__ import annotations

from editd.decode.costs import Costs

_LONGEST = 64
# The estimate remembers some sixteen tokens: acceptance changes within an answer, from copying to
# writing and back. At the start it believes in three accepted of four.
_MEMORY = 15 / 16
_START_ACCEPTED, _START_JUDGED = 3.0, 4.0
# What makes asking a draft model at all worth while: with the chance that a pair of models rarely exceeds,
# so many times the tokens per cost. It has to read the prompt as well, and times are measured roughly.
_HOPED, _WORTH_ASKING = 0.9, 1.2
_LONGEST_PAUSE = 32


class DraftLength:
    """The length of the next draft.

    cost: of a draft token, in passes of the target over one row, until ``draft`` knows it.
    target, draft: what passes of either take on this machine; without, all passes of the target cost
    the same.
    """

    def __init__(
        self, cost: float, target: Costs | None = None, draft: Costs | None = None
    ) -> None:
        self._start_cost = cost
        self._target = target
        self._draft = draft
        self._accepted = _START_ACCEPTED
        self._judged = _START_JUDGED
        self._context = 0  # tokens behind which the last draft was asked
        self._pause = 0  # rounds to sit out
        self._next_pause = 2

    @property
    def acceptance(self) -> float:
        """The chance that the next draft token is accepted, as it is estimated now."""
        return self._accepted / self._judged

    def can_pay(self, context: int) -> bool:
        """Whether drafts save enough behind ``context`` tokens if nearly all are accepted."""
        return self._best(_HOPED, context)[1] > _WORTH_ASKING

    def length(self, context: int = 0) -> int:
        """Tokens to draft this round; 0 while drafting does not pay, but for a try now and then."""
        self._context = context
        if self._pause:
            self._pause -= 1
            return 0
        return max(self._paying_length(), 1)

    def worth_going_on(self, chance: float, count: int = 0) -> bool:
        """Whether one more token after ``count`` pays if it is needed with ``chance``.

        It saves a pass of the target's, and costs one of the draft model's and a row.
        """
        row = self._pass(count + 2, self._context) - self._pass(count + 1, self._context)
        return chance > self._cost(self._context) + row

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
        return self._best(self.acceptance, self._context)[0]

    def _best(self, chance: float, context: int) -> tuple[int, float]:
        """The length with the most tokens per cost, and how many; 0 where plain decoding has more."""
        cost = self._cost(context)
        best, best_rate, brought = 0, 1.0, 1.0
        for count in range(1, _LONGEST + 1):
            brought += chance**count
            rate = brought / (self._pass(count + 1, context) + count * cost)
            if rate > best_rate:
                best, best_rate = count, rate
        return best, best_rate

    def _pass(self, rows: int, context: int) -> float:
        """The target over so many rows, in passes of it over one."""
        alone = self._target.seconds(1, context) if self._target is not None else 0.0
        if self._target is None or alone <= 0.0:
            return 1.0
        return max(1.0, self._target.seconds(rows, context) / alone)

    def _cost(self, context: int) -> float:
        """A draft token, in passes of the target over one row."""
        cost = self._start_cost
        if self._target is not None and self._draft is not None:
            alone, own = self._target.seconds(1, context), self._draft.seconds(1, context)
            if alone > 0.0 and own > 0.0:
                cost = own / alone
        return max(cost, 0.01)
