"""Recognises the form of a paste (sketch, unified diff or search/replace blocks), without fence and prose.

Knows forms of text. Of the buffer it knows the set of lines, so that none of them is taken for prose or
for a diff's header.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass

from editd.apply import patch, search_replace
from editd.apply.block import Block
from editd.apply.fences import (
    FENCE,
    Fenced,
    fenced,
    for_file,
    is_outside_known,
    names_of,
    replacements,
    without_numbers,
)
from editd.apply.outcome import Doubt, Form
from editd.diff.document import BOM, Document
from editd.prompts.prose import is_talk, reads_like_prose

PROSE = ("markdown", "text", "rst", "latex", "html")
_MARKDOWN = ("markdown", "md")


@dataclass(frozen=True, slots=True)
class Paste:
    """A paste that was read.

    lines: those of a sketch in one part; parts: of a sketch in several code blocks. blocks: those of the
    other two forms. info: the language that the fence names.
    """

    form: Form
    lines: tuple[str, ...] = ()
    blocks: tuple[Block, ...] = ()
    ended: bool = True  # whether the last line of the sketch has an end
    parts: tuple[tuple[str, ...], ...] = ()
    info: str = ""


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
    diff = patch.standard(lines)
    if patch.is_one(diff, known):
        return Paste("patch", blocks=patch.blocks(_inside_fence_of_patch(diff), path))
    lines = _without_buttons(lines, known)
    fences = _unfenced(lines, known, language, path)
    if fences is None:
        bare = without_numbers(lines) if language not in PROSE else lines
        fences = [Fenced(tuple(_without_prose(bare, known, language)))]
    else:
        ended = True
        inner = [line for one in fences for line in one.lines]
        if patch.is_one(inner, known):
            return Paste("patch", blocks=patch.blocks(inner, path))
        if pairs := replacements(fences, known):
            told = (Block(old.lines, new.lines, old.at) for old, new in pairs)
            return Paste("search/replace", blocks=tuple(told))
    blocks = tuple(one.lines for one in fences if any(line.strip() for line in one.lines))
    if not blocks:
        raise Doubt(
            "The sketch is empty: paste the changed lines, with a marker for what stays.",
            final=True,
        )
    signed = [patch.unsigned(block, known) for block in blocks]
    if all(signed):
        return Paste("patch", blocks=tuple(one for found in signed for one in found))
    only = blocks[0] if len(blocks) == 1 else ()
    return Paste("sketch", only, ended=ended, parts=blocks, info=fences[0].info)


def _inside_fence_of_patch(lines: Sequence[str]) -> list[str]:
    """The lines of a patch without fence lines, which cannot be lines of a hunk."""
    return [line for line in lines if not line.startswith(("```", "~~~"))]


def _without_buttons(lines: list[str], known: Collection[str]) -> list[str]:
    """The lines without what a web page shows above a code block: its language and “Copy code”."""
    start = next(i for i, line in enumerate(lines) if line.strip())
    end = start + 1
    while end < len(lines) and lines[end].strip().lower() in _BUTTONS:
        end += 1
    word = lines[start].strip()
    return lines if end == start + 1 or " " in word or word in known else lines[end:]


_BUTTONS = frozenset({"copy", "copy code", "edit", "always show details"})


def _unfenced(
    lines: Sequence[str], known: Collection[str], language: str, path: str
) -> list[Fenced] | None:
    """The code blocks for this file; ``None`` if there is no fence, or it belongs to the text."""
    opening = next((i for i, line in enumerate(lines) if FENCE.fullmatch(line)), None)
    if opening is None:
        return None
    blocks, outside = fenced(lines)
    if language in PROSE or (not language and blocks[0].info in _MARKDOWN):
        whole = not any(line.strip() for line in outside)
        return blocks if whole and len(blocks) == 1 and blocks[0].info in _MARKDOWN else None
    if is_outside_known(outside, known) or _is_of_text(lines, known):
        return None
    own = for_file(blocks, path, language)
    if not own:
        names = ", ".join(names_of(blocks))
        raise Doubt(f"The paste is for {names}, not for this file.", final=True)
    return own


def _is_of_text(lines: Sequence[str], known: Collection[str]) -> bool:
    """Whether fences may be lines of the file, which has such. Those of an answer name a language it has not."""
    if not any(FENCE.fullmatch(line) for line in known):
        return False
    fences = [line.strip() for line in lines if FENCE.fullmatch(line)]
    return any(line in known for line in fences[::2]) or any(
        line.strip("`~") for line in fences[1::2]
    )


def _without_prose(lines: Sequence[str], known: Collection[str], language: str) -> list[str]:
    """The lines without paragraphs of prose at the beginning and the end."""
    if language in PROSE or not language:
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
