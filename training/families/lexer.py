"""Comments, strings, numbers and words of languages that editd has no parser for in training.

One regular expression a language, after its comment signs and quotes. Not a parser: enough to know
a comment from a string.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache


@dataclass(frozen=True, slots=True)
class Token:
    """kind: comment, string, number or word."""

    kind: str
    start: int
    end: int
    text: str


def lex(text: str, language: str) -> list[Token]:
    """The tokens in order; what is between them is punctuation and space."""
    return [
        Token(str(match.lastgroup), match.start(), match.end(), match[0])
        for match in _pattern(language).finditer(text)
    ]


def comment_sign(language: str) -> str:
    """The sign of a comment that ends with its line, empty for a language that has none."""
    if language in _HASH:
        return "#"
    return "" if language in ("json", "css") else "//"


_KEYWORDS_TEXT = """
    if else for while do return function const let var class new this import export from default
    async await try catch finally throw switch case break continue typeof instanceof in of void
    null undefined true false int char float double long short unsigned signed struct enum union
    static extern inline sizeof typedef goto include define ifdef ifndef endif pragma fn let mut
    pub use mod impl trait where match loop self Self crate super move ref as dyn unsafe type
    func package go defer chan map range interface select fallthrough nil string bool error byte
    rune public private protected readonly extends implements abstract None Some Ok Err String
    Vec Option Result number boolean any never unknown i8 i16 i32 i64 u8 u16 u32 u64 usize f32
    f64 uint8_t uint16_t uint32_t uint64_t int8_t int16_t int32_t int64_t size_t bool main
    printf println console log fmt
"""
KEYWORDS = frozenset(_KEYWORDS_TEXT.split())

_HASH = frozenset({"python", "toml", "yaml", "ini", "bash", "makefile", "dockerfile", "text"})
_CHAR_QUOTES = frozenset({"c", "cpp", "go", "rust", "java"})


@cache
def _pattern(language: str) -> re.Pattern[str]:
    if language in _HASH:
        comment = r"(?:(?<=\s)|^)\#[^\n]*" if language == "yaml" else r"\#[^\n]*"
    elif language == "css":
        comment = r"/\*.*?\*/"
    elif language == "json":
        comment = r"(?!)"
    else:
        comment = r"//[^\n]*|/\*.*?\*/"
    strings = [r'"(?:[^"\\\n]|\\.)*"']
    if language in _CHAR_QUOTES:
        strings.append(r"'(?:[^'\\\n]|\\[^\n]{1,8}?)'")
    else:
        strings.append(r"(?<!\w)'(?:[^'\\\n]|\\.)*'")
    if language in ("javascript", "typescript", "jsx", "tsx", "go"):
        strings.append(r"`(?:[^`\\]|\\.)*`")
    return re.compile(
        rf"(?P<comment>{comment})|(?P<string>{'|'.join(strings)})"
        r"|(?P<number>(?<![\w.])(?:0[xX][0-9a-fA-F]+|\d+(?:\.\d+)?)(?![\w.]))"
        r"|(?P<word>[^\W\d]\w*)",
        re.DOTALL | re.MULTILINE,
    )
