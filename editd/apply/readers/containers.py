"""Chooses the container of a file (a mapping, class, rule, element) that a sketch (pasted code) shows members of: by members that both have, by prose, by similar members.

Knows containers and words; what becomes of the members is left to ``member_edits``.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

from editd.syntax.containers import Container, Member
from editd.syntax.members import match_members
from editd.turns import yield_point

# How much speaks for a container that shares no member with the sketch, and how much is enough.
_IN_TICKS, _AS_HOLDER, _IN_WORDS, _OUTER = 4.0, 3.0, 2.0, 1.0
_SAME_KIND, _SAME_KEYS = 3.0, 2.0
_ENOUGH, _CLEAR = 2.0, 4.0
_MOST_COMPARED = 200_000  # containers of the file times members of the sketch

_SIDES = r"(?:above|after|before|behind|below|beneath|beside|following|next to|underneath)"
_BESIDE = re.compile(
    rf"\b{_SIDES}(?: the| your| its)?(?: existing)?\s*[`“\"*]+[^`”\"*]+[`”\"*]+", re.IGNORECASE
)
_QUOTED = re.compile(r"[`“\"*]+([^`”\"*]+)[`”\"*]+")
_INTO = re.compile(
    r"\b(?:to|in|into|inside|under|within|of) (?:the |your |its |this )?(?:existing )?[`“\"*]*([A-Za-z]{3,})"
)


@dataclass(frozen=True, slots=True)
class ContainerChoice:
    """The chosen container of the file. is_clear: whether it shares members with the sketch, or the prose names it."""

    container: Container
    is_clear: bool


def chosen_container(
    theirs: Container, ours: Container, texts: tuple[str, str], prose: Sequence[str]
) -> ContainerChoice | None:
    """The file's container that the sketch shows members of; ``None`` if none is likelier than all others.

    The one that shares most members with the sketch. If none shares any: the file's outermost if the sketch has
    brackets around its members, else the one that the prose names or that has members of that kind. theirs, ours: the
    outermost containers of the file and of the sketch. texts: those of both. prose: the lines above the sketch.
    """
    return _Candidates(theirs, ours, texts, prose).best()


@dataclass(frozen=True)
class _Candidates:
    """The file's containers, and what speaks for each."""

    theirs: Container
    ours: Container
    texts: tuple[str, str]
    prose: Sequence[str]

    def best(self) -> ContainerChoice | None:
        """The likeliest container; ``None`` if another is as likely, or too little speaks for any.

        The one that shares most members with the sketch; of several such ones the outermost if it is among them, else
        the one that prose and likeness choose. If none shares a member: the outermost if the sketch shows brackets
        around its members, else the one that prose and likeness choose. They choose the highest score, of 2 at least.
        The choice is clear if members are shared, or the score is 4 or more. With too many containers to compare (more
        than 200,000 with members of the sketch) only the outermost counts.
        """
        every = [*self._every()]
        if len(every) * len(self.ours.members) > _MOST_COMPARED:
            every = every[:1]
        shared = [self._num_shared(container) for container, _ in every]
        most = max(shared)
        if most:
            every = [pair for pair, number in zip(every, shared, strict=True) if number == most]
            if len(every) == 1 or every[0][0] is self.theirs:
                return ContainerChoice(every[0][0], is_clear=True)
        elif self.ours.start:  # the sketch shows brackets around its members
            return ContainerChoice(self.theirs, is_clear=False)
        scores = [
            self._score_by_prose(path) + self._score_by_likeness(container)
            for container, path in every
        ]
        first, second = [*sorted(scores, reverse=True), 0.0][:2]
        if first < _ENOUGH or first == second:
            return None
        return ContainerChoice(
            every[scores.index(first)][0], is_clear=bool(most) or first >= _CLEAR
        )

    def _every(self) -> Iterator[tuple[Container, tuple[str, ...]]]:
        """The containers of the file, level by level from the outermost, each with the words (or else the key) before
        each container on the way to it, outermost first; none for the file itself. Calls ``yield_point`` for each
        level.
        """
        level: list[tuple[Container, tuple[str, ...]]] = [(self.theirs, ())]
        while level:
            yield_point()
            yield from level
            level = [
                (
                    member.inner,
                    (*path, self.texts[0][member.start : member.inner.start] or member.key),
                )
                for container, path in level
                for member in container.members
                if member.inner is not None
            ]

    # --- by members ---

    @cached_property
    def _keys(self) -> set[str]:
        """The keys that the sketch shows."""
        return {member.key for member in self.ours.members if member.key}

    def _num_shared(self, container: Container) -> int:
        """A score for shared members: 2 for each member of the sketch that the container has, 3 if the member holds
        members on both sides. 0 for lists, and if no key is shared.
        """
        if container.is_list or not any(member.key in self._keys for member in container.members):
            return 0
        numbers = match_members(container.members, self.ours.members, self.texts)
        total = 0
        for member, number in zip(self.ours.members, numbers, strict=True):
            if number is not None:
                both = container.members[number].inner is not None and member.inner is not None
                total += 2 + both
        return total

    def _score_by_likeness(self, container: Container) -> float:
        """A score for members of a kind: 3 if some have the same tag or directive, else 2 if one holds at least half of
        the keys that a member of the sketch holds, else 0.
        """
        kinds = {member.kind for member in container.members} - {""}
        if any(member.kind in kinds for member in self.ours.members):
            return _SAME_KIND
        theirs = [*map(_keys_in, container.members)]
        for keys in map(_keys_in, self.ours.members):
            if keys and any(2 * len(keys & others) >= len(keys) for others in theirs):
                return _SAME_KEYS
        return 0.0

    # --- by prose ---

    def _score_by_prose(self, path: tuple[str, ...]) -> float:
        """A score for how clearly the prose names a container: 4 for a word in ticks or quotes, 3 for a word after
        “to”, “in” and the like, 2 for any other, and up to 1 more for each container around it that is named, too; 0 if
        it does not name the container itself.

        path: the words before each container on the way to it, outermost first; 0 for an empty one. Plurals count as
        their singular, but not in ticks.
        """
        total = 0.0
        for depth, head in enumerate(reversed(path)):
            words = {word.lower() for word in re.findall(r"[\w.-]+", head)}
            stems = {*map(_stem, words)}
            score = (
                _IN_TICKS
                if words & self._ticked
                else _AS_HOLDER
                if stems & self._holders
                else _IN_WORDS
                if stems & self._words
                else 0.0
            )
            if depth == 0 and not score:
                return 0.0
            total += min(score, _OUTER) if depth else score
        return total

    @cached_property
    def _ticked(self) -> set[str]:
        """Words in ticks or quotes, small letters, but not those that something else is put beside."""
        found = (name for line in self.prose for name in _QUOTED.findall(_BESIDE.sub(" ", line)))
        return {word.lower() for name in found for word in re.findall(r"[\w.-]+", name)}

    @cached_property
    def _words(self) -> set[str]:
        """The words of the prose outside ticks, singular and in small letters."""
        bare = (re.sub(r"`[^`]*`", " ", line) for line in self.prose)
        return {_stem(word.lower()) for line in bare for word in re.findall(r"[A-Za-z]{4,}", line)}

    @cached_property
    def _holders(self) -> set[str]:
        """The words that the prose puts something into, singular and in small letters."""
        return {_stem(word.lower()) for line in self.prose for word in _INTO.findall(line)}


def _keys_in(member: Member) -> set[str]:
    """The keys of the members that a member holds; empty if it holds none."""
    return {inner.key for inner in member.inner.members} if member.inner is not None else set()


def _stem(word: str) -> str:
    """A word without its plural ending."""
    return word[:-3] + "y" if word.endswith("ies") else word.removesuffix("s")
