"""A GGUF file as the decode loop's target: prompts in, passes of llama.cpp, choices out.

Implements ``decode.target.Target``. Every sequence has its own context, which grows by being copied into a larger
one. Closed sequences serve later prompts (``stored_caches``, ``PrefixCache``). ``models.sampling`` makes the choices,
from logits that never leave this process. One thread calls a target and all its sequences. In bitwise mode, passes
are padded to the width from which all give equal bits: llama.cpp uses different kernels for few rows than for many,
and quantised weights round differently there. That width depends on the file, the machine and the build, so it is
found by tests on the loaded model.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from editd.decode.target import Rows, Sampling
from editd.errors import ConfigError
from editd.files.local_cache import keep, recall
from editd.models.llama_cpp.context import Context, Logits, Passes
from editd.models.llama_cpp.placement import widest_pass
from editd.models.llama_cpp.recurrent import RecurrentContext, new_context, restores_exactly
from editd.models.llama_cpp.stored_caches import ContextPool, StoredCache
from editd.models.llama_cpp.weights import Weights
from editd.models.loaded_model import (
    CachedSequence,
    PrefixCache,
    check_prompt,
    dummy_ids,
    logits_in_passes,
    make_room,
)
from editd.models.model import Progress, watched

PREFILL_CHUNK = 128  # small enough to cancel between two
_MOST_MARKS = 16  # recurrent states of a prompt that are kept
# Tokens that are read again with the pass that follows: on a processor, where each row counts, few, since what one
# rejection leaves to be read may be read once more after the next; on a GPU a pass counts.
_REREAD_LIMIT, _REREAD_LIMIT_ON_GPU = 4, 48
_GOES_BACK = "goes back"  # the name of a result that is kept
_MARGIN = 0.5  # log-probabilities that another width of a pass may move, and then some
_PROBE = 64  # tokens that a context has room for from which the size of one is learned

WIDEST = 64
"""Rows of the widest pass in bitwise mode, which the proof covers; longer chains take several."""

_LEAST = (1, 2, 4, 8, 16)
_TOKENS_BEFORE = 40  # tokens before the rows that are compared
_SPLITS = ((33, 31), (17, 47), (9, 55))


class LlamaTarget:
    """Opens sequences on ``weights``.

    max_context: tokens, 0 for the model's own limit.
    threads: CPU threads of a pass, at most.
    free_cores: as in ``Passes``.
    cache_bytes: the most bytes for caches of closed sequences.
    kv_limit_bytes: the most bytes for all caches, 0 for no limit.
    bitwise: every row has the bits that it has in a pass of another width. Chains alone: a branch's keys lie
        elsewhere than a chain's.
    progress: called during the proof of bitwise mode.

    Raises ``ConfigError`` if bitwise mode cannot be proved, as for a recurrent model, and ``EditCancelled`` once
    ``progress`` returns ``False``. Tests once for a file and a library whether a recurrent state can be restored.
    """

    prefill_chunk = PREFILL_CHUNK

    def __init__(
        self,
        weights: Weights,
        *,
        max_context: int = 0,
        threads: int = 1,
        free_cores: Callable[[], int] | None = None,
        cache_bytes: int = 1 << 30,
        kv_limit_bytes: int = 0,
        bitwise: bool = False,
        progress: Progress = lambda _share: None,
    ) -> None:
        self.weights: Weights | None = weights
        self.runs = weights.library.title
        limit = weights.context_length
        self.max_context = min(max_context, limit) if max_context else limit
        self.vocab_size = weights.vocab_size
        self.supports_trees = not weights.is_recurrent and not bitwise
        self.kv_limit_bytes = kv_limit_bytes
        widest = widest_pass(weights.vocab_size)
        self.passes = Passes(
            weights.library,
            weights.handle,
            weights.vocab_size,
            widest,
            threads,
            free_cores,
            recurrent=weights.is_recurrent,
            reread_limit=_REREAD_LIMIT_ON_GPU if weights.layers_on_gpu else _REREAD_LIMIT,
            window=weights.window,
        )
        # Small batches take other kernels, and quantised weights round otherwise there.
        self.exactness, self.near_tie_margin = "near-tie", _MARGIN
        if bitwise:
            self._prove_bitwise(progress)
        self.passes = with_measured_sizes(self.passes)
        self.rewindable = not weights.is_recurrent or _known_to_restore_exactly(
            weights, self.passes
        )
        self.widest_tree = self.passes.widest_tree
        self.prefixes = PrefixCache(self.prefill_chunk, cache_bytes, StoredCache.usable)
        self.contexts = ContextPool(self.passes)
        self._open: list[LlamaSequence] = []

    @property
    def most_marks(self) -> int:
        """The number of a prompt's recurrent states that are stored for later prompts."""
        room = self.prefixes.limit_bytes // 2 // max(self.passes.state_bytes, 1)
        return max(2, min(_MOST_MARKS, room))

    @property
    def widest_chain(self) -> int:
        """Rows of a pass; a longer chain takes several."""
        return WIDEST if self.exactness == "bitwise" else self.passes.widest

    @property
    def cache_bytes(self) -> int:
        """Bytes in caches, open and closed sequences together."""
        return self.prefixes.nbytes + sum(sequence.context.nbytes for sequence in self._open)

    def open(self, prompt_ids: Sequence[int]) -> LlamaSequence:
        """Open a sequence for this prompt, the cached part of its beginning in place; reads nothing
        itself. The target holds it until it is closed.

        Reserves space for twice the prompt and may drop cached prefixes for it. Raises
        ``ScopeTooLarge`` if the prompt leaves no token for an answer, ``OutOfMemory`` if there is
        no memory for its cache, or the user's limit forbids it, ``EditFailed`` if llama.cpp refuses
        to crop a cached prefix.
        """
        check_prompt(prompt_ids, self.max_context)
        # Space for the prompt and an answer as long; a longer one grows it.
        capacity = min(2 * len(prompt_ids) + 256, self.max_context)
        self.check_kv_limit(capacity)
        shared_length = self.prefixes.shared_length(prompt_ids)
        context = self.prefixes.take(prompt_ids, capacity) if self.rewindable else None
        sequence = LlamaSequence(self, context or self.contexts.take(capacity), shared_length)
        self._open.append(sequence)
        return sequence

    def check_kv_limit(self, capacity: int) -> None:
        """Shrink the prefix cache for an additional cache of ``capacity`` tokens, if the user has
        set a limit for all caches.

        Raises ``OutOfMemory`` if open sequences and that cache together exceed it.
        """
        opened = sum(sequence.context.nbytes for sequence in self._open)
        needed = self.passes.nbytes(capacity) + opened
        make_room(needed, self.kv_limit_bytes, self.prefixes)

    def cancel(self) -> None:
        """End a pass that is running; it raises ``EditCancelled``. From any thread."""
        for sequence in [*self._open]:
            sequence.context.cancel()

    def forget_sequence(self, sequence: LlamaSequence) -> None:
        """Forget a sequence that was closed."""
        if sequence in self._open:
            self._open.remove(sequence)

    def drop_caches(self) -> None:
        """Drop the caches of closed sequences."""
        self.prefixes.clear()

    def close(self) -> None:
        """Free all contexts, of open sequences too, and the weights; nothing can be decoded
        afterwards. Safe to call twice.
        """
        self.prefixes.limit_bytes = 0  # also for sequences that are closed later
        self.prefixes.clear()
        for sequence in [*self._open]:
            sequence.context.close()
        self._open.clear()
        if self.weights is not None:
            self.weights.close()
        self.weights = None

    def _prove_bitwise(self, progress: Progress) -> None:
        """Find by passes of the model the narrowest width that proves exact, and set passes and
        exactness for bitwise mode.

        Raises ``ConfigError`` if none does, or the model keeps a recurrent state; whatever
        ``progress`` raises, and ``EditCancelled`` if it returns ``False``.
        """
        if self.passes.recurrent:
            raise ConfigError(
                "model.exactness is bitwise, and narrow passes cannot be filled up for a model that keeps a "
                "recurrent state: set it to auto."
            )
        least = find_least_rows(self.passes, watched(progress))
        if not least:
            raise ConfigError(
                "model.exactness is bitwise, and llama.cpp gives this model's rows other bits in "
                "passes of other widths here: set it to auto."
            )
        self.passes = replace(self.passes, least=least, widest=max(WIDEST, self.prefill_chunk))
        self.exactness, self.near_tie_margin = "bitwise", 0.0


class LlamaSequence(CachedSequence):
    """A prompt and its output in a context (``decode.target.TargetSequence``).

    shared_length: the length of the beginning that its prompt shares with an earlier one.
    """

    def __init__(self, target: LlamaTarget, context: Context, shared_length: int = 0) -> None:
        super().__init__(target, context.token_ids)  # the context's own list, which it changes
        self.context = context
        self._llama = target
        self._shared_length = shared_length

    def prefill(self, token_ids: Sequence[int]) -> None:
        """As ``CachedSequence.prefill``, after growing the context for all tokens at once."""
        self._reserve(len(token_ids))
        super().prefill(token_ids)

    def verify(self, token_ids: Sequence[int], sampling: Sampling, **more: Any) -> Rows:
        """As ``CachedSequence.verify``, growing the context if necessary; the rows also have the
        number of tokens that a recurrent state required to be read again.
        """
        before = self._num_read_again
        rows = super().verify(token_ids, sampling, **more)
        again = self._num_read_again - before
        return replace(rows, num_read_again=again) if again else rows

    @property
    def _num_read_again(self) -> int:
        """The number of tokens that were read more than once so far."""
        context = self.context
        return context.num_read_again if isinstance(context, RecurrentContext) else 0

    def _append_without_logits(self, token_ids: Sequence[int]) -> None:
        self.context.append_without_logits(token_ids)
        if isinstance(self.context, RecurrentContext):
            self.context.mark(self._llama.most_marks, self._shared_length)

    def _crop(self, length: int) -> None:
        self.context.crop(length)

    def _keep_rows(self, base: int, rows: Sequence[int]) -> None:
        self.context.keep_rows(base, rows)

    def _give_back(self, prefilled: int) -> None:
        """Put the context into the prefix cache as far as it can serve again, or close it; the
        target forgets this sequence.

        prefilled: how many of its tokens came from prefill alone; only these can serve again.
        Raises ``EditFailed`` if llama.cpp refuses to crop the context.
        """
        target = self._llama
        target.forget_sequence(self)
        length, context = 0, self.context
        if target.weights is not None and target.rewindable:
            length = target.passes.usable(prefilled, context.first, context.states)
        if length:
            token_ids = self.token_ids[:length]
            target.prefixes.store(token_ids, target.contexts.store(context, length))
        else:
            context.close()

    def _append(self, token_ids: Sequence[int], parents: Sequence[int] | None) -> Logits:
        """Append ``token_ids`` after growing the context for them; returns the logits after each:
        of a tree in one pass, of a chain in as many as its width takes.

        Raises as ``_reserve``, ``Context.append_chain`` and ``Context.append_tree``.
        """
        self._reserve(len(token_ids))
        if parents is not None:
            return self.context.append_tree(token_ids, parents)
        return logits_in_passes(self.context.append_chain, token_ids, self._llama.widest_chain)

    def _reserve(self, rows: int) -> None:
        """Replace the context by a larger copy if it lacks space for ``rows`` more tokens: of twice
        its size, or more if that is needed.

        May drop cached prefixes. Raises ``OutOfMemory``.
        """
        needed = self.length + rows
        if needed <= self.context.capacity:
            return
        capacity = min(max(2 * self.context.capacity, needed), self._llama.max_context)
        self._llama.check_kv_limit(capacity)
        self.context = self.context.grow(capacity)
        self.token_ids = self.context.token_ids


def _known_to_restore_exactly(weights: Weights, passes: Passes) -> bool:
    """As ``recurrent.restores_exactly``; the result is stored in the user's cache by file (path,
    size, time), library and number of layers on the GPU, and read from there.
    """
    status = weights.file.stat()
    stamp = (str(weights.file.absolute()), status.st_size, status.st_mtime_ns)
    key = repr((*stamp, weights.library.title, weights.layers_on_gpu))
    known = recall(key, _GOES_BACK)
    if known is None:
        keep(key, _GOES_BACK, known := restores_exactly(passes))
    return bool(known)


def with_measured_sizes(passes: Passes) -> Passes:
    """``passes`` with the bytes of a token and of a recurrent state, measured in a small context of
    its own with one and with two tokens. Raises ``OutOfMemory``.
    """
    probe = new_context(passes, _PROBE)
    try:
        probe.append_without_logits([0])
        size_of_one = len(probe.state())
        probe.append_without_logits([0])
        return replace(
            passes,
            token_bytes=len(probe.state()) - size_of_one,
            state_bytes=probe.recurrent_bytes(),
        )
    finally:
        probe.close()


def find_least_rows(passes: Passes, report: Callable[[float], None]) -> int:
    """The fewest rows (of 1, 2, 4, 8, 16) at which a pass gives each row the bits of a pass of 64;
    0 if none does, or wider passes already differ.

    report: called before each pass with the fraction done, and may raise; on a GPU that is emulated
    the proof takes minutes. Runs in a context of its own. Raises as ``Context._run``.
    """
    ids = dummy_ids(_TOKENS_BEFORE + WIDEST, passes.vocab_size)
    context = Context(replace(passes, widest=WIDEST), _TOKENS_BEFORE + 2 * WIDEST)
    try:
        context.append_without_logits(ids[:_TOKENS_BEFORE])
        ids = ids[_TOKENS_BEFORE:]
        whole = context.append_chain(ids).copy()
        most, done = (1 + len(_SPLITS) + len(_LEAST)) * WIDEST, WIDEST

        def agrees(widths: tuple[int, ...]) -> bool:
            nonlocal done
            context.crop(_TOKENS_BEFORE)
            at = 0
            for width in widths:
                report(done / most)
                done += width
                rows = context.append_chain(ids[at : at + width])
                if not np.array_equal(rows, whole[at : at + width]):
                    return False
                at += width
            return True

        if not all(agrees(widths) for widths in _SPLITS):
            return 0
        return next((n for n in _LEAST if agrees((n,) * (WIDEST // n))), 0)
    finally:
        context.close()
