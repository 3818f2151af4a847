"""Change nothing: told so, or because there is nothing to do."""

from __future__ import annotations

from random import Random

from editd.syntax.python_text import docstring_of
from training.families import (
    add_docstring,
    add_import,
    add_type_hint,
    delete_comments,
    delete_function,
    delete_prints,
    f_strings,
    rename,
    replace_number,
    replace_string,
)
from training.families.edit import Edit, Generator
from training.families.source import Source
from training.families.wording import (
    Phrasings,
    new_name,
    quoted,
    some_number,
    some_text,
)

PHRASINGS = Phrasings(
    training=(
        "do nothing",
        "[no change|no changes] needed",
        "[leave|keep] [the code|it|this|the file|everything] [as it is|as is|unchanged|alone]",
        "make no [changes|edits]",
        "[change|edit] nothing",
        "[don't|do not] [change|edit|touch] anything",
        "this [is fine|is good|is right] as it is",
    ),
    held_out=(
        "it can stay as it is",
        "nothing needs to be done",
        "let everything be as it is",
    ),
)


def propose(source: Source, rng: Random, *, held_out: bool = False) -> Edit | None:
    """Propose, for one of several reasons, to leave the text as it is."""
    ways = [_stays, _absent_name, _absent_name, _absent_string, _absent_number, _none_there]
    if source.is_python:
        ways += [_absent_function, _imported, _documented, _hinted]
    instruction = rng.choice(ways)(source, rng, held_out=held_out)
    return Edit(instruction, source.text, source.text) if instruction else None


def _stays(_source: Source, rng: Random, *, held_out: bool) -> str:
    return PHRASINGS.say(rng, held_out=held_out)


def _absent_name(source: Source, rng: Random, *, held_out: bool) -> str:
    old = new_name(rng.choice(sorted(source.words) or ["x"]), rng, source.words)
    new = new_name(old, rng, {*source.words, old})
    kind = rng.choice(("", "", "variable", "function", "the class"))
    return rename.instruction_for(kind, old, new, rng, held_out=held_out)


def _absent_string(source: Source, rng: Random, *, held_out: bool) -> str:
    old, new = some_text(rng), some_text(rng)
    if old in source.text or old == new:
        return ""
    return replace_string.PHRASINGS.say(rng, held_out=held_out, old=f'"{old}"', new=f'"{new}"')


def _absent_number(source: Source, rng: Random, *, held_out: bool) -> str:
    old, new = some_number(rng), some_number(rng)
    if old in source.text or old == new:
        return ""
    return replace_number.ALL.say(rng, held_out=held_out, old=old, new=new)


def _none_there(source: Source, rng: Random, *, held_out: bool) -> str:
    kinds = {token.kind for token in source.tokens}
    choices = []
    if "comment" not in kinds:
        choices.append(delete_comments.PHRASINGS)
    if "print" not in source.text.lower() and "console.log" not in source.text:
        choices.append(delete_prints.PHRASINGS)
    if source.is_python and f_strings.f_string_spans(source) == [] and "%" not in source.text:
        choices.append(f_strings.PHRASINGS)
    return rng.choice(choices).say(rng, held_out=held_out) if choices else ""


def _absent_function(source: Source, rng: Random, *, held_out: bool) -> str:
    name = new_name(rng.choice(sorted(source.words) or ["x"]), rng, source.words)
    return delete_function.PHRASINGS.say(
        rng,
        held_out=held_out,
        kind=rng.choice(("function ", "class ", "method ")),
        name=quoted(rng, name),
    )


def _imported(source: Source, rng: Random, *, held_out: bool) -> str:
    lines = [line for line in source.lines if line.startswith("import ")]
    modules = [line.removeprefix("import ") for line in lines]
    modules = [module for module in modules if module.replace(".", "").isidentifier()]
    if not modules:
        return ""
    module = rng.choice(modules)
    return add_import.PLAIN.say(rng, held_out=held_out, module=quoted(rng, module), bare=module)


def _documented(source: Source, rng: Random, *, held_out: bool) -> str:
    function = add_docstring.some_function(source, rng)
    if function is None or docstring_of(function) is None:
        return ""
    return add_docstring.FREE.say(rng, held_out=held_out, name=quoted(rng, function.name))


def _hinted(source: Source, rng: Random, *, held_out: bool) -> str:
    function = add_docstring.some_function(source, rng)
    if function is None:
        return ""
    hinted = [item for item in function.args.args if item.annotation is not None]
    hints = [source.code(item.annotation) for item in hinted if item.annotation is not None]
    found = [pair for pair in zip(hinted, hints, strict=True) if len(pair[1]) < 20]
    if not found:
        return ""
    parameter, hint = rng.choice(found)
    return add_type_hint.PARAMETER.say(
        rng,
        held_out=held_out,
        hint=hint,
        name=quoted(rng, function.name),
        parameter=quoted(rng, parameter.arg),
        bare=parameter.arg,
    )


GENERATOR = Generator(
    name="no-change",
    phrasings=(PHRASINGS,),
    propose=propose,
    weight=2.0,
)
