"""Finds what the pronoun of a request may stand for: the subject of the clause before it, or what that clause is about.

"The print in load is noise, remove it" means "the print in load"; "cargo warns about an unused import, remove it" may mean
"the unused import". Standard library only.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from editd.intent.bare_request.clause_roles import VERB

_PRONOUNS = frozenset(
    """
    i we you he she they it that this there these those who what which somebody someone nobody everybody everyone people nothing something everything anything anybody anyone noone me us them him her
    """.split()  # noqa: SIM905
)
_BETWEEN = re.compile(
    r"(?:\w+ (?=about |of |with |at ))?(?:(?:not|never|only|even|just|still|really|very|too|so|much|more|quite|now|already|always|also|all|to|be|been|being|have|has|had|get|got|try|want|need|like|use|used|save|see|test|about|with|for|from|on|at|as|of|into|by|going|set|do|does|don't|me|us|rid|my|own) )*",
    re.IGNORECASE,
)
_ENDS = re.compile(
    r"[,;:.!?]| (?:as unused|in (?:a|the) (?:minute|sec(?:ond)?|moment|bit)|later|soon|now|today|tomorrow|tonight|any ?more|any longer|at the moment|at all|for now|again|already|yet|with \S+|when|while|where|which|that|who|and|or|but|than|as|is|are|was|were|has|have|does|do|at once)\b.*",
    re.IGNORECASE,
)
_THERE_IS = re.compile(r"there(?:['’]s| is| are|['’]re)(?: (?:still|also|only))? ", re.IGNORECASE)
_DETERMINER = re.compile(
    r"(?:(?:the|a|an|our|my|your|their|its|this|that|these|those|all|some|both|one|two|three|no|any|every|each|several|few|many|even|such|neither|none|most|half|of) )+",
    re.IGNORECASE,
)
_FINITE = re.compile(
    rf"(?P<subject>.+?)(?: {VERB}|[’'](?:s|re|ve|m|d|ll)(?= ))(?![\w-])", re.IGNORECASE
)
_NO_NOUN = re.compile(
    r"(?:when|while|where|because|at|on|in|if|as|once|until|after|before|that|which|for|so|there|then)\b",
    re.IGNORECASE,
)
_LIKE_CODE = re.compile(r"[._/$-]|[a-z][A-Z]|^\w$|^¤")
_BECAUSE = re.compile(r"(?:because|since|so that|in case|otherwise)\b", re.IGNORECASE)
_OBJECTS = (
    r"the ones?|those ones?|both of them|them (?:all|both|al|too)|it all|it|them|em|they|both"
)
_POINTED = (
    r"(?:that|those|these|this)(?: (?P<noun>one|line|call|thing|imports?|comments?|prints?|function|method|class|lines|two|calls))?"
    r"(?= (?:out|away|up|off|back|to|into|with|in|as|instead|should|must)\b|$)"
)
PRONOUN = re.compile(
    rf"(?:^|(?<=\bof )|(?<=\bfor )|(?<=\bin )|(?<=\baround )|(?<=\bto )|(?<=\bwith )|(?<=\bfrom )|(?P<act>^(?:[a-z]+|(?:comment|throw|take|put|turn) (?:out|back|off|on|in)) ))(?:{_OBJECTS}|{_POINTED})(?![\w'])",
    re.IGNORECASE,
)
"""A pronoun that begins a request, or is what its verb or a preposition is about; ``act`` is the verb before it."""
_UNUSED = re.compile(
    r"(?:\b(?:is|are|was|were|being)(?:n[’']?t| not| never)|\b(?:does|do)(?:n[’']?t| not)? get) (?:even |really |actually |being |ever )?(?:used|needed|called|read)\b|\bnobody (?:uses|needs|calls)\b|\bas unused\b",
    re.IGNORECASE,
)


def is_unused(clause: str) -> bool:
    """Whether a clause says that something is not used, needed or called."""
    return _UNUSED.search(clause) is not None


def noun_phrases(clause: str) -> Iterator[str]:
    """Yield the subject of a clause that gives a reason, and what it says something about, each with "the" in place of
    its determiner, and first as "the unused …" where the clause says so; names and code without one.

    Neither is yielded where it is a pronoun; nothing of a clause that begins with "because" or the like.
    """
    if _BECAUSE.match(clause):
        return
    if exists := _THERE_IS.match(clause):
        yield from _phrase(clause[exists.end() :], clause)
        return
    finite = _FINITE.match(clause)
    if finite is None:
        return
    subject = finite["subject"]
    if subject.partition(" ")[0].lower() not in _PRONOUNS:
        yield from _phrase(subject, clause)
    rest = clause[finite.end() :].lstrip(" ")
    between = _BETWEEN.match(f"{rest} ")
    yield from _phrase(rest[between.end() if between else 0 :], clause)


def _phrase(words: str, clause: str) -> Iterator[str]:
    """Yield the noun that a text begins with, as far as nothing ends it."""
    if _NO_NOUN.match(words):
        return
    text = f"{_ENDS.sub('', words).strip()} "
    determiner = _DETERMINER.match(text)
    bare = text[determiner.end() if determiner else 0 :].strip()
    if not bare or bare.lower() in _PRONOUNS or bare.lower().endswith("ly"):
        return
    if is_unused(clause):
        yield f"the unused {bare}"
    yield bare if _LIKE_CODE.search(bare) and " " not in bare else f"the {bare}"
