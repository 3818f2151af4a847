"""Read from the environment: how people ask that a value in the code come from an environment variable."""

from __future__ import annotations

import re

from editd.intent.english import FUNCTION_WORDS
from editd.intent.intents import ReadFromEnvironment
from editd.intent.rules.guess import Guess

_WHERE = (
    r"(?:the |an? |its |their )?(?:(?:environment|env)[- ]?(?:variables?|vars?)|environment|env|os\.environ|os\.getenv|process\.env)"
    r"(?: (?:called |named )?`?(?P<variable>(?-i:[A-Z][A-Z\d_]+))`?)?(?: instead)?"
)
_NAME = r"(?:the |our )?`?[A-Za-z_$][\w$]*`?(?: [a-z]+){0,2}?"
_NAMES = rf"(?P<names>{_NAME}(?:(?:, and |, | and ){_NAME})*)"
_DEFAULT = r"(?:[,;(]? ?(?:and |with |but )?(?:(?:an? |the )?default(?:s|ing)?(?: value)?(?: to| of| is|:)?|falling back to|fall back to|fallback) `?(?P<default>[^\s,)`]+)`?\)?)?"
_GET = r"(?:read|get|take|load|pull|fetch|source)"
_HARD = r"(?:hard-?coding|hard-?coded?)"
_FORMS = tuple(
    re.compile(form, re.IGNORECASE)
    for form in (
        rf"{_GET} {_NAMES} (?:from|out of|via|through) {_WHERE}{_DEFAULT}",
        rf"{_NAMES} (?:should|must) (?:come|be (?:read|taken|loaded)) from {_WHERE}{_DEFAULT}",
        rf"(?:don't|do not|stop|instead of|no more) {_HARD} {_NAMES}(?:,|;| -|\.|,? but)? (?:please )?(?:{_GET}|use) (?:it|them)?(?: from| out of)? ?{_WHERE}{_DEFAULT}",
        rf"(?:use|introduce|add) (?:an? )?(?:environment|env)[- ]?(?:variables?|vars?)(?: `?(?P<variable>(?-i:[A-Z][A-Z\d_]+))`?)? for {_NAMES}{_DEFAULT}",
        rf"(?:move|put) {_NAMES} (?:in|into|to) {_WHERE}{_DEFAULT}",
        rf"make {_NAMES} (?:configurable|overridable|settable) (?:via|through|by|with|using|from) {_WHERE}{_DEFAULT}",
        rf"make {_NAMES} (?:an? )?(?:environment|env)[- ]?(?:variables?|vars?){_DEFAULT}",
    )
)


def _read(text: str) -> ReadFromEnvironment | None:
    """The intent of a request that names values and says that they come from the environment; ``None`` for another one."""
    for form in _FORMS:
        found = form.fullmatch(text)
        if found is None:
            continue
        parts = found.groupdict()
        names = tuple(
            re.sub(r"^(?:the|our) ", "", x).strip("`")
            for x in re.split(r", and |, | and ", parts["names"])
        )
        variable, default = parts.get("variable") or "", parts["default"] or ""
        if any(x.lower() in FUNCTION_WORDS for x in names):
            continue
        if len(names) > 1 and (variable or default):
            continue
        return ReadFromEnvironment(names, variable, default)
    return None


READ_FROM_ENVIRONMENT = Guess(
    "read-from-environment",
    reads=_read,
    examples=(
        (
            "read SECRET_KEY and DEBUG from environment variables",
            ReadFromEnvironment(("SECRET_KEY", "DEBUG")),
        ),
        (
            "get DEBUG from the environment, default false",
            ReadFromEnvironment(("DEBUG",), default="false"),
        ),
        (
            "don't hardcode the secret key, read it from the environment",
            ReadFromEnvironment(("secret key",)),
        ),
        (
            "take the base url from the environment variable API_URL",
            ReadFromEnvironment(("base url",), "API_URL"),
        ),
        ("use an env var for the port", ReadFromEnvironment(("port",))),
    ),
    near_misses=(
        "read the environment",
        "read it from the environment",
        "read the file from disk",
        "don't read DEBUG from the environment",
    ),
    is_of_one=False,
    reads_all_words=True,
)
"""A value that comes from the environment."""
