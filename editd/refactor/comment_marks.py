"""Comments of a text as blocks, and the code that stands in them. Changes no text."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import pairwise

from editd.syntax.code import Code
from editd.syntax.language import MARKUP
from editd.syntax.members import members_of
from editd.syntax.tokens import Token

MARKS = (
    dict.fromkeys(
        "python bash zsh fish yaml toml dockerfile makefile ruby r perl elixir julia cmake nix hcl ini properties".split(),  # noqa: SIM905
        "#",
    )
    | dict.fromkeys(
        "javascript jsx typescript tsx go rust java c cpp csharp kotlin swift scala dart php scss less zig protobuf jsonc".split(),  # noqa: SIM905
        "//",
    )
    | dict.fromkeys(("sql", "lua", "haskell"), "--")
)
"""The sign of a line comment in each language."""
_NEW_THOUGHT = re.compile(r"\W*(?:TODO|FIXME|XXX|HACK)\b")
_PROSE = re.compile(r"\W*(?:[A-Z]?[a-z']+[ ,.]+){2,}[a-z']+\W*")
_CODE = re.compile(
    r"[=(;{]|[\"$]|^\s*(?:import|from|return|pass|echo|RUN|COPY|ENV|USER|EXPOSE|ADD|CMD|ENTRYPOINT|HEALTHCHECK|VOLUME|LABEL|ARG|WORKDIR|SHELL|STOPSIGNAL|ONBUILD)\b"
    r"|^\s*(?:- )?[\"']?[\w./-]+[\"']?:(?:\s|$)|^\s*- \S"
)


def comment_blocks(code: Code) -> list[list[Token]]:
    """The comments in order, those that follow each other on lines of their own together, up to the next mark such as
    TODO. Of a file of settings in no known language the lines that begin with ``#``.
    """
    text = code.text
    blocks: list[list[Token]] = []
    for token in _comments(code):
        gap = text[blocks[-1][-1].end : token.start] if blocks else "\n\n"
        goes_on = (
            bool(blocks)
            and gap.count("\n") <= 1
            and not gap.strip()
            and _is_alone(token, text)
            and _is_alone(blocks[-1][0], text)
            and not _NEW_THOUGHT.match(token.text)
            and not token.text.startswith("/*")
        )
        if goes_on:
            blocks[-1].append(token)
        else:
            blocks.append([token])
    return blocks


def bare_comment(comment: str) -> str:
    """The text of a comment without its marks."""
    text = re.sub(r"^(?:///?!?|//!|/\*+!?|#+!?|--+|<!--)[ \t]?|(?:\*/|-->)$", "", comment.strip())
    return re.sub(r"(?m)^[ \t]*\*[ \t]?", "", text).strip()


def commented_code(code: Code) -> Iterator[tuple[int, int, str]]:
    """Yield the lines (0-based, end exclusive) of each piece of code in line comments, with the code: a line with those below
    it that are deeper or that its brackets need; then each run of several such pieces as a whole.
    """
    if code.language in _AROUND:
        yield from _around(code)
        return
    is_settings = not code.language and members_of(code.text, "") is not None
    mark = "#" if is_settings else MARKS.get(code.language)
    if mark is None:
        return
    pattern = comment_line(mark)
    run: list[tuple[int, str, str]] = []
    for number, line in enumerate([*code.lines, "\n"]):
        found = pattern.fullmatch(line)
        is_code = found is not None and number not in code.quoted_lines
        if is_code and found is not None:
            run.append((number, found[1], found[2].rstrip("\n")))
            continue
        yield from _pieces(run)
        run = []


def comment_line(mark: str) -> re.Pattern[str]:
    """The pattern of a line that is a comment: its indentation, and its text."""
    return re.compile(rf"(\s*){re.escape(mark)} ?(?![{mark[0]}!])((?s:.*))")


_AROUND = {
    "css": ("/*", "*/"),
    "html": ("<!--", "-->"),
    "xml": ("<!--", "-->"),
    "markdown": ("<!--", "-->"),
}


def _around(code: Code) -> Iterator[tuple[int, int, str]]:
    """Yield the code in comments of a language that has no line comments."""
    opening, closing = (re.escape(x) for x in _AROUND[code.language])
    for found in re.finditer(rf"(?m)^[ \t]*{opening}(?P<code>(?s:.*?)){closing}[ \t]*$", code.text):
        text = found["code"].strip()
        if _looks_like_code(text.split("\n", 1)[0]):
            first, last = (code.text.count("\n", 0, at) for at in found.span())
            yield first, last + 1, text


def _pieces(run: Sequence[tuple[int, str, str]]) -> Iterator[tuple[int, int, str]]:
    """Yield the pieces of code of a run of comment lines, and the run of several."""
    pieces: list[tuple[int, int, str]] = []
    at = 0
    while at < len(run):
        number, _, text = run[at]
        end = at + 1
        if not _looks_like_code(text):
            at = end
            continue
        depth = len(text) - len(text.lstrip())
        while end < len(run):
            below = run[end][2]
            written = "".join(x[2] for x in run[at:end])
            is_open = any(written.count(a) > written.count(b) for a, b in ("()", "[]", "{}"))
            is_deeper = bool(below.strip()) and len(below) - len(below.lstrip()) > depth
            if not (is_open or is_deeper):
                break
            end += 1
        pieces.append((number, number + end - at, "\n".join(x[2] for x in run[at:end])))
        at = end
    yield from pieces
    if len(pieces) > 1 and all(a[1] == b[0] for a, b in pairwise(pieces)):
        yield pieces[0][0], pieces[-1][1], "\n".join(x[2] for x in pieces)


def _looks_like_code(text: str) -> bool:
    """Whether a comment's line looks like code rather than prose."""
    return bool(_CODE.search(text)) and not (
        _PROSE.fullmatch(text) and not re.search(r"[=;{]", text)
    )


def _is_alone(comment: Token, text: str) -> bool:
    """Whether nothing stands before a comment in its line."""
    return not text[text.rfind("\n", 0, comment.start) + 1 : comment.start].strip()


def _comments(code: Code) -> list[Token]:
    """The comments of a text, also of markup and of settings in no known language."""
    if code.tokens is not None:
        return code.tokens_of("comment")
    if code.language in MARKUP:
        return [
            Token("comment", *x.span(), x[0])
            for x in re.finditer(r"<!--.*?-->", code.text, re.DOTALL)
        ]
    if not code.language and members_of(code.text, "") is not None:
        return [
            Token("comment", x.start(), x.end(), x[0]) for x in re.finditer(r"(?m)^#.*$", code.text)
        ]
    return []
