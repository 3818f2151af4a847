"""Add an argument: how people ask that a call get one more argument by name."""

from __future__ import annotations

import re

from editd.intent.english import FUNCTION_WORDS, QUOTED
from editd.intent.intents import AddArgument
from editd.intent.rules.guess import Guess

_ARTICLE = r"(?:(?:an?|the) )?"
_NAME = r"[`'\"]?(?P<name>[^\W\d]\w*)[`'\"]?"
_UNIT = r"(?: ?(?P<unit>ms|milliseconds?|s|secs?|seconds?|mins?|minutes?))?"
_VALUE = rf"(?P<value>{QUOTED}|-?\d[\d_.]*(?![\w.-])|-?\d[\d.]*(?=[a-z])|[^\s,;:`'\"()]+?)"
_CODE = r"`?(?P<name>[^\W\d]\w*) ?= ?(?P<value>\"[^\"]*\"|'[^']*'|[^\s,;`]+?)`?(?P<unit>(?!))?"
_CALL = r"(?:(?P<each>all|every|each|both) (?:of )?)?(?:the )?(?:(?:calls?|uses) (?:of|to) )?(?P<call>[`'\"]?[^\W\d][\w.]*(?:\(\))?[`'\"]?|[a-z]+ [a-z]+)(?P<many> calls)?(?: calls?)?"
_TO = rf"(?:to|on|in|for|into|of) {_CALL}"
_FORMS = tuple(
    re.compile(form, re.IGNORECASE)
    for form in (
        rf"(?:add|pass|use|set|give|put|specify|supply|include) {_ARTICLE}(?:(?:argument|parameter|option|keyword|flag|keyword argument|kwarg) )?{_CODE} (?:(?:as an? )?(?:argument|parameter|option) )?{_TO}",
        rf"(?:add|set|use|put|specify) {_ARTICLE}{_NAME}(?: (?:argument|parameter|option))? (?:of|to|as|=|:) {_VALUE}{_UNIT} {_TO}",
        rf"(?:add|pass|use|specify|set) {_ARTICLE}{_NAME}:? {_VALUE}{_UNIT} {_TO}",
        rf"(?:add|use|put|set) (?:an? )(?P<value>\d[\d.]*)(?:-| )?(?P<unit>ms|milliseconds?|s|secs?|seconds?|mins?|minutes?) {_NAME} {_TO}",
        rf"(?:call|run|use|invoke) {_CALL} with {_CODE}",
        rf"(?:open|read|write|call|run|load) {_CALL} with {_ARTICLE}{_NAME}(?: of|:)? {_VALUE}{_UNIT}",
        rf"{_CALL} (?:should|must|needs to|has to) (?:have|get|use|take|be called with|pass|run with) {_ARTICLE}(?:{_NAME} (?:of |= ?|:? )?{_VALUE}{_UNIT})",
        rf"{_CALL} needs {_ARTICLE}{_NAME}(?: of |, |: ?| \(| ){_VALUE}{_UNIT}\)?",
        rf"{_CALL} (?:should|must|needs to|has to) (?:have|get|use|be called with|pass|run with) {_CODE}",
    )
)
_UTF8 = re.compile(
    r"(?:open|read|write|load|save) (?:the |all |every )?(?P<call>files?|csv|json) (?:with|as|in|using) (?:the )?(?:encoding )?(?P<value>utf-?8)(?: encoding)?",
    re.IGNORECASE,
)
_NO_NAMES = FUNCTION_WORDS | frozenset(
    """
    line comment docstring test field column method function import type hint parameter argument default check guard call
    value entry key element item option flag variable property version dependency package script step job space
    """.split()  # noqa: SIM905
)


def _added(text: str) -> AddArgument | None:
    """The intent of a request that names an argument, its value and the call; ``None`` for another one."""
    if found := _UTF8.fullmatch(text):
        are_many = found["call"].lower() == "files" or " all " in text or " every " in text
        return AddArgument("encoding", "utf-8", "open", are_many=are_many)
    for form in _FORMS:
        found = form.fullmatch(text)
        if found is None:
            continue
        parts = found.groupdict()
        call = parts["call"].strip("`'\"").removesuffix("()")
        is_code = f"{parts['name']}=" in text.replace(" ", "")
        if call.lower() in _NO_NAMES or (parts["name"].lower() in _NO_NAMES and not is_code):
            continue
        return AddArgument(
            parts["name"],
            parts["value"],
            call,
            unit=(parts.get("unit") or "").lower(),
            is_code=is_code,
            are_many=bool(parts["each"] or parts["many"]),
        )
    return None


ADD_ARGUMENT = Guess(
    "add-argument",
    reads=_added,
    examples=(
        (
            "add a timeout of 10 seconds to the request",
            AddArgument("timeout", "10", "request", unit="seconds"),
        ),
        ("pass encoding utf-8 to open", AddArgument("encoding", "utf-8", "open")),
        (
            "add check=True to subprocess.run",
            AddArgument("check", "True", "subprocess.run", is_code=True),
        ),
        (
            "call json.dumps with sort_keys=True",
            AddArgument("sort_keys", "True", "json.dumps", is_code=True),
        ),
        ("open the file with utf-8", AddArgument("encoding", "utf-8", "open")),
        (
            "requests.get needs a timeout of 5s",
            AddArgument("timeout", "5", "requests.get", unit="s"),
        ),
    ),
    near_misses=(
        "add a timeout to the request",
        "add a docstring of two lines to load",
        "pass the path to open",
        "set the timeout to 10",
    ),
    reads_all_words=True,
)
"""An argument that a call gets by name."""
