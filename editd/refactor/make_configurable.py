"""Makes the constant that a call gets by name a parameter of its function, or of the constructor of its class.

a.py, "make the timeout configurable, default 30"::

    def fetch(url):
        return requests.get(url, timeout=30)

becomes::

    def fetch(url, timeout=30):
        return requests.get(url, timeout=timeout)
"""

from __future__ import annotations

from dataclasses import replace

from editd.intent.intents import AddParameter, IntroduceParameter, MakeConfigurable
from editd.refactor.add_parameter import add_parameter
from editd.refactor.candidates import Candidates, with_spans
from editd.refactor.introduce_parameter import introduce_parameter
from editd.syntax.code import Code, read_code
from editd.syntax.python_keywords import (
    ConstantKeyword,
    constant_keywords,
    constants_in_functions,
    last_own_assignment,
)

_SHORTEST = 3  # letters of a name that stands for a longer word


def make_configurable(intent: MakeConfigurable, code: Code) -> Candidates | None:
    """The Python text with the parameter in the place of the one constant that is passed as ``intent.name``, as a certain
    candidate; in a method of a class with a constructor that keeps its arguments, as one more of these.

    Of a value that is said and that no call gets by such a name, the one place in a function where it stands, as an argument of
    the name of its unit if that is so, becomes the parameter.

    ``None`` in other languages; if no call or several get such a constant, or another than the default that is said; if
    the call is in no function, the function has such a parameter, or its parameters are not plain.
    """
    if code.python is None:
        return None
    found = _keywords(intent, code)
    if len(found) != 1 or not found[0].function:
        return _of_value(intent, code) if not found else None
    intent = replace(intent, name=found[0].name)
    place = found[0]
    default = code.text[place.start : place.end]
    if intent.default and intent.default.strip("\"'") != default.strip("\"'"):
        return None
    line = last_own_assignment(place.owner, code.python) if place.owner else None
    function = place.function if line is None else f"{place.owner}.__init__"
    added = add_parameter(AddParameter(function, intent.name, default), code)
    if added is None or added.problem or not added.is_certain:
        return None
    new = read_code(added.texts[0], "python")
    places = constant_keywords(intent.name, new.python) if new.python else []
    if len(places) != 1 or new.python is None:
        return None
    value = intent.name
    spans = []
    if line is not None and (line := last_own_assignment(place.owner, new.python)) is not None:
        value = f"self.{intent.name}"
        before = new.lines[line]
        indent = before[: len(before) - len(before.lstrip())]
        at = new.line_starts[line + 1]
        spans.append((at, at, f"{indent}{value} = {intent.name}\n"))
    spans.append((places[0].start, places[0].end, value))
    return Candidates((with_spans(new.text, spans),), is_certain=True)


def _keywords(intent: MakeConfigurable, code: Code) -> list[ConstantKeyword]:
    """The constants that calls get by the name; else, by a name that its last word begins with ("sep" for "separator"), or in the
    function that is called as the words before the last one say ("the due days").
    """
    python = code.python
    if python is None:
        return []
    *before, last = intent.name.split()
    found = constant_keywords("_".join((*before, last)), python)
    if found or intent.unit:
        return found
    named = [x for x in constant_keywords("", python) if _is_short_for(x.name, last)]
    if not before:
        return named
    function = "_".join(before)
    return [x for x in named if x.function.rpartition(".")[2] == function]


def _is_short_for(name: str, word: str) -> bool:
    """Whether a name is a word, or its beginning of three letters or more."""
    return name == word or (len(name) >= _SHORTEST and word.startswith(name))


def _of_value(intent: MakeConfigurable, code: Code) -> Candidates | None:
    """The text in which the value that is said becomes a parameter of the one function in which it stands."""
    name = "_".join(intent.name.lower().split())
    if not intent.default or code.python is None or name in code.names:
        return None
    unit = intent.unit.rstrip("s")
    places = [
        x
        for x in constants_in_functions(code.python)
        if code.text[x.start : x.end].strip("\"'") == intent.default.strip("\"'")
    ]
    named = [x for x in places if unit and x.name.rstrip("s") == unit]
    places = named or places
    if len(places) != 1:
        return None
    place = places[0]
    default = code.text[place.start : place.end]
    used = IntroduceParameter(place.function, name, default, is_used=True)
    return introduce_parameter(used, code)
