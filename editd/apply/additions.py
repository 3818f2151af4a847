"""New code, and where it goes: imports, new versions of a few lines, and blocks that the file has not.

No line of it shows its place. Imports stand among imports, a version in the place of the line that it is one of,
a block below the last one of its kind or where the prose says (``prose``).
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

from editd.apply.indent import in_units, reindented
from editd.apply.lines import (
    ABOVE,
    IMPORT,
    MOST_NEAREST,
    Head,
    Lines,
    called,
    given_name,
    heads_of,
    indent_of,
    likeness,
    nesting,
    stripped,
)
from editd.apply.outcome import LIKELY, NAMED, UNSURE, Aligned, Change
from editd.apply.prose import TOLD, Place, only_class
from editd.apply.sketch import Markers, num_blank
from editd.diff.matching import is_weak
from editd.prompts.outline import Definition, outline

ELSEWHERE = "The paste does not show where this belongs; look whether it should stand elsewhere."
ANEW = "This is taken for a new version of what stands at line {}; look whether it is."
_MOST_HEAD = 60  # lines in which a package or the first comment stands
_MOST_IMPORTS = 200  # that a new one is compared with
_MOST_VERSIONS, _VERSION = 3, 0.8  # lines that are versions of the file's, and how alike they are
_WRAPPED = ("javascript", "typescript", "tsx", "java")  # a method is none there without its class
_OVERLOADED = ("java", "kotlin", "cpp", "csharp", "swift", "scala")
_KEYWORDS = ("if", "for", "while", "switch", "catch", "with", "do", "try")
_UPDATES = re.compile(r"\b(?:change|replace|shorten|update)\b", re.IGNORECASE)
_SELF = re.compile(r"\bdef \w+\((?:self|cls)\b")
_KIND = re.compile(r"\s*(?:func \(\w+ [^)]*\)|(?:export |pub |async |static )*\w+[.(]?|\W+)")


def definitions_in(bare: Sequence[str], language: str) -> list[Definition]:
    """The definitions of a code block, methods without their class among them."""
    found = list(outline([f"{x}\n" for x in bare], language))
    if language in _WRAPPED and not any(one.is_block for one in found):
        wrapped = ["class X {\n", *(f"{x}\n" for x in bare), "}\n"]
        found = [
            replace(one, start=one.start - 1, end=one.end - 1, owner="")
            for one in outline(wrapped, language)
            if one.owner == "X" and one.name not in _KEYWORDS
        ]
    return [x for x in found if x.is_block and x.start >= 0 and x.end <= len(bare)]


@dataclass(frozen=True, slots=True)
class NewBlock:
    """A code block of whole definitions or other blocks, none of which the file has.

    lines: without the blanks that all of them begin with, ``given``. first: the first one. is_defined: whether
    some are definitions.
    """

    lines: tuple[str, ...]
    first: Head
    is_defined: bool
    given: str


def new_block(block: Sequence[str], lines: Lines) -> NewBlock | None:
    """The code block, if it is such a one."""
    shown = stripped(block)
    if not shown or any(map(Markers(lines), shown)):
        return None
    least = min((indent_of(x) for x in shown if x), key=len)
    bare = tuple(x.removeprefix(least) for x in shown)
    found = definitions_in(bare, lines.language)
    heads = heads_of(bare, found)
    known = {(x.name, owner) for x in lines.blocks for owner in (x.owner, "")}
    known |= {(x.name, "") for x in lines.nested}
    position = 0
    for one in heads:
        if one.start < position:
            continue
        if any(not is_weak(x) and not ABOVE.match(x) for x in bare[position : one.start]):
            return None
        name = one.name if one.owner else called(bare[one.head]) or one.name
        is_known = (name, one.owner) in known and not is_overload(one, bare, lines)
        if bare[one.head].strip() in lines.where_bare or is_known:
            return None
        position = one.end
    if not heads or any(not is_weak(x) for x in bare[position:]) or any(nesting(bare)):
        return None
    return NewBlock(bare, heads[0], bool(found), least)


def is_overload(one: Head, block: Sequence[str], lines: Lines) -> bool:
    """Whether a definition stands beside the file's of its name: with other parameters, and no line of theirs."""

    def told(head: int, end: int, text: Sequence[str]) -> tuple[str, set[str]]:
        parameters = "".join(text[head].partition("(")[2].partition(")")[0].split())
        body = {x.strip() for x in text[head + 1 : end] if not is_weak(x) and not ABOVE.match(x)}
        return parameters, body

    if lines.language not in _OVERLOADED:
        return False
    own, body = told(one.head, one.end, block)
    same = [told(x.head, x.end, lines.keys) for x in lines.blocks if x.name == one.name]
    return bool(body) and all(own != theirs and not body & others for theirs, others in same)


def unmarked(block: Sequence[str], lines: Lines) -> tuple[str, ...]:
    """Without markers at both ends: what is left out around a block that is all new says nothing of its place."""
    is_marker, shown = Markers(lines), stripped(block)
    while shown and is_marker(shown[0]):
        shown = stripped(shown[1:])
    while shown and is_marker(shown[-1]):
        shown = stripped(shown[:-1])
    return shown


def beside_like(new: NewBlock, lines: Lines) -> Aligned | None:
    """A new block below the last one of its kind: a method in its class, a test, a rule; else at the file's end."""
    head, owner = new.lines[new.first.head], new.first.owner
    kind = kind_of(head)
    same = [x for x in lines.blocks if kind_of(lines.keys[x.head]) == kind and x.owner == owner]
    if new.given and not owner:  # as deep as the paste shows it
        deep = [
            x
            for x in lines.blocks
            if indent_of(lines.keys[x.head]) == new.given and x.is_other != new.is_defined
        ]
        same = [x for x in same if x in deep] or deep or same
    is_method = _SELF.search(head) or (lines.language in _WRAPPED and kind != "function ")
    if is_method and not owner and not new.given and (holder := only_class(lines)):
        start, end = holder
        same = [x for x in lines.blocks if start < x.start and x.end <= end and x.owner]
    if not same and not new.is_defined:
        return None  # nothing in the file is like it
    place = Place(len(lines), "", before=False)
    if same:
        place = Place(same[-1].end, indent_of(lines.keys[same[-1].head]), before=False)
    change = inserted(new.lines, place, lines, is_whole=True).changes[0]
    return Aligned((replace(change, sure=UNSURE, why=ELSEWHERE),), UNSURE)


def kind_of(head: str) -> str:
    """What a line begins with that says of which kind its block is: ``def``, ``test(``, ``func (hook *Hook)``, ``.``."""
    found = _KIND.match(head)
    return found[0] if found else ""


def inserted(block: Sequence[str], place: Place, lines: Lines, *, is_whole: bool) -> Aligned:
    """New lines at a place that the prose names. is_whole: they are a ``NewBlock``."""
    new = tuple(in_units([list(stripped(block))], lines)[0])
    own = min((indent_of(x) for x in new if x.strip()), key=len)
    new = tuple(reindented(new, own, place.depth, lines))
    at = place.at
    while not place.before and at and not lines.keys[at - 1]:
        at -= 1
    is_apart = is_whole or at in (0, len(lines)) or _is_apart(place, at, new, lines)
    usual = max(usual_gap(lines, place.depth), "" in new) if is_apart else 0
    gap = ("",) * max(usual, not place.before and at == len(lines) and not place.depth)
    text = (*new, *gap) if place.before else (*gap, *new)
    return Aligned((Change(at, at, text, LIKELY, why=TOLD),), LIKELY)


def _is_apart(place: Place, at: int, new: Sequence[str], lines: Lines) -> bool:
    """Whether what stands beside a place is a paragraph of its own, one of several lines, or the new lines are several."""
    keys = (*lines.keys, "", "")
    if place.before:
        return at > 0 and not keys[at - 1] and "" in new
    if IMPORT.match(keys[at - 1]) and not IMPORT.match(new[0]):
        return True
    return at > 1 and bool(keys[at - 1] and keys[at - 2]) and not keys[at]


def read_versions(block: Sequence[str], lines: Lines, within: tuple[int, int]) -> Aligned | None:
    """A few lines, none of which the file has, each a version of one line there, in a row."""
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
    why = ANEW.format(start + 1)
    return Aligned((Change(start, end, tuple(new), LIKELY, why=why),), LIKELY)


def read_imports(block: Sequence[str], lines: Lines, prose: str = "") -> Aligned | None:
    """Lines that are all imports: each in the place of the file's one that it is a version of, or among them.

    prose: the line above them, which says whether one that has fewer names takes the place of the longer one.
    """
    told = [x for x in stripped(block) if x]
    if not told or not all(IMPORT.match(x) for x in told):
        return None
    file = lines.keys
    there = [n for n, x in enumerate(file) if IMPORT.match(x) and x[0] not in " \t"]
    bare = {re.sub(r"\s", "", file[n]): file[n].strip() for n in there}
    if any(bare.get(re.sub(r"\s", "", x), x.strip()) != x.strip() for x in told):
        return None  # what is rewritten is shown in its order
    changes: list[Change] = []
    fresh: dict[int, list[str]] = defaultdict(list)
    sure = NAMED
    for number, line in enumerate(told):
        if line.strip() in lines.where_bare:
            continue
        versions = [n for n in there if _is_more(line, file[n])]
        if len(versions) == 1:
            changes.append(Change(versions[0], versions[0] + 1, (line.strip(),), NAMED))
            continue
        longer = [n for n in there if _is_more(file[n], line)]
        if _UPDATES.search(prose) and not longer and (module := _module(line)):
            longer = [n for n in there if _module(file[n]) == module]
        if len(longer) == 1:
            if _UPDATES.search(prose):
                sure, why = LIKELY, ANEW.format(longer[0] + 1)
                changes.append(Change(longer[0], longer[0] + 1, (line.strip(),), LIKELY, why=why))
            continue  # else the file has it
        beside = [
            n for n in there if file[n].strip() in [x.strip() for x in told[number - 1 : number]]
        ]
        below = [
            n
            for n in there
            if file[n].strip() in [x.strip() for x in told[number + 1 : number + 2]]
        ]
        at = beside[0] + 1 if number and beside else below[0] if below else None
        if at is None:
            at, sure = _below_like(line, there, file), min(sure, NAMED if there else LIKELY)
        fresh[at].append(line.strip())
    for at, new in fresh.items():
        above = ("",) if not there and at else ()
        end = ("",) if not there and at < len(file) and file[at] else ()
        why = "" if sure == NAMED else ELSEWHERE
        changes.append(Change(at, at, (*above, *new, *end), sure, why=why))
    changes.sort(key=lambda one: (one.start, one.end))
    if any(one.end > two.start for one, two in pairwise(changes)):
        return None
    return Aligned(tuple(changes), min(x.sure for x in changes)) if changes else None


def _module(line: str) -> str:
    """The module that an import is from, if it names parts of one."""
    found = _MODULE.search(line)
    return next(filter(None, found.groups()), "") if found else ""


_MODULE = re.compile(
    r"[}*\w]\s+from\s+(['\"].+?['\"])|\brequire\(\s*(['\"].+?['\"])|^from\s+(\S+)\s+import"
)


def _is_more(line: str, old: str) -> bool:
    """Whether an import names all that the old one does, of the same module, and more."""
    one, two = (re.findall(r"[\w./@-]+", x) for x in (line, old))
    return len(one) > len(two) > 2 and not Counter(two) - Counter(one)


def _below_like(line: str, there: Sequence[int], file: Sequence[str]) -> int:
    """Where a new import goes: among those of the most alike one, sorted if they are, else below them."""
    if not there:
        return _below_head(file)
    at = max(there[:_MOST_IMPORTS], key=lambda n: likeness(line, file[n], 0.0))
    first = last = at
    while first - 1 in there:
        first -= 1
    while last + 1 in there:
        last += 1
    group = file[first : last + 1]
    if len(group) > 1 and [*group] == sorted(group):
        return first + bisect_right(group, line.strip())
    return last + 1


def _below_head(file: Sequence[str]) -> int:
    """Below a file's package, else below its first comment or docstring, if a blank line parts it from the code."""
    top = file[:_MOST_HEAD]
    if packages := [n for n, line in enumerate(top) if line.startswith("package ")]:
        return packages[0] + 1
    blank = next((n for n, line in enumerate(top) if not line), 0)
    return blank if blank and ABOVE.match(top[0]) else 0


def usual_gap(lines: Lines, depth: str) -> int:
    """How many blank lines part definitions and other blocks of that depth."""
    counts: Counter[int] = Counter()
    same = [x for x in lines.blocks if indent_of(lines.keys[x.head]) == depth]
    for one, two in pairwise(same):
        blank = num_blank(lines.keys[one.end - 1 : two.start][::-1])
        if not any(lines.keys[one.end : two.start]):
            counts[blank] += 1
    best, number = max(counts.items(), key=lambda one: one[1], default=(0, 0))
    return best if number else 2 if lines.language == "python" and not depth else 1
