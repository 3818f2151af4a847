"""Adds an argument by name to a call: a keyword in Python, a field of the call's options in JavaScript.

a.py, "add a timeout of 10 seconds to the request"::

    r = requests.get(url)

becomes::

    r = requests.get(url, timeout=10)
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from editd.intent.intents import AddArgument
from editd.refactor.candidates import Candidates, Spans, with_spans
from editd.refactor.entries import lines_called
from editd.refactor.masked import closing_of, masked, parts_between
from editd.syntax.code import Code

_SCRIPTS = ("javascript", "typescript", "tsx")
_HTTP = r"(?:requests|\w*session|httpx|\w*client|http|urllib\.request|axios|api)"
_REQUEST = rf"(?:\w+\.)*{_HTTP}\.(?:get|post|put|patch|delete|head|request|urlopen)|urlopen|axios"
_SUBPROCESS = r"subprocess\.(?:run|call|check_call|check_output|Popen)"
# What a word means if no call has its name.
_CALLS = {
    **dict.fromkeys(("request", "http request", "http call"), _REQUEST),
    **dict.fromkeys(("subprocess", "subprocess call"), _SUBPROCESS),
}
_SECONDS = {"ms": 0.001, "mi": 0.001, "s": 1, "se": 1}
_MINUTES = ("min", "mins", "minute", "minutes")
_WAITS = re.compile(r"(?:\w*_)?(?:timeout|delay|interval|wait)", re.IGNORECASE)
_NUMBER = re.compile(r"-?\d[\d_]*(?:\.\d+)?")
_WORDS = {"true": "True", "false": "False", "none": "None", "null": "None"}
_BINARY = re.compile(r"[\"'][rwax]*\+?[rwax]*b[+t]?[\"']")


def add_argument(intent: AddArgument, code: Code) -> Candidates | None:
    """The text in which the one call that the intent names has the argument behind the others, or all such calls if it means many; a
    certain candidate. The text itself, with ``nothing_to_do``, if each has the argument with this value.

    ``None`` in other languages, and for a function of the text, which may lack such a parameter; if no call fits, or several and one is meant; if a call has the argument with another value, or
    ``**options`` that may have it; if the value is a name that the text lacks, or a time in a unit that is not the argument's.
    """
    is_script = code.language in _SCRIPTS
    if code.language != "python" and not is_script:
        return None
    text = masked(code)
    if any(x.is_block and intent.call in (x.name, x.qualified) for x in code.definitions):
        return None  # it may be a parameter of that function
    calls = [x for x in _calls(intent.call, text) if _may_have(intent, *x, code)]
    if intent.within:
        lines = lines_called(intent.within, code)
        calls = [x for x in calls if lines and _is_within(x[0], lines, code)]
    value = _value(intent, code)
    if not calls or value is None or (len(calls) > 1 and not intent.are_many):
        return None
    spans: Spans = []
    for opening, closing in calls:
        parts = parts_between(opening + 1, closing, text)
        has = _has_argument(intent.name, value, parts, code)
        if has is None:
            return None
        if has:
            continue
        argument = intent.name, value
        if is_script:
            added = _in_options(argument, parts, text, code)
        else:
            added = _behind(argument, (opening, closing), parts, text, code)
        if added is None:
            return None
        spans.append(added)
    if not spans:
        done = f"{intent.call} has {intent.name} {value} already"
        return Candidates((code.text,), is_certain=True, nothing_to_do=done)
    return Candidates((with_spans(code.text, spans),), is_certain=True)


def _calls(name: str, text: str) -> list[tuple[int, int]]:
    """The offsets of the brackets of the calls that a name or a word means."""
    found = list(_calls_of(re.escape(name), text))
    found = found or list(_calls_of(rf"(?:[\w$]+\.)+{re.escape(name)}", text))
    usual = _CALLS.get(name.lower().removesuffix("s"))
    if not found and usual:
        found = list(_calls_of(usual, text))
    return found


def _calls_of(pattern: str, text: str) -> Iterator[tuple[int, int]]:
    """Yield the offsets of the brackets of the calls of what a pattern matches, definitions left out."""
    for at in re.finditer(rf"(?<![\w$.])(?:{pattern})(?P<open>\()", text):
        line = text[text.rfind("\n", 0, at.start()) + 1 : at.start()]
        closing = closing_of(at.start("open"), text)
        if closing > 0 and not re.search(r"\b(?:def|class|function|async)\s+$", line):
            yield at.start("open"), closing


def _is_within(offset: int, lines: tuple[int, int], code: Code) -> bool:
    """Whether an offset is on one of the lines ``start .. end``."""
    return lines[0] <= code.text.count("\n", 0, offset) < lines[1]


def _may_have(intent: AddArgument, opening: int, closing: int, code: Code) -> bool:
    """Whether a call may have such an argument: none that opens a file as bytes has an encoding."""
    return intent.name != "encoding" or not _BINARY.search(code.text[opening:closing])


def _value(intent: AddArgument, code: Code) -> str | None:
    """The value as it is written in the language; ``None`` for a name that the text lacks, and for a time of another unit."""
    value = intent.value
    if intent.unit:
        if not (_WAITS.fullmatch(intent.name) and _NUMBER.fullmatch(value)):
            return None
        factor = 60 if intent.unit in _MINUTES else _SECONDS.get(intent.unit[:2], 0)
        seconds = float(value) * factor * (1000 if code.language in _SCRIPTS else 1)
        return f"{seconds:g}"
    quote = "'" if code.text.count("'") > code.text.count('"') else '"'
    if quoted := re.fullmatch(r"([\"'`])(.*)\1", value):
        return value if intent.is_code and quoted[1] != "`" else f"{quote}{quoted[2]}{quote}"
    if _NUMBER.fullmatch(value):
        return value
    if code.language == "python":
        if value.lower() in _WORDS:
            return _WORDS[value.lower()]
    elif value.lower() in ("true", "false", "null"):
        return value.lower()
    if intent.name == "encoding" and re.fullmatch(r"[\w-]+", value):
        return f"{quote}{value}{quote}"
    if value in code.names or (intent.is_code and re.split(r"\W", value)[0] in code.names):
        return value
    return None


def _has_argument(name: str, value: str, parts: list[tuple[int, int]], code: Code) -> bool | None:
    """Whether one of the arguments is this one; ``None`` if it has another value, or may be hidden."""
    for start, end in parts:
        argument = code.text[start:end]
        if argument.startswith("**"):
            return None
        if found := re.match(rf"{re.escape(name)}\s*=(?!=)\s*", argument):
            return True if argument[found.end() :] == value else None
    return False


def _behind(
    name_and_value: tuple[str, str],
    call: tuple[int, int],
    parts: list[tuple[int, int]],
    text: str,
    code: Code,
) -> tuple[int, int, str] | None:
    """The span that adds a keyword behind the arguments of a Python call."""
    argument = "=".join(name_and_value)
    opening, closing = call
    if not parts:
        return None if text[opening + 1 : closing].strip() else (opening + 1, closing, argument)
    start, end = parts[-1]
    if re.search(r"\bfor\b", text[start:end]) and len(parts) == 1:
        return None  # f(x for x in xs)
    line = code.text.rfind("\n", 0, start) + 1
    indent = code.text[line:start]
    comma = re.compile(r"\s*,").match(text, end, closing)
    if not indent.strip() and line > opening:
        if comma:
            return (comma.end(), comma.end(), f"\n{indent}{argument},")
        return (end, end, f",\n{indent}{argument}")
    return (comma.end(), comma.end(), f" {argument}") if comma else (end, end, f", {argument}")


def _in_options(
    argument: tuple[str, str], parts: list[tuple[int, int]], text: str, code: Code
) -> tuple[int, int, str] | None:
    """The span that adds a field to the options of a call, which are its last argument; ``None`` if that is no object, or it
    has the field or a spread.
    """
    if not parts or text[parts[-1][0]] != "{" or text[parts[-1][1] - 1] != "}":
        return None
    name, value = argument
    start, end = parts[-1][0], parts[-1][1] - 1
    fields = parts_between(start + 1, end, text)
    if not fields or any(re.match(rf"\.\.\.|[\"']?{name}\b", code.text[a:b]) for a, b in fields):
        return None
    first, last = fields[-1]
    line = code.text.rfind("\n", 0, first) + 1
    indent = code.text[line:first]
    comma = re.compile(r"\s*,").match(text, last, end)
    at = comma.end() if comma else last
    sign = "" if comma else ","
    if not indent.strip() and line > start:
        return (at, at, f"{sign}\n{indent}{name}: {value}{',' if comma else ''}")
    return (at, at, f"{sign} {name}: {value}")
