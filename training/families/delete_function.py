"""Delete a function, method or class of Python with its decorators.

Of the blank lines around it the larger gap stays between its neighbours; where it was the last, the
text ends where its neighbour ends, as somebody who deletes by hand would leave it.
"""

from __future__ import annotations

import ast
from random import Random

from training.families.edit import Edit, Generator, Span, edit_of
from training.families.source import Definition, Source
from training.families.wording import Phrasings, quoted

PHRASINGS = Phrasings(
    training=(
        "delete {kind}{name}",
        "remove {kind}{name}",
        "delete the {kind}{name}",
        "remove the {kind}{name}",
        "drop {kind}{name}",
        "get rid of {kind}{name}",
        "delete {name}",
        "remove {name}",
        "I don't need {kind}{name} any more, delete it",
        "delete the whole {kind}{name}",
        "cut {kind}{name} out of this file",
        "throw away the unused {kind}{name}",
        "strip {kind}{name} from this module",
    ),
    held_out=(
        "throw out the {kind}{name}",
        "erase the {kind}{name}",
        "remove {kind}{name} from this file",
    ),
)


def propose(source: Source, rng: Random, *, held_out: bool = False) -> Edit | None:
    """One definition that is not the only statement where it stands."""
    found: list[Definition] = [*source.functions, *source.classes]
    if not found:
        return None
    wanted = rng.choice(found)
    if sum(other.name == wanted.name for other in found) > 1 or _is_alone(source, wanted):
        return None
    kind = "class " if isinstance(wanted, ast.ClassDef) else rng.choice(("function ", "method "))
    instruction = PHRASINGS.say(rng, held_out=held_out, kind=kind, name=quoted(rng, wanted.name))
    first, last = _with_smaller_gap(source, wanted)
    span = Span(source.line_start(first), source.line_start(last + 1))
    return edit_of(source, instruction, [span])


def _with_smaller_gap(source: Source, wanted: Definition) -> tuple[int, int]:
    """First and last line to delete: the definition, and the blank lines that nobody misses then."""

    def is_blank(line: int) -> bool:
        return not source.line(line).strip()

    first, last = source.first_line_of(wanted), wanted.end_lineno or wanted.lineno
    above, below = first, last
    while above > 1 and is_blank(above - 1):
        above -= 1
    while below < source.last_line() and is_blank(below + 1):
        below += 1
    if below == source.last_line() or 0 < first - above < below - last:
        return above, last
    return first, below


def _is_alone(source: Source, wanted: Definition) -> bool:
    if wanted in source.body:
        return len(source.body) == 1
    for node in source.nodes:
        for field in ("body", "orelse", "finalbody"):
            body = getattr(node, field, None)
            if isinstance(body, list) and wanted in body:
                return len(body) == 1
    return True


GENERATOR = Generator(
    name="delete-function",
    phrasings=(PHRASINGS,),
    propose=propose,
)
