"""Code blocks of an answer: fences of Markdown, tags that hold a file, or all lines but the prose around them.

Knows what names a code block's file, and which blocks are no part of a change, such as output and examples of use.
Whose file a block is for is decided by ``file_names``, what its lines mean by others.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import chain, groupby, pairwise

from editd.apply.paste.copy_repairs import without_numbers
from editd.apply.paste.file_names import (
    FileMention,
    FileNames,
    named_by_comment,
    named_by_info,
    named_in,
)
from editd.diff.matching import is_weak
from editd.prompts.prose import is_talk, reads_like_prose
from editd.syntax.language import language_of

PROSE = ("markdown", "text", "rst", "latex")
MARKDOWN_INFOS = ("markdown", "md", "mdx")
FENCE = re.compile(r"(?P<indent>\s*)(?P<fence>`{3,}|~{3}(?!~))\s*(?P<info>[^`]*)")
_OPENING_TAG = re.compile(r"\s*<(?P<tag>[\w.:-]+)(?P<attributes>\s[^<>]*)?>\s*(?:<!\[CDATA\[)?\s*")
_HOLDS = re.compile(
    r"(?:(?:file|new|updated|complete|full)_?)*(?:contents?|code|text|body)", re.IGNORECASE
)
_PREAMBLE = re.compile(r"#!|<\?(?:php|xml)|[\"']use \w+[\"'];?\s*$|.*coding[:=]")
_LISTS = (
    "",
    "cmake",
    "makefile",
    "gitignore",
    "ini",
    "toml",
    "yaml",
    *PROSE,
)  # have names of files as lines
_OUTPUT = frozenset(
    {"bash", "sh", "shell", "zsh", "console", "shell-session", "terminal", "text", "txt", "output"}
)
_BUTTONS = frozenset({"copy", "copy code", "edit", "always show details"})
_APART = ("sql", "json", "yaml", "toml", "markdown", "dockerfile", "makefile")
_PUT = re.compile(r"\b(?:place|put|add|insert|goes?|belongs?)\b", re.IGNORECASE)
_USAGE = re.compile(
    r"^\W*(?:example )?usage(?: examples?)?\W*$|\busage example\b|^\W*(?:then )?call it\b|\byou (?:can )?use it\b[^.]*:$|"
    r"^\W*output\b|^\W*(?:for )?example\b(?!.*\b(?:above|after|before|below)\b)|\bfor example\W*$|"
    r"\bwill (?:output|print|give)\b|\bfails? with\W*$|^\W*then,? in your\b|\bin your `~|"
    r"\byou can (?:now |then )?(?:write|call|use it|run|test)\b|\b(?:now|then) you can\b|"
    r"\bhow (?:you|to) (?:can |could )?(?:use|call|run)\b",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class FencedBlock:
    """A code block between fences or tags, or the code of a paste without any.

    info: the word after the fence, small letters. prose: all lines since the block before, the nearest first; below:
    those after the last block that say where to put code. at, end: the paste's lines, 0-based, where its fence opens
    and after which it ends. is_closed: whether its fence has an end. named: the line that names its file. doubt: why it
    may be for another file; else empty.
    """

    lines: tuple[str, ...]
    info: str = ""
    prose: tuple[str, ...] = ()
    below: tuple[str, ...] = ()
    at: int = 0
    end: int = 0
    is_closed: bool = True
    named: FileMention | None = None
    doubt: str = ""

    @property
    def above(self) -> str:
        """The prose line nearest above it that is not blank, stripped; empty if there is none."""
        return self.prose[0].strip() if self.prose else ""


def fenced_blocks(
    lines: Sequence[str], known: Collection[str], path: str
) -> tuple[list[FencedBlock], list[str]]:
    """The code blocks between fences or tags, in order, and the lines outside of them. A fence without an end goes to
    the last line.

    Each block has the lines of prose since the block before it, the nearest first; those below the last block that say
    where to put code; and the line that names its file: the fence itself, a comment in its first line, which falls away
    unless the file has it, or the last name above. Line numbers of a listing are removed. known: the file's lines,
    stripped. path: the file's name.
    """
    found: list[FencedBlock] = []
    outside: list[str] = []
    prose: list[str] = []
    position = 0
    while position < len(lines):
        block = _fence_at(lines, position, known) or _tagged_file_at(lines, position, path)
        if block is None:
            outside.append(lines[position])
            prose += [lines[position]] if lines[position].strip() else []
            position += 1
            continue
        found.append(replace(block, prose=tuple(reversed(prose))))
        prose = []
        position = block.end
    code = {number for block in found for number in range(block.at, block.end)}
    names = FileNames(lines, code, path)
    below = tuple(x for x in prose if _PUT.search(x))
    found = [replace(block, below=below) for block in found]
    return [
        _with_file_mention(block, names, lines[block.at], known, path) for block in found
    ], outside


def _fence_at(lines: Sequence[str], at: int, known: Collection[str]) -> FencedBlock | None:
    """The block of the fence that opens at line ``at``; ``None`` if none does. Its lines lose the fence's indentation;
    it goes to the last line if nothing closes it. known: the file's lines, stripped.
    """
    opening = FENCE.fullmatch(lines[at])
    if opening is None:
        return None
    info = re.split(r"[\s{:,]", opening["info"].strip().lower(), maxsplit=1)[0]
    end_of = _end_of_markdown if info in MARKDOWN_INFOS else _end_of_fence
    closing = end_of(lines, at, opening["fence"], known)
    body = tuple(x.removeprefix(opening["indent"]) for x in lines[at + 1 : closing])
    return FencedBlock(body, info, at=at, end=closing + 1, is_closed=closing < len(lines))


def _end_of_fence(lines: Sequence[str], at: int, fence: str, _known: Collection[str]) -> int:
    """The number of the first line after ``at`` that closes ``fence`` (its signs, or more of them, alone); the number
    of lines if none does.
    """
    return next((n for n in range(at + 1, len(lines)) if _closes(lines[n], fence)), len(lines))


def _end_of_markdown(lines: Sequence[str], at: int, fence: str, known: Collection[str]) -> int:
    """The number of the line that closes a block of Markdown, which may hold blocks with fences as long as its own; the
    number of lines if none does.

    A fence with a word opens a block within. A bare one closes that block, or else the Markdown, unless lines of the
    file (``known``) stand between it and a bare one that comes next: then it opens a block without a word.
    """
    end = len(lines)
    fences = (n for n in range(at + 1, end) if _is_fence(lines[n], fence))
    is_within = False
    for n, following in pairwise(chain(fences, (end,))):
        if is_within:
            is_within = not _closes(lines[n], fence)
        elif not _closes(lines[n], fence):
            is_within = True
        else:
            is_within = (
                following < end
                and _closes(lines[following], fence)
                and any(x.strip() in known and not is_weak(x) for x in lines[n + 1 : following])
            )
            if not is_within:
                return n
    return end


def _is_fence(line: str, fence: str) -> bool:
    """Whether a line is a fence of the same sign, with at least as many of it."""
    found = FENCE.fullmatch(line)
    return found is not None and found["fence"].startswith(fence)


def _closes(line: str, fence: str) -> bool:
    """Whether a line closes a fence: the fence's signs, or more of them, and nothing else."""
    bare = line.strip()
    return bare.startswith(fence) and not bare.strip(fence[0])


def _tagged_file_at(lines: Sequence[str], at: int, path: str) -> FencedBlock | None:
    """The file within the tag that opens at line ``at``, without lines of CDATA: a tag with the file's name in it
    (``<file path="a.py">``), or a tag for contents (``<content>``, ``<code>``, ``<new_text>``) right below a tag with
    the name, blank lines aside.

    ``None`` if there is neither, no closing tag, or if the first line within the tag that is not blank is a fence or a
    tag for contents.
    """
    opening = _OPENING_TAG.fullmatch(lines[at])
    if opening is None:
        return None
    above = next((x for x in reversed(lines[:at]) if x.strip()), "")
    below = next((x for x in lines[at + 1 :] if x.strip()), "")
    named = named_in(lines[at], at, path)
    if _HOLDS.fullmatch(opening["tag"]):
        named = named_in(above, at, path) if above.lstrip().startswith("<") else None
    if named is None or FENCE.fullmatch(below) or _is_holder(below):
        return None
    closing = re.compile(rf"\s*(?:\]\]>)?\s*</{re.escape(opening['tag'])}>\s*")
    for end in range(at + 1, len(lines)):
        if closing.fullmatch(lines[end]) or (end + 1 < len(lines) and lines[end].strip() == "]]>"):
            body = [x for x in lines[at + 1 : end] if x.strip() != "<![CDATA["]
            return FencedBlock(tuple(body), at=at, end=end + 1, named=named)
    return None


def _is_holder(line: str) -> bool:
    """Whether a line is an opening tag for contents, such as ``<content>``, ``<code>`` or ``<file_text>``."""
    found = _OPENING_TAG.fullmatch(line)
    return found is not None and _HOLDS.fullmatch(found["tag"]) is not None


def _with_file_mention(
    block: FencedBlock, names: FileNames, opening: str, known: Collection[str], path: str
) -> FencedBlock:
    """The block with ``named``: what names its file, first its tag or the fence's words, then a comment in its first
    line (below a shebang, an encoding or ``<?php``), then a line above; ``None`` if nothing does.

    The comment falls away unless the file has it (``known``: its lines, stripped), and so do the numbers of a listing.
    opening: the line of the fence or tag. path: of the file that the paste is applied to.
    """
    body = list(block.lines)
    first = next((n for n, x in enumerate(body) if x.strip() and not _PREAMBLE.match(x)), None)
    named = block.named or named_by_info(opening, block.at, path)
    if first is not None and (comment := named_by_comment(body[first], block.at, path)) is not None:
        named = named or comment
        if body[first].strip() not in known:
            del body[first]
            while first == 0 and body and not body[0].strip():
                body.pop(0)
    lines = tuple(without_numbers(body))
    return replace(block, lines=lines, named=named or names.above(block.at))


def without_other_code(blocks: Sequence[FencedBlock], language: str) -> list[FencedBlock]:
    """The blocks that can be a change of a file in ``language``, by the word after their fence; all of them if none is
    left.

    Left out are blocks for a shell, a terminal or plain text, if that is not the file's language, and of the others:
    blocks in another language that never stands within a file (SQL, JSON, YAML, TOML, Markdown, Dockerfile, Makefile)
    and blocks without a word, if that leaves any; then, after the first block, those with a prose line right above that
    announces an example of use or output.
    """
    code = [block for block in blocks if block.info not in _OUTPUT or block.info == language]
    same = [block for block in code if not _is_other(block.info, language)]
    code = [x for x in same if x.info] or code
    code = [*code[:1], *(block for block in code[1:] if not _USAGE.search(block.above))]
    return code or list(blocks)


def _is_other(info: str, language: str) -> bool:
    """Whether a block's word names a language that never stands within files of another (such as JSON or SQL), and is
    not ``language``; false if either is unknown.
    """
    shown = language_of(f"x.{info}") or info
    return bool(shown and language) and shown in _APART and shown != language


def are_mostly_known(lines: Sequence[str], known: Collection[str]) -> bool:
    """Whether at least half of the lines with a letter or digit are the file's; false if there are none. known: the
    file's lines, stripped.
    """
    shown = [line.strip() for line in lines if not is_weak(line)]
    return 0 < len(shown) <= 2 * sum(line in known for line in shown)


# --- code without a fence ---


def unfenced_code(
    lines: Sequence[str], known: Collection[str], language: str, path: str
) -> list[FencedBlock]:
    """The code of a paste without fences, as one block or, where lines name files, several: without the numbers of a
    listing (not in files of prose) and without paragraphs of prose at its beginning and end. known: the file's lines,
    stripped. path: the file's name.
    """
    if language not in PROSE:
        lines = without_numbers(lines)
    start, end = _without_prose(lines, known, language)
    names = FileNames(lines[:start], (), path)
    above = names.above(start)
    return [*_sections(lines[start:end], above, known, language, path)]


def _sections(
    lines: Sequence[str],
    above: FileMention | None,
    known: Collection[str],
    language: str,
    path: str,
) -> Iterator[FencedBlock]:
    """The code, cut at each line that names a file in the same form as its first line (equal but for the name), these
    lines left out; as one block, for the file ``above``, if the first line that is not blank names none or the language
    has names as lines. known: the file's lines, stripped, which name none. path: of the file that the paste is applied
    to.
    """
    first = next((n for n, line in enumerate(lines) if line.strip()), None)
    head = None if first is None or language in _LISTS else _file_line(lines[first], known, path)
    if first is None or head is None:
        yield FencedBlock(tuple(lines), named=above)
        return
    form = lines[first].replace(head.names[0], "")
    cuts = [n for n, line in enumerate(lines) if _has_form(line, form, known, path)]
    for start, end in zip(cuts, [*cuts[1:], len(lines)], strict=True):
        body = lines[start + 1 : end]
        while body and not body[0].strip():
            body = body[1:]
        yield FencedBlock(tuple(body), named=_file_line(lines[start], known, path), at=start)


def _has_form(line: str, form: str, known: Collection[str], path: str) -> bool:
    """Whether a line names a file in the same form: equal but for the name."""
    head = _file_line(line, known, path)
    return head is not None and line.replace(head.names[0], "") == form


def _file_line(line: str, known: Collection[str], path: str) -> FileMention | None:
    """The file that a line of unfenced code is there to name; ``None`` if it names none, only mentions one in a
    sentence, is indented, blank, or a line of the file (``known``). path: of the file that the paste is applied to, as
    in ``named_in``.
    """
    if not line.strip() or line[0] in " \t" or line.strip() in known:
        return None
    named = named_in(line, 0, path)
    return named if named is not None and named.is_plain else None


def without_buttons(lines: list[str], known: Collection[str]) -> list[str]:
    """The lines below what a web page shows above a code block: a word for the language, then “Copy code” and the like.

    All lines if code, or nothing of the kind, comes first; lines of prose and blank lines above are passed over, and
    dropped with them. known: the file's lines, stripped, none of which is such a word.
    """
    for start, line in enumerate(lines):
        end = start + 1
        while end < len(lines) and lines[end].strip().lower() in _BUTTONS:
            end += 1
        word = line.strip()
        if word and end > start + 1 and " " not in word and word not in known:
            return lines[end:]
        if word and reads_like_prose(line) is False:
            return lines
    return lines


def _without_prose(lines: Sequence[str], known: Collection[str], language: str) -> tuple[int, int]:
    """The range (start, end exclusive) of the lines without paragraphs of prose at the beginning and the end; all of it
    in files of prose and unknown languages.

    A paragraph is prose if all its lines read so and none is the file's (``known``). One paragraph is always left.
    """
    if language in PROSE or not language:
        return 0, len(lines)

    def spoken(block: Sequence[str]) -> bool:
        """Whether all lines of a paragraph read like prose, and none is the file's."""
        return all(
            (is_talk(line) or reads_like_prose(line)) and line.strip() not in known
            for line in block
        )

    groups = [[*group] for _, group in groupby(lines, key=lambda line: bool(line.strip()))]
    shown = [number for number, group in enumerate(groups) if group[0].strip()]
    start, end = 0, len(groups)
    while len(shown) > 1 and spoken(groups[shown[0]]):
        del shown[0]
        start = shown[0]
    while len(shown) > 1 and spoken(groups[shown[-1]]):
        del shown[-1]
        end = shown[-1] + 1
    sizes = [len(group) for group in groups]
    return sum(sizes[:start]), sum(sizes[:end])
