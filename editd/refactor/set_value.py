"""Gives a variable, key or setting another value of the kind that it has.

a.py, "set debug to true"::

    DEBUG = False
    LEVEL = 3

becomes::

    DEBUG = True
    LEVEL = 3

a.json, "set server.port to 9090"::

    {
      "port": 80,
      "server": {
        "port": 8080
      }
    }

becomes::

    {
      "port": 80,
      "server": {
        "port": 9090
      }
    }
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from editd.intent.intents import SetValue
from editd.refactor.candidates import Candidates, with_spans
from editd.refactor.values import ENDS
from editd.syntax.code import Code
from editd.syntax.places import place_of

DATA = frozenset(["json", "jsonc", "yaml", "toml", "ini", "css", "scss", "less"])
_BARE_VALUES = frozenset(["yaml", "ini", "css", "scss", "less"])
_TAGGED = re.compile(
    r"(?P<name>[\w./-]*[A-Za-z][\w./-]*:)(?!//)[\w.-]+"
)  # an image and its version


def set_value(intent: SetValue, code: Code) -> Candidates | None:
    """The text with the new value of the variable, key or setting called like the last part of the intent's name, as
    the only candidate; certain if the value is all that is assigned, in code.

    Looked for by the exact name, else in any case of letters, not in comments, strings and ``${name:-…}``; only in the definition at
    the intent's location, or in data files below the key that is named so, else at the least depth. ``None`` if nothing
    or several things are called so there, or if a location outside of data is not there. Old values are numbers; where
    the intent accepts any kind, and in data files, also strings and truth values, and the new one has to be of the old
    one's kind.
    """
    text, language = code.text, code.language
    name, new = intent.name.rsplit(".", 1)[-1], intent.new
    place = place_of(intent.location, text, language) if intent.location else None
    parent = "" if place else intent.location or intent.name.rpartition(".")[0]
    is_any = intent.accepts_any_kind or language in DATA
    bare = r"|[^\s#,;'\"{}\[\]][^#\n,;{}]*" if language in _BARE_VALUES else ""
    number = r"-?\d[\w.]*"
    value = (
        rf"\"[^\"\\\n]*\"|'[^'\\\n]*'|{number}|\b(?:true|false|null|nil|None)\b{bare}"
        if is_any
        else number
    )
    typed = "" if language in DATA else r"(?:[ \t]*:[ \t]*[\w\[\]. ]+?)?"
    pattern = rf"(?<![\w-])(?<!\$\{{){re.escape(name)}(?![\w-])[\"']?{typed}[ \t]*(?::=|=(?!=)|:)[ \t]*(?P<value>{value})"
    found: list[re.Match[str]] = []
    tokens = code.tokens
    texts = [token for token in tokens or () if token.kind in ("comment", "docstring", "string")]
    for flag in (re.NOFLAG, re.IGNORECASE):  # "the timeout" may be TIMEOUT
        if not found:
            found = [
                at
                for at in re.finditer(pattern, text, flag)
                if not any(token.start <= at.start() and at.end() <= token.end for token in texts)
            ]
    if intent.location and place:
        found = [at for at in found if place.first <= at.start() < place.last]
    elif intent.location and language not in DATA:
        return None
    if language in DATA:
        found = _of_data(found, parent, text, language)
    if len(found) != 1:
        return None
    at = found[0]
    written = _as_value(at["value"], new, is_bare=language in _BARE_VALUES) if is_any else new
    if written is None:
        return None
    start, end = at.start("value"), at.start("value") + len(at["value"].rstrip())
    is_code = tokens is not None and (
        not at["value"][0].isdigit()
        or any(t.kind == "number" and t.end == end and start <= t.start for t in tokens)
    )
    # Of "10 * 60" the words do not say what becomes of the rest.
    is_code = is_code and ENDS.match(text, end) is not None
    return Candidates((with_spans(text, [(start, end, written)]),), is_code)


def _as_value(old: str, new: str, *, is_bare: bool) -> str | None:
    """``new`` written as a value of the kind of ``old``, in its quotes or its case; ``None`` if it is of another kind
    (unless is_bare), cannot stand in its quotes, has blanks or signs that need quotes (is_bare), or is a number with a
    unit for one without, or the other way round. Quotes take any kind.

    is_bare: the language has values without quotes. Of an image with a version (``web:1.2``) a new version alone
    replaces that, and what is no image replaces nothing (``None``).
    """
    old = old.rstrip()
    if old[0] in "\"'":
        return None if old[0] in new or "\\" in new else f"{old[0]}{new}{old[0]}"
    if tagged := _TAGGED.fullmatch(old):
        if re.fullmatch(r"v?\d[\w.-]*", new):
            return f"{tagged['name']}{new}"
        return new if ":" in new and is_bare else None
    kinds = (r"-?\d[\w.]*", r"(?i:true|false|on|off|yes|no)", r"null|nil|None")
    same = any(re.fullmatch(kind, old) and re.fullmatch(kind, new) for kind in kinds)
    if not (same or is_bare):
        return None
    if re.fullmatch(r"-?[1-9][\d._]*", old) and re.fullmatch(r"-?\d[\d._]*[a-zA-Z]+", new):
        return None  # a unit, where none was
    if re.fullmatch(r"-?\d[\d._]*[a-zA-Z%]+", old) and re.fullmatch(r"-?[1-9][\d._]*", new):
        return None  # no unit, where one was
    if same and old.lower() in ("true", "false"):
        is_true = new.lower() in ("true", "on", "yes")
        word = "true" if is_true else "false"
        return word.title() if old.istitle() else word
    return new if re.fullmatch(r"[\w./:@+-]+", new) or not is_bare else None


def _of_data(
    found: Sequence[re.Match[str]], parent: str, text: str, language: str
) -> list[re.Match[str]]:
    """The values directly below the key or header that ``parent`` ends in; without a parent those
    at the least depth of all that were found.
    """
    if parent:
        last = parent.rpartition(".")[2]
        return [at for at in found if _parent_of(at, text, language) == last]
    depths = [_depth(at, text, language) for at in found]
    return [at for at, depth in zip(found, depths, strict=True) if depth == min(depths)]


def _depth(at: re.Match[str], text: str, language: str) -> int:
    """How deep a value lies: columns of indentation; in TOML and INI 1 below any header, else 0."""
    if language in ("toml", "ini"):
        return len(re.findall(r"(?m)^[ \t]*\[", text[: at.start()])) and 1
    line = text.rfind("\n", 0, at.start()) + 1
    return len(text[line : at.start()]) - len(text[line : at.start()].lstrip())


def _parent_of(at: re.Match[str], text: str, language: str) -> str:
    """The last part of the key or header above a value, the nearest with less indentation; empty at
    the outermost depth.
    """
    before = text[: text.rfind("\n", 0, at.start()) + 1]
    if language in ("toml", "ini"):
        headers = re.findall(r"(?m)^[ \t]*\[+([^\]\n]+)\]", before)
        return headers[-1].rpartition(".")[2].strip("\"' ") if headers else ""
    depth = _depth(at, text, language)
    for line in reversed(before.splitlines()):
        if line.strip() and len(line) - len(line.lstrip()) < depth:
            key = re.match(r"\s*(?:- )?[\"']?([\w.@&:#-]+?)[\"']?\s*[:{]", line)
            return key[1].lstrip(".#") if key else ""
    return ""
