"""The tokens of a text in brackets: which bracket closes which, and a run of tokens as one flat text.

In a flat text a single sign stands for each string and for each bracket with its content, so that a pattern can look at
the words of a member.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from editd.syntax.dialects import Dialect
from editd.turns import yield_point

_MANY = 5_000  # tokens that are read without a pause

# What stands for a string and for brackets with all that they hold, where words are looked at.
STRING, ROUND, SQUARE, CURLY = "\x01", "\x02", "\x03", "\x04"
_SIGNS = {"(": ROUND, "[": SQUARE, "{": CURLY}
BRACKET = f"[{ROUND}{SQUARE}{CURLY}]"


@dataclass(frozen=True, slots=True)
class FlatText:
    """A run of tokens as one text.

    flat: their text, with one sign for each string and bracket. strings: the text of each. opened: the number of
    each bracket's token. offsets: of the text, by place in ``flat``.
    """

    flat: str
    strings: Sequence[str]
    opened: Sequence[int]
    offsets: dict[int, int]

    def token_of(self, place: int) -> int:
        """The number of the token of the bracket whose sign stands at ``place``."""
        return self.opened[len(re.findall(BRACKET, self.flat[:place]))]


class BracketTokens:
    """The tokens of text ``start .. end``, and which bracket closes which. is_whole: whether all brackets match.

    A token is its kind (a group of ``Dialect.tokens``, or the separator itself) and its offsets.
    """

    def __init__(
        self, text: str, language: str, dialect: Dialect, start: int = 0, end: int | None = None
    ) -> None:
        self.text, self.language, self.dialect = text, language, dialect
        self.start, self.end = start, len(text) if end is None else end
        self.tokens: list[tuple[str, int, int]] = []
        self.closing: dict[int, int] = {}
        self.is_whole = True
        opened: list[int] = []
        for number, found in enumerate(dialect.tokens.finditer(text, self.start, self.end)):
            if number % _MANY == 0:
                yield_point()
            kind = found.lastgroup or ""
            if kind == "w" and found[0].isspace():
                continue
            at = len(self.tokens)
            self.tokens.append((found[0] if kind == "p" else kind, found.start(), found.end()))
            if kind == "o":
                opened.append(at)
            elif kind == "e":
                first = opened.pop() if opened else at
                if text[self.tokens[first][1]] + found[0] not in ("()", "[]", "{}"):
                    self.is_whole = False
                    return
                self.closing[first] = at
        self.is_whole = not opened

    def outer(self, low: int, high: int) -> Iterator[int]:
        """The numbers of the tokens ``low .. high`` (exclusive) that stand in no bracket among
        these; an opening bracket counts, its content and its closing bracket do not.
        """
        at = low
        while at < high:
            yield at
            at = self.closing.get(at, at) + 1

    def end_of(self, at: int) -> int:
        """The offset behind a token and all that it opens."""
        return self.tokens[self.closing.get(at, at)][2]

    def flat_text(self, item: Sequence[int]) -> FlatText:
        """The tokens of a member as one text, in which a single sign stands for each string and for each bracket
        with its content; parameters of types (``<T>``) are left out, blanks between tokens become one. With it the
        strings, the brackets' token numbers, and the offsets of the tokens.
        """
        flat: list[str] = []
        strings: list[str] = []
        opened: list[int] = []
        offsets: dict[int, int] = {}
        place, last = 0, self.tokens[item[0]][1]
        for at in item:
            kind, start, end = self.tokens[at]
            sign = self.text[start:end]
            if kind == "o":
                sign = _SIGNS[sign]
                opened.append(at)
            elif kind == "s":
                strings.append(sign)
                sign = STRING
            elif kind == "g":
                sign = ""
            blank = " " if start > last else ""
            offsets[place + len(blank)] = start
            flat.append(blank + sign)
            place += len(flat[-1])
            last = self.end_of(at)
        return FlatText("".join(flat), strings, opened, offsets)
