"""Names that an answer gives and that are taken: a keyword, a name that the buffer has, a definition of which there is one.

A language in which functions of one name may stand side by side has them with other parameters: there a second one with
the same first line counts.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator

from editd.checks.requests import request_of
from editd.checks.rewrite import Doubt, Rewrite, may_define, quoted
from editd.intent import read
from editd.intent.english import is_identifier
from editd.syntax.code import Code, read_code
from editd.syntax.definition import Definition
from editd.syntax.keywords import keywords_of

_MOST = 40_000  # characters of a text that is looked at


def doubts(rewrite: Rewrite) -> list[Doubt]:
    """Hunks that write a name which means something else already."""
    return [*_renamed_to(rewrite), *_defined_twice(rewrite)]


def _renamed_to(rewrite: Rewrite) -> Iterator[Doubt]:
    """All hunks that write the new name, where a rename asks for one that is taken."""
    pairs = [pair for pair in read(rewrite.instruction).renames if all(map(is_identifier, pair))]
    if not pairs or not _is_rename(rewrite.instruction):
        return
    text = rewrite.model_text(0, len(rewrite.old_lines))
    if len(text) > _MOST:
        return
    known = read_code(text, rewrite.language).names
    given = {old for old, _ in pairs}
    for old, new in pairs:
        writing = [
            hunk.id
            for hunk in rewrite.hunks
            if re.search(rf"(?<![\w$]){re.escape(new)}(?![\w$])", "".join(hunk.new_lines))
        ]
        if not writing or old not in known:
            continue
        if new in keywords_of(rewrite.language):
            yield Doubt(f"{quoted(new)} is a keyword of the language.", tuple(writing))
        elif new in known and new not in given:
            yield Doubt(f"{quoted(new)} is the name of something else here.", tuple(writing))


def _is_rename(instruction: str) -> bool:
    return bool(
        re.search(r"\brenam|\bcall(?:ed)?\b|\bnamed?\b|->|→|=>", instruction, re.IGNORECASE)
    )


def _defined_twice(rewrite: Rewrite) -> Iterator[Doubt]:
    """The first hunk that defines a function or class a second time in one place."""
    total = len(rewrite.old_lines)
    if rewrite.size(0, total) > _MOST or request_of(rewrite.instruction).is_removal:
        return
    if not any(map(may_define, rewrite.fresh_lines)):
        return
    old = read_code(rewrite.model_text(0, total), rewrite.language)
    new = read_code(rewrite.new_text(0, total), rewrite.language)
    before = Counter(key for key, _ in _keyed(old))
    seen: Counter[tuple[str, ...]] = Counter()
    for key, line in _keyed(new):
        seen[key] += 1
        if seen[key] > max(1, before[key]) and new.lines[line].strip() in rewrite.fresh_lines:
            name = key[0].rpartition(".")[2]
            reason = f"“{name}” is defined a second time, at line {line + 1}."
            yield Doubt(reason, (rewrite.hunk_at(line).id,))
            return


def _keyed(code: Code) -> Iterator[tuple[tuple[str, ...], int]]:
    """Of each definition what no other may share with it, and its line; those with decorators are left out."""
    lines, language = code.lines, code.language
    for one in code.definitions:
        if not one.is_block:
            continue
        line = _head(one, lines)
        if language == "python":
            if not any(lines[n].lstrip().startswith("@") for n in range(one.start, line)):
                indent = lines[line][: len(lines[line]) - len(lines[line].lstrip())]
                yield (one.qualified, indent), line
        elif language != "rust" or not one.owner:  # of several traits
            yield (one.qualified, lines[line].strip()), line


def _head(one: Definition, lines: list[str]) -> int:
    name = re.compile(rf"(?<!\w){re.escape(one.name)}(?!\w)")
    code = (
        n
        for n in range(one.start, one.end)
        if not lines[n].lstrip().startswith(("@", "#", "/", "*"))
    )
    return next((n for n in code if name.search(lines[n])), one.start)
