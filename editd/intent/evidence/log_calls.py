"""Evidence for a statement that is added: its code stands in the request, and so does the place for it.

"revoke is silent, put log.info('token revoked') after the add" has both. What the place is in the file (the one statement with
``add`` in ``revoke``) is for ``refactor`` to find. Standard library only.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from editd.intent.evidence.buffer_facts import BufferFacts
from editd.intent.evidence.interpretation import Interpretation
from editd.intent.evidence.snippets import Snippet, calls_in, hidden, ticked_in
from editd.intent.evidence.whole_requests import Span, accounts_for, functions_in
from editd.intent.intents import InsertStatement

_THE = r"(?:(?:the|a|an|its|very|absolute) )*"
_OF = r"(?: (?:in|of|inside|within|that|there|for|from))?"
_TOP = re.compile(
    rf"\b(?:(?:at|to|on|in|into|as|from) )?{_THE}(?:top|start|beginning|first (?:thing|line|statement|step|instruction|action)|head|entry)\b{_OF}|\bfirst(?= *(?:$|[.,;]))",
    re.IGNORECASE,
)
_END = re.compile(
    rf"\b(?:(?:at|to|on|as|in) )?{_THE}(?:end|bottom|last (?:thing|line|statement|step|action)|before (?:it returns|returning|it ends)(?! (?!in\b|from\b)[\w`]))\b{_OF}",
    re.IGNORECASE,
)
_BESIDE = re.compile(
    r"\b(?:(?:right|just|directly|immediately|straight|shortly) )?"
    r"(?P<where>before|after|above|below|behind|following|ahead of|in front of|underneath|under|beneath|once|as soon as) (?P<anchor>[^\0,;:]+?)"
    r"(?=\s*(?:$|[,;:\0]|[.!?](?:\s|$)|\s-+\s|\((?=\0)|\b(?:in|of|inside|within) (?:the )?`?(?P<of>[\w.]+)(?:\(\))?`?(?: function| method)?(?=\s*(?:$|[,;:.\0]))"
    r"|(?<!\bthe )(?<!\ba )(?<!\ban )\b(?:please|pls|add|put|insert|write|log|place|do|emit|there (?:should|must|has)|we (?:need|want)|i (?:need|want)|i'd like)\b))",
    re.IGNORECASE,
)
_CONDITION = re.compile(
    r"\w (?:if|when|whenever|unless|until)\b (?!(?:statement|block|check|branch|clause)\b)\w",
    re.IGNORECASE,
)
_LABEL = re.compile(
    r"(?:^|(?<=[,;:] )|(?<=, so )|(?<=\bplease ))(?:log|trace|print|record|note|report|show)(?= (?!it\b|that\b(?! we)|them\b|too\b))",
    re.IGNORECASE,
)
_ONCE = re.compile(r"\bonce\b(?= *(?:[,;:.]|$))", re.IGNORECASE)
_BLOCK = re.compile(
    r"\b(?P<lead>(?:(?:at|to|on|as|in|inside|within|into) )?(?:the |its )?(?:(?:very )?(?P<place>top|start|beginning|first (?:thing|line|statement)|end|bottom|last (?:thing|line|statement)) (?:of|in|inside) )?|inside |in |within |into )"
    r"(?:the |its |that )?(?P<block>(?:for |while |endless |infinite |main )?loop|catch|except|finally|else)(?:[ -](?:block|branch|clause|body|handler|part|arm))?\b(?! loop)",
    re.IGNORECASE,
)
_LEAVES = re.compile(
    r"(?:the )?`?(?P<name>[^\W\d][\w.]*)(?:\(\))?`? (?:returns|exits|ends|finishes|is (?:done|left))",
    re.IGNORECASE,
)
_RETURNS = re.compile(r"`?(?P<name>[^\W\d][\w.]*)(?:\(\))?`? returns (?=\w)", re.IGNORECASE)
_BEFORE = ("before", "above", "ahead of", "in front of")
_LOGS = re.compile(
    r"(?:[\w$]*(?:log|logger|logging|console|tracer|audit)[\w$]*(?:\.|::|!)|(?:\w+\.)*(?:e?print\w*|printf|println|Println|Printf|Fprintf|echo|debug|info|warn|warning|error|log|trace|notice|critical|exception)!?\()",
    re.IGNORECASE,
)
_SHELLS = ("bash", "sh", "zsh")
_COMMAND = re.compile(
    r"`?(?<![\w./-])(?:echo|printf|logger|\w*log\w*) (?:-\w+ )*(?:\"[^\"]*\"|'[^']*')(?: *(?:>&2|1>&2))?`?"
)
_ABOUT = frozenset(
    """
    log logs logged logging logger line call statement message silent silently trace add adding insert write place append emit
    debug info warning warn error level record first last thing top end start beginning entry bottom print output
    show step action event audit right above below function method body there's missing like namely as such how many which what that
    command starts
    """.split()  # noqa: SIM905
)


def read_log_call(text: str, facts: BufferFacts) -> Iterator[Interpretation]:
    """Yield the one statement that ``text`` has as code, at the one place that it names, in each function that it may name;
    nothing if it has several codes or places, or asks for more.
    """
    snippet = statement_in(text, facts)
    if snippet is None:
        return
    bare = _without_label(hidden(text, [snippet]), snippet)
    found = _place_in(bare)
    if found is None:
        return
    where, anchor, span = found
    about = {*_ABOUT, *re.findall(r"[^\W\d]\w*", snippet.code)}
    if _CONDITION.search(anchor):
        return
    if (
        where == "before"
        and (leaves := _LEAVES.fullmatch(anchor))
        and leaves["name"] in facts.definitions
    ):
        yield from _at_the_end(snippet, leaves["name"], bare, span, facts)
        return
    spans = [(snippet.start, snippet.end), span]
    if (begins := _RETURNS.match(anchor)) and begins["name"] in facts.definitions:
        if accounts_for(bare, spans, {*about, begins["name"]}, facts):
            yield Interpretation(
                InsertStatement(
                    snippet.code,
                    where,
                    anchor=anchor[begins.end("name") + 1 :],
                    location=begins["name"],
                ),
                f"add {snippet.code} {where} {anchor}",
                reads_all=True,
            )
        return
    outside = f"{bare[: span[0]]} {' ' * (span[1] - span[0] - 1)}{bare[span[1] :]}"
    functions = functions_in(outside, facts)
    if not accounts_for(bare, spans, {*about, *functions}, facts):
        return
    if len(functions) > 1 and facts.places_in(outside):
        return
    for function in (*functions, *([""] if anchor else [])):
        place = anchor or f"of {function}"
        words = (
            f"add {snippet.code} {where} {place}{f' in {function}' if anchor and function else ''}"
        )
        if anchor:
            yield Interpretation(
                InsertStatement(snippet.code, where, anchor=anchor, location=function),
                words,
                reads_all=True,
            )
        else:
            yield Interpretation(
                InsertStatement(snippet.code, where, function=function), words, reads_all=True
            )
        if functions and anchor:
            break


def _without_label(text: str, snippet: Snippet) -> str:
    """The text with blanks for the verbs that begin a clause before the code and say that it logs: "log deletions: log.info('gone')"."""
    text = _ONCE.sub(lambda at: " " * len(at[0]), text)
    before = text[: snippet.start]
    return _LABEL.sub(lambda at: " " * len(at[0]), before) + text[snippet.start :]


def _at_the_end(
    snippet: Snippet, function: str, bare: str, span: Span, facts: BufferFacts
) -> Iterator[Interpretation]:
    """Yield the statement at the end of the function that is said to return, if the request says no more."""
    if accounts_for(bare, [(snippet.start, snippet.end), span], {*_ABOUT, function}, facts):
        yield Interpretation(
            InsertStatement(snippet.code, "end", function=function),
            f"add {snippet.code} at the end of {function}",
            reads_all=True,
        )


def statement_in(text: str, facts: BufferFacts) -> Snippet | None:
    """The one log call in a request, or else the one other call with arguments or in backticks; ``None`` for none or several.
    A call of the buffer's own function without arguments is the function's name.
    """
    if facts.language in _SHELLS and (command := _COMMAND.search(text)):
        return Snippet(command.start(), command.end(), command[0].strip("`"))
    calls = [
        x
        for x in calls_in(text)
        if not (x.code.endswith("()") and x.code[:-2] in facts.definitions)
    ]
    logs = [x for x in calls if _LOGS.match(x.code)]
    ticked = [
        x for x in ticked_in(text) if re.search(r"[\s(=]", x.code) and not x.code.endswith("()")
    ]
    found = logs or ticked
    return found[0] if len(found) == 1 else None


def _place_in(bare: str) -> tuple[str, str, Span] | None:
    """The place that a request names: ``top``, ``end``, ``before`` or ``after`` with the words for the statement beside it, ``first in`` or
    ``last in`` with those for a block; and the span of all these words. ``None`` for none or several.
    """
    found: list[tuple[str, str, Span]] = []
    ends = [("end", "", at.span()) for at in _END.finditer(bare)]
    for at in _BESIDE.finditer(bare):
        if at["where"].lower() == "once" and not re.search(
            r"\b(?:is|was|are|were|has|have|been|got|gets)\b", at["anchor"]
        ):
            continue
        if not any(start <= at.start() < end for _, _, (start, end) in ends):
            where = "before" if at["where"].lower() in _BEFORE else "after"
            found.append((where, at["anchor"].strip(), at.span()))
    blocks = [] if found else [*_BLOCK.finditer(bare)]
    if blocks:
        inside = [(_where_in(at), at["block"].lower(), at.span()) for at in blocks]
        return inside[0] if len(inside) == 1 else None
    tops = [("top", "", at.span()) for at in _TOP.finditer(bare)]
    for place in (*tops, *ends):
        if not any(start <= place[2][0] < end for _, _, (start, end) in found):
            found.append(place)
    if len(found) == 2 and {x[0] for x in found} == {"end", "before"}:
        before = next(x for x in found if x[0] == "before")
        if re.fullmatch(r"(?:the |its )?(?:final |last )?returns?(?: statement| line)?", before[1]):
            return "end", "", before[2]
    return found[0] if len(found) == 1 else None


def _where_in(block: re.Match[str]) -> str:
    """``first in`` for the top of a block, ``last in`` for its end."""
    return (
        "last in"
        if re.match(r"end|bottom|last", block["place"] or "", re.IGNORECASE)
        else "first in"
    )
