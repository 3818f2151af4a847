"""Compiles the rows of rules (sentences with slots for names and values) to patterns, and finds a row in a request.

A row (``rules.dialect``) matches a request as a whole, written as a tagged line (``tagged_line``): each token stands
there behind a letter that says what it may be. What its slots may hold is for ``matching`` to judge.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache

from editd.intent.english import KINDS, QUOTED
from editd.intent.rules.dialect import A_KIND, BEFORE_KIND, PHRASES, SLOTS
from editd.intent.tagged_line import TaggedLine

_PIECE = re.compile(
    r"->|\s+|[A-Z]{2,}(?![\w.])|(?:\(\)|[^\s()|*,:?])(?:\(\)|[^\s()|*,:])*(?<!->)|[()|*,:?]"
)
_LETTER = re.compile(r"(\[\w+\]|.)(\?)?")
_LITERAL = re.compile(r"[^\w\[\]?]+|\(\)")
_SIGNS = {
    **{sign: sign for sign in ")|?*"},
    "(": "(?:",
    ";": "(?:,[,;:.(-] )",
    ",": "(?:,[,;:.(-] )?",
    ":": "(?:,: )",
    "->": "[~>] ",
}
_ROLES = "old new owner place module item type error value level quoted parameter alias from name test imported handler anchor code".split()  # noqa: SIM905
_RAW = ("handler", "anchor")  # roles whose quotes belong to the text
# "x=3" is cut in three.
_ASSIGNED = re.compile(
    rf"(?P<quoted>{QUOTED})"
    r"|(?<=\w) ?= ?(?=[-\d]|(?:None|True|False)\b)"
)


@dataclass(frozen=True, slots=True)
class ClauseLine:
    """A request as rows are matched against it.

    lower: the tagged line in lower case, where "`" in place of '"' tags what stood in backticks.
    words: the words of ``lower``, without their tags.
    """

    tagged: TaggedLine
    lower: str
    words: frozenset[str]

    @classmethod
    def of(cls, text: str) -> ClauseLine:
        """The tagged line of a request, with its words, and its form in lower case, where quoted texts in backticks
        have the tag of a backtick instead of a quote; ``=`` without blanks gets some.
        """
        split = _ASSIGNED.sub(lambda at: at["quoted"] or " = ", text)
        tagged = TaggedLine.of(split.rstrip(" ("))
        lower = tagged.text.lower()
        lower = lower if len(lower) == len(tagged.text) else tagged.text
        for number, mark in enumerate(tagged.marks):
            lower = lower.replace(f'"{number} ', f"`{number} ") if mark == "`" else lower
        return cls(tagged, lower, frozenset(word[1:] for word in lower.split()))

    def may_match(self, row: str) -> bool:
        """Whether the line has a word of each set that ``row`` needs; a cheap test before ``slots_of``."""
        return not any(map(self.words.isdisjoint, words_needed(row)))

    def slots_of(self, row: str) -> tuple[dict[str, str], dict[str, str]] | None:
        """The contents of the slots of ``row`` (its placeholders) by role, and the quotes around each, empty for none;
        ``None`` if the row does not match the whole line.

        A second slot of a role has the key with a ``2`` behind it. ``kind`` is the kind's word alone; an alias is a
        part of ``module`` ("numpy as np"); with a ``from``, the module is that, and ``item`` what is imported; units
        and surrounding words are joined as ``about``.
        """
        match = compiled(row).fullmatch(self.lower)
        if match is None:
            return None
        slots: dict[str, str] = {}
        quotes: dict[str, str] = {}
        for key, group in match.groupdict().items():
            role = key.rstrip("0123456789")
            if role == "about" and group:
                slots[role] = slots.get(role, "") + group
            elif group and role in _RAW:
                slots[role], quotes[role] = self._raw(*match.span(key)), ""
            elif group:
                role += "2" if role in slots else ""
                slots[role], quotes[role] = self._text(*match.span(key))
        if "kind" in slots:
            slots["kind"] = next((word for word in slots["kind"].split() if word in KINDS), "")
        if "alias" in slots:
            slots["module"] += f" as {slots['alias']}"
        if "from" in slots:
            slots["item"], slots["module"] = slots["module"], slots["from"]
            quotes["item"], quotes["module"] = quotes["module"], quotes["from"]
        units = slots.get("unit", "") + slots.get("unit2", "")
        slots["about"] = slots.get("about", "") + units
        if not units and not re.search(r"\b[wk]\w", slots["about"]):
            del slots["about"]  # "the string", "every"
        return slots, quotes

    def _raw(self, start: int, end: int) -> str:
        """The original text of a part of the line, with its quotes."""
        words = []
        for token in self.tagged.text[start:end].split():
            number = int(token[1:]) if token[0] == '"' else -1
            mark = self.tagged.marks[number] if number >= 0 else ""
            words.append(f"{mark}{self.tagged.quoted[number]}{mark}" if mark else token[1:])
        return " ".join(words)

    def _text(self, start: int, end: int) -> tuple[str, str]:
        """The original text of the part ``start .. end`` of the line, and the quotes around it;
        empty quotes for bare words, or several tokens.
        """
        tokens = self.tagged.text[start:end].split()
        if len(tokens) == 1 and tokens[0][0] == '"':
            number = int(tokens[0][1:])
            return self.tagged.quoted[number], self.tagged.marks[number]
        words = (self.tagged.quoted[int(t[1:])] if t[0] == '"' else t[1:] for t in tokens)
        return re.sub(r" (?=[,\]])", "", " ".join(words)), ""


@cache
def words_needed(row: str) -> list[frozenset[str]]:
    """Sets of words, of each of which a line that matches ``row`` has one."""
    return _sets(iter(_PIECE.findall(row)))


def _sets(pieces: Iterator[str]) -> list[frozenset[str]]:
    """The needs of a request that matches a part of a row, up to the bracket that closes: sets of words, of each of
    which it has to have one. Consumes ``pieces`` so far.

    Optional parts contribute none. Of alternatives the smallest set of each goes into a common one; if one of them has
    none, there is none.
    """
    ways: list[list[list[frozenset[str]]]] = [[]]
    for piece in pieces:
        if piece == ")":
            break
        if piece == "|":
            ways.append([])
        elif piece in ("?", "*"):
            ways[-1][-1] = []
        elif piece == "(":
            ways[-1].append(_sets(pieces))
        elif piece in PHRASES:
            ways[-1].append(words_needed(PHRASES[piece]))
        elif not piece.isspace():
            is_word = piece not in SLOTS and piece not in _SIGNS and piece != "KIND"
            ways[-1].append([_spellings(piece)] if is_word else [])
    sets = [[words for part in way for words in part] for way in ways]
    if len(sets) == 1:
        return sets[0]
    return [frozenset().union(*(min(way, key=len) for way in sets))] if all(sets) else []


@cache
def _spellings(word: str) -> frozenset[str]:
    """The words that a small pattern spells: ``modernise`` and ``modernize`` of ``moderni[sz]e``;
    ``import`` and ``imports`` of ``imports?``.
    """
    spelled = [""]
    for letters, optional in _LETTER.findall(word):
        choices = [*letters.strip("[]"), *([""] if optional else [])]
        spelled = [begin + letter for begin in spelled for letter in choices]
    return frozenset(spelled)


@cache
def compiled(row: str) -> re.Pattern[str]:
    """``row`` as a pattern of a whole tagged line in lower case; each slot is a group, such as
    ``old1``, ``kind2``. Compiled once.
    """
    numbers = iter(range(100))

    def written(match: re.Match[str]) -> str:
        word = match[0]
        if word.isspace():
            return ""
        if word in PHRASES:
            return f"(?:{_PIECE.sub(written, PHRASES[word])})"
        if slot := SLOTS.get(word):
            role = next((role for role in _ROLES if word.startswith(role.upper())), "")
            role = {"WORDS": "about", "LEAD": "about", "UNIT": "unit"}.get(word, role)
            return f"(?P<{role}{next(numbers)}>{slot})" if role else f"(?:{slot})"
        if word == "KIND":
            return f"(?:{BEFORE_KIND}(?P<kind{next(numbers)}>{A_KIND})(?:l(?:called|named) )?)"
        return _SIGNS.get(word) or f"(?:.{_LITERAL.sub(lambda at: re.escape(at[0]), word)} )"

    return re.compile(_PIECE.sub(written, row))
