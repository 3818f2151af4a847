"""Drafts from the project: what followed the last tokens in another file.

For text that is not in the buffer, so it comes last in ``buffer+suffix+workspace``. ``editd.workspace``
builds the index, and the engine passes it in. There are three kinds of guesses: what follows the longest
match, what follows the source of the last draft, and, where the target wrote something else in between,
what follows behind that. A match counts by its length and by how many of its tokens are words, because
brackets and indentation are everywhere.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple, Protocol, runtime_checkable

from editd.decode.drafters.base import DraftTask
from editd.decode.drafters.chain_or_tree import Choice
from editd.decode.drafters.guessing.guess_tree import GuessTree
from editd.decode.drafters.guessing.guesser import Guesser

_SHORTEST = 3
_FEWEST_WORDS = 1
# A match of n tokens is continued rightly in n of n + 6 cases, and then holds for some n² / 16
# tokens: measured on held-out files, docs/explanation/workspace.md.
_DOUBT = 6.0
_DECAY = 2.0
_FAR = 16  # tokens within which a copy is taken up again …
_LONG_LOST = 8  # … after at most so many of the target's own
_RESUMED_CHANCE = 0.5
_REPLACED_CHANCE = 0.3


class Match(NamedTuple):
    """``length`` tokens of the tail stand just before ``position`` in the project."""

    position: int
    length: int


@runtime_checkable
class Project(Protocol):
    """All files of a project as one immutable row of tokens; implemented by ``workspace.index``."""

    def longest_match(self, tail_ids: Sequence[int], *, near: int | None = None) -> Match | None:
        """Where the longest end of ``tail_ids`` stands; of equally long ones that nearest ``near``."""
        ...

    def following(self, position: int, count: int) -> list[int]:
        """Up to ``count`` tokens from ``position`` on, none beyond the end of its file."""
        ...

    def sources(self, position: int, count: int) -> tuple[str, list[int]]:
        """The file that ``position`` is in, and the lines, from 1, of ``count`` tokens."""
        ...


class _Guess(NamedTuple):
    """Copy from ``position``: right at first with ``chance``, and as if it had held so long."""

    position: int
    chance: float
    held: float


class WorkspaceDrafter(Guesser):
    """Longest matches in a snapshot of the project (``task.project``, if there is one)."""

    def __init__(self, task: DraftTask, preset: str = "") -> None:  # noqa: ARG002
        self.name = "workspace"
        self.choice = Choice(task, "chain")
        project = task.project
        self._index = project if isinstance(project, Project) else None
        self._codec = task.codec
        self._words: dict[int, bool] = {}
        self._seen = 0  # output tokens that have been followed
        self._cursor: int | None = None  # where the copy continues
        self._held = 0  # tokens that it was right for
        self._missed = 0  # tokens since, that the target wrote itself
        self._tried: list[_Guess] = []

    def grow(
        self, tree: GuessTree, output_ids: Sequence[int], max_tokens: int, share: float
    ) -> float:
        index = self._index
        if index is None:
            return 1.0
        self._follow(index, output_ids)
        self._tried = self._guesses(index, output_ids)
        left = 1.0
        for guess in self._tried:
            copied = index.following(guess.position, max_tokens)
            if copied:
                path, lines = index.sources(guess.position, len(copied))
                sources = [f"project:{path}:{line}" for line in lines]
                chance = left * guess.chance
                tree.add_copy(-1, copied, share * chance, guess.held, sources, decay=_DECAY)
                left -= chance
        return left

    def _guesses(self, index: Project, output_ids: Sequence[int]) -> list[_Guess]:
        guesses = []
        match = index.longest_match(output_ids, near=self._cursor)
        if match is not None and self._is_evidence(output_ids[-match.length :]):
            held = max(match.length**2 / 16, 1.0)
            guesses.append(_Guess(match.position, match.length / (match.length + _DOUBT), held))
        if self._cursor is not None and 0 < self._missed <= _LONG_LOST:
            resumed = self._resumed(index, output_ids[-1])
            if resumed is not None and all(g.position != resumed.position for g in guesses):
                guesses.append(resumed)
        guesses.sort(key=lambda guess: -guess.chance)
        return guesses

    def _resumed(self, index: Project, last_id: int) -> _Guess | None:
        """Where the copy continues after what the target wrote instead."""
        if self._cursor is None:
            return None
        coming = index.following(self._cursor, _FAR)
        held = max(self._held / 2, 1.0)
        if last_id in coming:
            return _Guess(self._cursor + coming.index(last_id) + 1, _RESUMED_CHANCE, held)
        if self._missed == 1:
            return _Guess(self._cursor + 1, _REPLACED_CHANCE, held)
        return None

    def _follow(self, index: Project, output_ids: Sequence[int]) -> None:
        """Move the cursor along what was written since the last guess."""
        for token_id in output_ids[self._seen :]:
            for guess in self._tried:
                if index.following(guess.position, 1) == [token_id]:
                    if guess.position != self._cursor:
                        self._held = int(guess.held)
                    self._cursor = guess.position + 1
                    self._held += 1
                    self._missed = 0
                    self._tried = [_Guess(self._cursor, 1.0, 1.0)]
                    break
            else:
                self._tried = []
                self._missed += 1
        self._seen = len(output_ids)
        if self._missed > _LONG_LOST:
            self._cursor = None

    def _is_evidence(self, token_ids: Sequence[int]) -> bool:
        return len(token_ids) >= _SHORTEST and sum(map(self._is_word, token_ids)) >= _FEWEST_WORDS

    def _is_word(self, token_id: int) -> bool:
        known = self._words.get(token_id)
        if known is None:
            text = self._codec.token_bytes(token_id).decode(errors="replace")
            known = self._words[token_id] = any(map(str.isalnum, text))
        return known
