"""New code, and where it goes: new versions of a few lines, and blocks that the file has not.

No line of it shows its location. A version stands in the place of the line that it is one of, a block below the last
one of its kind or where the prose says (``prose_locations``). For imports see ``new_imports``.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

from editd.apply.doubts.table import (
    CONFIDENT,
    FROM_PROSE,
    WEAK_GUESS,
)
from editd.apply.paste.markers import Markers
from editd.apply.readers.prose_locations import StatedLocation, class_of, is_list, only_class
from editd.apply.reading import ChangedLines, Reading
from editd.apply.text.file_lines import MOST_NEAREST, FileLines
from editd.apply.text.indent import in_units, reindented
from editd.apply.text.line import (
    ABOVE,
    function_name,
    given_name,
    indent_of,
    likeness,
    nesting,
    num_blank,
    stripped,
)
from editd.apply.text.named_blocks import NamedBlock, blocks_of
from editd.diff.matching import is_weak
from editd.syntax.definition import Definition
from editd.syntax.imports import IMPORT_LINE
from editd.syntax.outline import outline

_MOST_VERSIONS, _VERSION = 3, 0.8  # lines that are versions of the file's, and how alike they are
_WRAPPED = ("javascript", "typescript", "tsx", "java")  # a method is none there without its class
_OVERLOADED = ("java", "kotlin", "cpp", "csharp", "swift", "scala")
_KEYWORDS = ("if", "for", "while", "switch", "catch", "with", "do", "try")
_MOST_CONTEXT = 50  # lines of the file beside new ones
_EXTENDS = re.compile(r"\s*(?:\w+ )?(?:impl|extension)\b")
_SELF = re.compile(r"\bdef \w+\((?:self|cls)\b")
_KIND = re.compile(r"\s*(?:func \(\w+ [^)]*\)|(?:export |pub |async |static )*\w+[.(]?|\W+)")


def definitions_in(bare: Sequence[str], language: str) -> list[Definition]:
    """The functions, classes and types of a code block; in languages where a method is none without its class, and if
    the block has no definition, also methods without one.

    bare: the block's lines, the outermost at the margin.
    """
    found = list(outline([f"{x}\n" for x in bare], language))
    if language in _WRAPPED and not any(definition.is_block for definition in found):
        wrapped = ["class X {\n", *(f"{x}\n" for x in bare), "}\n"]
        found = [
            replace(definition, start=definition.start - 1, end=definition.end - 1, owner="")
            for definition in outline(wrapped, language)
            if definition.owner == "X" and definition.name not in _KEYWORDS
        ]
    return [x for x in found if x.is_block and x.start >= 0 and x.end <= len(bare)]


@dataclass(frozen=True, slots=True)
class NewBlock:
    """A code block of whole definitions or other blocks, none of which the file has.

    lines: without the blanks that all of them begin with, ``given``. first: the first definition or block. kinds: of
    all (``kind_of``). is_defined: whether some are definitions.
    """

    lines: tuple[str, ...]
    first: NamedBlock
    kinds: frozenset[str]
    is_defined: bool
    given: str


def new_block(
    block: Sequence[str], lines: FileLines, holder: tuple[int, int] | None = None
) -> NewBlock | None:
    """The code block as a ``NewBlock``; ``None`` if it has markers, lines outside of definitions and blocks (comments
    aside), unbalanced brackets, no block at all, or a block whose name or first line the file has.

    holder: lines of the class that it is for (start, end exclusive); only what is in there counts as the file's.
    Overloads, and ``impl`` or ``extension`` of a known type, count as new.
    """
    shown = stripped(block)
    if not shown or any(map(Markers(lines), shown)):
        return None
    least = min((indent_of(x) for x in shown if x), key=len)
    bare = tuple(x.removeprefix(least) for x in shown)
    found = definitions_in(bare, lines.language)
    heads = blocks_of(bare, found)
    low, high = holder or (0, len(lines))
    inside = [x for x in (*lines.blocks, *lines.nested) if low <= x.start and x.end <= high]
    known = {(x.name, owner) for x in inside for owner in (x.owner, "")}
    position, kinds = 0, set()
    for head_block in heads:
        if head_block.start < position:
            continue
        kinds.add(kind_of(bare[head_block.head]))
        if any(not is_weak(x) and not ABOVE.match(x) for x in bare[position : head_block.start]):
            return None
        name = (
            head_block.name
            if head_block.owner
            else function_name(bare[head_block.head]) or head_block.name
        )
        extends = _EXTENDS.match(bare[head_block.head]) is not None  # a type that the file may have
        is_known = (name, head_block.owner) in known and not (
            extends or is_overload(head_block, bare, lines)
        )
        head = bare[head_block.head].strip()
        same = (*lines.where_bare.get(head, ()), *lines.where_bare.get(f"{head}}}", ()))  # “{}”
        if any(low <= n < high for n in same) or is_known:
            return None
        position = head_block.end
    if not heads or any(not is_weak(x) for x in bare[position:]) or any(nesting(bare)):
        return None
    return NewBlock(bare, heads[0], frozenset(kinds), bool(found), least)


def is_overload(named: NamedBlock, block: Sequence[str], lines: FileLines) -> bool:
    """Whether the definition ``named`` of ``block`` can stand beside the file's definitions of its name: with
    parameters of other types than each of them, and no line of their bodies. True if the file has none of the name;
    false in languages without overloads, and for an empty body.
    """

    def parameters_and_body(head: int, end: int, text: Sequence[str]) -> tuple[str, set[str]]:
        """The parameters' types of the head at line ``head``, and the lines of its body that say something."""
        declared = text[head].partition("(")[2].partition(")")[0].split(",")
        parameters = ",".join(_type_of(x.strip()) for x in declared)
        body = {x.strip() for x in text[head + 1 : end] if not is_weak(x) and not ABOVE.match(x)}
        return parameters, body

    if lines.language not in _OVERLOADED:
        return False
    own, body = parameters_and_body(named.head, named.end, block)
    same = [
        parameters_and_body(x.head, x.end, lines.keys) for x in lines.blocks if x.name == named.name
    ]
    return bool(body) and all(own != theirs and not body & others for theirs, others in same)


def _type_of(parameter: str) -> str:
    """The type of a parameter: ``int`` of ``int a`` and of ``a: int``."""
    name, sign, kind = parameter.partition(":")
    return kind.strip() if sign else name.removeprefix("final ").rpartition(" ")[0]


def without_outer_markers(block: Sequence[str], lines: FileLines) -> tuple[str, ...]:
    """The lines without markers and blank lines at both ends; empty if there is nothing else. What is left out around a
    block that is all new does not show its location.
    """
    is_marker, shown = Markers(lines), stripped(block)
    while shown and is_marker(shown[0]):
        shown = stripped(shown[1:])
    while shown and is_marker(shown[-1]):
        shown = stripped(shown[:-1])
    return shown


def beside_like(new: NewBlock, lines: FileLines, prose: Sequence[str]) -> Reading | None:
    """A reading that puts a new block below the last block that is like it (``_akin``), as deep as that, with the doubt
    ``like``; else at the file's end with the doubt ``alone``. A weak guess.

    ``None`` if the file has no block like it and the new block is no definition. prose: may name the class that the
    block belongs to.
    """
    same = _akin(new, lines, prose)
    if not same and not new.is_defined:
        return None  # nothing in the file is like it
    location = StatedLocation(len(lines), "", before=False)
    if same:
        location = StatedLocation(same[-1].end, indent_of(lines.keys[same[-1].head]), before=False)
    change = insert_at(new.lines, location, lines, is_whole=True).changes[0]
    return Reading((change.doubted("like" if same else "alone"),), WEAK_GUESS)


def _akin(new: NewBlock, lines: FileLines, prose: Sequence[str]) -> list[NamedBlock]:
    """The file's blocks that are like a new one, in the file's order; empty if none is.

    Those of its kinds and class; if the paste indents it, only as deep ones of these, else all as deep ones, if there
    are any. Of a definition in a class that ``prose`` names, and of a method in the file's only class: the definitions
    in there (``_least_deep``). Outside of Python, if none is of its kinds at the margin: those in classes. Of an
    ``impl`` (without ``for``) or ``extension``: the type of its name, if the file has it.
    """
    head, owner = new.lines[new.first.head], new.first.owner
    kind = kind_of(head)
    same = [
        x for x in lines.blocks if kind_of(lines.keys[x.head]) in new.kinds and x.owner == owner
    ]
    if new.given and not owner:  # as deep as the paste shows it
        deep = [
            x
            for x in lines.blocks
            if indent_of(lines.keys[x.head]) == new.given and x.is_other != new.is_defined
        ]
        same = [x for x in same if x in deep] or deep or same
    is_method = _SELF.search(head) or (lines.language in _WRAPPED and kind != "function ")
    holder = class_of(prose, lines) if new.is_defined else None
    if holder is None and is_method and not owner and not new.given:
        holder = only_class(lines)
    known = [x for x in lines.blocks if not x.is_other]
    if holder is not None:
        same = _least_deep([x for x in known if holder[0] < x.start and x.end <= holder[1]], lines)
    elif not same and new.is_defined and not new.given and lines.language != "python":
        # all of its kind are in a class
        like = [x for x in known if kind_of(lines.keys[x.head].lstrip()) in new.kinds]
        same = _least_deep(like, lines)
    if _EXTENDS.match(head) and " for " not in head:  # below the type
        same = [x for x in known if x.name == new.first.name][:1] or same
    return same


def _least_deep(found: Sequence[NamedBlock], lines: FileLines) -> list[NamedBlock]:
    """Of these blocks the least deep ones, without those below a line ``private`` or ``protected`` of their depth."""
    depth = min((indent_of(lines.keys[x.head]) for x in found), key=len, default="")
    same = [x for x in found if indent_of(lines.keys[x.head]) == depth]
    hidden = (n for word in ("private", "protected") for n in lines.where.get(depth + word, ()))
    first = min((n for n in hidden if same and n > same[0].start), default=len(lines))
    return [x for x in same if x.end <= first]


def kind_of(head: str) -> str:
    """The beginning of a line that says of which kind its block is: ``def``, ``test(``, ``func (hook *Hook)``, ``.``."""
    found = _KIND.match(head)
    return found[0] if found else ""


def insert_at(
    block: Sequence[str], location: StatedLocation, lines: FileLines, *, is_whole: bool
) -> Reading:
    """A reading of one change that puts new lines at a location that prose states, at its depth. Blank lines part them
    on one side (``_gap_at``): below them if the location is before a named line, else above; for whole blocks
    (``is_whole``), at the ends of the file, and where neighbours are parted (``_is_apart``).

    block: lines of the file that it shows above and below the location are left out, but all stay if none would be left
    (``without_context``); raises ``ValueError`` if all are blank. Blank lines of the file above the location stay below
    the new ones, unless it is before a named line. Confident if the prose names something there or it is the file's
    end, else a best guess (``stated``).
    """
    new = tuple(in_units([without_context(block, location.at, lines)], lines)[0])
    own = min((indent_of(x) for x in new if x.strip()), key=len)
    new = tuple(reindented(new, own, location.depth, lines))
    at = location.at
    while not location.before and at and not lines.keys[at - 1]:
        at -= 1
    is_apart = is_whole or at in (0, len(lines)) or _is_apart(location, at, stripped(block), lines)
    gap = ("",) * (_gap_at(at, new, location, lines, is_whole=is_whole) if is_apart else 0)
    text = (*new, *gap) if location.before else (*gap, *new)
    change = ChangedLines(at, at, text, CONFIDENT, FROM_PROSE)
    if not (location.is_named or location.at == len(lines)):
        change = change.doubted("stated")
    return Reading((change,), change.confidence)


def _gap_at(
    at: int, new: Sequence[str], location: StatedLocation, lines: FileLines, *, is_whole: bool
) -> int:
    """How many blank lines part new lines from those beside line ``at``: as many as usual for a block like theirs
    (``usual_gap``), and one at least if line ``at`` is blank or they have a blank line among them.

    One in place of the usual number below an import, but for whole blocks (``is_whole``). 0 in a list such as
    ``.gitignore``.
    """
    if is_list(lines):
        return 0
    head = next((x for x in new if x and not ABOVE.match(x)), "")
    usual = usual_gap(lines, location.depth, head)
    if not is_whole and at and IMPORT_LINE.match(lines.keys[at - 1]):
        usual = 1
    is_parted = "" in new or (at < len(lines) and not lines.keys[at])
    return max(usual, is_parted)


def without_context(block: Sequence[str], at: int, lines: FileLines) -> list[str]:
    """The block's lines without the file's lines right above and below line ``at``, if it begins or ends with them and
    they hold a line that the file has once; 50 lines at most on each side. All of it, but for blank lines at its ends,
    if nothing would be left.
    """
    shown = list(stripped(block))
    file = [x.strip() for x in lines.keys]

    def is_context(row: Sequence[str], file_rows: Sequence[str]) -> bool:
        """Whether a row of the block is the file's row there, with a line that the file has once."""
        bare = [x.strip() for x in row]
        return bare == file_rows and any(
            len(lines.where_bare[x]) == 1 and not is_weak(x) for x in bare
        )

    sizes = range(min(_MOST_CONTEXT, len(shown) - 1), 0, -1)
    below = next((n for n in sizes if is_context(shown[-n:], file[at : at + n])), 0)
    above = next((n for n in sizes if is_context(shown[:n], file[max(0, at - n) : at])), 0)
    return list(stripped(shown[above : len(shown) - below]) or shown)


def _is_apart(location: StatedLocation, at: int, new: Sequence[str], lines: FileLines) -> bool:
    """Whether blank lines belong between new lines and the lines above line ``at``: those above are an import and the
    new ones begin with none, or they are two filled lines or more that a blank line ends.

    Before a named line (``location.before``) only this counts: a blank line stands above it, and one is among the new
    lines. at: the line before which the new ones go, not 0 or the end of the file.
    """
    keys = (*lines.keys, "", "")
    if location.before:
        return at > 0 and not keys[at - 1] and "" in new
    if IMPORT_LINE.match(keys[at - 1]) and not IMPORT_LINE.match(new[0]):
        return True
    return at > 1 and bool(keys[at - 1] and keys[at - 2]) and not keys[at]


def read_versions(
    block: Sequence[str], lines: FileLines, within: tuple[int, int]
) -> Reading | None:
    """Up to three lines, none of which the file has, each in the place of the one line in ``within`` (start, end
    exclusive) that it is a version of; with the doubt ``anew``.

    A version gives the same name a value, or else is alike (0.8). A single line that leaves no bracket or string open
    replaces the whole block if the file's version leaves one open (``x = 1`` for ``x = [`` up to ``]``). ``None`` if a
    line has no such version or several, these do not stand in a row, the file has some of the lines, or there are no
    lines, more than three, or ``within`` has more than 5,000.
    """
    shown, file = stripped(block), lines.keys[within[0] : within[1]]
    if (
        not shown
        or len(shown) > _MOST_VERSIONS
        or len(file) > MOST_NEAREST
        or any(x.strip() in lines.where_bare for x in shown)
    ):
        return None
    found: list[int] = []
    for line in shown:
        given = given_name(line)
        alike = [n for n, x in enumerate(file) if given and given_name(x) == given] or [
            n for n, x in enumerate(file) if likeness(line.strip(), x.strip(), _VERSION)
        ]
        if len(alike) != 1 or (found and alike[0] != found[-1] + 1):
            return None
        found += alike
    start = within[0] + found[0]
    end = start + len(shown)
    if len(shown) == 1 and any(nesting(lines.keys[start:end])) and not any(nesting(shown)):
        # it was a block, and is one line now
        heads = [x for x in (*lines.heads_in(start, end), *lines.nested) if x.head == start]
        end = heads[0].end if heads else end
    new = reindented(shown, indent_of(shown[0]), indent_of(lines.keys[start]), lines)
    change = ChangedLines(start, end, tuple(new)).doubted("anew", start + 1)
    return Reading((change,), change.confidence)


def usual_gap(lines: FileLines, depth: str, head: str = "") -> int:
    """The commonest number of blank lines between neighbouring definitions and other blocks of a depth; 2 at Python's
    margin and else 1 if no two stand with only blank lines between.

    depth: the blanks before their heads. head: a block's first line; if some blocks of its kind have another block
    above, only the blank lines above these count.
    """
    counts: Counter[int] = Counter()
    same = [x for x in lines.blocks if indent_of(lines.keys[x.head]) == depth]
    pairs = list(pairwise(same))
    akin = [
        (x, y) for x, y in pairs if kind_of(lines.keys[y.head].lstrip()) == kind_of(head.lstrip())
    ]
    for above, below in akin or pairs:
        blank = num_blank(lines.keys[above.end - 1 : below.start][::-1])
        if not any(lines.keys[above.end : below.start]):
            counts[blank] += 1
    best, number = max(counts.items(), key=lambda pair: pair[1], default=(0, 0))
    return best if number else 2 if lines.language == "python" and not depth else 1
