"""Add an entry: how people ask that a section of a JSON file get a key with its value, such as a script of a package."""

from __future__ import annotations

import re

from editd.intent.english import FUNCTION_WORDS
from editd.intent.intents import AddEntry
from editd.intent.rules.guess import Guess

_ADD = r"(?:add|create|insert|define|include|put)"
_NEW = r"(?:(?:an?|the|another) )?(?:new )?(?:npm )?"
_KEY = r"[`'\"]?(?P<name>[@\w][\w./:@-]*?)[`'\"]?"
_COMMAND = r"(?P<mark>[`'\"]?)(?P<value>[^`]+?)(?P=mark)"
_RUNS = r"(?:that (?:just |simply )?(?:runs?|calls?|executes?|does)|which (?:runs?|calls?)|to run|running|calling|with|for|:|=|->|as)"
_SCRIPTS = tuple(
    re.compile(form, re.IGNORECASE)
    for form in (
        rf"{_ADD} {_NEW}{_KEY} (?:npm )?script ?{_RUNS} {_COMMAND}",
        rf"{_ADD} {_NEW}{_KEY} (?:npm )?script \((?P<value>[^()]+)\)",
        rf"{_ADD} {_NEW}script (?:called |named )?{_KEY} ?{_RUNS} {_COMMAND}",
        rf"{_ADD} {_NEW}script (?:called |named )?{_KEY} \((?P<value>[^()]+)\)",
    )
)
_OF = r"(?:the )?[`'\"]?(?P<of>[A-Za-z][\w-]*)[`'\"]?(?: section| object)?"
_VERSION = r"(?P<value>[\^~]?\d[\w.-]*|[<>]=?\d[\w.-]*|latest|\*)"
_ENTRIES = tuple(
    re.compile(form, re.IGNORECASE)
    for form in (
        rf"{_ADD} \"(?P<name>[^\"]+)\": ?\"(?P<value>[^\"]*)\" (?:to|in|into|under) {_OF}",
        rf"{_ADD} {_KEY}(?: |@| version |, version ){_VERSION} (?:to|in|into|under) {_OF}",
        rf"{_ADD} {_KEY}(?: |@| version ){_VERSION} as an? (?P<of>(?:dev|peer)? ?dependency)",
    )
)
_KINDS = {"dependency": "dependencies", "dev dependency": "devDependencies", "devdependency": "devDependencies", "peer dependency": "peerDependencies"}  # fmt: skip


def _added(text: str) -> AddEntry | None:
    """The intent of a request that names a key, its value and the section; ``None`` for another one."""
    for form in _SCRIPTS:
        found = form.fullmatch(text)
        if found and found["name"].lower() not in FUNCTION_WORDS:
            value = re.sub(r"^(?:runs?|calls?|the command) ", "", found["value"].strip())
            return AddEntry(found["name"], value, "scripts")
    for form in _ENTRIES:
        found = form.fullmatch(text)
        if found and found["name"].lower() not in FUNCTION_WORDS:
            of = found["of"].lower()
            return AddEntry(found["name"], found["value"], _KINDS.get(of, found["of"]))
    return None


ADD_ENTRY = Guess(
    "add-entry",
    reads=_added,
    examples=(
        ("add a test script that runs vitest", AddEntry("test", "vitest", "scripts")),
        (
            'add a "typecheck" script: tsc --noEmit',
            AddEntry("typecheck", "tsc --noEmit", "scripts"),
        ),
        (
            "add a script called format that runs prettier --write src",
            AddEntry("format", "prettier --write src", "scripts"),
        ),
        ("add axios ^1.6.0 to dependencies", AddEntry("axios", "^1.6.0", "dependencies")),
        ("add msw@2.0.0 as a dev dependency", AddEntry("msw", "2.0.0", "devDependencies")),
        (
            'add "node": ">=18" to engines',
            AddEntry("node", ">=18", "engines"),
        ),
    ),
    near_misses=("add a test script", "add axios to dependencies", "run the script with node"),
    reads_all_words=True,
)
"""A key with its value."""
