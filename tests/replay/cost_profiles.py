"""The time of a verification on four machines: t(k, context), published so that it can be argued with.

k: verified tokens, the draft and the one before it. context: tokens in the KV cache. Seconds.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from editd.errors import UsageError


@dataclass(frozen=True, slots=True)
class CostProfile:
    """One machine and model, as ``decode.costs.CostModel``; a tree costs what a chain costs.

    ``round_seconds(k, context)`` is the time of one round without its drafter.
    """

    name: str
    machine: str
    round_seconds: Callable[[int, int], float]

    def seconds(self, num_tokens: int, context: int, *, tree: bool = False) -> float:
        return self.round_seconds(num_tokens, context)

    def learn(self, num_tokens: int, context: int, seconds: float, *, tree: bool = False) -> None:
        """Published figures are not refined by what a scripted target takes."""

    @property
    def again_row(self) -> float:
        """Nothing is read again there."""
        return 0.0

    def learn_again(self, num_tokens: int, context: int, seconds: float, num_again: int) -> None:
        """As ``learn``."""


def _h200(k: int, context: int) -> float:
    return max(3.7e-3, 25.6e-6 * k) + 0.2e-3


def _rtx4090(k: int, context: int) -> float:
    # 4.7 GB of weights and 57 kB of KV a context token at 85 % of 1008 GB/s; 15.2 GFLOP a token at
    # 60 % of 165 TFLOPS.
    return max(5.5e-3, 153e-6 * k) + 67e-9 * context + 0.2e-3


_Q8_TOKENS = (1, 8, 16, 32, 64, 128)
_Q8_SECONDS = (0.055, 0.184, 0.288, 0.527, 1.036, 1.958)


def _llama_q8(k: int, context: int) -> float:
    # llama.cpp, 0.5B in q8_0, one core, measured at a context of 1,000: t(128) is 36 t(1).
    return _between(_Q8_TOKENS, _Q8_SECONDS, k)


_CPU_TOKENS = (1, 2, 4, 8, 16, 32, 64, 128, 256)
_CPU_SECONDS = (0.200, 0.401, 0.387, 0.403, 0.451, 0.826, 1.23, 2.21, 3.82)


def _cpu(k: int, context: int) -> float:
    # Measured at a context of 1024, between the points linear, beyond them as steep as before; a
    # context token adds 12 kB of KV at about 10 GB/s.
    return _between(_CPU_TOKENS, _CPU_SECONDS, k) + 1.2e-6 * max(context - 1024, 0)


def _between(sizes: Sequence[int], seconds: Sequence[float], k: int) -> float:
    """Linear between the points, beyond the last as steep as before."""
    right = min(max(bisect_left(sizes, k), 1), len(sizes) - 1)
    left = right - 1
    slope = (seconds[right] - seconds[left]) / (sizes[right] - sizes[left])
    return seconds[left] + slope * (k - sizes[left])


PROFILES = (
    CostProfile("h200", "one H200, 7.6B in bf16", _h200),
    CostProfile("rtx4090-4bit", "one 4090-class card, 7.6B in 4 bits", _rtx4090),
    CostProfile("cpu-2", "2 CPU cores, 0.5B in fp32", _cpu),
    CostProfile("llama.cpp-1", "one CPU core, 0.5B in q8_0 by llama.cpp", _llama_q8),
)


def profile_named(name: str) -> CostProfile:
    """Raises ``UsageError`` naming all profiles where there is none of that name."""
    for profile in PROFILES:
        if profile.name == name:
            return profile
    known = ", ".join(profile.name for profile in PROFILES)
    raise UsageError(f"There is no cost profile “{name}”; there are {known}.")
