"""Add a docstring to a function: given words, else the words of its name."""

from __future__ import annotations

from random import Random

from editd.syntax.python_text import docstring_of
from training.families.edit import Edit, Generator, Span, edit_of
from training.families.source import Function, Source
from training.families.wording import WORDS, Phrasings, quoted, words_of

GIVEN = Phrasings(
    training=(
        "add [a|the|] docstring {text} [to|for] {name}",
        "add docstring {text} to function {name}",
        "document {name} with {text}",
        "give {name} the docstring {text}",
        "add a docstring to {name}: {text}",
        "[insert|put] the docstring {text} [in|into] {name}",
        "write a docstring for {name}: {text}",
        "{name} needs the docstring {text}",
        "the docstring of {name} [should|must] be {text}",
        "use {text} as the docstring of {name}",
    ),
    held_out=(
        "let {text} be the docstring of {name}",
        "describe {name} with the docstring {text}",
    ),
)
FREE = Phrasings(
    training=(
        "add [a|] docstring [to|for|in] [|the function |the method ]{name}",
        "document [|the function |the method ]{name}",
        "write [a|the] docstring for {name}",
        "give {name} a docstring",
        "[put|insert] a docstring [into|in|for] {name}",
        "{name} needs a docstring[|, add one|, write one]",
        "{name} has no docstring, [add one|write one]",
        "{name} should have a docstring",
        "document what {name} does",
    ),
    held_out=(
        "{name} lacks a docstring",
        "describe {name} in a docstring",
        "I want {name} documented",
    ),
)


def propose(source: Source, rng: Random, *, held_out: bool = False) -> Edit | None:
    """A function without a docstring whose header ends its line."""
    function = some_function(source, rng)
    if function is None or docstring_of(function):
        return None
    place = source.body_start(function)
    if place is None:
        return None
    name = quoted(rng, function.name)
    if rng.random() < 0.5:
        text = " ".join(rng.choice(WORDS) for _ in range(rng.randint(1, 6)))
        text = f"{text.capitalize()}." if rng.random() < 0.7 else text
        mark = rng.choice('""\'')
        instruction = GIVEN.say(rng, held_out=held_out, text=f"{mark}{text}{mark}", name=name)
    else:
        text = docstring_words(function.name)
        instruction = FREE.say(rng, held_out=held_out, name=name)
    line = f'{source.indent_of_body(function)}"""{text}"""\n'
    return edit_of(source, instruction, [Span(place, place, line)])


def docstring_words(name: str) -> str:
    """``load_user`` → ``Load user.``: all that is known of it."""
    return f"{' '.join(words_of(name)) or 'to do'}.".capitalize()


def some_function(source: Source, rng: Random) -> Function | None:
    """A function whose name no other has."""
    if not source.functions:
        return None
    function = rng.choice(source.functions)
    alike = sum(other.name == function.name for other in source.functions)
    return function if alike == 1 else None


GENERATOR = Generator(
    name="add-docstring",
    phrasings=(GIVEN, FREE),
    propose=propose,
)
