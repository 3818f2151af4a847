"""Recognises the form of a paste: a sketch, a unified diff or search/replace blocks, without fences and prose.

Knows Markdown and how assistants name files: in the fence's info string, in the line above, or in a comment
that is the block's first line. Of the buffer it knows the set of lines, so that none of them is taken for
prose or for a diff's header.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from pathlib import PurePosixPath

from editd.apply.blocks import (
    Block,
    blocks_of_patch,
    blocks_of_search,
    is_patch,
    is_search_replace,
    unsigned,
)
from editd.apply.outcome import Doubt, Form
from editd.diff.document import BOM, Document
from editd.diff.matching import is_weak
from editd.prompts.language import is_file_name
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
    if is_search_replace(lines, known):
        return Paste("search/replace", blocks=blocks_of_search(lines, path))
    if is_patch(lines, known):
        return Paste("patch", blocks=blocks_of_patch(_inside_fence_of_patch(lines), path))
    fences = _unfenced(lines, known, language, path)
    if fences is None:
        bare = without_numbers(lines) if language not in PROSE else lines
        fences = [Fenced(tuple(_without_prose(bare, known, language)))]
    else:
        ended = True
        inner = [line for one in fences for line in one.lines]
        if is_patch(inner, known):
            return Paste("patch", blocks=blocks_of_patch(inner, path))
    blocks = tuple(one.lines for one in fences if any(line.strip() for line in one.lines))
    if not blocks:
        raise Doubt(
            "The sketch is empty: paste the changed lines, with a marker for what stays.",
            final=True,
        )
    signed = [unsigned(block, known) for block in blocks]
    if all(signed):
        return Paste("patch", blocks=tuple(one for found in signed for one in found))
    only = blocks[0] if len(blocks) == 1 else ()
    return Paste("sketch", only, ended=ended, parts=blocks, info=fences[0].info)


def _inside_fence_of_patch(lines: Sequence[str]) -> list[str]:
    """The lines of a patch without fence lines, which cannot be lines of a hunk."""
    return [line for line in lines if not line.startswith(("```", "~~~"))]


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
    if is_outside_known(outside, known) or any(FENCE.fullmatch(line) for line in known):
        return None
    own = for_file(blocks, path, language)
    if not own:
        names = ", ".join(names_of(blocks))
        raise Doubt(f"The paste is for {names}, not for this file.", final=True)
    return own


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


FENCE = re.compile(r"(?P<indent>\s*)(?P<fence>`{3,}|~{3}(?!~))\s*(?P<info>[^`]*)")
_NAME = r"[\w.~/\\-]*[\w-]\.\w+|[\w./-]*(?:Makefile|Dockerfile)"
_NAMED_LINE = re.compile(
    rf"[\s*_`#>-]*(?:(?:in|file|path|filename|update|updated|edit)\b[\s:*_`]*)?[*_`]*(?P<name>{_NAME})[\s*_`:)]*",
    re.IGNORECASE,
)
_NAMED_COMMENT = re.compile(
    rf"\s*(?:#|//|--|/\*|<!--|;)\s*(?:file(?:name)?|path)?\s*:?\s*(?P<name>{_NAME})\s*(?:\*/|-->)?\s*"
)
_NUMBERED = re.compile(r"\s*(?P<number>\d+)(?:\s*[:|│]|\t)(?: (?P<text>.*)|(?P<rest>))")
_OUTPUT = frozenset(
    {"bash", "sh", "shell", "zsh", "console", "shell-session", "terminal", "text", "txt", "output"}
)


@dataclass(frozen=True, slots=True)
class Fenced:
    """A code block. name: of its file, if it is told. info: the word after the fence, small letters."""

    lines: tuple[str, ...]
    info: str = ""
    name: str = ""


def fenced(lines: Sequence[str]) -> tuple[list[Fenced], list[str]]:
    """All code blocks, and the lines outside of them. A block without an end goes to the last line."""
    found: list[Fenced] = []
    outside: list[str] = []
    above = ""
    position = 0
    while position < len(lines):
        opening = FENCE.fullmatch(lines[position])
        if opening is None:
            outside.append(lines[position])
            above = lines[position] if lines[position].strip() else above
            position += 1
            continue
        closing = next(
            (i for i in range(position + 1, len(lines)) if _closes(lines[i], opening["fence"])),
            len(lines),
        )
        body = [x.removeprefix(opening["indent"]) for x in lines[position + 1 : closing]]
        info, name = _info(opening["info"].strip())
        found.append(_named(body, info, name or _name_in(above, _NAMED_LINE)))
        above = ""
        position = closing + 1
    return found, outside


def for_file(blocks: Sequence[Fenced], path: str, language: str) -> list[Fenced]:
    """The blocks that can be for the file ``path``: neither for another file nor a command's output."""
    named = {one.name for one in blocks if one.name}
    own = [one for one in blocks if not one.name or not path or is_same(one.name, path)]
    if named and any(one.name for one in own) and len(named) > 1:
        own = [one for one in own if one.name]  # each file is named
    code = [one for one in own if one.info not in _OUTPUT or one.info == language]
    return code or own


def names_of(blocks: Sequence[Fenced]) -> list[str]:
    """The files that are named, each once."""
    return list(dict.fromkeys(one.name for one in blocks if one.name))


def is_same(name: str, path: str) -> bool:
    """Whether both may be one file: the shorter one is the end of the other."""
    one, two = (PurePosixPath(x.replace("\\", "/")).parts[::-1] for x in (name, path))
    return all(a == b for a, b in zip(one, two, strict=False))


def without_numbers(lines: Sequence[str]) -> list[str]:
    """The lines without the numbers that a listing has before them, if all have one."""
    told = [line for line in lines if line.strip()]
    read = [_NUMBERED.fullmatch(line) for line in told]
    numbers = [int(one["number"]) for one in read if one is not None]
    if len(told) < 2 or len(numbers) < len(told) or numbers != sorted(numbers):
        return list(lines)
    by_line = {line: one["text"] or "" for line, one in zip(told, read, strict=True) if one}
    return [by_line.get(line, "") for line in lines]


def is_outside_known(outside: Sequence[str], known: Collection[str]) -> bool:
    """Whether some line outside of the blocks is the file's."""
    return any(line.strip() in known and not is_weak(line) for line in outside)


def _closes(line: str, fence: str) -> bool:
    bare = line.strip()
    return bare.startswith(fence) and not bare.strip(fence[0])


def _info(info: str) -> tuple[str, str]:
    """The language, and a path if the info string has one: ``python:src/a.py``, ``py title="a.py"``."""
    named = re.search(r"(?:path|file|filename|title)\s*=\s*[\"']?([^\"'\s}]+)", info)
    word = re.split(r"[\s{:,]", info.lower(), maxsplit=1)[0]
    if named:
        return word, named[1]
    for part in re.split(r"[\s:]+", info):
        if "/" in part or is_file_name(part):
            return ("" if part.lower() == word else word), part
    return word, ""


def _named(body: list[str], info: str, name: str) -> Fenced:
    first = next((i for i, line in enumerate(body) if line.strip()), None)
    if first is not None:
        told = _name_in(body[first], _NAMED_COMMENT)
        if told:
            rest = body[first + 1 :]
            while rest and not rest[0].strip():
                rest.pop(0)
            return Fenced(tuple(without_numbers(rest)), info, told)
    return Fenced(tuple(without_numbers(body)), info, name)


def _name_in(line: str, pattern: re.Pattern[str]) -> str:
    found = pattern.fullmatch(line)
    if found is None or not ("/" in found["name"] or is_file_name(found["name"])):
        return ""
    return found["name"].replace("\\", "/")
