"""Finds the widths of a pass at which a row gives the same bits, by tests on the loaded model.

llama.cpp uses different kernels for few rows than for many, and quantised weights round differently
there. Above some width all passes are bitwise equal, so narrower passes are padded to it. That width
depends on the file, the machine and the build, so it has to be measured.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np

from editd.models.dummy_ids import dummy_ids
from editd.models.llama_cpp.context import Context, Passes

WIDEST = 64
"""Rows of the widest pass in bitwise mode: what the proof covers; longer chains take several."""
_LEAST = (1, 2, 4, 8, 16)
_BEHIND = 40  # tokens before the rows that are compared
_SPLITS = ((33, 31), (17, 47), (9, 55))


def least_rows(passes: Passes, went_on: Callable[[float], None] = lambda _share: None) -> int:
    """The fewest rows at which a pass gives each row the bits of the widest; 0: none is proved.

    went_on: is told between passes how much is done, and may raise; on a GPU that is emulated the
    proof takes minutes.
    """
    ids = dummy_ids(_BEHIND + WIDEST, passes.vocab_size)
    context = Context(replace(passes, widest=WIDEST), _BEHIND + 2 * WIDEST)
    try:
        context.read(ids[:_BEHIND])
        ids = ids[_BEHIND:]
        whole = context.chain(ids).copy()
        most, done = (1 + len(_SPLITS) + len(_LEAST)) * WIDEST, WIDEST

        def agrees(widths: tuple[int, ...]) -> bool:
            nonlocal done
            context.crop(_BEHIND)
            at = 0
            for width in widths:
                went_on(done / most)
                done += width
                rows = context.chain(ids[at : at + width])
                if not np.array_equal(rows, whole[at : at + width]):
                    return False
                at += width
            return True

        if not all(agrees(widths) for widths in _SPLITS):
            return 0
        return next((n for n in _LEAST if agrees((n,) * (WIDEST // n))), 0)
    finally:
        context.close()
