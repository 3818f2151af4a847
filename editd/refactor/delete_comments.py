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

import re
from collections.abc import Sequence

from editd.intent.intents import DeleteComments
from editd.refactor.candidates import Candidates, Spans, mentions_by_kind, with_spans
from editd.syntax.code import Code
from editd.syntax.language import MARKUP
from editd.syntax.places import place_of
from editd.syntax.tokens import Token
from editd.syntax.tool_comments import staying


def delete_comments(intent: DeleteComments, code: Code) -> Candidates | None:
    """Certain candidates: without comments, but with those for tools, documentation and the licence, which are named as
    left alone; then without these, too. A text without comments stays as it is.

    If the intent describes one comment, only without that, ``None`` if none or several fit. A first line ``#!`` always
    stays. ``None`` where tokens are unknown, but for the only comment of a text in markup.
    """
    text, language = code.text, code.language
    tokens = code.tokens
    if tokens is None:
        return _without_markup_comment(code) if intent.is_only else None
    comments = code.tokens_of("comment")
    if intent.text or intent.beside or intent.is_code or intent.is_only:
        return _without_one(intent, comments, code)
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


def _without_one(
    intent: DeleteComments, comments: Sequence[Token], code: Code
) -> Candidates | None:
    """The text without the one comment that is meant, as a certain candidate; comment lines that follow each other are
    one. ``None`` if none or several fit inside ``intent.location`` (if it names one), or not exactly one definition has
    that name.
    """
    text = code.text
    place = place_of(intent.location, text, code.language) if intent.location else None
    if intent.location and place is None:
        return None
    blocks: list[list[Token]] = []
    for token in comments:
        if place and not place.first <= token.start < place.last:
            continue
        gap = text[blocks[-1][-1].end : token.start] if blocks else "\n\n"
        is_alone = not text[text.rfind("\n", 0, token.start) + 1 : token.start].strip()
        if (
            is_alone
            and gap.count("\n") <= 1
            and not gap.strip()
            and not _shares_line(blocks[-1][0], text)
        ):
            blocks[-1].append(token)
        else:
            blocks.append([token])
    found = [block for block in blocks if _is_meant(intent, block, code)]
    if len(found) != 1:
        return None
    spans = [_without_comment(token, text) for token in found[0]]
    return Candidates((with_spans(text, spans),), is_certain=True)


def _shares_line(comment: Token, text: str) -> bool:
    """Whether code stands before a comment in its line."""
    return bool(text[text.rfind("\n", 0, comment.start) + 1 : comment.start].strip())


def _is_meant(intent: DeleteComments, block: Sequence[Token], code: Code) -> bool:
    """Whether a comment, which may have several lines, is the one of the intent: it stands on the line of the code
    ``beside``; else it has all words of ``text`` in any case of letters, and looks like code if ``is_code``.
    """
    written = "\n".join(token.text for token in block)
    if intent.beside:
        before = code.text[code.text.rfind("\n", 0, block[0].start) + 1 : block[0].start]
        return bool(before.strip()) and intent.beside.strip("`") in before
    words = re.findall(r"\w+", intent.text)
    has_all = all(re.search(rf"(?<!\w){word}(?!\w)", written, re.IGNORECASE) for word in words)
    is_code = not intent.is_code or bool(
        re.search(r"[=(;]|^\W*(?:import|from|return|pass)\b", written)
    )
    return has_all and is_code


def _without_markup_comment(code: Code) -> Candidates | None:
    """A text of markup without its only comment and the rest of that line if it is blank, as a certain candidate; of
    blank lines above and below one stays. ``None`` if it has none or several comments, or is no markup.
    """
    found = list(re.finditer(r"<!--.*?-->[ \t]*\n?", code.text, re.DOTALL))
    if code.language not in MARKUP or len(found) != 1:
        return None
    start, end = found[0].span()
    lines = code.text[:start].endswith("\n\n") and code.text[end:].startswith("\n")
    return Candidates((code.text[:start] + code.text[end + lines :],), is_certain=True)


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
