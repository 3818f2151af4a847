"""The lexical reading: what an unusual request asks for, read from its words in whatever order they stand.

Rows know sentences, this knows words. Each word must be accounted for: it says what is done, or to what, it is
a name, or it says nothing. One word that is none of these, and nothing is understood: "delete the comments of the
parser" is about more than comments. Nor is a request that two kinds of edit could mean. The answer is a plain sentence,
which a row matches; users are shown it. Knows no buffer. Standard library only.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass

from editd.intent import lexicon
from editd.intent.clause import without_politeness
from editd.intent.english import (
    A_NAME,
    CASE_STYLE,
    KINDS,
    EnglishToken,
    is_code_like,
    quoted,
    tokens_of,
)
from editd.intent.lexicon import words_of
from editd.intent.restrictions import excepts

# "docstrings to get and put" are of two functions, whatever "put" says elsewhere.
_NAMES_LISTED = re.compile(
    r"\b(?:to|for|in|of) `?[^\W\d]\w*`?(?:, `?[^\W\d]\w*`?)*,? and `?[^\W\d]\w*`?[.!]?$",
    re.IGNORECASE,
)
_ANY = frozenset[str]()
_NAMES_TWO = re.compile(
    r"\band (?:add|put|write|give|insert|set|append) as\b"
)  # "of load and add as int"
_TAKING = words_of("takes take taking accepts accept expects expect gets receives")
# "rename load to read and save to write" is no rename of load to save.
_TWO_CHANGES = re.compile(
    r"\b(?P<to>to|with|by|as) \S+?(?:,? and|,|;) (?:\S+ ){1,3}(?P=to) \S", re.IGNORECASE
)


def lexical_reading(instruction: str) -> str | None:
    """The request as a plain sentence, read from its words in any order.

    ``None`` if it fits no kind of edit or two that give different sentences, is denied, asks for two changes, has an
    arrow, or more than 40 words and marks (brackets and politeness aside).
    """
    tokens = [
        token
        for token in tokens_of(without_politeness(instruction))
        if token.text not in ("(", ")")
    ]
    if lexicon.DENIED.match(instruction) or len(tokens) > lexicon.LONGEST:
        return None
    if _NAMES_LISTED.search(instruction) or _TWO_CHANGES.search(instruction):
        return None
    if any(token.kind == "arrow" for token in tokens):
        return None
    readings = {sentence for subject in _SUBJECTS if (sentence := subject.sentence(tokens))}
    return readings.pop() if len(readings) == 1 else None


@dataclass(frozen=True, slots=True)
class _Reading:
    """The tokens of a request as one subject reads them. names: indexes of tokens that no word accounts for."""

    tokens: list[EnglishToken]
    words: list[str]
    names: list[int]

    def says(self, words: frozenset[str]) -> bool:
        """Whether one of ``words`` is in the request."""
        return not words.isdisjoint(self.words)

    def take(self, fits: Callable[[EnglishToken], bool]) -> list[str]:
        """Remove from ``names`` those whose token fits, and return their texts, without a
        possessive "'s", in order.
        """
        taken = [at for at in self.names if fits(self.tokens[at])]
        self.names[:] = [at for at in self.names if at not in taken]
        return [_unowned(self.tokens[at]) for at in taken]

    def name(self) -> str | None:
        """The only name that is left; ``None`` if there are none or several, or it is no identifier."""
        name = _unowned(self.tokens[self.names[0]]) if len(self.names) == 1 else ""
        return name if A_NAME.fullmatch(name) else None

    def before(self, at: int) -> str:
        """The word before ``at``, articles and words like "function" passed over; empty at the beginning."""
        words = (
            w for w in reversed(self.words[:at]) if w not in lexicon.ARTICLES and w not in KINDS
        )
        return next(words, "")


@dataclass(frozen=True, slots=True)
class _Subject:
    """A kind of edit, with the words that ask for it.

    about: what it is done to. verbs: what is done. The request has a word of each; of an empty set it needs none. others:
    words that may stand beside them. sentence_of: makes the plain sentence; ``None`` where the edit cannot be meant.
    """

    about: frozenset[str]
    verbs: frozenset[str]
    others: frozenset[str]
    sentence_of: Callable[[_Reading], str | None]

    def sentence(self, tokens: list[EnglishToken]) -> str | None:
        """The plain sentence of this kind of edit, with the names that its words leave; without
        any, a known word that stands where a name does may be one.

        ``None`` if no word says that this kind is meant, a word is neither known nor may be a name,
        or the sentence cannot be made of these names.
        """
        words = [_word(token) for token in tokens]
        for needed in (self.about, self.verbs):
            if needed and needed.isdisjoint(words):
                return None
        known = self.about | self.verbs | self.others | lexicon.SAYS_NOTHING
        terms = [at for at, token in enumerate(tokens) if token.kind == "term"]
        names = [at for at in terms if words[at] not in known]
        if not all(_may_be_named(tokens, words, at) for at in names):
            return None
        sentence = self.sentence_of(_Reading(tokens, words, names))
        if sentence is None and not names:
            # "log when run is called": a known word stands where a name does.
            names = [
                at
                for at in terms
                if words[at] in lexicon.ALSO_NAMES and _is_led(words[at - 1 : at], at)
            ]
            sentence = self.sentence_of(_Reading(tokens, words, names)) if len(names) == 1 else None
        return sentence


def _is_led(before: list[str], at: int) -> bool:
    """Whether the word before ``at`` is one that stands before names, such as "when"."""
    return at > 0 and before[0] in lexicon.BEFORE_A_VERB


def _may_be_named(tokens: list[EnglishToken], words: list[str], at: int) -> bool:
    """Whether the token is quoted, a value, like code, or stands where names do. Never for words that are no names, nor
    for plurals unless they are like code or a module's name; quoted ones and values may in any case.

    words: of all tokens, in lower case. at: the token's index.
    """
    token = tokens[at]
    if token.quoted or any(pattern.fullmatch(token.text) for pattern in lexicon.VALUES):
        return True
    is_plural = (
        re.search("[^s]s$", words[at])
        and words[at] not in lexicon.MODULES
        and not is_code_like(token.text)
    )
    if words[at] in lexicon.NO_NAMES or is_plural:
        return False
    before, after = words[at - 1] if at else "", words[at + 1] if at + 1 < len(words) else ""
    is_led = before in lexicon.BEFORE_A_NAME or before in KINDS
    is_owner = _unowned(token) != token.text
    is_code = is_code_like(token.text) and (at > 0 or not token.text.istitle())  # no "Updated"
    return is_code or is_led or is_owner or after in lexicon.AFTER_A_NAME


def _word(token: EnglishToken) -> str:
    """The word in lower case; empty for what is quoted and for marks."""
    return "" if token.quoted or token.kind != "term" else _unowned(token).lower()


def _unowned(token: EnglishToken) -> str:
    """The token's text without a possessive: ``run`` of "run's"; unchanged if quoted, or a word that says nothing
    ("it's").
    """
    if token.quoted or token.text.lower() in lexicon.SAYS_NOTHING:
        return token.text
    return re.sub(r"(?<=\w)['’]s$", "", token.text)


# The kinds of edits


def _import(reading: _Reading) -> str | None:
    """``import NAME`` or ``import NAME from MODULE``.

    ``None`` unless one name is left that is quoted, dotted or a known module, or two, of which exactly one stands after
    "from", "of" or "out"; also if "import" or the like is a noun ("in load").
    """
    if re.search(r"\b(?:in|of|inside) (?:load|import|pull|grab)\b", " ".join(reading.words)):
        return None  # a function that is called so
    if len(reading.names) == 1:
        name, token = reading.name(), reading.tokens[reading.names[0]]
        return (
            f"import {name}"
            if name and (token.quoted or "." in name or name in lexicon.MODULES)
            else None
        )
    if len(reading.names) != 2:
        return None
    modules = [at for at in reading.names if reading.before(at) in ("from", "of", "out")]
    items = [at for at in reading.names if at not in modules]
    texts = [_unowned(reading.tokens[at]) for at in (*items, *modules)]
    if len(modules) != 1 or not all(map(A_NAME.fullmatch, texts)):
        return None
    return f"import {texts[0]} from {texts[1]}"


def _docstring(reading: _Reading) -> str | None:
    """``add a docstring to NAME``, with a text in quotes if there is one, which is taken from the reading's names.

    ``None`` if not one name is left, two texts are quoted, the docstring is to go, or the words say that there is one.
    """
    texts = reading.take(
        lambda token: token.quoted in ('"', "'") and not A_NAME.fullmatch(token.text)
    )
    name = reading.name()
    if reading.says(lexicon.DELETE):
        return None
    is_fact = reading.says(lexicon.FIX | lexicon.HAS) and not reading.says(
        lexicon.LACKING | lexicon.WRITE
    )
    if name is None or len(texts) > 1 or is_fact:
        return None
    return (
        f"add a docstring {quoted(texts[0])} to {name}" if texts else f"add a docstring to {name}"
    )


def _log_call(reading: _Reading) -> str | None:
    """``add a logging LEVEL call to NAME``, without the level if none is named. Takes the level from the reading's
    names.

    ``None`` if not one other name is left, two levels are named, or the words exclude a level.
    """
    levels = reading.take(lambda token: _level(token.text) in lexicon.LEVELS)
    name = reading.name()
    if name is None or len(levels) > 1 or lexicon.NO_LEVEL.search(" ".join(reading.words)):
        return None
    return f"add a logging {_level(levels[0]) if levels else ''} call to {name}".replace("  ", " ")


def _try(reading: _Reading) -> str | None:
    """``catch ERROR in NAME and return VALUE``, or ``wrap the body of NAME in try/except ERROR``. Takes error and value
    from the reading's names.

    ``None`` if not one other name is left, two errors are named, there is not one value beside the word "return", a
    value has no error, or nothing speaks of errors. Without "return" nothing is taken for a value.
    """
    is_returning = reading.says(lexicon.RETURN)
    errors = reading.take(lambda token: lexicon.ERROR.fullmatch(token.text) is not None)
    values = reading.take(
        lambda token: is_returning and lexicon.VALUE.fullmatch(token.text) is not None
    )
    name = reading.name()
    if name is None or len(errors) > 1 or len(values) != is_returning:
        return None
    if values and errors:
        return f"catch {errors[0]} in {name} and return {values[0]}"
    if values or not (errors or reading.says(lexicon.TRY)):
        return None
    return f"wrap the body of {name} in try/except {''.join(errors)}".rstrip()


def _type_hint(reading: _Reading) -> str | None:
    """``add the return type TYPE to NAME``, or ``add the type hint TYPE to PARAMETER of NAME``. Takes the type from the
    reading's names.

    ``None`` if not one type is named; if not one other name is left for a return type, or two for a parameter's; if no
    possessive and no "of", "in" or the like says which of the two is the function; or if the words say of a return type
    that something is taken, too.
    """
    hint = _union(reading) or reading.take(
        lambda token: lexicon.TYPE.fullmatch(token.text) is not None
    )
    if len(hint) != 1 or _NAMES_TWO.search(" ".join(reading.words)):
        return None
    if reading.says(lexicon.RETURN):
        if reading.says(_TAKING):
            return None  # the type is that of a parameter, too
        name = reading.name()
        return f"add the return type {hint[0]} to {name}" if name else None
    if len(reading.names) != 2:
        return None
    first, second = reading.names
    texts = [_unowned(reading.tokens[at]) for at in reading.names]
    is_owned = texts[0] != reading.tokens[first].text or reading.before(first) in (
        "for",
        "of",
        "in",
    )
    if reading.before(second) in ("of", "in", "to") and not is_owned:
        parameter, owner = texts
    elif is_owned:
        owner, parameter = texts
    else:
        return None
    if not all(map(A_NAME.fullmatch, texts)):
        return None
    return f"add the type hint {hint[0]} to {parameter} of {owner}"


def _union(reading: _Reading) -> list[str]:
    """Take the tokens of a union, ``str | None``, from the names, and return its text alone; empty
    if there is not exactly one bar between two tokens.
    """
    bars = [at for at, token in enumerate(reading.tokens) if token.text == "|"]
    if len(bars) != 1 or not 0 < bars[0] < len(reading.tokens) - 1:
        return []
    places = range(bars[0] - 1, bars[0] + 2)
    reading.names[:] = [at for at in reading.names if at not in places]
    return [" ".join(reading.tokens[at].text for at in places)]


def _rename(reading: _Reading) -> str | None:
    """``rename OLD to NEW``.

    ``None`` if ``_old_and_new`` finds no pair of names, one is a style of writing ("snake_case"), or the words speak of
    texts or files. Also unless they speak of names: beside a verb like "rename", one name looks like code, or its kind
    or a spelling mistake is mentioned; beside another word for naming both look like code or both are in quotes; else
    both look like code and are plain names. Two names in straight quotes need a word for a kind of name.
    """
    pair = _old_and_new(reading, lambda token: A_NAME.fullmatch(_unowned(token)) is not None)
    if pair is None or any(map(CASE_STYLE.fullmatch, pair)):
        return None
    tokens = [reading.tokens[at] for at in reading.names]
    code_like = [token.quoted == "`" or is_code_like(token.text) for token in tokens]
    if reading.says(lexicon.RENAME):
        is_rename = any(code_like) or reading.says(KINDS) or reading.says(lexicon.MISSPELLED)
    elif reading.says(lexicon.NAMING):  # "call close when it is done"
        is_rename = all(code_like) or all(token.quoted for token in tokens)
    else:
        is_rename = all(code_like) and all(
            map(lexicon.PLAIN_NAME.fullmatch, pair)
        )  # no "TypeScript"
    if not is_rename or reading.says(lexicon.OF_TEXT) or reading.says(lexicon.FILES):
        return None
    if all(token.quoted in ('"', "'") for token in tokens) and not reading.says(lexicon.OF_NAMES):
        return None
    return f"rename {pair[0]} to {pair[1]}"


def _text(reading: _Reading) -> str | None:
    """``replace 'OLD' with 'NEW'`` of two texts in straight quotes; ``None`` if ``_old_and_new`` finds no such pair, or
    the words speak of naming.
    """
    pair = _old_and_new(reading, lambda token: token.quoted in ('"', "'"))
    if pair is None or reading.says(lexicon.NAMING):
        return None
    return f"replace {quoted(pair[0])} with {quoted(pair[1])}"


def _old_and_new(reading: _Reading, fits: Callable[[EnglishToken], bool]) -> tuple[str, str] | None:
    """The old and the new text of the two names that are left, without possessives.

    ``None`` if there are not two, one does not fit, a word makes an exception, or the words between (and verbs before)
    do not say which is the old one, as "to" and "instead of" do.
    """
    if excepts(" ".join(reading.words)):
        return None
    if len(reading.names) != 2 or not all(fits(reading.tokens[at]) for at in reading.names):
        return None
    first, second = reading.names
    texts = _unowned(reading.tokens[first]), _unowned(reading.tokens[second])
    before, between = (
        reading.words[:first],
        " ".join(filter(None, reading.words[first + 1 : second])),
    )
    is_traded = not lexicon.TRADE.isdisjoint(before)
    new_first = bool(lexicon.NEW_FIRST.search(between))
    new_first |= not is_traded and bool(lexicon.FOR.search(between))
    if between.endswith("as") and not lexicon.MISSPELLED.isdisjoint(before):
        new_first = True
    old_first = lexicon.OLD_FIRST.search(between) or (is_traded and lexicon.FOR.search(between))
    if new_first and "over to" not in between:
        return texts[::-1]
    return texts if old_first else None


def _level(text: str) -> str:
    """The level without ``logging.`` and ``-level``, in lower case."""
    return text.lower().removeprefix("logging.").removesuffix("-level")


_SUBJECTS = (
    _Subject(
        words_of("import imports imported importing nameerror pull bring grab load available"),
        lexicon.ADD
        | words_of(
            "import imported importing pull bring available require requires load grab nameerror"
        ),
        words_of("statement line below above other others name package library among from"),
        _import,
    ),
    _Subject(
        words_of("docstring docstrings doc docs document documented undocumented documentation"),
        lexicon.ADD | words_of("document documented undocumented explain describe docstring docs"),
        words_of(
            "explain explains describes describe what purpose words reading text comment reads"
        ),
        _docstring,
    ),
    _Subject(
        words_of("log logs logging logged logger")
        | frozenset(f"logging.{level}" for level in lexicon.LEVELS),
        lexicon.ADD | words_of("log logs logged trace see visible emit leave record logging"),
        words_of(
            """
            off call calls called calling run runs running enter enters entered entering entry message line statement level
            output trace record visible fact time happens how often can't
            """
        ),
        _log_call,
    ),
    _Subject(
        words_of("catch caught handle handled") | lexicon.TRY | lexicon.RETURN,
        words_of(
            """
            add insert put use using guard wrap wrapped wrapping surround surrounded enclose enclosed protect catch caught
            catching handle handled handling handles swallow run raise raised raises except fix missing happens
            occurs comes
            """
        )
        | lexicon.RETURN,
        words_of(
            """
            block statement clause what doing exception exceptions error handling against happens occurs comes case
            again instead if that an not raising yet
            """
        )
        | lexicon.RETURN,
        _try,
    ),
    _Subject(
        words_of(
            "type types hint hints hinted annotate annotated annotation annotations signature typed returns returning"
        ),
        _ANY,
        lexicon.ADD
        | lexicon.RETURN
        | words_of(
            "mark reflect declare note know checkers checker parameter argument param arg takes take down what value"
        ),
        _type_hint,
    ),
    _Subject(
        lexicon.NAMING | lexicon.CHANGE,
        _ANY,
        lexicon.JUDGED | lexicon.CHANGE | lexicon.NAMING,
        _rename,
    ),
    _Subject(lexicon.CHANGE | lexicon.JUDGED, _ANY, lexicon.JUDGED | lexicon.CHANGE, _text),
)
