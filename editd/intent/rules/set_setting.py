"""Set a setting: how people ask for another value of what they name in words of their own."""

from __future__ import annotations

import re

from editd.intent.context import VERB
from editd.intent.english import FUNCTION_WORDS, QUOTED, cut_quotes, plain_name
from editd.intent.intents import SetSetting
from editd.intent.restrictions import excepts
from editd.intent.rules.guess import Guess
from editd.intent.rules.word_lists import TYPES

_SET = r"(?:set|change|update|switch|bump|configure|make|put|raise|lower|increase|decrease|reduce|upgrade|downgrade|adjust|let)"
_VALUE = rf"(?P<new>{QUOTED}|(?:an? )?[^\s,;\"'`]+|\d[^\s,;\"'`]* [^\s,;\"'`]+)"
_NAME = r"(?P<name>[^,;:=<>~!\"]+?)"
_WHERE = r"(?: (?:in|of|for|on|under|inside|within|below) (?:the |my |our )?(?P<within>[`'\"]?[^\s`'\"]+?[`'\"]?(?:\(\))?)(?: (?:section|block|table|rule|service|job|step|function|method|class|object|config|stage|env|environment|settings?))?)?"
_BECOMES = (
    r"(?:(?:should|must|has to|needs to|ought to|shall) (?:now |always )?(?:be(?: set to| changed to)?|default to|become|point to|use|say|read)"
    r"|(?:is|are)(?: now| set to| to be)?|defaults to|becomes)"
)
_FORMS = tuple(
    re.compile(form, re.IGNORECASE)
    for form in (
        rf"{_SET} {_NAME}{_WHERE} from (?P<was>{QUOTED}|\S+) to {_VALUE}(?P<by> by default)?",
        rf"{_SET} {_NAME}{_WHERE} (?:to|as|into|be) (?:be )?{_VALUE}(?P<by> by default)?",
        rf"{_SET} {_NAME} (?:to|as|into|be) (?:be )?{_VALUE}(?P<by> by default)?{_WHERE}",
        rf"{_SET} {_NAME} ?(?:=|:) ?{_VALUE}{_WHERE}",
        rf"(?P<within>[\w.]+(?:\(\))?) (?:should|must|has to|needs to|shall) (?:have|get|use) an? default {_NAME} of {_VALUE}",
        rf"(?:make|set|have|keep) {_NAME} {_VALUE}(?P<by> by default)?{_WHERE}",
        rf"(?P<within>[\w.]+(?:\(\))?) (?:should|must|has to|needs to) (?:use|take|have) (?P<name>\S+) {_VALUE}(?P<by> (?:by|as) default)?",
        rf"{_NAME}{_WHERE} {_BECOMES} {_VALUE}(?: now)?(?P<by> by default)?(?:,? (?:not|instead of|rather than|and not) (?P<was>{QUOTED}|\S+))?",
        rf"{_NAME} ?(?:=|:) ?{_VALUE}{_WHERE}",
        rf"(?:(?:turn|switch|set) )?{_NAME}{_WHERE} (?P<new>on|off)",
        rf"(?:turn|switch) (?P<new>on|off) {_NAME}{_WHERE}",
        rf"(?P<verb>enable|disable|activate|deactivate) {_NAME}{_WHERE}",
        rf"by default,? (?P<within>[\w.]+)(?:\(\))? (?:should|must) (?:use|take|have) (?P<name>\S+) {_VALUE}",
        rf"default {_NAME} to {_VALUE}{_WHERE}",
        rf"use (?P<name>\S+) {_VALUE}(?P<by> by default){_WHERE}",
        rf"(?:use|set|want)? ?(?P<name>(?:default )?[\w.#-]+(?: [\w-]+)?(?: [\w-]+)?) {_VALUE}{_WHERE}",
    )
)
_LEAD = re.compile(r"(?:(?:the|our|my|this|its|default|new|value of|current) )+", re.IGNORECASE)
_OF = re.compile(r"(?P<name>\S+(?: \S+)?) (?:of|in|for) (?:the )?(?P<within>[^\s]+)", re.IGNORECASE)
_FIRST_PLACE = re.compile(rf"in (?:the )?(?P<within>[^\s,]+),? (?P<rest>{_SET} .+)", re.IGNORECASE)
_POSSESSIVE = re.compile(r"(?P<within>[\w.-]+)(?:\(\))?['’]s (?P<name>.+)")
_ORDINARY = FUNCTION_WORDS | frozenset(
    "returns return calls quotes quote imports import comments comment prints print tests f-strings fstrings string strings hints types names lowercase uppercase".split()  # noqa: SIM905
)

# "Color should be darker" sets nothing.
_ADJECTIVES = frozenset(
    """
    darker lighter bigger smaller larger higher lower shorter longer wider narrower faster slower thicker thinner bolder brighter
    greater cleaner simpler better stricter required optional unique positive negative sorted configurable readonly private
    public final constant static global local immutable nullable lowercase uppercase random empty valid consistent correct
    different wrong missing mandatory numeric case-insensitive deprecated documented tested cached removed renamed deleted
    checked validated safe clear obvious first last nonempty non-empty set unset used unused added changed fixed gone out away back up down commented
    """.split()  # noqa: SIM905
)


# Verbs that a setting may begin with: "log level", "print width", "test script"
_ALSO_NOUNS = frozenset(
    "log print sort import comment document type handle use call update return cut merge declare".split()  # noqa: SIM905
)
_STATES = frozenset(
    "enabled disabled dashed dotted embed shared speed feed detailed embedded unlimited limited".split()  # noqa: SIM905
)
_OF_TYPES = frozenset(["type", "kind", "format", "dtype", "datatype"])


def _is_said_of_types(new: str, name: str) -> bool:
    """Whether the value of a setting ``name`` says what kind of thing it is: "a str", "int"."""
    return name not in _OF_TYPES and new.lower().removeprefix("an ").removeprefix("a ") in TYPES


def _set(text: str) -> SetSetting | None:
    """The intent of a request that names a setting and its value, perhaps its place; "enable" and "disable" give
    ``true`` and ``false``.

    ``None`` for another request, an exception, or where name or value are ordinary words, the value is a type or a
    participle ("generated") without quotes, or the name begins with a verb.
    """
    if excepts(re.sub(QUOTED, "", text)):
        return None
    place = _FIRST_PLACE.fullmatch(text)
    text = place["rest"] if place else text
    for form in _FORMS:
        found = form.fullmatch(text)
        if found is None:
            continue
        parts = found.groupdict()
        if place and not parts.get("within"):
            parts["within"] = place["within"]
        name, within = (
            parts["name"].strip("`'\" "),
            plain_name(parts.get("within") or ""),
        )
        if within and name.lower().removeprefix("the ") in ("default", "default value", "value"):
            name, within = within, ""  # "the default of limit"
        is_default = bool(parts.get("by") or re.search(r"\bdefaults?\b", text, re.IGNORECASE))
        name = _LEAD.sub("", f"{name} ", count=1).strip() if " " in name else name
        name = re.sub(r"^(?:to|for|of) ", "", re.sub(r" (?:value|default)$", "", name))
        if not within and (owned := _POSSESSIVE.fullmatch(name)):
            name, within = owned["name"], owned["within"]
        if not within and (owned := _OF.fullmatch(name)):
            name, within = owned["name"], plain_name(owned["within"])
        verb = (parts.get("verb") or "").lower()
        new = parts["new"] if "new" in parts else str(not verb.startswith(("dis", "de"))).lower()
        new, mark = cut_quotes(new)
        is_quoted = bool(mark)
        words = name.lower().split()
        if not words or not new or set(words) <= _ORDINARY or not _ORDINARY.isdisjoint(words[-1:]):
            return None
        if not is_quoted and (new.lower() in _ADJECTIVES or _is_said_of_types(new, words[-1])):
            return None
        if not is_quoted and re.fullmatch(r"[a-z]{3,}ed", new) and new not in _STATES:
            return None  # "should be generated"
        if VERB.match(f"{words[0]} ") and words[0] not in _ALSO_NOUNS:
            return None  # "remove `x`"
        if not is_quoted and new.lower() in _ORDINARY - {"on", "off", "no"}:
            return None
        was = (parts.get("was") or "").strip("`'\"")
        return SetSetting(name, new, is_quoted, is_default, was, within=within)
    return None


def _used(text: str) -> SetSetting | None:
    """The intent of "use imperial units" or "switch to …", which has two plain words and names the value first;
    ``None`` for another request, or if one of the two is an ordinary word.
    """
    found = re.fullmatch(
        r"(?:use|switch to) (?:the )?(?P<new>[a-z]+) (?P<name>[a-z]+)", text, re.IGNORECASE
    )
    if found is None or not _ORDINARY.isdisjoint(text.lower().split()[-2:]):
        return None
    return SetSetting(found["name"], found["new"])


SET_SETTING = Guess(
    "set-setting",
    reads=_set,
    examples=(
        ("timezone should be Europe/Berlin", SetSetting("timezone", "Europe/Berlin")),
        ("set strict = true for mypy", SetSetting("strict", "true", within="mypy")),
        (
            'change the test script to "vitest run"',
            SetSetting("test script", "vitest run", is_quoted=True),
        ),
        (".btn border-radius 8px", SetSetting(".btn border-radius", "8px")),
        ("node >=18 in engines", SetSetting("node", ">=18", within="engines")),
        ("turn DEBUG off", SetSetting("DEBUG", "off")),
        ("disable caching", SetSetting("caching", "false")),
        (
            "send() should use port 587 by default",
            SetSetting("port", "587", is_default=True, within="send"),
        ),
    ),
    near_misses=(
        "use double quotes",
        "make it faster",
        "add a docstring to load",
        "role is a str",
        "remove `add()`",
    ),
)
"""A setting in words of one's own."""
USE_SETTING = Guess(
    "use-setting",
    reads=_used,
    examples=(("use imperial units", SetSetting("units", "imperial")),),
    near_misses=("use double quotes", "use early returns"),
)
"""A value before the name of its setting."""
