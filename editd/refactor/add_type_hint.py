"""Adds a type to a parameter of a Python function, or to its result, and the import from ``typing`` that it needs.

a.py, "annotate size of load as Optional[int]"::

    def load(path, size=None):
        return path

becomes::

    from typing import Optional

    def load(path, size: Optional[int] = None):
        return path
"""

from __future__ import annotations

import re
import typing

from editd.intent.intents import AddImport, AddTypeHint
from editd.refactor.add_import import add_import
from editd.refactor.candidates import Candidates, with_spans
from editd.refactor.python_function import header_colon, only_function
from editd.syntax.code import Code, read_code
from editd.syntax.python_scopes import names_in_type, names_known_to
from editd.syntax.python_text import Function, PythonText, Statement
from editd.syntax.python_tree import is_type


def add_type_hint(intent: AddTypeHint, code: Code) -> Candidates | None:
    """The text with the type, and the import from ``typing`` that it needs, as a certain candidate; the result's type
    if the intent names no parameter.

    ``None`` if not exactly one function has the name, it has no such parameter or that (or the result) has a type, the
    hint is no type whose names are known, or the import has no place.
    """
    text = code.text
    only = only_function(intent.function, code)
    if only is None or not is_type(intent.hint):
        return None
    python, function = only
    if not intent.parameter:
        colon = header_colon(python, function)
        if function.returns is not None or colon is None:
            return None
        return with_typing(
            only, intent.hint, with_spans(text, [(colon, colon, f" -> {intent.hint}")])
        )
    arguments = function.args
    named = [*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs]
    named += [argument for argument in (arguments.vararg, arguments.kwarg) if argument]
    found = [argument for argument in named if argument.arg == intent.parameter.lstrip("*")]
    if len(found) != 1 or found[0].annotation is not None:
        return None
    end = python.span(found[0])[1]
    # A bare default stands close (``a=1``), that of a parameter with a type does not (``a: int = 1``).
    default = re.compile(r"[ \t]*=[ \t]*").match(text, end)
    span = (end, default.end() if default else end, f": {intent.hint}" + " = " * bool(default))
    return with_typing(only, intent.hint, with_spans(text, [span]))


def with_typing(
    only: tuple[PythonText, Function | Statement], hint: str, new: str
) -> Candidates | None:
    """``new`` with an import for each name of ``hint`` that is from ``typing`` and not known yet, as a certain
    candidate; ``None`` if another name of it is unknown, or an import cannot be added. After a star import any name
    counts as known.

    only: the text before the change, and the function or statement that gets the type, at which the names have to be
    known.
    """
    python, node = only
    known = names_known_to(node, python)
    for name in names_in_type(hint):
        if not {name, "*"} & known:
            found = (
                add_import(AddImport("typing", name), read_code(new, "python"))
                if name in typing.__all__
                else None
            )
            if found is None:
                return None
            known.add(name)
            new = found.texts[0]
    return Candidates((new,), is_certain=True)
