"""How languages with brackets are written: comments, strings, what ends a member, and where its name stands."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from functools import cached_property

_SLASHES, _BLOCKS = r"(?<![:\w])//[^\n]*", r"/\*(?:[^*]|\*(?!/))*\*/"
_HASH, _DASHES = r"(?<!\S)\#[^\n]*", r"--[^\n]*"
_DIRECTIVES = r"(?<!\S)\#(?:[^\n\\]|\\.)*"  # of C's preprocessor
_DOUBLE, _SINGLE = r'"(?:\\.|[^"\\\n])*"', r"'(?:\\.|[^'\\\n])*'"
_TRIPLE = r'"""(?:\\.|[^\\])*?"""'
_CHARACTER = r"'(?:\\[^\n']{1,8}|\\'|[^'\\\n])'"
_BACKTICKS = r"`(?:\\.|[^`\\])*`"
_REGULAR = (
    r"(?:(?<=[=(,:\[!&|?{};])|(?<=[=(,:\[!&|?{};]\s))/(?![/*])"
    r"(?:\\.|\[(?:\\.|[^\]\\\n])*\]|[^/\\\n\[])+/[a-z]*"
)
# parameters of a type, in which a comma separates nothing
_GENERIC = (
    r"(?:(?<=\w)|(?<=[a-z]\s)(?=<[A-Z]))<(?:[^<>;{}()=]|=>|\s=\s|<(?:[^<>;{}()]|<(?:[^<>;{}()]|<[^<>;{}()]*>)*>)*>)*>"
)


@dataclass(frozen=True)
class Dialect:
    """comments, strings: expressions. by_lines: a line's end ends a member. is_code: a text's members are statements.

    names: whether the ``first`` or the ``last`` word before a value is the name. has_generics: ``Map<K, V>`` is
    one word. is_style: CSS and its kin. arguments: whether calls with named arguments are containers.
    """

    comments: tuple[str, ...] = (_SLASHES, _BLOCKS, _HASH)
    strings: tuple[str, ...] = (_DOUBLE, _SINGLE)
    by_lines: bool = False
    is_code: bool = False
    names: str = "last"
    has_generics: bool = False
    is_style: bool = False
    is_json: bool = False

    @cached_property
    def tokens(self) -> re.Pattern[str]:
        """What a text is cut into: comments, strings, generics, brackets, separators, words and other signs."""
        generic = rf"(?P<g>{_GENERIC})|" if self.has_generics else ""
        return re.compile(
            rf"(?P<c>{'|'.join(self.comments)})|(?P<s>{'|'.join(self.strings)})|{generic}"
            r"(?P<o>[(\[{])|(?P<e>[)\]}])|(?P<p>[,;\n])|(?P<w>\w+|[^\S\n]+|.)",
            re.DOTALL,
        )


_C = Dialect(
    comments=(_SLASHES, _BLOCKS, _DIRECTIVES), strings=(_DOUBLE, _CHARACTER), is_code=True
)
_JAVA = Dialect(
    comments=(_SLASHES, _BLOCKS),
    strings=(_TRIPLE, _DOUBLE, _CHARACTER),
    is_code=True,
    has_generics=True,
)
_SCRIPT = Dialect(
    comments=(_SLASHES, _BLOCKS),
    strings=(_REGULAR, _BACKTICKS, _DOUBLE, _SINGLE),
    by_lines=True,
    is_code=True,
)
_JSON = Dialect(comments=(_SLASHES, _BLOCKS, _HASH), is_json=True)
_STYLE = Dialect(comments=(_BLOCKS,), is_style=True)
_HASHED = Dialect(comments=(_HASH,), by_lines=True, is_code=True)
_PLAIN = Dialect()

_DIALECTS = {
    "json": _JSON,
    "jsonc": _JSON,
    "json5": _JSON,
    "css": _STYLE,
    "scss": replace(_STYLE, comments=(_SLASHES, _BLOCKS)),
    "less": replace(_STYLE, comments=(_SLASHES, _BLOCKS)),
    "javascript": _SCRIPT,
    "jsx": _SCRIPT,
    "typescript": replace(_SCRIPT, has_generics=True),
    "tsx": replace(_SCRIPT, has_generics=True),
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
        strings=(r"`[^`]*`", _DOUBLE, _CHARACTER),
        by_lines=True,
        is_code=True,
        names="first",
    ),
    "go.mod": Dialect(comments=(_SLASHES,), by_lines=True, names="first"),
    "php": Dialect(
        comments=(_SLASHES, _BLOCKS, r"\#(?!\[)[^\n]*", r"<\?(?:php|=)?|\?>"), is_code=True
    ),
    "python": Dialect(
        comments=(r"\#[^\n]*",),
        strings=(_TRIPLE, r"'''(?:\\.|[^\\])*?'''", _DOUBLE, _SINGLE),
        by_lines=True,
        is_code=True,
    ),
    "ruby": _HASHED,
    "elixir": replace(_HASHED, strings=(_TRIPLE, _DOUBLE, _SINGLE)),
    "r": _HASHED,
    "perl": Dialect(comments=(_HASH,), is_code=True),
    "lua": Dialect(comments=(_DASHES,), by_lines=True, is_code=True),
    "sql": Dialect(comments=(_DASHES, _BLOCKS), strings=(r"'(?:''|[^'])*'", _DOUBLE), names="first"),
    "protobuf": Dialect(comments=(_SLASHES, _BLOCKS)),
    "graphql": Dialect(comments=(_HASH,), strings=(_TRIPLE, _DOUBLE), by_lines=True, names="first"),
    "prisma": Dialect(comments=(_SLASHES,), by_lines=True, names="first"),
    "hcl": Dialect(comments=(_HASH, _SLASHES, _BLOCKS), strings=(_DOUBLE,), by_lines=True),
    "nix": Dialect(comments=(_HASH, _BLOCKS), strings=(r"''(?:[^']|'(?!'))*''", _DOUBLE)),
    "zig": Dialect(comments=(_SLASHES,), strings=(_DOUBLE, _CHARACTER), is_code=True),
}
_DIALECTS |= {name: _PLAIN for name in ("", "nginx", "conf", "caddyfile", "caddy", "hocon", "toml")}
_DIALECTS |= {"proto": _DIALECTS["protobuf"], "vue": _SCRIPT, "terraform": _DIALECTS["hcl"], "tf": _DIALECTS["hcl"]}

def dialect_of(language: str) -> Dialect | None:
    """How it is written; ``None`` for an unknown one, and one in which other brackets hold members."""
    return _DIALECTS.get(language)
