"""Puts elements into a list that has a name, or takes them out, in the layout and quotes of those beside them.

settings.py, "add rest_framework to INSTALLED_APPS"::

    INSTALLED_APPS = [
        "django.contrib.admin",
        "shop",
    ]

becomes::

    INSTALLED_APPS = [
        "django.contrib.admin",
        "shop",
        "rest_framework",
    ]

ci.yml, "drop python 3.9 from the matrix"::

    strategy:
      matrix:
        python-version: ["3.9", "3.12"]

becomes::

    strategy:
      matrix:
        python-version: ["3.12"]
"""

from __future__ import annotations

import re
from collections import Counter

from editd.intent.intents import ChangeElements
from editd.refactor.candidates import Candidates, Spans, with_spans
from editd.refactor.masked import masked
from editd.refactor.named_lists import NamedList, is_named_by, lists_called, lists_in
from editd.syntax.code import Code, read_code

_QUOTED = re.compile(r"([\"'])(.*)\1", re.DOTALL)
_FEWEST_SORTED = 4  # elements that show an order
_NUMBER = re.compile(r"-?\d[\d_.]*")


def change_elements(intent: ChangeElements, code: Code) -> Candidates | None:
    """The text with the elements in the one list that is named, behind the others or in their order, or without them, as
    a certain candidate; the text itself, with ``nothing_to_do``, if they are all there already, or are not there to go.

    ``None`` if not exactly one list is named, a word before the elements says more, an element cannot be written as its
    neighbours are, one to go stands there twice, or the last element of a YAML sequence would go.
    """
    lists = _lists(intent, code)
    if len(lists) != 1:
        return None
    if intent.word and not is_named_by(intent.word, lists[0]):
        return None
    text, changed = code.text, False
    for element in intent.elements:
        current = read_code(text, code.language)
        lists = _lists(intent, current)
        if len(lists) != 1:
            return None
        named = lists[0]
        values = [_value(text[start:end]) for start, end in named.elements]
        is_there = _value(element) in values
        if is_there != intent.is_removed:
            continue
        if intent.is_removed:
            new = _without(values.index(_value(element)), named, current)
            new = new if values.count(_value(element)) == 1 else None
        else:
            number = _said_place(intent, values)
            if intent.beside and number is None:
                return None
            new = _with(element, named, current, at_end=intent.at_end, number=number)
        if new is None:
            return None
        text, changed = new, True
    if changed:
        return Candidates((text,), is_certain=True)
    first = _value(intent.elements[0])
    state = "not" if intent.is_removed else "already"
    return Candidates(
        (text,), is_certain=True, nothing_to_do=f"“{first}” is {state} in {lists[0].name}"
    )


def _lists(intent: ChangeElements, code: Code) -> list[NamedList]:
    """The lists that may be meant; of several in what is named, those with an element like the intent's first ("3.13"
    beside "3.12").
    """
    if not intent.of:
        return _lists_alike(intent, code)
    found = lists_called(intent.of, intent.word, code, intent.within)
    if len(found) < 2 or found[0].name == found[1].name:
        return found
    like = re.sub(r"\d+", "0", _value(intent.elements[0]))
    return [
        x
        for x in found
        if any(re.sub(r"\d+", "0", _value(code.text[a:b])) == like for a, b in x.elements)
    ]


def _lists_alike(intent: ChangeElements, code: Code) -> list[NamedList]:
    """The lists that have the intent's first element, if that is to go, else one of its form: ``.jpg`` beside ``.webp``; of those whose
    name has the word before it, if there are any.
    """
    first = _value(intent.elements[0])
    found = []
    for named in lists_in(code):
        values = [_value(code.text[a:b]) for a, b in named.elements]
        is_there = any(x in values for x in map(_value, intent.elements))
        if is_there or (not intent.is_removed and any(_form(x) == _form(first) for x in values)):
            found.append(named)
    return [x for x in found if intent.word and is_named_by(intent.word, x)] or found


def _form(element: str) -> str:
    """An element with ``a`` for its letters and ``0`` for its digits."""
    return re.sub(r"\d+", "0", re.sub(r"[^\W\d]+", "a", element))


def _value(element: str) -> str:
    """An element without its quotes."""
    found = _QUOTED.fullmatch(element)
    return found[2] if found else element


# Into a list


def _said_place(intent: ChangeElements, values: list[str]) -> int | None:
    """The number of the element before which the words place a new one, beside the one element that is named, has the name behind a dot, or
    has it as a part; ``None`` if they say none, or none or several are called so.
    """
    if not intent.beside:
        return None
    named = _value(intent.beside)
    for fits in (named.__eq__, lambda x: x.endswith(f".{named}"), lambda x: named in x):
        found = [number for number, value in enumerate(values) if fits(value)]
        if found:
            return found[0] + (not intent.is_before) if len(found) == 1 else None
    return None


def _with(
    element: str, named: NamedList, code: Code, *, at_end: bool, number: int | None = None
) -> str | None:
    """The text with the element in the list, before the element ``number`` if that is said; ``None`` if it cannot be written as its
    neighbours are.
    """
    text = code.text
    texts = [text[start:end] for start, end in named.elements]
    written = _written(element, texts, named, code)
    if written is None:
        return None
    spans = _grown(named, code)
    if not named.elements:
        sign = "," if text[named.start] == "(" and code.language == "python" else ""
        if text[named.start + 1 : named.end].strip(" "):
            return None
        return with_spans(text, [*spans, (named.start + 1, named.end, f"{written}{sign}")])
    if number is None:
        number = len(texts) if at_end else _place(written, texts)
    if number < len(texts):
        start = named.elements[number][0]
        separator = _between(number - 1, named, text) if number else _between(0, named, text)
        if named.separator == "\n":
            line = text.rfind("\n", 0, start) + 1
            return with_spans(text, [*spans, (line, line, f"{text[line:start]}{written}\n")])
        return with_spans(text, [*spans, (start, start, f"{written}{separator}")])
    start, end = named.elements[-1]
    line = text.rfind("\n", 0, start) + 1
    line_end = text.find("\n", end)
    line_end = len(text) if line_end < 0 else line_end
    if named.separator == "\n":
        lead = "" if line_end < len(text) else "\n"
        behind = "\n" if line_end < len(text) else ""
        at = min(line_end + 1, len(text))
        return with_spans(text, [*spans, (at, at, f"{lead}{text[line:start]}{written}{behind}")])
    is_alone = not text[line:start].strip() and line > named.start
    plain = masked(code)
    comma = re.compile(r"\s*,").match(plain, end, named.end) if named.separator == "," else None
    if is_alone:
        indent = text[line:start]
        if line_end > named.end:  # the bracket closes on the last element's line
            return with_spans(
                text, [*spans, (end, end, f"{named.separator.strip()}\n{indent}{written}")]
            )
        has_commas = comma is not None
        needs_comma = named.separator == "," and not has_commas
        between = text[end:line_end]
        lead, end_sign = ("," if needs_comma else "", "," if has_commas else "")
        spans.append((end, line_end, f"{lead}{between}\n{indent}{written}{end_sign}"))
        return with_spans(text, spans)
    if comma is not None:
        is_single = len(texts) == 1 and text[named.start] == "("
        return with_spans(
            text, [*spans, (comma.end(), comma.end(), f" {written}{'' if is_single else ','}")]
        )
    separator = _between(len(texts) - 2, named, text) if len(texts) > 1 else ""
    separator = (
        separator
        if separator and "\n" not in separator
        else (", " if named.separator == "," else " ")
    )
    return with_spans(text, [*spans, (end, end, f"{separator}{written}")])


def _between(number: int, named: NamedList, text: str) -> str:
    """The text between an element and the next one, comments left out."""
    if number + 1 >= len(named.elements):
        return ", "
    between = text[named.elements[number][1] : named.elements[number + 1][0]]
    return re.sub(r"[ \t]*(?:#|//)[^\n]*", "", between)


def _grown(named: NamedList, code: Code) -> Spans:
    """The span that raises the number of the list's elements, if it has one."""
    if named.size is None:
        return []
    return [(*named.size, str(int(code.text[slice(*named.size)]) + 1))]


def _place(written: str, texts: list[str]) -> int:
    """The number of the element before which a new one goes: that of their order if they are at least four and sorted
    by their letters, else behind all.
    """
    keys = [_value(x).casefold() for x in texts]
    is_sorted = len(keys) >= _FEWEST_SORTED and keys == sorted(keys) and len(set(keys)) == len(keys)
    if not is_sorted or any(_NUMBER.fullmatch(x) for x in keys):
        return len(texts)
    return sum(key < _value(written).casefold() for key in keys)


def _written(element: str, texts: list[str], named: NamedList, code: Code) -> str | None:
    """The element as its neighbours are written: a string in their quotes, a number, a name or a call; ``None`` if they
    are of another kind, or it has quotes or backslashes itself.
    """
    value = _value(element)
    is_text = value != element
    quotes = [found[1] for x in texts if (found := _QUOTED.fullmatch(x))]
    if re.search(r"[\"'\\\n]", value) and (quotes or is_text):
        return None
    if texts and len(quotes) == len(texts):
        have_signs = len(texts) > 1 and all(re.search(r"\w[./:]\w", x) for x in texts)
        if have_signs and not is_text and not re.search(r"[./:]", value):
            return None  # only a part of such a name
        quote = Counter(quotes).most_common(1)[0][0]
        return f"{quote}{value}{quote}"
    if code.language == "yaml":
        return _in_yaml(element, texts)
    if named.is_enum:
        return value if re.fullmatch(r"[^\W\d]\w*", value) and not is_text else None
    if named.separator == " ":
        return value if re.fullmatch(r"[\w./:@%+,=-]+", value) else f'"{value}"'
    if not texts:
        return _alone(element, code)
    if quotes:
        return (
            f"{quotes[0]}{value}{quotes[0]}"
            if is_text
            else (element if _NUMBER.fullmatch(element) else None)
        )
    shapes = {_shape(x) for x in texts}
    if is_text or shapes != {_shape(element)}:
        return None
    base = re.match(r"[^\W\d]\w*", element)
    if (
        base
        and base[0] == element
        and element not in code.names | {"True", "False", "None", "null", "true", "false"}
    ):
        return None
    return element


def _in_yaml(element: str, texts: list[str]) -> str:
    """The element beside plain values of YAML: in quotes if it would be read as another value without them."""
    value = _value(element)
    if re.fullmatch(r"\d+\.\d*0|\d+(?:\.\d+){2,}", value) and not re.fullmatch(
        r"\d+(?:\.\d+){2,}", value
    ):
        return f'"{value}"'
    is_number = all(_NUMBER.fullmatch(x) for x in texts) and _NUMBER.fullmatch(value)
    is_plain = re.fullmatch(r"[\w./@+-][\w ./@+*-]*", value) and not re.fullmatch(
        r"(?i)true|false|yes|no|on|off|null|~|-?[\d.]+", value
    )
    if is_number or is_plain:
        return value
    return element if value != element or _NUMBER.fullmatch(element) else f'"{value}"'


def _alone(element: str, code: Code) -> str | None:
    """The first element of an empty list: a string or a number as it is typed, and what can be no name of the text as a
    string in the quotes of the file; ``None`` for a name of the text.
    """
    if _value(element) != element or _NUMBER.fullmatch(element):
        return element
    if element in code.names or not re.fullmatch(r"[\w./:@*-]+", element):
        return None
    is_single = code.text.count("'") > code.text.count('"') and code.language in (
        "python",
        "javascript",
        "typescript",
        "tsx",
        "php",
        "ruby",
    )
    quote = "'" if is_single else '"'
    return f"{quote}{element}{quote}"


def _shape(element: str) -> str:
    """The kind of an element: ``number``, ``name``, ``member``, ``call`` or ``other``."""
    if _NUMBER.fullmatch(element):
        return "number"
    if re.fullmatch(r"[^\W\d][\w$]*", element):
        return "name"
    if re.fullmatch(r"[^\W\d][\w$]*(?:(?:\.|::)[\w$]+)+", element):
        return "member"
    return "call" if re.fullmatch(r"[\w$.:]+\(.*\)", element, re.DOTALL) else "other"


# Out of a list


def without_element(span: tuple[int, int], code: Code) -> str | None:
    """The text without the element of a list with a name at these offsets, and a comma beside it; ``None`` if it is none, or the only one
    of a YAML sequence.
    """
    for named in lists_in(code):
        if span in named.elements:
            return _without(named.elements.index(span), named, code)
    return None


def _without(number: int, named: NamedList, code: Code) -> str | None:
    """The text without an element of the list, and a comma beside it; ``None`` for the only one of a YAML sequence."""
    text, elements = code.text, named.elements
    start, end = elements[number]
    spans: Spans = []
    if named.size is not None:
        spans.append((*named.size, str(int(text[slice(*named.size)]) - 1)))
    line = text.rfind("\n", 0, start) + 1
    line_end = text.find("\n", end)
    line_end = len(text) if line_end < 0 else line_end + 1
    if named.separator == "\n":
        return None if len(elements) == 1 else with_spans(text, [(line, line_end, "")])
    plain = masked(code)
    comma = re.compile(r"\s*,").match(plain, end, named.end) if named.separator == "," else None
    is_last = number == len(elements) - 1
    rest = plain[comma.end() if comma else end : line_end]
    if not plain[line:start].strip() and not rest.strip() and line > named.start:
        spans.append((line, line_end, ""))
        if is_last and comma is None and number:
            before = text.rfind(",", elements[number - 1][1], start)
            spans += [(before, before + 1, "")] if before > 0 else []
        return with_spans(text, spans)
    if number:
        spans.append((elements[number - 1][1], end, ""))
        is_left_alone = len(elements) == 2 and is_last and comma is None
        if is_left_alone and text[named.start] == "(" and code.language == "python":
            spans[-1] = (elements[0][1], end, ",")
    elif not is_last:
        spans.append((start, elements[1][0], ""))
        if len(elements) == 2 and text[named.start] == "(" and code.language == "python":
            after = re.compile(r"\s*,").match(plain, elements[1][1], named.end)
            spans += [] if after else [(elements[1][1], elements[1][1], ",")]
    else:
        spans.append((start, comma.end() if comma else end, ""))
    return with_spans(text, spans)
