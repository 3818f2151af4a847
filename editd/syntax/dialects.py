"""How languages with brackets are written: comments, strings, what ends a member, and where its name stands."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from functools import cached_property

# What is not closed goes on to the end of the text, so that it is looked at once.
_SLASHES, _BLOCKS = r"(?<![:\w])//[^\n]*", r"/\*(?:[^*]|\*(?!/))*+(?:\*/|\Z)"
_HASH, _DASHES = r"(?<!\S)\#[^\n]*", r"--[^\n]*"
_DIRECTIVES = r"(?<!\S)\#(?:[^\n\\]|\\.)*"  # of C's preprocessor
_PHP_TAGS, _PHP_HASH = r"<\?(?:php|=)?|\?>", r"\#(?!\[)[^\n]*"
_DOUBLE, _SINGLE = r'"(?:\\.|[^"\\\n])*"', r"'(?:\\.|[^'\\\n])*'"
_TRIPLE, _TRIPLE_SINGLE = r'"""(?:\\.|[^\\])*?(?:"""|\Z)', r"'''(?:\\.|[^\\])*?(?:'''|\Z)"
_CHARACTER = r"'(?:\\[^\n']{1,8}|\\'|[^'\\\n])'"
_BACKTICKS, _RAW_BACKTICKS = r"`(?:\\.|[^`\\])*+(?:`|\Z)", r"`[^`]*+(?:`|\Z)"
_REGULAR_EXPRESSION = (
    r"(?:(?<=[=(,:\[!&|?{};])|(?<=[=(,:\[!&|?{};]\s))/(?![/*])"
    r"(?:\\.|\[(?:\\.|[^\]\\\n])*\]|[^/\\\n\[])+/[a-z]*"
)
# The parameters of a type, in which a comma separates no members.
_GENERIC = (
    r"(?:(?<=\w)|(?<=[a-z]\s)(?=<[A-Z]))"
    r"<(?:[^<>;{}()=]|=>|\s=\s|<(?:[^<>;{}()]|<(?:[^<>;{}()]|<[^<>;{}()]*>)*>)*>){0,400}>"
)


@dataclass(frozen=True)
class Dialect:
    """How a language is written.

    comments, strings: expressions. by_lines: a line's end ends a member. is_code: the members of a whole text are
    statements. is_name_first: a member's name is its first word, not the last one before its value. has_generics:
    ``Map<K, V>`` is one word. is_style: CSS and its kin. is_json: JSON and its kin.
    """

    comments: tuple[str, ...] = (_SLASHES, _BLOCKS, _HASH)
    strings: tuple[str, ...] = (_DOUBLE, _SINGLE)
    by_lines: bool = False
    is_code: bool = False
    is_name_first: bool = False
    has_generics: bool = False
    is_style: bool = False
    is_json: bool = False

    @cached_property
    def tokens(self) -> re.Pattern[str]:
        """A pattern for the next token of a text.

        Groups: ``c`` comments, ``s`` strings, ``g`` generics, ``o`` and ``e`` brackets, ``p`` separators, ``w`` words, blanks
        and other signs.
        """
        generic = rf"(?P<g>{_GENERIC})|" if self.has_generics else ""
        return re.compile(
            rf"(?P<c>{'|'.join(self.comments)})|(?P<s>{'|'.join(self.strings)})|{generic}"
            r"(?P<o>[(\[{])|(?P<e>[)\]}])|(?P<p>[,;\n])|(?P<w>\w+|[^\S\n]+|.)",
            re.DOTALL,
        )


_C = Dialect(comments=(_SLASHES, _BLOCKS, _DIRECTIVES), strings=(_DOUBLE, _CHARACTER), is_code=True)
_JAVA = Dialect(
    comments=(_SLASHES, _BLOCKS),
    strings=(_TRIPLE, _DOUBLE, _CHARACTER),
    is_code=True,
    has_generics=True,
)
_SCRIPT = Dialect(
    comments=(_SLASHES, _BLOCKS),
    strings=(_REGULAR_EXPRESSION, _BACKTICKS, _DOUBLE, _SINGLE),
    by_lines=True,
    is_code=True,
)
_TYPED_SCRIPT = replace(_SCRIPT, has_generics=True)
_JSON = Dialect(is_json=True)
_STYLE = Dialect(comments=(_BLOCKS,), is_style=True)
_NESTED_STYLE = replace(_STYLE, comments=(_SLASHES, _BLOCKS))
_HASHED = Dialect(comments=(_HASH,), by_lines=True, is_code=True)
_HCL = Dialect(comments=(_HASH, _SLASHES, _BLOCKS), strings=(_DOUBLE,), by_lines=True)
_PROTOBUF = Dialect(comments=(_SLASHES, _BLOCKS))
_DIRECTIVE = Dialect()  # ``listen 80;``, and what is written alike

_DIALECTS = {
    **dict.fromkeys(("json", "jsonc", "json5"), _JSON),
    **dict.fromkeys(("scss", "less"), _NESTED_STYLE),
    **dict.fromkeys(("javascript", "jsx"), _SCRIPT),
    **dict.fromkeys(("typescript", "tsx"), _TYPED_SCRIPT),
    **dict.fromkeys(("ruby", "r"), _HASHED),
    **dict.fromkeys(("hcl", "terraform", "tf"), _HCL),
    **dict.fromkeys(("protobuf", "proto"), _PROTOBUF),
    **dict.fromkeys(("", "nginx", "conf", "caddyfile", "caddy", "hocon", "toml"), _DIRECTIVE),
    "css": _STYLE,
    "c": _C,
    "cpp": replace(_C, has_generics=True),
    "csharp": replace(_C, strings=(_TRIPLE, _DOUBLE, _CHARACTER), has_generics=True),
    "java": _JAVA,
    "kotlin": replace(_JAVA, by_lines=True),
    "scala": replace(_JAVA, by_lines=True),
    "swift": replace(_JAVA, by_lines=True, strings=(_TRIPLE, _DOUBLE)),
    "dart": replace(_JAVA, strings=(_TRIPLE, _DOUBLE, _SINGLE)),
    "groovy": replace(_SCRIPT, strings=(_TRIPLE, _DOUBLE, _SINGLE)),
    "rust": replace(_JAVA, strings=(r'r\#+"(?:[^"]|"(?!\#))*"\#+', _DOUBLE, _CHARACTER)),
    "go": Dialect(
        comments=(_SLASHES, _BLOCKS),
        strings=(_RAW_BACKTICKS, _DOUBLE, _CHARACTER),
        by_lines=True,
        is_code=True,
        is_name_first=True,
    ),
    "go.mod": Dialect(comments=(_SLASHES,), by_lines=True, is_name_first=True),
    "php": Dialect(comments=(_SLASHES, _BLOCKS, _PHP_HASH, _PHP_TAGS), is_code=True),
    "python": Dialect(
        comments=(r"\#[^\n]*",),
        strings=(_TRIPLE, _TRIPLE_SINGLE, _DOUBLE, _SINGLE),
        by_lines=True,
        is_code=True,
    ),
    "elixir": replace(_HASHED, strings=(_TRIPLE, _DOUBLE, _SINGLE)),
    "perl": Dialect(comments=(_HASH,), is_code=True),
    "lua": Dialect(comments=(_DASHES,), by_lines=True, is_code=True),
    "zig": Dialect(comments=(_SLASHES,), strings=(_DOUBLE, _CHARACTER), is_code=True),
    "sql": Dialect(
        comments=(_DASHES, _BLOCKS), strings=(r"'(?:''|[^'])*'", _DOUBLE), is_name_first=True
    ),
    "graphql": Dialect(
        comments=(_HASH,), strings=(_TRIPLE, _DOUBLE), by_lines=True, is_name_first=True
    ),
    "prisma": Dialect(comments=(_SLASHES,), by_lines=True, is_name_first=True),
    "nix": Dialect(comments=(_HASH, _BLOCKS), strings=(r"''(?:[^']|'(?!'))*''", _DOUBLE)),
}


def dialect_of(language: str) -> Dialect | None:
    """The dialect of a language; ``None`` for a language that is not in the table: its members stand in no brackets."""
    return _DIALECTS.get(language)
