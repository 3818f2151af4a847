"""Insert a statement: how people ask for a line of code, or a log call, at a place that they name."""

from __future__ import annotations

import re
from collections.abc import Callable

from editd.intent.english import plain_name
from editd.intent.intents import InsertStatement, Intent, Open
from editd.intent.lexicon import words_of
from editd.intent.rules.frames import cut_function
from editd.intent.rules.guess import Guess
from editd.intent.rules.rule import RowMatch, Rule, Slots
from editd.intent.rules.templates import FUNCTION
from editd.intent.slots import NAME, SOON, TAKEN, UnreadText

_CALL = re.compile(r"[^\W\d][\w.:]*!?\s*\(.*\);?|(?:await|return|raise|throw) .+", re.DOTALL)
_TOP = "(at|as|to) (the)? (very)? (top|start|beginning|first line|first statement|first thing)"
_END = "(at|as|to) (the)? (very)? (end|bottom|last line|last statement)"
_RIGHT = "(right|just|directly|immediately)?"
_BEFORE, _AFTER = "(before|above)", "(after|below|behind)"
_ADD = "(ADD|write|call)"
_LOG = "log (the)? (text|message)?"
_LEVEL = "((at|with|on|as) (an|a|the)? (log)? (level)? LEVEL (level)?)?"
_LINE = "(the|a)? (line|statement|call|code|log line|log call)? :?"
_LOG_VARIABLE = "log (the|its)? (value of|argument|parameter|variable)? (the)? OLDNAME (argument|parameter|variable|value)?"
_A_LOG = "(a|an|the)? LEVEL? (log|logging|logger) (call|line|message|statement|entry)? (with|saying|that says|:)? (the)? (text|message)?"


def _inserted(
    where: str, slots: Slots, code: str = "", text: str = "", variable: str = ""
) -> Intent:
    """The intent ``InsertStatement`` at the place that the slots name: ``anchor`` is the statement, perhaps with its
    function after it ("the loop in load"), else ``name`` is the function.

    where: ``before`` or ``after`` the statement, or an end of the function. code: the statement as written; else
    ``text`` is logged, at the slots' level (``warn`` as ``warning``, empty for the usual one), or ``variable`` is.
    """
    anchor, name = cut_function(slots.get("anchor", ""))
    level = slots.get("level", "").lower()
    return InsertStatement(
        code,
        where,
        name or plain_name(slots.get("name", "")),
        anchor,
        text=text,
        level="warning" if level == "warn" else level,
        variable=variable,
    )


def _of_code(where: str) -> Callable[[Slots], Intent]:
    """Make the function that makes the intent from a request's slots: ``InsertStatement`` for code that is a call,
    ``Open`` (a model has to do it) for any other text. where: ``before`` or ``after`` a statement, or an end of the
    function.
    """

    def made(slots: Slots) -> Intent:
        code = slots["code"]
        return _inserted(where, slots, code=code) if _CALL.fullmatch(code) else Open()

    return made


def _of_text(where: str) -> Callable[[Slots], Intent]:
    """Make the function that makes the intent from a request's slots, for a log call of the text in them. where: as of
    ``_of_code``.
    """
    return lambda slots: _inserted(where, slots, text=slots["code"])


def _is_no_text(match: RowMatch) -> bool:
    """Whether the text to be logged is no plain one: in backticks it may be a name, and a format is for a model."""
    return match.quotes["code"] == "`" or bool(re.search(r"[%{}\\\"$]", match.slots["code"]))


def _insert_code(
    where: str,
    rows: tuple[str, ...],
    *examples: tuple[str, Intent],
    near_misses: tuple[str, ...] = (),
) -> Rule:
    """The rule for code at a place. where: as of the intent."""
    return Rule(
        "insert-statement",
        paraphrases=rows,
        intent=_of_code(where),
        takes_location=True,
        is_of_one=True,
        examples=examples,
        near_misses=near_misses,
    )


def _log_text(where: str, rows: tuple[str, ...], *examples: tuple[str, Intent]) -> Rule:
    """The rule for the log call of a text at a place. where: as of the intent."""
    return Rule(
        "log-text",
        paraphrases=rows,
        intent=_of_text(where),
        excludes=_is_no_text,
        takes_location=True,
        is_of_one=True,
        examples=examples,
    )


def _code_in(place: str, begin: str) -> tuple[str, ...]:
    """Rows that ask for code at an end of a function. begin: the verb that says the place by itself."""
    return (
        f"{_ADD} {_LINE} CODE {place} (of|in|inside) {FUNCTION} (body)?",
        f"{_ADD} {_LINE} CODE {place}",
        f"{begin} {FUNCTION} with {_LINE} CODE",
        f"{place} of {FUNCTION}, {_ADD} {_LINE} CODE",
    )


def _code_beside(side: str) -> tuple[str, ...]:
    """Rows that ask for code on a side of a statement."""
    return (
        f"{_ADD} {_LINE} CODE {_RIGHT} {side} ANCHOR",
        f"{_RIGHT} {side} ANCHOR, {_ADD} {_LINE} CODE",
    )


def _text_in(place: str) -> tuple[str, ...]:
    """Rows that ask for the log call of a text at an end of a function."""
    return (
        f"{_LOG} CODE {_LEVEL} {place} (of|in) {FUNCTION}",
        f"(ADD|write) {_A_LOG} CODE {_LEVEL} {place} (of|in) {FUNCTION}",
        f"{_LOG} CODE {_LEVEL} {place}",
        f"(ADD|write) {_A_LOG} CODE {_LEVEL} {place}",
    )


def _text_beside(side: str) -> tuple[str, ...]:
    """Rows that ask for the log call of a text on a side of a statement."""
    return (
        f"{_LOG} CODE {_LEVEL} {_RIGHT} {side} ANCHOR",
        f"(ADD|write) {_A_LOG} CODE {_LEVEL} {_RIGHT} {side} ANCHOR",
        f"(ADD|write) {_A_LOG} {_RIGHT} {side} ANCHOR (saying|with|that says|:) CODE",
    )


# What is logged in a function, without a word on where, is logged at its top.
_TEXT_OF_FUNCTION = (
    f"{_LOG} CODE {_LEVEL} (in|on entry to|when entering) {FUNCTION}",
    f"{_LOG} CODE {_LEVEL} (when|whenever) {FUNCTION} (is called|gets called|starts|runs|is entered)",
    f"(ADD|write) {_A_LOG} CODE {_LEVEL} (to|in) {FUNCTION}",
)

INSERT_CODE_AT_TOP = _insert_code(
    "top",
    _code_in(_TOP, "(begin|start)"),
    (
        "add log.info('start') at the top of run",
        InsertStatement("log.info('start')", "top", "run"),
    ),
    near_misses=("add `validation` at the top of run",),
)
INSERT_CODE_AT_END = _insert_code(
    "end",
    _code_in(_END, "end"),
    ("add `done()` at the end of run", InsertStatement("done()", "end", "run")),
    ("at the end of run, call `done()`", InsertStatement("done()", "end", "run")),
)
INSERT_CODE_BEFORE = _insert_code(
    "before",
    _code_beside(_BEFORE),
    (
        'add log.Println("listening on", port) right before ListenAndServe',
        InsertStatement('log.Println("listening on", port)', "before", "", "ListenAndServe"),
    ),
)
INSERT_CODE_AFTER = _insert_code(
    "after",
    _code_beside(_AFTER),
    (
        "add `f.flush()` after f.write in save",
        InsertStatement("f.flush()", "after", "save", "f.write"),
    ),
)
LOG_TEXT_AT_TOP = _log_text(
    "top",
    (*_TEXT_OF_FUNCTION, *_text_in(_TOP)),
    ('log "start" at the top of run', InsertStatement("", "top", "run", text="start")),
    ('log "start" whenever run is called', InsertStatement("", "top", "run", text="start")),
)
LOG_TEXT_AT_END = _log_text(
    "end",
    _text_in(_END),
    ('log "done" at the end of run', InsertStatement("", "end", "run", text="done")),
)
LOG_TEXT_BEFORE = _log_text(
    "before",
    _text_beside(_BEFORE),
    (
        'log "saving item" before the writeFileSync',
        InsertStatement("", "before", "", "the writeFileSync", text="saving item"),
    ),
)
LOG_TEXT_AFTER = _log_text(
    "after",
    _text_beside(_AFTER),
    (
        'log "saved" after the save call',
        InsertStatement("", "after", "", "the save call", text="saved"),
    ),
)
LOG_VARIABLE = Rule(
    "log-variable",
    paraphrases=(
        f"{_LOG_VARIABLE} {_LEVEL} (in|inside|of|{_TOP} (of|in)) {FUNCTION}",
        f"(ADD|write) {_A_LOG} (for|of) (the)? OLDNAME {_LEVEL} (to|in|inside) {FUNCTION}",
        f"{_LOG_VARIABLE} {_LEVEL}",
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
_QUOTED_TEXT = r"\"[^\"\n]*\"|'[^'\n]*'|`[^`\n]*`"
_IN_BRACKETS = rf"\((?:[^()\"'`]|{_QUOTED_TEXT}|\((?:[^()\"'`]|{_QUOTED_TEXT}|\([^()]*\))*\))*\)"
_WRITTEN = re.compile(rf"`?(?P<code>(?<![\w.])[^\W\d][\w.:]*!?{_IN_BRACKETS});?`?(?![\w.(])")
_LEAVING = re.compile(
    rf"\b{SOON}before (?:(?P<pronoun>it|that)|{NAME}(?: function| method)?) (?:returns|ends|finishes|exits|is (?:done|left))(?: (?:its|the) (?:result|value))?\b",
    re.IGNORECASE,
)
_FIRST_OR_LAST = re.compile(
    rf"\b(?:the )?(?:very )?(?P<which>first|last) (?:thing|line|statement|call)(?:(?: (?:in|of|that))? {NAME})?(?: (?:does|has|calls|runs|has to do|should do))?(?= (?:should|must|has to|ought to) be\b| is\b)"
    rf"|\b(?:(?:the )?(?:function |method )?{NAME.replace('name>', 'name2>')} )?(?:should|must|has to|ought to) (?P<verb>begin|start|open|end|finish|close) with\b",
    re.IGNORECASE,
)
_AT_END = re.compile(
    r"\b(?:at|as|to) (?:the |its )?(?:very )?(?:(?P<top>top|start|beginning|first (?:line|statement|thing))|(?P<end>end|bottom|last (?:line|statement|thing)))(?: of)?(?! \w+ loop)\b",
    re.IGNORECASE,
)
_AT_A_SIDE = re.compile(
    rf",? ?\b{SOON}(?P<side>before|above|after|below|behind) (?P<anchor>(?:the )?[\w.:]+(?:{_IN_BRACKETS})?(?: (?:call|line|statement|loop))?)"
    rf"(?: (?:in|inside|within|of) (?:the )?(?:function |method )?{NAME})?(?=[,:;{TAKEN}]| *$| (?:please )?(?:add|put|log|write|insert|call|do|place)\b)",
    re.IGNORECASE,
)
_OF_LOG = re.compile(r"log|print|console|trace|warn|debug|info", re.IGNORECASE)
_KNOWN_BESIDE = words_of(
    """
    add put log write insert call place call calls line statement there should must be begin start end with do does thing
    just right directly immediately
    """
)


def _at_place(text: str) -> InsertStatement | None:
    """The intent of a request for a call, written as code, at a place that the words name; ``None`` for another request."""
    unread = UnreadText(text)
    leaving = unread.take(_LEAVING)
    edge = None if leaving else unread.take(_FIRST_OR_LAST)
    end = None if leaving or edge else unread.take(_AT_END)
    beside = None if leaving or edge or end else unread.take(_AT_A_SIDE)
    written = unread.take(_WRITTEN)
    if written is None or not (leaving or edge or end or beside):
        return None
    if re.search(r"\blog\b", unread.text) and not _OF_LOG.search(written["code"].split("(")[0]):
        return None  # its value is to be logged
    found = [at.groupdict() for at in (leaving, edge, beside) if at]
    named = next((at[key] for at in found for key in ("name", "name2") if at.get(key)), "")
    function = named or unread.take_function(_KNOWN_BESIDE)
    if not unread.says_only(_KNOWN_BESIDE) or not (function or beside):
        return None
    if beside:
        where = "before" if beside["side"].lower() in ("before", "above") else "after"
        return InsertStatement(
            written["code"], where, plain_name(function), beside["anchor"].strip()
        )
    parts = [
        x
        for at in (edge, end)
        if at
        for key, x in at.groupdict().items()
        if x and not key.startswith("name")
    ]
    is_first = any(re.match(r"first|begin|start|open|top", x, re.IGNORECASE) for x in parts)
    return InsertStatement(written["code"], "top" if is_first else "end", plain_name(function))


CALL_AT_PLACE = Guess(
    "insert-statement",
    reads=_at_place,
    examples=(
        (
            "save: after the commit, log log.info('saved %s', x.id)",
            InsertStatement("log.info('saved %s', x.id)", "after", "save", "the commit"),
        ),
        (
            "just before load returns put log.debug('read %d', len(rows))",
            InsertStatement("log.debug('read %d', len(rows))", "end", "load"),
        ),
        (
            "the first thing load does should be log.debug(path)",
            InsertStatement("log.debug(path)", "top", "load"),
        ),
        (
            "right after flag.Parse() add log.Println(n)",
            InsertStatement("log.Println(n)", "after", "", "flag.Parse()"),
        ),
    ),
    near_misses=(
        "log size() after the read call in load only if it is big",
        "move log.info(x) after the read call in load",
        "after the commit, log.info(x) unless x is None",
    ),
    reads_all_words=True,
)
"""Where the words stand in another order."""
