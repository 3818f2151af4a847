"""Deletes comments, and the lines that have nothing else.

Stays what programs read (``syntax.tool_comments``), and documentation: in Python that is no comment either.

a.py, "delete the comments"::

    # Adds up.
    total = 1 + 2  # three
    print(total)  # noqa: T201

becomes::

    total = 1 + 2
    print(total)  # noqa: T201
"""

from __future__ import annotations

from editd.refactor.candidates import Candidates, Spans, mentions_by_kind, with_spans
from editd.syntax.code import Code
from editd.syntax.tokens import Token
from editd.syntax.tool_comments import staying


def delete_comments(code: Code) -> Candidates | None:
    """Certain candidates: without comments, but with those for tools, documentation and the
    licence, which are named as left alone; then without these, too.

    A first line ``#!`` always stays. ``None`` where tokens are unknown. A text without comments
    stays as it is.
    """
    text, language = code.text, code.language
    tokens = code.tokens
    if tokens is None:
        return None
    comments = code.tokens_of("comment")
    stays = staying([(token.start, token.text) for token in comments], text, language)
    spans: Spans = []
    left_alone: dict[str, Spans] = {stays[start]: [] for start in sorted(stays)}
    for token in comments:
        if token.text.startswith("#!") and not token.start:
            continue  # nobody asks
        left_alone.get(stays.get(token.start, ""), spans).append(_without_comment(token, text))
    others = [span for spans_of in left_alone.values() for span in spans_of]
    everything = with_spans(text, spans + others)
    return Candidates(
        tuple(dict.fromkeys((with_spans(text, spans), everything))),
        is_certain=True,
        left_alone=mentions_by_kind(text, *left_alone.items()),
        wider=everything if others else None,
    )


def _without_comment(comment: Token, text: str) -> tuple[int, int, str]:
    """The span to delete for a comment: its line if that has nothing else, with the blanks before
    it behind code, else with those that would be left at a bracket or between two blanks.
    """
    start, end = comment.start, comment.end
    line = text.rfind("\n", 0, start) + 1
    after = text.find("\n", end)
    after = len(text) if after < 0 else after
    before, behind = text[line:start], text[end:after]
    if behind.strip():
        if before.rstrip()[-1:] in tuple("([{"):
            return start, end + len(behind) - len(behind.lstrip()), ""
        if behind.lstrip()[0] in ")]},;" or (before[-1:].isspace() and behind[0].isspace()):
            start = line + len(before.rstrip()) if before.strip() else start
        return start, end, ""
    if before.strip():
        return line + len(before.rstrip()), after, ""
    return line, min(len(text), after + 1), ""
