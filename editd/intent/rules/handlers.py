"""Handlers: how people say that on an error a value is returned, or the error printed, logged or raised again."""

from __future__ import annotations

import re
from collections.abc import Callable

from editd.intent.intents import Handler

_QUOTED = r"\"[^\"]*\"|'[^']*'"
_EMPTY = {
    "list": "[]", "array": "[]", "dict": "{}", "dictionary": "{}", "object": "{}", "map": "{}", "string": '""',
    "str": '""', "tuple": "()", "set": "set()",
}  # fmt: skip
_VALUE = (
    rf"(?:{_QUOTED}|`[^`]+`|(?:None|True|False|null|undefined|nil|true|false)\b|-?\d[\d.]*|\[ ?\]|\{{ ?\}}|\( ?\)"
    rf"|(?:an? )?empty (?:{'|'.join(_EMPTY)})\b|nothing\b|(?:set|list|dict|tuple)\(\))"
)
_ERROR = r"(?:(?:the|an?|that|its) )?(?:errors?|exceptions?|it|them|message|failure|problem|traceback|stack ?trace|warning)"
_LEAD = re.compile(
    r"(?:(?:[,;:-]|and|then|by|that|which|to|just|simply|it should|it must|so that it|so it|should|must|will|in that case|instead|(?:when|if) (?:it|that|this) happens)"
    r"(?: |$))+|(?:on|in case of|when|if)(?: there is| there's)?(?: an?| any| the)?"
    r" (?:errors?|failures?|exceptions?|(?:it|that|this) fails|something goes wrong)(?: (?:occurs|happens|is raised))?(?: |$)",
    re.IGNORECASE,
)


def _written(value: str) -> str:
    """A value as code: ``None`` for "nothing", the literal for "empty list" and the like, text in double quotes, code
    without its backticks; anything else, as text that has double quotes in it, without blanks.
    """
    if value.startswith("`"):
        return value.strip("`")
    if kind := re.search(r"empty (\w+)", value):
        return _EMPTY[kind[1].lower()]
    if value == "nothing":
        return "None"
    return (
        f'"{value[1:-1]}"'
        if value[0] in "'\"" and '"' not in value[1:-1]
        else value.replace(" ", "")
    )


_LEVELS = {"warn": "warning", "warning": "warning", "error": "error"}
_LOGGING = (
    rf"(?:logs?|logging)(?: an? (?P<kind>warning|error)| {_ERROR})?(?: (?:with|using|via|by|at|as|through)(?: (?:the|an?))?(?: level)?"
    r" (?:[\w.]+\.)?(?P<level>exception|error|warning|warn|info|debug|critical)(?:\(\))?(?: level)?)?"
)
_HANDLERS: tuple[tuple[str, Callable[[re.Match[str]], Handler]], ...] = (
    (
        rf"(?:returns?|returning|returned|gives? back|gives?|yields? back) (?P<value>{_VALUE})",
        lambda at: Handler("return", _written(at["value"])),
    ),
    (
        rf"(?:prints?|printing)(?: out)?(?: (?:the|a) (?:message|text))? (?P<value>{_QUOTED})",
        lambda at: Handler("print", _written(at["value"])),
    ),
    (
        rf"(?:prints?|printing|console\.(?:error|log)|shows?|outputs?)(?: out)?(?: {_ERROR}(?: message)?)?",
        lambda _: Handler("print"),
    ),
    (
        _LOGGING,
        lambda at: Handler("log", _LEVELS.get(at["level"] or at["kind"] or "", at["level"] or "")),
    ),
    (
        r"(?:re-?(?:raises?|throws?)|raises?|throws?|re-?raising)(?! (?:an? |new )?[\w.]+\()(?: (?:it|the (?:error|exception)))?(?: again| further)?",
        lambda _: Handler("raise"),
    ),
    (
        rf"(?:(?:ignores?|swallows?|skips?)(?: {_ERROR}| them)?|do(?:es)? nothing|pass(?:es)?)",
        lambda _: Handler("pass"),
    ),
    (
        r"(?:(?:continues?|(?:goes|go|moves|move) on|skips?)(?: (?:with|to) the next(?: \w+)?)|continues?|(?:goes|go|moves|move) on|skips? (?:the|that|this) (?:row|line|item|entry|record|file|iteration|element|user|key))",
        lambda _: Handler("continue"),
    ),
    (r"breaks?(?: out(?: of the loop)?)?", lambda _: Handler("break")),
    (
        r"exits?(?: (?:the program|with))*(?: (?:code|status|exit code))? (?P<code>\d+)",
        lambda at: Handler("exit", at["code"]),
    ),
    (
        rf"(?:(?:uses?|sets?|assigns?|assign) )?(?P<name>[^\W\d]\w*(?:\[[^\[\]]*\])?) (?:=|to) (?P<value>{_VALUE})",
        lambda at: Handler("do", f"{at['name']} = {_written(at['value'])}"),
    ),
    (
        r"(?:(?:just )?returns?(?: early| nothing)?|bails?(?: out)?|leaves?(?: the function)?|gives? up)(?! [\w\"'\[{(-])",
        lambda _: Handler("return"),
    ),
    (
        r"aborts?(?: the request)?(?: with)?(?: (?:a|an|status|code|http|error))* (?P<code>[345]\d\d)",
        lambda at: Handler("do", f"abort({at['code']})"),
    ),
    (
        r"(?:(?:calls?|runs?|do|does) )?(?:`(?P<quoted>[^`]+)`|(?P<call>[^\W\d][\w.]*\([^()]*\)))",
        lambda at: Handler("do", at["quoted"] or at["call"]),
    ),
)
_PATTERNS = tuple((re.compile(rf"{text}(?= |$)", re.IGNORECASE), make) for text, make in _HANDLERS)


def handlers_in(words: str) -> tuple[Handler, ...] | None:
    """The actions in their order; ``None`` if a part of the words is not understood, or they say nothing."""
    rest, found = words.strip(), []
    while rest:
        if lead := _LEAD.match(rest):
            rest = rest[lead.end() :]
            continue
        rest = re.sub(r"^, ?", "", rest)
        for pattern, make in _PATTERNS:
            if match := pattern.match(rest):
                found.append(make(match))
                rest = re.sub(r"^ ?,? ?", "", rest[match.end() :])
                break
        else:
            return None
    return tuple(found) or None
