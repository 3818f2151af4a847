"""Add a type hint to a parameter, or a return type."""

from __future__ import annotations

from random import Random

from training.families.add_docstring import some_function
from training.families.edit import Edit, Generator, Span, edit_of
from training.families.source import Function, Source
from training.families.wording import Phrasings, quoted

PARAMETER = Phrasings(
    training=(
        "add type hint {hint} to parameter {parameter} of {name}",
        "add a type hint {hint} to {parameter} in {name}",
        "annotate {parameter} of {name} as {hint}",
        "annotate parameter {parameter} as {hint} in {name}",
        "{parameter} in {name} is {hint}, add the type hint",
        "add the annotation {bare}: {hint} to {name}",
        "add the type {hint} to the parameter {parameter} of {name}",
        "type the parameter {parameter} of {name} as {hint}",
        "give {parameter} in {name} the type {hint}",
        "put the annotation {hint} on {parameter} of {name}",
        "the type of {parameter} in {name} is {hint}, annotate it",
        "append the hint {hint} to argument {parameter} of {name}",
    ),
    held_out=(
        "put the type hint {hint} on {parameter} in {name}",
        "hint {parameter} of {name} as {hint}",
        "add a type annotation {hint} to argument {parameter} of {name}",
    ),
)
RETURN = Phrasings(
    training=(
        "add return type {hint} to {name}",
        "annotate {name} as returning {hint}",
        "{name} returns {hint}, add the annotation",
        "add a return type hint {hint} to {name}",
        "add -> {hint} to {name}",
        "annotate the return value of {name} as {hint}",
        "the return type of {name} is {hint}, annotate it",
        "set the return type of {name} to {hint}",
        "put the return type hint {hint} on {name}",
    ),
    held_out=("give {name} the return type {hint}", "add the return annotation {hint} to {name}"),
)

_HINTS = (
    "int", "str", "bool", "float", "list", "dict", "bytes", "Any", "list[str]", "str | None",
    "int | None", "Path", "dict[str, int]", "Callable", "set[int]", "tuple", "object", "None",
)  # fmt: skip


def propose(source: Source, rng: Random, *, held_out: bool = False) -> Edit | None:
    """A parameter or a function that has no hint yet."""
    function = some_function(source, rng)
    if function is None:
        return None
    hint, name = rng.choice(_HINTS), quoted(rng, function.name)
    if rng.random() < 0.3:
        span = _return_span(source, function, hint)
        instruction = RETURN.say(rng, held_out=held_out, hint=hint, name=name)
        return None if span is None else edit_of(source, instruction, [span])
    named = (*function.args.posonlyargs, *function.args.args, *function.args.kwonlyargs)
    free = [item for item in named if item.annotation is None and item.arg not in ("self", "cls")]
    if not free:
        return None
    wanted = rng.choice(free)
    end = source.span(wanted)[1]
    # A bare default stands close (``a=1``), that of a hinted parameter does not (``a: int = 1``).
    spaced = source.text[end : end + 1] == "="
    span = Span(end, end + spaced, f": {hint}" + " = " * spaced)
    instruction = PARAMETER.say(
        rng,
        held_out=held_out,
        hint=hint,
        name=name,
        parameter=quoted(rng, wanted.arg),
        bare=wanted.arg,
    )
    return edit_of(source, instruction, [span])


def _return_span(source: Source, function: Function, hint: str) -> Span | None:
    place = source.body_start(function)
    if function.returns is not None or place is None:
        return None
    header = source.text[:place].rstrip()
    return Span(len(header) - 1, len(header) - 1, f" -> {hint}") if header.endswith("):") else None


GENERATOR = Generator(
    name="add-type-hint",
    phrasings=(PARAMETER, RETURN),
    propose=propose,
)
