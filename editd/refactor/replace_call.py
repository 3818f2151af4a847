"""Calls another function where one is called, if both are written with their module or object.

The arguments stay, so this is for functions that take the same, which the words say.

a.go, "use log.Println instead of fmt.Println in f"::

    package a

    import (
        "fmt"
        "log"
    )

    func f() {
        fmt.Println("x")
    }

    func g() {
        fmt.Println("y")
    }

becomes::

    package a

    import (
        "fmt"
        "log"
    )

    func f() {
        log.Println("x")
    }

    func g() {
        fmt.Println("y")
    }
"""

from __future__ import annotations

import re

from editd.intent.intents import ReplaceCall
from editd.refactor.candidates import Candidates, with_spans
from editd.syntax.code import Code


def replace_call(intent: ReplaceCall, code: Code) -> Candidates | None:
    """The text with the calls of ``old`` as calls of ``new``, as a certain candidate; mentions in strings and comments
    stay.

    ``None`` if the text does not parse, has no such call, or does not mention what ``new`` is a member of; also if the
    calls of Go take a writer or make a text (``Fprint``, ``Sprint``) and the new ones do not.
    """
    owner = re.split(r"\.|::", intent.new)[0]
    if code.parsed_tokens is None or not any(
        re.search(rf"(?<!\w){re.escape(owner)}(?!\w)", line) for line in code.lines
    ):
        return None
    if re.search(r"\b[FS]print", intent.old) and not re.search(r"\b[FS]print", intent.new):
        return None  # other arguments
    texts = [(x.start, x.end) for x in code.tokens_of("string", "comment", "docstring")]
    calls = re.finditer(rf"(?<![\w.]){re.escape(intent.old)}(?=\()", code.text)
    spans = [
        (call.start(), call.end(), intent.new)
        for call in calls
        if not any(start <= call.start() < end for start, end in texts)
    ]
    return Candidates((with_spans(code.text, spans),), is_certain=True) if spans else None
