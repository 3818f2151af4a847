"""Wrap in try: how people ask that a function's body handle an error."""

from __future__ import annotations

import re

from editd.intent.english import plain_name
from editd.intent.intents import Handler, Intent, Open, WrapTry
from editd.intent.lexicon import words_of
from editd.intent.rules.frames import cut_function
from editd.intent.rules.guess import Guess
from editd.intent.rules.handlers import handlers_in
from editd.intent.rules.rule import RowMatch, Rule, Slots
from editd.intent.rules.templates import FUNCTION
from editd.intent.slots import TAKEN, UnreadText

_LINES_OF_LOOP = re.compile(r"\blines\b.*\bloop\b")
_BODY = f"(the|everything)? (whole|entire)? (body|contents?|code|calls?)? (of|in|to|inside)? {FUNCTION} (body)?"
_AN_ERROR = re.compile(r"[\w.]*(?:Error|Exception|StopIteration)")
_A_VALUE = re.compile(r"None|True|False|-?\d[\d.]*|\[\]|\{\}|\(\)|\"\"")


def _guarded(slots: Slots) -> Intent:
    """The intent ``WrapTry`` for one error and a value that is returned on it, an empty string if the value is empty;
    ``Open`` (a model has to do it) without the name of an error, or without a value that is certainly one. slots: the
    texts that the request gives, by role.
    """
    value = slots.get("value", "?").replace(" ", "") or '""'
    if not _AN_ERROR.fullmatch(slots.get("error", "")) or not _A_VALUE.fullmatch(value):
        return Open()
    return WrapTry(slots["name"].removesuffix("()"), slots["error"], value)


_ANY_ERROR = re.compile(
    r"[\w.]*(?:Error|Exception|StopIteration|Interrupt)|\w+(?:\.\w+)*\.[A-Z]\w*"
)
_WHOLE = re.compile(
    r"(?:(?:the|its) )?(?:(?:whole|entire) )?(?:function |method )?(?:body|contents?|code|everything|all)"
    r"(?: (?:of|in|inside) (?:the )?(?:function |method )?(?P<name>`?[^\W\d][\w.]*(?:\(\))?`?)(?: function| method)?)?",
    re.IGNORECASE,
)
_AROUND = "(wrap|put|surround|enclose|guard|protect)"
_IN = "(in|with|inside|into|by)"
_TRY = "(an?)? (try|try/except|try-except|try/catch|try-catch|try except|try catch|try/except block|try block|try/catch block|try-except block)"
_ON = "(on|if|when|in case of|for|upon) (there is)? (an?|the)? ERRORS (is (raised|thrown)|occurs|happens)?"


def _handled(slots: Slots) -> Intent:
    """The intent ``WrapTry`` of a function's body (``name``, or an anchor that speaks of a body or of everything) or a
    statement (``anchor``), with the actions on an error, and with several errors in brackets; ``Open`` (a model has to
    do it) if the words for an action are not understood, or an error's name is none. slots: the texts that the request
    gives, by role.
    """
    handlers = handlers_in(slots.get("handler", ""))
    errors = re.findall(r"[\w.]+", re.sub(r"\b(?:and|or)\b", " ", slots.get("error", "")))
    if handlers is None or not all(map(_ANY_ERROR.fullmatch, errors)):
        return Open()
    error = errors[0] if len(errors) == 1 else f"({', '.join(errors)})" if errors else ""
    anchor = slots.get("anchor", "everything")
    if "name" in slots:
        return WrapTry(slots["name"].removesuffix("()"), error, "", "", handlers)
    if whole := _WHOLE.fullmatch(anchor):
        return WrapTry(plain_name(whole["name"] or ""), error, "", "", handlers)
    statement, name = cut_function(anchor)
    return WrapTry(name, error, "", statement, handlers)


def _is_for_others(match: RowMatch) -> bool:
    """Whether this rule leaves the request to others: the words for the actions are not understood, or the only action
    is ``return`` with a plain value, without a function or a statement, which the rule ``WRAP_TRY`` or its lexical
    reading states.
    """
    slots = match.slots
    handlers = handlers_in(slots.get("handler", ""))
    if handlers is None:
        return True
    is_plain = not {"anchor", "name"} & {*slots} and len(handlers) == 1
    return is_plain and handlers[0].verb == "return" and bool(_A_VALUE.match(handlers[0].value))


WRAP_TRY = Rule(
    "wrap-try",
    canonical=(
        "(wrap|put|surround|enclose|guard) (the)? (whole)? (body of)? KIND? NAME (in|with|inside) TRY (for)? ERROR? (and return VALUE)?",
        "ADD TRY (for)? ERROR? (to|in|into|around) (the body of)? KIND? NAME (and return VALUE)?",
        "ADD (error|exception) handling to KIND? NAME with TRY",
        "the body of KIND? NAME (should|must) be in TRY",
        "let TRY enclose the body of KIND? NAME",
        "KIND? NAME needs TRY (around its body)? (for ERROR)?",
        "(catch|handle) ERROR in KIND? NAME (and return VALUE)?",
        "KIND? NAME should (catch|handle) ERROR (and return VALUE)?",
        "guard KIND? NAME against ERROR (and return VALUE)?",
        "let KIND? NAME catch ERROR (and return VALUE)?",
        "KIND? NAME should return VALUE on ERROR",
        "on ERROR in KIND? NAME return VALUE",
        "return VALUE (from|in) KIND? NAME on ERROR",
        "let KIND? NAME return VALUE when ERROR is raised",
        "if ERROR is raised in KIND? NAME, return VALUE",
    ),
    paraphrases=(
        f"{_AROUND} {_BODY} {_IN} TRY ((for|with|catching)? ERROR)?",
        f"{_BODY} (should|must|has to) (be|go) (wrapped|put|enclosed|surrounded|guarded)? (in|inside|into|by|with) TRY",
        f"ADD TRY ((for|with|catching)? ERROR)? (to|in|into|around|for|inside) {_BODY}",
        f"return VALUE (in|from) {FUNCTION} (when|if|on) (a|an)? ERROR (occurs|is raised|happens|is thrown)",
        f"in {FUNCTION}, (wrap|put|surround|enclose|guard) (the)? (whole)? (body|code|everything|contents?) (in|with|inside|into) TRY",
        f"{FUNCTION} MODAL return VALUE (on|when|if|for) (a|an)? ERROR (is raised|occurs|happens|is thrown)?",
        f"(handle|catch) (all|any|the)? (errors|exceptions|failures) (in|of|inside) {FUNCTION} (with|using|by) TRY",
        f"{FUNCTION} (needs|should have|must have|lacks|has no) (exception handling|error handling (with|using|by) TRY)",
        f"{FUNCTION} (needs|should have|must have|could use) TRY",
        f"(make|let)? {FUNCTION} (should|must)? (catch|handle) (all|any|its|the)? (errors|exceptions|ERROR)",
        f"ADD (error|exception) handling (to|in|for) {FUNCTION} (with|using) TRY",
        f"(catch|handle) (a|an|the|any)? ERROR (raised|thrown)? (in|inside|by|from) {FUNCTION}",
    ),
    plain="wrap the body of {name} in try/except {error}",
    intent=_guarded,
    is_of_one=True,
    examples=(
        ("f should return [] on KeyError", WrapTry("f", "KeyError", "[]")),
        ("if ValueError is raised in f, return None", WrapTry("f", "ValueError", "None")),
    ),
    near_misses=(
        "return None in f on error",
        "catch ValueError in f and return x",
        "wrap f in try/except ValueError",
    ),
)
WRAP_TRY_AND_HANDLE = Rule(
    "try-and-handle",
    paraphrases=(
        f"{_AROUND} ANCHOR {_IN} {_TRY} (for|with|catching|on|around)? ERRORS HANDLER",
        f"{_AROUND} ANCHOR {_IN} {_TRY} , (and)? {_ON} HANDLER",
        f"{_AROUND} ANCHOR {_IN} {_TRY} HANDLER",
        f"(ADD|use|have)? {_TRY} (for|with|catching|on)? ERRORS (around|to|for|on) ANCHOR (and|,) HANDLER",
        f"(ADD|use)? {_TRY} (around|to|for|on) ANCHOR , (and)? {_ON} HANDLER",
        "(catch|handle) ERRORS (around|from|raised by|at|for) ANCHOR (and|,) HANDLER",
        "(catch|handle) ERRORS (around|from|raised by|at|for) ANCHOR by HANDLER",
        f"(catch|handle) ERRORS (in|inside|of|from) {FUNCTION} (body)? (and|,|by) HANDLER",
        "(catch|handle) ERRORS (and|,|by) HANDLER",
        f"HANDLER {_ON}",
        f"{_ON} , HANDLER",
        f"HANDLER (if|when) ANYTHING OPENED {_TRY} ERRORS (around ANCHOR)? CLOSED",
    ),
    intent=_handled,
    excludes=_is_for_others,
    takes_location=True,
    is_of_one=True,
    examples=(
        (
            "wrap everything in load in a try/except OSError that returns an empty list",
            WrapTry("load", "OSError", "", "", (Handler("return", "[]"),)),
        ),
        (
            "wrap old.unlink() in try/except OSError and just print the error",
            WrapTry("", "OSError", "", "old.unlink()", (Handler("print"),)),
        ),
        (
            "catch smtplib.SMTPException around the send call in main and log it with logger.exception",
            WrapTry(
                "main", "smtplib.SMTPException", "", "the send call", (Handler("log", "exception"),)
            ),
        ),
    ),
    near_misses=(
        "wrap the loop in try/except ValueError and tell the user what went wrong",
        "wrap load in try/except",
    ),
)
"""Where the words say what is to be done on an error."""
_TRY_WORDS = re.compile(
    r"(?:\b(?:an?|the|proper) )?(?<![\w.])try(?: ?[-/] ?(?:except|catch)(?: ?[-/] ?finally)?|[ -]except|[ -]catch)?(?:[ -](?:block|statement|clause))?(?![\w.])(?: (?:around|for) it\b)?(?: /(?= ))?",
    re.IGNORECASE,
)
_AN_EXCEPTION = r"(?:[\w.]*(?:Error|Exception|Interrupt|Iteration|Warning|Timeout|NotFound|DoesNotExist)|[^\W\d]\w*(?:\.\w+)*\.[A-Z]\w*)"
_NAMED_ERRORS = re.compile(
    rf"(?:\b(?:(?:and|except|catch(?:es|ing)?|handl(?:e|es|ing)|on|upon|for|with|of|in case of|if|when|there is|a|an|the|any) )*)(?-i:(?P<errors>`?{_AN_EXCEPTION}`?(?:(?:, | and | or |, and |/){_AN_EXCEPTION})*))(?!\w)(?![(])"
    r"(?: (?:is|are|gets?) (?:raised|thrown)| (?:occurs|happens|comes|is caught))?",
    re.IGNORECASE,
)
_ON_ERROR = re.compile(
    r"\b(?:on|in case of|if|when|upon|for|catch|handle) (?:there (?:is|are) )?(?:an?|any|the|all)? ?(?:errors?|failures?|exceptions?)(?: (?:occurs?|happens?|is raised|is thrown|comes up))?\b|\b(?:if|when) (?:it|that|this) (?:fails|throws|raises|goes wrong)\b",
    re.IGNORECASE,
)
_ANCHORS = tuple(
    re.compile(pattern, re.IGNORECASE)
    for pattern in (
        rf"\b(?:wrap|put|surround|enclose|guard|protect|place|move)(?:ping|ting|ing)? (?P<anchor>[^{TAKEN}]+?) (?:in|with|inside|into|by|against)(?= +{TAKEN})",
        rf"\b(?:around|surrounding) (?P<anchor>[^{TAKEN},;]+?)(?= and |[,;:]| *{TAKEN}| *$)",
        rf"\b(?:if|when|in case) (?:the )?(?P<anchor>[^{TAKEN},;]+?) (?:raises|throws|fails(?: with)?|crashes(?: with)?|runs into|gets)(?= +{TAKEN}|,)",
        rf"^(?:in [\w.]+,? )?(?:the )?(?P<anchor>[^{TAKEN},;:]*?(?:\w|\)|=)(?: (?:call|line|statement))?) (?:may|might|can|could|sometimes) (?:raise|throw|fail(?: with)?)(?= +{TAKEN})",
        rf"\b(?:when|while) (?:calling|running|executing) (?P<anchor>[^{TAKEN},;]+?)(?= and |[,;:]| *{TAKEN}| *$)",
        rf"\b(?:from|raised by|thrown by) (?:the )?(?P<anchor>[^{TAKEN},;]+?)(?= and |[,;:]| *{TAKEN}| *$)",
    )
)
_WHOLE_BODY = re.compile(
    r"\b(?:around |wrap |in |of )?(?:(?:the|its) )?(?:(?:whole|entire|complete) )?(?:function |method )?(?:body|contents|function|everything|the whole thing)(?: of)?\b",
    re.IGNORECASE,
)
# What must not happen, said beside what is to be done about it.
_PURPOSE = re.compile(
    r"^(?:an?|one) (?:single )?(?:bad|broken|failing|faulty|failed|wrong|invalid|malformed) \w+ (?:must|should|may|can) ?not (?:stop|break|kill|abort|end|crash) (?:the (?:whole )?\w+|everything|all|us|it)[:;,.] ?"
    r"|\b(?:(?:should|must|may) (?:not|never)|shouldn't|mustn't|doesn't need to) (?:crash|fail|die|blow up|break)(?: (?:if|when) (?:the|an?) \w+ (?:is|are) (?:missing|not there|gone|broken|malformed|invalid|empty|unreadable))?(?=[,:;.])",
    re.IGNORECASE,
)
_CUTS = re.compile(
    rf"[,;:] ?|[ {TAKEN}](?:and|that|which|then|to|by|->|=>|→)(?=[ {TAKEN}])|[{TAKEN}]| - "
)
_FIRST_CUTS = re.compile(rf"[ {TAKEN}]+(?=if |when |on |in |from |around |for |[{TAKEN}])|, ")
_EXCEPT_WHERE = re.compile(r"\bexcept (?:in|inside|for|where|when|if)\b", re.IGNORECASE)
_WORDS = words_of(
    """
    try catch catches catching caught handle handles handled handling guard guarded wrap wrapped wrapping surround surrounded
    put enclose protect error errors exception exceptions raises raised raise throws thrown throw except body call line
    statement if then around from there instead happens occurs so when should may might can fails
    """
)


def _in_any_order(text: str) -> WrapTry | None:
    """The intent of a request that a function's body, or a statement, handle an error (several in brackets, none
    empty), with what is done then.

    ``None`` for another request, without the name of a function or a statement, if no action is named or understood, or
    if words are left that are not known.
    """
    if _EXCEPT_WHERE.search(text):
        return None
    unread = UnreadText(text)
    if _NAMED_ERRORS.search(text):
        unread.text = _PURPOSE.sub("", text)
    has_try = unread.take(_TRY_WORDS) is not None
    errors = unread.take(_NAMED_ERRORS)
    on_error = unread.take(_ON_ERROR)
    if not (errors or on_error) and not has_try:
        return None
    anchor = next(filter(None, (unread.take(pattern) for pattern in _ANCHORS)), None)
    statement, function = cut_function(anchor["anchor"].strip()) if anchor else ("", "")
    # "around f" and "from f" are about its calls, "wrap f" and "if f fails" may be about itself.
    is_of_call = (
        anchor is not None
        and re.match(r"around|surrounding|from|raised by|when|while", anchor[0])
        and "raise" not in anchor[0]
    )
    may_be_function = statement.isidentifier() and not function and not is_of_call
    if _WHOLE.fullmatch(statement):
        statement = ""
    function = function or unread.take_function(_WORDS, only_inside=True)
    handlers = _take_handlers(unread)
    if handlers is None:
        return None
    unread.take(_WHOLE_BODY)
    if not (function or statement) or not unread.says_only(_WORDS):
        return None
    if (not statement and re.search(r"\bloop\b", text)) or _LINES_OF_LOOP.search(statement):
        return None  # what the loop repeats
    names = (
        re.findall(r"[\w.]+", re.sub(r"\b(?:and|or)\b", " ", errors["errors"])) if errors else []
    )
    error = names[0] if len(names) == 1 else f"({', '.join(names)})" if names else ""
    return WrapTry(
        plain_name(function), error, "", statement, handlers, is_body_if_defined=may_be_function
    )


def _take_handlers(unread: UnreadText) -> tuple[Handler, ...] | None:
    """Cut the actions on an error off ``unread``'s text, with the words that lead to them, and return them: its longest
    end that is nothing else, or else its longest beginning. ``None``, and nothing cut off, if there are none.
    """
    for cut in _CUTS.finditer(unread.text):
        rest = unread.text[cut.end() :].replace(TAKEN, " ")
        handlers = handlers_in(" ".join(rest.split()))
        if handlers is not None:
            unread.text = unread.text[: cut.start()]
            return handlers
    for cut in reversed([*_FIRST_CUTS.finditer(unread.text)]):
        begin = " ".join(unread.text[: cut.start()].replace(TAKEN, " ").split())
        handlers = handlers_in(begin)
        if handlers is not None:
            unread.text = unread.text[cut.end() :]
            return handlers
    return None


TRY_IN_ANY_ORDER = Guess(
    "try-and-handle",
    reads=_in_any_order,
    examples=(
        (
            "wrap os.remove(path) in try / except FileNotFoundError: return",
            WrapTry("", "FileNotFoundError", "", "os.remove(path)", (Handler("return"),)),
        ),
        (
            "catch smtp.Error around send_all, print it and return",
            WrapTry("", "smtp.Error", "", "send_all", (Handler("print"), Handler("return"))),
        ),
        (
            "if json.load raises json.JSONDecodeError then data = {}",
            WrapTry("", "json.JSONDecodeError", "", "json.load", (Handler("do", "data = {}"),)),
        ),
        (
            "pay: try/catch the whole body, return false on error",
            WrapTry("pay", "", "", "", (Handler("return", "false"),)),
        ),
        (
            "surround the n = int(...) line with try/except ValueError that aborts with 400",
            WrapTry("", "ValueError", "", "the n = int(...) line", (Handler("do", "abort(400)"),)),
        ),
        (
            "load should not crash if the file is missing: wrap the body, on OSError return set()",
            WrapTry("load", "OSError", "", "", (Handler("return", "set()"),)),
        ),
        (
            "one bad row must not stop the loop: in run, wrap f(x) in try/except ValueError and log.exception('bad')",
            WrapTry("run", "ValueError", "", "f(x)", (Handler("do", "log.exception('bad')"),)),
        ),
        (
            'clean: if float(x) raises a ValueError, set row["x"] to None instead',
            WrapTry("clean", "ValueError", "", "float(x)", (Handler("do", 'row["x"] = None'),)),
        ),
        (
            "swallow KeyError in drop",
            WrapTry("drop", "KeyError", "", "", (Handler("pass"),)),
        ),
    ),
    near_misses=(
        "catch KeyError in drop",
        "catch KeyError in drop and tell the user",
        "return None in load on OSError, but only if strict is off",
        "wrap the loop in load in try/except ValueError unless debug is on",
        "wrap the loop in try/except ValueError with pass, except in load",
    ),
    reads_all_words=True,
)
"""Where the words stand in another order."""
