"""Recognises the form of a paste (sketch, unified diff or search/replace blocks), without fence and prose.

Knows forms of text. Of the buffer it knows the set of lines, so that none of them is taken for prose or
for a diff's header.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from dataclasses import dataclass

from editd.apply import patch, search_replace
from editd.apply.block import Block
from editd.apply.outcome import Doubt, Form
from editd.diff.document import BOM, Document
from editd.prompts.prose import is_talk, reads_like_prose

_PROSE_LANGUAGES = ("markdown", "text", "rst", "latex", "html", "")
_FENCE = re.compile(r"(?P<indent> {0,3})(?P<fence>`{3,}|~{3,})\s*(?P<info>[^`]*)")


@dataclass(frozen=True, slots=True)
class Paste:
    """A paste that was read. lines: those of a sketch. blocks: those of the other two forms."""

    form: Form
    lines: tuple[str, ...] = ()
    blocks: tuple[Block, ...] = ()
    ended: bool = True  # whether the last line of the sketch has an end


def recognise(text: str, known: Collection[str], language: str, path: str) -> Paste:
    """Reads a paste. known: the buffer's lines, stripped. Raises ``Doubt`` with one sentence."""
    if "\0" in text:
        raise Doubt("The sketch is not text: it contains NUL bytes.", final=True)
    lines = Document.of(text.removeprefix(BOM)).model_text.split("\n")
    ended = lines[-1] == ""
    if ended:
        lines.pop()
    if not any(line.strip() for line in lines):
        raise Doubt(
            "The sketch is empty: paste the changed lines, with a marker for what stays.",
            final=True,
        )
    if search_replace.is_one(lines, known):
        return Paste("search/replace", blocks=search_replace.blocks(lines, path))
    if patch.is_one(lines, known):
        return Paste("patch", blocks=patch.blocks(_inside_fence_of_patch(lines), path))
    inner = _unfenced(lines, known, language)
    if inner is None:
        inner = _without_prose(lines, known, language)
    else:
        ended = True
        if patch.is_one(inner, known):
            return Paste("patch", blocks=patch.blocks(inner, path))
    if not any(line.strip() for line in inner):
        raise Doubt(
            "The sketch is empty: paste the changed lines, with a marker for what stays.",
            final=True,
        )
    return Paste("sketch", tuple(inner), ended=ended)


def _inside_fence_of_patch(lines: Sequence[str]) -> list[str]:
    """The lines of a patch without fence lines, which cannot be lines of a hunk."""
    return [line for line in lines if not line.startswith(("```", "~~~"))]


def _unfenced(lines: Sequence[str], known: Collection[str], language: str) -> list[str] | None:
    """The lines of the one fenced block; ``None`` if there is no fence, or it belongs to the text."""
    opening = next((i for i, line in enumerate(lines) if _FENCE.fullmatch(line)), None)
    if opening is None:
        return None
    whole = not any(line.strip() for line in lines[:opening])
    if language in _PROSE_LANGUAGES:
        info = _fence_of(lines[opening])[2].lower().split(" ")[0]
        last = max(i for i, line in enumerate(lines) if line.strip())
        closed = last > opening and lines[last].strip() == lines[opening].strip().rstrip(info)
        return (
            list(lines[opening + 1 : last])
            if whole and closed and info in ("markdown", "md")
            else None
        )
    if not whole and not all(_is_wrapping(line, known) for line in lines[:opening]):
        return None
    blocks: list[tuple[str, list[str]]] = []
    position = opening
    while position < len(lines):
        if not _FENCE.fullmatch(lines[position]):
            position += 1
            continue
        indent, fence, info = _fence_of(lines[position])
        closing = next(
            (
                i
                for i in range(position + 1, len(lines))
                if lines[i].strip().startswith(fence) and not lines[i].strip().strip(fence[0])
            ),
            len(lines),
        )
        blocks.append((info, [line.removeprefix(indent) for line in lines[position + 1 : closing]]))
        position = closing + 1
    if len(blocks) > 1:
        raise Doubt(f"The paste contains {len(blocks)} code blocks; paste the one for this file.")
    return blocks[0][1]


def _fence_of(line: str) -> tuple[str, str, str]:
    match = _FENCE.fullmatch(line)
    assert match is not None  # noqa: S101 - asked about fence lines only
    return match["indent"], match["fence"], match["info"].strip()


def _is_wrapping(line: str, known: Collection[str]) -> bool:
    """Whether a line outside the fence is blank, prose, a heading, a list item or a file's name."""
    bare = line.strip()
    if not bare:
        return True
    if bare in known:
        return False
    named = re.fullmatch(r"[*_`#]*\s*[\w./\\-]+\.\w+\s*[*_`:]*", bare) is not None
    spoken = is_talk(line) or reads_like_prose(line) or bare.endswith((":", ".", "!", "?"))
    listed = re.match(r"(?:[-*+•]|\d+[.)]|#{1,6})\s+\S", bare) is not None
    return named or listed or (spoken and len(bare.split()) > 1 and not bare.endswith(("{", ";")))


def _without_prose(lines: Sequence[str], known: Collection[str], language: str) -> list[str]:
    """The lines without paragraphs of prose at the beginning and the end."""
    if language in _PROSE_LANGUAGES:
        return list(lines)

    def spoken(block: Sequence[str]) -> bool:
        told = [line for line in block if line.strip()]
        return bool(told) and all(
            (is_talk(line) or reads_like_prose(line)) and line.strip() not in known for line in told
        )

    rest = list(lines)
    while "" in rest and spoken(rest[: rest.index("")]):
        del rest[: rest.index("") + 1]
    while "" in rest:
        last = len(rest) - 1 - rest[::-1].index("")
        if last + 1 < len(rest) and not spoken(rest[last + 1 :]):
            break
        if last + 1 == len(rest):
            if not any(line.strip() for line in rest):
                break
            trimmed = len(rest)
            while trimmed and not rest[trimmed - 1].strip():
                trimmed -= 1
            above = rest[:trimmed]
            if "" not in above or not spoken(above[len(above) - above[::-1].index("") :]):
                break
            rest = above
            continue
        rest = rest[:last]
    return rest
