"""Evidence for a ``try``: what may fail, which errors, and what is done then, wherever in the request each stands.

"the push call: catch IOException around it and increment failures in the catch" has all three. The rest of such a clause says
nothing, other clauses say why. Standard library only.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from editd.intent.english import QUOTED
from editd.intent.evidence.buffer_facts import BufferFacts
from editd.intent.evidence.interpretation import Interpretation
from editd.intent.evidence.snippets import Snippet, calls_in, hidden
from editd.intent.evidence.try_actions import ERROR_NAME, actions_in
from editd.intent.evidence.try_words import (
    ANY_ERROR,
    CODE_NAMED,
    FAILS,
    FAILURE,
    IF_IT_FAILS,
    IMPLIED,
    IN_A_HANDLER,
    IN_THE_LOOP,
    KNOWN_ERROR,
    NAMES_CODE,
    OTHER_KIND,
    PURPOSE,
    PUT_IN_TRY,
    SKIPPED,
    SOURCE,
    SUBJECT,
    TARGET_END,
)
from editd.intent.evidence.whole_requests import Span, accounts_for, functions_in
from editd.intent.intents import WrapTry

_CUE = re.compile(
    r"\b(?:try|catch|except|catches|catching|caught)\b|\btry-?(?:/|-| )?(?:catch|except)\b|\b(?:wrap|surround|guard|enclose|protect)\b",
    re.IGNORECASE,
)
_ERRORS = re.compile(
    rf"\(?\b(?P<names>{ERROR_NAME}(?:(?:, | or |, or | and |/| \| ){ERROR_NAME})*)\)?"
)
_RAISES = re.compile(
    r"(?<!can )(?<!may )(?<!might )(?<!could )(?<!will )(?<!would )(?<!sometimes )\b(?:raise|throw|raising|throwing)(?: an?| the)?(?: new)? \(?$",
    re.IGNORECASE,
)
_CAUGHT_ERROR = re.compile(
    r"\b(?:except|catch|catches|on|for)(?: an?| the)? (?P<names>[a-z_]\w*(?:\.\w+)*\.[A-Z]\w*)(?![\w(])"
)
NAMED_ERROR = re.compile(
    r"\bcatch ?\((?P<name>[^\W\d]\w*)\)|\bas (?P<alias>e|err|ex|exc|error)\b|(?<=Exception )(?P<bare>e|ex|err|exc|error)\b|(?<=Error )(?P<bare2>e|ex|err|exc)\b"
)
ABOUT = frozenset(
    """
    try try/catch try/except try-catch try-except catch except catches catching wrap surround guard enclose protect handle put wrapped block clause around
    error errors exception exceptions whole body entire loop content contents inside call line statement calls just there instead
    raise throw return in case fails fail then its surrounded should
    code everything within raised happens throws raises handler must crash crashes crashing blow blowing up explode exploding die dies dying
    traceback survive survives break breaks breaking stop stops abort aborts kill kills go goes bare plain
    """.split()  # noqa: SIM905
)
_BODY = re.compile(
    r"\b(?:put |wrap )?(?:(?:the|its|that) )?(?:(?:whole|entire|complete|full) )?(?:function |method )?(?:body|bodies|contents?|everything)\b(?! \x00)(?: (?:of|in|inside))?(?: (?:it|there))?|\b(?P<name>[\w.]+)(?:\(\))?(?:'s)? body\b|\bwhat(?:'s| is) inside\b(?! (?:of )?the loop)",
    re.IGNORECASE,
)
_LOOP_BODY = re.compile(
    r"\b(?:what(?:'s| is) inside(?: of)? the (?:for |while )?loop|(?:the )?(?:whole |entire )?(?:loop body|loop's body|body of the (?:for |while )?loop|inside of the (?:for |while )?loop|(?:for |while )?loop contents?)|everything (?:in|inside) the (?:for |while )?loop|(?:both|all|two|three|the|four|those|these) (?:\w+ )?lines (?:of|in|inside) the (?:for |while )?loop)\b",
    re.IGNORECASE,
)
_WRAPPED = re.compile(
    r"\b(?:wrap|surround|guard|enclose|protect|put|catch\b[^,;:.]*? (?:around|from|in|by|of|thrown by|raised by)|around|surrounding|inside of)(?: (?:just|only|merely))?(?: (?:the|that|this|our))* "
    rf"(?P<target>(?!(?:(?:the|that|this|a) )*(?:it|them|its|try|in|catch|except|there)\b)[^,;:]+?){TARGET_END}",
    re.IGNORECASE,
)
_FAILING = re.compile(
    rf"(?:^|[,;:.!] |\bin (?P<of>[\w.]+)(?:\(\))?,? )(?:(?:the|if|when|sometimes|since) )*(?P<target>{SUBJECT}) (?:call )?(?:(?:in|of|inside) (?:the )?`?[\w.]+(?:\(\))?`? )?(?:can|may|might|could|will|sometimes|does|occasionally)? ?(?:raises?|throws?|fails?|explodes?|crash(?:es)?|blows? up|dies|die)\b",
    re.IGNORECASE,
)
_PRONOUN = re.compile(
    r"\b(?:wrap|surround|guard|enclose|protect|put|around|catch|try/catch|try/except)(?: just| only)? (?:it|that|this)\b(?! (?:just |simply |only )?\w+s\b)(?: (?:line|call|statement))?(?P<more> and the [^,;:]+? (?:line|call|statement)\b)?|\bcatch (?:[\w.|]+|(?:it|that|this)) there\b",
    re.IGNORECASE,
)
_HEADED = re.compile(
    r"(?:^|[.!?;] )(?:in (?:the )?[\w.]+(?:\(\))?,? |[\w.]+(?:\(\))?: )?(?:the )?(?P<target>[^,;:]+? (?:call|line|statement)|[\w$]+(?:\.[\w$]+)+)(?: (?:in|of|inside) (?:the )?`?[\w.]+(?:\(\))?`?)?\s*[:,-]",
    re.IGNORECASE,
)


_ANYTHING = re.compile(r"anything|something|everything", re.IGNORECASE)
_ONLY = re.compile(r"\b(?:only|just|merely|nothing but|alone)\b", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class TryTarget:
    """The code that goes in ``try``: words for a statement, ``loop`` for the body of the loop, or empty for the body of the function. subject: where a pronoun's noun stands.
    is_place: the words only say in which function the error comes.
    """

    statement: str
    span: Span
    subject: Span = (0, 0)
    is_place: bool = False


def read_try(text: str, facts: BufferFacts) -> Iterator[Interpretation]:
    """Yield the ``try`` that ``text`` asks for, for each code that it may mean and in each function that it may name, likelier code
    first; nothing if what is wrapped, the error or what is done on it is not clear, or it asks for more.
    """
    is_script = facts.language in ("javascript", "jsx", "typescript", "tsx")
    is_implied = not _CUE.search(text) and not (is_script and IF_IT_FAILS.search(text))
    if is_implied and (OTHER_KIND.search(text) or not IMPLIED.search(text)):
        return
    if IN_A_HANDLER.search(text) and not _CUE.search(IN_A_HANDLER.sub(" ", text)):
        return
    calls = [x for x in calls_in(text) if not is_name(x, text, facts)]
    first, others = target_in(text, calls, facts)
    further = list(further_targets(text, calls, facts))
    if first is not None and first.is_place:
        further.append((first, others))
    elif first is not None:
        yield from _read_with(first, others, text, facts, 0, needs_error=is_implied)
    if first is not None and not facts.has_words(first.statement):
        text = text[: first.span[0]] + " " * len(first.statement) + text[first.span[1] :]
    for rank, (target, others) in enumerate(further, start=1):
        if first is None or target is first or target.statement not in ("", first.statement):
            yield from _read_with(target, others, text, facts, rank, needs_error=is_implied)


def speaks_of_errors(text: str) -> bool:
    """Whether a request names an error and says that it comes or what is done then, so that a value or name in it is none to set."""
    bare = re.sub(QUOTED, '"…"', text)
    is_of_other = OTHER_KIND.search(bare) is not None
    return bool(_ERRORS.search(bare) and IMPLIED.search(bare)) and not is_of_other


def _read_with(
    target: TryTarget,
    calls: Sequence[Snippet],
    text: str,
    facts: BufferFacts,
    rank: int,
    *,
    needs_error: bool,
) -> Iterator[Interpretation]:
    """Yield the ``try`` around ``target``; nothing if the rest of the request does not fit. calls: that are not part of it. needs_error:
    the error has to be named.
    """
    named = NAMED_ERROR.search(text)
    bare = hidden(text, list(calls))
    if named:
        bare = bare[: named.start()] + re.sub(r"[^ ]", " ", named[0]) + bare[named.end() :]
    error, spans = errors_in(bare, facts)
    handlers, done = actions_in(bare, calls, [*spans, target.span, target.subject], facts)
    if not handlers or (needs_error and not error):
        return
    touching = [*done, target.span] if target.span != (0, 0) else done
    spans.append(target.subject)
    spans += [named.span()] if named else []
    outside = bare
    for start, end in (*spans, *done, *([target.span] if target.statement else [])):
        outside = outside[:start] + " " * (end - start) + outside[end:]
    functions = functions_in(outside, facts)
    reason = without_failures(bare, touching)
    about = {*ABOUT, *functions}
    if not accounts_for(reason, touching, about, facts, saying=spans, exact=done):
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
            rank=rank,
        )


def without_failures(text: str, spans: Sequence[Span]) -> str:
    """The text with blanks for "when the file isn't there", "must not stop the others" and the like, and for "only" beside the
    spans, as these say no more.
    """
    for found in (
        x for pattern in (FAILURE, PURPOSE, SKIPPED, _ONLY) for x in pattern.finditer(text)
    ):
        if not any(start < found.end() and found.start() < end for start, end in spans):
            text = text[: found.start()] + " " * len(found[0]) + text[found.end() :]
    return text


def is_name(call: Snippet, text: str, facts: BufferFacts) -> bool:
    """Whether a call is only the name of a function of the buffer: ``load()``, without a word for calling before it."""
    is_called = re.search(
        r"(?:\b(?:return|call|do|run|invoke|use|throw|raise)|->|=>) `?$", text[: call.start]
    )
    return call.code.endswith("()") and call.code[:-2] in facts.definitions and not is_called


def target_in(
    text: str, calls: Sequence[Snippet], facts: BufferFacts
) -> tuple[TryTarget | None, list[Snippet]]:
    """The code that goes in ``try``, and the calls that are not part of it; ``None`` if it is not clear."""
    bare = hidden(text, list(calls))
    if at := _LOOP_BODY.search(bare):
        return TryTarget("loop body", at.span()), list(calls)
    wrapped = [at for at in _WRAPPED.finditer(bare) if not _ERRORS.fullmatch(at["target"])]
    if at := _BODY.search(bare):
        return TryTarget("", at.span()), list(calls)
    if (pronoun := _PRONOUN.search(bare)) and (
        subject := _HEADED.search(bare) or _FAILING.search(bare)
    ):
        words = text[slice(*subject.span("target"))].strip()
        if _ANYTHING.fullmatch(words):
            return TryTarget("", pronoun.span(), subject.span("target")), list(calls)
        if words.removesuffix("()") not in facts.definitions:
            own = [x for x in calls if subject.start() <= x.start < subject.end()]
            return TryTarget(
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
                name = words.removesuffix("()")
                around = set(
                    functions_in(bare[: at.start("target")] + bare[at.end("target") :], facts)
                )
                if "around" in at[0].lower() and around - {name}:
                    return TryTarget(f"{name} call", at.span("target")), list(calls)
                is_place = pattern is _FAILING or bool(re.match(r"catch\b", at[0], re.IGNORECASE))
                return TryTarget("", at.span("target"), is_place=is_place), list(calls)
            if re.search(r"\btr(?:y|ies)\b|\b(?:code|thing|stuff|part)\b", words):
                continue
            if _ANYTHING.fullmatch(words):
                return TryTarget("", at.span("target")), list(calls)
            own = [x for x in calls if at.start("target") <= x.start < at.end("target")]
            return TryTarget(words.strip(), at.span("target")), [x for x in calls if x not in own]
    if re.search(r"\b(?:should|must|has to) try\b", bare) and len(functions_in(bare, facts)) == 1:
        return TryTarget("", (0, 0)), list(calls)
    return None, list(calls)


def further_targets(
    text: str, calls: Sequence[Snippet], facts: BufferFacts
) -> Iterator[tuple[TryTarget, list[Snippet]]]:
    """Yield the code that may go in ``try`` where the plain forms of a request do not say it, with the calls that are not part of it:
    what errors come from, what fails, the body of the loop, of the only function that is named.
    """
    bare = hidden(text, list(calls))
    found = []
    for pattern in (SOURCE, PUT_IN_TRY, FAILS):
        for at in pattern.finditer(bare):
            words = text[slice(*at.span("target"))].strip(" `")
            if not words or words.removesuffix("()") in facts.definitions:
                continue
            own = [x for x in calls if at.start("target") <= x.start < at.end("target")]
            span = (0, 0) if pattern is FAILS else at.span("target")
            found.append((TryTarget(words, span, at.span()), own))
    for target, own in found:
        yield target, [x for x in calls if x not in own]
    if loop := IN_THE_LOOP.search(bare):
        yield TryTarget("loop body", loop.span()), list(calls)
    elif not found and not _names_code(bare, facts) and len(functions_in(bare, facts)) == 1:
        yield TryTarget("", (0, 0)), list(calls)


def _names_code(bare: str, facts: BufferFacts) -> bool:
    """Whether the words speak of a part of a function: by a noun, or by a dotted name that is no error and no log call."""
    dotted = (
        x[0] for x in CODE_NAMED.finditer(_ERRORS.sub(" ", bare)) if x[0] not in facts.definitions
    )
    names = [
        x
        for x in dotted
        if not re.search(r"\.(?:[A-Z]\w*|debug|info|warn|warning|error|exception|log)$", x)
    ]
    return bool(names) or NAMES_CODE.search(bare) is not None


def errors_in(bare: str, facts: BufferFacts) -> tuple[str, list[Span]]:
    """The exception that is caught, several in brackets, and where the request names it; empty for none, ``Exception`` in Python for any."""
    found = [*_ERRORS.finditer(bare), *_CAUGHT_ERROR.finditer(bare)]
    found += [x for x in KNOWN_ERROR.finditer(bare) if x["names"] in facts.names]
    found = [at for at in found if not _RAISES.search(bare, 0, at.start("names"))]
    names: dict[str, None] = {}
    for at in found:
        names |= dict.fromkeys(re.split(r", or | or |, | and |/| \| ", at["names"]))
    if not names and facts.language == "python" and (any_error := ANY_ERROR.search(bare)):
        return "Exception", [any_error.span()]
    error = "" if not names else next(iter(names)) if len(names) == 1 else f"({', '.join(names)})"
    return error, [(_led(bare, at.start()), at.end()) for at in found]


def _led(bare: str, start: int) -> int:
    """The offset of a word that leads to the error that is named at ``start``: "except", "on"; ``start`` without one."""
    lead = re.search(
        r"\b(?:except|on|upon|for|in case of)(?: an?| the)? $", bare[:start], re.IGNORECASE
    )
    return lead.start() if lead else start
