"""Names that an answer gives and that are taken: a keyword, a name that the buffer has, a definition of which there is one.

A language in which functions of one name may stand side by side has them with other parameters: there a second one with
the same first line counts.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator

from editd.checks.requests import request_of
from editd.checks.rewrite import Rewrite, Suspicion, may_define, quoted
from editd.intent.english import is_identifier
from editd.syntax.code import Code, read_code
from editd.syntax.definition import Definition
from editd.syntax.keywords import keywords_of

_MOST = 40_000  # characters of a text that is looked at


def suspicions(rewrite: Rewrite) -> list[Suspicion]:
    """Suspicions about hunks that write a name which means something else already."""
    return [*_renamed_to(rewrite), *_defined_twice(rewrite)]


def _renamed_to(rewrite: Rewrite) -> Iterator[Suspicion]:
    """A suspicion about all hunks that write the new name, for each pair of a rename whose new name is a keyword, or a
    name of the old buffer that no pair renames (so a swap is none).

    None if no hunk writes it or the buffer lacks the old name; none at all if the instruction does not speak of names,
    or for more than 40,000 characters.
    """
    pairs = [pair for pair in rewrite.parsed.renames if all(map(is_identifier, pair))]
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
            yield Suspicion(f"{quoted(new)} is a keyword of the language.", tuple(writing))
        elif new in known and new not in given:
            yield Suspicion(f"{quoted(new)} is the name of something else here.", tuple(writing))


def _is_rename(instruction: str) -> bool:
    """Whether an instruction speaks of names."""
    return bool(
        re.search(r"\brenam|\bcall(?:ed)?\b|\bnamed?\b|->|→|=>", instruction, re.IGNORECASE)
    )


def _defined_twice(rewrite: Rewrite) -> Iterator[Suspicion]:
    """A suspicion about the hunk that defines a function or class a second time (as ``_keyed`` tells them apart) and
    more often than before, for the first such definition; none for a removal, or for more than 40,000 characters.
    """
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
            yield Suspicion(reason, (rewrite.hunk_at(line).id,))
            return


def _keyed(code: Code) -> Iterator[tuple[tuple[str, ...], int]]:
    """Yield for each function and class a key that no other may have (in Python its qualified name and indentation,
    else the name and the first line), and the number of the line with its name; those of Python with decorators, and
    Rust's methods, are left out.
    """
    lines, language = code.lines, code.language
    for definition in code.definitions:
        if not definition.is_block:
            continue
        line = _head(definition, lines)
        if language == "python":
            if not any(lines[n].lstrip().startswith("@") for n in range(definition.start, line)):
                indent = lines[line][: len(lines[line]) - len(lines[line].lstrip())]
                yield (definition.qualified, indent), line
        elif language != "rust" or not definition.owner:  # of several traits
            yield (definition.qualified, lines[line].strip()), line


def _head(definition: Definition, lines: list[str]) -> int:
    """The number of the line with the name of a definition as a whole word, decorators and comments passed over; the
    definition's first line if none has it.
    """
    name = re.compile(rf"(?<!\w){re.escape(definition.name)}(?!\w)")
    code = (
        n
        for n in range(definition.start, definition.end)
        if not lines[n].lstrip().startswith(("@", "#", "/", "*"))
    )
    return next((n for n in code if name.search(lines[n])), definition.start)
