"""Random numbers without state, in numpy: a pure function of seed, position and token.

The numbers of ``backends.torch.run.sampling.noise``, bit for bit before the logarithm: integers mixed
as in SplitMix64 (Steele, Lea, Flood: *Fast splittable pseudorandom number generators*, 2014).
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

Keys = npt.NDArray[np.uint64]
Numbers = npt.NDArray[np.float64]
Ids = npt.NDArray[np.int64]

_MASK = (1 << 64) - 1
_GOLDEN = 0x9E3779B97F4A7C15
_MIX_1, _MIX_2 = np.uint64(0xBF58476D1CE4E5B9), np.uint64(0x94D049BB133111EB)
_SALT_GUMBEL = 0x5851F42D4C957F2D
_SALT_ACCEPT = 0x14057B7EF767814F
_SALT_DRAFT = 0x2545F4914F6CDD1D


def gumbel(seed: int, positions: Ids, token_ids: Ids) -> Numbers:
    """Standard Gumbel noise. positions: ``[rows]``. token_ids: ``[rows, n]`` or ``[n]``."""
    keys = _row_keys(seed ^ _SALT_GUMBEL, positions)[:, None]
    uniforms = _unit(_mix(keys + token_ids.astype(np.uint64) * np.uint64(_GOLDEN)))
    noise: Numbers = -np.log(-np.log(uniforms))
    return noise


def uniform(seed: int, positions: Ids) -> Numbers:
    """One number in (0, 1) a position, independent of ``gumbel``'s. ``[rows]``."""
    return _unit(_row_keys(seed ^ _SALT_ACCEPT, positions))


def drafting_seed(seed: int) -> int:
    """The seed of a draft model's own draws, independent of what the target draws with ``seed``.

    The rejection rule needs that: it proves the output's distribution for drafts that know nothing
    of the numbers by which they are judged and replaced.
    """
    return seed ^ _SALT_DRAFT


def _row_keys(seed: int, positions: Ids) -> Keys:
    start = np.full(positions.shape, (seed * _GOLDEN) & _MASK, dtype=np.uint64)
    return _mix(_mix(start) + positions.astype(np.uint64) * np.uint64(_GOLDEN))


def _mix(state: Keys) -> Keys:
    """SplitMix64's finaliser; products of arrays wrap."""
    state = (state ^ (state >> np.uint64(30))) * _MIX_1
    state = (state ^ (state >> np.uint64(27))) * _MIX_2
    mixed: Keys = state ^ (state >> np.uint64(31))
    return mixed


def _unit(state: Keys) -> Numbers:
    """The upper 53 bits as a number strictly between 0 and 1."""
    numbers: Numbers = ((state >> np.uint64(11)).astype(np.float64) + 0.5) * 2.0**-53
    return numbers
