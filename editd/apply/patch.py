"""Unified diffs, as tools write them and as models do: with wrong line counts, or without any.

The format: GNU diffutils manual, "Detailed Description of Unified Format". A hunk belongs where its old
lines are. Its line number only decides between several such places.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Sequence
from pathlib import PurePosixPath

from editd.apply.block import Block
from editd.apply.markers import is_bare, is_marker
from editd.apply.outcome import Doubt

_HUNK = re.compile(r"@@(?: -(?P<line>\d+)(?:,(?P<count>\d+))? \+\d+(?:,\d+)?)?(?: .*?)? ?@@.*")
_OLD, _NEW = re.compile(r"--- (?P<name>\S.*)"), re.compile(r"\+\+\+ (?P<name>\S.*)")
_HEADER = re.compile(
    r"diff --git |index [0-9a-f]+\.\.|(?:new|deleted) file mode|old mode|new mode|similarity|rename |"
    r"copy |\*\*\* "
)


def standard(lines: Sequence[str]) -> Sequence[str]:
    """The lines of a diff, with what some assistants leave out or write in their own way.

    Names of files without a hunk's header below, a header without its end, and the ``*** Update File:``
    of OpenAI's patches.
    """
    text = "\n".join((*lines, ""))
    if "*** Update File: " in text:
        text = re.sub(r"(?m)^\*\*\* (?:Begin|End) Patch\n", "", text)
        text = re.sub(r"(?m)^\*\*\* (?:Update|Add) File: (.+)$", r"--- \1\n+++ \1", text)
    text = re.sub(r"(?m)^@@(?! -\d)(?!.*@@)(.*\n)(?=[-+ ])", r"@@ @@\1", text)
    text = re.sub(r"(?m)^(--- \S.*\n\+\+\+ \S.*\n)(?!@@)(?=[-+ ])", r"\1@@ @@\n", text)
    return text.split("\n")[:-1]


def is_one(lines: Sequence[str], known: Collection[str]) -> bool:
    """Whether the lines are a diff: some line is a hunk's header and not a line of the buffer."""
    has_hunk = any(_HUNK.fullmatch(line) and line.strip() not in known for line in lines)
    return has_hunk and any(line[:1] in ("+", "-") for line in lines)


def blocks(lines: Sequence[str], path: str) -> tuple[Block, ...]:
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
    if any(line.strip() in known for line in signed) or not any(
        line[0] in "- " and line[1:].strip() in known for line in told
    ):
        return ()
    found: list[Block] = []
    start = 0
    for end in (*(n for n, line in enumerate(lines) if _parts(line, known)), len(lines)):
        body = [line for line in lines[start:end] if line.strip() or line]
        if any(line[0] in "+-" for line in body if line):
            found.append(Block(*_sides(body, exact=False), start))
        start = end + 1
    return tuple(found)


def _parts(line: str, known: Collection[str]) -> bool:
    return is_marker(line, known) or (is_bare(line) and line.strip() not in known)


def _sides(body: Sequence[str], *, exact: bool) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """The old and the new lines of a hunk. exact: it has line numbers, so a tool may have written it.

    Some models put the sign before a line and leave the lines of context as they are. Then no line of
    context has an odd indentation, and each would have one without its first blank.
    """
    context = [line for line in body if line.startswith(" ") and line.strip()]
    signed = [line[1:] for line in body if line[:1] in ("+", "-") and line[1:].strip()]
    whole = (
        bool(context)
        and not exact
        and not any(line.lstrip().startswith("*") for line in context)
        and all(_depth(line) % 2 == 0 for line in (*context, *signed))
        and any(_depth(line) for line in signed)
    )
    sides = [
        tuple(
            line if whole and line[:1] not in ("+", "-") else line[1:]
            for line in body
            if line[:1] != sign
        )
        for sign in ("+", "-")
    ]
    return sides[0], sides[1]


def _depth(line: str) -> int:
    return len(line) - len(line.lstrip(" "))


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
    old, new = _sides(body, exact=header["line"] is not None)
    if not any(line[:1] in ("+", "-") for line in body):
        raise Doubt(f"The hunk at line {at + 1} of the diff changes nothing.", at)
    line = int(header["line"]) - 1 if header["line"] else None
    return Block(old, new, at, line)


def _for(path: str, found: Sequence[tuple[str, Block]]) -> tuple[Block, ...]:
    names = {name for name, _ in found if name}
    if not path or not names:
        if len(names) > 1:
            raise Doubt(f"The diff changes {len(names)} files; name the one to change.")
        return tuple(block for _, block in found)
    own = {name for name in names if PurePosixPath(name).name == PurePosixPath(path).name}
    if len(own) > 1:
        parts = PurePosixPath(path.replace("\\", "/")).parts
        shared = {name: _shared_end(PurePosixPath(name).parts, parts) for name in own}
        best = max(shared.values())
        own = {name for name in own if shared[name] == best}
        if len(own) > 1:
            raise Doubt(
                f"The diff changes {' and '.join(sorted(own))}; paste the part for this file."
            )
    if not own and not any(not name for name, _ in found):
        raise Doubt(f"The diff changes {', '.join(sorted(names))}, not this file.", final=True)
    return tuple(block for name, block in found if name in own or not name)


def _shared_end(first: Sequence[str], second: Sequence[str]) -> int:
    pairs = zip(reversed(first), reversed(second), strict=False)
    length = 0
    for one, other in pairs:
        if one != other:
            break
        length += 1
    return length


def _name(line: str) -> str:
    name = line[4:].split("\t", maxsplit=1)[0].strip().strip('"')
    return name[2:] if name.startswith(("a/", "b/")) else name
