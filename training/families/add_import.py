"""Add an import: before the first import, after a docstring or ``__future__``, else at the top."""

from __future__ import annotations

import ast
from random import Random

from editd.syntax.python_text import docstring_of
from training.families.edit import Edit, Generator, Span, edit_of
from training.families.source import Source
from training.families.wording import WORDS, Phrasings, quoted

PLAIN = Phrasings(
    training=(
        "import {module}[| at the top]",
        "[add|insert] import {module}[| at the top| at the start]",
        "[add|insert|put] [an|the] import [of|for] {module}[| at the top| at the start]",
        "add the import {module}",
        "add `import {bare}`",
        "import the module {module}",
        "put [|an |the ]import {bare} at the [top|start]",
        "[add|insert] [|the ]{module} import",
        "the [import|import of|import for] {module} is missing, add it",
        "{module} is not imported, [add the import|import it]",
        "{module} [should|must] be imported",
        "we need {module}, import it",
        "this file needs [|to ]import {bare}",
        "load the module {module}",
        "make the module {module} available[| here]",
        "{module} is used [here|below], [import it|add its import]",
        "have {module} imported",
    ),
    held_out=(
        "{module} has to be imported",
        "bring in {module}",
        "I need the module {module} here",
    ),
)
NAMED = Phrasings(
    training=(
        "import {name} from {module}[| at the top]",
        "[add|insert|put] from {module} import {name}[| at the top]",
        "[add|insert|put] [an|the] import of {name} from {module}[| at the top| at the start]",
        "from {module} import {name}",
        "add `from {bare} import {name}`",
        "{name} from {module} is not imported, import it",
        "{name} [should|must] be imported from {module}",
        "we need {name} from {module}, import it",
        "make {name} from {module} available[| here]",
        "{name} from {module} is used [here|below], [import it|add its import]",
    ),
    held_out=(
        "{name} has to be imported from {module}",
        "bring in {name} from {module}",
    ),
)

_MODULES_TEXT = """
    os sys re json time logging math random asyncio functools itertools collections pathlib
    typing subprocess threading shutil tempfile datetime dataclasses contextlib argparse csv
    copy enum hashlib io operator pickle queue socket string struct textwrap traceback types
    uuid warnings weakref numpy os.path collections.abc urllib.parse concurrent.futures
    xml.etree.ElementTree
"""
_MODULES = tuple(_MODULES_TEXT.split())


def propose(source: Source, rng: Random, *, held_out: bool = False) -> Edit | None:
    """A module that is not imported yet."""
    module = rng.choice(_MODULES)
    if rng.random() < 0.2:
        module = "_".join(rng.choice(WORDS) for _ in range(rng.randint(1, 2)))
    if source.text[:1] in (" ", "\t") or f"import {module}" in source.text:
        return None
    if rng.random() < 0.35:
        name = rng.choice(WORDS)
        name = rng.choice((name, name.capitalize(), f"{name}_{rng.choice(WORDS)}"))
        if f"from {module} import" in source.text:
            return None
        line = f"from {module} import {name}\n"
        instruction = NAMED.say(rng, held_out=held_out, module=module, bare=module, name=name)
    else:
        line = f"import {module}\n"
        instruction = PLAIN.say(rng, held_out=held_out, module=quoted(rng, module), bare=module)
    place = import_place(source)
    return None if place is None else edit_of(source, instruction, [Span(place, place, line)])


def import_place(source: Source) -> int | None:
    """Offset of the line where a new import goes; ``None`` after an unfinished last line."""
    after = 1
    docstring = docstring_of(source.tree)
    for statement in source.body:
        if statement is docstring or _is_future(statement):
            after = (statement.end_lineno or statement.lineno) + 1
        elif isinstance(statement, ast.Import | ast.ImportFrom):
            return source.line_start(statement.lineno)
    place = source.line_start(after)
    return place if place == 0 or source.text[place - 1] == "\n" else None


def _is_future(statement: ast.stmt) -> bool:
    return isinstance(statement, ast.ImportFrom) and statement.module == "__future__"


GENERATOR = Generator(
    name="add-import",
    phrasings=(PLAIN, NAMED),
    propose=propose,
    weight=0.7,
)
