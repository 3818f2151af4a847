"""The value that a request says a setting has, held beside the one that it has: "change PORT from 9000 to 9500"."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace

from editd.diff.matching import changes
from editd.intent import Parsed, intents
from editd.intent.english import cut_quotes
from editd.refactor.candidates import Candidates
from editd.refactor.set_value import DATA
from editd.refactor.values import Value, values_of
from editd.syntax.code import Code
from editd.syntax.lines import split
from editd.syntax.words import as_word

_VALUE = r"`[^`]+`|\"[^\"]+\"|'[^']+'|-?\w[\w.%-]*"
_PLAIN = r"`[^`]+`|\"[^\"]+\"|'[^']+'|-?\d[\w.%-]*|true|false|on|off"
_STATED = tuple(
    re.compile(form, re.IGNORECASE)
    for form in (
        rf"\bfrom (?P<old>{_VALUE}) ?(?:to|into|->|=>|→) ?(?:{_VALUE})",
        rf"(?<!\S)(?P<old>{_VALUE}) ?(?:->|=>|→) ?(?:{_VALUE})",
        rf"(?:{_VALUE}),? (?:instead of|rather than|and not|not) (?P<old>{_PLAIN})(?=[.!]?$)",
    )
)
_PLACED = re.compile(r"\b(?:in|inside|within|of|at|for|on)\s+(?!\d)\S", re.IGNORECASE)
_NAMED = 2


def with_stated_value(found: Candidates | None, parsed: Parsed, code: Code) -> Candidates | None:
    """``found``, if the request is for no value or says no old one, or the change takes that away.

    Else, with a ``problem``: if the text has that value nowhere, the values that the setting has instead; if several
    settings that are called so have it and the words name no place, where these are. ``None`` if a change takes away another value, though the text
    has the stated one elsewhere.
    """
    name, old = _name_of(parsed), _stated(parsed.text)
    if not (name and old):
        return found
    values = [x for x in values_of(code) if _plain(x.name) == _plain(name)]
    is_done = found is not None and found.is_certain and found.texts[0] != code.text
    if found is not None and is_done:
        lines = split(found.texts[0])
        removed = [
            code.lines[n] for x in changes(code.lines, lines) for n in range(x.old_start, x.old_end)
        ]
        if any(as_word(old).search(line) for line in removed):
            is_open = len(removed) == 1 and not _PLACED.search(parsed.text)
            problem = _which(name, old, values, code) if is_open else ""
            return replace(found, problem=problem, asks_which=True) if problem else found
    if values and not as_word(old).search(code.text):
        texts = [f"{_text_of(x, code)} (line {_line_of(x, code)})" for x in values[:_NAMED]]
        more = f" and {len(values) - _NAMED} more" if len(values) > _NAMED else ""
        problem = (
            f"“{values[0].name}” is {' and '.join(texts)}{more}, not {old}; nothing is changed."
        )
        return Candidates((code.text,), problem=problem)
    return None if is_done else found


def _which(name: str, old: str, values: Sequence[Value], code: Code) -> str:
    """The sentence that asks which of several settings of a program is meant that have the old value; empty for one, or
    if only one is spelled as the request has it and that can be no English word.
    """
    same = [x for x in values if _text_of(x, code) == old]
    if code.language in DATA or len(same) < _NAMED:
        return ""
    spelled = [x for x in same if x.name == name]
    if len(spelled) == 1 and name.lower() != name:
        return ""
    lines = " and ".join(str(_line_of(x, code)) for x in same[:_NAMED])
    more = f" and {len(same) - _NAMED} more" if len(same) > _NAMED else ""
    names = [x.name for x in same]
    telling = next((x for x in names if x.lower() != x and names.count(x) == 1), "")
    example = f", such as “{telling}”" if telling else ""
    return f"“{name}” is {old} in lines {lines}{more}; say which{example}."


def _name_of(parsed: Parsed) -> str:
    """The name of the setting that a request gives a value, as the words state it or as the first guess has it; empty
    for another request.
    """
    stated = parsed.intent
    stated = stated.intent if isinstance(stated, intents.Conditional) else stated
    if not isinstance(stated, intents.SetValue | intents.Open):
        return ""
    for intent in (stated, *parsed.guesses):
        if isinstance(intent, intents.SetValue | intents.SetSetting):
            return intent.name.rpartition(".")[2]
    return ""


def _stated(instruction: str) -> str:
    """The old value that a request states, without quotes; empty if it states none."""
    text = instruction.strip()
    found = next((at for form in _STATED if (at := form.search(text))), None)
    return cut_quotes(found["old"])[0] if found else ""


def _text_of(value: Value, code: Code) -> str:
    """A value without its quotes."""
    return code.text[value.start : value.end].strip("\"' ")


def _line_of(value: Value, code: Code) -> int:
    """The number (from 1) of the line on which a value stands."""
    return code.text.count("\n", 0, value.start) + 1


def _plain(name: str) -> str:
    """A name in lower case, without anything but letters and digits."""
    return re.sub(r"[\W_]", "", name).lower()
