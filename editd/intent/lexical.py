"""What an unusual sentence asks for, told by the words in it, in whatever order they stand.

``table`` knows sentences, this knows words. Each word must be accounted for: it says what is done, or to what, it is
a name, or it says nothing. One word that is none of these, and nothing is understood: "delete the comments of the
parser" is about more than comments. Nor is what two kinds of edit could mean. The answer is a without_politeness sentence, for the
table to read; users are shown it. Knows no buffer. Standard library only.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass

from editd.intent import lexicon as lists
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


def lexical_reading(instruction: str) -> str | None:
    """The same request as a without_politeness sentence, if one kind of edit can be meant."""
    tokens = [
        token
        for token in tokens_of(without_politeness(instruction))
        if token.text not in ("(", ")")
    ]
    if lists.DENIED.match(instruction) or len(tokens) > lists.LONGEST:
        return None
    if any(token.kind == "arrow" for token in tokens):
        return None
    said = {sentence for subject in _SUBJECTS if (sentence := subject.sentence(tokens))}
    return said.pop() if len(said) == 1 else None


@dataclass(frozen=True, slots=True)
class _Words:
    """An instruction as one subject hears it. names: the places of tokens that no word accounts for."""

    tokens: list[EnglishToken]
    words: list[str]
    names: list[int]

    def says(self, words: frozenset[str]) -> bool:
        return not words.isdisjoint(self.words)

    def take(self, fits: Callable[[EnglishToken], bool]) -> list[str]:
        """The texts of the names that fit; they are names no more."""
        taken = [at for at in self.names if fits(self.tokens[at])]
        self.names[:] = [at for at in self.names if at not in taken]
        return [_unowned(self.tokens[at]) for at in taken]

    def name(self) -> str | None:
        """The one name of a program that is left."""
        name = _unowned(self.tokens[self.names[0]]) if len(self.names) == 1 else ""
        return name if A_NAME.fullmatch(name) else None

    def before(self, at: int) -> str:
        """The word before, articles and words like "function" passed over."""
        words = (w for w in reversed(self.words[:at]) if w not in lists.ARTICLES and w not in KINDS)
        return next(words, "")


@dataclass(frozen=True, slots=True)
class _Subject:
    """One kind of edit.

    about: what it is done to; verbs: what is done: one of each is said, of empty sets none need be. beside: words
    that may stand beside them. sentence_of: the without_politeness sentence, ``None`` where it cannot be meant.
    """

    about: frozenset[str]
    verbs: frozenset[str]
    beside: frozenset[str]
    sentence_of: Callable[[_Words], str | None]

    def sentence(self, tokens: list[EnglishToken]) -> str | None:
        words = [_word(token) for token in tokens]
        for needed in (self.about, self.verbs):
            if needed and needed.isdisjoint(words):
                return None
        known = self.about | self.verbs | self.beside | lists.SAYS_NOTHING
        terms = [at for at, token in enumerate(tokens) if token.kind == "term"]
        names = [at for at in terms if words[at] not in known]
        if not all(_may_be_named(tokens, words, at) for at in names):
            return None
        sentence = self.sentence_of(_Words(tokens, words, names))
        if sentence is None and not names:
            # "log when run is called": a known word stands where a name does.
            names = [
                at
                for at in terms
                if words[at] in lists.ALSO_NAMES and _is_led(words[at - 1 : at], at)
            ]
            sentence = self.sentence_of(_Words(tokens, words, names)) if len(names) == 1 else None
        return sentence


def _is_led(before: list[str], at: int) -> bool:
    return at > 0 and before[0] in lists.BEFORE_A_VERB


def _may_be_named(tokens: list[EnglishToken], words: list[str], at: int) -> bool:
    """Whether the token is quoted, code, a value, or stands where names do."""
    token = tokens[at]
    if token.quoted or any(one.fullmatch(token.text) for one in lists.VALUES):
        return True
    is_plural = (
        re.search("[^s]s$", words[at])
        and words[at] not in lists.MODULES
        and not is_code_like(token.text)
    )
    if words[at] in lists.NO_NAMES or is_plural:
        return False
    before, after = words[at - 1] if at else "", words[at + 1] if at + 1 < len(words) else ""
    is_led = before in lists.BEFORE_A_NAME or before in KINDS
    is_owner = _unowned(token) != token.text
    is_code = is_code_like(token.text) and (at > 0 or not token.text.istitle())  # no "Updated"
    return is_code or is_led or is_owner or after in lists.AFTER_A_NAME


def _word(token: EnglishToken) -> str:
    """In lower case, empty for what is quoted and for marks."""
    return "" if token.quoted or token.kind != "term" else _unowned(token).lower()


def _unowned(token: EnglishToken) -> str:
    """``run`` of "run's"."""
    if token.quoted or token.text.lower() in lists.SAYS_NOTHING:
        return token.text
    return re.sub(r"(?<=\w)['’]s$", "", token.text)


# --- kinds of edits -----------------------------------------------------------------------------------


def _import(words_: _Words) -> str | None:
    if len(words_.names) == 1:
        name, token = words_.name(), words_.tokens[words_.names[0]]
        return (
            f"import {name}"
            if name and (token.quoted or "." in name or name in lists.MODULES)
            else None
        )
    if len(words_.names) != 2:
        return None
    modules = [at for at in words_.names if words_.before(at) in ("from", "of", "out")]
    items = [at for at in words_.names if at not in modules]
    texts = [_unowned(words_.tokens[at]) for at in (*items, *modules)]
    if len(modules) != 1 or not all(map(A_NAME.fullmatch, texts)):
        return None
    return f"import {texts[0]} from {texts[1]}"


def _docstring(words_: _Words) -> str | None:
    texts = words_.take(
        lambda token: token.quoted in ('"', "'") and not A_NAME.fullmatch(token.text)
    )
    name = words_.name()
    if words_.says(lists.DELETE):
        return None
    is_fact = words_.says(lists.FIX | lists.HAS) and not words_.says(lists.LACKING | lists.WRITE)
    if name is None or len(texts) > 1 or is_fact:
        return None
    return (
        f"add a docstring {quoted(texts[0])} to {name}" if texts else f"add a docstring to {name}"
    )


def _log_call(words_: _Words) -> str | None:
    levels = words_.take(lambda token: _level(token.text) in lists.LEVELS)
    name = words_.name()
    if name is None or len(levels) > 1 or lists.NO_LEVEL.search(" ".join(words_.words)):
        return None
    return f"add a logging {_level(levels[0]) if levels else ''} call to {name}".replace("  ", " ")


def _try(words_: _Words) -> str | None:
    is_returning = words_.says(lists.RETURN)
    errors = words_.take(lambda token: lists.ERROR.fullmatch(token.text) is not None)
    values = words_.take(
        lambda token: is_returning and lists.VALUE.fullmatch(token.text) is not None
    )
    name = words_.name()
    if name is None or len(errors) > 1 or len(values) != is_returning:
        return None
    if values and errors:
        return f"catch {errors[0]} in {name} and return {values[0]}"
    if values or not (errors or words_.says(lists.TRY)):
        return None
    return f"wrap the body of {name} in try/except {''.join(errors)}".rstrip()


def _type_hint(words_: _Words) -> str | None:
    hint = _union(words_) or words_.take(lambda token: lists.TYPE.fullmatch(token.text) is not None)
    if len(hint) != 1:
        return None
    if words_.says(lists.RETURN):
        name = words_.name()
        return f"add the return type {hint[0]} to {name}" if name else None
    if len(words_.names) != 2:
        return None
    first, second = words_.names
    texts = [_unowned(words_.tokens[at]) for at in words_.names]
    is_owned = texts[0] != words_.tokens[first].text or words_.before(first) in ("for", "of", "in")
    if words_.before(second) in ("of", "in", "to") and not is_owned:
        parameter, owner = texts
    elif is_owned:
        owner, parameter = texts
    else:
        return None
    if not all(map(A_NAME.fullmatch, texts)):
        return None
    return f"add the type hint {hint[0]} to {parameter} of {owner}"


def _union(words_: _Words) -> list[str]:
    """The one type of several tokens: ``str | None``."""
    bars = [at for at, token in enumerate(words_.tokens) if token.text == "|"]
    if len(bars) != 1 or not 0 < bars[0] < len(words_.tokens) - 1:
        return []
    places = range(bars[0] - 1, bars[0] + 2)
    words_.names[:] = [at for at in words_.names if at not in places]
    return [" ".join(words_.tokens[at].text for at in places)]


def _rename(words_: _Words) -> str | None:
    pair = _exchange(words_, lambda token: A_NAME.fullmatch(_unowned(token)) is not None)
    if pair is None or any(map(CASE_STYLE.fullmatch, pair)):
        return None
    tokens = [words_.tokens[at] for at in words_.names]
    sure = [token.quoted == "`" or is_code_like(token.text) for token in tokens]
    if words_.says(lists.RENAME):
        is_meant = any(sure) or words_.says(KINDS) or words_.says(lists.MISSPELLED)
    elif words_.says(lists.NAMING):  # "call close when it is done"
        is_meant = all(sure) or all(token.quoted for token in tokens)
    else:
        is_meant = all(sure) and all(map(lists.PLAIN_NAME.fullmatch, pair))  # no "TypeScript"
    if not is_meant or words_.says(lists.OF_TEXT) or words_.says(lists.FILES):
        return None
    if all(token.quoted in ('"', "'") for token in tokens) and not words_.says(lists.OF_NAMES):
        return None
    return f"rename {pair[0]} to {pair[1]}"


def _text(words_: _Words) -> str | None:
    pair = _exchange(words_, lambda token: token.quoted in ('"', "'"))
    if pair is None or words_.says(lists.NAMING):
        return None
    return f"replace {quoted(pair[0])} with {quoted(pair[1])}"


def _exchange(words_: _Words, fits: Callable[[EnglishToken], bool]) -> tuple[str, str] | None:
    """The old and the new one of two that fit, if it is clear which is which and no word makes an exception."""
    if excepts(" ".join(words_.words)):
        return None
    if len(words_.names) != 2 or not all(fits(words_.tokens[at]) for at in words_.names):
        return None
    first, second = words_.names
    texts = _unowned(words_.tokens[first]), _unowned(words_.tokens[second])
    before, between = words_.words[:first], " ".join(filter(None, words_.words[first + 1 : second]))
    is_traded = not lists.TRADE.isdisjoint(before)
    new_first = bool(lists.NEW_FIRST.search(between))
    new_first |= not is_traded and bool(lists.FOR.search(between))
    if between.endswith("as") and not lists.MISSPELLED.isdisjoint(before):
        new_first = True
    old_first = lists.OLD_FIRST.search(between) or (is_traded and lists.FOR.search(between))
    if new_first and "over to" not in between:
        return texts[::-1]
    return texts if old_first else None


def _level(text: str) -> str:
    return text.lower().removeprefix("logging.").removesuffix("-level")


_ANY = frozenset[str]()
_SUBJECTS = (
    _Subject(
        words_of("import imports imported importing nameerror pull bring grab load available"),
        lists.ADD
        | words_of(
            "import imported importing pull bring available require requires load grab nameerror"
        ),
        words_of("statement line below above other others name package library among from"),
        _import,
    ),
    _Subject(
        words_of("docstring docstrings doc docs document documented undocumented documentation"),
        lists.ADD | words_of("document documented undocumented explain describe docstring docs"),
        words_of(
            "explain explains describes describe what purpose words reading text comment reads"
        ),
        _docstring,
    ),
    _Subject(
        words_of("log logs logging logged logger")
        | frozenset(f"logging.{one}" for one in lists.LEVELS),
        lists.ADD | words_of("log logs logged trace see visible emit leave record logging"),
        words_of(
            """
            off call calls called calling run runs running enter enters entered entering entry message line statement level
            output trace record visible fact time happens how often can't
            """
        ),
        _log_call,
    ),
    _Subject(
        words_of("catch caught handle handled") | lists.TRY | lists.RETURN,
        words_of(
            """
            add insert put use using guard wrap wrapped wrapping surround surrounded enclose enclosed protect catch caught
            catching handle handled handling handles swallow run raise raised raises except fix missing happens
            occurs comes
            """
        )
        | lists.RETURN,
        words_of(
            """
            block statement clause what doing exception exceptions error handling against happens occurs comes case
            again instead if that an not raising yet
            """
        )
        | lists.RETURN,
        _try,
    ),
    _Subject(
        words_of(
            "type types hint hints hinted annotate annotated annotation annotations signature typed returns returning"
        ),
        _ANY,
        lists.ADD
        | lists.RETURN
        | words_of(
            "mark reflect declare note know checkers checker parameter argument param arg takes take down what value"
        ),
        _type_hint,
    ),
    _Subject(
        lists.NAMING | lists.CHANGE, _ANY, lists.JUDGED | lists.CHANGE | lists.NAMING, _rename
    ),
    _Subject(lists.CHANGE | lists.JUDGED, _ANY, lists.JUDGED | lists.CHANGE, _text),
)
