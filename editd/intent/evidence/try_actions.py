"""Evidence for what a ``try`` does on an error: returned values, calls, log calls, errors that are raised. Standard library only."""

from __future__ import annotations

import re
from collections.abc import Sequence

from editd.intent.evidence.buffer_facts import BufferFacts
from editd.intent.evidence.snippets import HIDDEN, Snippet
from editd.intent.evidence.whole_requests import Span
from editd.intent.intents import Handler

_CODE = rf"{HIDDEN}+"
ERROR_NAME = r"(?-i:(?<![\w.])(?:[^\W\d]\w*\.)*(?:[A-Z]\w*)?(?:Error|Exception|Interrupt|Iteration|Expired|Throwable)(?![\w(]))"
"""A pattern for the name of an error, which begins with a capital letter."""
_MAY_RAISE = re.compile(
    r"\b(?:can|may|might|could|will|would|does|sometimes|occasionally|to|it|that|they|call|calls|function|which)(?: (?:also|now|sometimes|still))? $",
    re.IGNORECASE,
)
_DENIED = re.compile(
    r"(?:\b(?:not|never|without|cannot|instead of|don['’]?t|to)|n['’]t)(?: \w+)? $", re.IGNORECASE
)
_A_LITERAL = (
    r"(?:None|True|False|null|undefined|nil|true|false|-?\d[\d.]*|\[[^\[\]]*\]|\{[^{}]*\}|\( ?\)|\"[^\"]*\"|'[^']*'|set\(\)|dict\(\)|list\(\)"
    r"|(?:an? |the )?empty (?:list|array|dict|dictionary|object|map|string|str|tuple|set)\b|nothing\b)"
)
_EMPTY = {
    "list": "[]", "array": "[]", "dict": "{}", "dictionary": "{}", "object": "{}", "map": "{}", "string": '""', "str": '""',
    "tuple": "()", "set": "set()",
}  # fmt: skip
_LOGGER = r"[\w$.]*(?:log|logger|logging|console)\.(?:debug|info|warn|warning|error|exception|critical|log)"
_THE_ERROR = r"(?:it|that|them|this|(?:the|that|this|each|any) (?:error|exception|failure|problem)|errors?|exceptions?)"
_NAME = r"[^\W\d][\w$]*(?:\.[\w$]+)*"
_IT = r"(?: (?:it|the (?:error|exception)|that))?"
_ACTIONS: tuple[tuple[str, str], ...] = (
    ("log_with", rf"(?:log(?:s|ging)?(?: {_THE_ERROR})? \(?(?:(?:with|via|using|through|by|to|at|as) )?)?(?P<value>{_LOGGER})s?(?![\w(])\)?(?: {_THE_ERROR})?"),
    ("give_to", rf"(?:give|pass|hand|send|report|show|forward|feed)(?:e?s|ing)? {_THE_ERROR} (?:over )?(?:to|with|via|using|by) `?(?P<value>{_NAME})(?:\(\))?`?"),
    ("give_to", rf"(?:call|run|use|invoke)(?:s|ing)? `?(?P<value>{_NAME})(?:\(\))?`? (?:with|on|for) {_THE_ERROR}"),
    ("into", rf"(?:turn|convert|translate|map|chang|mak)(?:e|es|s|ed|ing)?(?: |it|that|an?|the|any|bare|plain|this|these|all)+(?:into|to|become) (?:an? |the )?(?:new )?(?:(?P<code>{_CODE})|(?P<value>{_A_LITERAL}|{_NAME}))"),
    ("raise", rf"(?:re-?(?:raise|throw)(?:s|ing)?|(?:raise|throw)s?(?: (?:it|the (?:error|exception)))?(?: again| on| further| (?:up|along))){_IT}"),
    ("raise", r"(?:throw|raise) (?:e|err|ex|exc|error)(?= |$|[,.;)])"),
    ("raise", r"(?<=then )(?:raise|throw)(?=$|[,.;)])|(?<=and )(?:raise|throw)(?=$|[,.;)])"),
    ("raise_code", rf"(?:re-?)?(?:raise|throw|raising|throwing)(?: an?| the)?(?: new)? (?P<code>{_CODE})(?P<cause> from (?:the |that )?(?:original |caught |old )?(?:error|exception|it|e|exc|err))?"),
    ("raise_name", rf"(?:raise|throw|raising|throwing)(?: an?| the)?(?: new)? (?P<value>{ERROR_NAME})"),
    ("return_code", rf"(?:return|returns|returning|(?:give|hand)s? back)(?: the| an?)? (?P<code>{_CODE})(?P<status>, \d{{3}}\b)?"),
    ("return", rf"(?:return|returns|returning|(?:give|hand)s? back|yields?|should be) (?P<value>{_A_LITERAL})(?!\w|\.\w)"),
    ("return_name", r"(?:return|returns|returning|give back) (?:the )?`?(?P<value>[^\W\d][\w.$]*)`?(?= (?:there|instead|then|in|from)\b|[,.;)]|$)"),
    ("continue", r"(?:just |simply )?(?:continue|go on|goes on|carry on|move on|proceed|skip to)(?: (?:with|to|at))?(?: the)?(?: (?:next|other|following|rest)(?: (?!(?:and|in|if)\b)\w+)?| others)?(?= |$|[,.;)])"),
    ("continue", r"(?:the |this |that |such an? )?(?:one|it|item|row|line|file|entry|record|element|user|order|message) (?:is|gets|should be|must be|can be) (?:just |simply )?(?:skipped|left out|ignored|dropped)"),
    ("continue", r"skip(?:s|ping)? (?:it|to the next(?: \w+)?|(?:the|that|this) (?:one|item|row|line|file|entry|record|element|iteration|user|order|message|service|host))"),
    ("pass", r"(?:just |simply )?(?:pass|ignore(?: (?:it|them|the (?:error|exception)|that))?|swallow(?: (?:it|them|the (?:error|exception)))?|do nothing|does nothing)(?= |$|[,.;)])"),
    ("break", r"break(?: out(?: of the loop)?)?(?=\s*(?:$|[,.;)]|(?:and|in|there|then)\b))"),
    ("print", r"print(?:s|ing)?(?: out)? (?:it|the (?:error|exception))(?: (?:to|on) (?:the )?(?:console|screen|stderr|terminal))?"),
    ("print_text", r"print(?:s|ing)? (?P<value>\"[^\"]*\"|'[^']*')"),
    ("do", rf"(?:(?:call|run|do|then|use|invoke|->|(?:log|print|report|show)(?:s|ing)?(?: (?:it|that|the (?:error|exception)))?(?: (?:with|via|using|by|through))?)s? )*(?P<code>{_CODE})"),
    ("log", r"log(?:s|ging)? (?:it|the (?:error|exception))(?: (?:as|at|with|on)(?: an?| the)?(?: level)? (?P<level>warning|warn|error|info|debug|exception)(?: level)?)?"),
    ("increment", r"(?:increment|increase|bump|count up)(?:s|ing)? (?:the )?`?(?P<value>[^\W\d][\w.$]*)`?(?: (?:by one|by 1|counter))?"),
    ("assign", rf"(?:set )?`?(?P<name>[^\W\d][\w.$]*(?:\[[^\[\]]*\])?)`? ?(?P<sign>[-+]?=|to) ?(?P<value>{_CODE}|{_A_LITERAL})(?!\w|\.\w)"),
    ("return_code", rf"(?:->|=>|→|gives|means|becomes) (?P<code>{_CODE})"),
    ("return", rf"(?:->|=>|→|gives|means|becomes|give|fall back to|falls back to|default to|defaults to|answer with) (?P<value>{_A_LITERAL})(?!\w|\.\w)"),
    ("raise_known", rf"(?:raise|throw|raising|throwing)s?(?: an?| the)?(?: new)? (?P<value>{_NAME})"),
    ("pass", r"(?:nothing to do|do(?:n['’]t| not) care|never mind|(?:ignor|swallow)(?:e|es|ed|ing|s)?(?: (?:any|all|such|the|every|that))* ?(?:errors?|exceptions?|failures?|it)?)(?= |$|[,.;)])"),
    ("print", r"print(?:s|ing)?(?: out)? (?:an? |some |the )?(?:message|warning|note)(?= |$|[,.;)])"),
    ("return_bare", r"(?:just |simply )?(?:return|bail out|leave the function|give up)(?: early)?(?= (?:there|then|in)\b|[,.;)]|$)"),
)  # fmt: skip
_PATTERNS = tuple(
    (name, re.compile(rf"(?<![\w.$-])(?:{text})", re.IGNORECASE)) for name, text in _ACTIONS
)


def actions_in(
    bare: str, calls: Sequence[Snippet], taken: Sequence[Span], facts: BufferFacts
) -> tuple[tuple[Handler, ...] | None, list[Span]]:
    """The actions on an error in their order, and where they stand; ``None`` for one that cannot be read."""
    blanked = bare
    for start, end in taken:
        blanked = blanked[:start] + " " * (end - start) + blanked[end:]
    handlers: list[Handler] = []
    spans: list[Span] = []
    at = 0
    while at < len(blanked):
        found = next(
            ((name, match) for name, pattern in _PATTERNS if (match := pattern.match(blanked, at))),
            None,
        )
        if found is None:
            at += 1
            continue
        name, match = found
        handler = _handler(name, match, calls, facts)
        is_report = name.startswith("raise") and _MAY_RAISE.search(blanked, 0, at)
        if handler is None or is_report or _DENIED.search(blanked, 0, at):
            at += 1
            continue
        handlers.append(handler)
        spans.append(match.span())
        at = match.end()
    leaving = [
        at for at, x in enumerate(handlers) if x.verb in ("return", "raise", "continue", "break")
    ]
    if len({handlers[at] for at in leaving}) > 1:
        return None, []
    for at in reversed(leaving[:-1]):  # said as the reason already: "main should go on"
        del handlers[at], spans[at]
    return tuple(handlers), spans


def _handler(
    name: str, match: re.Match[str], calls: Sequence[Snippet], facts: BufferFacts
) -> Handler | None:
    """The action that the words say; ``None`` if they say none after all."""
    parts = match.groupdict()
    code = next((x.code for x in calls if match.start() <= x.start < match.end()), "")
    value = _value(parts.get("value") or "")
    match name:
        case "return_code":
            return Handler("return", f"{code}{parts.get('status') or ''}")
        case "raise_code":
            return _raised(f"{code} from error" if parts["cause"] else code, facts)
        case "raise_name":
            return _raised(value, facts)
        case "return_name":
            return Handler("return", value) if value in facts.names else None
        case "return_bare":
            return Handler("return")
        case "log_with":
            return _log_call(value, facts)
        case "give_to":
            is_known = value.split(".")[0] in facts.names
            return Handler("do", f"{value}(error)") if is_known else _log_call(value, facts)
        case "into" if code:
            return _raised(code, facts)
        case "into" if re.fullmatch(_A_LITERAL, parts["value"] or "", re.IGNORECASE):
            return Handler("return", value)
        case "into" | "raise_known":
            is_error = value[:1].isupper() and value in facts.names
            return _raised(value, facts) if is_error else None
        case "print_text":
            return Handler("print", value)
        case "log":
            level = parts["level"] or ""
            return Handler("log", {"warn": "warning"}.get(level, level))
        case "increment":
            sign = (
                "++"
                if facts.language
                in ("java", "javascript", "typescript", "tsx", "c", "cpp", "csharp")
                else " += 1"
            )
            return Handler("do", f"{value}{sign}")
        case "assign":
            sign = "=" if parts["sign"] == "to" else parts["sign"]
            if parts["name"].split(".")[0].split("[")[0] not in facts.names:
                return None
            return Handler("do", f"{parts['name']} {sign} {code or value}")
        case "do":
            return Handler("do", code) if "..." not in code else None
        case "return":
            return Handler("return", value)
    return Handler(name)


def _raised(error: str, facts: BufferFacts) -> Handler:
    """The action that raises an error, which is a name or a call."""
    if facts.language in ("python", "rust", "go"):
        return Handler("do", f"raise {error}")
    made = error.removeprefix("new ")
    return Handler("do", f"throw new {made}" if "(" in made else f"throw new {made}()")


def _log_call(logger: str, facts: BufferFacts) -> Handler | None:
    """The action that logs the error with a call that is named: ``console.error``, ``log.exception``; ``None`` for a name that the
    buffer does not have, or in languages whose log calls are not known.
    """
    base, _, level = logger.rpartition(".")
    if facts.language == "python":
        level = {"warn": "warning"}.get(level, level)
        return Handler("log", level) if base.split(".")[0] in {*facts.names, "logging"} else None
    is_known = base == "console" or base.split(".")[0] in facts.names
    if facts.language in ("javascript", "jsx", "typescript", "tsx") and is_known:
        return Handler("do", f"{logger}(error)")
    return Handler("log", logger) if facts.language == "java" and is_known else None


def _value(words: str) -> str:
    """A value as code: the literal for "empty list" and the like, ``None`` for "nothing"."""
    if kind := re.fullmatch(r"(?:an? |the )?empty (\w+)", words, re.IGNORECASE):
        return _EMPTY[kind[1].lower()]
    return "None" if words.lower() == "nothing" else words
