"""Add a log call to a function: how people ask for it, with a level, a text, variables and a place in any order."""

from __future__ import annotations

import re
from itertools import pairwise

from editd.intent.english import FUNCTION_WORDS
from editd.intent.intents import InsertStatement, Open
from editd.intent.lexicon import words_of
from editd.intent.rules.guess import Guess
from editd.intent.rules.rule import Rule
from editd.intent.rules.templates import FUNCTION
from editd.intent.slots import NAME, SOON, UnreadText

_CALLS_OF = "(the|every|each|all)? (calls?|invocations?) (to|of)"
ADD_LOGGING = Rule(
    "add-logging",
    canonical=(
        (
            "ADD (an?)? (logging|log|LOGCALL) LEVEL? (call|message|statement|line)? "
            "(to|in|into|at the (start|top|beginning) of) KIND? NAME"
        ),
        "ADD logging (to|in) KIND? NAME",
        "log ((at|with) level LEVEL|an? LEVEL message)? when KIND? NAME is called",
        "log (every|all)? calls? (to|of) KIND? NAME ((at|with) level LEVEL)?",
        "KIND? NAME should log (its calls|when it is called|(at|with) level LEVEL|an? LEVEL message)?",
        "KIND? NAME needs an? (log|logging) (call|message|statement|line)",
        "i want to (see|know) in the log when KIND? NAME is called",
        "make KIND? NAME log (at level LEVEL)? when it is called",
        "each call to KIND? NAME (has to|should|must) be logged (at level LEVEL)?",
        "let KIND? NAME write a log message",
    ),
    paraphrases=(
        f"(WRITE|emit) (LOG|(some|debug|LEVEL)? logging|an? LOGCALL (call)?) (at|to|in|into|for|inside|at the (start|top|beginning|entry) of) {FUNCTION}",
        f"log (a message|something|it|an entry)? (when|whenever|every time|each time|as soon as) {FUNCTION} (is called|gets called|runs|starts|is entered|is invoked|is executed)",
        f"(WRITE|emit) LOG (when|whenever|every time|each time) {FUNCTION} (is called|gets called|runs|starts|is entered)",
        f"log (the|every|each|all)? (calls?|invocations?|entry|entering) (to|of|into)? {FUNCTION}",
        f"{_CALLS_OF} {FUNCTION} (should|must|has to|have to) be logged",
        f"{FUNCTION} needs (LOG|logging)",
        f"(i want|i'd like|make|let|have) {FUNCTION} (to)? (log|write) (a log message|a message|its calls|each call|something)? (when it's called|when it is called|when called)?",
        f"{_CALLS_OF} {FUNCTION} MODAL (appear|show up|show|be|be recorded|be seen) in (the|a) (log|logs|logfile)",
        f"(make|let|have) {FUNCTION} log (when|whenever|every time|each time|that)? (it is|it's|it was|it gets) (called|invoked|run|executed)",
        f"log (on|at|upon) (the)? (entry|start|beginning|begin|call|entering|calls) (of|to|into)? {FUNCTION}",
        f"log (when|whenever|every time|each time|that) (someone|somebody|anyone|anybody|something) (calls|invokes|runs) {FUNCTION}",
        f"{FUNCTION} MODAL log (that|when|whenever|each time|every time) (it is|it's|it was|it gets) (called|invoked|run)",
        f"(i want|i'd like|show|let me)? (to)? (see|know|read|have)? (it)? in the log (when|whenever|that|if|how often|each time) {FUNCTION} (is called|gets called|runs|starts|was called)",
        f"{FUNCTION} MODAL (write|print|report|say|emit) (something|a message|a line)? (to|in|into) (the|a) (log|logger)",
    ),
    plain="add a log call to {name}",
    is_of_one=True,
    examples=(
        ("add a log call to load", Open()),
        ("log an info message when load is called", Open()),
    ),
)
_LEVELS = "debug|info|warning|warn|error|critical"
_TEXT = re.compile(
    r"(?:\b(?:with|saying|that says|which says|reading|that reads|of) )?(?:\b(?:the|a) (?:text|message|string) )?:? ?(?<!\w)(?P<mark>[\"'])(?P<text>[^\"'\n]+)(?P=mark)(?!\w)"
)
_CALL = re.compile(
    rf"(?:\b(?:an?|some|one|the) )?(?<![\w.])(?:(?P<object>_?(?:logging|logger|log|slog|LOG|LOGGER|console|System\.out|fmt|zap))\.(?P<method>{_LEVELS}|exception|log|[Pp]rintln|[Pp]rintf?|Info|Debug|Warn|Error)(?:\(\)|\(\.\.\.\))?"
    rf"|(?P<macro>println!|eprintln!|info!|debug!|warn!|log::(?:info|debug|warn|error)!))(?![\w.])(?: (?:call|statement|line|message))?",
)
_LEVEL = re.compile(
    rf"\(?\b(?:(?:at|on|with|as|in) (?:the |an? )?(?:log )?(?:level )?(?:`|'|\")?(?:logging\.)?(?P<level>{_LEVELS})(?:`|'|\")?(?:[- ]level)?|(?P<level2>{_LEVELS})[- ]level|level:? (?P<level3>{_LEVELS})"
    rf"|(?:an? |some )?(?P<level4>{_LEVELS})(?=[- ](?:log|logs|logging|message|line|call|statement|entry)\b))\)?|\((?P<level5>{_LEVELS})\)",
    re.IGNORECASE,
)
_IMPORTS = re.compile(
    r"[,;]? ?\(?\b(?:and |also |please )*(?:import|add) (?:what(?:ever)? (?:you need|is needed|it needs)|logging(?: (?:if needed|if necessary|too|for (?:it|that)))?|the import(?: (?:if needed|if necessary|too|for (?:it|that)))?)\)?$",
    re.IGNORECASE,
)
_RUNS = r"(?:(?:is|gets|was|has been) )?(?:called|invoked|run|entered|executed|started|reached)|starts|runs|begins|is about to run"
_DONE = r"finishes|returns|ends|exits|is (?:done|finished|left)|has (?:run|finished)|completes"
_WHEN = re.compile(
    rf"\b(?:when|whenever|whe[nr]e|each time|every time|as soon as|once|that)(?: the)?(?: (?:function|method))? (?:(?:{NAME.replace('name>', 'function>')}|it)(?: (?:function|method))? |it['’]s )(?:(?P<runs>{_RUNS})|(?P<done>{_DONE}))\b"
    rf"|\b(?:on|upon|when|at|before) (?:(?:the )?(?P<runs2>entry|entering|entrance|calling|starting|start)(?: (?:to|of|into|in))?|(?P<done2>exit|exiting|leaving|returning)(?: (?:from|of))?)(?: {NAME.replace('name>', 'function2>')})?(?=$|[ ,;:.)])"
    rf"|\b(?:each|every|all|the|any)? ?(?:calls?|invocations?) (?:of|to) (?:the )?(?:(?:function|method) )?{NAME.replace('name>', 'function3>')}",
    re.IGNORECASE,
)
_POSITION = re.compile(
    r"\b(?:(?:at|in|to|as|on) (?:the |its )?(?:very )?(?:(?P<top>start|top|beginning|entry|first (?:line|statement|thing))|(?P<end>end|bottom|last (?:line|statement|thing)))"
    r"|(?P<top2>before (?:doing )?anything(?: else)?(?: happens)?|first thing|before (?:the|any) (?:work|rest))|(?P<end2>after everything(?: else)?|last thing))",
    re.IGNORECASE,
)
_BESIDE = re.compile(
    rf",? ?\b{SOON}(?P<side>before|above|after|below|behind|prior to|following) (?:it (?:calls|does) )?(?P<anchor>[^,\x1f]+?)"
    rf"(?: (?:in|inside|within) (?:the )?(?:(?:function|method) )?{NAME.replace('name>', 'function>')}(?: function| method)?)?(?=$|[,\x1f])",
    re.IGNORECASE,
)
_ALL_PARAMETERS = re.compile(
    r"(?:\b(?:with|and|including|plus) )?\b(?:all )?(?:its|the|all) (?:(?:call )?(?:arguments|parameters|args|params)|argument|parameter)(?: values?)?\b(?! \w)",
    re.IGNORECASE,
)
_OBJECT = re.compile(
    r"\b(?:log|trace|console\.log) (?:out )?(?!line\b|lines\b)(?:the |its )?(?:value of |values of |contents of )?(?:the |its )?(?:(?:argument|parameter|variable|param) )?(?!(?:the|its|an?|call|calls|each|every|all|when|whenever|that|at|in|on|to|from|for|with|message|statement|entry|something|it|line (?:in|to|at)|level|of|output|debug|info|warning)\b)"
    r"(?P<variable>`?[^\W\d][\w.]*`?)(?: (?:argument|parameter|variable|param|value))?(?= |$|,|\x1f)",
    re.IGNORECASE,
)
_IS_LOG = re.compile(r"\b(?:log|logs|logged|logging|logger|trace|traced)\b", re.IGNORECASE)
# Behind the name of a variable, but not in "a logger parameter".
_KIND_OF_VARIABLE = re.compile(
    r"(?<!logger)(?<!logging)(?<!log) (?:argument|parameter|param|variable)\b(?! [\w`])",
    re.IGNORECASE,
)
# "still prints": what prints is to log, which is another request.
_PRINTS = re.compile(
    r"\bprints\b|\bstill print\b|\bprint (?:calls|statements)\b|\bfmt\.Print|\bSystem\.out\b",
    re.IGNORECASE,
)
# Words that ask for more than a log call: "which key was evicted"
_SAYS_MORE = re.compile(
    r"\b(?:move|remove|delete|drop|which|who|why|how|if|unless|what|could|not|only|but|except)\b",
    re.IGNORECASE,
)
_KNOWN = words_of(
    """
    log logs logged logging logger trace tracing traced call calls message messages statement line entry output emit print
    record report show see visible level say says saying values value also plus including
    begin begins leave leaves create simple short little something time its both first
    """
)


def _log_call(text: str) -> InsertStatement | None:
    """The intent of a request for a log call in a function: of a text, of variables (at most three, or all parameters)
    or, if the words name neither, of the call itself.

    ``None`` for another request, without the name of a function, for a text with ``%``, braces, backslash or ``$``, or
    if words are left that are neither known nor names.
    """
    if _PRINTS.search(text):
        return None
    if (written := _CALL.search(text)) and re.match(r"\((?![).…])\S", text[written.end() :]):
        return None  # code, which is written as it is
    if re.search(r"\bprint\w*!?\((?![).…])\S", text):
        return None
    unread = UnreadText(_KIND_OF_VARIABLE.sub("", text))
    quoted, call = unread.take(_TEXT), unread.take(_CALL)
    if call is None and not _IS_LOG.search(text):
        return None
    unread.take(_IMPORTS)
    level, when = unread.take(_LEVEL), unread.take(_WHEN)
    position, beside = unread.take(_POSITION), unread.take(_BESIDE)
    is_of_all = unread.take(_ALL_PARAMETERS) is not None
    named = unread.take(_OBJECT)
    functions = [
        x
        for at in (when, beside)
        if at
        for key, x in at.groupdict().items()
        if key.startswith("function") and x
    ]
    if when and re.search(r"\bit\b", when[0]):
        functions = []
    function = functions[0] if functions else unread.take_function(_KNOWN)
    if _SAYS_MORE.search(unread.text):
        return None
    variables = [named["variable"].strip("`")] if named else []
    while word := unread.take_next_word(_KNOWN):
        variables.append(word)
    # "slow queries" are no two variables.
    is_listed = not any(f"{first} {second}" in text for first, second in pairwise(variables))
    is_plain = (
        is_listed and len(variables) <= 3 and FUNCTION_WORDS.isdisjoint(map(str.lower, variables))
    )
    words = quoted["text"] if quoted else ""
    if (
        not function
        or not is_plain
        or not unread.says_only(_KNOWN)
        or re.search(r"[%{}\\$]", words)
    ):
        return None
    return InsertStatement(
        "",
        _where(when, position, beside),
        function.replace("::", "."),
        beside["anchor"].strip() if beside else "",
        text=words,
        level=_level_of(level, call),
        variable="*" if is_of_all else ", ".join(variables),
        logger=_logger_of(call),
        is_of_call=not (words or variables or is_of_all),
    )


def _is_written(call: re.Match[str]) -> bool:
    """Whether a call is written as the language spells it, rather than only naming a level of a logger."""
    return (
        bool(call["macro"])
        or call["method"] in ("log", "Println", "println", "Printf", "Print")
        or call["object"] == "console"
    )


def _logger_of(call: re.Match[str] | None) -> str:
    """The call that the words name, as it is written (``console.debug``); empty for none, and for Python's module
    ``logging``.
    """
    if call is None or call["object"] == "logging":
        return ""
    return call["macro"] or f"{call['object']}.{call['method']}"


def _level_of(level: re.Match[str] | None, call: re.Match[str] | None) -> str:
    """The level that the words name, or else the method of a call that is not written out; ``warning`` for ``warn``,
    empty for none.
    """
    named_level = next(filter(None, level.groups()), "") if level else ""
    method = call["method"] if call and not _is_written(call) else ""
    found = (named_level or method or "").lower()
    return "warning" if found == "warn" else found


def _where(
    when: re.Match[str] | None, position: re.Match[str] | None, beside: re.Match[str] | None
) -> str:
    """The place that the words name: ``before`` or ``after`` another statement; else the ``end`` or ``top`` of the
    function; else the ``end`` if it is to be logged when the function is done; else the ``top``.
    """
    if beside:
        return (
            "after"
            if beside["side"].lower() in ("after", "below", "behind", "following")
            else "before"
        )
    if position:
        return "end" if position["end"] or position["end2"] else "top"
    return "end" if when and (when["done"] or when["done2"]) else "top"


LOG_CALL = Guess(
    "add-logging",
    reads=_log_call,
    examples=(
        (
            "log when handle is called (debug)",
            InsertStatement("", "top", "handle", level="debug", is_of_call=True),
        ),
        (
            "add a log.info at the start of drop with the note_id",
            InsertStatement("", "top", "drop", level="info", variable="note_id", logger="log.info"),
        ),
        (
            "Log each call of info with log.Println",
            InsertStatement("", "top", "info", logger="log.Println", is_of_call=True),
        ),
        (
            "console.log the id on entering remove(id)",
            InsertStatement("", "top", "remove", variable="id", logger="console.log"),
        ),
        (
            "start() should write n to the logger at info level before doing anything",
            InsertStatement("", "top", "start", level="info", variable="n"),
        ),
        (
            "log 'done' with the count when load finishes",
            InsertStatement("", "end", "load", text="done", variable="count"),
        ),
        (
            "in load, log path and size right before the read call",
            InsertStatement("", "before", "load", "the read call", variable="path, size"),
        ),
    ),
    near_misses=(
        "log the order id when an order gets cancelled",
        "log at debug level in put which key was evicted",
        "add a log line in count when a line could not be parsed",
        "log errors in load but only in production",
        "log slow queries in run",
        "add logging to all functions",
        "log load",
    ),
    reads_all_words=True,
    says_more=_PRINTS,
)
"""Where the words say all of it."""
