"""Replaces a token by another of its shape: a colour, an address, a version, an algorithm.

a.css, "replace #3366ff by #0055cc"::

    a { color: #3366ff; }
    b { color: #3366ff80; }

becomes::

    a { color: #0055cc; }
    b { color: #3366ff80; }

a.md, "the contact is a@x.io now, not b@x.io"::

    Questions go to b@x.io.

becomes::

    Questions go to a@x.io.

Dockerfile, "update python to 3.12"::

    FROM python:3.9-slim

becomes::

    FROM python:3.12-slim
"""

from __future__ import annotations

import re

from editd.intent.intents import ReplaceToken
from editd.refactor.candidates import Candidates, with_spans
from editd.refactor.entries import is_program
from editd.syntax.code import Code
from editd.syntax.language import PROSE

_VARIANT = re.compile(r"(?<=\d)-[a-z].*")  # of an image: "3.9-slim"


def replace_token(intent: ReplaceToken, code: Code) -> Candidates | None:
    """The text with the token replaced wherever it stands whole, as a certain candidate: of a name with ``is_version``
    the version after it; a plain word only where it is all of a string, and stands nowhere else.

    ``None`` if it stands nowhere, in a comment, or as the beginning of a longer path; in a program also where tokens
    are unknown, or unless it stands in strings only, is no word, or is a member's name that stands once.
    """
    old, text = intent.old, code.text
    if intent.is_version:
        return _with_version(intent, code)
    if re.fullmatch(r"[a-z]{3,}[\w-]*", old, re.IGNORECASE) and old.isalpha():
        return _with_word(intent, code)
    if re.fullmatch(r"[\w-]+(?:\.[\w-]+)+", old):  # a domain may stand in an address
        whole = re.compile(rf"(?<![\w.-]){re.escape(old)}(?![\w-])(?!\.\w)")
    else:
        whole = _whole(old)
    places = [at.span() for at in whole.finditer(text)]
    if old.startswith("/") and len(re.findall(rf"(?<![\w/]){re.escape(old)}(?!\w)", text)) != len(
        places
    ):
        return None  # the beginning of a longer path, too
    tokens = code.tokens
    if not places or (tokens is None and code.language not in PROSE and is_program(code)):
        return None
    comments = [token for token in tokens or () if token.kind in ("comment", "docstring")]
    if any(token.start <= start < token.end for token in comments for start, _ in places):
        return None
    if is_program(code) and code.language not in PROSE and not _may_be_exchanged(old, places, code):
        return None
    return Candidates(
        (with_spans(text, [(*place, intent.new) for place in places]),), is_certain=True
    )


def _may_be_exchanged(old: str, places: list[tuple[int, int]], code: Code) -> bool:
    """Whether a token may be replaced in code. If it is a member's name (``md5`` of ``hashlib.md5``) and no other name:
    if that is its only place. Else: if all places are inside strings, or the token has a sign other than dots and is no
    name.
    """
    tokens = code.tokens or []
    strings = [token for token in tokens if token.kind == "string"]
    members = [token for token in tokens if token.kind == "member" and token.text == old]
    names = [token for token in tokens if token.kind == "name" and token.text == old]
    if members and not names:
        return len(members) == len(places) == 1
    is_in_strings = all(
        any(token.start < start < token.end for token in strings) for start, _ in places
    )
    is_sign = not re.fullmatch(r"[\w.]+", old) and not names
    return is_in_strings or is_sign


def _with_version(intent: ReplaceToken, code: Code) -> Candidates | None:
    """The text with the new version after the name (behind ``-``, ``:`` or ``@``) in all places, a ``v`` before it and
    the variant of an image behind it (``-slim``) kept, as a certain candidate; ``None`` if the name with a version stands
    nowhere or in a comment, or with several versions.
    """
    named = re.compile(
        rf"(?<![\w./-]){re.escape(intent.old)}[-:@](?P<version>v?\d[\w.-]*)(?![\w@/])"
    )
    found = list(named.finditer(code.text))
    comments = code.tokens_of("comment", "docstring")
    if len({at["version"] for at in found}) != 1 or any(
        token.start <= at.start() < token.end for token in comments for at in found
    ):
        return None
    is_marked = found[0]["version"].startswith("v") and not intent.new.startswith("v")
    new = f"v{intent.new}" if is_marked else intent.new
    variant = _VARIANT.search(found[0]["version"])
    if variant and f"{intent.old}:" in found[0][0] and not _VARIANT.search(intent.new):
        new += variant[0]
    return Candidates(
        (with_spans(code.text, [(*at.span("version"), new) for at in found]),), is_certain=True
    )


def _whole(old: str) -> re.Pattern[str]:
    """The pattern of a token that is no part of something longer; a name may be a member."""
    before, after = ("", "") if old.isidentifier() else (r"(?<!\w\.)", r"(?!\.\w)")
    return re.compile(rf"(?<![\w#@/-]){before}{re.escape(old)}(?![\w#@/-]){after}")


def _with_word(intent: ReplaceToken, code: Code) -> Candidates | None:
    """The text with the word replaced, as a certain candidate, if it stands in code as the whole contents of strings,
    and nowhere else; ``None`` otherwise.
    """
    word = re.compile(rf"(?<!\w){re.escape(intent.old)}(?!\w)")
    places = [at.span() for at in word.finditer(code.text)]
    strings = {(token.start + 1, token.end - 1) for token in code.tokens_of("string")}
    if not places or not strings.issuperset(places):
        return None
    return Candidates(
        (with_spans(code.text, [(*place, intent.new) for place in places]),), is_certain=True
    )
