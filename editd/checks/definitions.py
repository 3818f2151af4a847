"""Functions and classes that an answer lost, took out of their class or gave another name, though no word asks for that.

What is gone may be what the words mention; another name is for what they rename. Whatever they ask to be reworked may be
anywhere after it.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Sequence

from editd.checks.deletion import lines_asked_for
from editd.checks.requests import request_of
from editd.checks.rewrite import Doubt, Rewrite, may_define
from editd.diff.hunk import Hunk
from editd.intent import read
from editd.syntax.code import Code, read_code
from editd.syntax.definition import Definition
from editd.syntax.outline import outline

_MOST = 200_000  # characters of a text that is looked at
_SHORTEST = 4  # letters of a word that may be a part of a name
_NAMING = re.compile(
    r"\b(?:call(?:ed)? it|known as|goes by|identifier|misspel\w*|name)\b|->|→", re.IGNORECASE
)
_OPEN = re.compile(
    r"\b(?:fix\w*|support\w*|improv\w*|prevent\w*|allow\w*|implement\w*|optimi\w*|perform\w*|faster|speed\w*|bugs?|handl\w*)\b",
    re.IGNORECASE,
)
_REBUILDING = re.compile(r"\b(?:refactor|restructur|reorgani[sz]|rewrit|redesign)", re.IGNORECASE)
_REWORKING = re.compile(
    r"\b(?:remov\w*|delet\w*|drop\w*|get rid|strip\w*|prun\w*|discard\w*|mov(?:e|es|ed|ing)|replac\w*|split\w*|merg\w*|rework\w*"
    r"|refactor\w*|restructur\w*|reorgani[sz]\w*|rewrit\w*|redesign\w*|renam\w*|extract\w*|inlin\w*|convert\w*|simplif\w*|clean\w*"
    r"|consolidat\w*|combin\w*|collaps\w*|dedup\w*|turn|migrat\w*|port|switch|encapsulat\w*|chang\w*|us(?:e|ing)|unus\w*|deprecat\w*)\b",
    re.IGNORECASE,
)


def doubts(rewrite: Rewrite) -> list[Doubt]:
    """Of each hunk the definitions that are gone by it."""
    total = len(rewrite.old_lines)
    if rewrite.size(0, total) > _MOST or _REBUILDING.search(rewrite.instruction):
        return []
    if not any(map(may_define, rewrite.lost_lines)) and not _moves(rewrite):
        return []
    before = read_code(rewrite.model_text(0, total), rewrite.language)
    after = read_code(rewrite.new_text(0, total), rewrite.language)
    did, does = before.parses, after.parses
    if did and not does:
        return []  # what is defined in a text that does not parse is a guess
    old, new = _blocks(before), _blocks(after)
    gone = _gone(old, new, are_owned=bool(did and does))
    is_reworking = bool(_REWORKING.search(rewrite.instruction))
    names = {one.name for one in new}
    if is_reworking:  # another class may be what is meant
        gone = [one for one in gone if one.name not in names]
    fresh = names - {one.name for one in old}
    if len({one.name for one in gone}) <= len(fresh) and (
        _OPEN.search(rewrite.instruction) or is_reworking
    ):
        return []  # whoever has something fixed may get one in the place of another
    asked = lines_asked_for(rewrite.instruction, rewrite.old_lines)
    free = _renamed(rewrite.instruction) if fresh else _mentioned(rewrite.instruction)
    found: dict[int, list[str]] = {}
    written = "".join(line for hunk in rewrite.hunks for line in hunk.new_lines)
    for one in gone:
        if one.start in asked or any(_may_mean(word, one.name, in_part=not fresh) for word in free):
            continue
        if did is None and one.name in written:
            continue  # without a parser it may well be defined there
        hunks = [
            hunk
            for hunk in rewrite.hunks
            if hunk.start < one.end and one.start < hunk.start + hunk.old_count
        ]
        what = f"no longer in “{one.owner}”" if one.owner and one.name in names else "gone"
        place = f"“{one.name}” (line {one.start + 1})"
        found.setdefault((hunks or rewrite.hunks)[0].id, []).append(f"{place} is {what}")
    return [Doubt(_sentence(told), (hunk_id,)) for hunk_id, told in found.items()]


def lost_definitions(rewrite: Rewrite) -> dict[Hunk, list[Definition]]:
    """By hunk, the functions and classes in the lines it replaces of which no line has the name any more."""
    shrinking = [hunk for hunk in rewrite.hunks if len(hunk.new_lines) < hunk.old_count]
    if not shrinking:
        return {}  # the outline of a long file takes longer than all else here
    blocks = [x for x in outline(rewrite.old_lines, rewrite.language) if x.is_block]
    heads = {block: _head(block, rewrite.old_lines) for block in blocks}
    replaced = {
        block: hunk
        for hunk in shrinking
        for block, line in heads.items()
        if line is not None and hunk.start <= line < hunk.start + hunk.old_count
    }
    left = {block.name for block in blocks if block not in replaced}
    written = [line for hunk in rewrite.hunks for line in hunk.new_lines]
    found: dict[Hunk, list[Definition]] = {}
    for block, hunk in replaced.items():
        if block.name not in left and not any(block.name in line for line in written):
            found.setdefault(hunk, []).append(block)
    return found


def doubt_of_loss(hunk: Hunk, definitions: Sequence[Definition]) -> Doubt:
    """The doubt about a hunk by which these definitions were lost."""
    first, *others = definitions
    more = f" and {len(others)} more" if others else ""
    verb = "are" if others else "is"
    reason = (
        f"“{first.name}” (line {first.start + 1}){more} {verb} gone; check that this is intended."
    )
    return Doubt(reason, (hunk.id,))


def _head(definition: Definition, lines: Sequence[str]) -> int | None:
    """The line that names a definition: a decorator above may go with another definition, in a diff.

    ``None`` where the name is only the beginning of another: a call in a text that a parser misreads.
    """
    name = _name_alone(definition)
    numbers = range(definition.start, min(definition.end, len(lines)))
    return next((number for number in numbers if name.search(lines[number])), None)


def _name_alone(definition: Definition) -> re.Pattern[str]:
    """The name of a definition where it is not just a part of another."""
    return re.compile(rf"(?<![\w.]){re.escape(definition.name)}(?![\w.])")


def _moves(rewrite: Rewrite) -> bool:
    """Whether a first line is written again in another depth."""
    for hunk in rewrite.hunks:
        old = rewrite.old_lines[hunk.start : hunk.start + hunk.old_count]
        heads = {line.rstrip() for line in old if may_define(line)}
        if heads - {line.rstrip() for line in hunk.new_lines}:
            return True
    return False


def _sentence(told: list[str]) -> str:
    first, *others = told
    if others:
        first = f"{first.partition(' is ')[0]} and {len(others)} more are gone"
    return f"{first}; check that this is intended."


def _blocks(code: Code) -> list[Definition]:
    """The functions and classes of a text; of a text that stops in the middle of a statement, those of the whole ones."""
    if code.cut is not None:
        code = Code(code.cut.closed, code.language)
    return [one for one in code.definitions if one.is_block and _head(one, code.lines) is not None]


def _gone(
    old: Collection[Definition], new: Collection[Definition], *, are_owned: bool
) -> list[Definition]:
    """Those of ``old`` that ``new`` lacks; are_owned: what is in another class is gone."""
    left = Counter(one.qualified if are_owned else one.name for one in new)
    gone = []
    for one in old:
        key = one.qualified if are_owned else one.name
        left[key] -= 1
        if left[key] < 0:
            gone.append(one)
    return gone


def _mentioned(instruction: str) -> frozenset[str]:
    """Words by which it may mention a definition that is to go; a renamed one is not."""
    said = read(instruction)
    return frozenset({*said.names, *said.words} - {text for pair in said.renames for text in pair})


def _renamed(instruction: str) -> frozenset[str]:
    """Names that may get another."""
    old = {old for old, _ in read(instruction).renames}
    named = request_of(instruction).names if _NAMING.search(instruction) else ()
    return frozenset({*old, *named})


def _may_mean(word: str, name: str, *, in_part: bool) -> bool:
    word, name = _bare(word), _bare(name)
    if word in (name, f"{name}s", f"{name}es"):
        return True
    return in_part and len(word) >= _SHORTEST and word in name


def _bare(name: str) -> str:
    """``TestLocal`` is ``test_local``."""
    return name.rpartition(".")[2].replace("_", "").lower()
