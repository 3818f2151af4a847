"""Adds a parameter with any default to a function, and puts it where its default stood, if it is to be used.

a.py, "add delay=0.5 to send and use it for the sleep"::

    def send(users):
        limit(0.5)
        time.sleep(0.5)

becomes::

    def send(users, delay=0.5):
        limit(0.5)
        time.sleep(delay)

a.js, "add a parameter sep = "-" to join and use it"::

    function join(parts) {
      return parts.join("-");
    }

becomes::

    function join(parts, sep = "-") {
      return parts.join(sep);
    }
"""

from __future__ import annotations

import re
from dataclasses import replace
from typing import TypeVar

from editd.intent.intents import AddParameter, IntroduceParameter
from editd.intent.word_forms import words_in
from editd.refactor.add_parameter import add_parameter, with_item
from editd.refactor.candidates import Candidates, with_spans
from editd.refactor.python_function import only_function
from editd.syntax.code import Code, read_code
from editd.syntax.language import SCRIPTS
from editd.syntax.python_places import (
    Places,
    dictionaries_in,
    parameter_names,
    passed_to,
    places_of,
)
from editd.syntax.python_text import Function, PythonText
from editd.syntax.python_tree import parse_expression
from editd.syntax.trees import Node, Tree, nodes_in

T = TypeVar("T")
_NAMED = 2  # the name of a dictionary says more than one of its keys
_LOOPS = ("loop", "for loop", "range", "iteration", "while loop")

_CONSTANTS = ("None", "True", "False", "null", "undefined")


def introduce_parameter(intent: IntroduceParameter, code: Code) -> Candidates | None:
    """The text with the parameter after the others, as a certain candidate. If it is to be used, it takes the place of
    its default in the body; calls of ``intent.callee`` get it.

    ``None`` in languages other than Python, JavaScript and TypeScript; if not exactly one function has the name, or its
    parameters are not plain; if the intent wants it at another place than the last; if the parameter's name is used in
    it; if the default is a name that the text does not have; if it is to be used and not exactly one place in the body
    has the default; if the callee is never called, or in JavaScript and TypeScript if one is named; and for a type in
    JavaScript.
    """
    if re.fullmatch(r"[^\W\d]\w*", intent.default) and not _is_known(intent.default, code):
        return None
    if code.language == "python":
        return _in_python(intent, code)
    return _in_script(intent, code) if code.language in SCRIPTS else None


def _is_known(name: str, code: Code) -> bool:
    """Whether a default is a constant of the language, or a name of the text."""
    return (
        name in ("None", "True", "False", "null", "undefined", "true", "false")
        or name in code.names
    )


def _in_python(intent: IntroduceParameter, code: Code) -> Candidates | None:
    """The Python text with the parameter, its uses and the calls that get it, as a certain candidate; if a call of the
    callee passes the default already, the parameter takes its place there.

    ``None`` if not exactly one function has the name, or its parameters are not plain; if the intent wants it at
    another place than the last; if the parameter's name is used in it; if the default is no expression; if a call of
    the callee passes another value, or the callee is never called; if not exactly one place has the default that is to
    be replaced.
    """
    only = only_function(intent.function, code)
    if only is None or parse_expression(intent.default) is None:
        return None
    if intent.position and intent.position != len(parameter_names(only[1])) + 1:
        return None
    if intent.is_used and intent.default in _CONSTANTS:
        return None  # which stand for more than this value
    values = passed_to(intent.callee, intent.name, only[1], only[0]) if intent.callee else []
    if any(code.text[start:end] != intent.default for start, end in values):
        return None
    if intent.callee and not values:
        # "pass it to to_sql", which has the default in its place already
        passed = [
            x
            for x in places_of(intent.default, only[1], only[0])
            if re.search(rf"(?:^|[ .]){re.escape(intent.callee)}$", x[2])
        ]
        if passed:
            return _in_python(replace(intent, callee="", is_used=True, where=intent.callee), code)
    callee = "" if values else intent.callee
    found = add_parameter(
        AddParameter(intent.function, intent.name, intent.default, callee, intent.hint), code
    )
    if found is None or not (intent.is_used or values or intent.stored_with):
        return found
    code = read_code(found.texts[0], "python")
    only = only_function(intent.function, code)
    if only is None:
        return None
    if intent.stored_with:
        return _with_dict_entry(intent, *only)
    if values:
        values = passed_to(intent.callee, intent.name, only[1], only[0])
        return _with_use([(*value, "") for value in values], intent, code)
    return _with_use(places_of(intent.default, only[1], only[0]), intent, code)


def _with_use(places: Places, intent: IntroduceParameter, code: Code) -> Candidates | None:
    """The text with the parameter in the place of the one of ``places`` that is meant, as a certain candidate; ``None``
    for none or several. If ``intent.where`` names a call or a loop, only places inside of such count; of words that
    name no code it says nothing if there is only one place.
    """
    where = intent.where.removesuffix("()").removesuffix(" call").lower()
    if where in _LOOPS:
        where = "loop"
    if where and not (len(places) == 1 and not _is_in_code(where, code)):
        around = [
            place
            for place in places
            if where in re.split(r"[\s.]+", place[2].lower()) or f" {where}" in place[2].lower()
        ]
        places = around or [
            place for place in places if where in words_in(_line_of(place[0], code))
        ]
    if len(places) != 1:
        return None
    start, end, _ = places[0]
    return Candidates((with_spans(code.text, [(start, end, intent.name)]),), is_certain=True)


def _with_dict_entry(
    intent: IntroduceParameter, python: PythonText, function: Function
) -> Candidates | None:
    """The Python text with the parameter in the one dictionary of the function that has most of the names of
    ``intent.stored_with`` as keys, behind the last of these, or is the value of a variable or keyword called so; ``None`` if none or several do.
    """
    names = {*intent.stored_with}
    every = dictionaries_in(function, python)
    found = _best({x: len(names & {*x.keys}) + _NAMED * bool(names & x.names) for x in every})
    if found is None or intent.name in found.keys:
        return None
    at = [n for n, key in enumerate(found.keys) if key in names] or [len(found.keys) - 1]
    before = [x for item in found.items[: at[-1] + 1] for x in item]
    written = f"{found.quote}{intent.name}{found.quote}: {intent.name}"
    span = with_item(python, before, found.start, written)
    return Candidates((with_spans(python.text, [span]),), is_certain=True)


def _entry_in_script(
    intent: IntroduceParameter, body: Node, tree: Tree
) -> tuple[int, int, str] | None:
    """The span that writes the parameter into the one object of a body that has most of the names of ``intent.stored_with`` as keys, behind
    the last of these, or is the value of a key or variable called so; ``None`` if none or several do.
    """
    names = {*intent.stored_with}
    keys: dict[Node, list[str]] = {}
    fits: dict[Node, int] = {}
    for node in nodes_in(body, "object"):
        keys[node] = [
            re.split(r"[^\w$]", tree.code(x).strip("\"'"))[0] for x in node.named_children
        ]
        parent = node.parent
        label = parent and (parent.child_by_field_name("key") or parent.child_by_field_name("name"))
        is_named = label is not None and tree.code(label) in names
        fits[node] = len(names & {*keys[node]}) + _NAMED * is_named
    found = _best(fits)
    if found is None or intent.name in keys[found]:
        return None
    at = [n for n, x in enumerate(keys[found]) if x in names] or [len(keys[found]) - 1]
    if at[-1] < 0:
        return None
    before = found.named_children[at[-1]]
    end = tree.span(before)[1]
    is_alone = before.start_point[0] != found.start_point[0]
    return (
        end,
        end,
        f",\n{' ' * before.start_point[1]}{intent.name}" if is_alone else f", {intent.name}",
    )


def _best(fits: dict[T, int]) -> T | None:
    """The one thing that fits best; ``None`` if none fits, or several do equally."""
    most = max(fits.values(), default=0)
    best = [x for x, fit in fits.items() if fit == most]
    return best[0] if most and len(best) == 1 else None


def _line_of(offset: int, code: Code) -> str:
    """The line of a text that an offset is in."""
    return code.text[code.text.rfind("\n", 0, offset) + 1 :].partition("\n")[0]


def _is_in_code(where: str, code: Code) -> bool:
    """Whether a word for a place is a loop, or a name of the text: "the sleep", not "the comparison"."""
    return where == "loop" or any(name.lower() in where.split() for name in code.names)


def _in_script(intent: IntroduceParameter, code: Code) -> Candidates | None:
    """The text of JavaScript or TypeScript with the parameter of the one function declaration or method that has the
    name, and its use, as a certain candidate.

    ``None`` if there is none or several of the name, the text does not parse, a callee is named, or (JavaScript) a
    type; for parameters on lines of their own or with ``...``; if the intent wants it at another place than the last;
    if the parameter's name is used in the function; if it is to be used and not exactly one place has the default.
    """
    tree = code.tree
    if (
        tree is None
        or intent.callee
        or (intent.hint and code.language not in ("typescript", "tsx"))
    ):
        return None
    functions = [
        node
        for node in tree.nodes("function_declaration", "method_definition")
        if (name := node.child_by_field_name("name")) is not None
        and tree.code(name) == intent.function.rpartition(".")[2]
    ]
    if len(functions) != 1:
        return None
    parameters, body = (functions[0].child_by_field_name(field) for field in ("parameters", "body"))
    if parameters is None or body is None:
        return None
    start, end = tree.span(parameters)
    written = code.text[start:end]
    names = {
        tree.code(node)
        for node in nodes_in(functions[0], "identifier", "shorthand_property_identifier_pattern")
    }
    if "\n" in written or "..." in written or intent.name in names:
        return None
    if intent.position and intent.position != len(parameters.named_children) + 1:
        return None
    joint = ", " if parameters.named_children else ""
    hint = f": {intent.hint}" if intent.hint else ""
    spans = [(end - 1, end - 1, f"{joint}{intent.name}{hint} = {intent.default}")]
    if intent.stored_with:
        entry = _entry_in_script(intent, body, tree)
        if entry is None:
            return None
        spans.append(entry)
    if intent.is_used:
        places = _uses_in_script(intent.default, body, tree)
        used = _with_use(places, intent, code)
        if used is None:
            return None
        spans += [
            (a, b, intent.name)
            for a, b, around in places
            if with_spans(code.text, [(a, b, intent.name)]) == used.texts[0]
        ]
    return Candidates((with_spans(code.text, spans),), is_certain=True)


def _uses_in_script(default: str, body: Node, tree: Tree) -> Places:
    """The places (start, end) in a body that have the default: a string in any quotes, a number, a
    name or a truth value; each with the calls and loops around it in words.
    """
    plain = default.strip("\"'")
    places = []
    for node in nodes_in(body):
        text = tree.code(node)
        is_text = node.type == "string" and default[0] in "\"'" and text.strip("\"'") == plain
        is_plain = node.type in (
            "number",
            "identifier",
            "true",
            "false",
            "member_expression",
            "null",
        )
        if is_text or (is_plain and text == default):
            around, parent = "", node.parent
            while parent is not None and parent.id != body.id:
                called = (
                    parent.child_by_field_name("function")
                    if parent.type == "call_expression"
                    else None
                )
                around += f" {tree.code(called)}" if called is not None else ""
                around += " loop" if parent.type.startswith(("for_", "while_")) else ""
                parent = parent.parent
            places.append((*tree.span(node), around))
    return places
