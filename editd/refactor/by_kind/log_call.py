"""Writes a log line at the place that the words of a sentence mean.

What is written is a call that the sentence has, or a text of it at a level. Where is a relation ("before", "at the top", "in the except")
to a function, a block or the statement that the words beside it describe best.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace

from editd.intent.english import QUOTED
from editd.intent.evidence.filler import FILLER
from editd.intent.evidence.log_calls import statement_in
from editd.intent.evidence.request_clauses import cut_sentence
from editd.intent.evidence.snippets import HIDDEN, hidden
from editd.intent.evidence.whole_requests import functions_in
from editd.intent.intents import InsertStatement
from editd.intent.word_forms import are_forms, words_in
from editd.refactor.by_kind.request import KindRequest, Reader
from editd.refactor.candidates import Candidates
from editd.refactor.described_statement import described_statement, likeliest_statement
from editd.refactor.insert_statement import (
    insert_above,
    leaves_early,
    line_of,
    line_of_variable,
)
from editd.syntax.block_bodies import block_body
from editd.syntax.places import Place, place_of
from editd.syntax.statements import StatementLines

_LEVELS = {"debug": "debug", "info": "info", "warn": "warning", "warning": "warning", "error": "error", "critical": "critical"}  # fmt: skip
_LEVEL = re.compile(rf"\b(?:{'|'.join(_LEVELS)})\b(?![.(])", re.IGNORECASE)
_RELATIONS = {
    "before": r"before|above|ahead of|in front of|prior to|on top of",
    "after": r"after|below|behind|following|under|underneath|beneath|as soon as|once(?= [^,;:.]*?\b(?:is|was|are|were|has|have|been|got|gets)\b)",
    "top": r"top|start|starts|beginning|begin|begins|entry|entering|first (?:thing|line|statement|step|action)|first",
    "end": r"end|ends|bottom|last (?:thing|line|statement|step|action)|finish(?:es)?(?: with)?",
    "in": r"(?:in|inside|within|into|to|of) (?:the |its |that |each )*(?:(?:very )?(?:top|start|beginning|end|bottom) of )?(?:the |its )?(?P<block>(?:for |while |endless |infinite |main )?loop|try|catch|except|finally|else)\b",
}
_RELATION = {
    x: re.compile(rf"(?<![\w-])(?:{words})(?![\w-])", re.IGNORECASE)
    for x, words in _RELATIONS.items()
}
_ENDS = re.compile(
    rf"\s*(?:{HIDDEN}|[,;:(]|[.!?](?:\s|$)|\s[-–—]+\s|$|(?<!\bthe )(?<!\ban )(?<!\ba )\b(?:please|pls|add|put|insert|write|log|(?:there|it|we|you|i)(?:['’]d| would| should| must| could)|(?:i|we) (?:want|need|like))\b)",
    re.IGNORECASE,
)
_WITHIN = re.compile(r"\b(?:in|of|inside|within) (?:the )?[`\w./ ()-]+$", re.IGNORECASE)
_RETURNS = re.compile(
    r"(?:(?:it|the|its|final|last) )*(?:returns?(?: statement)?|returning(?: it)?|ends|is done|finishes)?",
    re.IGNORECASE,
)
_AND = re.compile(r"\b(?:and|or|&) (?:(?:right|just|directly|once|also|again) )*$", re.IGNORECASE)
_SAYING = re.compile(
    r"\b(?:saying|that says|which says|says|reading)(?: that)? (?P<text>\w[\w ]*?)(?= (?:(?:right|just|directly) )?(?:before|after|at the|as the|in the|when|once)\b|[,.;:]|$)",
    re.IGNORECASE,
)
_LOGGED = re.compile(
    r"(?:\blogs?|\blogging|\blog\w*\.\w+|\bconsole\.\w+|\b(?:call|line|message|entry|logger\.\w+|log\.\w+) (?:with|of|that names|that mentions|about)|\brecords?|\breports?) "
    r"(?:the |also |an? )*(?P<what>[`\w.]+(?: \w+)?)(?= (?:at|in|on|as|before|after|when|once|right|just|first|there)\b|[,.;:]|$)",
    re.IGNORECASE,
)
_CALL = re.compile(
    r"(?<![\w.])\w*log\w*\.(?:debug|info|warn|warning|error|critical|Println|Printf)(?![\w(])|(?<![\w.])console\.\w+(?![\w(])",
    re.IGNORECASE,
)
_LOGGER = re.compile(r"_?(?:log\w*|echo|debug|info|warn|error)", re.IGNORECASE)
_WHEN = re.compile(
    r"(?<!\bthe )(?<!\binner )\b(?:if|unless|until|when\b(?! \w+ (?:starts|begins|is called))|whenever)\b",
    re.IGNORECASE,
)
_LEAVES = re.compile(r"\s*(?:return|raise|throw|continue|break|panic|exit|process\.exit)\b")
_MAKES = re.compile(r"\s*(?:async )?with\b")
_SCOPED = re.compile(r"[^\W\d]\w*")


@dataclass(frozen=True, slots=True)
class _LogLine:
    """A log call and the sentence that asks for it, with ``HIDDEN`` for its code or text.

    names: of variables in the call.
    """

    intent: InsertStatement
    rest: str
    names: frozenset[str] = frozenset()


def _read(request: KindRequest) -> Iterator[Candidates]:
    """Yield the text with the log line; nothing if the sentence has none or several, or its words mean no or several places for it."""
    statement = _statement_of(request)
    if statement is None:
        return
    lines = dict.fromkeys(_lines_for(statement, request))
    if len(lines) != 1:
        return
    line, indent = next(iter(lines))
    if line < 0:
        return
    found = insert_above(statement.intent, line, indent, request.code)
    if found is not None:
        written = found.texts[0].splitlines()[line].strip()
        yield replace(found, reading=f"add {written} above line {line + 1}")


def _statement_of(request: KindRequest) -> _LogLine | None:
    """The one log call of the sentence, or else the one text in quotes with a level; ``None`` for none or several."""
    text = request.parsed.text
    snippet = statement_in(text, request.facts)
    if snippet is not None:
        names = re.sub(r"\"[^\"]*\"|'[^']*'", " ", snippet.code[snippet.code.find("(") :])
        names = re.sub(r"\.\w+|\w+\s*[(=]", " ", names)
        return _LogLine(
            InsertStatement(snippet.code, ""),
            hidden(text, [snippet]),
            frozenset(_SCOPED.findall(names)),
        )
    levels = {_LEVELS[x.lower()] for x in _LEVEL.findall(re.sub(QUOTED, " ", text))}
    if len(levels) > 1:
        return None
    level = next(iter(levels), "")
    if request.code.language != "python":
        level = level.replace("warning", "warn")
    called = _CALL.search(text)
    intent = InsertStatement("", "", level=level, logger=called[0] if called else "")
    return _of_text(text, intent) or _of_variable(text, intent, request)


def _of_text(text: str, intent: InsertStatement) -> _LogLine | None:
    """A log call of the one text that the sentence has in quotes or behind "saying"; ``None`` for none or several, and for one with a value
    in it.
    """
    quoted = [x.span() for x in re.finditer(QUOTED, text)]
    spans = quoted or [x.span("text") for x in _SAYING.finditer(text)]
    if len(spans) != 1:
        return None
    [(start, end)] = spans
    words = text[start:end][1:-1] if quoted else text[start:end]
    if re.search(r"[\"'\\%{}$]", words):
        return None
    rest = text[:start] + HIDDEN * (end - start) + text[end:]
    return _LogLine(replace(intent, text=words), rest)


def _of_variable(text: str, intent: InsertStatement, request: KindRequest) -> _LogLine | None:
    """A log call of the one variable or parameter that the sentence says is to be logged, in the function that it names; ``None`` for none
    or several.
    """
    functions = _functions_in(text, request)
    place = _place(functions[0], request) if len(functions) == 1 else None
    if place is None:
        return None
    inside = "".join(request.code.lines[place.start : place.end])
    names = {x.lower().replace("_", ""): x for x in re.findall(r"[^\W\d][\w.]*\w|[a-z]", inside)}
    found = [x for x in _LOGGED.finditer(text) if _spelled(x["what"]) in names]
    if len(found) != 1:
        return None
    [at] = found
    name = names[_spelled(at["what"])]
    rest = text[: at.start("what")] + HIDDEN * len(at["what"]) + text[at.end("what") :]
    return _LogLine(replace(intent, variable=name), rest, frozenset([name.partition(".")[0]]))


def _spelled(words: str) -> str:
    """A name in lower case without the signs between its words: ``noteid`` for "note id"."""
    return re.sub(r"[\s_`]", "", words.lower())


def _lines_for(statement: _LogLine, request: KindRequest) -> Iterator[tuple[int, str]]:
    """Yield the line above which each relation in the sentence puts the statement, with its indentation; ``-1`` where it is not clear."""
    text = statement.rest
    relations = _relations_in(text)
    if _is_conditional(text):
        yield -1, ""
    if not relations and statement.intent.variable:
        yield from _line_of_variable(statement.intent, text, request)
    for name, at in relations:
        if name in ("before", "after"):
            anchor, outside = _anchor(at, text)
            yield _beside(name, anchor, outside, statement, request)
        elif name == "in":
            for function in _functions_in(text, request) or ("",):
                where = "last in" if re.search(r"\b(?:end|bottom|last)\b", text) else "first in"
                kind = at["block"].lower()
                yield line_of(
                    InsertStatement("", where, anchor=kind, location=function), request.code
                )
        else:
            functions = _functions_meant(text, statement.names, request)
            if len(functions) != 1:
                yield -1, ""
            for function in functions:
                yield line_of(InsertStatement("", name, function=function), request.code)


def _is_conditional(text: str) -> bool:
    """Whether the clause with the code says when it is to be written: "if it is empty"."""
    clauses = [x.text for x in cut_sentence(text) if HIDDEN in x.text]
    return any(_WHEN.search(x) for x in clauses)


def _line_of_variable(
    intent: InsertStatement, text: str, request: KindRequest
) -> Iterator[tuple[int, str]]:
    """Yield the line where a variable of the function that the sentence names is known: at its top for a parameter."""
    for function in _functions_in(text, request):
        placed = replace(intent, where="top", function=function)
        yield line_of_variable(placed, request.code)


def _relations_in(text: str) -> list[tuple[str, re.Match[str]]]:
    """The relations that a sentence names, each with its match: those beside a statement without one that is part of such words, and
    "top" and "end" only without them.
    """
    inside = [("in", x) for x in _RELATION["in"].finditer(text)]
    beside = [(name, x) for name in ("before", "after") for x in _RELATION[name].finditer(text)]
    beside.sort(key=lambda x: x[1].start())
    if beside:
        return beside[:1] if len(beside) == 1 or _is_nested(beside, text) else beside
    if inside:
        return inside
    return [(name, x) for name in ("top", "end") for x in _RELATION[name].finditer(text)]


def _is_nested(found: list[tuple[str, re.Match[str]]], text: str) -> bool:
    """Whether all relations but the first stand in the words that describe its statement."""
    first = found[0][1]
    end = _ENDS.search(text, first.end())
    limit = end.start() if end else len(text)
    return all(x.start() < limit and not _AND.search(text[: x.start()]) for _, x in found[1:])


def _anchor(at: re.Match[str], text: str) -> tuple[str, str]:
    """The words that describe the statement beside which the new one goes, and the sentence without them."""
    end = _ENDS.search(text, at.end())
    stop = end.start() if end else len(text)
    return text[at.end() : stop].strip(), f"{text[: at.start()]} {text[stop:]}"


def _beside(
    where: str, anchor: str, outside: str, statement: _LogLine, request: KindRequest
) -> tuple[int, str]:
    """The line before or after the statement that the words ``anchor`` describe best, in the function that the sentence names, if any."""
    code = request.code
    within = _WITHIN.search(anchor)
    if within and _functions_in(within[0], request):
        anchor, outside = anchor[: within.start()], f"{outside} {within[0]}"
    named = _functions_in(outside, request)
    inner = _functions_in(anchor, request)
    if len(named) > 1:
        return -1, ""
    hints = _hints(statement, outside)
    if len(named) == 1 and _RETURNS.fullmatch(anchor) and leaves_early(named[0], code):
        return -1, ""
    target = _target(anchor, named, hints, request)
    if block := _RELATION["in"].search(outside):
        target = _target_in(block["block"].lower(), anchor, named, request)
    elif not named and len(inner) == 1:
        words = re.sub(rf"`?\b{re.escape(inner[0])}\b(?:\(\))?`?", " ", anchor).strip()
        named = inner
        if inside := _target(words, inner, hints, request):
            target = inside
        elif not _names(inner[0], target, request):
            target = None
        anchor = words
    if target is None and named and where == "before" and _RETURNS.fullmatch(anchor):
        return line_of(InsertStatement("", "end", function=named[0]), code)
    if target is None or not _has_names(statement.names, target, request):
        return -1, ""
    return _at(where, target, request)


def _target(
    words: str, functions: tuple[str, ...], hints: str, request: KindRequest
) -> StatementLines | None:
    """The statement that the words describe, in the function that is given, if one is; ``None`` for none or several."""
    code = request.code
    places = [x for x in (_place(name, request) for name in functions) if x is not None]
    if functions and not places:
        return None
    exact = described_statement(words, code, places[0] if places else None)
    return exact or likeliest_statement(words, code, places, hints)


def _target_in(
    kind: str, words: str, functions: tuple[str, ...], request: KindRequest
) -> StatementLines | None:
    """The statement in the only block of a kind that the words describe; ``None`` for none or several."""
    code = request.code
    body = block_body(kind, code, _place(functions[0], request) if functions else None)
    if body is None:
        return None
    starts = [*code.line_starts, len(code.text)]
    inside = Place(kind, body.start, body.end, starts[body.start], starts[body.end])
    return likeliest_statement(words, code, [inside])


def _names(function: str, target: StatementLines | None, request: KindRequest) -> bool:
    """Whether a statement has the name of a function, without its owner."""
    own = function.rpartition(".")[2]
    return target is not None and own in _SCOPED.findall(
        "".join(request.code.lines[target.start : target.end])
    )


def _hints(statement: _LogLine, outside: str) -> str:
    """Words of the rest of the sentence, and of the log call."""
    return " ".join([outside.replace(HIDDEN, ""), *statement.names])


def _functions_in(text: str, request: KindRequest) -> tuple[str, ...]:
    """The functions that a text names, other than one that logs."""
    found = functions_in(text, request.facts)
    return tuple(x for x in found if not _LOGGER.fullmatch(x) and _place(x, request) is not None)


def _place(name: str, request: KindRequest) -> Place | None:
    return place_of(name, request.code.text, request.code.language)


def _at(where: str, target: StatementLines, request: KindRequest) -> tuple[int, str]:
    """The line before or after a statement; of one that opens something, the first in its block."""
    lines = request.code.lines
    head = lines[target.start]
    if where == "before":
        return target.start, target.indent
    if _LEAVES.match(head):
        return -1, ""
    if target.is_block and _MAKES.match(head):
        below = lines[target.start + 1]
        return target.start + 1, below[: len(below) - len(below.lstrip())]
    return target.end, target.indent


def _has_names(names: frozenset[str], target: StatementLines, request: KindRequest) -> bool:
    """Whether each name stands in the function around the statement, or at the margin of the file."""
    code = request.code
    around = [x for x in code.definitions if x.is_block and x.start <= target.start < x.end]
    inside = "".join("".join(code.lines[x.start : x.end]) for x in around[-1:])
    blocks = [x for x in code.definitions if x.is_block]
    leaves = [x for x in blocks if not any(x.start <= y.start < x.end and x != y for y in blocks)]
    outside = "".join(
        line
        for number, line in enumerate(code.lines)
        if not any(x.start <= number < x.end for x in leaves)
    )
    known = {*_SCOPED.findall(inside), *_SCOPED.findall(outside)}
    return not around or all(x in known for x in names)


def _functions_meant(text: str, names: frozenset[str], request: KindRequest) -> tuple[str, ...]:
    """The functions that the words name, or else the one that they describe."""
    if named := _functions_in(text, request):
        return named
    if called := re.findall(r"(?<![\w.])([^\W\d]\w*)\(\)", text):
        return tuple(dict.fromkeys(called))
    spoken = [x.lower() for x in _SCOPED.findall(text) if x.lower() not in FILLER]
    fit = {
        x.qualified: sum(any(are_forms(word, y) for y in words_in(x.name)) for word in spoken)
        for x in request.code.definitions
        if x.is_block and names <= {*_SCOPED.findall("".join(request.code.lines[x.start : x.end]))}
    }
    best = max(fit.values(), default=0)
    return tuple(x for x, count in fit.items() if best and count == best)


READERS: dict[str, Reader] = {"log_call": _read}
"""The reader of log calls."""
