"""The tokenizer of English, and the small words of it: a request cut into words, quoted terms, arrows and marks.

Standard library only.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Literal

ARTICLES = frozenset(["the", "a", "an"])

QUANTIFIERS = frozenset(
    ["all", "every", "each", "any", "both", "whole", "entire", "everywhere", "throughout"]
)

# Words that name a part of a program; a name often follows or precedes them.
KINDS = frozenset(
    """
    function functions method methods class classes struct structs enum enums interface interfaces
    trait traits type types variable variables var const constant constants parameter parameters
    param params argument arguments arg args attribute attributes attr field fields property
    properties member members macro macros module modules package packages symbol symbols
    identifier identifiers func def fn routine procedure constructor decorator fixture handler
    """.split()  # noqa: SIM905 - read as a list of words
)

# Words that say what kind of text a term is; they are no part of the program.
LABELS = frozenset(
    """
    name names string strings literal literals text word words number numbers value values
    occurrence occurrences instance instances usage usages mention mentions call calls
    reference references key keys option options flag flags setting settings column table label
    import imports identifier named called spelled written titled old existing current local global uses
    public private static substring phrase expression token suffix prefix
    """.split()  # noqa: SIM905
)

# Words that are never the old or the new text when they stand bare.
PRONOUNS = frozenset(
    """
    it its them they this that these those everything anything something nothing one ones each
    which what who whom there here me us you we he she itself themselves
    """.split()  # noqa: SIM905
)

FUNCTION_WORDS = (
    ARTICLES
    | QUANTIFIERS
    | PRONOUNS
    | frozenset(
        """
        to with by as into from of in on at for and or but so not no if then else than when where
        while because since until unless via per over under between within inside outside across
        be is are was were been being am do does did done have has had can could should would will
        shall must may might let let's please just only also too instead rather again still even
        use using used make makes made more less most least better best same other another such
        very new old first last next previous following above below already actually simply
        """.split()  # noqa: SIM905
    )
)

# Punctuation and white space by name: an exchange of these is of signs, not of the words.
SIGNS = frozenset(
    """
    tab tabs space spaces whitespace newline newlines linebreak linebreaks blank blanks indentation
    semicolon semicolons colon colons comma commas dot dots period periods quote quotes apostrophe
    apostrophes backtick backticks parenthesis parentheses bracket brackets brace braces hyphen hyphens
    dash dashes underscore underscores slash slashes backslash backslashes crlf lf uppercase lowercase
    """.split()  # noqa: SIM905
)
# How names are written.
CASE_STYLE = re.compile(
    r"(snake|camel|pascal|kebab|title|upper|lower|screaming(_snake)?)[_-]?case", re.IGNORECASE
)

QUOTED = r"\"[^\"]*\"|(?<!\w)'[^']*'(?!\w)|`[^`]*`|“[^”]*”|„[^“”]*[“”]|‚[^‘’]*[‘’](?!\w)"
"""A pattern for what stands in quotes; an apostrophe inside a word is none."""
USES = r"(?:usages?|uses|references|callers|calls|occurrences|call sites)"
"""A pattern for words that mean every mention of a name."""
NUMBER = re.compile(r"[-+]?(?:0x[0-9a-f]+|\d[\d_]*(?:\.\d+)?(?:e-?\d+)?)", re.IGNORECASE)
A_NAME = re.compile(r"(?!\d)[\w$]+(?:(?:\.|::|#)[\w$]+)*(?:\(\))?")
_OWNED = re.compile(r"(?s)(.*(?:\.|::|#)(?=[^\W\d][\w$]*$))?(.*)")
_IDENTIFIER = re.compile(r"[^\W\d][\w$]*|\$\w+")
_CODE_LIKE = re.compile(r"[_\d$()/=<>*+@]|\w[.:-]{1,2}\w|^-|[a-z][A-Z]|^[A-Z]{2,}$|^[A-Z][a-z]")

_TIGHT = re.compile(r"[\w)\]][\w(\[]")
_MOST_CHARACTERS = 10_000

_TOKEN = re.compile(
    r"""
      (?P<ticks>`{1,3})(?P<ticked>[^`]+)(?P=ticks)(?!`)
    | (?P<empty>``)(?=[\s.,;:!?)]|$)
    | "(?P<double>(?:[^"\\\n]|\\.)*)"
    | (?<![\w'])'(?P<single>(?:[^'\\\n]|\\.)*)'(?!\w)
    | „(?P<low>[^“”\n]{0,2000})[“”]
    | ‚(?P<low_single>[^‘’\n]{0,2000})[‘’](?!\w)
    | “(?P<curly>[^”\n]{0,2000})”
    | ‘(?P<curly_single>[^’\n]{0,2000})’(?!\w)
    | «(?P<angled>[^»\n]{0,2000})»
    | (?P<arrow>-{1,2}>|={1,2}>|[→⇒⟶])
    | (?P<mark>[\n,;…“”‘’„‚«»"`]|[.:!?](?=\s|$))
    | (?P<chunk>(?:(?!-{1,2}>|={1,2}>)[^\s`"“”‘„‚«»,;…→⇒⟶])+)
    """,
    re.VERBOSE | re.DOTALL,
)


@dataclass(frozen=True, slots=True)
class EnglishToken:
    """A word, quoted term, arrow or mark of a request.

    text: without its quotes. quoted: the quote before it, empty for a bare word. tight: an arrow without
    spaces around it (``a->b``), which in code is no arrow between names.
    """

    kind: Literal["term", "arrow", "mark"]
    text: str
    quoted: str = ""
    tight: bool = False

    @property
    def word(self) -> str:
        """The bare word in lower case; ``""`` for an arrow, a mark or what is quoted."""
        return self.text.lower() if self.kind == "term" and not self.quoted else ""


def tokens_of(text: str) -> list[EnglishToken]:
    """The tokens of a request in order: words, quoted texts, arrows and marks. After its first
    10,000 characters the rest is ignored.
    """
    text = text[:_MOST_CHARACTERS]
    tokens: list[EnglishToken] = []
    for match in _TOKEN.finditer(text):
        kind = match.lastgroup or ""
        found = match.group()
        if kind == "chunk":
            tokens.extend(_split_chunk(found))
        elif kind == "arrow":
            around = text[match.start() - 1 : match.start()] + text[match.end() : match.end() + 1]
            tokens.append(EnglishToken("arrow", found, tight=bool(_TIGHT.fullmatch(around))))
        elif kind == "mark":
            tokens.append(EnglishToken("mark", found))
        else:
            tokens.append(EnglishToken("term", _unquoted(match), quoted=found[0]))
    return tokens


def is_code_like(word: str) -> bool:
    """Whether a bare word can hardly be English: ``max_size``, ``parseUrl``, ``os.path``, ``v2``."""
    return bool(_CODE_LIKE.search(word))


def is_identifier(word: str) -> bool:
    """Whether ``word`` is one name, as most languages spell names."""
    return bool(_IDENTIFIER.fullmatch(word))


def cut_owner(name: str) -> tuple[str, str]:
    """The owner of a name with the sign behind it, and the rest: ``("Foo.", "bar")`` of ``Foo.bar()``."""
    owner, name = _OWNED.fullmatch(name.removesuffix("()")).groups("")  # type: ignore[union-attr]
    return owner, name


def has_letters_or_signs(text: str) -> bool:
    """Whether ``text`` is more than white space, written as such or as an escape."""
    return bool(re.sub(r"\\[tnrs]", "", text).strip())


def plain_name(text: str) -> str:
    """A name as it is written, without quotes or backticks around it and call brackets after it."""
    return text.strip("`'\"").removesuffix("()")


def cut_quotes(text: str) -> tuple[str, str]:
    """A text without the quotes around all of it, and the first of these; unchanged and empty if it has none."""
    return (text[1:-1], text[0]) if re.fullmatch(QUOTED, text) else (text, "")


def quoted(text: str) -> str:
    """``text`` in quotes that it does not contain."""
    mark = next((mark for mark in "\"'" if mark not in text), "`")
    return f"{mark}{text}{mark}"


def _unquoted(match: re.Match[str]) -> str:
    """The text of a quoted token, without its quotes; escapes of quotes are undone in straight
    ones, one-space padding in backticks is taken off.
    """
    kind = match.lastgroup or ""
    text = "" if kind == "empty" else match[kind]
    if kind in ("double", "single"):
        return re.sub(r"\\([\"'\\])", r"\1", text)
    # ``code`` may be padded by one space so that it can begin or end with a backtick.
    return text.strip() if kind == "ticked" and text.strip() else text


def _split_chunk(chunk: str) -> list[EnglishToken]:
    """The tokens of a bare word, in order: the word without the brackets around it and the sentence marks behind it,
    and each character that is cut off as a mark of its own. Brackets that belong to the word, as in ``f(x)``, stay; if
    they do not pair, the word ends before the first.
    """
    start, end = 0, len(chunk)
    while start < end and chunk[start] in "([{":
        start += 1
    while end > start and (
        (chunk[end - 1] in ")]}" and not _balanced(chunk[start:end])) or chunk[end - 1] in ".:!?'’"
    ):
        end -= 1
    core = chunk[start:end]
    cut = core.find("(")
    if cut > 0 and not _balanced(core):  # "foo(a, b)" was cut at its comma
        core, end = core[:cut], start + cut
    tokens = [EnglishToken("mark", mark) for mark in chunk[:start]]
    if core:
        tokens.append(EnglishToken("term", core))
    return tokens + [EnglishToken("mark", mark) for mark in chunk[end:]]


def _balanced(text: str) -> bool:
    """Whether each kind of bracket opens as often as it closes."""
    return all(text.count(opened) == text.count(closed) for opened, closed in ("()", "[]", "{}"))
