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
from dataclasses import replace
from itertools import pairwise

from editd.intent.intents import DeleteComments
from editd.refactor.candidates import Candidates, Spans, mentions_by_kind, with_spans
from editd.refactor.entries import lines_called
from editd.syntax.code import Code
from editd.syntax.language import MARKUP
from editd.syntax.members import members_of
from editd.syntax.tokens import Token
from editd.syntax.tool_comments import staying
from editd.syntax.words import as_word

_MARKED = re.compile(r"\W*(?:TODO|FIXME|XXX|HACK|BUG|NOTE)\b")
_SIGNS = "#/*!-; \t"
_SEVERAL = 2
_WIDTH = 60  # characters of a line that may have been broken for its length


def delete_comments(intent: DeleteComments, code: Code) -> Candidates | None:
    """Certain candidates: without comments, but with those for tools, documentation and the licence, which are named as
    left alone; then without these, too. A text without comments stays as it is. In a file of settings in no known
    language comments are lines that begin with ``#``.

    With ``intent.mark`` only comments that begin so count, and no documentation.

    If the intent describes one comment (or a number of them), only without that; ``None`` if none or several fit. A
    first line ``#!`` always stays. ``None`` where tokens are unknown, but for the only comment of a text in markup.
    """
    text, language = code.text, code.language
    comments = _of_settings(code) if code.tokens is None else code.tokens_of("comment")
    if code.tokens is None and not comments:
        return _without_markup_comment(code) if intent.is_only else None
    if intent.mark:
        comments = [
            token
            for token in comments
            if token.text.startswith(intent.mark) and not _is_documentation([token], code)
        ]
        intent = replace(intent, mark="")
    if replace(intent, location="") != DeleteComments():
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


def without_comments(comments: Sequence[Token], code: Code) -> Candidates:
    """The text without these comments, and without the lines that have nothing else, as a certain candidate."""
    spans = [_without_comment(token, code.text) for token in comments]
    return Candidates((with_spans(code.text, spans),), is_certain=True)


def _without_one(
    intent: DeleteComments, comments: Sequence[Token], code: Code
) -> Candidates | None:
    """The text without the one comment that is meant (or, with ``intent.count``, as many as that), as a certain
    candidate; comment lines that follow each other are one, but for those that begin with a mark such as ``TODO``.

    ``None`` if the words fit only some statements of such lines, which may be a comment of their own; or if not as many fit inside the definition or entry ``intent.location`` (if it names one), or not exactly one
    has that name. If several fit and the intent names what stands below, only those above its definition count.
    """
    text = code.text
    place = lines_called(intent.location, code) if intent.location else None
    if intent.location and place is None:
        return None
    starts = code.line_starts
    blocks: list[list[Token]] = []
    for token in comments:
        if place and not starts[place[0]] <= token.start < starts[place[1]]:
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
    blocks = [part for block in blocks for part in _marked_parts(block)]
    found = [block for block in blocks if _is_meant(intent, block, code)]
    if any(_is_meant_in_part(intent, block, code) for block in found):
        return None
    if len(found) > 1 and intent.above:
        found = [block for block in found if _is_above_definition(intent.above, block, code)]
    if len(found) != (intent.count or 1):
        return None
    return without_comments([token for block in found for token in block], code)


def _shares_line(comment: Token, text: str) -> bool:
    """Whether code stands before a comment in its line."""
    return bool(text[text.rfind("\n", 0, comment.start) + 1 : comment.start].strip())


def _marked_parts(block: Sequence[Token]) -> list[list[Token]]:
    """The lines of a comment in parts, each of which but the first begins with a mark such as ``TODO``."""
    parts: list[list[Token]] = []
    for token in block:
        if not parts or _MARKED.match(token.text):
            parts.append([])
        parts[-1].append(token)
    return parts


def statements_in(block: Sequence[Token]) -> list[list[Token]]:
    """The statements that a comment of one or several lines consists of, each with its lines. A statement goes on where a
    line does not end a sentence and has no room for the first word of the next one, or where that begins in lower case and
    the statement does not.
    """
    width = max(_WIDTH, *(len(token.text) for token in block))
    statements: list[list[Token]] = [[block[0]]]
    for before, token in pairwise(block):
        words = token.text.strip(_SIGNS).split()
        is_full = bool(words) and len(before.text) + len(words[0]) >= width
        is_ended = before.text.rstrip().endswith((".", "!", "?", ":")) or not before.text.strip(
            "#/*!-; \t"
        )
        begins_low = statements[-1][0].text.strip(_SIGNS)[:1].islower()
        goes_on = bool(words) and words[0][0].islower() and not begins_low
        if not is_ended and (is_full or goes_on):
            statements[-1].append(token)
        else:
            statements.append([token])
    return statements


def _is_meant_in_part(intent: DeleteComments, block: Sequence[Token], code: Code) -> bool:
    """Whether the words of the intent, or its line, fit only some of the statements of a comment of several lines."""
    if len(block) < _SEVERAL or intent.is_code or not (intent.text or intent.line):
        return False
    return not all(_is_meant(intent, statement, code) for statement in statements_in(block))


def _is_meant(intent: DeleteComments, block: Sequence[Token], code: Code) -> bool:
    """Whether a comment, which may have several lines, is the one of the intent: it is documentation, stands on the
    line with the number ``line`` (from 1), or on lines of its own above a line with the word ``above``, as far as the
    intent says so. Then: it stands on the line of the code ``beside``, if that is not empty; else it has all words of
    ``text``, in any case of letters and singular or plural, and looks like code if ``is_code``.
    """
    written = "\n".join(token.text for token in block)
    if intent.is_documentation and not _is_documentation(block, code):
        return False
    first, last = (code.text.count("\n", 0, at) for at in (block[0].start, block[-1].end - 1))
    if intent.line and not first < intent.line <= last + 1:
        return False
    if intent.above:
        below = "".join(code.lines[last + 1 : last + 2])
        if _shares_line(block[0], code.text) or not as_word(intent.above).search(below):
            return False
    if intent.beside:
        before = code.text[code.text.rfind("\n", 0, block[0].start) + 1 : block[0].start]
        return bool(before.strip()) and intent.beside.strip("`") in before
    words = re.findall(r"\w+", intent.text)
    has_all = all(re.search(rf"(?<!\w){word}s?(?!\w)", written, re.IGNORECASE) for word in words)
    is_code = not intent.is_code or bool(
        re.search(
            r"[=(;]|[\"$]|^\W*(?:import|from|return|pass|echo)\b|^\W*[\w-]+:[ \t]*$",
            written,
            re.MULTILINE,
        )
    )
    return has_all and is_code


def _is_above_definition(name: str, block: Sequence[Token], code: Code) -> bool:
    """Whether a comment stands above the definition of that name."""
    line = code.text.count("\n", 0, block[0].start)
    return any(x.name == name.rpartition(".")[2] and x.start == line for x in code.definitions)


def _is_documentation(block: Sequence[Token], code: Code) -> bool:
    """Whether a comment begins with a mark of documentation (``///``, ``/**``, ``//!``, ``/*!``), or in Go is the first
    line of a definition.
    """
    if block[0].text.startswith(("///", "/**", "//!", "/*!")):
        return True
    line = code.text.count("\n", 0, block[0].start)
    return code.language == "go" and any(x.start == line for x in code.definitions)


def _of_settings(code: Code) -> list[Token]:
    """The lines that begin with ``#`` as tokens, of a file of settings in no known language (``.env``); empty for any
    other text.
    """
    if code.language or not members_of(code.text, ""):
        return []
    starts = code.line_starts
    return [
        Token("comment", starts[number], starts[number] + len(line.rstrip("\n")), line.rstrip("\n"))
        for number, line in enumerate(code.lines)
        if line.startswith("#")
    ]


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
