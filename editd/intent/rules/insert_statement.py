"""Insert a statement: how people ask for a line of code, or a log call, at a place that they name."""

from __future__ import annotations

import re
from collections.abc import Callable

from editd.intent.intents import InsertStatement, Intent, Open
from editd.intent.rules.rule import RowMatch, Rule, Slots
from editd.intent.rules.templates import FUNCTION

_CALL = re.compile(r"[^\W\d][\w.:]*!?\s*\(.*\);?|(?:await|return|raise|throw) .+", re.DOTALL)
_IN_NAME = re.compile(
    r"(?P<anchor>.+) (?:in|inside|of) (?:the )?(?:function |method )?(?P<name>`?[^\W\d][\w.]*(?:\(\))?`?)",
    re.IGNORECASE,
)
_TOP = "(at|as|to) (the)? (very)? (top|start|beginning|first line|first statement|first thing)"
_END = "(at|as|to) (the)? (very)? (end|bottom|last line|last statement)"
_BESIDE = "(right|just|directly|immediately)?"
_LEVEL = "((at|with|on|as) (an|a|the)? (log)? (level)? LEVEL (level)?)?"
_LINE = "(the|a)? (line|statement|call|code|log line|log call)? :?"
_A_LOG = "(a|an|the)? LEVEL? (log|logging|logger) (call|line|message|statement|entry)? (with|saying|that says|:)? (the)? (text|message)?"


def _inserted(
    where: str, slots: Slots, code: str = "", text: str = "", variable: str = ""
) -> Intent:
    """``InsertStatement`` at the place that the slots name: the statement in ``anchor``, and the function in ``name``
    or after it in ``anchor`` ("the loop in load").

    where: ``before``, ``after``, or an end of the function. code: the statement as written; else ``text`` is logged, at
    the slots' level, or ``variable`` is.
    """
    anchor, name = slots.get("anchor", ""), slots.get("name", "")
    if found := _IN_NAME.fullmatch(anchor):
        anchor, name = found["anchor"], found["name"]
    level = {"warn": "warning"}.get(slots.get("level", "").lower(), slots.get("level", "").lower())
    return InsertStatement(
        code,
        where,
        name.strip("`").removesuffix("()"),
        anchor,
        text=text,
        level=level,
        variable=variable,
    )


def _of_code(where: str) -> Callable[[Slots], Intent]:
    """Make the maker of the intent for code: ``InsertStatement`` for a call, ``Open`` for any other text. where: as of
    the intent.
    """

    def made(slots: Slots) -> Intent:
        code = slots["code"]
        return _inserted(where, slots, code=code) if _CALL.fullmatch(code) else Open()

    return made


def _of_text(where: str) -> Callable[[Slots], Intent]:
    """Makes the intent of a text that is to be logged."""
    return lambda slots: _inserted(where, slots, text=slots["code"])


def _is_no_text(match: RowMatch) -> bool:
    """Whether the text to be logged is no plain one: in backticks it may be a name, and a format is for a model."""
    return match.quotes["code"] == "`" or bool(re.search(r"[%{}\\\"$]", match.slots["code"]))


INSERT_CODE_AT_TOP = Rule(
    "insert-statement",
    paraphrases=(
        f"(ADD|write|call) {_LINE} CODE {_TOP} (of|in|inside) {FUNCTION} (body)?",
        f"(ADD|write|call) {_LINE} CODE {_TOP}",
        f"(begin|start) {FUNCTION} with {_LINE} CODE",
        f"{_TOP} of {FUNCTION}, (ADD|write|call) {_LINE} CODE",
    ),
    intent=_of_code("top"),
    takes_location=True,
    is_of_one=True,
    examples=(
        (
            "add log.info('start') at the top of run",
            InsertStatement("log.info('start')", "top", "run"),
        ),
    ),
    near_misses=("add `validation` at the top of run",),
)
INSERT_CODE_AT_END = Rule(
    "insert-statement",
    paraphrases=(
        f"(ADD|write|call) {_LINE} CODE {_END} (of|in|inside) {FUNCTION} (body)?",
        f"(ADD|write|call) {_LINE} CODE {_END}",
        f"end {FUNCTION} with {_LINE} CODE",
    ),
    intent=_of_code("end"),
    takes_location=True,
    is_of_one=True,
    examples=(("add `done()` at the end of run", InsertStatement("done()", "end", "run")),),
)
INSERT_CODE_BEFORE = Rule(
    "insert-statement",
    paraphrases=(
        f"(ADD|write|call) {_LINE} CODE {_BESIDE} (before|above) ANCHOR",
        f"{_BESIDE} before ANCHOR, (ADD|write|call) {_LINE} CODE",
    ),
    intent=_of_code("before"),
    takes_location=True,
    is_of_one=True,
    examples=(
        (
            'add log.Println("listening on", port) right before ListenAndServe',
            InsertStatement('log.Println("listening on", port)', "before", "", "ListenAndServe"),
        ),
    ),
)
INSERT_CODE_AFTER = Rule(
    "insert-statement",
    paraphrases=(
        f"(ADD|write|call) {_LINE} CODE {_BESIDE} (after|below|behind) ANCHOR",
        f"{_BESIDE} after ANCHOR, (ADD|write|call) {_LINE} CODE",
    ),
    intent=_of_code("after"),
    takes_location=True,
    is_of_one=True,
    examples=(
        (
            "add `f.flush()` after f.write in save",
            InsertStatement("f.flush()", "after", "save", "f.write"),
        ),
    ),
)
LOG_TEXT_AT_TOP = Rule(
    "log-text",
    paraphrases=(
        f"log (the)? (text|message)? CODE {_LEVEL} (in|{_TOP} (of|in)|on entry to|when entering) {FUNCTION}",
        f"log (the)? (text|message)? CODE {_LEVEL} (when|whenever) {FUNCTION} (is called|gets called|starts|runs|is entered)",
        f"(ADD|write) {_A_LOG} CODE {_LEVEL} (to|in|{_TOP} (of|in)) {FUNCTION}",
        f"log (the)? (text|message)? CODE {_LEVEL} {_TOP}",
        f"(ADD|write) {_A_LOG} CODE {_LEVEL} {_TOP}",
    ),
    intent=_of_text("top"),
    excludes=_is_no_text,
    takes_location=True,
    is_of_one=True,
    examples=(('log "start" at the top of run', InsertStatement("", "top", "run", text="start")),),
)
LOG_TEXT_AT_END = Rule(
    "log-text",
    paraphrases=(
        f"log (the)? (text|message)? CODE {_LEVEL} {_END} (of|in) {FUNCTION}",
        f"(ADD|write) {_A_LOG} CODE {_LEVEL} {_END} (of|in) {FUNCTION}",
        f"log (the)? (text|message)? CODE {_LEVEL} {_END}",
    ),
    intent=_of_text("end"),
    excludes=_is_no_text,
    takes_location=True,
    is_of_one=True,
    examples=(('log "done" at the end of run', InsertStatement("", "end", "run", text="done")),),
)
LOG_TEXT_BEFORE = Rule(
    "log-text",
    paraphrases=(
        f"log (the)? (text|message)? CODE {_LEVEL} {_BESIDE} before ANCHOR",
        f"(ADD|write) {_A_LOG} CODE {_LEVEL} {_BESIDE} before ANCHOR",
        f"(ADD|write) {_A_LOG} {_BESIDE} before ANCHOR (saying|with|that says|:) CODE",
    ),
    intent=_of_text("before"),
    excludes=_is_no_text,
    takes_location=True,
    is_of_one=True,
    examples=(
        (
            'log "saving item" before the writeFileSync',
            InsertStatement("", "before", "", "the writeFileSync", text="saving item"),
        ),
    ),
)
LOG_TEXT_AFTER = Rule(
    "log-text",
    paraphrases=(
        f"log (the)? (text|message)? CODE {_LEVEL} {_BESIDE} after ANCHOR",
        f"(ADD|write) {_A_LOG} CODE {_LEVEL} {_BESIDE} after ANCHOR",
    ),
    intent=_of_text("after"),
    excludes=_is_no_text,
    takes_location=True,
    is_of_one=True,
    examples=(
        (
            'log "saved" after the save call',
            InsertStatement("", "after", "", "the save call", text="saved"),
        ),
    ),
)
LOG_VARIABLE = Rule(
    "log-variable",
    paraphrases=(
        f"log (the|its)? (value of|argument|parameter|variable)? (the)? OLDNAME (argument|parameter|variable|value)? {_LEVEL} (in|inside|of|{_TOP} (of|in)) {FUNCTION}",
        f"(ADD|write) {_A_LOG} (for|of) (the)? OLDNAME {_LEVEL} (to|in|inside) {FUNCTION}",
        f"log (the|its)? (value of|argument|parameter|variable)? (the)? OLDNAME (argument|parameter|variable|value)? {_LEVEL}",
    ),
    intent=lambda slots: _inserted("top", slots, variable=slots["old"]),
    name_slots=("old", "name"),
    is_certain=lambda _: True,
    takes_location=True,
    is_of_one=True,
    examples=(
        (
            "log the city at info level in fetch",
            InsertStatement("", "top", "fetch", level="info", variable="city"),
        ),
    ),
)
"""Of a variable of a function."""
