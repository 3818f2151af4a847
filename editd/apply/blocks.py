"""Blocks that name their old lines: hunks of a diff and search/replace blocks, and where they apply.

Unified diffs as tools write them (GNU diffutils manual, "Detailed Description of Unified Format") and as
models do: with wrong line counts, or without any. Search/replace blocks in the forms of aider
(``<<<<<<< SEARCH``, ``=======``, ``>>>>>>> REPLACE``, with the file's name above) and of Cline
(``------- SEARCH``, ``+++++++ REPLACE``); five to nine signs are accepted, since models miscount. A block
belongs where its old lines are; a line number only decides between several such places.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from pathlib import PurePosixPath

from editd.apply.indent import reindented, shifted
from editd.apply.lines import Lines, indent_of, nearest, num_strong
from editd.apply.outcome import SHOWN, Change, Doubt
from editd.apply.sketch import Part, is_bare, is_marker
from editd.diff.matching import changes, is_weak


@dataclass(frozen=True, slots=True)
class Block:
    """``old`` becomes ``new``; lines without ends.

    at: 0-based line of the paste. line: 0-based line of the buffer that the hunk's header names;
    ``None`` if it names none.
    """

    old: tuple[str, ...]
    new: tuple[str, ...]
    at: int
    line: int | None = None


def read_block(block: Block, lines: Lines) -> list[Change]:
    """What the block changes where its old lines stand; else where they are alike, if one place is likely.

    Each old line that stays is left as the file has it. Raises ``Doubt``.
    """
    try:
        return _placed(block, lines)
    except Doubt as doubt:
        from editd.apply.align import align  # numpy, for which other blocks do not wait

        old = tuple(line.rstrip() for line in block.old)
        found = align(lines, [Part(old, above=True, below=True)])
        if (
            found is None
            or found.sure < SHOWN
            or found.changes[0].end - found.changes[0].start != len(old)
            or not any(not is_weak(line) and line in lines.where for line in old)
        ):
            raise
        start, why = found.changes[0].start, doubt.outcome.reason
        edits = [
            Change(
                start + x.old_start,
                start + x.old_end,
                block.new[x.new_start : x.new_end],
                SHOWN,
                why,
                ("stale",),
            )
            for x in changes(block.old, block.new)
        ]
        edits = [one for one in edits if lines.raw[one.start : one.end] != one.new]
        if not edits:
            raise
        return edits


def _placed(block: Block, lines: Lines) -> list[Change]:
    """What the block changes; its new lines are indented as its old ones are in the buffer.

    If the old lines occur more than once, the line that the block names decides. Raises ``Doubt``.
    """
    if not any(line.strip() for line in block.old):
        raise Doubt(
            f"The change at line {block.at + 1} of the paste shows no line of the file; show the "
            "lines above and below it.",
            block.at,
        )
    for moved in (block.old, *shifted(block.old, lines)):
        found = _found(moved, lines)
        if len(found) > 1 and block.line in found and moved is block.old:
            found = [block.line]
        if len(found) > 1:
            raise Doubt(
                f"The lines to change at line {block.at + 1} of the paste occur {len(found)} "
                f"times in the file, first at lines {found[0] + 1} and {found[1] + 1}; show "
                f"more lines "
                "around them.",
                block.at,
            )
        if found:
            new = block.new if moved is block.old else _moved_like(block, moved, lines)
            return [
                Change(
                    found[0] + one.old_start,
                    found[0] + one.old_end,
                    tuple(new[one.new_start : one.new_end]),
                )
                for one in changes(moved, new)
            ]
    raise Doubt(_nowhere(block, lines), block.at)


def _found(old: Sequence[str], lines: Lines) -> list[int]:
    keys = [line.rstrip() for line in old]
    first = lines.where.get(keys[0], ())
    if lines.is_too_much(len(first) * len(keys)):
        raise Doubt("The paste has too many lines that the file has too often; apply it in parts.")
    return [start for start in first if lines.run_down(keys, start) == len(keys)]


def _moved_like(block: Block, moved: Sequence[str], lines: Lines) -> tuple[str, ...]:
    """The new lines, with the change of indentation that made the old ones fit the buffer."""
    given, wanted = next((g, m) for g, m in zip(block.old, moved, strict=True) if g.strip())
    less, more = indent_of(given), indent_of(wanted)
    back = reindented(block.old, less, more, lines)
    new = tuple(reindented(block.new, less, more, lines))
    if [x.rstrip() for x in back] != [x.rstrip() for x in moved] or (new == block.new and any(new)):
        raise Doubt(
            f"The change at line {block.at + 1} of the paste is indented otherwise than the file, in a "
            "way that its new lines do not follow; indent it as the file is.",
            block.at,
        )
    return new


def _nowhere(block: Block, lines: Lines) -> str:
    """One sentence: the first line that the file does not have, and the nearest line that it has."""
    if num_strong(block.new) and (done := _found(block.new, lines)):
        return (
            f"The change at line {block.at + 1} of the paste is already in the file, at line "
            f"{done[0] + 1}; leave it out."
        )
    for line in block.old:
        if line.strip() and line.strip() not in lines.where_bare:
            return (
                f"“{line.strip()[:60]}” (a line to be changed, in the change at line {block.at + 1} of "
                f"the paste) is not in the file{nearest(line, lines)}; "
                "copy it as the file has it."
            )
    return (
        f"The lines to be changed at line {block.at + 1} of the paste do not stand together in the "
        "file; copy them from it."
    )


_HUNK = re.compile(r"@@(?: -(?P<line>\d+)(?:,(?P<count>\d+))? \+\d+(?:,\d+)?)?(?: .*?)? ?@@.*")
_OLD, _NEW = re.compile(r"--- (?P<name>\S.*)"), re.compile(r"\+\+\+ (?P<name>\S.*)")
_HEADER = re.compile(
    r"diff --git |index [0-9a-f]+\.\.|(?:new|deleted) file mode|old mode|new mode|similarity|rename |"
    r"copy |\*\*\* "
)


def standard(lines: Sequence[str]) -> Sequence[str]:
    """The lines of a diff, with what some assistants leave out or write in their own way.

    Names of files without a hunk's header below, a first hunk or a header without its end, and the ``*** Update File:``
    of OpenAI's patches.
    """
    text = "\n".join((*lines, ""))
    if "*** Update File: " in text:
        text = re.sub(r"(?m)^\*\*\* (?:Begin|End) Patch\n", "", text)
        text = re.sub(r"(?m)^\*\*\* (?:Update|Add) File: (.+)$", r"--- \1\n+++ \1", text)
    text = re.sub(r"(?m)^@@(?! -\d)(?!.*@@)(.*\n)(?=[-+ ])", r"@@ @@\1", text)
    if re.search(r"(?m)^@@", text):  # a first hunk without a header
        text = re.sub(r"(?m)(\A|^```diff.*\n)(?=[-+ ](?!-- |\+\+ ))", r"\1@@ @@\n", text, count=1)
    text = re.sub(r"(?m)^(--- \S.*\n\+\+\+ \S.*\n)(?!@@)(?=[-+ ])", r"\1@@ @@\n", text)
    return text.split("\n")[:-1]


def is_patch(lines: Sequence[str], known: Collection[str]) -> bool:
    """Whether the lines are a diff: some line is a hunk's header and not a line of the buffer."""
    has_hunk = any(_HUNK.fullmatch(line) and line.strip() not in known for line in lines)
    return has_hunk and any(line[:1] in ("+", "-") for line in lines)


def blocks_of_patch(lines: Sequence[str], path: str) -> tuple[Block, ...]:
    """The hunks for the file ``path``. Those for other files are ignored."""
    found: list[tuple[str, Block]] = []
    name = ""
    position = 0
    while position < len(lines):
        line = lines[position]
        if (
            _OLD.fullmatch(line)
            and position + 1 < len(lines)
            and _NEW.fullmatch(lines[position + 1])
        ):
            name = _name(lines[position + 1])
            if name == "/dev/null":
                raise Doubt("The diff deletes the file; delete it yourself.", final=True)
            position += 2
            continue
        header = _HUNK.fullmatch(line)
        position += 1
        if header is None:
            continue
        body = list(_body(lines, position))
        found.append((name, _block(header, body, position - 1)))
        position += len(body)
    return _for(path, found)


def unsigned(lines: Sequence[str], known: Collection[str]) -> tuple[Block, ...]:
    """The hunks of a diff without headers: each line begins with a plus, a minus or a blank.

    Nothing, if the lines are none: a line of the file has to go, and no line may be the file's as it is
    with its sign.
    """
    told = [line for line in lines if line.strip() and not _parts(line, known)]
    signed = [line for line in told if line[0] in "+-"]
    if not signed or any(line[0] not in "+- " for line in told):
        return ()
    removes = any(line[0] == "-" for line in signed)
    if any(line.strip() in known for line in signed) or not any(
        line[0] == ("-" if removes else " ") and line[1:].strip() in known for line in told
    ):
        return ()
    found: list[Block] = []
    start = 0
    for end in (*(n for n, line in enumerate(lines) if _parts(line, known)), len(lines)):
        body = [line for line in lines[start:end] if line.strip() or line]
        if any(line[0] in "+-" for line in body if line):
            found.append(Block(*_sides(body), start))
        start = end + 1
    return tuple(found)


def _parts(line: str, known: Collection[str]) -> bool:
    return is_marker(line, known) or (is_bare(line) and line.strip() not in known)


def _sides(body: Sequence[str]) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """The old and the new lines of a hunk."""
    old, new = (tuple(x[1:] for x in body if x[:1] != sign) for sign in ("+", "-"))
    return old, new


def _body(lines: Sequence[str], start: int) -> Iterator[str]:
    """The lines of one hunk. An empty line is a line of context that lost its leading blank."""
    for number in range(start, len(lines)):
        line = lines[number]
        next_is_new = number + 1 < len(lines) and _NEW.fullmatch(lines[number + 1])
        if _HUNK.fullmatch(line) or _HEADER.match(line) or (_OLD.fullmatch(line) and next_is_new):
            return
        if line and line[0] not in "+- \\":
            return
        yield line


def _block(header: re.Match[str], body: list[str], at: int) -> Block:
    while body and not body[-1]:
        body.pop()  # empty lines between two hunks or at the end of the paste
    if any(line.startswith("\\") for line in body):
        raise Doubt(
            "The diff mentions a missing newline at the end of the file; apply it with git apply.",
            at,
        )
    old, new = _sides(body)
    if not any(line[:1] in ("+", "-") for line in body):
        raise Doubt(f"The hunk at line {at + 1} of the diff changes nothing.", at)
    line = int(header["line"]) - 1 if header["line"] else None
    return Block(old, new, at, line)


def _for(path: str, found: Sequence[tuple[str, Block]]) -> tuple[Block, ...]:
    names = {name for name, _ in found if name}
    own = {name for name in names if not path or is_same(name, path)}
    own = own or {name for name in names if PurePosixPath(name).name == PurePosixPath(path).name}
    if len(own) > 1:
        raise Doubt(f"The diff changes {' and '.join(sorted(own))}; paste the part for this file.")
    if names and not own and all(name for name, _ in found):
        raise Doubt(f"The diff changes {', '.join(sorted(names))}, not this file.", final=True)
    return tuple(block for name, block in found if name in own or not name)


def is_same(name: str, path: str) -> bool:
    """Whether both may be one file: the shorter one is the end of the other."""
    one, two = (PurePosixPath(x.replace("\\", "/")).parts[::-1] for x in (name, path))
    return all(a == b for a, b in zip(one, two, strict=False))


def _name(line: str) -> str:
    name = line[4:].split("\t", maxsplit=1)[0].strip().strip('"')
    return name[2:] if name.startswith(("a/", "b/")) else name


_TAGGED = re.compile(
    r"(?ms)^[ \t]*<(?P<old>search|find|old_str|old_string|old|original|before)>(?P<was>.*?)</(?P=old)>\s*"
    r"<(?P<new>replace|replacement|new_str|new_string|new|updated|after)>(?P<now>.*?)</(?P=new)>[ \t]*$",
    re.IGNORECASE,
)
_NOTED = re.compile(r"(?m)^(<{5,9} ?SEARCH>?)\n(?::(?:start|end)_line:.*\n)+(?:-{5,9}\n)?")
_PATH = re.compile(r"(?m)^[ \t]*<(path|file|file_path|filename)>(.*?)</\1>[ \t]*$")


def untagged(text: str) -> str:
    """Blocks in tags (``<search>``, ``<old_str>``), and those with notes of Roo Code, as blocks between signs."""
    text = _NOTED.sub(r"\1\n", text)
    if _TAGGED.search(text) is None:
        return text

    def signed(found: re.Match[str]) -> str:
        sides = (
            (found[side].removeprefix("\n").rstrip(" \t").removesuffix("\n"))
            for side in ("was", "now")
        )
        was, now = (f"{side}\n" if side else "" for side in sides)
        return f"<<<<<<< SEARCH\n{was}=======\n{now}>>>>>>> REPLACE"

    return _TAGGED.sub(signed, _PATH.sub(r"\2", text))


_SEARCH = re.compile(r"\s*(?:<{5,9}|-{5,9}) ?SEARCH>?\s*")
_MIDDLE = re.compile(r"\s*={5,9}\s*")
_REPLACE = re.compile(r"\s*(?:>{5,9}|\+{5,9}) ?REPLACE>?\s*")
_NAME = re.compile(r"[\s*`#]*([\w.~][\w./\\ -]*\.\w+|Makefile|Dockerfile)[\s*`:]*")


def is_search_replace(lines: Sequence[str], known: Collection[str]) -> bool:
    """Whether some line opens a block and is not a line of the buffer."""
    return any(_SEARCH.fullmatch(line) and line.strip() not in known for line in lines)


def blocks_of_search(lines: Sequence[str], path: str) -> tuple[Block, ...]:
    """The blocks for the file ``path``, in order. Those for other files are ignored."""
    found: list[Block] = []
    others: set[str] = set()
    position = 0
    name = ""
    while position < len(lines):
        if not _SEARCH.fullmatch(lines[position]):
            position += 1
            continue
        named = _name_above(lines, position)
        name = named or name
        middle = _next(_MIDDLE, lines, position)
        end = _next(_REPLACE, lines, middle)
        if any(_SEARCH.fullmatch(line) for line in lines[position + 1 : end]):
            raise Doubt(_BROKEN.format(position + 1), position)
        if _MIDDLE.fullmatch("".join(lines[middle + 1 : end])) or any(
            _MIDDLE.fullmatch(line) for line in lines[middle + 1 : end]
        ):
            raise Doubt(
                f"The search/replace block at line {position + 1} has more than one line of =======; "
                "apply that change by hand.",
                position,
            )
        block = Block(tuple(lines[position + 1 : middle]), tuple(lines[middle + 1 : end]), position)
        if any(map(is_marker, block.old)) or any(
            is_marker(line, {old.strip() for old in block.old}) for line in block.new
        ):
            raise Doubt(
                f"The search/replace block at line {position + 1} leaves lines out (“...”); write "
                "them.",
                position,
            )
        if name and path and PurePosixPath(name).name != PurePosixPath(path).name:
            others.add(name)
        else:
            found.append(block)
        position = end + 1
    if not found:
        raise Doubt(f"The blocks change {', '.join(sorted(others))}, not this file.", final=True)
    return tuple(found)


_BROKEN = (
    "The search/replace block at line {} has no end: it needs a line of ======= and one that says "
    "REPLACE."
)


def _next(wanted: re.Pattern[str], lines: Sequence[str], after: int) -> int:
    for position in range(after + 1, len(lines)):
        if wanted.fullmatch(lines[position]):
            return position
    raise Doubt(_BROKEN.format(after + 1), after)


def _name_above(lines: Sequence[str], position: int) -> str:
    """The file's name on the line above, or above a fence on that line."""
    for line in reversed(lines[max(0, position - 2) : position]):
        if line.lstrip().startswith(("```", "~~~")):
            continue
        match = _NAME.fullmatch(line)
        return match[1].replace("\\", "/").strip() if match else ""
    return ""
