"""Gives a setting the value that words say, where they name it in words of their own.

a.py, "timezone should be Europe/Berlin"::

    TIME_ZONE = 'UTC'
    DEBUG = True

becomes::

    TIME_ZONE = 'Europe/Berlin'
    DEBUG = True

a.toml, "set strict = true for mypy"::

    [tool.mypy]
    strict = false

    [tool.ruff]
    strict = false

becomes::

    [tool.mypy]
    strict = true

    [tool.ruff]
    strict = false

a.css, ".btn border-radius 8px"::

    .btn {
      border-radius: 4px;
    }

becomes::

    .btn {
      border-radius: 8px;
    }
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from editd.intent.intents import SetSetting
from editd.refactor.candidates import Candidates, with_spans
from editd.refactor.entries import is_program
from editd.refactor.values import Value, values_of
from editd.syntax.code import Code
from editd.syntax.words import without_plural, words_in_name

_GENERIC = frozenset(
    """
    value setting option key field property attribute flag variable constant parameter argument param policy default script entry
    number version size name string text config configuration dependency package image label level mode rule element color colour
    """.split()  # noqa: SIM905
)
UNITS = frozenset(
    """
    ms sec secs seconds minutes min hours days bytes kb mb gb px pct percent us ns
    """.split()  # noqa: SIM905
)
_SIGNS = {
    "comma": ",", "semicolon": ";", "colon": ":", "tab": "\\t", "space": " ", "pipe": "|", "dot": ".", "period": ".", "dash": "-",
    "hyphen": "-", "underscore": "_", "slash": "/", "plus": "+", "asterisk": "*", "newline": "\\n",
}  # fmt: skip
_TRUE, _FALSE = ("true", "on", "yes"), ("false", "off", "no")
_HEAD = re.compile(r"\s*(?:[a-z]+ )*(?:def|function|fn|func|fun)\b")
_PURE_NUMBER = re.compile(r"-?(?:0[xXbBoO][\da-fA-F_]+|[\d._]+(?:[eE][-+]?\d+)?)")
_SHORTEST = 3  # letters of an abbreviation


def set_setting(intent: SetSetting, code: Code) -> Candidates | None:
    """The text with the new value of the one setting that ``intent`` may mean, as a certain candidate.

    Looked for inside ``intent.within`` (if not empty), by the exact name first, last by similar ones; the first way
    that finds some decides, and of several settings the outermost one, or for a default the only parameter. ``None`` if
    no setting or several are left, the new value is of another kind than the old one or equal to it, or the intent
    names another old value (``was``).
    """
    values = values_of(code)
    if intent.within:
        values = [value for value in values if _is_within(value, intent.within)]
    for fits in (_is_exact, _is_spelled, _is_named, _is_described, _is_abbreviated):
        found = [value for value in values if fits(value, intent.name)]
        if len(found) > 1:
            found = _outermost(found)
        if intent.is_default and len(found) > 1:
            found = [value for value in found if _is_parameter(value, code)]
        if len(found) > 1:
            return None
        if found:
            return _with_value(
                found[0], intent, code, is_loose=fits in (_is_described, _is_abbreviated)
            )
    return None


def _with_value(
    value: Value, intent: SetSetting, code: Code, *, is_loose: bool
) -> Candidates | None:
    """The text with the new value, as a certain candidate; ``None`` if the new value is of another kind, equals the old
    one, or the intent names another old value (``was``). A sign's name ("comma") becomes the sign where the old value
    is a sign.

    is_loose: the name was only similar, so the values have to be alike, too.
    """
    old = code.text[value.start : value.end]
    new = intent.new
    if intent.was and old.strip("\"'") != intent.was:
        return None
    if not intent.is_quoted and (sign := re.fullmatch(r"(?:an? )?(\w+)s?", new)):
        new = _SIGNS.get(sign[1].removesuffix("s").lower(), new) if _is_sign(old) else new
    written = as_value(old, new, is_quoted=intent.is_quoted, code=code)
    if written is None or written == old or (is_loose and not is_alike(old, written)):
        return None
    return Candidates(
        (with_spans(code.text, [(value.start, value.end, written)]),), is_certain=True
    )


def as_value(old: str, new: str, *, is_quoted: bool, code: Code) -> str | None:
    """``new`` written as ``old`` is, with its quotes, operator or case; ``None`` if it is of another kind (also a
    number with a unit for one without, or the other way round), cannot stand in its quotes, or if ``old`` is a
    program's (a shell's aside) and is neither in quotes nor a number or truth value. is_quoted: ``new`` stood in quotes
    in the request.
    """
    is_switch = not is_quoted and new.lower() in _TRUE + _FALSE
    if is_switch and old[0] in "\"'":
        inner = as_value(old[1:-1] or "?", new, is_quoted=is_quoted, code=code)
        is_truth = old[1:-1].lower() in _TRUE + _FALSE
        return f"{old[0]}{inner}{old[0]}" if is_truth and inner else None
    if (limit := re.match(r"[\"']([<>=~!]=?)[ \t]*\d", old)) and re.fullmatch(r"v?\d[\w.*]*", new):
        new = f"{limit[1]}{new}"
    if old[0] in "\"'":
        return None if old[0] in new or "\n" in new else f"{old[0]}{new}{old[0]}"
    if operator := re.match(r"[<>=~!^]+[ \t]*", old):
        is_version = re.fullmatch(r"[<>=~!^]*[ \t]*v?\d[\w.*]*", new)
        return None if not is_version else new if new[0] in "<>=~!^" else f"{operator[0]}{new}"
    low = new.lower()
    if old.lower() in _TRUE + _FALSE:
        if low not in _TRUE + _FALSE:
            return None
        pair = next(pair for pair in zip(_TRUE, _FALSE, strict=True) if old.lower() in pair)
        word = pair[low in _FALSE]
        return word.upper() if old.isupper() else word.title() if old.istitle() else word
    if re.fullmatch(r"-?\d[\w.%]*", old) and not re.fullmatch(r"\d+(?:\.\d+){2,}", old):
        is_pure = _PURE_NUMBER.fullmatch(old) is not None and old != "0"
        fits = _PURE_NUMBER if is_pure else re.compile(r"-?\d[\w.%]*")
        lacks_unit = not is_pure and old != "0" and _PURE_NUMBER.fullmatch(new) and new != "0"
        return new if fits.fullmatch(new) and not lacks_unit else None
    if is_program(code) and code.language not in ("bash", "zsh", "dockerfile", "makefile"):
        return None  # nothing, or a name
    if is_quoted and re.search(r"[\s#]", new):
        return f'"{new}"'
    return (
        new if re.fullmatch(r"\S+(?: \S+)*", new) and not re.search(r"[;{}#](?!\w)", new) else None
    )


def is_alike(old: str, new: str) -> bool:
    """Whether two values have the same shape, the first of these that fits each: one or two signs in quotes; two to
    five capitals in quotes (``"GET"``); a word, truth value or whole number, quoted or not; anything without blanks;
    text in quotes; none of them.
    """
    shapes = (
        r"[\"'][^\w\s]{1,2}[\"']|[\"']\\\w[\"']|[\"'] [\"']",
        r"[\"'][A-Z]{2,5}[\"']",
        r"[\"']?[\w-]+[\"']?",
        r"[\"']?\S+[\"']?",
        r"[\"'].*[\"']",
    )
    first = [
        next((n for n, shape in enumerate(shapes) if re.fullmatch(shape, x)), -1)
        for x in (old, new)
    ]
    return first[0] == first[1]


def _is_sign(old: str) -> bool:
    """Whether a value is a string of punctuation or white space."""
    return re.fullmatch(r"([\"'])(?:[^\w\s]{1,2}|\\\w| )\1", old) is not None


def _is_within(value: Value, within: str) -> bool:
    """Whether one of the names around a value is ``within``."""
    return any(_plain(within) in (_plain(name), _plain(f"{name}s")) for name in value.path[:-1])


def _outermost(values: Sequence[Value]) -> list[Value]:
    """The values with the fewest names around them."""
    least = min(len(value.path) for value in values)
    return [value for value in values if len(value.path) == least]


def _is_parameter(value: Value, code: Code) -> bool:
    """Whether a value is the default of a parameter, in the first line of a function."""
    line = code.text[code.text.rfind("\n", 0, value.start) + 1 : value.start]
    return _HEAD.match(line) is not None


# How a name fits, the closest first.


def _is_exact(value: Value, name: str) -> bool:
    """Whether ``name`` is the value's name or path, or, with a dot in it, the end of that path."""
    path = ".".join(value.path)
    return name in (value.name, path) or ("." in name and path.endswith(f".{name}"))


def _is_spelled(value: Value, name: str) -> bool:
    """Whether ``name`` is the value's name in another spelling, alone or behind the name around it: "time zone" for
    ``TIME_ZONE``, "web restart" for ``restart`` of ``web``.
    """
    plain = _plain(name)
    return bool(plain) and plain in (_plain(value.name), _plain("".join(value.path[-2:])))


def _is_named(value: Value, name: str) -> bool:
    """Whether ``name`` is the value's name, but for general words ("policy") and names around the value: "test script"
    for ``test`` of ``scripts``.
    """
    return _plain("".join(_own_words(value, name))) == _plain(value.name)


def _is_described(value: Value, name: str) -> bool:
    """Whether the value's name has all telling words of ``name``, and no unit of time or size that is not in ``name``:
    "timeout" for ``READ_TIMEOUT``, not for ``TIMEOUT_MS``. ``False`` if no word is telling: general ones ("value",
    "option") are not, nor are names around the value.
    """
    own = [word for word in _own_words(value, name) if word not in _GENERIC]
    parts = words_in_name(value.name)
    has_all = {without_plural(word) for word in own} <= {without_plural(part) for part in parts}
    return bool(own) and has_all and UNITS.isdisjoint(set(parts) - set(words_in_name(name)))


def _own_words(value: Value, name: str) -> list[str]:
    """The words of ``name`` without general ones ("value", "option") and without those that name something around the
    value; either step is left out if it would leave no word.
    """
    words = words_in_name(name)
    own = [word for word in words if word not in _GENERIC] or words
    around = {without_plural(part) for path in value.path[:-1] for part in words_in_name(path)}
    return [word for word in own if without_plural(word) not in around] or own


def _is_abbreviated(value: Value, name: str) -> bool:
    """Whether the value's name and ``name`` have one word each, general ones ("value", "option") aside, and one of the
    two words, of at least three letters, is the beginning of the other: "separator" for ``SEP``.
    """
    bare = [word for word in words_in_name(name) if word not in _GENERIC]
    parts = [part for part in words_in_name(value.name) if part not in _GENERIC]
    if len(bare) != 1 or len(parts) != 1:
        return False
    short, long = sorted((bare[0], parts[0]), key=len)
    return len(short) >= _SHORTEST and long.startswith(short)


def _plain(name: str) -> str:
    """A name in lower case, without anything but letters and digits."""
    return re.sub(r"[\W_]", "", name).lower()
