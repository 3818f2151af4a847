"""Add an import: before the first import, after a docstring or ``__future__``, else at the top."""

from __future__ import annotations

import ast
from random import Random

from training.families.edit import Edit, Generator, Span, edit_of
from training.families.source import Source, docstring_of
from training.families.wording import WORDS, Phrasings, quoted

PLAIN = Phrasings(
    training=(
        "import {module}",
        "import {module} at the top",
        "add import {module}",
        "add import {module} at the top",
        "add an import of {module}",
        "add an import for {module}",
        "add the import {module}",
        "add `import {bare}`",
        "import the module {module}",
        "insert import {module} at the top",
        "put an import for {module} at the start",
    ),
    held_out=(
        "insert an import of {module}",
        "put import {bare} at the top",
        "add {module} import",
    ),
)
NAMED = Phrasings(
    training=(
        "import {name} from {module}",
        "add from {module} import {name}",
        "add an import of {name} from {module}",
        "from {module} import {name}",
        "add `from {bare} import {name}`",
        "insert from {module} import {name} at the top",
        "put an import of {name} from {module} at the start",
    ),
    held_out=("import {name} from {module} at the top", "put from {bare} import {name} at the top"),
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
