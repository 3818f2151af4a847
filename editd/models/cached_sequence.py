"""One prompt and its growing output, for every backend: implements ``decode.target.TargetSequence``.

Knows which tokens a cache holds, which of them are unchanged since prefill (only these may serve a
later prompt), and how rows of logits become choices. Moving tokens into a cache and logits out of it
is left to the backend: the methods at the end.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Protocol

from editd.decode.target import Drawn, Rows, Sampling, depths, is_chain
from editd.errors import OutOfMemory, ScopeTooLarge
from editd.models import sampling as numpy_sampling
from editd.models.prefix_cache import PrefixCache, chunks


class _Passes(Protocol):
    """What a sequence asks of its target (``decode.target.Target``)."""

    @property
    def prefill_chunk(self) -> int: ...

    @property
    def supports_trees(self) -> bool: ...


class CachedSequence:
    """A sequence on ``target`` whose cache holds ``token_ids``, the beginning of its prompt."""

    # Logits to choices: of another library where they are no numpy arrays.
    choose: Callable[..., Rows] = staticmethod(numpy_sampling.choose)
    draw_one: Callable[..., Drawn] = staticmethod(numpy_sampling.draw)

    def __init__(self, target: _Passes, token_ids: list[int]) -> None:
        self.token_ids = token_ids  # what the cache holds
        self._target = target
        self._cached_tokens = len(token_ids)
        self._prefilled = len(token_ids)  # how far that came from prefill chunks alone
        self._closed = False

    @property
    def length(self) -> int:
        """Tokens in the cache."""
        return len(self.token_ids)

    @property
    def cached_tokens(self) -> int:
        """Prompt tokens that were there when the sequence was opened."""
        return self._cached_tokens

    def prefill(self, token_ids: Sequence[int]) -> None:
        """Append prompt tokens; a pass never reaches across a multiple of ``prefill_chunk``."""
        chunk = self._target.prefill_chunk
        for piece in chunks(token_ids, self.length, chunk):
            aligned = self._prefilled == self.length and self.length % chunk == 0
            self._read(piece)
            if aligned:
                self._prefilled = self.length

    def verify(
        self,
        token_ids: Sequence[int],
        sampling: Sampling,
        *,
        parents: Sequence[int] | None = None,
        draft_probs: Sequence[Any] | None = None,
        allowed: Sequence[Sequence[int] | None] | None = None,
    ) -> Rows:
        """Append ``token_ids`` and choose after each, in one forward pass."""
        start = self.length
        if parents is not None and is_chain(parents):
            parents = None
        if parents is not None and not self._target.supports_trees:
            raise ValueError("this model verifies chains only (supports_trees)")
        plainly = sampling.greedy and sampling.repetition_penalty == 1.0 and allowed is None
        said = self._say(token_ids, parents, greedy=plainly)
        if isinstance(said, Rows):
            return said
        places = range(len(token_ids)) if parents is None else depths(parents)
        return self.choose(
            said,
            sampling,
            [start + 1 + place for place in places],
            self.token_ids[:start] if sampling.repetition_penalty != 1.0 else (),
            token_ids,
            draft_probs=draft_probs,
            allowed=allowed,
            parents=parents,
        )

    def draw(
        self,
        token_ids: Sequence[int],
        sampling: Sampling,
        *,
        vocab_size: int = 0,
        allowed: Sequence[int] | None = None,
        independent: bool = False,
    ) -> Drawn:
        """Append ``token_ids`` and draw what follows the last: for drafters with a model.

        vocab_size: only ids below it are drawn, 0 for all. The rest is as in ``sampling.draw``.
        """
        return self.draw_one(
            self._last_row(token_ids)[:, : vocab_size or None],
            sampling,
            self.length,
            self.token_ids,
            allowed=allowed,
            independent=independent,
        )

    def crop(self, length: int) -> None:
        """Forget all but the first ``length`` tokens."""
        self._crop(length)
        self._prefilled = min(self._prefilled, length)

    def keep_branch(self, base: int, rows: Sequence[int]) -> None:
        """Keep ``base`` tokens and the verified ``rows``, in that order."""
        self._keep_rows(base, rows)
        self._prefilled = min(self._prefilled, base)

    def close(self) -> None:
        """Give the cache back; its prefilled part may serve a later prompt."""
        if not self._closed:
            self._closed = True
            self._give_back(self._prefilled)

    # --- a backend's, each leaving ``token_ids`` as the cache is ---------------------------------

    def _read(self, token_ids: Sequence[int]) -> None:
        """One pass over a piece of the prompt."""
        raise NotImplementedError

    def _say(
        self, token_ids: Sequence[int], parents: Sequence[int] | None, *, greedy: bool
    ) -> Any | Rows:
        """Append ``token_ids``; logits after each, to be changed freely, or what is chosen there.

        greedy: nothing but the largest logit is asked for.
        """
        raise NotImplementedError

    def _last_row(self, token_ids: Sequence[int]) -> Any:
        """Append ``token_ids``; logits after the last, ``[1, vocab_size]``, to be changed freely."""
        raise NotImplementedError

    def _crop(self, length: int) -> None:
        raise NotImplementedError

    def _keep_rows(self, base: int, rows: Sequence[int]) -> None:
        raise NotImplementedError

    def _give_back(self, prefilled: int) -> None:
        """The cache is needed no more; its first ``prefilled`` tokens are as prefill leaves them."""
        raise NotImplementedError


def check_prompt(prompt_ids: Sequence[int], max_context: int) -> None:
    """Raise ``ScopeTooLarge`` for a prompt that leaves no room for an answer."""
    if len(prompt_ids) >= max_context:
        raise ScopeTooLarge(
            f"The prompt has {len(prompt_ids)} tokens, the model reads at most "
            f"{max_context}: edit fewer lines at a time (--range)."
        )


def make_room(wanted: int, limit: int, prefixes: PrefixCache) -> None:
    """Let closed sequences give way to open ones that take ``wanted`` bytes.

    limit: what caches may take together, which a user set; 0: no limit. Raises ``OutOfMemory``.
    """
    if not limit:
        return
    prefixes.shrink(max(0, limit - wanted))
    if wanted > limit:
        raise OutOfMemory(
            f"The keys and values of this edit take {wanted >> 20:,} MiB, and caches may take "
            f"{limit >> 20:,} MiB: edit fewer lines at a time (--range), or raise daemon.memory."
        )
