"""Recognises the form of a paste: a sketch, a unified diff or search/replace blocks, without fences and prose.

Knows Markdown and how assistants name files: in the fence's info string, in the line above, or in a comment
that is the block's first line. Of the buffer it knows the set of lines, so that none of them is taken for
prose or for a diff's header.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import groupby

from editd.apply.blocks import (
    Block,
    blocks_of_patch,
    blocks_of_search,
    is_patch,
    is_same,
    is_search_replace,
    standard,
    unsigned,
    untagged,
)
from editd.apply.outcome import Doubt, Form
from editd.diff.document import BOM, Document
from editd.diff.matching import is_weak
from editd.prompts.language import is_file_name, language_of
from editd.prompts.prose import is_talk, reads_like_prose

PROSE = ("markdown", "text", "rst", "latex")
_MARKDOWN = ("markdown", "md")


@dataclass(frozen=True, slots=True)
class Step:
    """A code block. told: the prose of its place, the line nearest to it first.

    blocks: what it changes, if it is a diff, or the old lines are the code block above.
    """

    lines: tuple[str, ...]
    told: tuple[str, ...] = ()
    blocks: tuple[Block, ...] = ()


@dataclass(frozen=True, slots=True)
class Paste:
    """A paste that was read.

    steps: the code blocks of a sketch. blocks: those of the other two forms. info: the language that the
    fence names.
    """

    form: Form
    blocks: tuple[Block, ...] = ()
    steps: tuple[Step, ...] = ()
    info: str = ""
    is_cut: bool = (
        False  # whether its last code block has no end, as where a limit of tokens cut it off
    )


def recognise(text: str, known: Collection[str], language: str, path: str) -> Paste:
    """Reads a paste. known: the buffer's lines, stripped. Raises ``Doubt`` with one sentence."""
    if "\0" in text:
        raise Doubt("The sketch is not text: it contains NUL bytes.", final=True)
    plain = untagged(Document.of(text.removeprefix(BOM)).model_text)
    lines = _unquoted(plain.split("\n"), known)
    if not lines[-1]:
        lines.pop()
    if not any(line.strip() for line in lines):
        raise Doubt(
            "The sketch is empty: paste the changed lines, with a marker for what stays.",
            final=True,
        )
    if is_search_replace(lines, known):
        return Paste("search/replace", blocks=blocks_of_search(lines, path))
    diff = standard(lines)
    if is_patch(diff, known):
        return Paste("patch", blocks=blocks_of_patch(_inside_fence_of_patch(diff), path))
    lines = _without_buttons(lines, known)
    fences = _unfenced(lines, known, language, path)
    if fences is None:
        bare = without_numbers(lines) if language not in PROSE else lines
        fences = [Fenced(tuple(_without_prose(bare, known, language)))]
    else:
        inner = [line for one in fences for line in one.lines]
        if is_patch(inner, known):
            return Paste("patch", blocks=blocks_of_patch(inner, path))
    fences, is_cut = _without_cut_line(fences, known, ended=plain.endswith("\n"))
    fences = [one for one in fences if any(line.strip() for line in one.lines)]
    if not fences:
        raise Doubt(
            "The sketch is empty: paste the changed lines, with a marker for what stays.",
            final=True,
        )
    steps = tuple(_steps(fences, known))
    if all(one.blocks for one in steps):
        form: Form = "search/replace" if len(steps) < len(fences) else "patch"
        return Paste(form, blocks=tuple(x for one in steps for x in one.blocks))
    return Paste("sketch", steps=steps, info=fences[0].info, is_cut=is_cut)


def _steps(fences: Sequence[Fenced], known: Collection[str]) -> Iterator[Step]:
    """The code blocks; of two of which the prose says “replace this … with this” one."""
    position = 0
    while position < len(fences):
        one = fences[position]
        after = fences[position + 1 : position + 2]
        if after and _is_replaced(one, after[0], known):
            yield Step(after[0].lines, blocks=(Block(one.lines, after[0].lines, one.at),))
            position += 2
            continue
        position += 1
        beyond = fences[-1].below if position == len(fences) else ()
        yield Step(one.lines, (*one.prose, *beyond), unsigned(one.lines, known))


def _without_cut_line(
    fences: list[Fenced], known: Collection[str], *, ended: bool
) -> tuple[list[Fenced], bool]:
    """The blocks without the unfinished line that the last one breaks off in, and whether one does.

    What follows in the file stays, so a marker stands there instead.
    """
    last = fences[-1]
    if last.is_closed or ended or not last.lines:
        return fences, False
    rest = last.lines if last.lines[-1].strip() in {*known} - {""} else last.lines[:-1]
    lines = (*rest, "# ...") if any(x.strip() for x in rest) else ()
    return [*fences[:-1], replace(last, lines=lines)], True


def _inside_fence_of_patch(lines: Sequence[str]) -> list[str]:
    """The lines of a patch without fence lines, which cannot be lines of a hunk."""
    return [line for line in lines if not line.startswith(("```", "~~~"))]


def _unquoted(lines: list[str], known: Collection[str]) -> list[str]:
    """The lines of a mail or an issue without the ``> `` before them, and without those that have none."""
    quoted = [line for line in lines if line.startswith(">")]
    is_quote = sum(line.startswith("> ") for line in quoted) > 1 and not any(
        line.strip() in known for line in quoted
    )
    if (
        not is_quote
        or any(FENCE.fullmatch(line) for line in lines)
        or is_search_replace(lines, known)
    ):
        return lines
    return [line[1:].removeprefix(" ") for line in quoted] + ([""] if not lines[-1] else [])


def _without_buttons(lines: list[str], known: Collection[str]) -> list[str]:
    """The lines without what a web page shows above a code block, its language and “Copy code”, and what stands above."""
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
        is_wrapped = all(one.info in _MARKDOWN for one in blocks)
        return blocks if is_wrapped and not is_outside_known(outside, known) else None
    is_lone = len(blocks) == 1 and not blocks[0].is_closed
    is_code = any(x.strip() in known and not is_weak(x) for x in outside)
    if is_outside_known(outside, known) or (is_lone and is_code):
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
        return all(
            (is_talk(line) or reads_like_prose(line)) and line.strip() not in known
            for line in block
        )

    groups = [[*group] for _, group in groupby(lines, key=lambda line: bool(line.strip()))]
    told = [number for number, group in enumerate(groups) if group[0].strip()]
    start, end = 0, len(groups)
    while len(told) > 1 and spoken(groups[told[0]]):
        del told[0]
        start = told[0]
    while len(told) > 1 and spoken(groups[told[-1]]):
        del told[-1]
        end = told[-1] + 1
    return [line for group in groups[start:end] for line in group]


FENCE = re.compile(r"(?P<indent>\s*)(?P<fence>`{3,}|~{3}(?!~))\s*(?P<info>[^`]*)")
_NAME = r"[\w.~/\\-]*[\w-]\.\w+|[\w./-]*(?:Makefile|Dockerfile)"
_NAMED_LINE = re.compile(
    rf"[\s*_`#>-]*(?:\d+[.)]\s*[*_`]*)?(?:(?:in|file|path|filename|update|updated|edit)\b[\s:*_`]*)?[*_`]*(?P<name>{_NAME})[\s*_`:)]*",
    re.IGNORECASE,
)
_NAMED_COMMENT = re.compile(
    rf"\s*(?:#|//|--|/\*|<!--|;)\s*(?:file(?:name|path)?|path)?\s*:?\s*(?P<name>{_NAME})\s*(?:\*/|-->)?\s*",
    re.IGNORECASE,
)
_MENTIONED = re.compile(rf"(?:`|\*\*)(?P<name>{_NAME})(?:`|\*\*)")
_NUMBERED = re.compile(
    r"\s*(?:L(?:ine )?)?(?P<number>\d+)(?P<sign>\s*[:|│]|\t|\.|(?= {2,}))(?: (?P<text>.*)|(?P<rest>))"
)
_OUTPUT = frozenset(
    {"bash", "sh", "shell", "zsh", "console", "shell-session", "terminal", "text", "txt", "output"}
)


@dataclass(frozen=True, slots=True)
class Fenced:
    """A code block. name: of its file, if it is told. info: the word after the fence, small letters.

    prose: all of it since the block before, the nearest line first; below: that which follows the last block. at: the paste's line, 0-based, where its fence opens.
    is_closed: whether its fence has an end.
    """

    lines: tuple[str, ...]
    info: str = ""
    name: str = ""
    prose: tuple[str, ...] = ()
    below: tuple[str, ...] = ()
    at: int = 0
    is_closed: bool = True

    @property
    def above(self) -> str:
        """The prose line above it."""
        return self.prose[0].strip() if self.prose else ""


def fenced(lines: Sequence[str]) -> tuple[list[Fenced], list[str]]:
    """All code blocks, and the lines outside of them. A block without an end goes to the last line."""
    found: list[Fenced] = []
    outside: list[str] = []
    prose: list[str] = []
    position = 0
    while position < len(lines):
        opening = FENCE.fullmatch(lines[position])
        if opening is None:
            outside.append(lines[position])
            prose += [lines[position]] if lines[position].strip() else []
            position += 1
            continue
        closing = next(
            (i for i in range(position + 1, len(lines)) if _closes(lines[i], opening["fence"])),
            len(lines),
        )
        body = [x.removeprefix(opening["indent"]) for x in lines[position + 1 : closing]]
        info, name = _info(opening["info"].strip())
        name = name or _name_in(prose[-1] if prose else "", _NAMED_LINE)
        told, is_closed = tuple(reversed(prose)), closing < len(lines)
        block = Fenced(tuple(body), info, name, told, at=position, is_closed=is_closed)
        found.append(_named(block))
        prose = []
        position = closing + 1
    below = tuple(x for x in prose if _PUT.search(x))
    return [replace(one, below=below) for one in found], outside


_PUT = re.compile(r"\b(?:place|put|add|insert|goes?|belongs?)\b", re.IGNORECASE)


def for_file(blocks: Sequence[Fenced], path: str, language: str) -> list[Fenced]:
    """The blocks that can be for the file ``path``: neither for another file nor a command's output.

    Files that the prose merely mentions count if one of them is this file. Where several are named, a
    block without a name is for the one that was named last.
    """
    names = [one.name for one in blocks]
    mentioned = [one.name or _mentioned(one.above) for one in blocks]
    if path and not any(names) and any(name and is_same(name, path) for name in mentioned):
        names = mentioned
    if len({name for name in names if name}) > 1:
        for number in range(1, len(names)):
            names[number] = names[number] or names[number - 1]
    own = [
        one
        for one, name in zip(blocks, names, strict=True)
        if not path or is_same(name or _placed_in(one.above) or path, path)
    ]
    code = [one for one in own if one.info not in _OUTPUT or one.info == language]
    same = [one for one in code if not _is_other(one.info, language)]
    code = [x for x in same if x.info] or code
    code = [*code[:1], *(one for one in code[1:] if not _USAGE.search(one.above))]
    return code or own


def _is_other(info: str, language: str) -> bool:
    """Whether a block is of a language that does not stand in files of this one."""
    told = language_of(f"x.{info}") or info
    return bool(told and language) and told in _APART and told != language


_APART = ("sql", "json", "yaml", "toml", "markdown", "dockerfile", "makefile")
_USAGE = re.compile(
    r"^\W*(?:example )?usage(?: examples?)?\W*$|\busage example\b|^\W*(?:then )?call it\b|\byou (?:can )?use it\b[^.]*:$|"
    r"^\W*output\b|^\W*(?:for )?example\b(?!.*\b(?:above|after|before|below)\b)|\bfor example\W*$|"
    r"\bwill (?:output|print|give)\b|\bfails? with\W*$|^\W*then,? in your\b|\bin your `~|"
    r"\byou can (?:now |then )?(?:write|call|use it|run|test)\b|\b(?:now|then) you can\b|"
    r"\bhow (?:you|to) (?:can |could )?(?:use|call|run)\b",
    re.IGNORECASE,
)


def _mentioned(line: str) -> str:
    """The file that a line of prose has in ticks or stars, if it is only one."""
    found = {one["name"] for one in _MENTIONED.finditer(line) if is_file_name(one["name"])}
    return found.pop() if len(found) == 1 else ""


def _placed_in(line: str) -> str:
    """The file that a line of prose ends in: “and declare it in `uv.h`:”."""
    found = _IN_FILE.search(line)
    return found["name"] if found and is_file_name(found["name"]) else ""


_IN_FILE = re.compile(rf"\b(?:in|into|to)\s+(?:your\s+)?`(?P<name>{_NAME})`[\s:.]*$", re.IGNORECASE)


def names_of(blocks: Sequence[Fenced]) -> list[str]:
    """The files that are named, each once."""
    told = (one.name or _placed_in(one.above) for one in blocks)
    return list(dict.fromkeys(name for name in told if name))


def without_numbers(lines: Sequence[str]) -> list[str]:
    """The lines without the numbers that a listing has before them, if all have one."""
    told = [line for line in lines if line.strip()]
    read = [_NUMBERED.fullmatch(line) for line in told]
    found = [one for one in read if one is not None]
    numbers = [int(one["number"]) for one in found]
    if len(told) < 2 or len(numbers) < len(told) or numbers != sorted(numbers):
        return list(lines)
    plain = any(one["sign"] in ("", ".") for one in found)  # may be a table, or a list
    if plain and (numbers != list(range(numbers[0], numbers[0] + len(told))) or len(told) < 3):
        return list(lines)
    by_line = {line: one["text"] or "" for line, one in zip(told, read, strict=True) if one}
    return [by_line.get(line, "") for line in lines]


_OLD = re.compile(
    r"\b(?:replace|change|find|instead of|from|old|before|current|currently|original|this)\b",
    re.IGNORECASE,
)
_NEW = re.compile(r"\W*(?:with|to|by|into|after|new|becomes?|should be|use)\b", re.IGNORECASE)


def _is_replaced(old: Fenced, new: Fenced, known: Collection[str]) -> bool:
    before = {line.strip() for line in old.lines}
    return (
        _OLD.search(old.above) is not None
        and _NEW.match(new.above) is not None
        and all(not line or line in known for line in before)
        and all(x.strip() in before or x.strip() not in known or is_weak(x) for x in new.lines)
    )


def is_outside_known(outside: Sequence[str], known: Collection[str]) -> bool:
    """Whether half of the lines outside of the blocks are the file's, or more."""
    told = [line.strip() for line in outside if not is_weak(line)]
    return 0 < len(told) <= 2 * sum(line in known for line in told)


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


def _named(block: Fenced) -> Fenced:
    """The block without the numbers of its lines, and without a comment that names the file."""
    body, name = list(block.lines), block.name
    first = next((i for i, line in enumerate(body) if line.strip()), None)
    if first is not None and (told := _name_in(body[first], _NAMED_COMMENT)):
        name = told
        del body[: first + 1]
        while body and not body[0].strip():
            body.pop(0)
    return replace(block, lines=tuple(without_numbers(body)), name=name)


def _name_in(line: str, pattern: re.Pattern[str]) -> str:
    found = pattern.fullmatch(line)
    if found is None or not ("/" in found["name"] or is_file_name(found["name"])):
        return ""
    return found["name"].replace("\\", "/")
