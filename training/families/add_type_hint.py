"""Add a type hint to a parameter, or a return type."""

from __future__ import annotations

from random import Random

from training.families.add_docstring import some_function
from training.families.edit import Edit, Generator, Span, edit_of
from training.families.source import Function, Source
from training.families.wording import Phrasings, quoted

PARAMETER = Phrasings(
    training=(
        "[add|put] [|a |the ][type hint|type annotation|type|annotation] {hint} [to|on|for] [|parameter |argument |the parameter ]{parameter} [of|in] {name}",
        "[annotate|type|hint] [|parameter |the parameter |argument ]{parameter} [of|in] {name} as {hint}",
        "annotate [|parameter ]{parameter} as {hint} in {name}",
        "{parameter} in {name} is {hint}, add the [type hint|annotation]",
        "add the annotation {bare}: {hint} to {name}",
        "give [|parameter |argument ]{parameter} [of|in] {name} the type [|hint ]{hint}",
        "the type of {parameter} in {name} is {hint}, annotate it",
        "append the hint {hint} to argument {parameter} of {name}",
        "{parameter} [of|in] {name} [should|must] [be|be annotated as|have the type] {hint}",
        "in {name}, annotate {parameter} as {hint}",
    ),
    held_out=(
        "declare {parameter} of {name} as {hint}",
        "in {name}, {parameter} is of type {hint}: say so",
        "let {parameter} of {name} have the type {hint}",
    ),
)
RETURN = Phrasings(
    training=(
        "[add|put] [|a |the ][return type|return type hint|return annotation] {hint} [to|on|for] {name}",
        "annotate {name} as returning {hint}",
        "{name} returns {hint}, add the [annotation|type hint]",
        "add -> {hint} to {name}",
        "annotate the return [value|type] of {name} as {hint}",
        "the return type of {name} is {hint}, annotate it",
        "set the return type of {name} to {hint}",
        "give {name} the return type {hint}",
        "the return type of {name} [should|must] be {hint}",
        "{name} should return {hint}, annotate it",
    ),
    held_out=(
        "declare that {name} returns {hint}",
        "let the return type of {name} be {hint}",
    ),
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
    parameter = rng.choice(free)
    end = source.span(parameter)[1]
    # A bare default stands close (``a=1``), that of a hinted parameter does not (``a: int = 1``).
    spaced = source.text[end : end + 1] == "="
    span = Span(end, end + spaced, f": {hint}" + " = " * spaced)
    instruction = PARAMETER.say(
        rng,
        held_out=held_out,
        hint=hint,
        name=name,
        parameter=quoted(rng, parameter.arg),
        bare=parameter.arg,
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
