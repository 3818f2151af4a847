"""The target model as the decode loop sees it: token ids in, choices out, no tensor in between.

Implemented by backends (real models: ``models.model``), by the scripted targets of tests and of the replay benchmark.
The loop needs nothing else, so it runs without torch. At the end are functions on rows of tokens that every side
needs: for the parents of a draft with branches, and for the common beginning of two rows.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:  # a client that reads these types need not load numpy
    import numpy as np
    import numpy.typing as npt

    Probs = npt.NDArray[np.float64]

ANY_WIDTH = 1 << 30
"""The ``Target.widest_tree`` of a target that only memory limits."""
_COLD = 1e-6  # below it the likeliest token is certain, and dividing scores by it would overflow


@dataclass(frozen=True, slots=True)
class Sampling:
    """The settings for choosing among predictions. temperature: 0 is greedy.

    Filters apply in the order of transformers: temperature, top-k, top-p. Noise is keyed by ``seed`` and absolute
    position, never by call order, so that plain and speculative decoding draw the same numbers.
    """

    temperature: float = 0.0
    top_p: float = 1.0
    top_k: int = 0
    seed: int = 0

    @property
    def greedy(self) -> bool:
        return self.temperature < _COLD


GREEDY = Sampling()


@dataclass(frozen=True, slots=True)
class Certainty:
    """A model's certainty of one token.

    log_prob: the token's natural log-probability, before temperature and filters. rival_id: the likeliest other
    token.
    """

    log_prob: float
    rival_id: int


@dataclass(frozen=True, slots=True)
class Rows:
    """The target's results for the verified rows; all lists have one entry a row.

    choice_ids: the token that the target itself takes after the row. For a draft with ``probs`` the choice is the
        draft token if the rejection rule accepts it, else the recovered token; so in every mode a draft token is
        accepted exactly when it equals the choice.
    margins: how far a log-probability would have to move to change the choice; in greedy mode that of the most likely
        token minus that of the second.
    certainty: of the choice that ends the accepted path, and so is no copy of a draft; ``None`` if it is not known,
        or the choice was limited.
    num_read_again: tokens that the pass, or another before it, had to read once more because a ``crop`` took the
        state after them (recurrent models).
    """

    choice_ids: list[int]
    margins: list[float]
    certainty: Certainty | None = None
    num_read_again: int = 0


@dataclass(frozen=True, slots=True)
class Drawn:
    """A token drawn by a draft model, and its probability.

    probs: the distribution that it was drawn from, ``[vocab_size]`` in numpy's float64, for the rejection rule;
    ``None`` if the token is a point mass (greedy, or noise shared with the target).
    """

    token_id: int
    chance: float
    probs: Probs | None = None


class TargetSequence(Protocol):
    """A prompt and its growing output in the target's KV cache."""

    @property
    def length(self) -> int:
        """The number of tokens in the cache."""
        ...

    @property
    def cached_tokens(self) -> int:
        """The number of prompt tokens that were in the cache when the sequence was opened (prefix cache)."""
        ...

    def prefill(self, token_ids: Sequence[int]) -> None:
        """Append one chunk of the prompt to the cache."""
        ...

    def verify(
        self,
        token_ids: Sequence[int],
        sampling: Sampling,
        *,
        parents: Sequence[int] | None = None,
        draft_probs: Sequence[Probs] | None = None,
        allowed: Sequence[Sequence[int] | None] | None = None,
    ) -> Rows:
        """Append ``token_ids`` and choose after each of them, in one forward pass.

        token_ids: the last output (or prompt) token, then the draft: ``[1 + num_draft_tokens]``.
        parents: as in ``Draft.parents``, for a tree; row 0 is the root.
        draft_probs: as in ``Draft.probs``; on a tree the target's own draw judges instead.
        allowed: for each row the only ids that may be chosen, ``None`` for no limit (token healing).
        """
        ...

    def crop(self, length: int) -> None:
        """Forget all but the first ``length`` tokens of the cache."""
        ...

    def keep_branch(self, base: int, rows: Sequence[int]) -> None:
        """Reduce the cache, after a tree, to its first ``base`` tokens and the verified ``rows``, in that order."""
        ...

    def close(self) -> None:
        """Give the cache back; its prefix may serve a later prompt. Safe to call twice."""
        ...


class Target(Protocol):
    """A loaded model that can decode."""

    @property
    def vocab_size(self) -> int: ...

    @property
    def max_context(self) -> int: ...

    @property
    def prefill_chunk(self) -> int:
        """Tokens in a prefill chunk; chunks start at multiples of it, even after a cached prefix."""
        ...

    @property
    def rewindable(self) -> bool:
        """Whether ``crop`` works. If not (some recurrent states), decode plainly."""
        ...

    @property
    def supports_trees(self) -> bool:
        """Whether ``verify`` takes ``parents``."""
        ...

    @property
    def widest_tree(self) -> int:
        """The most rows of a tree in one ``verify``, the root included; a chain may have more."""
        ...

    @property
    def exactness(self) -> str:
        """The equality with plain decoding that is promised: ``bitwise``, ``token`` or ``near-tie``."""
        ...

    @property
    def near_tie_margin(self) -> float:
        """The log-probability gap below which another batch shape may choose otherwise."""
        ...

    def open(self, prompt_ids: Sequence[int]) -> TargetSequence:
        """Open a sequence for a prompt, with the cached part of its beginning; prefills nothing itself.

        Raises ``ScopeTooLarge`` for a prompt that leaves no room for an answer, ``OutOfMemory``.
        """
        ...


def is_chain(parents: Sequence[int]) -> bool:
    """Whether each token simply follows the one before."""
    return all(parent == index - 1 for index, parent in enumerate(parents))


def depths(parents: Sequence[int]) -> list[int]:
    """The number of steps from row 0 to each row of a draft with branches; 0 for row 0.

    parents: for each draft token the index of the one that it follows, -1 for row 0.
    """
    result = [0]
    for parent in parents:
        result.append(result[parent + 1] + 1)
    return result


def num_common(first: Sequence[int], second: Sequence[int]) -> int:
    """The length of the common beginning of two rows, by halving: slices compare faster than numbers.

    Both must be of the same type (lists, bytes): slices of different types are never equal.
    """
    least, most = 0, min(len(first), len(second))
    if first[:most] == second[:most]:
        return most
    while least < most:
        middle = (least + most + 1) // 2
        if first[least:middle] == second[least:middle]:
            least = middle
        else:
            most = middle - 1
    return least
