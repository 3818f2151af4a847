"""Finds the definitions of a file that an answer shows under another name.

Who renames a function in an answer says so nowhere: the file has a definition that the answer does not have, and the
answer has one with the same body that the file does not have.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence

from editd.apply.text.file_lines import FileLines
from editd.diff.matching import is_weak
from editd.syntax.definition import Definition
from editd.syntax.outline import outline
from editd.syntax.words import as_word

_SAME = 0.7  # least share of lines that both bodies have
_WORD = re.compile(r"[\w$]+")


def new_names(blocks: Sequence[Sequence[str]], lines: FileLines) -> dict[str, str]:
    """The new name of each definition of the file that the code blocks of an answer show under another one, by its old
    name.

    The answer has the old name nowhere and the file not the new one; both definitions have the same owner, their first
    line but for the name, and 70 % of the other lines. Each line of the file that mentions the old name elsewhere is in
    the answer with the new one; if there is none, the answer has all other definitions of the file. Empty where a name
    would have two partners.
    """
    shown = [line for block in blocks for line in block]
    known, words = set(_WORD.findall(lines.text)), set(_WORD.findall("\n".join(shown)))
    old = [x for x in lines.definitions if x.name not in words]
    if not old:
        return {}
    pairs = [
        (definition.name, other.name)
        for block in blocks
        for other in outline([f"{line}\n" for line in block], lines.language)
        if other.is_block and other.name not in known
        for definition in old
        if _is_version(definition, lines.keys, other, block)
        and _is_followed(definition, other.name, shown, words, lines)
    ]
    for names in zip(*pairs, strict=True):
        if len(set(names)) < len(names):
            return {}
    return dict(pairs)


def with_new_names(lines: FileLines, names: Mapping[str, str]) -> FileLines:
    """The file with new names, by old ones, in place of the old ones wherever these stand as words."""
    ends = ["\n"] * len(lines)
    if ends and not lines.is_ended:
        ends[-1] = ""
    rows = [*lines.raw]
    for old, new in names.items():
        rows = [as_word(old).sub(new, row) for row in rows]  # a name has no backslash
    return FileLines([row + end for row, end in zip(rows, ends, strict=True)], lines.language)


def _is_version(
    definition: Definition, keys: Sequence[str], other: Definition, block: Sequence[str]
) -> bool:
    """Whether a definition of a block has the owner, the first line and most of the body of one of the file, but for
    the name.
    """
    if definition.owner != other.owner:
        return False
    was = _strong(keys[definition.start : definition.end], definition.name)
    now = _strong(block[other.start : other.end], other.name)
    if not was or not now or was[0] != now[0]:
        return False
    body, other_body = Counter(was[1:]), Counter(now[1:])
    most = max(body.total(), other_body.total())
    return (body & other_body).total() >= _SAME * most > 0


def _strong(rows: Sequence[str], name: str) -> list[str]:
    """The lines with a letter or digit, without the blanks around them, with a sign in place of a name."""
    return [as_word(name).sub("\0", row.strip()) for row in rows if not is_weak(row)]


def _is_followed(
    definition: Definition, new: str, shown: Sequence[str], words: set[str], lines: FileLines
) -> bool:
    """Whether the answer follows the new name: each other line of the file with the old one stands in it with the new
    one, or, without such a line, it has the names of all other definitions, of which there are some.
    """
    word = as_word(definition.name)
    mentions = [
        row.strip()
        for number, row in enumerate(lines.keys)
        if not definition.start <= number < definition.end and word.search(row)
    ]
    if mentions:
        rows = {row.strip() for row in shown}
        return all(word.sub(lambda _: new, row) in rows for row in mentions)
    others = [x.name for x in lines.definitions if x.name != definition.name]
    return bool(others) and all(name in words for name in others)
