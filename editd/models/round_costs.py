"""Measures the cost of a round, t(k, context), of a loaded model on this machine.

Calls the model as the decode loop does (``decode.target``). A few sizes are measured when a model is first used, if
that is quick; warm-ups measure the rest between units of work, and every real round refines the figures. They are
stored on disk by model, device, dtype, threads and version. The next start measures them once more, because a busy
machine makes them too high, never too low.
"""

from __future__ import annotations

import hashlib
import json
import logging
from collections.abc import Callable, Generator, Iterator, Mapping, Sequence
from contextlib import closing
from functools import partial
from pathlib import Path
from time import perf_counter
from weakref import WeakKeyDictionary

from editd.decode.costs import SIZES, RoundCosts
from editd.decode.target import GREEDY, Target, TargetSequence
from editd.files.local_cache import cache_dir, json_object, write_whole
from editd.models.loaded_model import dummy_ids
from editd.models.model import Model

log = logging.getLogger(__name__)

MOST_ROWS = 256
"""Larger rounds are never needed: past this every machine's time grows as fast as its work."""

_BLINK = 0.05  # seconds that may pass before a first edit for the sake of measuring
_LONGEST = 0.5  # seconds of one measurement between two units of a warm-up, or little more
# On a slow processor 16 rows may be cheap per row where 8 are dear, and nothing else would find out. So while nobody asks
# for anything such sizes are measured once, if a pass takes no longer than this.
_IDLE_SIZES, _LONGEST_IDLE = (2, 4, 8, 16, 32), 3.0
_TAKEN_BACK, _READ_AGAIN = (
    16,
    8,
)  # rows of a pass after which the price of reading again is measured
# A size is measured until two of its passes agree, within so much of the least, but no more often.
_REPEATS, _AGREED = 6, 1.1
_TREES = (16, 64)  # sizes at which trees are measured, too
_READING, _WRITING = 128, 32  # rows of a pass over a prompt, and of a round that copies
_FORMAT = 5
_KEEP_EVERY = 50  # rounds that were learned from before the file is written again
# Reading the weights takes a round at least: what a CPU's memory brings a second, roughly. Until something
# was measured a row is taken to take as long.
_BYTES_A_SECOND = 10e9

_known: WeakKeyDictionary[Target, MeasuredCosts] = WeakKeyDictionary()


class MeasuredCosts(RoundCosts):
    """``RoundCosts`` that are saved to a file. path: ``None`` saves nothing."""

    path: Path | None = None
    unsaved = 0
    settled: frozenset[int] = frozenset()  # sizes that were measured since the model was loaded

    def learn(self, num_tokens: int, context: int, seconds: float, *, tree: bool = False) -> None:
        super().learn(num_tokens, context, seconds, tree=tree)
        self.unsaved += 1

    def learn_again(self, num_tokens: int, context: int, seconds: float, num_again: int) -> None:
        super().learn_again(num_tokens, context, seconds, num_again)
        self.unsaved += 1

    def save(self) -> None:
        """Write the figures to their file, creating its folder, and reset the count of unsaved
        ones; does nothing without a path. A failed write is logged, never raised.
        """
        if self.path is None:
            return
        self.unsaved = 0
        try:
            self.path.parent.mkdir(parents=True, exist_ok=True)
            write_whole(self.path, json.dumps(self.as_json()).encode())
        except OSError as error:
            log.info("costs of rounds were not kept: %s", error)


def round_costs(model: Model) -> MeasuredCosts:
    """The costs of rounds of ``model``, the same object at each call while it is loaded.

    At the first call, if none is known and the weights are small (read in about 12 ms), measures
    sizes for about 25 ms. Saves them if fifty rounds or more were learned since the last time.
    """
    is_new = model.target not in _known
    costs = _costs_of(model)
    quick = model.weights_bytes / _BYTES_A_SECOND < _BLINK / 4
    if is_new and quick and not costs.sizes:
        started = perf_counter()
        for _ in measure_sizes(model):
            if perf_counter() - started > _BLINK / 2:
                break
    if costs.unsaved >= _KEEP_EVERY:
        costs.save()
    return costs


def record_pass_times(model: Model, seconds: Mapping[int, float]) -> None:
    """Record passes that were timed for another reason in the model's costs, and save these.
    seconds: by the number of rows.
    """
    costs = _costs_of(model)
    for size, least in seconds.items():
        costs.record_measurement(size, least)
    costs.save()


def edit_seconds(model: Model, prompt_tokens: int, answer_tokens: int) -> float:
    """Estimated seconds for ``model`` to read a prompt and to write an answer, by its measured
    costs, or guesses where none are known.

    Assumes an answer that is mostly copied, in rounds of some thirty tokens.
    """
    costs = _costs_of(model)

    def a_token(rows: int, context: int) -> float:
        return costs.seconds(rows, context) / rows

    reading = prompt_tokens * a_token(_READING, prompt_tokens // 2)
    return reading + answer_tokens * a_token(_WRITING, prompt_tokens)


def measure_sizes(model: Model) -> Iterator[int]:
    """Measure the usual sizes (rows of a pass) that this process has not measured; yields each size
    after it is done.

    Ends before a size that would take longer than a quarter of a second: its cost is learned from
    real rounds. Saves the costs at the end, or when closed. Raises what the model's passes raise.
    """
    costs = _costs_of(model)
    sizes = [size for size in SIZES if size not in costs.settled]
    yield from _measure_up_to(model, sizes, _LONGEST / 2)


def measure_when_idle(model: Model) -> bool:
    """Measure, and save, one more of the sizes that are slow on some machines; false if none was
    measured.

    None is left if all are known, or the next would take longer than 3 s, or the target cannot be
    rewound. Raises what the model's passes raise.
    """
    costs = _costs_of(model)
    sizes = [size for size in _IDLE_SIZES if size not in {*costs.sizes, *costs.settled}]
    with closing(_measure_up_to(model, sizes, _LONGEST_IDLE)) as measured:
        return next(measured, None) is not None


def _measure_up_to(
    model: Model, sizes: Sequence[int], longest: float
) -> Generator[int, None, None]:
    """Measure ``sizes`` (ascending, rows of a pass) on the model, yielding each after it is done,
    until one would take longer than ``longest`` seconds.

    Of some sizes trees, and reading again after a crop, are measured, too. Saves the costs and
    closes its sequence at the end, when closed, and when a pass raises, which is passed on.
    Measures nothing if the target cannot be rewound, and no size above 256 or the context.
    """
    costs, target = _costs_of(model), model.target
    sizes = [size for size in sizes if size <= min(MOST_ROWS, target.max_context - 2)]
    if not sizes or not target.rewindable:
        return
    token_ids = dummy_ids(sizes[-1], target.vocab_size)
    # Nothing is prefilled, so nothing of this stays in the prefix cache.
    sequence = target.open(token_ids[:1])
    clock = model.timing.clock
    try:
        for size in sizes:
            if costs.sizes and costs.seconds(size, sequence.length) > longest:
                break
            costs.record_measurement(
                size, _least_seconds(partial(_time_chain, sequence, token_ids[:size], clock))
            )
            if size in _TREES and target.supports_trees:
                seconds = _least_seconds(partial(_time_tree, sequence, token_ids[:size], clock))
                costs.learn(size, sequence.length, seconds, tree=True)
            if size == _TAKEN_BACK:
                _measure_reading_again(costs, sequence, token_ids[:size], clock)
            costs.settled |= {size}
            yield size
    finally:
        sequence.close()
        costs.save()


def _least_seconds(timed: Callable[[], float]) -> float:
    """The least of repeated times in seconds, once two of them agree within a tenth, after six at
    most. A run of an eighth of a second or more is not repeated.
    """
    times = [timed()]
    while len(times) < _REPEATS and times[-1] < _LONGEST / 4:
        times = sorted([*times, timed()])
        if times[1] <= _AGREED * times[0]:
            break
    return times[0]


def _time_chain(
    sequence: TargetSequence, token_ids: list[int], clock: Callable[[], float]
) -> float:
    """Verify ``token_ids`` as a chain; returns the seconds that took. The sequence is cropped
    afterwards to its length before.
    """
    base = sequence.length
    started = clock()
    sequence.verify(token_ids, GREEDY)
    seconds = clock() - started
    sequence.crop(base)
    return seconds


def _time_tree(sequence: TargetSequence, token_ids: list[int], clock: Callable[[], float]) -> float:
    """Verify ``token_ids`` as a tree of two branches and keep two rows of one; returns the seconds
    that took. The sequence is cropped afterwards to its length before.
    """
    base = sequence.length
    parents = [-1, *range(len(token_ids) - 2)]
    parents[len(parents) // 2] = -1
    started = clock()
    sequence.verify(token_ids, GREEDY, parents=parents)
    sequence.keep_branch(base, [0, 1])
    seconds = clock() - started
    sequence.crop(base)
    return seconds


def _measure_reading_again(
    costs: MeasuredCosts, sequence: TargetSequence, token_ids: list[int], clock: Callable[[], float]
) -> None:
    """Verify, crop and verify again, and learn the cost of the tokens that the target had to read
    once more, if it had to.

    The sequence is cropped afterwards to its length before.
    """
    base = sequence.length
    sequence.verify(token_ids, GREEDY)
    sequence.crop(base + _READ_AGAIN)
    started = clock()
    rows = sequence.verify(token_ids[_READ_AGAIN : _READ_AGAIN + 1], GREEDY)
    seconds = clock() - started
    if rows.num_read_again:
        costs.learn_again(1, base + _READ_AGAIN, seconds, rows.num_read_again)
    sequence.crop(base)


def _costs_of(model: Model) -> MeasuredCosts:
    """The costs of ``model``: the same object for as long as its target lives; read from their file
    at the first call.
    """
    costs = _known.get(model.target)
    if costs is None:
        costs = _known[model.target] = _restored(model)
    return costs


def _restored(model: Model) -> MeasuredCosts:
    """The costs of ``model`` from their file; new ones without figures if there is no file, or it
    cannot be read.
    """
    shape = model.timing.shape
    path = _path(model)
    costs = MeasuredCosts(shape, alone=model.weights_bytes / _BYTES_A_SECOND)
    try:
        if path is not None:
            costs = MeasuredCosts.restored(json_object(path), shape)
    except (ValueError, KeyError, TypeError):
        log.debug("no costs of rounds of %s are known", model.name)
    costs.path = path
    return costs


def _path(model: Model) -> Path | None:
    """The file of these costs, named by a hash of model, machine and version; ``None`` if
    ``timing.key`` is empty or there is no cache folder.
    """
    import editd

    if not model.timing.key:
        return None
    parts = (_FORMAT, editd.__version__, *model.timing.key)
    key = hashlib.sha256(repr(parts).encode(errors="surrogateescape")).hexdigest()[:24]
    try:
        return cache_dir() / "costs" / f"{key}.json"
    except (OSError, RuntimeError):
        return None
