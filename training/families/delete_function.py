"""Delete a function, method or class of Python, its decorators and the blank lines after it too."""

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
    end = (wanted.end_lineno or wanted.lineno) + 1
    while end <= source.last_line() and not source.line(end).strip():
        end += 1
    start = source.line_start(source.first_line_of(wanted))
    return edit_of(source, instruction, [Span(start, source.line_start(end))])


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
