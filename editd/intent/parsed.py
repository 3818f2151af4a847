"""Parses an instruction once: its intent, its requests, the names in it, how much of a file it is about.

Words alone, no buffer. It prefers silence to a guess. Standard library only.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cached_property, lru_cache

from editd.intent.asked_for import is_asked_for
from editd.intent.english import (
    CASE_STYLE,
    FUNCTION_WORDS,
    KINDS,
    LABELS,
    QUANTIFIERS,
    SIGNS,
    EnglishToken,
    is_identifier,
    tokens_of,
)
from editd.intent.intents import DeleteLines, Intent, Open, Rename, ReplaceNumber, ReplaceText
from editd.intent.matching import (
    Guessed,
    deciding_match,
    guesses_of,
    in_plain_words,
    intent_of,
    lexical_reading_of,
)
from editd.intent.phrases import pairs_in
from editd.intent.rules.add_docstring import OF_ALL
from editd.intent.second_wish import has_second_wish

_LONGEST = 20_000  # characters of an instruction that is read
# Words that say no more than that something is exchanged.
_REPLACING = (
    FUNCTION_WORDS
    | KINDS
    | LABELS
    | QUANTIFIERS
    | frozenset(
        """
    rename renamed renames renaming replace replaced replacing substitute change changed changing turn
    turned convert switch set update give call called name named should identifier identifiers use file
    """.split()  # noqa: SIM905
    )
)
_OBJECT = re.compile(
    r"\b(?:in|inside|within|of|to|into|from)\s+(?:the\s+)?([^\W\d]\w{2,})\b(?![.(]\w)"
    r"|^\s*(?:please\s+)?\w+\s+(?:the\s+)?([^\W\d]\w{2,})\b(?!\.\w)",
    re.IGNORECASE,
)
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
_IN_COMMENTS = re.compile(r"\b(?:in|including) (?:the )?(?:comments|docstrings)\b", re.IGNORECASE)
_IMPORTS = re.compile(r"\b(imports?|importing|#?includes?)\b", re.IGNORECASE)

_NAME = re.compile(r"[^\W\d]\w*|\$\w+|\w+\$[\w$]*")
_PATH = re.compile(rf"(?:{_NAME.pattern})(?:(?:\.|::|#|->)(?:{_NAME.pattern}))*")
_SELF = re.compile(r"^(?:self|this|cls)(?:\.|->)")
_MIXED_CASE = re.compile(r"[a-z0-9][A-Z]|[A-Z]{2}[a-z]")
_ABBREVIATIONS = frozenset(["e.g", "i.e", "etc", "vs"])
_FILE_NAME = re.compile(
    r".+\.(?:[ch]|cc|cfg|cpp|cs|css|go|h?html?|hpp|ini|java|jsx?|json|lua|md|mjs|php|pyi?|rb|rs|rst|sh|sql"
    r"|toml|tsx?|txt|vue|xml|ya?ml)",
    re.IGNORECASE,
)


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


@lru_cache(maxsize=16)
def parse(instruction: str) -> Parsed:
    """The instruction as a value; the last 16 are cached, so that each process parses an instruction once.

    More than 20,000 characters are parsed as an empty instruction.
    """
    return Parsed(instruction if len(instruction) <= _LONGEST else "")


@dataclass(frozen=True)
class Parsed:
    """The meaning of an instruction's words. Each answer is computed when it is first asked for, and kept."""

    text: str

    @cached_property
    def intent(self) -> Intent:
        """The one edit that is asked for, where words alone decide it; else ``Open``."""
        return intent_of(self.text) if self._is_one_wish else Open()

    @cached_property
    def is_asked_for(self) -> bool:
        """Whether the sentence asks for its edit now, and is no report, refusal, question or plan."""
        return is_asked_for(self.text)

    @cached_property
    def _is_one_wish(self) -> bool:
        """Whether the sentence asks for its edit now and wishes for nothing else, such as "…, then refactor the rest"."""
        return self.is_asked_for and not has_second_wish(self.text)

    @property
    def guesses(self) -> tuple[Intent, ...]:
        """Intents that only a buffer can confirm, likeliest first."""
        return tuple(guess.intent for guess in self.guessed)

    @cached_property
    def guessed(self) -> tuple[Guessed, ...]:
        """``guesses``, each with what was read for it."""
        return guesses_of(self.text) if self._is_one_wish else ()

    @cached_property
    def narrowing_names(self) -> frozenset[str]:
        """Words beside the request that narrow it if the buffer defines something of that name."""
        match = deciding_match(self.text)
        return frozenset() if match is None else match.narrowing_names

    @cached_property
    def clauses(self) -> tuple[str, ...]:
        """The requests of which an instruction consists, in order; empty for a single one, or what is not asked for."""
        if not self.is_asked_for:
            return ()
        from editd.intent.clauses import clauses_in  # loaded where it is needed

        return clauses_in(self.text)

    @property
    def wants_all_docstrings(self) -> bool:
        """Whether the instruction asks for docstrings of all functions, and nothing else."""
        return OF_ALL.fullmatch(self.text.strip()) is not None

    @cached_property
    def plain(self) -> str:
        """The request in the words that the embedded model was trained on; the text itself if no row matches."""
        return in_plain_words(self.text)

    @cached_property
    def lexical_reading(self) -> str:
        """The plain sentence that an unusual request was taken for, to be shown; empty for any other."""
        return lexical_reading_of(self.text) if self._is_one_wish else ""

    @cached_property
    def renames(self) -> tuple[tuple[str, str], ...]:
        """The ``(old, new)`` pairs that the instruction names, in its order, each old text once: those of phrases
        anywhere in it; only if there are none, those of its intents.

        ``rename `a` to `b` `` gives ``(("a", "b"),)``; ``new`` may be empty (replace A with nothing). Numbers and texts
        count, not only names; pairs of equal texts do not.
        """
        pairs = pairs_in(self.text)
        if not pairs:
            intents = map(intent_of, self.clauses) if self.clauses else [self.intent]
            pairs = tuple(
                (intent.old, intent.new)
                for intent in intents
                if isinstance(intent, Rename | ReplaceText | ReplaceNumber)
            )
        return tuple((old, new) for old, new in pairs if old != new)

    @cached_property
    def replaced_everywhere(self) -> tuple[str, ...]:
        """The old texts of which every mention is to become something else or to go. Of an instruction whose intent is
        a rename, a replacement of a text or number, or the deletion of lines with a text: that text, unless it names a
        place. Of any other: the old texts of all its pairs, if its words say nothing else.
        """
        match self.intent:
            case (
                Rename(text, location="")
                | ReplaceText(text, location="")
                | ReplaceNumber(text, location="")
                | DeleteLines(text, location="")
            ):
                return (text,)
            case Rename() | ReplaceText() | ReplaceNumber() | DeleteLines():
                return ()
        named = {
            word
            for pair in self.renames
            for text in pair
            for word in re.findall(r"\w+", text.lower())
        }
        others = {token.word for token in self._tokens if token.word} - named - _REPLACING
        is_plain = not any(word.strip("-.0123456789") for word in others)
        return tuple(old for old, _ in self.renames) if is_plain else ()

    @cached_property
    def names(self) -> tuple[str, ...]:
        """The names of program parts that the instruction mentions, in order, each once.

        Quoted names; words that can hardly be English (``max_size``, ``parseUrl``, ``foo()``, ``Foo.bar``); plain words
        where a word like "function" says what they are; both sides of a rename, last. Dotted names come whole, without
        ``self.`` and ``this.``; file names are left out.
        """
        tokens = self._tokens
        found = [
            name
            for at, token in enumerate(tokens)
            if (name := _as_name(token))
            and (token.quoted or _looks_like_a_name(_owner(token)) or _is_announced(tokens, at))
        ]
        found += [text for pair in self.renames for text in pair if is_identifier(text)]
        return tuple(dict.fromkeys(found))

    @cached_property
    def bare_words(self) -> tuple[str, ...]:
        """The bare words that could be names but need not be, in order, each once: "parse" in "make
        parse faster".
        """
        ordinary = FUNCTION_WORDS | KINDS | LABELS
        bare = (token for token in self._tokens if token.word and token.word not in ordinary)
        return tuple(dict.fromkeys(word.text for word in bare if is_identifier(word.text)))

    @cached_property
    def quoted(self) -> tuple[str, ...]:
        """The texts in quotes, without these."""
        return tuple(t.text for t in self._tokens if t.quoted and t.text.strip())

    @cached_property
    def objects(self) -> tuple[str, ...]:
        """Bare words where the name of a function is expected: "document parse", "a retry to save"."""
        found = (first or second for first, second in _OBJECT.findall(self.text))
        return tuple(word for word in found if word.lower() not in FUNCTION_WORDS)

    @cached_property
    def nameless(self) -> str:
        """The text with an ``X`` for each name and quoted text, longest first, which say nothing
        about the kind of edit; quotes stay.
        """
        text = self.text
        for name in sorted({*self.quoted, *self.names}, key=len, reverse=True):
            text = re.sub(rf"(?<!\w){re.escape(name)}(?!\w)", "X", text)
        return text

    @cached_property
    def is_everywhere(self) -> bool:
        """Whether each part of a file can be rewritten by itself: "remove all comments"."""
        return self.has_quantifier or self.is_about_style or bool(_SPREAD.search(self.text))

    @cached_property
    def has_quantifier(self) -> bool:
        """Whether the instruction says "all", "every", "everywhere": then a plain word in it is hardly one name."""
        return any(token.word in QUANTIFIERS for token in self._tokens)

    @property
    def includes_comments(self) -> bool:
        """Whether a rename is asked for in comments, too: "everywhere", "also in the comments"."""
        return self.has_quantifier or bool(_IN_COMMENTS.search(self.text))

    @property
    def is_about_imports(self) -> bool:
        """Whether the instruction mentions imports, so that its edit may stand at the top of the file."""
        return bool(_IMPORTS.search(self.text))

    @cached_property
    def is_about_spacing(self) -> bool:
        """Whether the instruction speaks of blank lines, white space at line ends, or the layout of the text."""
        return bool(_SPACING.search(self.nameless))

    @cached_property
    def is_about_style(self) -> bool:
        """Whether the instruction names two signs of punctuation ("single quotes to double quotes") or a way to write
        names ("snake_case"), which may stand in any line; never if it names a pair of old and new.
        """
        bare = [token.word for token in self._tokens if token.word]
        exchanges_signs = sum(word in SIGNS for word in bare) > 1
        return not self.renames and (exchanges_signs or any(map(CASE_STYLE.fullmatch, bare)))

    @property
    def asks_for_repetition(self) -> bool:
        """Whether an answer that says something over and over may be right."""
        return bool(_REPETITION.search(self.text))

    @cached_property
    def _tokens(self) -> list[EnglishToken]:
        """The tokens of the text."""
        return tokens_of(self.text)


def _as_name(token: EnglishToken) -> str:
    """The name that a token spells, without ``self.``, call brackets and, if bare, a possessive;
    ``""`` if it spells none, a file's name, an abbreviation or a style of writing.
    """
    if token.kind != "term":
        return ""
    text = token.text if token.quoted else _owner(token)
    text = re.sub(r"\(.*\)$", "", text, flags=re.DOTALL)  # foo(x) mentions foo
    text = _SELF.sub("", text)
    if not token.quoted and CASE_STYLE.fullmatch(text):
        return ""
    if not _PATH.fullmatch(text) or _FILE_NAME.fullmatch(text) or text.lower() in _ABBREVIATIONS:
        return ""
    return text


def _owner(token: EnglishToken) -> str:
    """The token without a possessive: ``parse`` of ``parse's``."""
    return re.sub(r"['’]s$", "", token.text)


def _looks_like_a_name(word: str) -> bool:
    """Whether a bare word can hardly be English: it has ``()``, dots, ``::``, ``->``, an underscore
    or mixed case.
    """
    if word.endswith("()") or re.search(r"\w(::|->)\w", word):
        return True
    if re.fullmatch(r"[^\W\d]\w*(\.[^\W\d]\w*)+(\(.*\))?", word):
        return True
    if re.fullmatch(r"_+\w+|\w+_\w+", word):
        return True
    return bool(_MIXED_CASE.search(word) and not word.isupper())


def _is_announced(tokens: list[EnglishToken], at: int) -> bool:
    """Whether a word like "function" stands right before token ``at``, or after it behind "the":
    "the function parse", "the parse method". Never for ordinary words.
    """
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
