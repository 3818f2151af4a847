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
from editd.checks.rewrite import Rewrite, Suspicion, may_define
from editd.diff.hunk import Hunk
from editd.intent import Parsed
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


def suspicions(rewrite: Rewrite) -> list[Suspicion]:
    """For each hunk that lost functions or classes, a suspicion that names the first of them and counts the others.

    None for texts of more than 200,000 characters, for a request to restructure, if the new text does not parse and the
    old one does, for definitions that the instruction mentions or asks to delete, and if as many new names came where
    the instruction asks for open-ended work ("fix", "improve") or for a rework ("replace", "use"). Without a parser for
    the language a name that the hunks write anywhere is not lost.
    """
    total = len(rewrite.old_lines)
    if rewrite.size(0, total) > _MOST or _REBUILDING.search(rewrite.instruction):
        return []
    if not any(map(may_define, rewrite.lost_lines)) and not _takes_head_away(rewrite):
        return []
    before = read_code(rewrite.model_text(0, total), rewrite.language)
    after = read_code(rewrite.new_text(0, total), rewrite.language)
    did, does = before.parses, after.parses
    if did and not does:
        return []  # what is defined in a text that does not parse is a guess
    old, new = _blocks(before), _blocks(after)
    lost = _missing(old, new, are_owned=bool(did and does))
    is_reworking = bool(_REWORKING.search(rewrite.instruction))
    names = {definition.name for definition in new}
    if is_reworking:  # another class may be what is meant
        lost = [definition for definition in lost if definition.name not in names]
    fresh = names - {definition.name for definition in old}
    if len({definition.name for definition in lost}) <= len(fresh) and (
        _OPEN.search(rewrite.instruction) or is_reworking
    ):
        return []  # whoever has something fixed may get one in the place of another
    deletable = lines_asked_for(rewrite.instruction, rewrite.old_lines)
    free = _renamed(rewrite.parsed) if fresh else _mentioned(rewrite.parsed)
    found: dict[int, list[str]] = {}
    written = "".join(line for hunk in rewrite.hunks for line in hunk.new_lines)
    for definition in lost:
        if definition.start in deletable or any(
            _may_mean(word, definition.name, in_part=not fresh) for word in free
        ):
            continue
        if did is None and definition.name in written:
            continue  # without a parser it may well be defined there
        hunks = [
            hunk
            for hunk in rewrite.hunks
            if hunk.start < definition.end and definition.start < hunk.start + hunk.old_count
        ]
        what = (
            f"no longer in “{definition.owner}”"
            if definition.owner and definition.name in names
            else "gone"
        )
        place = f"“{definition.name}” (line {definition.start + 1})"
        found.setdefault((hunks or rewrite.hunks)[0].id, []).append(f"{place} is {what}")
    return [Suspicion(_sentence(losses), (hunk_id,)) for hunk_id, losses in found.items()]


def lost_definitions(rewrite: Rewrite) -> dict[Hunk, list[Definition]]:
    """By hunk, the functions and classes that the edit lost: the hunk replaces the line with the name, and neither
    another definition of the old text nor a written line has the name. Only hunks that have fewer lines than they
    replace; empty if there are none.
    """
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


def suspicion_of_loss(hunk: Hunk, definitions: Sequence[Definition]) -> Suspicion:
    """The suspicion about a hunk by which these definitions (at least one) were lost; names the first and counts the
    others.
    """
    first, *others = definitions
    more = f" and {len(others)} more" if others else ""
    verb = "are" if others else "is"
    reason = (
        f"“{first.name}” (line {first.start + 1}){more} {verb} gone; check that this is intended."
    )
    return Suspicion(reason, (hunk.id,))


def _head(definition: Definition, lines: Sequence[str]) -> int | None:
    """The number of the first line that names a definition, below decorators: these may go with another one, in a diff.

    ``None`` where the name is only a part of another: a call in a text that a parser misreads.
    """
    name = _name_alone(definition)
    numbers = range(definition.start, min(definition.end, len(lines)))
    return next((number for number in numbers if name.search(lines[number])), None)


def _name_alone(definition: Definition) -> re.Pattern[str]:
    """The name of a definition where it is not just a part of another."""
    return re.compile(rf"(?<![\w.]){re.escape(definition.name)}(?![\w.])")


def _takes_head_away(rewrite: Rewrite) -> bool:
    """Whether a hunk takes a line away that may begin a function or class, and does not write the same line again at
    the same depth.
    """
    for hunk in rewrite.hunks:
        old = rewrite.old_lines[hunk.start : hunk.start + hunk.old_count]
        heads = {line.rstrip() for line in old if may_define(line)}
        if heads - {line.rstrip() for line in hunk.new_lines}:
            return True
    return False


def _sentence(losses: list[str]) -> str:
    """A sentence about all losses of a hunk: the first one, or its name and how many more are gone. losses: at least
    one, each as "“f” (line 3) is gone".
    """
    first, *others = losses
    if others:
        first = f"{first.partition(' is ')[0]} and {len(others)} more are gone"
    return f"{first}; check that this is intended."


def _blocks(code: Code) -> list[Definition]:
    """The functions and classes of a text that have a line with their name as a whole word; of a text that stops in the
    middle of a statement, those of the whole statements.
    """
    if code.cut is not None:
        code = Code(code.cut.closed, code.language)
    return [x for x in code.definitions if x.is_block and _head(x, code.lines) is not None]


def _missing(
    old: Collection[Definition], new: Collection[Definition], *, are_owned: bool
) -> list[Definition]:
    """The definitions of ``old`` that ``new`` lacks, by their names or, with ``are_owned``, by their names and classes;
    each counts as often as it stands there.
    """
    left = Counter(x.qualified if are_owned else x.name for x in new)
    missing = []
    for x in old:
        key = x.qualified if are_owned else x.name
        left[key] -= 1
        if left[key] < 0:
            missing.append(x)
    return missing


def _mentioned(parsed: Parsed) -> frozenset[str]:
    """Words of an instruction that may name a definition to be deleted; not the names that it renames."""
    return frozenset(
        {*parsed.names, *parsed.bare_words} - {text for pair in parsed.renames for text in pair}
    )


def _renamed(parsed: Parsed) -> frozenset[str]:
    """The names that an instruction may want replaced: the old names of its renames, and all names in it if it speaks
    of naming. parsed: the instruction.
    """
    old = {old for old, _ in parsed.renames}
    named = request_of(parsed.text).names if _NAMING.search(parsed.text) else ()
    return frozenset({*old, *named})


def _may_mean(word: str, name: str, *, in_part: bool) -> bool:
    """Whether a word is the name, or its plural, without owners, underscores and capitals; with ``in_part`` also if it
    is a part of the name and has four letters or more.
    """
    word, name = _bare(word), _bare(name)
    if word in (name, f"{name}s", f"{name}es"):
        return True
    return in_part and len(word) >= _SHORTEST and word in name


def _bare(name: str) -> str:
    """A name without owner, underscores and capitals: ``TestLocal`` is ``test_local``."""
    return name.rpartition(".")[2].replace("_", "").lower()
