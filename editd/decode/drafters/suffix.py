"""Drafts from existing text anywhere: prompt, output so far, the project's files.

Two kinds of evidence. A long match (the last tokens stood somewhere before) is continued as a copy. Short contexts
vote: their followers become a small tree, likeliest first, and each path of it may in turn run into a long match. The
vote's chances are weighed by the guess's place in the buffer, see ``Proximity``.

From the project's files come the tokens after the longest end of the output that stands in one of them. They count
only with a word in it, because brackets and indentation are everywhere. The vote has the chance that is left: the
other way round takes a fifth more rounds in new text.
"""

from __future__ import annotations

import heapq
from collections.abc import Sequence

from editd.decode.drafters.base import DraftTask, TokenOrigins
from editd.decode.drafters.guesses import PRESETS, DraftChoice, Guesser, GuessTree
from editd.decode.drafters.ngrams import (
    LONGEST,
    REACH,
    TOKENS_A_PIECE,
    NgramModel,
    Proximity,
    Tail,
)

# A text that stood before ends where it ended before more often than a copy of the buffer does:
# of matches of r tokens, (r / (r + j)) ** this go on for j more (Laplace's rule says ** 1).
_DECAY = 1.5
_MOST_EXPANSIONS = 16  # paths of the vote that are followed up: more take time and waste rows
_LATEST_PLACES = 8
_LONGEST_MATCH = 64
_HOPE = 0.7  # a guess that the vote makes less likely than will do may stand near
_EXPANDED = 2.0  # what follows a guess is looked up if it is so many times likely enough itself

# A match of n tokens in the project is continued rightly in n of n + 6 cases, and then holds for some
# n² / 16 tokens: measured on held-out files, docs/explanation/workspace.md.
_PROJECT_DOUBT, _PROJECT_HELD, _PROJECT_DECAY = 6.0, 16, 2.0


class SuffixDrafter(Guesser):
    """Drafts the longest earlier matches and n-gram votes, over prompt and output, and matches in the project's
    files.
    """

    def __init__(self, task: DraftTask, preset: str) -> None:
        self.name = "suffix" if preset == PRESETS[0] else f"suffix:{preset}"
        self.choice = DraftChoice(task, preset)
        self._task = task
        self._origins = TokenOrigins(task, "suffix")
        # Made when first asked, because a plain copy never asks. Of a long prompt now: it takes long.
        self._ngrams: NgramModel | None = None
        if len(task.prompt_ids) > TOKENS_A_PIECE:
            self._index_prompt()

    def grow(
        self, tree: GuessTree, output_ids: Sequence[int], max_tokens: int, share: float
    ) -> float:
        """Add to ``tree`` copies after earlier matches, the project's before all others, and the
        tokens for which the contexts of the last tokens vote (``NgramModel``), likeliest first;
        none less likely than ``tree.least``.

        share: what they are worth in all. Returns the part of it that they leave: the chance that
        neither the project's nor any voted first token is right. Adds new output to the counts.
        """
        ngrams = self._ngrams or self._index_prompt()
        ngrams.extend(output_ids[len(ngrams.text) - ngrams.prompt_length :])
        left = self._grow_from_project(tree, output_ids, max_tokens, share)
        share *= left
        first_token = 0.0
        number = 0  # breaks ties, so that paths are never compared
        nearby = Proximity(tree.ahead, branches=tree.branches)
        paths: list[tuple[float, int, int, Tail, int]] = [(-share, number, -1, ngrams.tail, 0)]
        for _ in range(_MOST_EXPANSIONS):
            if not paths:
                break
            negative, _number, node, tail, home = heapq.heappop(paths)
            places = ngrams.places(tail)
            if places:
                place, length = _longest_match(ngrams, places, tree.path(node))
                copied = ngrams.text[place : place + max_tokens]
                chance = -negative * length / (length + 2.0)
                sources = self._origins.sources(place, len(copied))
                tree.add_copy(node, copied, chance, length + 1.0, sources, decay=_DECAY)
            for token_id, vote in ngrams.likely(tail, tree.least / -negative * _HOPE):
                distance = nearby.distance(token_id, home)
                reached = -negative * nearby.chance(vote, distance, home)
                if reached < tree.least:
                    continue
                child = tree.add(node, token_id, reached, "suffix")
                first_token += reached if node < 0 else 0.0
                if reached < _EXPANDED * tree.least:
                    continue
                number += 1
                next_home = home + distance + 1 if distance < REACH else home
                after = ngrams.after(tail, token_id)
                heapq.heappush(paths, (-reached, number, child, after, next_home))
        return left * max(0.0, 1.0 - first_token / share)

    def _grow_from_project(
        self, tree: GuessTree, output_ids: Sequence[int], max_tokens: int, share: float
    ) -> float:
        """Add to ``tree`` the tokens after the longest match of the output's end in the project's
        files; returns the chance that they are wrong.

        1.0, adding nothing, if there is no project, no match, or the matching tokens hold no word.
        share: as in ``grow``.
        """
        project = self._task.project
        match = project.longest_match(output_ids, max_tokens) if project else None
        if match is None or not any(map(self._is_word, output_ids[-match.length :])):
            return 1.0
        chance = match.length / (match.length + _PROJECT_DOUBT)
        held = max(match.length**2 / _PROJECT_HELD, 1.0)
        sources = [f"project:{match.path}:{line}" for line in match.lines]
        tree.add_copy(-1, match.token_ids, share * chance, held, sources, decay=_PROJECT_DECAY)
        return 1.0 - chance

    def _is_word(self, token_id: int) -> bool:
        """Whether a token contains a letter or a digit."""
        text = self._task.codec.token_bytes(token_id).decode(errors="replace")
        return any(map(str.isalnum, text))

    def _index_prompt(self) -> NgramModel:
        """Build the n-gram model of the prompt, and return it."""
        self._ngrams = NgramModel(self._task.codec, self._task.prompt_ids)
        return self._ngrams


def _longest_match(ngrams: NgramModel, places: Sequence[int], path: list[int]) -> tuple[int, int]:
    """The longest match of the text of ``ngrams`` followed by ``path``, up to ``_LONGEST_MATCH``
    tokens, with an earlier part of that text: the place after it, and its length; of equals the
    latest.

    places: where the last ``LONGEST`` tokens stood before, at least one; only the latest few are
    compared.
    """
    text = ngrams.text
    past = text[-_LONGEST_MATCH:] + path
    found = []
    for place in places[-_LATEST_PLACES:]:
        length, most = LONGEST, min(_LONGEST_MATCH, place)
        while length < most and text[place - 1 - length] == past[-1 - length]:
            length += 1
        found.append((length, place))
    length, place = max(found)
    return place, length
