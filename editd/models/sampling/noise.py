"""Random numbers without state: a pure function of seed, position and token.

Sampled decoding adds Gumbel noise to log-probabilities and takes the largest. Because the noise
of a token at a position is always the same, plain and speculative decoding draw the same tokens,
whatever the batch looked like. Integers are mixed as in SplitMix64 (Steele, Lea, Flood: *Fast
splittable pseudorandom number generators*, 2014) with wrapping int64, so all libraries and devices
agree.
"""

from __future__ import annotations

from typing import Any

from editd.models.sampling.arrays import NUMPY, Arrays

_GOLDEN = 0x9E3779B97F4A7C15
_MIX_1 = 0xBF58476D1CE4E5B9
_MIX_2 = 0x94D049BB133111EB
_SALT_GUMBEL = 0x5851F42D4C957F2D
_SALT_ACCEPT = 0x14057B7EF767814F
_SALT_DRAFT = 0x2545F4914F6CDD1D


def gumbel(seed: int, positions: Any, token_ids: Any, lib: Arrays = NUMPY) -> Any:
    """Standard Gumbel noise, float64.

    positions: ``[rows]``, int64. token_ids: ``[rows, n]`` or ``[n]``, int64. Returns ``[rows, n]``.
    """
    keys = _row_keys(seed ^ _SALT_GUMBEL, positions)[:, None]
    return -lib.log(-lib.log(_unit(_mix(keys + token_ids * _signed(_GOLDEN)), lib)))


def uniform(seed: int, positions: Any, lib: Arrays = NUMPY) -> Any:
    """One number in (0, 1) a position, float64, independent of ``gumbel``'s. ``[rows]``."""
    return _unit(_row_keys(seed ^ _SALT_ACCEPT, positions), lib)


def drafting_seed(seed: int) -> int:
    """The seed of a draft model's own draws, independent of what the target draws with ``seed``.

    The rejection rule needs that: it proves the output's distribution for drafts that know nothing
    of the numbers by which they are judged and replaced.
    """
    return seed ^ _SALT_DRAFT


def _row_keys(seed: int, positions: Any) -> Any:
    start = positions * 0 + _signed(seed * _GOLDEN)
    return _mix(_mix(start) + positions * _signed(_GOLDEN))


def _mix(state: Any) -> Any:
    """SplitMix64's finaliser."""
    state = (state ^ _shifted(state, 30)) * _signed(_MIX_1)
    state = (state ^ _shifted(state, 27)) * _signed(_MIX_2)
    return state ^ _shifted(state, 31)


def _shifted(state: Any, bits: int) -> Any:
    """Right shift that moves zeros in; that of int64 moves the sign in."""
    return (state >> bits) & ((1 << (64 - bits)) - 1)


def _unit(state: Any, lib: Arrays) -> Any:
    """The upper 53 bits as a number strictly between 0 and 1."""
    return (lib.double(_shifted(state, 11)) + 0.5) * 2.0**-53


def _signed(value: int) -> int:
    """The int64 with the same 64 bits."""
    value &= (1 << 64) - 1
    return value - (1 << 64) if value >> 63 else value
