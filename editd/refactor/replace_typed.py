"""Replaces what stands in a text exactly as it is typed: a wrong spelling, a word of commands, several words.

README.md, "fix typo: recieve -> receive"::

    You will recieve mail.

becomes::

    You will receive mail.

ci.yml, "use pnpm instead of npm"::

    steps:
      - run: npm ci
      - run: npm test --if-present

becomes::

    steps:
      - run: pnpm ci
      - run: pnpm test --if-present
"""

from __future__ import annotations

import re

from editd.intent.intents import ReplaceTyped
from editd.refactor.candidates import Candidates, mentions_by_kind, with_spans
from editd.refactor.entries import DATA, is_program
from editd.syntax.code import Code
from editd.syntax.language import PROSE

_NODE = frozenset(["npm", "pnpm", "yarn", "bun"])
_SHELLS = ("bash", "zsh", "sh", "dockerfile", "makefile", "make")


def replace_typed(intent: ReplaceTyped, code: Code) -> Candidates | None:
    """The text with the words replaced wherever they stand alone, as a certain candidate; parts of longer names stay, and
    are said to.

    ``None`` if they stand nowhere alone; for a command that takes other words than the one in its place; in a program also if they are, or have, anything but strings and comments, or
    (unless it is a typo) stand in two kinds of these; in data if they are a key; for a word of commands in prose that has
    it in no code.
    """
    old, text = intent.old, code.text
    before = r"(?<![\w$@/.-])" if old[0].isalnum() or old[0] == "_" else ""
    after = r"(?![\w/-])(?!\.\w)(?!=)" if old[-1].isalnum() or old[-1] == "_" else ""
    places = [at.span() for at in re.finditer(f"{before}{re.escape(old)}{after}", text)]
    if intent.is_typo:
        places += [
            at.span()
            for at in re.finditer(rf"(?<!\w){re.escape(old.capitalize())}(?!\w)", text)
            if old.islower() and at.span() not in places
        ]
    if not places:
        return None
    is_code = is_program(code) and code.language not in (*_SHELLS, *PROSE)
    if is_code and not _is_spoken(places, code, is_typo=intent.is_typo):
        return None
    if code.language in _SHELLS and re.search(
        rf"(?m)^\s*(?:export |local )?{re.escape(old)}(?:=|\s*\(\))|\$\{{?{re.escape(old)}\b", text
    ):
        return None
    if (code.language in DATA or code.language == "yaml") and re.search(
        rf"(?m)(?<![\w-])[\"']?{re.escape(old)}[\"']?\s*[:=](?!\w)", text
    ):
        return None
    is_word = intent.of_command or not (intent.is_typo or intent.is_quoted or " " in old)
    if is_word and code.language in PROSE and not _is_in_code(places, text):
        return None
    if intent.of_command and (is_code or not _takes_the_place(old, intent.new, places, text)):
        return None
    spans = [(start, end, _as_case(text[start:end], intent.new)) for start, end in places]
    longer = [
        (at.start(), at.end(), intent.new)
        for at in re.finditer(re.escape(old), text)
        if at.span() not in places
    ]
    return Candidates(
        (with_spans(text, spans),),
        is_certain=True,
        left_alone=mentions_by_kind(text, ("longer names", longer)),
    )


def _takes_the_place(old: str, new: str, places: list[tuple[int, int]], text: str) -> bool:
    """Whether a command may stand wherever another one does: it is the other with more or less letters or words, podman for
    docker, or both install packages of Node and are called with words that both have.
    """
    pair = {old, new}
    if old in new or new in old or " " in old or pair == {"docker", "podman"}:
        return True
    followed = [
        re.match(r" (install(?=\s*$|`)|test|run|start)\b", text[end:], re.MULTILINE)
        for _, end in places
    ]
    return pair <= _NODE and all(followed)


def _as_case(old: str, new: str) -> str:
    """``new``, with a capital where ``old`` has one and ``new`` has none."""
    is_capital = old[:1].isupper() and old[1:].islower() and new.islower()
    return new.capitalize() if is_capital else new


def _is_spoken(places: list[tuple[int, int]], code: Code, *, is_typo: bool) -> bool:
    """Whether all places are in strings and comments, and (unless it is a typo) in one kind of these."""
    tokens = code.tokens_of("string", "comment", "docstring")
    kinds = [
        next((t.kind for t in tokens if t.start <= start and end <= t.end), "code")
        for start, end in places
    ]
    return "code" not in kinds and (is_typo or len(set(kinds)) == 1)


def _is_in_code(places: list[tuple[int, int]], text: str) -> bool:
    """Whether one of the places is in a code block or between backticks of Markdown."""
    blocks = [
        at.span()
        for at in re.finditer(r"(?ms)^```.*?^```|`[^`\n]+`|^(?: {4}|\t)\S.*$|^\$ .*$", text)
    ]
    return any(a <= start and end <= b for start, end in places for a, b in blocks)
