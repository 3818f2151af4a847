"""Which lines an instruction asks to delete: none, any, or those that it names.

Reading is generous: what is asked for is never doubted. But "remove numeric normalization" is no
leave to drop the loop below it.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from editd.instruction import read
from editd.instruction.meanings import DeleteDefinition, DeleteLines


def lines_asked_for(instruction: str, lines: Sequence[str]) -> frozenset[int]:
    """Numbers of the lines that may go: those that mention what is to be removed, and their blocks.

    All lines if the instruction has a word like "simplify", or "remove" without an object.
    """
    everything = frozenset(range(len(lines)))
    if _has(_SHRINKING, instruction):
        return everything
    meaning = read(instruction).meaning
    if isinstance(meaning, DeleteDefinition):
        pattern = _as_word(meaning.name)
    elif isinstance(meaning, DeleteLines):
        pattern = _as_word(meaning.text)
    elif _has(_REMOVING, instruction):
        stems = _stems(instruction)
        if not stems or _ANYTHING.search(_WHERE.sub(" ", instruction)):
            return everything
        pattern = re.compile("|".join(map(re.escape, stems)), re.IGNORECASE)
    else:
        return frozenset()
    comments = bool(re.search(r"\bcomment", instruction, re.IGNORECASE))
    found: set[int] = set()
    for number, line in enumerate(lines):
        if number not in found and pattern.search(line):
            found.update(_block(lines, number))
        elif comments and _COMMENT.match(line):
            found.add(number)
    return frozenset(found)


def _block(lines: Sequence[str], number: int) -> range:
    """The line and what belongs to it: decorators above, what is indented deeper, what closes it."""
    depth = _depth(lines[number])
    start = number
    while start and _depth(lines[start - 1]) == depth and _ABOVE.match(lines[start - 1]):
        start -= 1
    end = number + 1
    while end < len(lines) and (not lines[end].strip() or _depth(lines[end]) > depth):
        end += 1
    while end < len(lines) and _depth(lines[end]) == depth and _CLOSING.match(lines[end]):
        end += 1
    return range(start, end)


def _depth(line: str) -> int:
    return len(line) - len(line.lstrip())


def _stems(instruction: str) -> list[str]:
    """The words that name what to delete, without their endings, and quoted text."""
    said = read(instruction)
    kept = (w for w in (*said.names, *said.words) if not _REMOVING.match(w) and len(w) >= 3)
    return [_ENDING.sub("", w) if len(w) > 5 else w.rstrip("s") for w in kept] + [*said.quoted]


def _as_word(text: str) -> re.Pattern[str]:
    return re.compile(rf"(?<!\w){re.escape(text)}(?!\w)")


def _has(words: re.Pattern[str], instruction: str) -> bool:
    return any(
        not _NOT.search(instruction, 0, word.start()) for word in words.finditer(instruction)
    )


_NOT = re.compile(r"(?:\bnot|n't|n’t|\bnever|\bwithout)(?: \w+)? $", re.IGNORECASE)
_REMOVING = re.compile(
    r"\b(?:delet|remov|drop(?!-?down)|get rid|discard|eras|eliminat|omit|strip(?!e)|prun|throw"
    r"|clear out|take (?:it |them )?(?:out|away)|leave out|(?:can|must|should) (?:go|disappear)\b|no more|(?:this|file|code) without)",
    re.IGNORECASE,
)
_SHRINKING = re.compile(
    r"\b(?:shorten|extract|split|simplif|clean|trim|reduc|condens|compact|compress|minif|minimi|"
    r"mov(?:e|ing)|inlin|dedup|merg|consolidat|collaps|cut(?!e)|unused|obsolete|dead code|deprecat|"
    r"summari|truncat|shrink|shorter|only keep|keep only|leave only|unneeded|unnecessary|redundan|"
    r"duplicat|concise|one[- ]?liner|stub|skeleton|comment out)",
    re.IGNORECASE,
)
_ANYTHING = re.compile(
    r"\b(?:docstrings?|documentation|everything|rest|lines?|sections?|paragraphs?|blocks?|half|code|"
    r"licen[sc]e|headers?|boilerplate|examples?|files?|support|feature|logic|usages?)\b",
    re.IGNORECASE,
)
# "from this file" says where, "lines with x" that they have x: neither is leave to delete anything.
_WHERE = re.compile(
    r"\b(?:from|in) (?:this|the) (?:file|code)\b"
    r"|\blines? (?:with|that|which|where|containing|mentioning)\b",
    re.IGNORECASE,
)
_ENDING = re.compile(r"(?:i[sz]ations?|ations?|ings?|ions?|ers?|ed|es|s)$", re.IGNORECASE)
_COMMENT = re.compile(r"\s*(?:#|//|/?\*|--|;|<!--)")
_ABOVE = re.compile(r"\s*(?:@|#|//|/?\*)")
_CLOSING = re.compile(r"\s*[)\]}]|\s*(?:else|elif|except|finally|end)\b")
