"""Words that no name may be, and that no docstring may begin with; and class names that mean two things.

A reader is given a name, a signature and a docstring, and has to know what the function does. ``one``, ``told`` or
``kept`` alone say nothing to anybody who does not know the code already, and a pronoun at a docstring's beginning has
nothing to stand for.
"""

import ast
import re
from collections import defaultdict
from functools import cache
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
BANNED = frozenset(
    "one told said meant sure mine here there come gone kept asked wanted heard".split()  # noqa: SIM905
)
PRONOUN = re.compile(
    r"(?:it|its|they|their|theirs|them|that|this|these|those|what|which|who|whose|there|whatever|whichever|whoever"
    r"|one|all|each|every|both|everything|something|nothing|another)\b(?!-)",
    re.IGNORECASE,
)
# Class names that two classes have, and why both keep them.
TWICE = {}


def test_no_name_is_a_banned_word():
    assert {file: found for file, tree in every_source() if (found := banned_names(tree))} == {}


def test_no_docstring_begins_with_a_pronoun():
    assert {
        file: found for file, tree in every_source() if (found := [*vague_docstrings(tree)])
    } == {}


def test_no_name_is_that_of_two_classes():
    files = defaultdict(list)
    for file, tree in sources("editd"):
        for node in ast.walk(tree):
            if isinstance(node, ast.ClassDef):
                files[node.name].append(file)
    assert {
        name: found for name, found in files.items() if len(found) > 1 and name not in TWICE
    } == {}


@pytest.mark.parametrize(
    ("source", "names", "docstrings"),
    [
        ("one = 1", ["one"], []),
        ("def told(said, *, x, _kept): ...", ["told", "said", "_kept"], []),
        ("for here in x: self.gone = y.gone", ["here", "gone"], []),
        ("import a as mine\ntry: f()\nexcept E as asked: g(asked)", ["mine", "asked"], []),
        ("[there for there in x if one]", ["there"], []),
        ("done = one_edit = is_sure = 1", [], []),
        ('"""What it does."""', [], ["What it does."]),
        (
            'class A:\n    """These."""\n    x: int\n    """One of them."""',
            [],
            ["These.", "One of them."],
        ),
        ('"""One edit."""\ndef f(): """Its name."""', [], ["Its name.", "One edit."]),
        ('"""Italic, one of them, or \'that\'."""\nx = "That"', [], []),
    ],
)
def test_what_is_counted(source, names, docstrings):
    tree = ast.parse(source)
    assert sorted(banned_names(tree)) == sorted(names)
    assert sorted(vague_docstrings(tree)) == sorted(docstrings)


@cache
def every_source():
    packages = ("editd", "packages", "benchmarks", "training")
    return [source for package in packages for source in sources(package)]


def sources(package):
    """Each file's path in the checkout, and its syntax tree."""
    for path in sorted((ROOT / package).rglob("*.py")):
        yield path.relative_to(ROOT).as_posix(), ast.parse(path.read_text(encoding="utf-8"))


def banned_names(tree):
    """Names of that kind which a module gives to anything."""
    return [name for node in ast.walk(tree) for name in given_by(node) if name.strip("_") in BANNED]


def given_by(node):
    match node:
        case ast.Name(id=name, ctx=ast.Store()) | ast.Attribute(attr=name, ctx=ast.Store()):
            return [name]
        case ast.arg(arg=name) | ast.alias(asname=str(name)):
            return [name]
        case ast.FunctionDef() | ast.AsyncFunctionDef() | ast.ClassDef():
            return [node.name]
        case (
            ast.ExceptHandler(name=str(name))
            | ast.MatchAs(name=str(name))
            | ast.MatchStar(name=str(name))
        ):
            return [name]
    return []


def vague_docstrings(tree):
    """The first lines of docstrings, of names too, that begin with a pronoun."""
    for node in ast.walk(tree):
        for statement in (
            getattr(node, "body", None) or ()
            if not isinstance(node, ast.Lambda | ast.IfExp)
            else ()
        ):
            match statement:
                case ast.Expr(value=ast.Constant(value=str(text))) if PRONOUN.match(text.strip()):
                    yield text.strip().splitlines()[0]
