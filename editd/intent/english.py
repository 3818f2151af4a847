"""An instruction cut into words, quoted terms, arrows and marks; and the small words in it.

For regular expressions it is written down as one line (``Said``): its tokens in order, each with a space behind it and a
letter or sign before it that says what it is. ``phrases`` and ``sentences`` read that line. Standard library only.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from typing import Literal

Kind = Literal["term", "arrow", "mark"]


@dataclass(frozen=True, slots=True)
class Token:
    """One piece of an instruction.

    text: what it says, without its quotes. quoted: the one before it, empty if it had none. tight: an
    arrow without spaces around it (``a->b``), which in code is no arrow between names.
    """

    kind: Kind
    text: str
    quoted: str = ""
    tight: bool = False

    @property
    def word(self) -> str:
        """The lower-case bare word, ``""`` for anything else: what grammar is read from."""
        return self.text.lower() if self.kind == "term" and not self.quoted else ""


def tokens_of(instruction: str) -> list[Token]:
    """The instruction's tokens in order; of a very long one only the beginning is read."""
    instruction = instruction[:_MOST_CHARACTERS]
    tokens: list[Token] = []
    for match in _TOKEN.finditer(instruction):
        kind = match.lastgroup or ""
        text = match.group()
        if kind == "chunk":
            tokens.extend(_split_chunk(text))
        elif kind == "arrow":
            around = (
                instruction[match.start() - 1 : match.start()]
                + instruction[match.end() : match.end() + 1]
            )
            tokens.append(Token("arrow", text, tight=bool(_TIGHT.fullmatch(around))))
        elif kind == "mark":
            tokens.append(Token("mark", text))
        else:
            tokens.append(Token("term", _unquoted(match), quoted=text[0]))
    return tokens


def is_code_like(word: str) -> bool:
    """Whether a bare word can hardly be English: ``max_size``, ``parseUrl``, ``os.path``, ``v2``."""
    return bool(_CODE_LIKE.search(word))


def is_identifier(word: str) -> bool:
    """Whether ``word`` is one name, as most languages spell names."""
    return bool(_IDENTIFIER.fullmatch(word))


def cut_owner(name: str) -> tuple[str, str]:
    """``("Foo.", "bar")`` of ``Foo.bar`` and of ``Foo.bar()``."""
    owner, name = _OWNED.fullmatch(name.removesuffix("()")).groups("")  # type: ignore[union-attr]
    return owner, name


def has_letters_or_signs(text: str) -> bool:
    """Whether ``text`` is more than white space, written as such or as an escape."""
    return bool(re.sub(r"\\[tnrs]", "", text).strip())


def quoted(text: str) -> str:
    """In quotes that it does not contain."""
    mark = next((mark for mark in "\"'" if mark not in text), "`")
    return f"{mark}{text}{mark}"


QUOTED = r"\"[^\"]*\"|(?<!\w)'[^']*'(?!\w)|`[^`]*`|“[^”]*”|„[^“”]*[“”]|‚[^‘’]*[‘’](?!\w)"
"""A pattern for what stands in quotes; an apostrophe inside a word is none."""
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


def _unquoted(match: re.Match[str]) -> str:
    kind = match.lastgroup or ""
    text = "" if kind == "empty" else match[kind]
    if kind in ("double", "single"):
        return re.sub(r"\\([\"'\\])", r"\1", text)
    # ``code`` may be padded by one space so that it can begin or end with a backtick.
    return text.strip() if kind == "ticked" and text.strip() else text


def _split_chunk(chunk: str) -> list[Token]:
    """A bare word without the brackets and sentence marks around it, these as marks of their own."""
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
    tokens = [Token("mark", mark) for mark in chunk[:start]]
    if core:
        tokens.append(Token("term", core))
    return tokens + [Token("mark", mark) for mark in chunk[end:]]


def _balanced(text: str) -> bool:
    return all(text.count(opened) == text.count(closed) for opened, closed in ("()", "[]", "{}"))


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


@dataclass(frozen=True, slots=True)
class Aside:
    """A remark beside a request; is_about_it: it names what the request calls "it"."""

    text: str
    is_about_it: bool = False


@dataclass(frozen=True, slots=True)
class Wish:
    """A request, and what it was said to be about.

    place: where in the file. is_vague: that is no definition's name, but "the second loop". is_bare: it is one
    only if the buffer has such a definition. only: as of ``meanings.Exchange``.
    asides: the remarks that were taken off.
    """

    text: str
    place: str = ""
    is_vague: bool = False
    is_bare: bool = False
    only: str = ""
    asides: tuple[Aside, ...] = ()


def plain(instruction: str) -> str:
    """``instruction`` in one line, without "please" and the mark at its end."""
    said = _WITH.sub("with ", re.sub(r"\s*\n\s*", " ", instruction.replace("’", "'")).strip())
    said = re.sub(
        r"[^\w\s\"'`“”„‘»«.,;:!?()\[\]{}<>*/+=$#@&%^|~-]+$", "", said
    ).rstrip()  # an emoji
    said = _AT_LEISURE.sub(" ", said)
    while (shorter := _POLITE.sub("", said)) != said:
        said = shorter
    return re.sub(r",? please$", "", said.rstrip(" .!?"), flags=re.IGNORECASE)


_POLITE = re.compile(
    r"^(?:please|now|ok|so|just|can you|could you|would you|can you please|could you please"
    r"|i want you to|i'd like you to|let's)[, ]+",
    re.IGNORECASE,
)
_AT_LEISURE = re.compile(
    r",? when(?:ever)? you (?:have|get|find) (?:the |some |a )?(?:time|sec|second|minute|moment|chance)(?:, | |$)",
    re.IGNORECASE,
)
_WITH = re.compile(r"(?<!\S)w/ ?(?=\w)")


# The line that patterns read


def either(words: str) -> str:
    """A pattern for one of these words, whatever they are."""
    return f"(?:.(?:{'|'.join(sorted(words.split()))}) )"


_PLACES = frozenset("in of from inside within everywhere throughout across".split())  # noqa: SIM905
_ENDS = _PLACES | frozenset(
    """
    globally for and but so where wherever when whenever instead please too also only then because
    since on respectively consistently as at
    """.split()  # noqa: SIM905
)

# Before a word: what else it may be than a term. "b" is both before a term and an end.
_CLASSES = {
    **dict.fromkeys(FUNCTION_WORDS, "f"),
    **dict.fromkeys(SIGNS, "s"),
    **dict.fromkeys(_ENDS, "e"),
    **dict.fromkeys(QUANTIFIERS | {"out"}, "q"),
    **dict.fromkeys(LABELS, "l"),
    **dict.fromkeys(KINDS, "k"),
    **dict.fromkeys(ARTICLES, "a"),
    **dict.fromkeys(("of", "everywhere", "throughout"), "b"),
    "use": "u",
}
_FILLED = r"(?:[abklq]\S+ |uuse (?=bof )){0,9}"  # words before a term that are no part of it


def term_before(separator: str, *, named: bool = False) -> str:
    """A pattern for a term and what belongs to it; ``separator``: what is said between old and new."""
    pattern = (
        rf'(?P<fill>{_FILLED})(?P<term>"\d+ |(?!{separator}|[be])[a-z]\S+ )'
        rf"(?:(?P<described>k\S+ (?={separator}))|(?P<label>(?<=['’]s )l\S+ )"
        r'|(?:(?<="\d )|(?<="\d\d ))[kl]\S+ )?'
    )
    return pattern if named else re.sub(r"\?P<\w+>", "?:", pattern)


TERM = rf'(?P<old>){_FILLED}(?P<term>)(?:"\d+|[a-z]\S+) '
"""A term that a verb follows."""
JOINT = rf"(?:(?:{either('and or &')}|,[,;\n] )+(?=.))"
"""Commas and "and" between two terms."""


@dataclass(frozen=True, slots=True)
class Term:
    """A word that may be an old or a new text, and how it was introduced."""

    text: str
    end: int
    quoted: bool
    article: bool  # "the foo": bare English is then a description, not a name
    kind: bool  # "the function foo", "occurrences of foo": a name whatever it looks like
    described: bool  # "the foo function": a name if it is to be renamed

    @property
    def word(self) -> str:
        return "" if self.quoted else self.text.lower()

    @property
    def possible(self) -> bool:
        """Whether it may be meant as it stands; "a better name" and "it" are not."""
        word = self.word
        if (word in FUNCTION_WORDS and word != "a") or (word in KINDS and not self.kind):
            return False
        return self.quoted or self.kind or is_code_like(self.text) or not self.article


def is_of_signs(old: Term, new: Term, *, is_naming: bool = False) -> bool:
    """Whether "tabs", "semicolons" or "snake_case" stand for something else than these words."""
    bare = (old.word, new.word)
    styled = any(map(CASE_STYLE.fullmatch, bare))
    return styled or not (is_naming or SIGNS.isdisjoint(bare))


@dataclass(frozen=True, slots=True)
class Said:
    """An instruction as the line in which phrases are looked for, and what stood in which quotes."""

    text: str
    quoted: Sequence[str]
    marks: Sequence[str] = ()

    @classmethod
    def of(cls, instruction: str) -> Said:
        quoted: list[str] = []
        marks: list[str] = []
        parts = []
        for token in tokens_of(instruction):
            if token.quoted:
                parts.append(f'"{len(quoted)} ')
                quoted.append(token.text)
                marks.append(token.quoted)
            elif token.kind == "arrow":
                parts.append("~ " if token.tight else "> ")
            elif token.kind == "mark":
                parts.append(f",{token.text} ")
            else:
                parts.append(f"{_CLASSES.get(token.word) or _class_of(token.text)}{token.text} ")
        return cls("".join(parts), quoted, marks)

    def terms(self, at: int, separator: str = "(?!)", most: int = 8) -> list[Term]:
        """Up to ``most`` terms from ``at`` on, joined by commas and "and"."""
        terms: list[Term] = []
        while len(terms) < most and (match := _pattern(separator).match(self.text, at)):
            terms.append(self._made(match["term"], match.end(), match["fill"], match))
            joint = _JOINED.match(self.text, match.end())
            if joint is None:
                break
            at = joint.end()
        return terms

    def alone(self, at: int) -> Term | None:
        """The word at ``at``, perhaps behind an article."""
        match = _ALONE.match(self.text, at)
        return self._made(match["term"], match.end(), match["fill"]) if match else None

    def _made(self, term: str, end: int, fill: str, match: re.Match[str] | None = None) -> Term:
        before = {word[0] for word in fill.split()}
        described = match is not None and match["described"] is not None
        kind = described or (match is not None and bool(match["label"])) or bool(before & {*"kl"})
        quoted = term.startswith('"')
        text = self.quoted[int(term[1:])] if quoted else re.sub(r"(?<=.)['’]s$", "", term[1:-1])
        return Term(text, end, quoted, "a" in before, kind, described)

    def ends_phrase(self, at: int) -> bool:
        """Whether a phrase may be complete before ``at``: "rename a to b | in this file"."""
        return self.text[at : at + 1] in ("", ",", "b", "e")

    def is_negated(self, at: int) -> bool:
        """Whether the word at ``at`` is denied: "don't rename", "without renaming"."""
        return bool(_NEGATED.search(self.text, max(0, at - _LONGEST), at))


def _class_of(word: str) -> str:
    """Of a word that is no part of the grammar: a number, an address, a name for sure, a name, or any."""
    if NUMBER.fullmatch(word):
        return "n"
    if _ADDRESS.match(word):
        return "r"
    if _PLAINLY_A_NAME.fullmatch(word) and word.lower() not in _PRODUCTS:
        return "m"
    return "c" if is_code_like(word) else "w"


# Written like names, but of other things.
_PRODUCTS = frozenset(
    """
    javascript typescript coffeescript github gitlab bitbucket postgresql mysql sqlite mongodb nosql numpy
    pytorch tensorflow openai youtube iphone ios macos webassembly graphql fastapi opencv
    """.split()  # noqa: SIM905
)
_ADDRESS = re.compile(
    r"[\w.+-]*(?:://|@\w+\.|:\d+$)|(?:[\w-]+\.)+(?:com|org|net|io|dev|local)(?:/|$)|\.{0,2}/\w|(?:application|text|image)/\w"
)
_PLAINLY_A_NAME = re.compile(r"(?=.*(?:\w_|_\w|[a-z][A-Z])|\w+\(\)|.$)[^\W\d]\w*(?:\(\))?")


@cache
def _pattern(separator: str) -> re.Pattern[str]:
    return re.compile(term_before(separator, named=True), re.IGNORECASE)


_LONGEST = 200  # characters before a word in which it may be denied
_ALONE = re.compile(r'(?P<fill>(?:a\S+ )?)(?P<term>(?:"\d+|[a-z]\S+) )', re.IGNORECASE)
_JOINED = re.compile(JOINT, re.IGNORECASE)
_NOT = either("don't dont don’t not never without avoid cannot can't can’t")
_NEGATED = re.compile(rf'(?<!\S)(?:{either("instead")}.of |{_NOT}(?:[a-z"]\S* )?)$', re.IGNORECASE)
