"""Functions and classes of a Python text that take a parameter of some name, so that ``name=`` in a call of them means it."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from dataclasses import dataclass

from editd.syntax.places import Place
from editd.syntax.python_text import Function, PythonText, written


@dataclass(frozen=True, slots=True)
class Callees:
    """Functions, classes and methods that take a parameter, by their names."""

    functions: frozenset[str] = frozenset()
    methods: tuple[str, ...] = ()

    def take(self, called: str) -> bool:
        """Whether a call of ``called`` may mean the parameter: a function or class of this name
        takes it or, behind a dot, a method of any class.

        Behind ``super()`` two methods of the name must take it. called: with the word before its
        last dot, if any.
        """
        owner, _, name = called.rpartition(".")
        if owner == "super()":  # that of the class itself is not meant
            return self.methods.count(name) > 1
        return name in (self.methods if owner else self.functions)


def callees(name: str, tree: ast.Module) -> Callees:
    """The functions, classes and methods of a Python text that take a parameter ``name``; a class
    takes it if it or a base in this text does.
    """
    classes = {node.name: node for node in ast.walk(tree) if isinstance(node, ast.ClassDef)}
    inside = [x for node in classes.values() for x in node.body if isinstance(x, Function)]
    functions = {
        node.name
        for node in ast.walk(tree)
        if isinstance(node, Function) and node not in inside and _takes(node, name)
    }
    functions |= {
        made for made in classes if any(_makes(x, name) for x in _with_bases(classes, made))
    }
    return Callees(frozenset(functions), tuple(x.name for x in inside if _takes(x, name)))


def is_given_by_name(name: str, python: PythonText, place: Place | None = None) -> bool:
    """Whether somebody gives the parameter ``name`` of a function who knows it by its name alone: a decorator with
    the path "/notes/<name>" or "/notes/{name}", or pytest a fixture to a test or to another fixture.

    A test counts only without a decorator ``patch`` or a ``parametrize`` that lists the name; without ``place``
    also not if the text itself defines a fixture of this name. place: the only definition whose functions count; by
    default all.
    """
    functions = [node for node in ast.walk(python.tree) if isinstance(node, Function)]
    is_fixture = any(
        node.name == name and any("fixture" in written(x) for x in node.decorator_list)
        for node in functions
    )
    in_path = re.compile(rf"[<{{](?:\w+:)?{re.escape(name)}(?::\w+)?[>}}]")
    for node in functions:
        is_meant = place is None or place.start < node.body[0].lineno <= place.end
        if not (is_meant and _takes(node, name)):
            continue
        around = [written(x) for x in node.decorator_list]
        if any(in_path.search(text) for text in around):
            return True
        is_test = node.name.startswith("test_") or any("fixture" in text for text in around)
        is_listed = any("parametrize" in text and name in text for text in around)
        is_listed = is_listed or any("patch" in text for text in around)
        if is_test and not is_listed and (place is not None or not is_fixture):
            return True
    return False


def _takes(function: Function, name: str) -> bool:
    """Whether a function has a parameter of that name."""
    arguments = function.args
    return any(
        x.arg == name for x in (*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs)
    )


def _makes(node: ast.ClassDef, name: str) -> bool:
    """Whether objects of the class are made with ``name``: by its ``__init__``, or as a field of a dataclass."""
    return any(
        (isinstance(x, Function) and x.name in ("__init__", "__new__") and _takes(x, name))
        or (isinstance(x, ast.AnnAssign) and isinstance(x.target, ast.Name) and x.target.id == name)
        for x in node.body
    )


def _with_bases(classes: dict[str, ast.ClassDef], name: str) -> Iterator[ast.ClassDef]:
    """Yield the class and the classes of this file that it inherits from over any number of steps,
    each once; bases with a dot are not followed.
    """
    waiting, known = [name], set[str]()
    while waiting:
        current = waiting.pop()
        if current in classes and current not in known:
            known.add(current)
            yield classes[current]
            waiting += [base.id for base in classes[current].bases if isinstance(base, ast.Name)]
