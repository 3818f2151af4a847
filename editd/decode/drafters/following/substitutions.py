"""What one finished hunk teaches about the rest: this word became that.

Text only, no tokens. A rule replaces a text wherever it stands at word boundaries; it is learned
from a hunk or read from the instruction, confirmed where the output follows it, and dropped at the
first place where the output does not.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

# Longer replacements are rewritten passages, not renames: they rarely come back.
_LONGEST_OLD = 60
_LONGEST_NEW = 80


@dataclass(frozen=True, slots=True)
class Rule:
    """``old`` becomes ``new``."""

    old: str
    new: str


class Substitutions:
    """The rules in force over one text."""

    def __init__(self, text: str, renames: Iterable[tuple[str, str]] = ()) -> None:
        self._text = text
        self.rules: dict[str, str] = {}
        self._shown: set[Rule] = set()
        self._refuted: Counter[Rule] = Counter()
        self._confirmed: Counter[Rule] = Counter()
        self._patterns: dict[tuple[str, ...], re.Pattern[str]] = {}  # by the rules that they find
        for old, new in renames:
            self._add(Rule(old, new))

    def learn(self, left: str, old: str, new: str, right: str) -> bool:
        """Take a hunk's lesson: ``left + old + right`` became ``left + new + right``.

        Returns whether the rules changed.
        """
        rule = rule_of(left, old, new, right)
        if rule is None:
            return False
        self._confirmed[rule] += 1
        if self.rules.get(rule.old) == rule.new or self._refuted[rule] >= self._confirmed[rule]:
            return False
        changed = self._add(rule)
        for variant in self._variants(rule):
            changed = self._add(variant) or changed
        return changed

    def refute(self, old: str) -> bool:
        """The output kept ``old`` where a rule would have replaced it: drop that rule."""
        new = self.rules.pop(old, None)
        if new is None:
            return False
        self._refuted[Rule(old, new)] += 1
        return True

    def applied_to(self, text: str) -> Iterator[re.Match[str]]:
        """Every place where a rule applies, the longest rule first; ``rules`` says what becomes."""
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

    def _add(self, rule: Rule) -> bool:
        self._shown.add(rule)
        if not rule.old or rule.old == rule.new or rule.old not in self._text:
            return False
        self.rules[rule.old] = rule.new
        return True

    def _variants(self, rule: Rule) -> list[Rule]:
        """Other case forms, once the edit has shown two of them."""
        old_words, new_words = words_of(rule.old), words_of(rule.new)
        if not old_words or not new_words:
            return []
        shown_before = any(
            shown != rule and words_of(shown.old) == old_words and words_of(shown.new) == new_words
            for shown in self._shown
        )
        variants = [Rule(form(old_words), form(new_words)) for form in _FORMS]
        return [
            variant
            for variant in variants
            if shown_before and variant.old not in self.rules and not self._refuted[variant]
        ]


def rule_of(left: str, old: str, new: str, right: str) -> Rule | None:
    """The smallest whole-word replacement that explains a hunk, or ``None``.

    >>> rule_of("x = get_", "user", "account", "(1)")
    Rule(old='get_user', new='get_account')
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
    if _is_word((old or new)[:1]) or _is_word(new[:1]):
        old, new = head[0] + old, head[0] + new
    if _is_word((old or new)[-1:]) or _is_word(new[-1:]):
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
    return Rule(old, new)


@dataclass(frozen=True, slots=True)
class Shift:
    """From byte ``origin`` of the plain text on, lines as deep as ``old`` become as deep as ``new``.

    Up to the first line that is less deep: a block was wrapped or unwrapped.
    """

    origin: int
    old: str
    new: str


def shift_of(left: str, old: str, new: str, right: str) -> tuple[str, str] | None:
    """Old and new indentation of the line in which a hunk ends, if that is what changed.

    >>> shift_of("a\\n", "  ", "    ", "b = c")
    ('  ', '    ')
    """
    was = (left + old).rpartition("\n")[2] + right
    now = (left + new).rpartition("\n")[2] + right
    bare = was.lstrip(" \t")
    if not bare.strip() or bare != now.lstrip(" \t") or was == now:
        return None
    return was[: len(was) - len(bare)], now[: len(now) - len(bare)]


def words_of(text: str) -> tuple[str, ...]:
    """The words of an identifier in lower case: ``fooBar``, ``foo_bar``, ``FOO-BAR`` alike."""
    if not re.fullmatch(r"[\w-]+", text):
        return ()
    parts = re.findall(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|[0-9]+", text)
    return tuple(part.lower() for part in parts)


def _snake(words: Sequence[str]) -> str:
    return "_".join(words)


def _upper(words: Sequence[str]) -> str:
    return "_".join(words).upper()


def _pascal(words: Sequence[str]) -> str:
    return "".join(word.capitalize() for word in words)


def _camel(words: Sequence[str]) -> str:
    return words[0] + _pascal(words[1:])


def _kebab(words: Sequence[str]) -> str:
    return "-".join(words)


_FORMS = (_snake, _upper, _pascal, _camel, _kebab)


def _bounded(old: str) -> str:
    before = r"(?<!\w)" if _is_word(old[:1]) else ""
    after = r"(?!\w)" if _is_word(old[-1:]) else ""
    return before + re.escape(old) + after


def _is_word(char: str) -> bool:
    return bool(char) and (char.isalnum() or char == "_")
