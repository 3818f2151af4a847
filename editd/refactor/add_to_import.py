"""Adds names to an import that is there.

a.py, "add url_for to the flask import"::

    from flask import Flask, request

becomes::

    from flask import Flask, request, url_for

a.ts, "import useRef from react"::

    import { useState } from "react";

becomes::

    import { useState, useRef } from "react";
"""

from __future__ import annotations

import re

from editd.intent.intents import AddToImport
from editd.refactor.candidates import Candidates, with_spans
from editd.syntax.code import Code
from editd.syntax.language import SCRIPTS

_PYTHON = r"(?m)^from (?P<module>[\w.]+) import (?P<names>\w+(?:, \w+)*)(?=[ \t]*(?:#.*)?$)"
_SCRIPT = r"(?m)^import (?:type )?(?:[\w$]+, )?\{(?P<names>[^{}\n]*?),?\s*\} from [\"'](?P<module>[^\"']+)[\"']"
_REQUIRED = r"(?m)^(?:const|let|var) \{(?P<names>[^{}\n]*?),?\s*\} = require\([\"'](?P<module>[^\"']+)[\"']\)"


def add_to_import(intent: AddToImport, code: Code) -> Candidates | None:
    """The text with the names added to the last import of the module that is not of types alone, as a certain candidate: in order with the names there,
    if several stand there in order, else after them.

    ``None`` if the text has no import of names from the module that stands on one line, if one of these has one of the
    names already, or in languages other than Python, JavaScript and TypeScript.
    """
    pattern = (
        _PYTHON if code.language == "python" else _SCRIPT if code.language in SCRIPTS else "(?!)"
    )
    found = [at for at in re.finditer(pattern, code.text) if at["module"] == intent.module]
    if not found and code.language in SCRIPTS:
        found = [at for at in re.finditer(_REQUIRED, code.text) if at["module"] == intent.module]
    found = [at for at in found if not at[0].startswith("import type")] or found
    if not found:
        return None
    imported = {name.strip() for at in found for name in at["names"].split(",")}
    last = found[-1]
    start, end = last.span("names")
    names = [name.strip() for name in last["names"].split(",") if name.strip()]
    if not names or not imported.isdisjoint(intent.items):
        return None
    is_sorted = len(names) > 1 and names == sorted(names)
    new = sorted([*names, *intent.items]) if is_sorted else [*names, *intent.items]
    lead = " " if last["names"].startswith(" ") else ""
    return Candidates(
        (with_spans(code.text, [(start, end, lead + ", ".join(new))]),), is_certain=True
    )
