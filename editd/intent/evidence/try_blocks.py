"""Evidence for a ``try``: what may fail, which errors, and what is done then, wherever in the request each stands.

"the push call: catch IOException around it and increment failures in the catch" has all three. The rest of such a clause says
nothing, other clauses say why. Standard library only.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from editd.intent.evidence.buffer_facts import BufferFacts
from editd.intent.evidence.interpretation import Interpretation
from editd.intent.evidence.snippets import HIDDEN, Snippet, calls_in, hidden
from editd.intent.evidence.whole_requests import Span, accounts_for, functions_in
from editd.intent.intents import Handler, WrapTry

_CUE = re.compile(
    r"\b(?:try|catch|except|catches|catching|caught)\b|\btry-?(?:/|-| )?(?:catch|except)\b|\b(?:wrap|surround|guard|enclose|protect)\b",
    re.IGNORECASE,
)
_CODE = rf"{HIDDEN}+"
_ERROR_NAME = (
    r"(?:[^\W\d][\w.]*)?(?:Error|Exception|Interrupt|Iteration|Expired|Throwable)(?![\w(])"
)
_ERRORS = re.compile(
    rf"\(?\b(?P<names>{_ERROR_NAME}(?:(?:, | or |, or | and |/| \| ){_ERROR_NAME})*)\)?"
)
_MAY_RAISE = re.compile(
    r"\b(?:can|may|might|could|will|would|does|sometimes|occasionally|to|it|that|they|call|calls|function|which)(?: (?:also|now|sometimes|still))? $",
    re.IGNORECASE,
)
_DENIED = re.compile(
    r"(?:\b(?:not|never|without|cannot|instead of|don['’]?t|to)|n['’]t)(?: \w+)? $", re.IGNORECASE
)
_RAISES = re.compile(
    r"(?<!can )(?<!may )(?<!might )(?<!could )(?<!will )(?<!would )(?<!sometimes )\b(?:raise|throw|raising|throwing)(?: an?| the)?(?: new)? \(?$",
    re.IGNORECASE,
)
_CAUGHT_ERROR = re.compile(
    r"\b(?:except|catch|catches|on|for)(?: an?| the)? (?P<names>[a-z_]\w*(?:\.\w+)*\.[A-Z]\w*)(?![\w(])"
)
_A_LITERAL = (
    r"(?:None|True|False|null|undefined|nil|true|false|-?\d[\d.]*|\[ ?\]|\{ ?\}|\( ?\)|\"[^\"]*\"|'[^']*'|set\(\)|dict\(\)|list\(\)"
    r"|(?:an? |the )?empty (?:list|array|dict|dictionary|object|map|string|str|tuple|set)\b|nothing\b)"
)
_EMPTY = {
    "list": "[]", "array": "[]", "dict": "{}", "dictionary": "{}", "object": "{}", "map": "{}", "string": '""', "str": '""',
    "tuple": "()", "set": "set()",
}  # fmt: skip
_IT = r"(?: (?:it|the (?:error|exception)|that))?"
_ACTIONS: tuple[tuple[str, str], ...] = (
    ("raise", rf"(?:re-?(?:raise|throw)(?:s|ing)?|(?:raise|throw)s?(?: (?:it|the (?:error|exception)))?(?: again| on| further| (?:up|along))){_IT}"),
    ("raise", r"(?:throw|raise) (?:e|err|ex|exc|error)(?= |$|[,.;)])"),
    ("raise", r"(?<=then )(?:raise|throw)(?=$|[,.;)])|(?<=and )(?:raise|throw)(?=$|[,.;)])"),
    ("raise_code", rf"(?:re-?)?(?:raise|throw|raising|throwing)(?: an?| the)?(?: new)? (?P<code>{_CODE})"),
    ("raise_name", rf"(?:raise|throw|raising|throwing)(?: an?| the)?(?: new)? (?P<value>{_ERROR_NAME})"),
    ("return_code", rf"(?:return|returns|returning|give back|gives back)(?: the| an?)? (?P<code>{_CODE})"),
    ("return", rf"(?:return|returns|returning|give back|gives back|yields?|should be) (?P<value>{_A_LITERAL})(?![\w.])"),
    ("return_name", r"(?:return|returns|returning|give back) (?:the )?`?(?P<value>[^\W\d][\w.$]*)`?(?= (?:there|instead|then|in|from)\b|[,.;)]|$)"),
    ("continue", r"(?:just |simply )?(?:continue|go on|goes on|carry on|move on|proceed|skip to)(?: (?:with|to))?(?: the)?(?: next)?(?: (?:one|item|row|line|file|entry|record|element|iteration|user|order|message|service|loop|snapshot|job|round|page|host))?(?= |$|[,.;)])"),
    ("continue", r"skip(?:s|ping)? (?:it|to the next(?: \w+)?|(?:the|that|this) (?:one|item|row|line|file|entry|record|element|iteration|user|order|message|service|host))"),
    ("pass", r"(?:just |simply )?(?:pass|ignore(?: (?:it|them|the (?:error|exception)|that))?|swallow(?: (?:it|them|the (?:error|exception)))?|do nothing|does nothing)(?= |$|[,.;)])"),
    ("break", r"break(?: out(?: of the loop)?)?(?=\s*(?:$|[,.;)]|(?:and|in|there|then)\b))"),
    ("print", r"print(?:s|ing)?(?: out)? (?:it|the (?:error|exception))"),
    ("print_text", r"print(?:s|ing)? (?P<value>\"[^\"]*\"|'[^']*')"),
    ("do", rf"(?:(?:call|run|do|then|use|invoke|->|(?:log|print|report|show)(?:s|ing)?(?: (?:it|that|the (?:error|exception)))?(?: (?:with|via|using|by|through))?)s? )*(?P<code>{_CODE})"),
    ("log", r"log(?:s|ging)? (?:it|the (?:error|exception))(?: (?:as|at|with|on)(?: an?| the)?(?: level)? (?P<level>warning|warn|error|info|debug|exception)(?: level)?)?"),
    ("increment", r"(?:increment|increase|bump|count up)(?:s|ing)? (?:the )?`?(?P<value>[^\W\d][\w.$]*)`?(?: (?:by one|by 1|counter))?"),
    ("assign", rf"(?:set )?`?(?P<name>[^\W\d][\w.$]*(?:\[[^\[\]]*\])?)`? ?(?P<sign>[-+]?=|to) ?(?P<value>{_CODE}|{_A_LITERAL})(?![\w.])"),
    ("return_bare", r"(?:just |simply )?(?:return|bail out|leave the function|give up)(?: early)?(?= (?:there|then|in)\b|[,.;)]|$)"),
)  # fmt: skip
_PATTERNS = tuple(
    (name, re.compile(rf"(?<![\w.$-])(?:{text})", re.IGNORECASE)) for name, text in _ACTIONS
)
_NAMED_ERROR = re.compile(
    r"\bcatch ?\((?P<name>[^\W\d]\w*)\)|\bas (?P<alias>e|err|ex|exc|error)\b|(?<=Exception )(?P<bare>e|ex|err|exc|error)\b|(?<=Error )(?P<bare2>e|ex|err|exc)\b"
)
_ABOUT = frozenset(
    """
    try try/catch try/except try-catch try-except catch except catches catching wrap surround guard enclose protect handle put wrapped block clause around
    error errors exception exceptions whole body entire loop content contents inside call line statement calls just there instead
    raise throw return in case fails fail then its surrounded should
    code everything within raised happens throws raises
    """.split()  # noqa: SIM905
)
_BODY = re.compile(
    r"\b(?:put |wrap )?(?:(?:the|its|that) )?(?:(?:whole|entire|complete|full) )?(?:function |method )?(?:body|bodies|contents?|everything)\b(?: (?:of|in|inside))?(?: (?:it|there))?|\b(?P<name>[\w.]+)(?:\(\))?(?:'s)? body\b|\bwhat(?:'s| is) inside\b(?! (?:of )?the loop)",
    re.IGNORECASE,
)
_LOOP_BODY = re.compile(
    r"\b(?:what(?:'s| is) inside(?: of)? the (?:for |while )?loop|(?:the )?(?:whole |entire )?(?:loop body|loop's body|body of the (?:for |while )?loop|inside of the (?:for |while )?loop|(?:for |while )?loop contents?)|everything (?:in|inside) the (?:for |while )?loop)\b",
    re.IGNORECASE,
)
_TARGET_END = r"(?=\s*(?:$|[,;:]|[.!?](?:\s|$)|\s-+\s|\(|\b(?:in|with|into|inside|within|by|of|from|and|so|for|there|because|should|needs?|can|may|must|on)\b))"
_WRAPPED = re.compile(
    r"\b(?:wrap|surround|guard|enclose|protect|put|catch\b[^,;:.]*? (?:around|from|in|by|of|thrown by|raised by)|around|surrounding|inside of)(?: (?:just|only|merely))?(?: (?:the|that|this|our))* "
    rf"(?P<target>(?!(?:(?:the|that|this|a) )*(?:it|them|its|try|in|catch|except|there)\b)[^,;:]+?){_TARGET_END}",
    re.IGNORECASE,
)
_FAILING = re.compile(
    r"(?:^|[,;:.!] |\bin (?P<of>[\w.]+)(?:\(\))?,? )(?:(?:the|if|when|sometimes|since) )*(?P<target>[^,;:.\s][^,;:]*?) (?:call )?(?:(?:in|of|inside) (?:the )?`?[\w.]+(?:\(\))?`? )?(?:can|may|might|could|will|sometimes|does|occasionally)? ?(?:raises?|throws?|fails?|explodes?|crash(?:es)?|blows? up|dies|die)\b",
    re.IGNORECASE,
)
_PRONOUN = re.compile(
    r"\b(?:wrap|surround|guard|enclose|protect|around|catch|try/catch|try/except)(?: just| only)? (?:it|that|this)\b(?: (?:line|call|statement))?(?P<more> and the [^,;:]+? (?:line|call|statement)\b)?|\bcatch (?:[\w.|]+|(?:it|that|this)) there\b",
    re.IGNORECASE,
)
_HEADED = re.compile(
    r"^(?:in (?:the )?[\w.]+(?:\(\))?,? |[\w.]+(?:\(\))?: )?(?:the )?(?P<target>[^,;:]+? (?:call|line|statement)|[\w$]+(?:\.[\w$]+)+)(?: (?:in|of|inside) (?:the )?`?[\w.]+(?:\(\))?`?)?\s*[:,-]",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class _Target:
    """The code that goes in ``try``: words for a statement, ``loop`` for the body of the loop, or empty for the body of the function. subject: where a pronoun's noun stands."""

    statement: str
    span: Span
    subject: Span = (0, 0)


def read_try(text: str, facts: BufferFacts) -> Iterator[Interpretation]:
    """Yield the one ``try`` that ``text`` asks for, in each function that it may name; nothing if what is wrapped, the error or
    what is done on it is not clear, or it asks for more.
    """
    if not _CUE.search(text):
        return
    calls = [x for x in calls_in(text) if not _is_name(x, text, facts)]
    target, calls = _target_in(text, calls, facts)
    if target is None:
        return
    named = _NAMED_ERROR.search(text)
    bare = hidden(text, calls)
    if named:
        bare = bare[: named.start()] + re.sub(r"[^ ]", " ", named[0]) + bare[named.end() :]
    error, spans = _errors_in(bare)
    handlers, done = _handlers_in(bare, calls, [*spans, target.span], facts)
    if handlers is None or not handlers:
        return
    touching = [*done, target.span]
    spans.append(target.subject)
    spans += [named.span()] if named else []
    outside = bare
    for start, end in (*spans, *done, *([target.span] if target.statement else [])):
        outside = outside[:start] + " " * (end - start) + outside[end:]
    functions = functions_in(outside, facts)
    if not accounts_for(bare, touching, {*_ABOUT, *functions}, facts, saying=spans):
        return
    is_whole = target.statement in ("", "loop body")
    if is_whole and len(functions) != 1:
        return
    named_as = next(filter(None, named.groups())) if named else ""
    for function in functions or ("",):
        words = (
            f"wrap {target.statement or 'the body'}{f' in {function}' if function else ''} in try"
        )
        of = "" if target.statement else function
        yield Interpretation(
            WrapTry(
                of, error, "", target.statement, handlers, location=function, error_name=named_as
            ),
            words,
            reads_all=True,
        )


def _is_name(call: Snippet, text: str, facts: BufferFacts) -> bool:
    """Whether a call is only the name of a function of the buffer: ``load()``, without a word for calling before it."""
    is_called = re.search(
        r"(?:\b(?:return|call|do|run|invoke|use|throw|raise)|->|=>) `?$", text[: call.start]
    )
    return call.code.endswith("()") and call.code[:-2] in facts.definitions and not is_called


def _target_in(
    text: str, calls: Sequence[Snippet], facts: BufferFacts
) -> tuple[_Target | None, list[Snippet]]:
    """The code that goes in ``try``, and the calls that are not part of it; ``None`` if it is not clear."""
    bare = hidden(text, list(calls))
    if at := _LOOP_BODY.search(bare):
        return _Target("loop body", at.span()), list(calls)
    wrapped = [at for at in _WRAPPED.finditer(bare) if not _ERRORS.fullmatch(at["target"])]
    if at := _BODY.search(bare):
        return _Target("", at.span()), list(calls)
    if (pronoun := _PRONOUN.search(bare)) and (
        subject := _HEADED.search(bare) or _FAILING.search(bare)
    ):
        words = text[slice(*subject.span("target"))].strip()
        if words.removesuffix("()") not in facts.definitions:
            own = [x for x in calls if subject.start() <= x.start < subject.end()]
            return _Target(
                words + (pronoun["more"] or ""), pronoun.span(), subject.span("target")
            ), [x for x in calls if x not in own]
    for pattern in (None, _HEADED, _FAILING):
        for at in wrapped if pattern is None else pattern.finditer(bare):
            words = text[slice(*at.span("target"))]
            if (
                re.fullmatch(r"[\w.]+(?:\(\))?", words)
                and words.removesuffix("()") in facts.definitions
            ):
                if pattern is _HEADED:
                    continue
                return _Target("", at.span("target")), list(calls)
            if re.search(r"\btr(?:y|ies)\b|\b(?:code|thing|stuff|part)\b", words):
                continue
            own = [x for x in calls if at.start("target") <= x.start < at.end("target")]
            return _Target(words.strip(), at.span("target")), [x for x in calls if x not in own]
    if re.search(r"\b(?:should|must|has to) try\b", bare) and len(functions_in(bare, facts)) == 1:
        return _Target("", (0, 0)), list(calls)
    return None, list(calls)


def _errors_in(bare: str) -> tuple[str, list[Span]]:
    """The exception that is caught, several in brackets, and where the request names it; empty for none."""
    found = [*_ERRORS.finditer(bare), *_CAUGHT_ERROR.finditer(bare)]
    found = [at for at in found if not _RAISES.search(bare, 0, at.start())]
    names: dict[str, None] = {}
    for at in found:
        names |= dict.fromkeys(re.split(r", or | or |, | and |/| \| ", at["names"]))
    error = "" if not names else next(iter(names)) if len(names) == 1 else f"({', '.join(names)})"
    return error, [(_led(bare, at.start()), at.end()) for at in found]


def _led(bare: str, start: int) -> int:
    """The offset of a word that leads to the error that is named at ``start``: "except", "on"; ``start`` without one."""
    lead = re.search(
        r"\b(?:except|on|upon|for|in case of)(?: an?| the)? $", bare[:start], re.IGNORECASE
    )
    return lead.start() if lead else start


def _handlers_in(
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
            return Handler("return", code)
        case "raise_code":
            word = "throw new" if facts.language not in ("python", "rust", "go") else "raise"
            return Handler("do", f"{word} {code.removeprefix('new ')}")
        case "raise_name":
            is_new = facts.language not in ("python", "rust", "go")
            return Handler("do", f"throw new {value}()" if is_new else f"raise {value}")
        case "return_name":
            return Handler("return", value) if value in facts.names else None
        case "return_bare":
            return Handler("return")
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
            return Handler("do", code)
        case "return":
            return Handler("return", value)
    return Handler(name)


def _value(words: str) -> str:
    """A value as code: the literal for "empty list" and the like, ``None`` for "nothing"."""
    if kind := re.fullmatch(r"(?:an? |the )?empty (\w+)", words, re.IGNORECASE):
        return _EMPTY[kind[1].lower()]
    return "None" if words.lower() == "nothing" else words
