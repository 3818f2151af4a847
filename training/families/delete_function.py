"""Delete a function, method or class of Python with its decorators.

Of the blank lines around it the larger gap stays between its neighbours; where it was the last, the
text ends where its neighbour ends, as after a deletion by hand.
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
        "[delete|remove|drop|erase|kill|cut] [|the |the whole |the unused |the entire ]{kind}{name}",
        "[get rid of|throw out|throw away|take out] [|the ]{kind}{name}",
        "[delete|remove|drop|erase] {name}",
        "I [don't|do not] need [|the ]{kind}{name} [any more|any longer|anymore], [delete|remove|drop] it",
        "[cut|strip|remove|delete|take] [|the ]{kind}{name} [out of|from] this [file|module]",
        "[|the ]{kind}{name} is [unused|not used|dead code|not needed|obsolete|no longer needed][,|:] [delete|remove|drop] it",
        "we [don't|do not] use [|the ]{kind}{name}[, delete it|, remove it|, drop it]",
        "[|the ]{kind}{name} [should|must] be [deleted|removed|dropped]",
        "there should be no {kind}{name}",
        "[|the ]{kind}{name} has no callers[, delete it|, remove it|: delete it]",
        "[|the ]{kind}{name} [must|should|has to] [go|disappear]",
        "leave out [|the ]{kind}{name}",
        "[we|I] can do without [|the ]{kind}{name}",
        "no more {kind}{name}[| in this file], please",
    ),
    held_out=(
        "{kind}{name} can go",
        "clear out {kind}{name}",
        "nobody calls {kind}{name}, so take it away",
        "I want this file without {kind}{name}",
    ),
)

_SAID_RIGHT = 0.9  # of the methods
_CLASSES = 0.25  # of the deletions, at least, where the text has any


def propose(source: Source, rng: Random, *, held_out: bool = False) -> Edit | None:
    """Propose to delete a definition that is not the only statement where it stands; ``None`` if there is none."""
    found: list[Definition] = [*source.functions, *source.classes]
    if not found:
        return None
    definition = rng.choice(source.classes if source.classes and rng.random() < _CLASSES else found)
    if sum(other.name == definition.name for other in found) > 1 or _is_alone(source, definition):
        return None
    kind = _kind(source, definition, rng)
    instruction = PHRASINGS.say(
        rng, held_out=held_out, kind=kind, name=quoted(rng, definition.name)
    )
    first, last = _with_smaller_gap(source, definition)
    span = Span(source.line_start(first), source.line_start(last + 1))
    return edit_of(source, instruction, [span])


def _kind(source: Source, definition: Definition, rng: Random) -> str:
    """The word for the definition, as people say it; now and then a method is called a function."""
    if isinstance(definition, ast.ClassDef):
        return "class "
    is_method = any(definition in node.body for node in source.classes) or source.text[:1].isspace()
    return "method " if is_method and rng.random() < _SAID_RIGHT else "function "


def _with_smaller_gap(source: Source, definition: Definition) -> tuple[int, int]:
    """First and last line to delete: the definition and the blank lines that go with it."""

    def is_blank(line: int) -> bool:
        return not source.line(line).strip()

    first, last = source.first_line_of(definition), definition.end_lineno or definition.lineno
    above, below = first, last
    while above > 1 and is_blank(above - 1):
        above -= 1
    while below < source.last_line() and is_blank(below + 1):
        below += 1
    if below == source.last_line() or 0 < first - above < below - last:
        return above, last
    return first, below


def _is_alone(source: Source, definition: Definition) -> bool:
    if definition in source.body:
        return len(source.body) == 1
    for node in source.nodes:
        for field in ("body", "orelse", "finalbody"):
            body = getattr(node, field, None)
            if isinstance(body, list) and definition in body:
                return len(body) == 1
    return True


GENERATOR = Generator(
    name="delete-function",
    phrasings=(PHRASINGS,),
    propose=propose,
)
