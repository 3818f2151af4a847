"""A complete answer, read as a whole: the lines that are the new text.

Knows all lines of an answer, and those of the text that it replaces. Used where an answer does not simply begin with
its fence: no fence at all, words of some length before it, a quotation of the old text. Streaming, and recognising
thoughts, is left to others.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from difflib import SequenceMatcher

from editd.prompts.fence_lines import (
    FencedBlockReader,
    FenceLine,
    fence_of,
    follows_block,
    glued_fence,
    opening_of,
    text_in_info,
)
from editd.prompts.old_text import OldText, bare_lines
from editd.prompts.prose import introduces, is_heading_of_answer, is_refusal, thinks_aloud
from editd.turns import yield_point

_MANY = 1000  # lines that are read in one piece: a few milliseconds
_ALIKE, _COMPARED = 0.6, 200  # of difflib, over so many characters of two lines

_CUT = "The answer's code block was never closed, so its end may be missing."
_NO_BLOCK = "The answer stood in no code block, so it may be the model's own words."
_OWN_WORDS = "The answer stood in no code block, so its {} lines may be the model's own words."
_SHORT = "The answer stood in no code block and ends where the old text goes on, so its end may be missing."
_DRAFT = "The words before the answer read like a thought that has no end, so it may be a draft."
_UNLIKE = "The answer has no line of the old text, so it may be something else."
_SEVERAL = "The answer has several code blocks, and it is not certain where its text ends."


@dataclass(frozen=True, slots=True)
class NewText:
    """The result of reading a complete answer.

    body: the new text. closed: whether its end was marked. talk: the first line that was dropped. doubt: why the body
    may be another text, in a sentence, or empty.
    """

    body: str = ""
    closed: bool = False
    talk: str = ""
    doubt: str = ""


def read_whole(lines: Sequence[str], old: OldText) -> NewText:
    """The new text in an answer of ``lines``, each with its line end.

    The first closed block that is no quotation of the old text counts, else the first that is none;
    of quotations alone the first. Without a block, or if before the first one stand old lines and
    outside of all more of them than inside, and half of them all, the answer counts as it is,
    without talk at its two ends. If an only closing fence follows old lines, what is above it
    counts.
    """
    blocks = _blocks(lines, old)
    if not blocks:
        return _read_unfenced(lines, old)
    first, before = blocks[0], lines[: blocks[0].start]
    texts = [block for block in blocks if not old.is_quoted_in(block.body)]
    inside = sum(old.count(block.body) for block in texts)
    outside = old.count(lines) - sum(old.count(block.body) for block in blocks)
    if any(map(old.has, before)):
        never_opened = not first.opening.info and not inside
        if never_opened and not first.is_closed:
            return replace(_read_unfenced(before, old), closed=True)
        if outside > inside and 2 * outside >= old.num_telling:
            is_end = never_opened and not old.may_have_fences
            return replace(_read_unfenced(before if is_end else lines, old), closed=is_end)
    if not texts:
        return NewText("".join(first.body), closed=True, talk=_first_words(before))
    chosen = next((block for block in texts if block.is_closed), texts[0])
    return _text_in_block(lines, before, chosen, old)


def _text_in_block(
    lines: Sequence[str], before: Sequence[str], chosen: _FencedBlock, old: OldText
) -> NewText:
    """The text of the block that counts, with a doubt if it is cut, unlike the old text, or may be
    a draft. before: lines above the first block.

    No text but ``talk`` if the block only declines; the lines above if it is all talk and its fence
    only closed them.
    """
    talk = _first_words(before)
    if old.is_all_talk(chosen.body):
        if is_refusal(first := _first_words(chosen.body)):
            return NewText(talk=first)
        if not chosen.is_closed and talk:
            return _read_unfenced(before, old)  # its fence closed what was never opened
    if not chosen.is_closed:
        return NewText("".join(chosen.body), talk=talk, doubt=cut_doubt(chosen.body, old))
    more, doubt = continuation(chosen.body, lines[chosen.end - 1 :], old)
    above = _first_words(lines[chosen.start - 1 :: -1] if chosen.start else ())
    if old.num_telling > 1 and not any(map(old.has, chosen.body)):
        doubt = doubt or _UNLIKE
    elif any(map(thinks_aloud, before)) and not is_heading_of_answer(above):
        doubt = doubt or _DRAFT
    return NewText("".join((*chosen.body, *more)), closed=True, talk=talk, doubt=doubt)


def _first_words(lines: Iterable[str]) -> str:
    """The first line that is not blank; empty if there is none."""
    return next(filter(None, map(str.strip, lines)), "")


def cut_doubt(body: Sequence[str], old: OldText) -> str:
    """The doubt that the end of an unclosed block may be missing; empty if it ends as the old text does."""
    return "" if old.ends_like(body) else _CUT


def continuation(body: Sequence[str], rest: Sequence[str], old: OldText) -> tuple[list[str], str]:
    """The lines of ``rest`` that belong to a text whose fence the first of them seemed to close; and a doubt, in a
    sentence, or empty.

    A model may put Markdown that has fences into a fence that is no longer than they. Lines belong to it, up to the
    last such fence, only if the old text has fences and more of its lines follow, and no line announces another
    text. Where that is not clear, none and the doubt that there are several blocks; none and no doubt if ``body``
    ends like the old text.
    """
    closing, *after = rest
    fence = fence_of(closing)
    if not old.may_have_fences or fence is None or old.ends_like(body):
        return [], ""
    ends = [at for at, line in enumerate(after) if fence_of(line) == FenceLine(fence.run)]
    known = {line.strip() for line in body}
    if any(old.has(line) and line.strip() not in known for line in after):
        if old.has_fences and ends and not any(map(introduces, after[: ends[-1]])):
            return [closing, *after[: ends[-1]]], ""
        return [], _SEVERAL
    at_once = next(iter(after), "").strip()
    is_more = ends and at_once and not (old.is_talk(at_once) or introduces(at_once))
    return [], _SEVERAL if is_more else ""


@dataclass(slots=True)
class _FencedBlock:
    """Lines ``start .. end`` of an answer, fences included."""

    opening: FenceLine
    start: int
    end: int = 0
    body: list[str] = field(default_factory=list)
    is_closed: bool = False


def _blocks(lines: Sequence[str], old: OldText) -> list[_FencedBlock]:
    """The fenced blocks of an answer, in order; a last one may be open. Lets other work run meanwhile."""
    blocks: list[_FencedBlock] = []
    at = 0
    while at < len(lines):
        if at % _MANY == 0:
            yield_point()
        opening = opening_of(lines[at])
        if opening is not None:
            blocks.append(_read_block(lines, at, opening, old))
            at = blocks[-1].end
        else:
            at += 1
    return blocks


def _read_block(lines: Sequence[str], start: int, opening: FenceLine, old: OldText) -> _FencedBlock:
    """The block that a fence opens at line ``start``, to its closing fence or the answer's end, without its
    indentation and without blank lines at its ends that the old text does not have.

    The text on the line of the fence, or before a fence glued to a line's end, belongs to it. Lets other work run
    meanwhile.
    """
    found = _FencedBlock(opening, start, len(lines))
    reader = FencedBlockReader(opening, old.lines)
    if first := text_in_info(opening.info, old.lines):
        found.body.append(first + "\n")
    for at in range(start + 1, len(lines)):
        if at % _MANY == 0:
            yield_point()
        kind = reader.kind_of(lines[at])
        if kind == "perhaps":
            following = _first_words(lines[n] for n in range(at + 1, len(lines)))
            is_glued = glued_fence(lines[at], opening.run) and follows_block(following)
            if following and not is_glued and not old.is_talk(following):
                reader.go_on()
                kind = "text"
        if kind == "text":
            found.body.append(lines[at])
            continue
        if glued := glued_fence(lines[at], opening.run):
            found.body.append(lines[at].rstrip()[: -len(glued)] + "\n")
        found.end, found.is_closed = at + 1, True
        break
    found.body = old.trimmed(_dedented(found.body, opening.indent, old))
    return found


def _dedented(body: list[str], indent: int, old: OldText) -> list[str]:
    """The lines of a block in a list, or with an indented fence, with up to ``indent`` blanks fewer
    before them.

    Unchanged if fewer of them are old lines then: a blank before a fence may be a slip.
    """
    if not indent:
        return body
    margin = re.compile(rf"[ \t]{{1,{indent}}}")
    moved = [margin.sub("", line, count=1) if line[:1] in " \t" else line for line in body]
    known = {line.rstrip() for line in old.lines}
    as_it_is, as_moved = (
        sum(line.rstrip() in known for line in text if line.strip()) for text in (body, moved)
    )
    return moved if as_moved >= as_it_is else body


def _read_unfenced(lines: Sequence[str], old: OldText) -> NewText:
    """The text of an answer in no block: all but talk at its two ends, and as many blank lines at its end as the
    old text has, with a doubt if its ends are not the old text's. Blank lines at its beginning stay unless talk
    stands there. No text but ``talk`` if all is talk.
    """
    start, end = 0, len(lines)
    while start < end and (not lines[start].strip() or old.is_talk(lines[start])):
        start += 1
    while end > start and (not lines[end - 1].strip() or old.is_talk(lines[end - 1])):
        end -= 1
    talk = _first_words(lines[:start])
    if start == end:
        return NewText(talk=talk)
    body = [*lines[start if talk else 0 : end], *["\n"] * old.num_blank_last]
    return NewText("".join(body), talk=talk, doubt=_unfenced_doubt(lines[start:end], old))


def _unfenced_doubt(lines: Sequence[str], old: OldText) -> str:
    """Why lines of a text in no block may be the model's own, or missing, in a sentence: they have
    no old line, begin or end with lines of their own, or end before the old text does. Empty if
    they match it at both ends.

    lines: not blank at the ends.
    """
    new, was = bare_lines(lines), bare_lines(old.lines)
    if not was or (len(was) > 1 and not any(map(old.has, new))):
        return _NO_BLOCK
    is_more = len(new) > len(was) and not _are_alike(new[0], was[0])
    if new[0] not in was and (is_more or was[0] in new):
        return _OWN_WORDS.format("first")
    last = max((at for at, line in enumerate(was) if old.has(line)), default=0)
    if was[last] in new:
        end = len(new) - new[::-1].index(was[last])
        is_same, is_longer = new[end:] == was[last + 1 :], len(new) - end >= len(was) - last
        return "" if is_same else _OWN_WORDS.format("last") if is_longer else _SHORT
    is_cut = not lines[-1].endswith("\n") and len(was) > 1
    if is_cut or len(new) < len(was) or any(line.startswith(new[-1]) for line in was):
        return _SHORT
    return "" if _are_alike(new[-1], was[-1]) else _OWN_WORDS.format("last")


def _are_alike(line: str, old: str) -> bool:
    """Whether two lines are mostly the same."""
    return SequenceMatcher(None, line[:_COMPARED], old[:_COMPARED]).ratio() >= _ALIKE
