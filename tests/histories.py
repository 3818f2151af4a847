"""Random histories of a target: whatever happened before, rows have the bits of a fresh context.

Prompts that begin alike are opened, prefilled, drafted for, taken back, cancelled, closed and opened again, sometimes two
at once. After most passes their logits are compared with those of a context that never held anything else. On llama.cpp passes
have two rows at least: one alone takes other kernels there, which round otherwise.
"""

from __future__ import annotations

import ctypes
import random
from contextlib import contextmanager
from dataclasses import dataclass, field

import numpy as np

from editd.decode.target import GREEDY
from editd.errors import EditCancelled
from editd.models.llama_cpp.context import _abort_when_set
from editd.models.loaded_model import chunks

_ABORT = ctypes.CFUNCTYPE(ctypes.c_bool, ctypes.c_void_p)
_WORDS = (5, 500)  # ids below are control tokens, above some that no text has


@dataclass
class Seen:
    """Counts of events, so that a test can assert that its kind of history was among them."""

    compared: int = 0
    cropped: int = 0
    cancelled: int = 0
    grown: int = 0
    hits: list[int] = field(default_factory=list)  # tokens of each prompt that were cached


class Histories:
    """Histories of ``target``, one of llama.cpp's, by ``seed``. longest: tokens of a prompt."""

    widths = (2, 3, 8, 17, 64, 100)

    def __init__(self, target, seed, *, longest=320):
        self.target, self.random, self.longest = target, random.Random(seed), longest
        self.seen, self._prompts = Seen(), []

    def live(self, sequences):
        """Open, use and close so many, one after the other or two at once."""
        for _ in range(sequences):
            prompts = [self._prompt() for _ in range(self.random.choice([1, 1, 2]))]
            opened = [self.target.open(prompt) for prompt in prompts]
            for sequence, prompt in zip(opened, prompts, strict=True):
                self.seen.hits.append(sequence.cached_tokens)
                sequence.prefill(prompt[sequence.length : -1])
            turns = self.random.randrange(1, 4)
            if self.random.random() < 0.08:  # until a prompt's context is too small
                turns = 9
            for sequence, prompt in [*zip(opened, prompts, strict=True)] * turns:
                self._round(sequence, len(prompt) - 1, grows=turns > 5)
            for sequence, prompt in zip(opened, prompts, strict=True):
                if (
                    self.random.random() < 0.8
                ):  # as a long answer leaves it, which no later prompt begins with
                    self._prompts.append([*prompt, *sequence.token_ids[len(prompt) :]])
                sequence.close()
            if self.random.random() < 0.05:
                self.target.drop_caches()

    def _prompt(self):
        """A new one, or an old one again, cut, changed from somewhere on, or longer."""
        old = list(self.random.choice(self._prompts)) if self._prompts else []
        if not old or self.random.random() < 0.15:
            old = self._tokens(self.random.randrange(40, self.longest))
        elif self.random.random() < 0.8:
            old = old[: self.random.randrange(len(old) // 2, len(old) + 1)]
            old += self._tokens(self.random.choice([0, 3, 30, 100]))
        old = old[: self.longest]
        if (len(old) - 1) % self.target.prefill_chunk == 1:
            old += self._tokens(1)
        return old

    def _round(self, sequence, prefilled, *, grows):
        """A draft that is accepted, taken back as a whole or in part, or cut off while it is read."""
        base, room = sequence.length, self.target.max_context - sequence.length
        widths = [64, 100] if grows else self.widths
        token_ids = self._tokens(min(self.random.choice(widths), room - 2))
        capacity = self._capacity(sequence)
        if self.random.random() < 0.15:
            with self._cut_off(sequence):
                try:
                    sequence.verify(token_ids, GREEDY)
                    sequence.crop(base)
                except EditCancelled:
                    self.seen.cancelled += 1
                    if (
                        len(token_ids) > self.target.prefill_chunk
                    ):  # the passes before that one stay
                        sequence.crop(base)
            assert sequence.length == base
        rows = sequence._append(token_ids, None)
        if self.random.random() < 0.6:  # which is dear
            expected = self._fresh_rows(sequence, prefilled, len(token_ids))
            assert np.array_equal(rows, expected), np.abs(rows - expected).max()
            self.seen.compared += 1
        self.seen.grown += self._capacity(sequence) > capacity
        fate = 1.0 if grows else self.random.random()
        if fate < 0.6:
            sequence.crop(base + self.random.randrange(1, len(token_ids) + 1))
            self.seen.cropped += 1
        elif fate < 0.7:  # further back than any draft
            sequence.crop(self._far_back(prefilled, base))

    def _capacity(self, sequence):
        return sequence.context.capacity

    def _cut_off(self, sequence):
        """A context in which a pass may be cut off."""
        return _aborted_after(sequence.context, self.random.randrange(1, 60))

    def _fresh_rows(self, sequence, prefilled, count):
        return fresh_rows(sequence, prefilled, count)

    def _far_back(self, prefilled, base):
        return max(prefilled, base - self.random.randrange(50))

    def _tokens(self, count):
        return [self.random.randrange(*_WORDS) for _ in range(count)]


class OpenVinoHistories(Histories):
    """Histories of a target on OpenVINO, where a single row has the bits of any other, and a prompt may be cropped."""

    widths = (1, 1, 2, 3, 8, 16, 17, 64, 100, 150)

    def _capacity(self, sequence):
        return len(sequence.table._blocks)

    @contextmanager
    def _cut_off(self, sequence):
        """Passes, or what moves states on, fail from some call on."""
        network = sequence.table._network
        left = self.random.randrange(2)

        class Cut:
            def __init__(self, request):
                self.request = request

            def infer(self):
                nonlocal left
                left -= 1
                if left < 0:
                    raise EditCancelled("cut off")
                self.request.infer()

            def __getattr__(self, name):
                return getattr(self.request, name)

        requests = network._request, network._settling
        network._request, network._settling = map(Cut, requests)
        try:
            yield
        finally:
            network._request, network._settling = requests

    def _fresh_rows(self, sequence, prefilled, count):
        network, ids = sequence.table._network, sequence.token_ids
        table = network.new_table()
        between = ids[: len(ids) - count]
        while between:
            width = self.random.randrange(1, 129)
            table.append_without_logits(between[:width])
            between = between[width:]
        pieces = range(0, count, 128)
        rows = [table.append_chain(ids[len(ids) - count :][at : at + 128]).copy() for at in pieces]
        table.close()
        return np.concatenate(rows)

    def _far_back(self, prefilled, base):
        return base - self.random.randrange(min(base, 200))


def fresh_rows(sequence, prefilled, count):
    """Logits after the last ``count`` tokens of ``sequence``, by a context that was empty before.

    The first ``prefilled`` are read in the pieces of a prefill, as they were.
    """
    target, ids = sequence._llama, sequence.token_ids
    context = type(sequence.context)(target.passes, len(ids) + 8)
    for piece in chunks(ids[:prefilled], 0, target.prefill_chunk):
        context.append_without_logits(piece)
    between = ids[prefilled : len(ids) - count]
    if len(between) == 1:  # one row alone has other bits
        rows = context.append_chain(ids[prefilled:])[1:].copy()
    else:
        while between:
            width = len(between) if len(between) <= 100 else 64
            context.append_without_logits(between[:width])
            between = between[width:]
        rows = context.append_chain(ids[-count:]).copy()
    context.close()
    return rows


@contextmanager
def _aborted_after(context, nodes):
    """The next pass of ``context`` ends after so many steps of its graph, if it has more."""
    left = nodes

    def abort(_):
        nonlocal left
        left -= 1
        return left < 0

    library, handle = context._library, context._handle
    callback = _ABORT(abort)
    library.llama_set_abort_callback(handle, ctypes.cast(callback, ctypes.c_void_p), None)
    try:
        yield
    finally:
        if context._handle:  # else a larger one took its place
            _abort_when_set(library, handle, context._stop)
