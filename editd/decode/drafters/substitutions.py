"""What one finished hunk teaches about the rest: this word became that.

Text only, no tokens. A rule replaces a text wherever it stands at word boundaries; it is learned
from a hunk or read from the instruction, confirmed where the output follows it, and dropped at the
first place where the output does not.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
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
    """The rules in force."""

    def __init__(self, renames: Iterable[tuple[str, str]] = ()) -> None:
        self.rules: dict[str, str] = {}
        self._shown: set[Rule] = set()
        self._refuted: dict[Rule, int] = {}
        self._confirmed: dict[Rule, int] = {}
        for old, new in renames:
            self._add(Rule(old, new))
        self._pattern: re.Pattern[str] | None = None
        self._compile()

    @property
    def pattern(self) -> re.Pattern[str] | None:
        """Finds every place where a rule applies; ``None`` without rules."""
        return self._pattern

    def learn(self, left: str, old: str, new: str, right: str) -> bool:
        """Take a hunk's lesson: ``left + old + right`` became ``left + new + right``.

        Returns whether the rules changed.
        """
        rule = rule_of(left, old, new, right)
        if rule is None:
            return False
        self._confirmed[rule] = self._confirmed.get(rule, 0) + 1
        if self.rules.get(rule.old) == rule.new:
            return False
        if self._refuted.get(rule, 0) >= self._confirmed[rule]:
            return False
        self._add(rule)
        for variant in self._variants(rule):
            self._add(variant)
        self._compile()
        return True

    def refute(self, old: str) -> bool:
        """The output kept ``old`` where a rule would have replaced it: drop that rule."""
        new = self.rules.pop(old, None)
        if new is None:
            return False
        rule = Rule(old, new)
        self._refuted[rule] = self._refuted.get(rule, 0) + 1
        self._compile()
        return True

    def _add(self, rule: Rule) -> None:
        if rule.old and rule.old != rule.new:
            self.rules[rule.old] = rule.new
            self._shown.add(rule)

    def _variants(self, rule: Rule) -> list[Rule]:
        """Other case forms, once the edit has shown two of them."""
        old_words, new_words = words_of(rule.old), words_of(rule.new)
        if not old_words or not new_words:
            return []
        if not any(
            shown != rule and words_of(shown.old) == old_words and words_of(shown.new) == new_words
            for shown in self._shown
        ):
            return []
        return [
            variant
            for variant in (Rule(form(old_words), form(new_words)) for form in _FORMS)
            if variant.old not in self.rules and not self._refuted.get(variant)
        ]

    def _compile(self) -> None:
        if not self.rules:
            self._pattern = None
            return
        longest_first = sorted(self.rules, key=lambda old: (-len(old), old))
        self._pattern = re.compile("|".join(_bounded(old) for old in longest_first))


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


def words_of(text: str) -> tuple[str, ...]:
    """The words of an identifier in lower case: ``fooBar``, ``foo_bar``, ``FOO-BAR`` alike."""
    if not re.fullmatch(r"[\w-]+", text):
        return ()
    parts = re.findall(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|[0-9]+", text)
    return tuple(part.lower() for part in parts)


_FORMS = (
    lambda words: "_".join(words),
    lambda words: "_".join(words).upper(),
    lambda words: "".join(word.capitalize() for word in words),
    lambda words: words[0] + "".join(word.capitalize() for word in words[1:]),
    lambda words: "-".join(words),
)


def _bounded(old: str) -> str:
    before = r"(?<!\w)" if _is_word(old[:1]) else ""
    after = r"(?!\w)" if _is_word(old[-1:]) else ""
    return before + re.escape(old) + after


def _is_word(char: str) -> bool:
    return bool(char) and (char.isalnum() or char == "_")
