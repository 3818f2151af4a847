"""Answers that delete more than the words name, or less.

Where they name lines by a text in them, or a function or class, or say that nothing is to change. Everything else stays.
"""

from __future__ import annotations

import re
from collections import Counter

from editd.checks.requests import Request, request_of
from editd.checks.rewrite import Rewrite, Suspicion, quoted
from editd.intent.english import KINDS
from editd.intent.lexicon import DELETE, SAYS_NOTHING
from editd.intent.matching import kind_of
from editd.syntax.code import read_code
from editd.syntax.python_constructs import PythonConstructs
from editd.syntax.words import as_word

_IN_A_PLACE = re.compile(
    r"\b(?:in|from|(?<!rid )of|inside) (?!here\b|this\b|it\b|its\b|the (?:file|code|module)\b)|\b(?:deprecated|unused|old|obsolete)\b",
    re.IGNORECASE,
)
_LINES = re.compile(r"\b(?:lines?|rows?)\b", re.IGNORECASE)
_PLURAL = re.compile(r"\b(?:lines|rows|ones|any)\b", re.IGNORECASE)


def suspicions(rewrite: Rewrite) -> list[Suspicion]:
    """A suspicion about all hunks, where the instruction asks for a deletion and they delete or write what the words do
    not name, or leave what they name, or where the buffer lacks the one text that is to go; also where the instruction
    asks for no change. Else none.
    """
    if kind_of(rewrite.instruction, ("no-change",), lambda _: False):
        return [Suspicion("The words ask for no change.", _all(rewrite))]
    request = request_of(rewrite.instruction)
    if request.is_removal and request.values and _LINES.search(rewrite.instruction):
        return _suspicions_of_lines(rewrite, request)
    if not request.is_removal or request.kinds:
        return []
    text = rewrite.model_text(0, len(rewrite.old_lines))
    if _is_about_one(rewrite.instruction, request) and not as_word(request.values[0]).search(text):
        reason = f"{quoted(request.values[0])} does not stand in this text."
        return [Suspicion(reason, _all(rewrite))]
    is_whole = request.is_plain and not _IN_A_PLACE.search(rewrite.instruction)
    return _suspicions_of_definition(rewrite, request) if is_whole else []


def _all(rewrite: Rewrite) -> tuple[int, ...]:
    """The ids of all hunks: to delete half of something is as wrong as to leave it."""
    return tuple(hunk.id for hunk in rewrite.hunks)


def _is_about_one(instruction: str, request: Request) -> bool:
    """Whether an instruction names a single value, in quotes or without words that say more about it; false if it names
    a place, or has a word such as "unused".
    """
    if len(request.values) != 1 or _IN_A_PLACE.search(instruction):
        return False
    others = set(re.findall(r"[a-z']+", instruction.replace(request.values[0], " ").lower()))
    return request.values == request.quoted or others <= SAYS_NOTHING | DELETE | KINDS


def _suspicions_of_lines(rewrite: Rewrite, request: Request) -> list[Suspicion]:
    """A suspicion about all hunks, where lines with a text are to go, and another line goes, a line is written
    (``pass`` aside), or, if all are to go, such a line is left. None unless exactly one value of the request stands in
    the buffer.
    """
    text = rewrite.model_text(0, len(rewrite.old_lines))
    values = [value for value in request.values if value in text]
    if len(values) != 1:
        return []
    value = values[0]
    for hunk in rewrite.hunks:
        replaced = rewrite.old_lines[hunk.start : hunk.start + hunk.old_count]
        old = Counter(line.rstrip() for line in replaced)
        new = Counter(line.rstrip() for line in hunk.new_lines)
        lost = next((line for line in old - new if line and value not in line), None)
        more = next((line for line in new - old if line and line.strip() != "pass"), None)
        if lost is not None:
            return [Suspicion(f"{quoted(lost)} goes, and has no {quoted(value)}.", _all(rewrite))]
        if more is not None:
            return [Suspicion(f"{quoted(more)} is written, and lines were to go.", _all(rewrite))]
    if request.is_every or _PLURAL.search(rewrite.instruction):
        left = [
            n
            for n, line in enumerate(rewrite.new_text(0, len(rewrite.old_lines)).split("\n"))
            if value in line
        ]
        if left:
            reason = f"Line {left[0] + 1} still has {quoted(value)}."
            return [Suspicion(reason, _all(rewrite))]
    return []


def _suspicions_of_definition(rewrite: Rewrite, request: Request) -> list[Suspicion]:
    """A suspicion about all hunks, where a function or class is to go, and is left or, in Python, something else
    changed. None if a text does not parse, or the request does not name exactly one definition of the buffer.
    """
    total = len(rewrite.old_lines)
    before, after = rewrite.model_text(0, total), rewrite.new_text(0, total)
    cut = read_code(before, rewrite.language).cut
    if cut is not None:
        rest = cut.without_end(after)
        if rest is None:
            return []
        before, after = cut.closed, rest
    old = read_code(before, rewrite.language).constructs
    new = read_code(after, rewrite.language).constructs
    if old is None or new is None or not request.names:
        return []
    named = old.definitions_named(request.names)
    if len(named) != 1:
        return []
    ((path, definitions),) = named.items()
    everything = _all(rewrite)
    name = path.rpartition(".")[2]
    if len(new.definitions_named([name]).get(path, ())) >= len(definitions):
        return [
            Suspicion(f"The words ask for “{name}” to go, and it is still defined.", everything)
        ]
    if (
        isinstance(old, PythonConstructs)
        and isinstance(new, PythonConstructs)
        and old.without_definitions(definitions) != new.without_definitions(())
    ):
        return [Suspicion(f"More than “{name}” changed, which alone was to go.", everything)]
    return []
