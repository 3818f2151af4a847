"""The parts of a long file for a model trained on short texts and a few kinds of edits.

It does only what the instruction says: deleting a function leaves its callers as they are.
So a part is what the instruction names and the few lines that locate it. An edit of all comments is made in
parts of the trained length. Separate from ``narrowing``, which serves models that may do more and must not
guess. Knows lines and words.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import pairwise

from editd.breathing import breathe
from editd.instruction import Instruction, read
from editd.instruction.meanings import AddImport, DeleteDefinition
from editd.prompts.named_lines import Fits, Named, Parts, after_docstring, defined
from editd.prompts.narrowing import around, joined, mentions_of
from editd.prompts.outline import Definition, outline, tiles

_AROUND = 2  # lines on each side of what is named
_NEAR = 4  # lines between imports that belong together
_LINES_A_PIECE = 2000


def short_parts(
    lines: Sequence[str], instruction: str, language: str, is_short: Fits
) -> tuple[Named, ...]:
    """What is rewritten, in order; empty if the instruction names nothing in ``lines``.

    is_short: whether lines ``start .. end`` are as short as what the model was taught.
    """
    definitions = outline(lines, language)
    borders = tiles(lines, definitions)
    parts = Parts(lines, borders, definitions, is_short)
    breathe()
    said = read(instruction)
    if said.exchanged:
        found = mentions_of(said.exchanged, instruction, parts)
    elif isinstance(said.meaning, AddImport):
        imports = _run(_lines_matching(lines, [_IMPORT]), len(lines))
        found = imports or parts.imports()
    elif isinstance(said.meaning, DeleteDefinition) and (
        gone := defined(definitions, [said.meaning.name])
    ):
        found = [_with_neighbours(one, lines) for one in gone]
    elif not _OF_NAMES.search(said.nameless) and (
        named := (
            defined(definitions, said.names)
            or defined(definitions, said.objects)
            or ([] if said.is_everywhere else defined(definitions, said.words))
        )
    ):
        is_head = _is_about_heads(said)
        found = [_head(one, lines) if is_head else _whole(one) for one in named]
    elif said.is_everywhere:
        signs = [sign for words, sign in _SIGNS if words.search(instruction)] or [_ANYTHING]
        return tuple(parts.around(_lines_matching(lines, signs)))
    else:
        words = [*said.names, *said.words]
        numbers: Sequence[int] = []
        if words and _NUMBER.search(instruction):
            numbers = _lines_matching(lines, [_assignment(words)])
        found = around(numbers or parts.lines_with(words), len(lines))
    return joined(found)


def _lines_matching(lines: Sequence[str], patterns: Sequence[re.Pattern[str]]) -> list[int]:
    """Numbers of the lines in which one of ``patterns`` is found."""
    found = []
    for number, line in enumerate(lines):
        if any(pattern.search(line) for pattern in patterns):
            found.append(number)
        if number % _LINES_A_PIECE == _LINES_A_PIECE - 1:
            breathe()
    return found


def _whole(one: Definition) -> Named:
    return Named(one.start, one.end, one.qualified)


def _run(numbers: Sequence[int], total: int) -> list[Named]:
    """The first of these lines and those near it, with some around them."""
    if not numbers:
        return []
    last = next((one for one, after in pairwise(numbers) if after - one > _NEAR), numbers[-1])
    return [Named(max(0, numbers[0] - _AROUND), min(total, last + 1 + _AROUND), "the imports")]


def _assignment(names: Sequence[str]) -> re.Pattern[str]:
    """Gives one of ``names`` a number."""
    either = "|".join(map(re.escape, names))
    return re.compile(rf"\b(?:{either})\b[\"']?\s*(?::[^=\n]{{0,80}})?[:=]\s*[-+]?\d")


def _is_about_heads(said: Instruction) -> bool:
    return bool(_OF_HEADS.search(said.nameless)) and not _OF_BODIES.search(said.nameless)


def _head(part: Definition, lines: Sequence[str]) -> Named:
    """A definition's signature and docstring and the lines after them."""
    end = part.start
    while end < part.end and not lines[end].split("#")[0].rstrip().endswith((":", "{")):
        end += 1
    end += 1
    end = after_docstring(lines, end)
    return Named(part.start, min(part.end, end + 2 * _AROUND), part.qualified)


def _with_neighbours(part: Definition, lines: Sequence[str]) -> Named:
    """``part`` with the next lines above and below it that are not blank."""
    start, end = part.start, part.end
    for _ in range(_AROUND):
        start = next((at for at in range(start - 1, -1, -1) if lines[at].strip()), start)
        end = next((at + 1 for at in range(end, len(lines)) if lines[at].strip()), end)
    return Named(start, end, part.qualified)


# What a line has in it, whatever the language, that an edit of every such thing may change.
_SIGNS = (
    (re.compile(r"\bcomments?\b", re.IGNORECASE), re.compile(r"#|//|/\*|\*/|--|<!--|^\s*[*;%]")),
    (
        re.compile(r"\bprints?\b|\bconsole\.log", re.IGNORECASE),
        re.compile(r"print|console\.log|puts|echo"),
    ),
    (re.compile(r"\bf-?strings?\b", re.IGNORECASE), re.compile(r"%|\.format\b")),
)
_ANYTHING = re.compile("")
_IMPORT = re.compile(r"^(?:import\b|from\s+\S+\s+import\b)")
# What is done to the first lines of a definition, however long it is; and what is done to all of it.
_OF_HEADS = re.compile(
    r"\b(?:docstring|document\w*|describ\w+|hints?|annotat\w+|typed?|declare|returns?|log\w*)\b",
    re.IGNORECASE,
)
# What is said of a word wherever it stands, rather than of the definition that is called so.
_OF_NAMES = re.compile(
    r"\b(?:rename\w*|name|relabel\w*|replace\w*|substitut\w*|swap|exchange|place of)\b",
    re.IGNORECASE,
)
_NUMBER = re.compile(r"\b\d")
_OF_BODIES = re.compile(r"\b(?:try|except|catch|handle|guard|on|raised)\b", re.IGNORECASE)
