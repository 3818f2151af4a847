"""The time of a step of so many tokens, measured while the server runs.

Kept at powers of two, linear between them. Not ``decode.costs``: that measures a machine once and keeps
what it found; here steps of some sizes never come, and a busy machine makes others look slow.
"""

from __future__ import annotations

from math import log2

from editd.decode.costs import GPU_SHAPE, SIZES, CostShape

# Of these steps the quickest says how fast this machine is: what disturbs a step slows it.
_FIRST_STEPS = 8
# A step that takes longer than believed may be dearer than that, or the machine is slower just now, for steps
# of any size: so much of the difference (as a power of the ratio) goes to its size and to all of them.
_SIZE, _MACHINE = 0.2, 0.3
_MOST_CHANGE = 2.0  # times


class StepCosts:
    """t(k) of steps with k tokens, drafts and prompts included.

    shape: what steps are taken to take before they were measured, by the first one's. A GPU's also on a
    CPU: what is taken to be cheap is done, and so measured at once.
    """

    def __init__(self, shape: CostShape = GPU_SHAPE) -> None:
        self._usual = [_between(shape, size) for size in SIZES]
        self._times = float("inf")  # as long as usual
        self._seconds = self._usual
        self._num_learned = 0

    def seconds(self, num_tokens: int) -> float:
        """t(num_tokens)."""
        return _between(list(zip(SIZES, self._seconds, strict=True)), num_tokens)

    def learn(self, num_tokens: int, seconds: float) -> None:
        """A step has taken so long."""
        if num_tokens < 1 or seconds <= 0.0:
            return
        self._num_learned += 1
        if self._num_learned <= _FIRST_STEPS:
            usual = _between(list(zip(SIZES, self._usual, strict=True)), num_tokens)
            self._times = min(self._times, seconds / usual)
            self._seconds = [self._times * usual for usual in self._usual]
            return
        at = min(round(log2(num_tokens)), len(SIZES) - 1)
        times = min(max(seconds / self.seconds(num_tokens), 1 / _MOST_CHANGE), _MOST_CHANGE)
        now = self._seconds[at] * times ** (_MACHINE + _SIZE)
        # More tokens take no less time: of sizes that say otherwise the one just seen is right.
        self._seconds = [
            (min if index < at else max)(other * times**_MACHINE, now) if index != at else now
            for index, other in enumerate(self._seconds)
        ]


def _between(points: CostShape, at: int) -> float:
    """Linear between the points, and in proportion beyond the last one."""
    below = points[0]
    for point in points:
        if at <= point[0]:
            break
        below = point
    else:
        return point[1] * at / point[0]
    if at <= points[0][0]:
        return points[0][1]
    return below[1] + (point[1] - below[1]) * (at - below[0]) / (point[0] - below[0])
