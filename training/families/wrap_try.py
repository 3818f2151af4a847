"""Wrap a function's body in try/except; its docstring stays outside."""

from __future__ import annotations

from random import Random

from editd.syntax.python_text import docstring_of
from training.families.add_docstring import some_function
from training.families.add_logging import first_line_place
from training.families.edit import Edit, Generator, Span, edit_of
from training.families.source import Source
from training.families.wording import Phrasings, quoted

PLAIN = Phrasings(
    training=(
        "[wrap|put|enclose|surround] [|the body of |the whole body of ]{name} [in|with|inside] [|a ]try/except[| block]",
        "[add|put] [|a ]try/except [to|in|around the body of] {name}",
        "add error handling to {name} with try/except",
        "the body of {name} [should|must] be in [|a ]try/except[| block]",
        "{name} needs a try/except[| around its body]",
    ),
    held_out=(
        "guard the body of {name} with try/except",
        "let a try/except enclose the body of {name}",
    ),
)
CAUGHT = Phrasings(
    training=(
        "[wrap|put|enclose|surround] [|the body of ]{name} [in|with|inside] [|a ]try/except[ for|] {error}",
        "[catch|handle] {error} in {name}",
        "add try/except {error} to {name}",
        "{name} should [catch|handle] {error}",
        "{name} needs a try/except for {error}",
    ),
    held_out=(
        "guard {name} against {error}",
        "let {name} catch {error}",
    ),
)
RETURNING = Phrasings(
    training=(
        "[catch|handle] {error} in {name} and return {value}",
        "[wrap|surround|put|enclose] [|the body of ]{name} [in|with] [|a ]try/except [|for ]{error} and return {value}",
        "{name} should return {value} on {error}",
        "on {error} in {name} return {value}",
        "{name} should [catch|handle] {error} and return {value}",
        "return {value} [from|in] {name} on {error}",
    ),
    held_out=(
        "let {name} return {value} when {error} is raised",
        "if {error} is raised in {name}, return {value}",
    ),
)

_ERRORS = ("ValueError", "KeyError", "OSError", "TypeError", "RuntimeError", "Exception")
_VALUES = ("None", "False", "0", "[]", "True", '""', "{}")


def propose(source: Source, rng: Random, *, held_out: bool = False) -> Edit | None:
    """Logs and raises again, unless a value to return is named."""
    function = some_function(source, rng)
    if function is None or source.text[-1:] != "\n":
        return None
    place = first_line_place(source, function)
    body = function.body[1:] if docstring_of(function) else function.body
    if place is None or not body:
        return None
    end = source.line_start((function.end_lineno or function.lineno) + 1)
    text = source.text[place:end]
    if not 0 < text.count("\n") < 40 or _has_long_strings(source, place, end):
        return None
    indent = source.indent_of_body(function)
    error, name = "Exception", quoted(rng, function.name)
    answer = f'{indent}    logging.exception("{function.name} failed")\n{indent}    raise\n'
    kind = rng.random()
    if kind < 0.45:
        instruction = PLAIN.say(rng, held_out=held_out, name=name)
    elif kind < 0.75:
        error = rng.choice(_ERRORS)
        instruction = CAUGHT.say(rng, held_out=held_out, name=name, error=error)
    else:
        error, value = rng.choice(_ERRORS), rng.choice(_VALUES)
        answer = f"{indent}    return {value}\n"
        instruction = RETURNING.say(rng, held_out=held_out, name=name, error=error, value=value)
    spans = [Span(place, place, f"{indent}try:\n")]
    position = place
    for line in text.splitlines(keepends=True):
        if line.strip():
            spans.append(Span(position, position, "    "))
        position += len(line)
    spans.append(Span(end, end, f"{indent}except {error}:\n{answer}"))
    # The first two stand at one place: one span, so that their order is certain.
    first, second, *rest = spans
    return edit_of(source, instruction, [Span(place, place, first.text + second.text), *rest])


def _has_long_strings(source: Source, start: int, end: int) -> bool:
    """Whether a string goes over line ends, which indenting would change."""
    return any(
        '"""' in source.text[start:end] or "'''" in source.text[start:end] or "\n" in token.text
        for token in source.tokens
        if token.kind == "string" and start <= token.start < end
    )


GENERATOR = Generator(
    name="wrap-try",
    phrasings=(PLAIN, CAUGHT, RETURNING),
    propose=propose,
)
