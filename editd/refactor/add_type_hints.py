"""Adds several types to a function, or one to a variable or to a parameter that is named without its function.

a.py, "annotate cut: text is str, length int, returns str"::

    def cut(text, length=80):
        return text[:length]

becomes::

    def cut(text: str, length: int = 80) -> str:
        return text[:length]

a.py, "annotate PORT as int"::

    PORT = 80

becomes::

    PORT: int = 80

a.ts, "isDone takes a Todo and returns boolean, add the types"::

    import { Todo } from "./todo";
    export function isDone(t) {
      return t.done;
    }

becomes::

    import { Todo } from "./todo";
    export function isDone(t: Todo): boolean {
      return t.done;
    }
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from editd.intent.intents import AddTypeHint, AddTypeHints
from editd.refactor.add_type_hint import add_type_hint, with_typing
from editd.refactor.candidates import Candidates, Spans, with_spans
from editd.refactor.python_function import only_function
from editd.syntax.code import Code, read_code
from editd.syntax.python_places import parameter_names, type_span, variables_named
from editd.syntax.python_text import Function
from editd.syntax.trees import Node, Tree

_IN_TYPESCRIPT = {
    "str": "string",
    "int": "number",
    "float": "number",
    "bool": "boolean",
    "None": "void",
}
_TYPES = frozenset(
    [
        "string",
        "number",
        "boolean",
        "void",
        "any",
        "unknown",
        "never",
        "object",
        "null",
        "undefined",
        "bigint",
        "symbol",
        "Date",
        "Promise",
        "Record",
        "Array",
        "Map",
        "Set",
    ]
)


def add_type_hints(intent: AddTypeHints, code: Code) -> Candidates | None:
    """The text with all of the types, as a certain candidate, in Python with the imports from ``typing`` that they
    need.

    ``None`` in other languages than Python and TypeScript; if one type has no place or several, or has a name that is
    not known; or if a parameter or result has a type. In Python a variable's type is replaced; TypeScript's variables
    are not looked at. Also ``None`` if the intent has no types, or the function has another number of parameters than
    it says.
    """
    if code.language in ("typescript", "tsx"):
        return _in_typescript(intent, code)
    if code.language != "python":
        return None
    only = only_function(intent.function, code) if intent.function else None
    pairs = _named(intent.hints, parameter_names(only[1]) if only else [])
    found: Candidates | None = None
    for name, hint in pairs or ():
        found = _with_hint(intent.function, name, hint, code)
        if found is None:
            return None
        code = read_code(found.texts[0], "python")
    return found


def _named(
    hints: Sequence[tuple[str, str]], parameters: Sequence[str]
) -> list[tuple[str, str]] | None:
    """The pairs of a name and a type, with the names of parameters in the place of ``*`` (the only one), ``*1/2`` (the
    first of two), ``**`` (all, a pair for each) and ``**3`` (all three); other names, and ``->``, as they are. ``None``
    if there are not as many parameters, or none.
    """
    pairs: list[tuple[str, str]] = []
    for name, hint in hints:
        first, _, last = ("1", "", "1") if name == "*" else name[1:].partition("/")
        if name[0] != "*":
            pairs.append((name, hint))
        elif name.startswith("**"):
            if not parameters or name[2:] not in ("", str(len(parameters))):
                return None
            pairs += [(parameter, hint) for parameter in parameters]
        elif len(parameters) != int(last):
            return None
        else:
            pairs.append((parameters[int(first) - 1], hint))
    return pairs


def _with_hint(function: str, name: str, hint: str, code: Code) -> Candidates | None:
    """The text of Python with one type, as a certain candidate: of a parameter, or of ``->`` for the result.

    Without a ``function``, of the only parameter or variable of this name (never for ``->``). ``None`` if there is none
    or several, the function is not there or not the only one, the place has a type (but for a variable's, which is
    replaced), or a name of the type is not known.
    """
    parameter = "" if name == "->" else name
    if function:
        return add_type_hint(AddTypeHint(function, hint, parameter), code)
    return _with_sought_hint(name, hint, code)


def _with_sought_hint(name: str, hint: str, code: Code) -> Candidates | None:
    """The text with the type of the one variable, or parameter of one function, that is called ``name``, and with the
    imports from ``typing`` that it needs; the type that a variable has is replaced.

    ``None`` if none or several are called so, a function or class is, a parameter has a type, a variable has this one,
    or a name of the type is not known.
    """
    python = code.python
    if python is None or any(found.name == name and found.is_block for found in code.definitions):
        return None
    functions = [node for node in python.definitions() if isinstance(node, Function)]
    having = [node for node in functions if name in parameter_names(node)]
    variables = variables_named(name, python)
    if len(having) + len(variables) != 1:
        return None
    if having:
        return add_type_hint(AddTypeHint(having[0].name, hint, name), code)
    span = type_span(variables[0], python)
    if span is None or code.text[slice(*span)] == hint:
        return None
    written = hint if span[0] < span[1] else f": {hint}"
    return with_typing((python, variables[0]), hint, with_spans(code.text, [(*span, written)]))


def _in_typescript(intent: AddTypeHints, code: Code) -> Candidates | None:
    """The text of TypeScript with all of the types, Python's names for them translated, as a certain candidate.

    ``None`` if the text does not parse, a type has no place or several, its place has a type, or it has a name that is
    neither a basic type's nor in the text; or if the intent says another number of parameters than the only function
    has. Only parameters and results of ``function`` declarations and methods are places; without a function in the
    intent, of all of them.
    """
    tree = code.tree
    if tree is None:
        return None
    functions = [
        node
        for node in tree.nodes("function_declaration", "method_definition")
        if _name_of(node, tree) == intent.function.rpartition(".")[2] or not intent.function
    ]
    spans: Spans = []
    untyped = _untyped(functions[0], tree) if len(functions) == 1 else []
    pairs = _named(intent.hints, untyped)
    if pairs is None:
        return None
    for name, hint in pairs:
        written = _in_typescript_words(hint)
        if len(functions) == 1 and _type_of(functions[0], name, tree) == written:
            continue
        if not all(
            word in _TYPES or re.search(rf"\b{word}\b", code.text)
            for word in re.findall(r"\w+", written)
        ):
            return None
        places = [place for node in functions if (place := _place(node, name, tree)) is not None]
        if len(places) != 1:
            return None
        spans.append((places[0], places[0], f": {written}"))
    return Candidates((with_spans(code.text, spans),), is_certain=True) if spans else None


def _in_typescript_words(hint: str) -> str:
    """A type in the words of TypeScript, also inside others: ``string[]`` for ``list[str]``, ``Record<string, number>``
    for ``dict[str, int]``, ``number | null`` for ``int | None``; a name without a translation as it is.
    """
    if found := re.fullmatch(r"list\[(.+)\]", hint):
        return f"{_in_typescript_words(found[1])}[]"
    if found := re.fullmatch(r"dict\[(.+), (.+)\]", hint):
        return f"Record<{_in_typescript_words(found[1])}, {_in_typescript_words(found[2])}>"
    if found := re.fullmatch(r"(.+) \| None", hint):
        return f"{_in_typescript_words(found[1])} | null"
    return _IN_TYPESCRIPT.get(hint, hint)


def _untyped(function: Node, tree: Tree) -> list[str]:
    """The names of all parameters of a function, in order, with a type or without; empty if one is not plain, or it has
    none.
    """
    parameters = function.child_by_field_name("parameters")
    patterns = [
        child.child_by_field_name("pattern")
        for child in (parameters.named_children if parameters is not None else ())
    ]
    names = [tree.code(pattern) for pattern in patterns if pattern is not None]
    return names if len(names) == len(patterns) else []


def _name_of(node: Node, tree: Tree) -> str:
    """The name of a function or method; empty if it has none."""
    name = node.child_by_field_name("name")
    return tree.code(name) if name is not None else ""


def _type_of(function: Node, name: str, tree: Tree) -> str:
    """The type that a parameter of a function has; empty for none."""
    parameters = function.child_by_field_name("parameters")
    for child in parameters.named_children if parameters is not None else ():
        pattern, hint = child.child_by_field_name("pattern"), child.child_by_field_name("type")
        if pattern is not None and hint is not None and tree.code(pattern) == name:
            return tree.code(hint).removeprefix(":").strip()
    return ""


def _place(function: Node, name: str, tree: Tree) -> int | None:
    """The offset where the type of the parameter ``name`` goes, or of the result (``->``); ``None`` if there is none,
    it is optional (``?``), or a type is there.
    """
    parameters = function.child_by_field_name("parameters")
    if parameters is None:
        return None
    if name == "->":
        has_type = function.child_by_field_name("return_type") is not None
        return None if has_type else tree.span(parameters)[1]
    found = [child for child in parameters.named_children if child.type == "required_parameter"]
    patterns = [(child, child.child_by_field_name("pattern")) for child in found]
    fitting = [
        (child, pattern)
        for child, pattern in patterns
        if pattern is not None and tree.code(pattern) == name
    ]
    if len(fitting) != 1 or fitting[0][0].child_by_field_name("type") is not None:
        return None
    return tree.span(fitting[0][1])[1]
