"""Deletions of much of a text that the instruction does not ask for.

Counted are lines that are neither blank nor found elsewhere in the new text, net of new ones: a
rewritten function deletes nothing, a moved one neither. A function of three lines, which a model that loses
its way in a small file drops, is too little for that (``definitions``).

``lines_asked_for`` says which lines an instruction asks to delete. Its reading is generous: what is asked for is
never doubted. But "remove numeric normalization" is no leave to drop the loop below it.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections import Counter
from collections.abc import Sequence

from editd.checks.rewrite import Rewrite, Suspicion
from editd.intent import parse
from editd.intent.intents import DeleteDefinition, DeleteLines
from editd.syntax.words import as_word

_FEWEST_LINES = 8
_SHARE = 0.2  # of the rewritten lines
_FEW_LINES, _LARGE_SHARE = 4, 0.35  # of a short text
_FEW_IN_RENAME = 2
_RENAME = re.compile(
    r"\s*(?:please )?(?:rename|change the (?:name|identifier|variable|function|method|class|attribute|field))\b(?!.*\b(?:and|then)\b)",
    re.IGNORECASE | re.DOTALL,
)
_FEWEST_AT_END, _SHARE_AT_END = 5, 0.1  # an answer that stops early loses its end
_MANY_LINES = 120  # whatever their share
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


def suspicions(rewrite: Rewrite) -> list[Suspicion]:
    """A suspicion for each region that lost much that the instruction does not ask to delete, about the hunks that did
    it: about a fifth of its lines and at least eight, a third and four, 120, or the end of the region.
    """
    return _lost(rewrite)


def suspicions_of_rename(rewrite: Rewrite) -> list[Suspicion]:
    """A suspicion for each region (range of rewritten lines) that lost two lines or more that are nowhere in its new
    text, if the instruction is a mere rename: begins with "rename" or "change the name", has no "and" or "then", and
    names a pair; else none.
    """
    if _RENAME.match(rewrite.instruction) and rewrite.parsed.renames:
        return _lost(rewrite, _FEW_IN_RENAME, 0.0)
    return []


def _lost(
    rewrite: Rewrite, few: int = _FEW_LINES, large_share: float = _LARGE_SHARE
) -> list[Suspicion]:
    """A suspicion for each region (range of rewritten lines) that lost much: ``few`` lines or more that are at least
    ``large_share`` of its lines; or eight or more that are a fifth of it or 120; about the hunks that shorten it by
    three lines or more, or else by any. If it lost neither, but five or more, and the last such hunk ends the region
    and takes five lines and a tenth of it away: about that hunk.

    Lost lines are those not blank, that the instruction does not ask to delete and the new text of the region has
    nowhere, less the new ones.
    """
    found: list[Suspicion] = []
    starts = [hunk.start for hunk in rewrite.hunks]
    for start, end in rewrite.regions:
        hunks = rewrite.hunks[bisect_left(starts, start) : bisect_right(starts, end)]
        lines = rewrite.old_lines[start:end]
        deletable = lines_asked_for(rewrite.instruction, lines)
        lines = tuple("" if i in deletable else line for i, line in enumerate(lines))
        old = _counted(lines)
        new = old.copy()
        for hunk in hunks:
            new.subtract(_counted(lines[hunk.start - start : hunk.start - start + hunk.old_count]))
            new.update(_counted(hunk.new_lines))
        lost = min((old - new).total(), old.total() - new.total())
        total = old.total()
        large = lost >= few and lost >= large_share * total
        if lost < _FEWEST_AT_END and not large:
            continue
        shrinking = [hunk for hunk in hunks if hunk.old_count > len(hunk.new_lines)]
        deleting = [x for x in shrinking if x.old_count - len(x.new_lines) >= 3] or shrinking
        last = deleting[-1]
        lost_at_end = last.old_count - len(last.new_lines)
        ends_early = (
            last.start + last.old_count == end
            and lost_at_end >= _FEWEST_AT_END
            and lost_at_end >= _SHARE_AT_END * total
        )
        if large or (lost >= _FEWEST_LINES and lost >= min(_SHARE * total, _MANY_LINES)):
            reason = f"{lost} of {total} lines are gone, and the instruction does not ask for that."
            found.append(Suspicion(reason, tuple(hunk.id for hunk in deleting)))
        elif ends_early:
            reason = f"The last {lost_at_end} lines are gone: the answer may have ended too early."
            found.append(Suspicion(reason, (last.id,)))
    return found


def _counted(lines: Sequence[str]) -> Counter[str]:
    """How often each line stands there, stripped; blank lines are left out."""
    return Counter(stripped for line in lines if (stripped := line.strip()))


def lines_asked_for(instruction: str, lines: Sequence[str]) -> frozenset[int]:
    """The 0-based numbers of the lines that may go: those that mention what the instruction has removed, and the blocks
    that they begin; all lines that are comments, too, if it speaks of comments. Empty if it removes nothing; a word
    after "not" does not count.

    All lines if the instruction has a word like "simplify", or "remove" without an object or with a wide one
    ("everything", "the docstrings").
    """
    everything = frozenset(range(len(lines)))
    if _has(_SHRINKING, instruction):
        return everything
    meaning = parse(instruction).intent
    if isinstance(meaning, DeleteDefinition):
        pattern = as_word(meaning.name)
    elif isinstance(meaning, DeleteLines):
        pattern = as_word(meaning.text)
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
    """The numbers of a line and of those that belong to it: decorators and comments right above at its depth, deeper
    lines below, closing brackets and branches (``else``).
    """
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
    """How many blanks a line begins with."""
    return len(line) - len(line.lstrip())


def _stems(instruction: str) -> list[str]:
    """The words of an instruction that may name what to delete, of three letters or more and without their endings, and
    its quoted texts.
    """
    parsed = parse(instruction)
    words = (
        w for w in (*parsed.names, *parsed.bare_words) if not _REMOVING.match(w) and len(w) >= 3
    )
    return [_ENDING.sub("", w) if len(w) > 5 else w.rstrip("s") for w in words] + [*parsed.quoted]


def _has(words: re.Pattern[str], instruction: str) -> bool:
    """Whether an instruction has one of the words without "not" before it."""
    return any(
        not _NOT.search(instruction, 0, word.start()) for word in words.finditer(instruction)
    )
