"""A suffix automaton over token ids (Blumer et al., 1985): every run of a growing text, in linear room.

State 0 is the empty run. ``next[state]`` goes one token further, ``link[state]`` to the longest
shorter suffix that also stands elsewhere.
"""

from __future__ import annotations

from collections.abc import Sequence


class SuffixAutomaton:
    """Grows by ``extend``; amortised constant time a token."""

    def __init__(self) -> None:
        self._next: list[dict[int, int]] = [{}]
        self._link = [-1]
        self._length = [0]
        self._last = 0

    def extend(self, token_id: int) -> None:
        """Append one token to the text."""
        following, link, length = self._next, self._link, self._length
        current = len(following)
        following.append({})
        link.append(0)
        length.append(length[self._last] + 1)
        state = self._last
        while state != -1 and token_id not in following[state]:
            following[state][token_id] = current
            state = link[state]
        if state != -1:
            target = following[state][token_id]
            if length[target] == length[state] + 1:
                link[current] = target
            else:
                clone = len(following)
                following.append(dict(following[target]))
                link.append(link[target])
                length.append(length[state] + 1)
                while state != -1 and following[state].get(token_id) == target:
                    following[state][token_id] = clone
                    state = link[state]
                link[target] = link[current] = clone
        self._last = current

    def longest_run(self, token_ids: Sequence[int]) -> int:
        """How many of the first tokens stand, in this order, somewhere in the text."""
        state = 0
        for count, token_id in enumerate(token_ids):
            found = self._next[state].get(token_id)
            if found is None:
                return count
            state = found
        return len(token_ids)
