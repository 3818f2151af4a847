"""Substitutions (old word to new) learned from finished hunks, and the rest of the buffer as it reads with them.

A rule replaces a text wherever it stands at word boundaries; it is learned from a hunk, and dropped at the first
place where the output does not follow it. ``Substitutions`` knows text only, no tokens.

``PlainText`` applies the rules to the buffer: its tokens, and the origin of each. Text is cut into segments at line
starts that are token borders. Only segments in which a rule applies are tokenised again; the rest keeps its tokens.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import accumulate

from editd.decode.drafters.base import Codec, is_word
from editd.turns import yield_point

# Longer replacements are rewritten passages, not renames: they rarely come back.
_LONGEST_OLD = 60
_LONGEST_NEW = 80

SHIFTED = "\n"  # no rule replaces a line end
_LEFT_CONTEXT = 1024  # characters before a segment that its first token can depend on
_MOST_REWRITTEN = 1 << 14  # characters a round: tokenising them takes some ten milliseconds
_MOST_SHIFTED = 200  # lines: tokenising them takes a millisecond or two

_Rules = tuple[tuple[str, str], ...]


class Substitutions:
    """The rules in force over one text: old words and their replacements."""

    def __init__(self, text: str) -> None:
        self._text = text
        self.rules: dict[str, str] = {}
        self._refuted: Counter[tuple[str, str]] = Counter()
        self._confirmed: Counter[tuple[str, str]] = Counter()
        self._patterns: dict[tuple[str, ...], re.Pattern[str]] = {}  # by the rules that they find

    def learn(self, left: str, old: str, new: str, right: str) -> bool:
        """Learn from a hunk: ``left + old + right`` became ``left + new + right``. Returns whether
        the rules changed.

        Not if no rule explains it, the rule is in force, was refuted as often as it was confirmed,
        or its old word stands nowhere in the text. A rule replaces another for the same word.
        """
        rule = rule_of(left, old, new, right)
        if rule is None:
            return False
        self._confirmed[rule] += 1
        old, new = rule
        if self.rules.get(old, old) == new or self._refuted[rule] >= self._confirmed[rule]:
            return False
        if old not in self._text:
            return False
        self.rules[old] = new
        return True

    def refute(self, old: str) -> bool:
        """Drop the rule for ``old``, which the output kept, and count that against it; returns
        whether there was one.
        """
        new = self.rules.pop(old, None)
        if new is None:
            return False
        self._refuted[old, new] += 1
        return True

    def matches_in(self, text: str) -> Iterator[re.Match[str]]:
        """Yield the places in ``text`` where a rule applies, in order, the longest rule first at
        each; ``rules`` has the replacement.
        """
        # A search in C is much faster than a pattern, and patterns take long to be made.
        standing = tuple(sorted(old for old in self.rules if old in text))
        if not standing:
            return iter(())
        pattern = self._patterns.get(standing)
        if pattern is None:
            longest_first = sorted(standing, key=lambda old: -len(old))
            pattern = re.compile("|".join(map(_bounded, longest_first)))
            self._patterns[standing] = pattern
        return pattern.finditer(text)


def rule_of(left: str, old: str, new: str, right: str) -> tuple[str, str] | None:
    """The smallest whole-word replacement that explains a hunk, as old and new text. Where the old
    text has no word, up to three signs on each side and the word after them belong to both (at a
    line's end the word before them).

    ``None`` if signs alone have no such word, the old text has digits but no letters, is longer
    than 60 characters (the new one 80), or either spans lines.

        >>> rule_of("x = get_", "user", "account", "(1)")
        ('get_user', 'get_account')
    """
    start = 0
    while start < min(len(old), len(new)) and old[start] == new[start]:
        start += 1
    left, old, new = left + old[:start], old[start:], new[start:]
    end = 0
    while end < min(len(old), len(new)) and old[-1 - end] == new[-1 - end]:
        end += 1
    if end:
        old, new, right = old[:-end], new[:-end], old[-end:] + right
    # Grow to word boundaries on both sides, so that "user" in "get_user" is not taken for a word.
    head = re.search(r"\w*\Z", left)
    tail = re.match(r"\w*", right)
    assert head is not None  # noqa: S101  both patterns match the empty text
    assert tail is not None  # noqa: S101
    if is_word((old or new)[:1]) or is_word(new[:1]):
        old, new = head[0] + old, head[0] + new
    if is_word((old or new)[-1:]) or is_word(new[-1:]):
        old, new = old + tail[0], new + tail[0]
    if not re.search(r"\w", old):
        # Signs alone stand everywhere: only before this very word, with the signs around them,
        # or at the line's end behind this very word.
        before = re.search(r"[^\w\n]{0,3}\Z", left)
        behind = re.match(r"[^\w\n]{0,3}\w+", right)
        if behind is None:
            before = re.search(r"\w+[^\w\n]{0,3}\Z", left)
            behind = re.match(r"[^\w\n]{1,3}", right)
        if before is None or behind is None:
            return None
        old, new = before[0] + old + behind[0], before[0] + new + behind[0]
    if not re.search(r"\w", old) or len(old) > _LONGEST_OLD or len(new) > _LONGEST_NEW:
        return None
    if "\n" in old or "\n" in new:
        return None
    if old.strip() != old or new.strip() != new:
        gap = len(old) - len(old.lstrip())
        if old[:gap] == new[: len(new) - len(new.lstrip())]:
            old, new = old[gap:], new[gap:]
    if not re.search(r"[^\W\d]", old):
        return None  # a number changes for its own reasons
    return old, new


@dataclass(frozen=True, slots=True)
class Shift:
    """From byte ``origin`` of the plain text on, lines as deep as ``old`` become as deep as ``new``.

    Up to the first line that is less deep: a block was wrapped or unwrapped.
    """

    origin: int
    old: str
    new: str


def shift_of(left: str, old: str, new: str, right: str) -> tuple[str, str] | None:
    r"""Old and new indentation of the line in which a hunk ends; ``None`` if anything but that has
    changed in it, nothing has, or it is blank.

    left, right: the text around the hunk.

    >>> shift_of("a\n", "  ", "    ", "b = c")
    ('  ', '    ')
    """
    was = (left + old).rpartition("\n")[2] + right
    now = (left + new).rpartition("\n")[2] + right
    bare = was.lstrip(" \t")
    if not bare.strip() or bare != now.lstrip(" \t") or was == now:
        return None
    return was[: len(was) - len(bare)], now[: len(now) - len(bare)]


def _bounded(old: str) -> str:
    """A pattern, as text, for ``old`` at word boundaries on those sides where it begins or ends
    with a letter, digit or ``_``.
    """
    before = r"(?<!\w)" if is_word(old[:1]) else ""
    after = r"(?!\w)" if is_word(old[-1:]) else ""
    return before + re.escape(old) + after


@dataclass(frozen=True, slots=True)
class SubstitutedBuffer:
    """The buffer's tokens with rules applied.

    origins[i]: byte in the plain text where token ``i`` begins. rules[i]: the text that was replaced where token
    ``i`` stands, ``""`` for plain buffer, ``SHIFTED`` for an indentation.
    """

    ids: list[int]
    origins: list[int]
    rules: list[str]

    def index_at(self, origin: int) -> int:
        """The first token that begins at or after that byte of the plain text."""
        return bisect_left(self.origins, origin)


@dataclass(frozen=True, slots=True)
class _Segment:
    """Plain tokens ``start .. end``, which spell ``text``."""

    start: int
    end: int
    text: str


@dataclass(frozen=True, slots=True)
class _Stretch:
    """A stretch of rewritten text, ``size`` bytes long, for ``old_size`` bytes of plain text from ``origin`` on.

    rule: as in ``SubstitutedBuffer``.
    """

    size: int
    origin: int
    old_size: int
    rule: str


class PlainText:
    """A text in its own tokens, as tokenised after ``opening``, which can be rewritten by rules.

    unfinished: whether the last reading lacks segments for which there was no time.
    """

    def __init__(self, text: str, opening: str, codec: Codec) -> None:
        """``text`` as it is tokenised behind ``opening``."""
        self._codec = codec
        self._opening = opening
        self.ids = codec.encode(text, opening)
        # All made with the first rule; most edits come without one.
        self._plain: SubstitutedBuffer | None = None
        self._segments: list[_Segment] = []
        self._starts: list[int] = []  # byte at which each segment begins
        self._places: dict[str, list[int]] = {}
        self._read: dict[tuple[int, _Rules, tuple[str, str] | None], SubstitutedBuffer | None] = {}
        self._left = _MOST_REWRITTEN  # characters that may be tokenised in this round
        self.unfinished = False  # whether the last reading lacks what there was no time for

    def plain(self) -> SubstitutedBuffer:
        """The text without any rule, in tokens; the first call also cuts it into segments."""
        if self._plain is None:
            spelled = list(map(self._codec.token_bytes, self.ids))
            origins = list(accumulate(map(len, spelled), initial=0))[:-1]
            self._plain = SubstitutedBuffer(self.ids, origins, [""] * len(self.ids))
            self._segments = _segments_of(spelled)
            self._starts = [origins[segment.start] for segment in self._segments]
        return self._plain

    def next_round(self) -> None:
        """Allow a round's time to tokenise more segments."""
        self._left = _MOST_REWRITTEN

    def substituted(
        self, substitutions: Substitutions, shift: Shift | None = None, origin: int = 0
    ) -> SubstitutedBuffer:
        """The text with every rule applied, and a block shifted, as far as a round has time for it;
        what was read once is remembered. Lets other work have its turn in between
        (``yield_point``).

        origin: byte of the plain text from which on lines are tokenised first. If there is no time
        for the others they stay plain, and ``unfinished`` is set: call again in the next round.
        """
        plain = self.plain()
        ids: list[int] = []
        origins: list[int] = []
        applied: list[str] = []
        done = 0
        # What a segment becomes depends on the rules for what it holds; few rules change at a time.
        concerned: dict[int, _Rules] = {}
        for rule in substitutions.rules.items():
            for number in self._segments_with(rule[0]):
                concerned[number] = (*concerned.get(number, ()), rule)
        shifted = self._shifted(shift) if shift is not None else range(0)
        numbers = sorted(concerned.keys() | shifted)
        keys = {}
        self.unfinished = False
        nearest = bisect_left(numbers, bisect_right(self._starts, origin) - 1)
        for number in (*numbers[nearest:], *numbers[:nearest]):
            indents = (shift.old, shift.new) if shift is not None and number in shifted else None
            key = keys[number] = number, concerned.get(number, ()), indents
            if key in self._read:
                continue
            if self._left <= 0:
                self.unfinished = True
                continue
            self._left -= len(self._segments[number].text)
            self._read[key] = self._rewrite(number, substitutions, indents)
            yield_point()
        for number in numbers:
            made = self._read.get(keys[number])
            if made is None:
                continue
            segment = self._segments[number]
            ids += plain.ids[done : segment.start] + made.ids
            origins += plain.origins[done : segment.start] + made.origins
            applied += plain.rules[done : segment.start] + made.rules
            done = segment.end
        return SubstitutedBuffer(
            ids + plain.ids[done:], origins + plain.origins[done:], applied + plain.rules[done:]
        )

    def _shifted(self, shift: Shift) -> range:
        """Numbers of the segments of the block that is shifted: from the shift's place to the first
        filled line without its old indentation, at most 200.
        """
        first = bisect_left(self._starts, shift.origin)
        end = first
        while end < min(len(self._segments), first + _MOST_SHIFTED):
            text = self._segments[end].text
            if text.strip() and not text.startswith(shift.old):
                break
            end += 1
        return range(first, end)

    def _segments_with(self, old: str) -> list[int]:
        """Numbers of the segments that contain ``old``, at word borders or not; remembered."""
        known = self._places.get(old)
        if known is None:
            known = [number for number, segment in enumerate(self._segments) if old in segment.text]
            self._places[old] = known
        return known

    def _rewrite(
        self, number: int, substitutions: Substitutions, indents: tuple[str, str] | None
    ) -> SubstitutedBuffer | None:
        """Segment ``number`` with the rules applied where they match, tokenised again; ``None`` if
        no rule matches and it is not shifted.

        indents: the segment's old and new indentation, if it is shifted (a blank one keeps its
        own).
        """
        segment = self._segments[number]
        matches = list(substitutions.matches_in(segment.text))
        if not matches and indents is None:
            return None
        stretches: list[_Stretch] = []
        text = ""
        done = 0
        origin = self._starts[number]
        if indents is not None and segment.text.strip():
            old, new = indents
            stretches.append(_Stretch(len(new), origin, len(old), SHIFTED))
            text = new
            done = len(old)  # blanks and tabs: as many bytes as characters
            origin += done
        for match in matches:
            old, new = match[0], substitutions.rules[match[0]]
            unchanged = segment.text[done : match.start()]
            size, old_size = len(unchanged.encode()), len(old.encode())
            stretches.append(_Stretch(size, origin, size, ""))
            stretches.append(_Stretch(len(new.encode()), origin + size, old_size, old))
            origin += size + old_size
            text += unchanged + new
            done = match.end()
        unchanged = segment.text[done:]
        size = len(unchanged.encode())
        stretches.append(_Stretch(size, origin, size, ""))
        text += unchanged
        # The pieces are part of the key: a shift and a rule may spell the same text.
        before = self._segments[number - 1].text if number else self._opening
        return self._tokenised(text, stretches, before[-_LEFT_CONTEXT:])

    def _tokenised(
        self, text: str, stretches: Sequence[_Stretch], before: str
    ) -> SubstitutedBuffer:
        """The tokens of rewritten text in their context, each with its origin in the plain text and
        the rule that made it, or any part of it.

        stretches: its parts, in order. before: the text to its left.
        """
        ids = self._codec.encode(text, before)
        starts = [0]
        for stretch in stretches:
            starts.append(starts[-1] + stretch.size)
        origins: list[int] = []
        rules: list[str] = []
        at = 0
        for token_id in ids:
            end = at + len(self._codec.token_bytes(token_id))
            # The last piece that starts here or before; empty pieces are stepped over.
            number = min(bisect_right(starts, at) - 1, len(stretches) - 1)
            stretch = stretches[number]
            origins.append(stretch.origin + min(at - starts[number], stretch.old_size))
            # A token may begin in plain text and reach into a replaced word.
            last = min(bisect_left(starts, max(end, at + 1)), len(stretches)) - 1
            rule = stretch.rule
            if not rule and last > number:
                rule = next(
                    (
                        following.rule
                        for following in stretches[number + 1 : last + 1]
                        if following.rule
                    ),
                    "",
                )
            rules.append(rule)
            at = end
        return SubstitutedBuffer(ids, origins, rules)


def _segments_of(spelled: Sequence[bytes]) -> list[_Segment]:
    """Segments that begin where a token begins a line; blank lines stay with the line before.
    spelled: the bytes of each token.
    """
    segments = []
    start = 0
    line_ends = [index + 1 for index, token in enumerate(spelled) if token[-1:] == b"\n"]
    for end in (*line_ends, len(spelled)):
        if end > start and (end == len(spelled) or not spelled[end].startswith(b"\n")):
            text = b"".join(spelled[start:end]).decode("utf-8", errors="replace")
            segments.append(_Segment(start, end, text))
            start = end
    return segments
