"""The form of a paste: search/replace blocks, a unified diff or the code blocks of a sketch; and the parts of it that are for one file.

Forms are tried in the order of how much they say. Of the buffer only the set of its lines is known, so that none of
them is taken for prose or for a diff's header.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass, replace

from editd.apply.outcome import Form
from editd.apply.paste.copy_repairs import is_escaped, repaired, repairs_of, unescaped
from editd.apply.paste.fences import (
    FENCE,
    MARKDOWN_INFOS,
    PROSE,
    FencedBlock,
    are_mostly_known,
    fenced_blocks,
    unfenced_code,
    without_buttons,
    without_other_code,
)
from editd.apply.paste.file_names import (
    FileMention,
    FileNames,
    FileShare,
    OtherFilesError,
    is_same,
    share_of,
)
from editd.apply.paste.patches import (
    DELETED,
    in_standard_form,
    is_patch,
    read_patch,
    without_headers,
)
from editd.apply.paste.search_replace import is_search_replace, search_blocks, without_escapes
from editd.apply.paste.substitutions import Substitution
from editd.apply.reading import NoReadingError
from editd.diff.document import BOM, Document
from editd.diff.matching import is_weak
from editd.syntax.language import language_named

_NO_LANGUAGE = ("", "text", "txt", "plain", "plaintext")
_ENTITIES = (
    "The code was escaped for a web page (&lt;); look whether its signs are the right ones now."
)
_DIFFS = ("diff", "patch", "udiff")
_EMPTY = "The sketch is empty: paste the changed lines, with a marker for what stays."
_FormRead = tuple["Paste | OtherFilesError | None", set[int]]  # and the lines of its blocks
_OLD = re.compile(
    r"\b(?:replace|change|find|instead of|from|old|before|current|currently|original|this)\b",
    re.IGNORECASE,
)
_NEW = re.compile(r"\W*(?:with|to|by|into|after|new|becomes?|should be|use)\b", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class CodeBlock:
    """A code block of a sketch.

    prose: the lines above it that may say its location, the nearest first. substitutions: its old lines and new ones,
    if it is a diff without headers, or the old lines are the code block above. doubt: why it may be for another file;
    else empty.
    """

    lines: tuple[str, ...]
    prose: tuple[str, ...] = ()
    substitutions: tuple[Substitution, ...] = ()
    doubt: str = ""


@dataclass(frozen=True, slots=True)
class Paste:
    """A paste, read for one file.

    code_blocks: those of a sketch. substitutions: those of the other two forms. info: the language that the first fence
    names. is_cut: whether its last code block has no end, as where a limit of tokens cut it off. others: files that
    other parts of it are for.
    """

    form: Form
    substitutions: tuple[Substitution, ...] = ()
    code_blocks: tuple[CodeBlock, ...] = ()
    info: str = ""
    is_cut: bool = False
    others: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class TargetFile:
    """The file that a paste is applied to.

    known: its lines, stripped. path, file: its name and its absolute path. beside: other files that get the same paste.
    """

    known: Collection[str]
    language: str
    path: str
    file: str = ""
    beside: Collection[str] = ()

    def share(self, parts: Sequence[FileMention | None]) -> FileShare:
        """The parts that are for the file. Raises ``OtherFilesError`` if none is, and ``NoReadingError`` if several
        files are named and ``path`` is empty. parts: what names each part's file; ``None`` if nothing does.
        """
        return share_of(parts, self.path, self.file, self.beside)


def recognise(
    text: str,
    known: Collection[str],
    language: str,
    path: str,
    file: str = "",
    beside: Collection[str] = (),
) -> Paste:
    """The paste, read for one file: as search/replace blocks if it has any, else as a diff, else as a sketch (code
    blocks). If all blocks or hunks are for other files, the code blocks beside them that name this file. Signs of a
    quotation (``> ``) are removed before, and entities of escaped search/replace blocks decoded.

    known: the buffer's lines, stripped. path, file: the file's name and its absolute path. beside: names of other files
    that get the same paste. Raises ``NoReadingError`` with one sentence if the paste is empty, binary, for other files
    alone, deletes the file, or has a broken block or a hunk that changes nothing; also if several files are named and
    ``path`` is empty.
    """
    if "\0" in text:
        raise NoReadingError("The sketch is not text: it contains NUL bytes.", final=True)
    target = TargetFile(known, language, path, file, beside)
    plain = without_escapes(Document.of(text.removeprefix(BOM)).model_text)
    lines = _unquoted(plain.split("\n"), known)
    if not lines[-1]:
        lines.pop()
    if not any(line.strip() for line in lines):
        raise NoReadingError(_EMPTY, final=True)
    taken: set[int] = set()
    elsewhere: OtherFilesError | None = None
    for form in FORMS:
        paste, numbers = form.read(lines, target)
        taken |= numbers
        if isinstance(paste, Paste):
            return paste
        elsewhere = elsewhere or paste
    if elsewhere is not None:
        return _code_for_target(lines, taken, target, elsewhere)
    return _sketch(lines, target, is_ended=plain.endswith("\n"))


def _search_blocks(lines: Sequence[str], target: TargetFile) -> _FormRead:
    """The search/replace blocks for a file, ``None`` if the paste has none, an ``OtherFilesError`` (returned) if all
    are for others; and the numbers of the lines of all blocks.

    Raises ``NoReadingError`` for a broken block, and for several files if the target has no path.
    """
    blocks = search_blocks(lines, target.known)
    if not blocks:
        return None, set()
    code = {number for block in blocks for number in range(block.at, block.end)}
    names = FileNames(lines, code, target.path)
    parts = [block.named or names.above(block.at) for block in blocks]
    return _for_target("search/replace", blocks, parts, target), code


def _patch(lines: Sequence[str], target: TargetFile) -> _FormRead:
    """The hunks for a file, ``None`` if the paste is no diff or has no hunk, an ``OtherFilesError`` (returned) if all
    are for others; and the numbers of the lines of all hunks, in the diff's standard form.

    Raises ``NoReadingError`` if the diff deletes the file, a hunk for it changes nothing, or several files are named
    and the target has no path.
    """
    lines = in_standard_form(lines, target.known)
    if not is_patch(lines, target.known):
        return None, set()
    patch = read_patch(lines, target.known)
    code = {number for block in patch.substitutions for number in range(block.at, block.end)}
    names = FileNames(lines, code, target.path, patch.named)
    parts = [names.above(block.at) for block in patch.substitutions]
    paste = _for_target("patch", patch.substitutions, parts, target)
    if isinstance(paste, Paste) and any(
        x.named and DELETED in x.named.names for x in paste.substitutions
    ):
        raise NoReadingError("The diff deletes the file; delete it yourself.", final=True)
    for block in paste.substitutions if isinstance(paste, Paste) else ():
        if block.old == block.new and block.ends is None:
            raise NoReadingError(
                f"The hunk at line {block.at + 1} of the diff changes nothing.", block.at
            )
    return paste, code


@dataclass(frozen=True, slots=True)
class FormWithOldLines:
    """A form in which a paste names its old lines. takes: how it is written. passes_on: when the next form is tried.

    read: the paste for a file, ``None`` where it passes on, or an ``OtherFilesError`` if all of it is for others; and the
    numbers of its lines.
    """

    name: Form
    takes: str
    passes_on: str
    read: Callable[[Sequence[str], TargetFile], _FormRead]


FORMS = (
    FormWithOldLines(
        "search/replace",
        "old and new lines between signs, in tags, or as calls of editing tools in JSON",
        "the paste has none, or all are for other files",
        _search_blocks,
    ),
    FormWithOldLines(
        "patch",
        "hunks of a unified diff, of a word diff, or of OpenAI's patches",
        "no line is a hunk's header, or all are for other files",
        _patch,
    ),
)
"""Tried in this order; what has none of these forms is a sketch, and goes to ``readers.answer``."""


def _for_target(
    form: Form,
    blocks: Sequence[Substitution],
    parts: Sequence[FileMention | None],
    target: TargetFile,
) -> Paste | OtherFilesError | None:
    """The substitutions for the target as a paste; the ``OtherFilesError`` (returned, not raised) that says whose they
    are if none is for it; ``None`` without substitutions.

    parts: what names the file of each substitution. Raises ``NoReadingError`` if several files are named and the target
    has no path.
    """
    if not blocks:
        return None
    try:
        share = target.share(parts)
    except OtherFilesError as doubt:
        return doubt
    own = (
        replace(blocks[n], named=parts[n], doubt=blocks[n].doubt or share.doubtful.get(n, ""))
        for n in share.own
    )
    return Paste(form, substitutions=tuple(own), others=share.others)


def _code_for_target(
    lines: Sequence[str], taken: Collection[int], target: TargetFile, elsewhere: OtherFilesError
) -> Paste:
    """The code blocks that name the target, of an answer whose search/replace blocks or hunks are all for other files;
    raises ``elsewhere`` if there is none.

    taken: numbers of the lines of those blocks and hunks, which are left out. Raises ``NoReadingError`` if the blocks
    are empty.
    """
    blocks = [
        block
        for block in fenced_blocks(lines, target.known, target.path)[0]
        if not {*range(block.at, block.end)} & {*taken}
        and block.named is not None
        and any(is_same(name, target.path) for name in block.named.names)
    ]
    if not blocks:
        raise elsewhere
    paste = _paste_of_code(blocks, target, is_ended=True)
    return replace(paste, others=elsewhere.others)


def _sketch(lines: list[str], target: TargetFile, *, is_ended: bool) -> Paste:
    """The code blocks of a paste for the target, or all of it but the prose around if it has no fence; without blocks
    of other languages, output and examples of use if others are left, unless the target is prose. Raises
    ``NoReadingError`` if there is no code, all is for other files, or several files are named and the target has no
    path.

    is_ended: whether the paste ends in a newline.
    """
    lines = without_buttons(lines, target.known)
    blocks = _fences_for(lines, target)
    if blocks is None:
        blocks = unfenced_code(lines, target.known, target.language, target.path)
    share = target.share([block.named for block in blocks])
    own = [replace(blocks[n], doubt=share.doubtful.get(n, "")) for n in share.own]
    if target.language not in PROSE:
        own = without_other_code(own, target.language)
    return replace(_paste_of_code(own, target, is_ended=is_ended), others=share.others)


def _paste_of_code(own: list[FencedBlock], target: TargetFile, *, is_ended: bool) -> Paste:
    """The code blocks as a paste, without blank blocks and an unfinished last line, with the damage of copying taken
    back. A sketch; if all blocks show their old lines, a search/replace (some block was merged with the one that has
    its old lines) or a patch.

    own: one block or more. is_ended: whether the paste ends in a newline. Raises ``NoReadingError`` if no block has a
    line that is not blank.
    """
    known = target.known
    own, is_cut = _without_cut_line(own, known, ended=is_ended)
    own = [_restored(block, target) for block in own if any(line.strip() for line in block.lines)]
    if not own:
        raise NoReadingError(_EMPTY, final=True)
    code_blocks = tuple(_code_blocks(own, known))
    if all(block.substitutions for block in code_blocks):
        form: Form = "search/replace" if len(code_blocks) < len(own) else "patch"
        blocks = (
            replace(x, doubt=x.doubt or block.doubt)
            for block in code_blocks
            for x in block.substitutions
        )
        return Paste(form, substitutions=tuple(blocks))
    return Paste("sketch", code_blocks=code_blocks, info=own[0].info, is_cut=is_cut)


def _restored(block: FencedBlock, target: TargetFile) -> FencedBlock:
    """The block without what a tool or a chat did to its lines, as far as the file's lines show it; unescaped, with a
    doubt, if its signs were escaped for a web page. A block for a file of prose stays as it is.
    """
    if target.language in PROSE:
        return block
    lines = repaired(block.lines, repairs_of(block.lines, target.known))
    if not is_escaped(lines, target.language):
        return replace(block, lines=lines)
    return replace(block, lines=tuple(unescaped(lines)), doubt=block.doubt or _ENTITIES)


def _code_blocks(fences: Sequence[FencedBlock], known: Collection[str]) -> Iterator[CodeBlock]:
    """The code blocks in order, with the lines that a diff without headers shows as old; two blocks of which the prose
    says “replace this … with this” as one block, the first one's lines as its old lines.

    The last block's prose also has the lines below it that say where to put code. known: the file's lines, stripped.
    """
    position = 0
    while position < len(fences):
        fence = fences[position]
        after = fences[position + 1 : position + 2]
        if after and _is_replaced(fence, after[0], known):
            block = Substitution(fence.lines, after[0].lines, fence.at)
            yield CodeBlock(
                after[0].lines, substitutions=(block,), doubt=fence.doubt or after[0].doubt
            )
            position += 2
            continue
        position += 1
        beyond = fences[-1].below if position == len(fences) else ()
        blocks = without_headers(fence.lines, known)
        yield CodeBlock(fence.lines, (*fence.prose, *beyond), blocks, fence.doubt)


def _without_cut_line(
    fences: list[FencedBlock], known: Collection[str], *, ended: bool
) -> tuple[list[FencedBlock], bool]:
    """The blocks, and whether the last one was cut off: it has no closing fence, and the paste no last newline.

    If so, a marker replaces its last line, or follows it if the file has that line (``known``), since what follows in
    the file stays; the block is emptied if nothing else is in it. ended: whether the paste ends in a newline.
    """
    last = fences[-1]
    if last.is_closed or ended or not last.lines:
        return fences, False
    rest = last.lines if last.lines[-1].strip() in {*known} - {""} else last.lines[:-1]
    lines = (*rest, "# ...") if any(x.strip() for x in rest) else ()
    return [*fences[:-1], replace(last, lines=lines)], True


def _unquoted(lines: list[str], known: Collection[str]) -> list[str]:
    """The lines of a quotation without the ``>`` and one blank before them, and without the lines that are not quoted;
    another paste as it is.

    A quotation has two lines or more that begin with ``> ``, none of them the file's (``known``), no fence and no
    search/replace block.
    """
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


def _fences_for(lines: Sequence[str], target: TargetFile) -> list[FencedBlock] | None:
    """The code blocks of an answer; ``None`` if there is no fence or tag, or the fences are part of the file's own
    text: at least half of the lines outside of them are the file's, or any is and the only fence has no end.

    For a file of prose (or without a language, if the first fence is one of Markdown) see ``_fences_for_prose``.
    """
    blocks, outside = fenced_blocks(lines, target.known, target.path)
    if not blocks:
        return None
    if target.language in PROSE or (not target.language and blocks[0].info in MARKDOWN_INFOS):
        return _fences_for_prose(blocks, outside, target)
    is_lone = len(blocks) == 1 and not blocks[0].is_closed
    is_code = any(x.strip() in target.known and not is_weak(x) for x in outside)
    if are_mostly_known(outside, target.known) or (is_lone and is_code):
        return None
    return blocks


def _fences_for_prose(
    blocks: list[FencedBlock], outside: Sequence[str], target: TargetFile
) -> list[FencedBlock] | None:
    """The blocks that hold a change of a file of prose; ``None`` if there are none, or at least half of the lines
    outside the fences are the file's, so that the fences belong to its own text.

    All blocks of the first kind that there is: with text of the file (``_is_text_of``) and labelled with its language;
    with text of the file (in Markdown only if all blocks have it); diffs without headers, labelled as diffs; those that
    name the file.
    """
    if are_mostly_known(outside, target.known):
        return None
    texts = [block for block in blocks if _is_text_of(block, target)]
    labelled = [block for block in texts if language_named(block.info) == target.language]
    if labelled or (texts and (len(texts) == len(blocks) or target.language != "markdown")):
        return labelled or texts
    diffs = [
        block
        for block in blocks
        if block.info in _DIFFS and without_headers(block.lines, target.known)
    ]
    own = [
        block
        for block in blocks
        if block.named is not None
        and target.path
        and any(is_same(name, target.path) for name in block.named.names)
    ]
    return diffs or own or None


def _is_text_of(block: FencedBlock, target: TargetFile) -> bool:
    """Whether a block holds text of a file of prose, by the word after its fence.

    True in a Markdown file for a block of Markdown. If the file has fences of its own, else only for a block without a
    word, or with one for plain text, of whose lines it has at least half. Otherwise for any block without a word, for
    plain text, or with the word of the file's language.
    """
    if target.language == "markdown" and block.info in MARKDOWN_INFOS:
        return True
    if any(FENCE.fullmatch(line) for line in target.known):
        return block.info in _NO_LANGUAGE and are_mostly_known(block.lines, target.known)
    return block.info in _NO_LANGUAGE or language_named(block.info) == target.language


def _is_replaced(old: FencedBlock, new: FencedBlock, known: Collection[str]) -> bool:
    """Whether the prose above two blocks says that the first one becomes the second, the file (``known``: its lines,
    stripped) has all lines of the first, and the second has no further line of the file with a letter or digit.
    """
    before = {line.strip() for line in old.lines}
    return (
        _OLD.search(old.above) is not None
        and _NEW.match(new.above) is not None
        and all(not line or line in known for line in before)
        and all(x.strip() in before or x.strip() not in known or is_weak(x) for x in new.lines)
    )
