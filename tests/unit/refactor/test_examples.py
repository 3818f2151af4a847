"""Texts before and after that stand in the docstrings of transformations are what is computed."""

import ast
import re
from pathlib import Path
from textwrap import dedent

import pytest

import editd.refactor
from editd.messages import EditRequest
from editd.refactor.computed import compute_edit

FOLDER = Path(editd.refactor.__file__).parent
SHARED = {"amounts", "brace_function", "built_names", "candidates", "chosen_things", "cited_calls", "comment_marks", "composing", "computed", "condition_words", "declarations", "described_lines", "described_places", "described_statement", "entries", "facts", "inherited", "literals", "locations", "loggers", "masked", "name_clashes", "named_lists", "old_values", "prints", "python_function", "python_turned_if", "readings", "receivers", "sides", "spots", "style_names", "target_fit", "things", "transform", "tree_turned_if", "turned_if", "used_imports", "used_names", "uses", "values", "word_stems"}  # fmt: skip
EXAMPLE = re.compile(
    r"^(?P<path>\S+), \"(?P<instruction>.+)\"::\n\n(?P<before>(?:[ ]{4}.*\n|\n)+?)\nbecomes::\n\n(?P<after>(?:[ ]{4}.*\n|\n)+?(?=\S|\n*\Z))",
    re.MULTILINE,
)


def examples():
    for file in sorted(FOLDER.glob("*.py")):
        docstring = ast.get_docstring(ast.parse(file.read_text(encoding="utf-8"))) or ""
        for found in EXAMPLE.finditer(f"{docstring}\n"):
            texts = (dedent(found[part]).strip("\n") + "\n" for part in ("before", "after"))
            yield file.stem, found["path"], found["instruction"], *texts


EXAMPLES = list(examples())


@pytest.mark.parametrize(("name", "path", "instruction", "before", "after"), EXAMPLES)
def test_an_example_is_what_is_computed(name, path, instruction, before, after):
    result = compute_edit(EditRequest("1", before, instruction, path=path))
    assert result is not None
    assert result.text == after


def test_each_transformation_has_an_example():
    files = {file.stem for file in FOLDER.glob("*.py")} - SHARED - {"__init__"}
    assert files == {name for name, *_ in EXAMPLES}
