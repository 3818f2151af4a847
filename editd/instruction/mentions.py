"""What an instruction mentions: the names in it, what it renames, how much of a file it means.

Words alone, no buffer. Shared by ``scope`` and by the buffer drafter. Standard library only.
"""

from __future__ import annotations

import re

from editd.instruction.renames import rename_in
from editd.instruction.wording import (
    FUNCTION_WORDS,
    KINDS,
    LABELS,
    QUANTIFIERS,
    Token,
    is_identifier,
    tokens_of,
)
from editd.prompts.language import is_file_name

__all__ = [
    "asks_for_repetition",
    "has_quantifier",
    "is_about_imports",
    "is_about_spacing",
    "is_everywhere",
    "names_in",
    "rename_in",
    "without_names",
    "words_in",
]


def names_in(instruction: str) -> tuple[str, ...]:
    """The names of program parts that the instruction mentions, in order, each once.

    Quoted names; words that can hardly be English (``max_size``, ``parseUrl``, ``foo()``,
    ``Foo.bar``); plain words where a word like "function" says what they are; both sides of a
    rename. Dotted names come whole, without ``self.`` and ``this.``; file names are left out.
    """
    tokens = tokens_of(instruction)
    found: list[str] = []
    for at, token in enumerate(tokens):
        name = _as_name(token)
        if name and (
            token.quoted or _looks_like_a_name(_owner(token)) or _is_announced(tokens, at)
        ):
            found.append(name)
    for pair in rename_in(instruction):
        found.extend(text for text in pair if is_identifier(text))
    return tuple(dict.fromkeys(found))


def without_names(instruction: str) -> str:
    """``instruction`` with an ``X`` for each name and quoted text, which say nothing about the kind of edit."""
    texts = {token.text for token in tokens_of(instruction) if token.quoted}
    for text in sorted(
        filter(str.strip, texts.union(names_in(instruction))), key=len, reverse=True
    ):
        instruction = re.sub(rf"(?<!\w){re.escape(text)}(?!\w)", "X", instruction)
    return instruction


def words_in(instruction: str) -> tuple[str, ...]:
    """The bare words that could be names but need not be: "parse" in "make parse faster"."""
    words = (token for token in tokens_of(instruction) if token.kind == "term" and not token.quoted)
    ordinary = FUNCTION_WORDS | KINDS | LABELS
    return tuple(
        dict.fromkeys(
            word.text for word in words if word.word not in ordinary and is_identifier(word.text)
        )
    )


def is_everywhere(instruction: str) -> bool:
    """Whether each part of a file can be rewritten by itself: "remove all comments"."""
    return has_quantifier(instruction) or bool(_SPREAD.search(instruction))


def has_quantifier(instruction: str) -> bool:
    """Whether it says "all", "every", "everywhere": then a plain word in it is hardly one name."""
    return any(token.word in QUANTIFIERS for token in tokens_of(instruction))


def is_about_imports(instruction: str) -> bool:
    """Whether the instruction mentions imports: what it wants stands at the top of the file."""
    return bool(_IMPORTS.search(instruction))


def is_about_spacing(instruction: str) -> bool:
    """Whether it speaks of blank lines, white space at line ends, or how a text is set altogether."""
    return bool(_SPACING.search(without_names(instruction)))


def asks_for_repetition(instruction: str) -> bool:
    """Whether an answer that says something over and over may be what is wanted."""
    return bool(_REPETITION.search(instruction))


# Things of which a file has many, each apart from the others.
_SPREAD = re.compile(
    r"\b(comments|docstrings|(print|log|logging|debug) (statements|calls)|prints"
    r"|f-?strings|type (hints|annotations)|trailing (whitespace|spaces)|tabs)\b",
    re.IGNORECASE,
)
_SPACING = re.compile(
    r"\b(white ?-?space|blanks?|empty (lines?|rows?)|new ?-?lines?|line ?-?(breaks?|feeds?|ends?|endings?)"
    r"|trailing|spacing|spaces?|vertical|paragraphs?|(re-?)?format(s|ted|ting|ter)?|prettier|black|ruff"
    r"|gofmt|rustfmt|clang-format|autopep8|yapf|pep ?-?8|lint(s|ing|er)?|pycodestyle|flake8|style guide"
    r"|tidy|prettify|beautify|((re|un)-?)?indent\w*|(de|out)dent\w*|normali[sz]e"
    r"|separate[sd]?|separators?|layout|markdown|compact|minif\w+|trim|strip)\b|[EW][1-7]\d\d\b",
    re.IGNORECASE,
)
_REPETITION = re.compile(
    r"\b(times|copies|rows|entries|elements|repeat\w*|duplicat\w+|fill\w*|enumerat\w+|unroll\w*|tables?"
    r"|lists? of|generate|from \d+ (to|up))\b",
    re.IGNORECASE,
)
_IMPORTS = re.compile(r"\b(imports?|importing|#?includes?)\b", re.IGNORECASE)

_NAME = re.compile(r"[^\W\d]\w*|\$\w+|\w+\$[\w$]*")
_PATH = re.compile(rf"(?:{_NAME.pattern})(?:(?:\.|::|#|->)(?:{_NAME.pattern}))*")
_SELF = re.compile(r"^(?:self|this|cls)(?:\.|->)")
_MIXED_CASE = re.compile(r"[a-z0-9][A-Z]|[A-Z]{2}[a-z]")
_ABBREVIATIONS = frozenset(["e.g", "i.e", "etc", "vs"])


def _as_name(token: Token) -> str:
    """The name that a token spells, ``""`` when it spells none."""
    if token.kind != "term":
        return ""
    text = token.text if token.quoted else _owner(token)
    text = re.sub(r"\(.*\)$", "", text, flags=re.DOTALL)  # foo(x) mentions foo
    text = _SELF.sub("", text)
    if not _PATH.fullmatch(text) or is_file_name(text) or text.lower() in _ABBREVIATIONS:
        return ""
    return text


def _owner(token: Token) -> str:
    """``parse`` of ``parse's``."""
    return re.sub(r"['’]s$", "", token.text)


def _looks_like_a_name(word: str) -> bool:
    if word.endswith("()") or re.search(r"\w(::|->)\w", word):
        return True
    if re.fullmatch(r"[^\W\d]\w*(\.[^\W\d]\w*)+(\(.*\))?", word):
        return True
    if re.fullmatch(r"_+\w+|\w+_\w+", word):
        return True
    return bool(_MIXED_CASE.search(word) and not word.isupper())


def _is_announced(tokens: list[Token], at: int) -> bool:
    """Whether a word like "function" stands before or after: "the function parse", "the parse method"."""
    token = tokens[at]
    if token.word in FUNCTION_WORDS | KINDS | LABELS | _NOUNS:
        return False
    back = at - 1
    while back >= 0 and tokens[back].word in ("called", "named"):
        back -= 1
    if back >= 0 and tokens[back].word in KINDS:
        # "a method that", "functions to": those words were excluded above.
        return True
    after = tokens[at + 1].word if at + 1 < len(tokens) else ""
    before = tokens[at - 1].word if at > 0 else ""
    return after in KINDS and before == "the" and token.word not in _ADJECTIVES


# "function body" is no function called body.
_NOUNS = frozenset(
    """
    annotation annotations arguments assignment assignments body bodies call calls checking
    declaration declarations definition definitions docstring docstrings error errors header
    headers hint hints instance instances list lists order signature signatures
    """.split()  # noqa: SIM905
)

_ADJECTIVES = frozenset(
    """
    unused public private static abstract nested inner outer helper async right wrong
    whole entire test generic anonymous given missing return data base parent child
    """.split()  # noqa: SIM905
)
