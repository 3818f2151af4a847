"""Recognises the form of a paste: a sketch, a unified diff or search/replace blocks, and what of it is for a file.

Forms are tried in the order of how much they say: blocks with their old lines, hunks, code. Of the buffer it knows the
set of lines, so that none of them is taken for prose or for a diff's header.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, replace

from editd.apply.outcome import Doubt, Form
from editd.apply.paste.copy_repairs import is_escaped, repaired, repairs_of, unescaped
from editd.apply.paste.fences import (
    FENCE,
    PROSE,
    Fenced,
    fenced,
    is_outside_known,
    unfenced,
    without_buttons,
    without_other_code,
)
from editd.apply.paste.file_names import FileNames, Named, OtherFiles, Share, is_same, share_of
from editd.apply.paste.patches import DELETED, is_patch, read_patch, standard, unsigned
from editd.apply.paste.search_replace import is_search_replace, search_blocks, without_escapes
from editd.apply.readers.by_old_lines import Block
from editd.diff.document import BOM, Document
from editd.diff.matching import is_weak

_MARKDOWN = ("markdown", "md")
_ENTITIES = (
    "The code was escaped for a web page (&lt;); look whether its signs are the right ones now."
)
_DIFFS = ("diff", "patch", "udiff")


@dataclass(frozen=True, slots=True)
class Step:
    """A code block. told: the prose of its place, the line nearest to it first.

    blocks: what it changes, if it is a diff, or the old lines are the code block above. doubt: why it may be for
    another file.
    """

    lines: tuple[str, ...]
    told: tuple[str, ...] = ()
    blocks: tuple[Block, ...] = ()
    doubt: str = ""


@dataclass(frozen=True, slots=True)
class Paste:
    """A paste that was read.

    steps: the code blocks of a sketch. blocks: those of the other two forms. info: the language that the
    fence names. is_cut: whether its last code block has no end, as where a limit of tokens cut it off. others: files
    that other parts of it are for.
    """

    form: Form
    blocks: tuple[Block, ...] = ()
    steps: tuple[Step, ...] = ()
    info: str = ""
    is_cut: bool = False
    others: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Target:
    """The file that a paste is applied to.

    known: its lines, stripped. path, file: its name and its absolute path. beside: other files that get the same paste.
    """

    known: Collection[str]
    language: str
    path: str
    file: str = ""
    beside: Collection[str] = ()

    def share(self, parts: Sequence[Named | None]) -> Share:
        """Which parts are for the file; raises ``OtherFiles`` if none is."""
        return share_of(parts, self.path, self.file, self.beside)


def recognise(
    text: str,
    known: Collection[str],
    language: str,
    path: str,
    file: str = "",
    beside: Collection[str] = (),
) -> Paste:
    """Read a paste. known: the buffer's lines, stripped. Raises ``Doubt`` with one sentence."""
    if "\0" in text:
        raise Doubt("The sketch is not text: it contains NUL bytes.", final=True)
    target = Target(known, language, path, file, beside)
    plain = without_escapes(Document.of(text.removeprefix(BOM)).model_text)
    lines = _unquoted(plain.split("\n"), known)
    if not lines[-1]:
        lines.pop()
    if not any(line.strip() for line in lines):
        raise Doubt(_EMPTY, final=True)
    taken: set[int] = set()
    elsewhere: OtherFiles | None = None
    for read in (_search_blocks, _patch):
        paste, numbers = read(lines, target)
        taken |= numbers
        if isinstance(paste, Paste):
            return paste
        elsewhere = elsewhere or paste
    if elsewhere is not None:
        return _rest(lines, taken, target, elsewhere)
    return _sketch(lines, target, is_ended=plain.endswith("\n"))


_EMPTY = "The sketch is empty: paste the changed lines, with a marker for what stays."
_Read = tuple["Paste | OtherFiles | None", set[int]]  # and the lines of its blocks


def _search_blocks(lines: Sequence[str], target: Target) -> _Read:
    """The search/replace blocks for a file; ``None`` if the paste has none."""
    blocks = search_blocks(lines, target.known)
    code = {number for block in blocks for number in range(block.at, block.end)}
    names = FileNames(lines, code, target.path)
    parts = [block.named or names.above(block.at) for block in blocks]
    return _own("search/replace", blocks, parts, target), code


def _patch(lines: Sequence[str], target: Target) -> _Read:
    """The hunks for a file; ``None`` if the paste has none."""
    lines = standard(lines, target.known)
    if not is_patch(lines, target.known):
        return None, set()
    patch = read_patch(lines, target.known)
    code = {number for block in patch.blocks for number in range(block.at, block.end)}
    names = FileNames(lines, code, target.path, patch.named)
    parts = [names.above(block.at) for block in patch.blocks]
    paste = _own("patch", patch.blocks, parts, target)
    if isinstance(paste, Paste) and any(x.named and DELETED in x.named.names for x in paste.blocks):
        raise Doubt("The diff deletes the file; delete it yourself.", final=True)
    for block in paste.blocks if isinstance(paste, Paste) else ():
        if block.old == block.new and block.ends is None:
            raise Doubt(f"The hunk at line {block.at + 1} of the diff changes nothing.", block.at)
    return paste, code


def _own(
    form: Form, blocks: Sequence[Block], parts: Sequence[Named | None], target: Target
) -> Paste | OtherFiles | None:
    """The blocks for the target, or the doubt that says whose they are; ``None`` without blocks."""
    if not blocks:
        return None
    try:
        share = target.share(parts)
    except OtherFiles as doubt:
        return doubt
    own = (
        replace(blocks[n], named=parts[n], doubt=blocks[n].doubt or share.doubtful.get(n, ""))
        for n in share.own
    )
    return Paste(form, blocks=tuple(own), others=share.others)


def _rest(
    lines: Sequence[str], taken: Collection[int], target: Target, elsewhere: OtherFiles
) -> Paste:
    """The code blocks for a file, of an answer whose search/replace blocks or hunks are all for other ones."""
    blocks = [
        block
        for block in fenced(lines, target.known, target.path)[0]
        if not {*range(block.at, block.end)} & {*taken}
        and block.named is not None
        and any(is_same(name, target.path) for name in block.named.names)
    ]
    if not blocks:
        raise elsewhere
    paste = _of_fences(blocks, target, is_ended=True)
    return replace(paste, others=elsewhere.others)


def _sketch(lines: list[str], target: Target, *, is_ended: bool) -> Paste:
    """The code of a paste in fences, or all of it."""
    lines = without_buttons(lines, target.known)
    blocks = _fences_for(lines, target)
    if blocks is None:
        blocks = unfenced(lines, target.known, target.language, target.path)
    share = target.share([block.named for block in blocks])
    own = [replace(blocks[n], doubt=share.doubtful.get(n, "")) for n in share.own]
    if target.language not in PROSE:
        own = without_other_code(own, target.language)
    return replace(_of_fences(own, target, is_ended=is_ended), others=share.others)


def _of_fences(own: list[Fenced], target: Target, *, is_ended: bool) -> Paste:
    known = target.known
    own, is_cut = _without_cut_line(own, known, ended=is_ended)
    own = [_restored(block, target) for block in own if any(line.strip() for line in block.lines)]
    if not own:
        raise Doubt(_EMPTY, final=True)
    steps = tuple(_steps(own, known))
    if all(step.blocks for step in steps):
        form: Form = "search/replace" if len(steps) < len(own) else "patch"
        blocks = (replace(x, doubt=x.doubt or step.doubt) for step in steps for x in step.blocks)
        return Paste(form, blocks=tuple(blocks))
    return Paste("sketch", steps=steps, info=own[0].info, is_cut=is_cut)


def _restored(block: Fenced, target: Target) -> Fenced:
    """The code without what a tool or a chat did to it."""
    if target.language in PROSE:
        return block
    lines = repaired(block.lines, repairs_of(block.lines, target.known))
    if not is_escaped(lines, target.language):
        return replace(block, lines=lines)
    return replace(block, lines=tuple(unescaped(lines)), doubt=block.doubt or _ENTITIES)


def _steps(fences: Sequence[Fenced], known: Collection[str]) -> Iterator[Step]:
    """The code blocks; of two of which the prose says “replace this … with this” one."""
    position = 0
    while position < len(fences):
        fence = fences[position]
        after = fences[position + 1 : position + 2]
        if after and _is_replaced(fence, after[0], known):
            block = Block(fence.lines, after[0].lines, fence.at)
            yield Step(after[0].lines, blocks=(block,), doubt=fence.doubt or after[0].doubt)
            position += 2
            continue
        position += 1
        beyond = fences[-1].below if position == len(fences) else ()
        blocks = unsigned(fence.lines, known)
        yield Step(fence.lines, (*fence.prose, *beyond), blocks, fence.doubt)


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


def _fences_for(lines: Sequence[str], target: Target) -> list[Fenced] | None:
    """The code blocks of an answer; ``None`` if there is no fence, or it belongs to the text."""
    blocks, outside = fenced(lines, target.known, target.path)
    if not blocks:
        return None
    if target.language in PROSE or (not target.language and blocks[0].info in _MARKDOWN):
        return _of_prose(blocks, outside, target)
    is_lone = len(blocks) == 1 and not blocks[0].is_closed
    is_code = any(x.strip() in target.known and not is_weak(x) for x in outside)
    if is_outside_known(outside, target.known) or (is_lone and is_code):
        return None
    return blocks


def _of_prose(blocks: list[Fenced], outside: Sequence[str], target: Target) -> list[Fenced] | None:
    """The blocks that hold a change of a file of prose: its text, or a diff; others belong to that text."""
    if is_outside_known(outside, target.known):
        return None
    if all(block.info in _MARKDOWN for block in blocks):
        return blocks
    diffs = [
        block for block in blocks if block.info in _DIFFS and unsigned(block.lines, target.known)
    ]
    own = [
        block
        for block in blocks
        if block.named is not None
        and target.path
        and any(is_same(name, target.path) for name in block.named.names)
    ]
    return diffs or own or None


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
