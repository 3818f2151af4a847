"""The terms of an instruction: words that may be an old or a new text, found among its tokens.

Where a phrase like "the function `foo`, everywhere" begins and ends; what is done with the terms
is ``renames``' business. Standard library only.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from editd.instruction.wording import (
    ARTICLES,
    FUNCTION_WORDS,
    KINDS,
    LABELS,
    QUANTIFIERS,
    Token,
    is_code_like,
)

# Words that may stand before a term without being part of it.
FILLERS = ARTICLES | QUANTIFIERS | KINDS | LABELS | frozenset(["of", "out", "use"])


@dataclass(frozen=True, slots=True)
class Term:
    """A word that may be an old or a new text, and how it was introduced."""

    token: Token
    end: int
    article: bool  # "the foo": bare English is then a description, not a name
    kind: bool  # "the function foo", "occurrences of foo": a name whatever it looks like
    described: bool = False  # "the foo function": a name if it is to be renamed

    @property
    def text(self) -> str:
        return self.token.text

    @property
    def certain(self) -> bool:
        """Whether it is plainly meant as it stands: quoted, announced, or hardly English."""
        return self.token.quoted or self.kind or is_code_like(self.text)

    @property
    def possible(self) -> bool:
        """Whether it may be meant as it stands; "a better name" and "it" are not."""
        if self.token.quoted:
            return True
        if self.token.word in FUNCTION_WORDS and self.token.word != "a":
            return False
        if self.token.word in KINDS and not self.kind:
            return False
        return self.certain or not self.article


def terms_at(
    tokens: Sequence[Token], at: int, separators: frozenset[str], most: int = 8
) -> tuple[list[Term], int]:
    """Up to ``most`` terms from ``at`` on, joined by commas and "and"; and the index after them."""
    terms: list[Term] = []
    while len(terms) < most and (term := term_at(tokens, at, separators)) is not None:
        terms.append(term)
        at = after_conjunction(tokens, term.end)
        if at == term.end:
            break
    return terms, terms[-1].end if terms else at


def term_at(tokens: Sequence[Token], at: int, separators: frozenset[str]) -> Term | None:
    """The term that begins at ``at``, past words like "the function"; ``None`` if there is none.

    ``separators``: the words that the phrase's verb puts after its old text ("to", "with").
    """
    article = kind = False
    while at < len(tokens) and tokens[at].word in FILLERS:
        if tokens[at].word == "use" and word_at(tokens, at + 1) != "of":
            break
        last = at + 1 >= len(tokens) or tokens[at + 1].kind != "term"
        if last or tokens[at + 1].word in separators or tokens[at + 1].word in _ENDS - {"of"}:
            break  # the filler is itself the term: "rename value to result"
        article = article or tokens[at].word in ARTICLES
        kind = kind or tokens[at].word in KINDS | LABELS
        at += 1
    if at >= len(tokens) or tokens[at].kind != "term":
        return None
    token = tokens[at]
    if not token.quoted and (token.word in separators or token.word in _ENDS):
        return None
    possessive = re.fullmatch(r"(.+)['’]s", token.text) if not token.quoted else None
    end = at + 1
    if possessive:
        token = Token("term", possessive[1])
        if word_at(tokens, end) in LABELS:
            return Term(token, end + 1, article, kind=True)
    if word_at(tokens, end) in KINDS and word_at(tokens, end + 1) in separators:
        return Term(token, end + 1, article, kind=True, described=True)
    if token.quoted and word_at(tokens, end) in LABELS | KINDS:
        end += 1
    return Term(token, end, article, kind)


def term_ending(tokens: Sequence[Token], at: int) -> Term | None:
    """The term whose last token is ``at``, read backwards."""
    if at < 0 or tokens[at].kind != "term":
        return None
    token = tokens[at]
    if not token.quoted and (token.word in FUNCTION_WORDS or token.word in KINDS):
        return None
    before = word_at(tokens, at - 1)
    kind = before in KINDS | LABELS or (before == "of" and word_at(tokens, at - 2) in LABELS)
    back = at - 1
    while back >= 0 and tokens[back].word in KINDS | LABELS:
        back -= 1
    return Term(token, at + 1, article=word_at(tokens, back) in ARTICLES, kind=kind)


def skip_place(tokens: Sequence[Token], at: int, separators: frozenset[str]) -> int:
    """Past "everywhere", "in function f": to the separator, when one comes soon."""
    if word_at(tokens, at) not in _PLACES | {"globally", "consistently"} and not (
        kind_at(tokens, at) == "mark" and tokens[at].text == "("
    ):
        return at
    for step in range(at, min(at + 8, len(tokens))):
        if tokens[step].word in separators or tokens[step].kind == "arrow":
            return step
        if tokens[step].kind == "mark" and tokens[step].text not in "()":
            break
    return at


def after_conjunction(tokens: Sequence[Token], at: int) -> int:
    """The index after commas and "and"; ``at`` itself where there is none, or nothing follows."""
    start = at
    while at < len(tokens) and (
        (tokens[at].kind == "mark" and tokens[at].text in ",;\n")
        or tokens[at].word in ("and", "or", "&")
    ):
        at += 1
    return at if at < len(tokens) else start


def ends_phrase(tokens: Sequence[Token], at: int) -> bool:
    """Whether a phrase may be complete before ``at``: "rename a to b | in this file"."""
    return at >= len(tokens) or tokens[at].kind == "mark" or tokens[at].word in _ENDS


def is_negated(tokens: Sequence[Token], at: int) -> bool:
    """Whether the word at ``at`` is denied: "don't rename", "without renaming"."""
    if word_at(tokens, at - 1) == "of" and word_at(tokens, at - 2) == "instead":
        return True
    for back in (at - 1, at - 2):
        if back < 0 or tokens[back].kind != "term":
            return False
        if tokens[back].word in _NEGATIONS:
            return True
    return False


def word_at(tokens: Sequence[Token], at: int) -> str:
    """The bare word at ``at``, ``""`` for a quoted term, a mark, or outside."""
    return tokens[at].word if 0 <= at < len(tokens) else ""


def kind_at(tokens: Sequence[Token], at: int) -> str:
    """The token's kind, ``""`` outside."""
    return tokens[at].kind if 0 <= at < len(tokens) else ""


_PLACES = frozenset(["in", "of", "from", "inside", "within", "everywhere", "throughout", "across"])
_ENDS = _PLACES | frozenset(
    """
    globally for and but so where wherever when whenever instead please too also only then because
    since on respectively consistently as at
    """.split()  # noqa: SIM905
)
_NEGATIONS = frozenset(
    ["don't", "dont", "don’t", "not", "never", "without", "avoid", "cannot", "can't", "can’t"]
)
