"""Puts code in ``try``: what may fail, the error that is caught and what is done on it, wherever in a sentence each stands.

What fails is the body of the function that the sentence names, or the statement that its words describe best.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace

from editd.intent.english import QUOTED
from editd.intent.evidence.request_clauses import cut_sentence
from editd.intent.evidence.snippets import Snippet, calls_in, hidden
from editd.intent.evidence.try_actions import actions_in
from editd.intent.evidence.try_blocks import (
    ABOUT,
    NAMED_ERROR,
    TryTarget,
    errors_in,
    further_targets,
    is_name,
    target_in,
    without_failures,
)
from editd.intent.evidence.whole_requests import Span, accounts_for, functions_in
from editd.intent.intents import Handler, WrapTry
from editd.refactor.by_kind.request import KindRequest, Reader
from editd.refactor.candidates import Candidates
from editd.refactor.described_statement import likeliest_statement
from editd.refactor.wrap_try import body_of, statement_of, wrap_lines
from editd.syntax.places import place_of
from editd.syntax.statements import StatementLines

_IS_PRONOUN = re.compile(
    r"(?:(?:just|only|the|that|this|its?) )*(?:call|line|statement|it|that|this|one)", re.IGNORECASE
)
_WHOLE = re.compile(
    r"(?:put |wrap )?(?:what|everything|all|(?:the )?(?:whole )?(?:body|contents?)|(?:the |all |both |two |three |four )*lines (?:of|in))\b",
    re.IGNORECASE,
)
_OF_BODY = re.compile(r"\b(?:body|bodies|whole|everything|contents?|entire)\b", re.IGNORECASE)
_THEREFORE = re.compile(r".*(?:[,;:]|\b(?:so|therefore|thus|hence|because)\b) ", re.IGNORECASE)
_IN = r"\b(?:the|its) `?(?P<what>(?!(?:body|whole|error|exception|function|method|catch|try)\b)[\w.]+)`?(?: (?:call|line|statement))? (?:in|of|inside) `?{}\b"
_SUBJECT = re.compile(
    r"(?: (?:call|line))?(?: in \S+)? (?:can|may|might|could|will|sometimes|throws?|raises?|fails?|dies|crash\w*|blows?|should|is|needs?|on)\b",
    re.IGNORECASE,
)
_MORE = re.compile(
    r"\band (?:the|its|that) (?P<more>[^,;:]+?)(?: (?:after|behind|below|following) (?:it|that))?(?= (?:in )?\S+ (?:in|into|inside) an? try\b| (?:in|into|inside) an? try\b)",
    re.IGNORECASE,
)
_THEN = re.compile(
    r"\b(?:(?:when|if) (?:it|that|this) happens|in (?:that|this|which) case|if there(?:['’]s| is|['’]re| are) (?:an? )?)\b",
    re.IGNORECASE,
)
_ERROR_NAMES = frozenset(["e", "err", "ex", "exc", "error", "exception"])
_BLOCK = re.compile(r"\b(?:for|while|loop|with|if|switch|block)\b", re.IGNORECASE)
_WITHIN = re.compile(r"(?<=\w|\)) (?:in|of|inside) (?:the )?`?[\w.]+(?:\(\))?`?$", re.IGNORECASE)
_FINALLY = re.compile(r"\b(?:finally|else (?:block|branch)|retry|retries|twice)\b", re.IGNORECASE)


def _read(request: KindRequest) -> Iterator[Candidates]:
    """Yield the text with the ``try``; nothing if what fails, the error or what is done on it is not clear."""
    text, facts = request.parsed.text, request.facts
    if _FINALLY.search(text):
        return
    calls = [x for x in calls_in(text) if not is_name(x, text, facts) and not _fails(x, text)]
    first, others = target_in(text, calls, facts)
    further = list(further_targets(text, calls, facts))
    is_said = (
        first is not None and not first.is_place and not _IS_PRONOUN.fullmatch(first.statement)
    )
    further.sort(key=lambda x: x[0].statement != "loop body")
    for target, rest in [(first, others), *further] if is_said else [*further, (first, others)]:
        if target is None or _IS_PRONOUN.fullmatch(target.statement):
            continue
        done = _wrapped(target, rest, text, request)
        if done is not None:
            yield done
            return


def _wrapped(
    target: TryTarget, calls: list[Snippet], text: str, request: KindRequest
) -> Candidates | None:
    """The text with a target in ``try``; ``None`` if its place, the error or an action is not clear. calls: that are not part of it."""
    facts, code = request.facts, request.code
    bare = hidden(text, calls)
    named = NAMED_ERROR.search(text)
    if named:
        bare = bare[: named.start()] + re.sub(r"[^ ]", " ", named[0]) + bare[named.end() :]
    error, spans = errors_in(bare, facts)
    handlers, done = actions_in(bare, calls, [*spans, target.span, target.subject], facts)
    if not handlers or not _uses_all(calls, handlers):
        return None
    outside = bare
    for start, end in (*spans, *done, *([target.span] if target.statement else [])):
        outside = outside[:start] + " " * (end - start) + outside[end:]
    words, functions = _code_meant(target.statement, functions_in(outside, facts), text, request)
    if target.statement and words and (more := _MORE.search(text)):
        words = f"{words} and the {more['more']}"
        done.append(more.span())
    touching = [*done, target.span] if target.span != (0, 0) else done
    reason = _THEN.sub(lambda at: " " * len(at[0]), without_failures(bare, touching))
    saying = [*spans, target.subject]
    listed = [span for span in done if _is_listed(span, bare)]
    about = {*ABOUT, *functions, *_ERROR_NAMES}
    if not accounts_for(reason, touching, about, facts, saying=saying, exact=listed):
        return None
    lines = _lines_of(words, functions, request)
    if lines is None:
        return None
    function = functions[0] if len(functions) == 1 else ""
    intent = WrapTry(
        "" if words else function,
        error,
        "",
        words,
        handlers,
        location=function,
        error_name=next(filter(None, named.groups())) if named else "",
    )
    found = wrap_lines(intent, lines, code)
    if found is None or found.texts[0] == code.text:
        return None
    what = words or f"the body of {function}"
    return replace(found, reading=f"wrap {what} in try")


def _code_meant(
    words: str, functions: tuple[str, ...], text: str, request: KindRequest
) -> tuple[str, tuple[str, ...]]:
    """The words for what goes in ``try``, empty for a whole body, and the functions in which; words: that stand for it in the text."""
    words = _THEREFORE.sub("", words)
    name = words.strip("` ").removesuffix("()")
    if name in request.facts.definitions:
        return "", (name,)
    if (within := _WITHIN.search(words)) and (inner := functions_in(within[0], request.facts)):
        return words[: within.start()], inner
    if not words and not _OF_BODY.search(text):
        return _part_of(functions, text), functions
    if _WHOLE.match(words) and (inner := functions_in(words, request.facts)):
        return "", inner
    return words, functions


def _lines_of(
    words: str, functions: tuple[str, ...], request: KindRequest
) -> StatementLines | None:
    """The lines of the statement that the words describe best, or of the body of the one function without any."""
    code = request.code
    if len(functions) > 1:
        return None
    if not words:
        body = body_of(functions[0], code) if functions else None
        return body[1] if body else None
    places = [x for name in functions if (x := place_of(name, code.text, code.language))]
    if functions and not places:
        return None
    if exact := statement_of(words, code, places[0] if places else None):
        return exact
    first, _, second = words.partition(" and the ")
    found = [likeliest_statement(x, code, places, request.text) for x in (first, second) if x]
    found = [x for x in found if x is None or not x.is_block or _BLOCK.search(words)]
    lines = sorted((x for x in found if x is not None), key=lambda x: x.start)
    if not lines or len(lines) != len(found) or lines[0].end < lines[-1].start:
        return None
    upper, lower = lines[0], lines[-1]
    if upper.indent != lower.indent:
        return None
    return upper if upper == lower else StatementLines(upper.start, lower.end, upper.indent)


def _is_listed(span: Span, bare: str) -> bool:
    """Whether the clause of an action has another part, joined by "and" or "then"."""
    clause = next((x for x in cut_sentence(bare) if x.start <= span[0] < x.end), None)
    return clause is not None and re.search(r"\b(?:and|then)\b|&", clause.text) is not None


def _fails(call: Snippet, text: str) -> bool:
    """Whether a sentence says of a call that it fails: "int(x) in load throws"."""
    return _SUBJECT.match(text, call.end) is not None


def _part_of(functions: tuple[str, ...], text: str) -> str:
    """The words for a part of the one function: "unlink" of "the unlink in delete"; empty for none or several."""
    if len(functions) != 1:
        return ""
    found = {x["what"] for x in re.finditer(_IN.format(re.escape(functions[0])), text)}
    return found.pop() if len(found) == 1 else ""


def _uses_all(calls: list[Snippet], handlers: tuple[Handler, ...]) -> bool:
    """Whether each call of the sentence is part of an action."""
    values = " ".join(x.value for x in handlers)
    return all(re.sub(QUOTED, "", x.code) in re.sub(QUOTED, "", values) for x in calls)


READERS: dict[str, Reader] = {"try_except": _read}
"""The reader of ``try``."""
