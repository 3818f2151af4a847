"""Add a logging call at the start of a function, after its docstring."""

from __future__ import annotations

from random import Random

from editd.syntax.python_text import docstring_of
from training.families.add_docstring import some_function
from training.families.edit import Edit, Generator, Span, edit_of
from training.families.source import Function, Source
from training.families.wording import Phrasings, quoted

PLAIN = Phrasings(
    training=(
        "[add|insert|put] a [logging call|log message|log statement|log line|log call] [at the start of|to|in|at the top of|into] {name}",
        "log when {name} is called",
        "[add|insert|put] logging [to|in|into] {name}",
        "log [|all ]calls [to|of] {name}",
        "log every call [of|to] {name}",
        "{name} should [log|log its calls|log when it is called]",
        "{name} needs a [log call|log message|logging call]",
        "I want to [see|know] in the log when {name} is called",
    ),
    held_out=(
        "make {name} log when it is called",
        "each call to {name} has to be logged",
        "let {name} write a log message",
    ),
)
LEVEL = Phrasings(
    training=(
        "[add|insert|put] a [logging.{level}|logging {level}|log.{level}] [call|line] [at the start of|to|in|at the top of] {name}",
        "add logging.{level} [at the start of|to] {name}",
        "log [at level {level}|a {level} message|with level {level}] when {name} is called",
        "log calls to {name} [at level|with level] {level}",
        "{name} should log [at level {level}|a {level} message]",
    ),
    held_out=(
        "make {name} log at level {level} when it is called",
        "each call to {name} has to be logged at level {level}",
    ),
)


def propose(source: Source, rng: Random, *, held_out: bool = False) -> Edit | None:
    """``logging.debug("name called")``, or the level that is asked for."""
    function = some_function(source, rng)
    place = None if function is None else first_line_place(source, function)
    if function is None or place is None:
        return None
    level, name = "debug", quoted(rng, function.name)
    if rng.random() < 0.5:
        instruction = PLAIN.say(rng, held_out=held_out, name=name)
    else:
        level = rng.choice(("debug", "info", "warning", "error"))
        instruction = LEVEL.say(rng, held_out=held_out, name=name, level=level)
    line = f'{source.indent_of_body(function)}logging.{level}("{function.name} called")\n'
    return edit_of(source, instruction, [Span(place, place, line)])


def first_line_place(source: Source, function: Function) -> int | None:
    """Offset of the line where a body's first statement goes: after a docstring."""
    docstring = docstring_of(function)
    if docstring is None:
        return source.body_start(function)
    end = docstring.end_lineno or docstring.lineno
    if docstring.lineno == function.lineno:
        return None
    if len(function.body) > 1 and function.body[1].lineno == end:
        return None
    place = source.line_start(end + 1)
    return place if source.text[place - 1] == "\n" else None


GENERATOR = Generator(
    name="add-logging",
    phrasings=(PLAIN, LEVEL),
    propose=propose,
)
