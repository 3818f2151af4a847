"""The tokens of a Python text, by Python's own tokenizer."""

from __future__ import annotations

import io
import keyword
import re
import tokenize
from collections.abc import Iterator

from editd.syntax.lines import line_starts, split
from editd.syntax.tokens import Token, TokenKind

_FSTRING_START = getattr(tokenize, "FSTRING_START", -1)
_FSTRING_END = getattr(tokenize, "FSTRING_END", -1)


def python_tokens(text: str) -> list[Token] | None:
    """The names, literals and comments of a Python text in order, keywords and signs left out; ``None`` if its
    brackets or strings do not close or its indentation is broken.

    A name behind a dot is a member, one before ``=`` in a call an argument, each with what it belongs to; a string
    that is a whole statement is a docstring. An f-string is a string token, and the names in its fields are tokens
    after it. Text that begins with a blank is read as an indented part.
    """
    shift = "if 1:\n" if text[:1].isspace() else ""
    starts = line_starts(split(shift + text))

    def offset(place: tuple[int, int]) -> int:
        return starts[place[0] - 1] + place[1] - len(shift)

    found: list[Token] = []
    before = [""] * 5  # the texts of the last tokens
    calls: list[str] = []  # of each open bracket the function that is called
    lambdas: list[int] = []  # how many brackets are open where parameters of a lambda stand
    formatted: list[
        tuple[int, int]
    ] = []  # of each open f-string its start, and where it goes in the list
    is_statement = True
    try:
        read = list(tokenize.generate_tokens(io.StringIO(shift + text).readline))
    except (tokenize.TokenError, SyntaxError):
        return None
    for number, token in enumerate(read):
        start, end = offset(token.start), offset(token.end)
        following = read[number + 1].string if number + 1 < len(read) else ""
        # From Python 3.12 on an f-string is many tokens, and the names in it are among them.
        if token.type == _FSTRING_START:
            formatted.append((start, len(found)))
        elif token.type == _FSTRING_END:
            first, place = formatted.pop()
            if not formatted:
                found.insert(place, Token("string", first, end, text[first:end]))
        elif formatted and (token.type == tokenize.STRING or before[-1] == "!"):
            pass
        elif token.type == tokenize.NAME and not keyword.iskeyword(token.string):
            if before[-1] == ".":
                found.append(Token("member", start, end, token.string, before[-2]))
            elif (
                following == "="
                and calls
                and calls[-1]
                and before[-1] in ("(", ",")
                and len(calls) not in lambdas
            ):
                found.append(Token("argument", start, end, token.string, calls[-1]))
            else:
                found.append(Token("name", start, end, token.string))
        elif token.type == tokenize.STRING:
            kind: TokenKind = "docstring" if is_statement and not following.strip() else "string"
            found.append(Token(kind, start, end, token.string))
            if re.match(r"(?i)r?f", token.string):
                found += _in_fields(token.string, start)
        elif token.type in (tokenize.COMMENT, tokenize.NUMBER):
            of_comment: TokenKind = "comment" if token.type == tokenize.COMMENT else "number"
            found.append(Token(of_comment, start, end, token.string))
        elif token.string in ("(", "[", "{"):
            is_call = token.string == "(" and before[-2] not in ("def", "class")
            calls.append(_called(before) if is_call else "")
        elif token.string in (")", "]", "}") and calls:
            calls.pop()
        elif token.string == "lambda":
            lambdas.append(len(calls))
        elif token.string == ":" and len(calls) in lambdas:
            lambdas.remove(len(calls))
        if token.type in (tokenize.NEWLINE, tokenize.INDENT, tokenize.DEDENT):
            is_statement = True
        elif token.type not in (tokenize.NL, tokenize.COMMENT):
            is_statement = False
            before = [*before[1:], token.string]
    return [token for token in found if token.start >= 0]  # the shift has a number in it


def _called(before: list[str]) -> str:
    """The function that a round bracket after these tokens calls, with the word before its dot
    (``super().f``); empty if it is no call.

    before: the texts of the last five tokens.
    """
    *_, third, _, owner, dot, name = before
    if not re.fullmatch(r"\w+|\)|\]", name):
        return ""
    if dot != ".":
        return name
    return f"super().{name}" if (third, owner) == ("super", ")") else f"{owner}.{name}"


def _in_fields(string: str, start: int) -> Iterator[Token]:
    """Yield the names, and after them in each field the members, in the braces of an f-string.
    start: the string's offset.
    """
    for field in re.finditer(r"(?<!\{)(?:\{\{)*\{([^{}]*)", string):
        for word in re.finditer(r"(?<![\w.])[^\W\d]\w*(?![\w'\"])", field[1].split("!r")[0]):
            if not keyword.iskeyword(word[0]):
                at = start + field.start(1) + word.start()
                yield Token("name", at, at + len(word[0]), word[0])
        for word in re.finditer(r"([^\W\d]\w*)\.([^\W\d]\w*)", field[1]):
            at = start + field.start(1) + word.start(2)
            yield Token("member", at, at + len(word[2]), word[2], word[1])
