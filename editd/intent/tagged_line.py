"""Writes a request as one line for regular expressions: its tokens, each with a tag before it and a space behind it.

A tag says what a token may be. Words: ``a`` article, ``q`` quantifier, ``k`` kind of program part, ``l`` label such as
"name", ``s`` name of a sign, ``f`` other function word, ``e`` end of a phrase, ``b`` end or function word, ``u`` "use";
``n`` number, ``r`` address, ``m`` plainly a name, ``c`` like code, ``w`` any other word. Else: ``"`` and a number for the
text in those quotes, ``,`` and a mark, ``>`` or, without spaces around it, ``~`` for an arrow.

"rename the `total` to sum_all" is ``wrename athe "0 fto msum_all``. ``rows`` and ``phrases`` match that line. Standard
library only.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache

from editd.intent.english import (
    ARTICLES,
    CASE_STYLE,
    FUNCTION_WORDS,
    KINDS,
    LABELS,
    NUMBER,
    QUANTIFIERS,
    SIGNS,
    is_code_like,
    tokens_of,
)

_PLACES = frozenset("in of from inside within everywhere throughout across".split())  # noqa: SIM905
_ENDS = _PLACES | frozenset(
    """
    globally for and but so where wherever when whenever instead please too also only then because
    since on respectively consistently as at
    """.split()  # noqa: SIM905
)

# Before a word: what else it may be than a term. "b" is both before a term and an end.
_CLASSES = {
    **dict.fromkeys(FUNCTION_WORDS, "f"),
    **dict.fromkeys(SIGNS, "s"),
    **dict.fromkeys(_ENDS, "e"),
    **dict.fromkeys(QUANTIFIERS | {"out"}, "q"),
    **dict.fromkeys(LABELS, "l"),
    **dict.fromkeys(KINDS, "k"),
    **dict.fromkeys(ARTICLES, "a"),
    **dict.fromkeys(("of", "everywhere", "throughout"), "b"),
    "use": "u",
}
_FILLED = r"(?:[abklq]\S+ |uuse (?=bof )){0,9}"  # words before a term that are no part of it


# Written like names, but of other things.
_PRODUCTS = frozenset(
    """
    javascript typescript coffeescript github gitlab bitbucket postgresql mysql sqlite mongodb nosql numpy
    pytorch tensorflow openai youtube iphone ios macos webassembly graphql fastapi opencv
    """.split()  # noqa: SIM905
)
_ADDRESS = re.compile(
    r"[\w.+-]*(?:://|@\w+\.|:\d+$)|(?:[\w-]+\.)+(?:com|org|net|io|dev|local)(?:/|$)|\.{0,2}/\w|(?:application|text|image)/\w"
)
_PLAINLY_A_NAME = re.compile(r"(?=.*(?:\w_|_\w|[a-z][A-Z])|\w+\(\)|.$)[^\W\d]\w*(?:\(\))?")


TERM = rf'(?P<old>){_FILLED}(?P<term>)(?:"\d+|[a-z]\S+) '
"""A term that a verb follows."""
_LONGEST = 200  # characters before a word in which it may be denied
_ALONE = re.compile(r'(?P<fill>(?:a\S+ )?)(?P<term>(?:"\d+|[a-z]\S+) )', re.IGNORECASE)


def either(words: str) -> str:
    """A pattern for one of these words, whatever its tag."""
    return f"(?:.(?:{'|'.join(sorted(words.split()))}) )"


JOINT = rf"(?:(?:{either('and or &')}|,[,;\n] )+(?=.))"
"""Commas and "and" between two terms."""


JOINED = re.compile(JOINT, re.IGNORECASE)
_NOT = either("don't dont don’t not never without avoid cannot can't can’t")
_NEGATED = re.compile(rf'(?<!\S)(?:{either("instead")}.of |{_NOT}(?:[a-z"]\S* )?)$', re.IGNORECASE)


def term_before(separator: str, *, named: bool = False) -> str:
    """A pattern for a term and what belongs to it. separator: the words between old and new. named: with groups."""
    pattern = (
        rf'(?P<fill>{_FILLED})(?P<term>"\d+ |(?!{separator}|[be])[a-z]\S+ )'
        rf"(?:(?P<described>k\S+ (?={separator}))|(?P<label>(?<=['’]s )l\S+ )"
        r'|(?:(?<="\d )|(?<="\d\d ))[kl]\S+ )?'
    )
    return pattern if named else re.sub(r"\?P<\w+>", "?:", pattern)


@dataclass(frozen=True, slots=True)
class Term:
    """A word that may be an old or a new text, and how it was introduced."""

    text: str
    end: int
    quoted: bool
    article: bool  # "the foo": bare English is then a description, not a name
    kind: bool  # "the function foo", "occurrences of foo": a name whatever it looks like
    described: bool  # "the foo function": a name if it is to be renamed

    @property
    def word(self) -> str:
        """The word in lower case; empty for what is quoted."""
        return "" if self.quoted else self.text.lower()

    @property
    def possible(self) -> bool:
        """Whether the term may be meant as it stands: quoted, of a named kind, like code, or without an article. "a
        better name" may not; a function word ("it") and the bare word of a kind ("function") never.
        """
        word = self.word
        if (word in FUNCTION_WORDS and word != "a") or (word in KINDS and not self.kind):
            return False
        return self.quoted or self.kind or is_code_like(self.text) or not self.article


def is_of_signs(old: Term, new: Term, *, is_naming: bool = False) -> bool:
    """Whether one of both terms is a bare style of writing ("snake_case") or word for signs ("tabs", "semicolons"),
    which stands for something else than the word itself. is_naming: in a rename only styles of writing count.
    """
    bare = (old.word, new.word)
    styled = any(map(CASE_STYLE.fullmatch, bare))
    return styled or not (is_naming or SIGNS.isdisjoint(bare))


@dataclass(frozen=True, slots=True)
class TaggedLine:
    """A request as a line that patterns read.

    Each token has a tag before it and a space behind it. quoted: the texts that stood in quotes, which the line names by
    number. marks: the quotes around each.
    """

    text: str
    quoted: Sequence[str]
    marks: Sequence[str] = ()

    @classmethod
    def of(cls, instruction: str) -> TaggedLine:
        """The tagged line of a request: each token with a tag and a space, quoted texts as ``"0``, ``"1``, with the
        texts and the quotes around each in lists by these numbers; ``>`` for an arrow, ``~`` for one without blanks
        around it, ``,`` before a mark, else the tag of the word.
        """
        quoted: list[str] = []
        marks: list[str] = []
        parts = []
        for token in tokens_of(instruction):
            if token.quoted:
                parts.append(f'"{len(quoted)} ')
                quoted.append(token.text)
                marks.append(token.quoted)
            elif token.kind == "arrow":
                parts.append("~ " if token.tight else "> ")
            elif token.kind == "mark":
                parts.append(f",{token.text} ")
            else:
                parts.append(f"{_CLASSES.get(token.word) or _class_of(token.text)}{token.text} ")
        return cls("".join(parts), quoted, marks)

    def terms(self, at: int, separator: str = "(?!)", most: int = 8) -> list[Term]:
        """Up to ``most`` terms from place ``at`` of the line on, joined by commas and "and"; empty
        if none begins there. separator: a pattern before which a term's description ends.
        """
        terms: list[Term] = []
        while len(terms) < most and (match := _pattern(separator).match(self.text, at)):
            terms.append(self._term_of(match["term"], match.end(), match["fill"], match))
            joint = JOINED.match(self.text, match.end())
            if joint is None:
                break
            at = joint.end()
        return terms

    def alone(self, at: int) -> Term | None:
        """The word at ``at``, perhaps behind an article; ``None`` if it is none."""
        match = _ALONE.match(self.text, at)
        return self._term_of(match["term"], match.end(), match["fill"]) if match else None

    def _term_of(self, term: str, end: int, fill: str, match: re.Match[str] | None = None) -> Term:
        """The term of a tagged word that ends at ``end``. A possessive "'s" is taken off a bare word.

        fill: the tagged words before it, such as articles and kinds. match: of the whole term, if it may have a
        description or a label ("named").
        """
        before = {word[0] for word in fill.split()}
        described = match is not None and match["described"] is not None
        kind = described or (match is not None and bool(match["label"])) or bool(before & {*"kl"})
        quoted = term.startswith('"')
        text = self.quoted[int(term[1:])] if quoted else re.sub(r"(?<=.)['’]s$", "", term[1:-1])
        return Term(text, end, quoted, "a" in before, kind, described)

    def ends_phrase(self, at: int) -> bool:
        """Whether a phrase may be complete before ``at``: "rename a to b | in this file"."""
        return self.text[at : at + 1] in ("", ",", "b", "e")

    def is_negated(self, at: int) -> bool:
        """Whether the word at ``at`` is denied: "don't rename", "without renaming"."""
        return bool(_NEGATED.search(self.text, max(0, at - _LONGEST), at))


def _class_of(word: str) -> str:
    """The tag of a word that is no part of the grammar: ``n`` number, ``r`` address, ``m``
    certainly a name, ``c`` like code, ``w`` any other.
    """
    if NUMBER.fullmatch(word):
        return "n"
    if _ADDRESS.match(word):
        return "r"
    if _PLAINLY_A_NAME.fullmatch(word) and word.lower() not in _PRODUCTS:
        return "m"
    return "c" if is_code_like(word) else "w"


@cache
def _pattern(separator: str) -> re.Pattern[str]:
    """The compiled pattern of a term before ``separator``, with groups."""
    return re.compile(term_before(separator, named=True), re.IGNORECASE)
