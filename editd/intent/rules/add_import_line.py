"""Add an import as it is written in its language, to an import that is there, or at a place that is named."""

from __future__ import annotations

import re

from editd.intent.english import FUNCTION_WORDS
from editd.intent.intents import AddImportLine, AddToImport, Intent
from editd.intent.rules.guess import Guess
from editd.intent.rules.import_words import GO_PACKAGES, import_words_of

_ADD = (
    r"(?:(?:add|insert|put|include|write|append|we need|i need|you need|need|there should be|use)(?: in)?(?: the| an| a)?(?: missing)?"
    r"(?: import| line| statement| import line| import statement| include| use)?(?: of| for)?:? )?"
)
_PLACE = r"(?: (?:at the (?:top|beginning|start)(?: of (?:the|this) file)?|to the (?:top|imports|includes|import (?:block|list|group)|file)|here|too|as well|(?:(?:along|together) )?(?:with|below|after|under|among) the (?:others|(?:other|existing) (?:imports|requires|includes|usings|uses))(?: (?:at the|on) top)?))?"
_STATEMENT = (
    r"(?P<statement>import (?:type |static )?[{*\"'\w].*?|from [\w.]+ import .+?|#\s*include .+?|use [\w:]+::.+?|(?:const|let|var) .+ = require\(.+\);?"
    r"|require (?:the )?[\"'`]?[@\w./-]+[\"'`]?|include [<\"]?[\w./]+\.h(?:pp)?[>\"]?|\"[\w./-]+\"(?= (?:to|import)))(?: import)?"
)
_LINE = re.compile(rf"{_ADD}(?P<mark>[`\"']?){_STATEMENT}(?P=mark){_PLACE}", re.IGNORECASE)
_BESIDE = re.compile(
    rf"{_ADD}(?P<mark>[`\"']?){_STATEMENT}(?P=mark)(?:[,;.:]? (?:and )?(?:please )?(?:put|place|insert|add) (?:it|that|this))? (?:right |directly |just )?(?P<side>after|below|under|behind|before|above) (?:the )?"
    r"(?P<mark2>[`\"']?)(?:(?P<line>(?:import|from|#include|use) .+?)|(?P<name>[\w./]+) import|(?:import|line) (?:of |for )?(?P<name2>[\w./]+))(?P=mark2)",
    re.IGNORECASE,
)
_WRITTEN = re.compile(
    rf"{_ADD}(?:require|import|include|use)? ?[\w@./:-]+ \((?P<mark>[`\"']?){_STATEMENT}(?P=mark)\){_PLACE}",
    re.IGNORECASE,
)
_ITEMS = r"[`'\"]?(?P<items>\w+[`'\"]?(?:(?:, | and |, and )[`'\"]?\w+[`'\"]?)*)"
_WHICH = ("first", "second", "last", "other", "same", "new", "next", "top", "bottom", "existing")
_TO_IMPORT = tuple(
    re.compile(form, re.IGNORECASE)
    for form in (
        rf"(?:add|put|include|append|insert) {_ITEMS} (?:to|in|into) (?:the |that )?(?:import(?:s)? (?:from|of) )[`'\"]?(?P<module>[@\w./-]+)[`'\"]?(?: import(?:s)?)?",
        rf"(?:add|put|include|append|insert) {_ITEMS} (?:to|in|into) (?:the |that )?[`'\"]?(?P<module>[@\w./-]+)[`'\"]? imports?(?: line| list| statement)?",
        rf"extend (?:the |that )?[`'\"]?(?P<module>[@\w./-]+)[`'\"]? import (?:with|by) {_ITEMS}",
        rf"(?:also )?import {_ITEMS} from [`'\"]?(?P<module>[@\w./-]+)[`'\"]?(?:,? (?:too|as well|also))?",
        rf"(?:also )?add (?:an? |the )?imports? (?:of |for )?{_ITEMS} from [`'\"]?(?P<module>[@\w./-]+)[`'\"]?",
    )
)


def _line(text: str) -> Intent | None:
    """The intent of a request that says how the import is written (in brackets behind its name, too), and perhaps before
    or after which one it goes; ``None`` for another request.
    """
    if found := _BESIDE.fullmatch(text):
        anchor = found["line"] or found["name"] or found["name2"]
        return AddImportLine(
            found["statement"].strip(), anchor, found["side"].lower() in ("before", "above")
        )
    if found := _WRITTEN.fullmatch(text) or _LINE.fullmatch(text):
        return AddImportLine(found["statement"].strip())
    return None


def _to_import(text: str) -> Intent | None:
    """The intent of a request that says which names go into the import of which module ("add b and c to the import from
    a"); ``None`` for another request.
    """
    for form in _TO_IMPORT:
        found = form.fullmatch(text)
        if found and found["module"].lower() not in _WHICH:
            items = re.split(r",? and |, ", re.sub(r"[`'\"]", "", found["items"]))
            return AddToImport(found["module"], tuple(items))
    return None


def _line_in_words(text: str) -> Intent | None:
    """The intent of a request in any words for an import whose name shows its language, as that language writes it: a
    path of Rust or Java, a header of C, a package of Go, a module that is to be required; ``None`` for another request
    or name.
    """
    found = import_words_of(text)
    if found is None or not found.name or found.name.lower() in FUNCTION_WORDS:
        return None
    name = found.name
    if found.requires and re.fullmatch(r"[@\w./-]+", name):
        return AddImportLine(f"require {name}")
    if re.fullmatch(r"\w+(?:::\w+)+(?:::\{[\w, ]+\})?", name):
        return AddImportLine(f"use {name}")
    if re.fullmatch(r"[a-z]\w*(?:\.[a-z]\w*)+\.[A-Z]\w*", name):
        return AddImportLine(f"import {name}")
    if re.fullmatch(r"<?[\w./]+\.h(?:pp)?>?", name):
        return AddImportLine(f"#include {name}")
    return AddImportLine(f'"{name}"') if name in GO_PACKAGES else None


def _to_import_in_words(text: str) -> Intent | None:
    """The intent of a request in any words that names of a module be imported; ``None`` for another request, or if one
    of them is no plain name.
    """
    found = import_words_of(text)
    if found is None or not found.items:
        return None
    if not all(re.fullmatch(r"[^\W\d]\w*", item) for item in found.items):
        return None
    return AddToImport(found.module, found.items)


ADD_IMPORT_LINE = Guess(
    "add-import-line",
    reads=_line,
    examples=(
        ("import java.util.Map", AddImportLine("import java.util.Map")),
        ("import { Button } from './Button'", AddImportLine("import { Button } from './Button'")),
        ("require cors", AddImportLine("require cors")),
        ('add "import logging" after import os', AddImportLine("import logging", "import os")),
        (
            "add `use std::fmt` before the io import",
            AddImportLine("use std::fmt", "io", is_before=True),
        ),
        ("#include <math.h>", AddImportLine("#include <math.h>")),
        (
            "require cors (const cors = require('cors');) along with the others",
            AddImportLine("const cors = require('cors');"),
        ),
        (
            "need from app.auth import login, put it above the app.db import",
            AddImportLine("from app.auth import login", "app.db", is_before=True),
        ),
    ),
    near_misses=("include a test", "add the missing imports", "use a list"),
    says_more=re.compile(r"\b(?:below|above|under|after|before|behind|next to)\b", re.IGNORECASE),
)
"""An import as it is written, or beside another one."""
ADD_TO_IMPORT = Guess(
    "add-to-import",
    reads=_to_import,
    examples=(
        ("add url_for to the flask import", AddToImport("flask", ("url_for",))),
        ("import useRef and useMemo from react", AddToImport("react", ("useRef", "useMemo"))),
    ),
    near_misses=("add a comment to the imports",),
)
"""Names for an import that is there."""
ADD_IMPORT_LINE_IN_WORDS = Guess(
    "add-import-line",
    reads=_line_in_words,
    examples=(
        (
            "bring std::path::Path into scope up there with the other use lines",
            AddImportLine("use std::path::Path"),
        ),
        ("we need java.util.Map here, add the import", AddImportLine("import java.util.Map")),
        ("require('os') at the top", AddImportLine("require os")),
        ("add strings to the imports", AddImportLine('"strings"')),
    ),
    near_misses=("add tests to the imports",),
)
"""An import whose name shows how it is written."""
ADD_TO_IMPORT_IN_WORDS = Guess(
    "add-to-import",
    reads=_to_import_in_words,
    examples=(("we also need to import useRef from react", AddToImport("react", ("useRef",))),),
    near_misses=("import the users from the database lazily",),
)
"""Names of a module."""
