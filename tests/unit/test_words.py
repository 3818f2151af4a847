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
    # not "One edit as an editor asks for it"
    r"|ones?(?= (?:of|that|which|who|whose|for|with|without|in|on|from|to|by|as|at|more|after|before|behind|not|is|was)\b|\s*[^\w\s]|\s*\Z)"
    r")\b(?!-)",
    re.IGNORECASE,
)
# Rooms that are not cleaned yet, with how many names and docstrings of each are banned. These only shrink;
# ``python -m tests.unit.test_words`` prints the table of today.
NOT_YET = {
    "editd/intent": (0, 8),
    "editd/refactor": (0, 4),
}
# Class names that two classes have, and why both keep them.
TWICE = {}


@pytest.mark.parametrize("kind", [0, 1], ids=["names", "docstrings"])
def test_clean_rooms_stay_clean_and_the_others_get_no_more_banned_words(kind):
    found = {room: counts[kind] for room, counts in today().items()}
    assert {room: words for room, words in found.items() if words and room not in NOT_YET} == {}
    # All together, since files move between rooms.
    left = sum(len(words) for words in found.values())
    assert left <= sum(counts[kind] for counts in NOT_YET.values())


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
        ('"""One edit."""\ndef f(): """Its name."""', [], ["Its name."]),
        ('"""Italic, one of them, or \'that\'."""\nx = "That"', [], []),
    ],
)
def test_what_is_counted(source, names, docstrings):
    tree = ast.parse(source)
    assert sorted(banned_names(tree)) == sorted(names)
    assert sorted(vague_docstrings(tree)) == sorted(docstrings)


@cache
def today():
    """By room: the banned names with their files and lines, and the docstrings that begin with a pronoun."""
    found = defaultdict(lambda: ([], []))
    for package in ("editd", "packages", "benchmarks", "training"):
        for file, tree in sources(package):
            found[room_of(file)][0].extend(f"{file}: {name}" for name in banned_names(tree))
            found[room_of(file)][1].extend(f"{file}: {text}" for text in vague_docstrings(tree))
    return found


def sources(package):
    """Each file's path in the checkout, and its syntax tree."""
    for path in sorted((ROOT / package).rglob("*.py")):
        yield path.relative_to(ROOT).as_posix(), ast.parse(path.read_text(encoding="utf-8"))


def room_of(file):
    """The folder of a file, of two names at most; of three among models and frontends."""
    names = file.split("/")[:-1]
    return "/".join(names[: 3 if names[1:2] in (["models"], ["frontends"]) else 2])


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


if __name__ == "__main__":
    print("NOT_YET = {")
    for room, (names, docstrings) in sorted(today().items()):
        if names or docstrings:
            print(f'    "{room}": ({len(names)}, {len(docstrings)}),')
    print("}")
