"""Makes the constant that a call gets by name a parameter of its function, or of the constructor of its class.

a.py, "make the timeout configurable, default 30"::

    def fetch(url):
        return requests.get(url, timeout=30)

becomes::

    def fetch(url, timeout=30):
        return requests.get(url, timeout=timeout)
"""

from __future__ import annotations

from editd.intent.intents import AddParameter, MakeConfigurable
from editd.refactor.add_parameter import add_parameter
from editd.refactor.candidates import Candidates, with_spans
from editd.syntax.code import Code, read_code
from editd.syntax.python_keywords import constant_keywords, last_own_assignment


def make_configurable(intent: MakeConfigurable, code: Code) -> Candidates | None:
    """The Python text with the parameter in the place of the one constant that is passed as ``intent.name``, as a certain
    candidate; in a method of a class with a constructor that keeps its arguments, as one more of these.

    ``None`` in other languages; if no call or several get such a constant, or another than the default that is said; if
    the call is in no function, the function has such a parameter, or its parameters are not plain.
    """
    if code.python is None:
        return None
    found = constant_keywords(intent.name, code.python)
    if len(found) != 1 or not found[0].function:
        return None
    place = found[0]
    default = code.text[place.start : place.end]
    if intent.default and intent.default != default:
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
