"""Which calls mean a parameter of this file by ``name=``: those of its functions, methods and classes that take it."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass

from editd.instruction.python_text import Function


@dataclass(frozen=True, slots=True)
class Callees:
    """What takes the name as a parameter: functions and classes by their names, and methods."""

    functions: frozenset[str] = frozenset()
    methods: tuple[str, ...] = ()

    def take(self, called: str) -> bool:
        """``called``: with the last word before its dot."""
        owner, _, name = called.rpartition(".")
        if owner == "super()":  # that of the class itself is not meant
            return self.methods.count(name) > 1
        return name in (self.methods if owner else self.functions)


def callees(name: str, tree: ast.Module) -> Callees:
    """What of a Python text takes ``name``."""
    classes = {node.name: node for node in ast.walk(tree) if isinstance(node, ast.ClassDef)}
    inside = [one for node in classes.values() for one in node.body if isinstance(one, Function)]
    functions = {
        node.name
        for node in ast.walk(tree)
        if isinstance(node, Function) and node not in inside and _takes(node, name)
    }
    functions |= {
        made for made in classes if any(_makes(one, name) for one in _with_bases(classes, made))
    }
    return Callees(frozenset(functions), tuple(one.name for one in inside if _takes(one, name)))


def _takes(function: Function, name: str) -> bool:
    given = function.args
    return any(one.arg == name for one in (*given.posonlyargs, *given.args, *given.kwonlyargs))


def _makes(node: ast.ClassDef, name: str) -> bool:
    """Whether objects of the class are made with ``name``: by its ``__init__``, or as a field of a dataclass."""
    return any(
        (isinstance(one, Function) and one.name in ("__init__", "__new__") and _takes(one, name))
        or (
            isinstance(one, ast.AnnAssign)
            and isinstance(one.target, ast.Name)
            and one.target.id == name
        )
        for one in node.body
    )


def _with_bases(classes: dict[str, ast.ClassDef], name: str) -> Iterator[ast.ClassDef]:
    """The class and those of this file that it inherits from."""
    waiting, known = [name], set[str]()
    while waiting:
        one = waiting.pop()
        if one in classes and one not in known:
            known.add(one)
            yield classes[one]
            waiting += [base.id for base in classes[one].bases if isinstance(base, ast.Name)]
