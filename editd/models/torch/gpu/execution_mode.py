"""How a loaded model runs: with growing or static caches, recorded or not, bitwise or not.

Decided once, after ``runner`` has tested the model's cache. Each faster mode is used only if it has
worked on this model and this device. Otherwise one line is logged and the plain mode stays.
"""

from __future__ import annotations

import logging
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import torch

from editd.models.loaded_model import dummy_ids
from editd.models.torch.attention import NAME, attention_name
from editd.models.torch.gpu.choose_kernel import way
from editd.models.torch.gpu.choose_recorder import machine_key, recorder_for
from editd.models.torch.gpu.exactness import prove, verify_width
from editd.models.torch.gpu.pass_program import Way
from editd.models.torch.gpu.recorded_passes import Recorder
from editd.models.torch.gpu.static_cache import FIRST_BUCKET
from editd.models.torch.gpu.static_passes import WIDTHS, StaticPasses
from editd.models.torch.gpu.storage import Layout, layout_of
from editd.models.torch.growing_cache import new_cache
from editd.models.torch.runner import agrees

if TYPE_CHECKING:
    from editd.models.torch.runner import ModelRunner

log = logging.getLogger(__name__)

_TOKENS = 12


@dataclass(frozen=True, slots=True)
class Mode:
    """What is asked for. The first two are words of ``config``.

    static: a static cache even where nothing is recorded. way: for attention's own choice.
    recorder: what records passes, for the device's own. verify_width: of bitwise passes, 0:
    measured once. first_bucket, widths: of static caches and passes.
    """

    exactness: str = "auto"
    capture: str = "auto"
    static: bool = False
    way: Way | None = None
    recorder: Recorder | None = None
    verify_width: int = 0
    first_bucket: int = FIRST_BUCKET
    widths: tuple[int, ...] = WIDTHS


def enter(runner: ModelRunner, name: str, mode: Mode) -> None:
    """Let ``runner`` run as ``mode`` asks, as far as its model and device go along."""
    bitwise = mode.exactness == "bitwise"
    if bitwise and not runner.rows_apart:
        log.warning("%s: bitwise mode is unavailable for pre-quantised models", name)
        mode, bitwise = replace(mode, exactness="fast"), False
    key = machine_key(name, runner.device, runner.dtype)
    recorder = mode.recorder or recorder_for(runner.device, mode.capture, mode.exactness, key)
    if not (bitwise or mode.static or recorder is not None):
        return
    if runner.device.type not in ("cpu", "cuda"):
        log.info("%s: no static cache on %s; its cache grows", name, runner.device)
        return
    if not runner.maskable:
        log.info("%s: its layers or its attention allow no static cache; its cache grows", name)
        return
    layout, passes = _layout(runner), None
    if bitwise:
        made = (_passes(runner, name, mode, layout, by) for by in _ways(runner, layout, mode))
        width = mode.verify_width
        passes = next(
            (one for one in made if one and _exact(runner, one, name, width, key, recorder)), None
        )
    if passes is None and (mode.static or recorder is not None):
        fast = replace(mode, exactness="fast")
        made = (_passes(runner, name, fast, layout, by) for by in _ways(runner, layout, fast))
        passes = next((one for one in made if one), None)
    if passes is None:
        log.warning("%s: no static pass does what is asked; its cache grows", name)
        return
    passes.captures.recorder, passes.captures.exact = recorder, bool(passes.verify_width)
    if recorder is not None:
        # Two seats of half of what prefixes may take: what was recorded outlives most edits.
        passes.pool.start_with(runner.prefixes.limit_bytes // 4)
    runner.run_statically(passes)


def _ways(runner: ModelRunner, layout: Layout, mode: Mode) -> tuple[Way, ...]:
    """The ways that are worth trying, best first.

    Bit for bit, every length has to be summed alike: the kernel does that, and a mask over a whole
    bucket; plain torch in the kernel's place takes only what is valid, in another shape each time.
    """
    if mode.way is not None:
        return (mode.way,)
    if attention_name(runner.config) != NAME:
        return ("masks",)
    shapes = [shape for shape in layout.shapes if shape is not None]
    steady = all(way(s.device, s.dtype, max(s.key_width, s.value_width)) == "split" for s in shapes)
    if mode.exactness == "bitwise" and not steady:
        return ("masks",)
    return ("kernel", "masks")


@torch.inference_mode()
def _layout(runner: ModelRunner) -> Layout:
    """What the model writes into a cache, seen when it writes one token."""
    cache = new_cache(runner.model.config, 0)
    assert cache is not None  # noqa: S101 - ``runner.check_cache``
    runner.forward(cache, [1], runner.positions(0, 1), rows=1)
    return layout_of(cache)


def _passes(
    runner: ModelRunner,
    name: str,
    mode: Mode,
    layout: Layout,
    by: Way,
) -> StaticPasses | None:
    """Static passes that say what a growing cache says; ``None`` where they do not."""
    passes = StaticPasses(runner, layout, by, widths=mode.widths, first_bucket=mode.first_bucket)
    try:
        same = _says_the_same(runner, passes)
    except Exception:  # an architecture's own code, or too little memory for buffers
        log.info("%s: no static pass by %s", name, by, exc_info=True)
        return None
    return passes if same else None


@torch.inference_mode()
def _says_the_same(runner: ModelRunner, passes: StaticPasses) -> bool:
    """A prompt, a wrong draft taken back, the right one: as ``runner`` does it."""
    token_ids = dummy_ids(_TOKENS, runner.vocab_size)
    growing = new_cache(runner.model.config, _TOKENS)
    assert growing is not None  # noqa: S101 - ``runner.check_cache``
    expected = runner.forward(growing, token_ids, runner.positions(0, _TOKENS))
    cache = passes.pool.open(passes.capacity(_TOKENS))
    passes.run(cache, token_ids[:8], passes.reading(0, 8))
    cache.advance(8)
    passes.run(cache, token_ids[:3], passes.verifying(8, 3, tree=False))
    logits = passes.run(cache, token_ids[8:], passes.verifying(8, 4, tree=False)).logits[:4]
    cache.length = 0
    passes.pool.closed(cache)
    return agrees(expected, logits, runner.precision)


def _exact(
    runner: ModelRunner,
    passes: StaticPasses,
    name: str,
    width: int,
    key: str,
    recorder: Recorder | None,
) -> bool:
    """Give ``passes`` the width of bitwise mode, if they prove that they keep its promise."""
    passes.verify_width = width or verify_width(passes, key, recorder)
    if prove(passes, runner.vocab_size):
        return True
    log.warning(
        "%s: its rows depend on one another on %s (attention by %s), so bitwise is not promised",
        name,
        runner.device,
        passes.way,
    )
    return False
