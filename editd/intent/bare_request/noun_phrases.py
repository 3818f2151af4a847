"""Finds what the pronouns of a request may stand for: the nouns of the clauses before it, with the words that go with them.

Standard library only.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

_PARTS = frozenset(
    """
    i we you he she they it that this there these those who what which am is are was were isn't aren't wasn't weren't isnt arent has have had do does did don't doesn't didn't dont doesnt
    will won't would can can't cannot could may might must should need needs want wants wanted like likes love hate know think guess believe feel find forgot forget keep keeps
    get gets got give gives gave make makes made take takes took help helps tell tells told say says said warn warns complain complains break breaks fail fails crash crashes
    run runs go goes went come comes came agree agreed look looks read reads seem seems use using used try test see called being been be having has had
    in on at of to for from with without by about into over under up off out as than then so because since while when where before after until if and or but not never always only just even still
    really very too much more most quite now later soon today tomorrow tonight yesterday already again anymore longer minute sec second nobody somebody everybody anybody me us them him her any save
    """.split()  # noqa: SIM905
)
_DETERMINER = re.compile(
    r"^(?:(?:the|a|an|our|my|your|their|its|this|that|these|those|all|some|both|one|two|three|no|any|every|each|several|few|many|even|such) )+",
    re.IGNORECASE,
)
_WORD = re.compile(r"\S+")
_LIKE_CODE = re.compile(r"[._/$-]|[a-z][A-Z]|^\w$")
_BEFORE = r"(?:^|(?<=\bof )|(?<=\bfor )|(?<=\bin )|(?<=\baround )|(?<=\bto )|(?<=\bwith )|(?<=\bfrom )|(?<=^\w\w\w )|(?<=^\w\w\w\w )|(?<=^\w\w\w\w\w )|(?<=^\w\w\w\w\w\w )|(?<=^\w\w\w\w\w\w\w )|(?<=^\w\w\w\w\w\w\w\w )|(?<=^\w\w\w\w\w\w\w\w\w )|(?<=^comment out )|(?<=^throw out )|(?<=^take out )|(?<=^put back )|(?<=^turn off )|(?<=^turn on ))"
PRONOUN = re.compile(
    rf"{_BEFORE}(?:(?P<ones>the ones?|those ones?)|(?:both of them|them (?:all|both|al|too)|it all|it|them|em|they|both|(?:that|those|these|this)(?: (?P<noun>one|line|call|thing|imports?|comments?|prints?|function|method|class|lines|two|calls))?(?= (?:out|away|up|off|back|to|into|with|in|as|instead|should|must)\b|$)))(?![\w'])",
    re.IGNORECASE,
)
_UNUSED = re.compile(
    r"(?:\b(?:is|are|was|were|being)(?:n[’']?t| not| never)|\b(?:does|do)(?:n[’']?t| not)? get) (?:even |really |actually |being |ever )?(?:used|needed|called|read)\b|\bnobody (?:uses|needs|calls)\b",
    re.IGNORECASE,
)


def noun_phrases(clause: str) -> Iterator[str]:
    """Yield the runs of words that may be nouns of a clause, from its beginning, each with "the" in place of its
    determiner; names, code and what is written like it without one.
    """
    run: list[str] = []
    unused = is_unused(clause)
    for found in [*_WORD.findall(clause), ""]:
        word = found.strip(".,;:!?()")
        ends = found[-1:] in (",", ";", ":", ".", "!", "?")
        plain = word.lower().replace("’", "'")
        is_part = plain in _PARTS or plain.partition("'")[0] in _PARTS or plain.endswith("ly")
        if word and not is_part:
            run.append(word)
            if not ends:
                continue
        if run:
            yield from _phrase(run, is_unused=unused)
        run = []


def is_unused(clause: str) -> bool:
    """Whether a clause says that something is not used, needed or called."""
    return _UNUSED.search(clause) is not None


def _phrase(run: list[str], *, is_unused: bool) -> Iterator[str]:
    """Yield the phrase of a run of words, if it has more than a determiner; first as what is unused if it is."""
    text = " ".join(run)
    bare = _DETERMINER.sub("", f"{text} ", count=1).strip()
    if not bare:
        return
    if is_unused:
        yield f"the unused {bare}"
    yield bare if bare.startswith("¤") or _LIKE_CODE.search(bare) else f"the {bare}"
