"""Chooses how many draft tokens a round (a pass of the model) verifies, the window, by their cost and expected gain.

Knows the costs of rounds (``costs``) and how many draft tokens were accepted; no drafter, no model. A drafter omits
guesses that it finds unlikely; the window is the maximum that it may propose.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from math import log1p
from time import perf_counter

from editd.decode.costs import CostModel

# Windows that are considered: steps of a half or a third are finer than times can be measured. With the last token
# they are as many rows as kernels compute together; a row more would take as long as eight or sixteen.
_ROWS = (2, 3, 4, 6, 8, 12, 16, 24, 32, 48, 64, 96, 128, 192, 256, 384, 512, 768, 1024)
_WINDOWS = tuple(rows - 1 for rows in _ROWS)
# Older rounds fade: each new one leaves them with this weight, so some twenty count.
_FADE = 0.95
# After a draft that was accepted whole, or for so many tokens, the next is mostly copied as well;
# after a rejection acceptance is another. Before anything was observed, a copy that is going on
# breaks off at the next token with chance 1 / 128, and text that is being sought with 1 / 4.
_COPYING = 16
_PRIOR = {True: 128.0, False: 4.0}
_PRIOR_ROUNDS = 2.0
# Of windows that promise the same the smaller is taken; times are not known better than this.
_CLOSE = 0.01
# Passes over one row that drafts may lose before they are left out, and how much of what they saved before the last round
# counts; for how many rounds they are left out at first, how many times as many after each try that loses, and the share of
# the rounds that a try may lose in the end.
_ALLOWED, _RECENT = 4.0, 0.8
_PAUSE, _LONGER, _SHARE = 4.0, 4.0, 0.02


@dataclass(frozen=True, slots=True)
class FixedWindow:
    """The same window every round: a user's setting, and for benchmarks that compare drafters."""

    num_tokens: int
    costs: CostModel | None = None  # which learn from its rounds
    clock: Callable[[], float] = perf_counter

    def next(self, context_length: int) -> int:  # noqa: ARG002
        """The fixed number of tokens."""
        return self.num_tokens

    def observe(self, num_drafted: int, num_accepted: int) -> None:
        """Do nothing: the window is fixed."""

    def learn_round(
        self, num_rows: int, context_length: int, seconds: float, *, tree: bool = False
    ) -> None:
        """Pass the time of a round on to ``costs``, if there are any."""
        if self.costs is not None:
            self.costs.learn(num_rows, context_length, seconds, tree=tree)

    def learn_reread_round(
        self, num_rows: int, context_length: int, seconds: float, num_again: int
    ) -> None:
        """Pass the time of a round with tokens read again on to ``costs``, if there are any."""
        if self.costs is not None:
            self.costs.learn_again(num_rows, context_length, seconds, num_again)


class WindowPolicy:
    """The window with the most expected tokens per second.

    S(d), the chance that a draft is accepted for d tokens and more, is estimated from the last drafts, as survival is
    from lives of which some are still going on (Kaplan and Meier, 1958): a draft that was accepted whole says nothing
    about the tokens that would have followed it. A window of w promises E(w) = 1 + S(1) + … + S(w) tokens; divided by
    t(w + 1, context) that is the rate to be maximised; of equal windows the smaller is taken. Where a rejection makes
    the target read again what was accepted, E(w) - (w + 1) S(w) tokens are expected to be read again, for so much
    more time each.

    Estimates can be wrong in kind: rows of a mixture of experts cost more where they differ more. So the real times
    of rounds with drafts are held against plain decoding (``Balance``), and while they lose, nothing is drafted.

    most: the largest window. clock: the clock of ``costs``.
    """

    def __init__(
        self, costs: CostModel, most: int, clock: Callable[[], float] = perf_counter
    ) -> None:
        self.clock = clock
        self._costs = costs
        self._windows = [*(window for window in _WINDOWS if window < most), most]
        self._copying = True  # an answer starts where its buffer starts
        self._survival = {copying: Survival(hold) for copying, hold in _PRIOR.items()}
        self._balance = Balance()
        self._observed = (0, 0)  # of the last round, what was drafted and accepted
        self._allowed = 0  # draft tokens in it
        self._run = (
            0  # tokens that came since the last rejection, by drafts that filled their windows
        )

    def next(self, context_length: int) -> int:
        """The most draft tokens for the next round; 0 while drafts lose against plain decoding."""
        self._allowed = 0 if self._balance.is_pausing() else self._best(context_length)
        return self._allowed

    def _best(self, context_length: int) -> int:
        """The window with the most expected tokens a second after ``context_length`` cached tokens,
        the smaller of those within 1 %; 0 for no draft.
        """
        costs = self._costs
        expected = self._survival[self._copying].expected_tokens(self._windows)
        best, best_rate = 0, 0.0
        for window, (tokens, surviving) in zip(self._windows, expected, strict=True):
            again = max(tokens - (window + 1) * surviving, 0.0)
            seconds = costs.seconds(window + 1, context_length) + costs.again_row * again
            rate = tokens / max(seconds, 1e-9)
            if rate > best_rate * (1.0 + _CLOSE):
                best, best_rate = window, rate
        return best

    def observe(self, num_drafted: int, num_accepted: int) -> None:
        """Learn how much of a draft was accepted, for the estimate of survival (of the mode that
        the output was in: copying the buffer or not), and note the mode for the next round.
        Consecutive drafts that were accepted whole count as one long draft, too; an empty one tells
        nothing of survival.

        After an empty draft the output counts as being copied again: a drafter to which a narrow
        window is not worth its round would else never be given a wider one.
        """
        self._observed = (num_drafted, num_accepted)
        if num_drafted == 0:
            self._copying = True
            return
        whole = num_accepted == num_drafted
        survival = self._survival[self._copying]
        survival.observe(num_drafted, num_accepted)
        if self._run:
            # Had the run been one draft, it would have been accepted so far.
            survival.observe(num_drafted, num_accepted, run_before=self._run)
        self._run = self._run + num_drafted + 1 if whole and num_drafted >= self._allowed else 0
        self._copying = whole or num_accepted >= _COPYING

    def learn_round(
        self, num_rows: int, context_length: int, seconds: float, *, tree: bool = False
    ) -> None:
        """Learn from the time of a round: the costs, and whether drafts gain."""
        self._record_gain(context_length, seconds)
        self._costs.learn(num_rows, context_length, seconds, tree=tree)

    def learn_reread_round(
        self, num_rows: int, context_length: int, seconds: float, num_again: int
    ) -> None:
        """Learn from the time of a round for which tokens were read once more."""
        self._record_gain(context_length, seconds)
        self._costs.learn_again(num_rows, context_length, seconds, num_again)

    def _record_gain(self, context_length: int, seconds: float) -> None:
        """Add the last round to the balance of drafts against plain decoding; nothing for a round
        without a draft, or while the time of a pass over one row is unknown.
        """
        drafted, accepted = self._observed
        alone = self._costs.seconds(1, context_length)
        if drafted and alone > 0.0:
            self._balance.observe(seconds / alone, accepted + 1)


class Balance:
    """The gain of rounds with drafts against plain decoding, in passes over one row; recent rounds count most.

    Once more than ``_ALLOWED`` is lost nothing is drafted for some rounds, then it is tried again. Each time that the
    try loses, too, the pause is longer, until the loss of a try is a small share of it.
    """

    def __init__(self) -> None:
        self._saved = 0.0
        self._pause, self._next_pause = 0.0, _PAUSE

    def is_pausing(self) -> bool:
        """Count the next round; returns whether it is to draft nothing."""
        self._pause -= 1.0
        return self._pause >= 0.0

    def observe(self, cost: float, num_tokens: int) -> None:
        """Record a round with a draft. cost: in passes over one row. num_tokens: that it brought.

        After a loss of more than ``_ALLOWED`` passes, in which older rounds fade, drafting pauses
        for some rounds, by the loss, up to a limit that grows each time; a gain of as many sets the
        limit back.
        """
        self._saved = _RECENT * self._saved + num_tokens - cost
        if self._saved < -_ALLOWED:
            self._pause = min(self._next_pause, -self._saved / _SHARE)
            self._next_pause *= _LONGER
            self._saved = 0.0
        elif self._saved > _ALLOWED:
            self._next_pause = _PAUSE


class Survival:
    """The chance that drafts are accepted for so many tokens, by depth: 1, 2-3, 4-7, 8-15, …

    hold: before anything is known, a draft that was accepted for d tokens breaks off at the next with chance 1 /
    (hold + d), Laplace's rule.
    """

    def __init__(self, hold: float) -> None:
        self._reached: list[float] = []  # tokens that were judged, by depth
        self._broken: list[float] = []  # of these, the rejected ones
        surviving = _PRIOR_ROUNDS
        for bucket in range(12):
            start = 1 << bucket
            # log: the tokens that are reached within the bucket, summed under the rule.
            tokens = surviving * (hold + start) * log1p(start / (hold + start))
            left = surviving * (hold + start) / (hold + 2 * start)
            self._reached.append(tokens)
            self._broken.append(surviving - left)
            surviving = left

    def observe(self, num_drafted: int, num_accepted: int, *, run_before: int = 0) -> None:
        """Record, in groups of distances (1, 2-3, 4-7, …), that ``num_accepted`` of ``num_drafted``
        tokens were accepted, of a draft or of one that continues ``run_before`` accepted tokens.
        Older rounds fade in the groups that this one reached.
        """
        rejected = num_accepted < num_drafted
        judged = run_before + num_accepted + rejected  # the last token that was judged
        for bucket in range(len(self._reached)):
            start = 1 << bucket
            reached = min(max(judged - start + 1, 0), start)
            reached -= min(max(run_before - start + 1, 0), start)
            broken = rejected and start <= judged < 2 * start
            # What was not reached is not forgotten: nothing new is known about it.
            fade = _FADE if reached else 1.0
            self._reached[bucket] = fade * self._reached[bucket] + reached
            self._broken[bucket] = fade * self._broken[bucket] + broken

    def expected_tokens(self, windows: list[int]) -> list[tuple[float, float]]:
        """For each window (in rising order) the tokens that a round is expected to bring, the
        target's own included, and S(window), the chance that all of it is accepted.
        """
        results = []
        tokens, surviving, depth = 1.0, 1.0, 1
        for window in windows:
            while depth <= window:
                bucket = min(depth.bit_length() - 1, len(self._reached) - 1)
                end = min(window, (2 << bucket) - 1)
                survival = max(1.0 - self._broken[bucket] / self._reached[bucket], 0.0)
                count = end + 1 - depth
                left = survival**count
                # held + held² + … + heldᶜᵒᵘⁿᵗ
                tokens += surviving * (
                    survival * (1.0 - left) / (1.0 - survival) if survival < 1.0 else count
                )
                surviving *= left
                depth = end + 1
            results.append((tokens, surviving))
        return results
