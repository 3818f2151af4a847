"""Gives the value that a sentence is about, by whatever words of its, another one.

a.py, "deploys time out, 60s is not enough, give it 180"::

    TIMEOUT = 60
    RETRIES = 3

becomes::

    TIMEOUT = 180
    RETRIES = 3

a.yaml, "pods get OOMKilled, memory limit to 512Mi"::

    limits:
      memory: 256Mi
    requests:
      memory: 128Mi

becomes::

    limits:
      memory: 512Mi
    requests:
      memory: 128Mi

Words of a sentence speak for a value if they mean a word of its name, of what it stands in, or beside it. It is changed where the
words speak for it more than for any other value of the kind, and each word that has to name something does.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise

from editd.intent.intents import SetByWords
from editd.refactor.amounts import (
    SECONDS,
    UNITS,
    as_amount,
    bare_value,
    converted,
    number_of,
    percent,
    replaced,
    unit_of,
)
from editd.refactor.candidates import Candidates, with_spans
from editd.refactor.entries import is_program
from editd.refactor.set_setting import as_value, is_alike
from editd.refactor.spots import Spot, spots_of, words_around
from editd.refactor.word_stems import means, parts_of_names, stem
from editd.syntax.code import Code

_KINDS = (
    ("truth", r"(?i:true|false|yes|no|on|off)"),
    ("number", r"-?(?:0[xXbBoO][\da-fA-F_]+|\d[\d_]*(?:\.\d+)?(?:[eE][-+]?\d+)?)[fFLlu]?"),
    ("version", r"v?\d+(?:\.[\dx*]+){2,}[\w.-]*|v\d+(?:\.\d+)*"),
    ("measure", r"-?\d[\d.]*(?:[a-zA-Zµ]+|%)"),
    ("colour", r"#[0-9a-fA-F]{3,8}"),
    ("url", r"[a-z][\w+.-]*://.+"),
    ("email", r"[\w.+-]+@[\w-]+(?:\.[\w-]+)+"),
    ("path", r"[~.]{0,2}/[\w./@-]*"),
    ("action", r"[\w./-]+@v?\d[\w.]*"),
    ("image", r"[\w./-]+:v?[\w.-]+"),
    ("file", r"[\w-]+(?:/[\w.-]+)*\.(?:[a-z]{1,5}|[a-z]+\d)"),
    ("host", r"[\w-]+(?:\.[\w-]+)+"),
    ("path", r"[\w.-]+(?:/[\w.-]+)+/?"),
    ("word", r"[\w-]+"),
)
_LIKE = (
    {"host", "file", "image"},
    {"file", "path"},
    {"number", "version"},
    {"word", "host"},
    {"version", "word"},
)
_OF_FILES = frozenset(["dir", "directory", "folder", "path", "file"])
_SCHEMES = ("http", "https", "ws", "wss")
_LONGEST_INITIALS = 4
_SMALL = frozenset(
    "a an and as at by for from in is it no not of off on or out over per the to up with".split()  # noqa: SIM905
)
"""Words that names have as well, and that say nothing in a sentence."""
_TEXTS = ("yaml", "bash", "zsh", "dockerfile", "makefile")
"""Languages in which a switch may be 0 or 1."""


def set_by_words(intent: SetByWords, code: Code, path: str = "") -> Candidates | None:
    """The text with the new value in the one place that the words speak for most, as a certain candidate; ``None`` if there is
    none, several are alike, it has that value, or a needed word names neither it nor what it stands in.

    Settings, constants and defaults come before other values. A value whose words do not fit the new one's kind and unit is none.
    path: of the file, whose words may be in the request, too.
    """
    fitting = [
        (spot, written)
        for spot in spots_of(code)
        if (written := written_value(intent, spot, code)) is not None
    ]
    similar = [spot for spot, _ in fitting if are_similar(intent.new, bare_value(spot, code))]
    ranked = []
    for spot, written in fitting:
        rank = _rank(
            intent,
            spot,
            code,
            is_similar=spot in similar and len({bare_value(x, code) for x in similar}) == 1,
        )
        if rank is not None:
            ranked.append((rank, spot, written))
    if not ranked:
        return None
    best = max(rank for rank, _, _ in ranked)
    chosen = [(spot, written) for rank, spot, written in ranked if rank == best]
    if (
        intent.count not in (-1, len(chosen))
        or len({code.text[x.start : x.end] for x, _ in chosen}) != 1
    ):
        return None
    spot, written = chosen[0]
    if (
        best.was
        and intent.count == -1
        and not _stands_once(bare_value(spot, code), len(chosen), code)
    ):
        return None  # all of them are meant, also those in longer texts
    if best.was and any(
        _is_rival(x, intent, code) for x, _ in fitting if x not in {y for y, _ in chosen}
    ):
        return None
    if not (best.was or best.named or best.is_whole) and _has_a_function(
        intent, spot, fitting, code
    ):
        return None
    if written == code.text[spot.start : spot.end] or not _explains(intent, spot, code, path, best):
        return None
    spans = [(spot.start, spot.end, written) for spot, written in chosen]
    return Candidates((with_spans(code.text, spans),), is_certain=True)


@dataclass(frozen=True, slots=True, order=True)
class _Rank:
    """How much speaks for a value, the weightiest first: its written name, that it resembles the new one, that it is a setting,
    the old value, words of its own name, that no word of its name is left unsaid, words around it. was: the request has the old value.
    """

    named: int
    is_similar: bool
    is_setting: bool
    score: int
    is_whole: bool
    around: int
    was: bool


def _rank(intent: SetByWords, spot: Spot, code: Code, *, is_similar: bool) -> _Rank | None:
    """How much speaks for a value; ``None`` if nothing does: no word of its own name, nor its old value. is_similar: it is the only
    value that resembles the new one.
    """
    words = _parts(intent.words)
    own = {word for word in words if word not in _SMALL and means(word, spot.own)}
    own |= joined_words(words, spot.own)
    blocks = {
        x.name for x in code.definitions if x.is_block
    }  # "MAX = 7" sets no parameter of MAX()
    named = sum(
        name in intent.words and name not in blocks
        for name in spot.names
        if _is_written_as_code(name)
    )
    was = says_value(intent, spot, code)
    if not own and blocks & {*intent.words} & {*filter(_is_written_as_code, intent.words)}:
        return None
    by_unit = bool(intent.unit) and (
        bool(_named_unit(spot)) if intent.unit in UNITS else means(intent.unit.lower(), spot.near)
    )
    if not (own or was or named or by_unit or is_similar):
        return None
    is_text = kind_of_value(intent.new) in ("", "word", "image", "action", "version")
    if (
        is_text
        and not spot.is_setting
        and not was
        and code.text[spot.start] in "\"'`"
        and is_program(code)
    ):
        return None
    around = {
        word for word in words if word not in own and (means(word, spot.outer) or word in spot.near)
    }
    old = bare_value(spot, code)
    if was and not (own or named or by_unit) and _is_name(old) and not _is_quoted(old, intent.text):
        return None  # "user_id should be unique" is about what is called so
    if (
        was
        and not (own or named or by_unit)
        and not _stands_once(bare_value(spot, code), intent.count, code)
    ):
        return None
    is_whole = not was and all(any(means(word, [part]) for word in words) for part in spot.own)
    is_telling = was or named or is_whole or intent.new in _SCHEMES
    if intent.is_word and not (intent.needed or is_telling):
        return None  # a reason has a word of it: "node is old, use bun"
    return _Rank(
        named,
        is_similar,
        spot.is_setting or was,
        2 * was + len(own) + by_unit,
        is_whole,
        len(around),
        was,
    )


def _has_a_function(
    intent: SetByWords, spot: Spot, fitting: Sequence[tuple[Spot, str]], code: Code
) -> bool:
    """Whether a function is called by a word of the request and has a value that may be meant, the spot standing outside: "shipping costs
    5.95" is about ``shipping()``, not about ``FREE_SHIPPING_FROM``.
    """
    words = {x.lower() for x in intent.words}
    for block in code.definitions:
        if block.is_block and block.name.lower() in words:
            inside = range(block.start, block.end)
            numbers = [code.text.count("\n", 0, x.start) for x, _ in fitting]
            own = code.text.count("\n", 0, spot.start)
            if own not in inside and any(number in inside for number in numbers):
                return True
    return False


def _is_rival(spot: Spot, intent: SetByWords, code: Code) -> bool:
    """Whether another value is the old one, too, and words of the request are about it."""
    if not says_value(intent, spot, code) or len(bare_value(spot, code)) == 0:
        return False
    return any(means(word, spot.own | spot.outer) for word in _parts(intent.needed))


def _parts(words: tuple[str, ...]) -> list[str]:
    """The parts of words, in lower case and order."""
    return [part for word in words for part in parts_of_names(word)]


def joined_words(parts: list[str], names: frozenset[str]) -> set[str]:
    """The parts that are one of these names together with the part behind or before them ("time" and "out" for "timeout"), of which
    it has the initials ("learning rate" for "lr"), or that are two of them in one ("loglevel").
    """
    stems = {stem(name) for name in names}
    found = {
        x
        for pair in pairwise(parts)
        if stem(pair[0].removesuffix("s") + pair[1]) in stems
        for x in pair
    }
    for name in names:
        if 1 < len(name) <= _LONGEST_INITIALS:
            size = len(name)
            windows = (parts[n : n + size] for n in range(len(parts) - size + 1))
            found.update(
                x for window in windows if "".join(x[0] for x in window) == name for x in window
            )
    return found | {
        x for x in parts if any(x in (a + b, b + a) for a in names for b in names if a != b)
    }


def _is_written_as_code(name: str) -> bool:
    """Whether a name can hardly be an English word."""
    return re.search(r"[_\d.$-]|[a-z][A-Z]|^[A-Z]{2,}$", name) is not None


def _is_name(text: str) -> bool:
    """Whether a text is a name that can hardly be an English word."""
    return text.isidentifier() and "_" in text


def _is_quoted(old: str, text: str) -> bool:
    """Whether a text stands in quotes in a request."""
    return re.search(rf"[`'\"]{re.escape(old)}[`'\"]", text) is not None


def says_value(intent: SetByWords, spot: Spot, code: Code) -> bool:
    """Whether the request mentions the present value, or the telling part of an address."""
    old = bare_value(spot, code)
    if old in intent.words and (len(old) > 1 or not old.isalpha()):
        return True
    if re.search(r"\w\W+\w|^\W{1,2}$", old) and re.search(
        rf"(?<!\w){re.escape(old)}(?!\w)", intent.text
    ):
        return (
            (old.strip() != "" and old not in ",;:.!?")
            or f"'{old}'" in intent.text
            or f'"{old}"' in intent.text
        )
    if kind_of_value(old) in ("email", "url", "host", "image"):
        parts = {x for x in re.split(r"[/@:]|\.(?=\w+$)", old) if len(x) > 3}
        if parts & {*intent.words} or parts & {x.rstrip(".") for x in intent.words}:
            return True
    unit = unit_of(spot, code)
    for amount, of in intent.was:
        if amount == old or amount + of == old:
            return True
        if (
            number_of(old) is not None
            and of in SECONDS
            and unit
            and converted(amount, of, unit) == old
        ):
            return True
    return False


def _explains(intent: SetByWords, spot: Spot, code: Code, path: str, rank: _Rank) -> bool:
    """Whether each needed word means the value, something around or beside it, or what the text as a whole is about, and no other amount
    is left that is neither the old nor the new value.

    Of the only value that resembles the new one the words may be any; of one that all words of its name speak for, or the old value and
    a word around it, those that the text does not have.
    """
    topic = topic_of(code) | set(parts_of_names(path))
    joined = joined_words(_parts(intent.words), spot.own)
    near = spot.own | spot.outer | spot.near | topic | words_around(spot, code)
    text = code.text[spot.start : spot.end]
    near |= {*parts_of_names(text), *parts_of_names(intent.new)}
    names = {name.lower() for name in code.names}
    if any(
        _is_written_as_code(x)
        and x.lower() in names
        and x not in spot.names
        and not set(parts_of_names(x)) <= near
        for x in intent.words
    ):
        return False
    is_old_one = rank.was and rank.around > 0 and number_of(intent.new) is not None
    is_telling = is_old_one or (rank.is_whole and len(spot.own) > 1)
    for word in intent.needed if not rank.is_similar else ():
        parts = [x for x in parts_of_names(word) or [word] if not (x in joined or means(x, near))]
        if parts and not (is_telling and not any(means(x, _all_words(code)) for x in parts)):
            return False
    old = bare_value(spot, code)
    unit = unit_of(spot, code)
    return all(
        amount in (old, intent.new)
        or amount + of == old
        or (
            intent.unit in ("%", "percent")
            and number_of(amount) is not None
            and percent(amount) == old
        )
        or (len(amount) > 1 and re.search(rf"(?<!\d){re.escape(amount)}(?!\d)", old) is not None)
        or (
            of in SECONDS and not unit and intent.new in [converted(amount, of, x) for x in SECONDS]
        )
        or (
            of in SECONDS
            and bool(unit)
            and converted(amount, of, unit)
            in (old, converted(intent.new, intent.unit or unit, unit))
        )
        for amount, of in intent.was
    )


@lru_cache(maxsize=2)
def _all_words(code: Code) -> frozenset[str]:
    """The words of a text and of its names; the last two answers are cached."""
    return frozenset(parts_of_names(code.text))


def topic_of(code: Code) -> set[str]:
    """The words of the comment or docstring at the beginning of a text."""
    found = re.match(
        r"\s*(?:#!.*\n)?\s*(?:[\"']{3}(?P<doc>[^\"']*)|(?P<comment>(?:(?:#|//|/\*|\*)[^\n]*\n)+))",
        code.text,
    )
    return set(parts_of_names((found["doc"] or found["comment"] or "").lower())) if found else set()


def _stands_once(text: str, count: int, code: Code) -> bool:
    """Whether a text stands as a word so often as values are meant."""
    return count == -1 or len(re.findall(rf"(?<!\w){re.escape(text)}(?!\w)", code.text)) == count


def are_similar(new: str, old: str) -> bool:
    """Whether two addresses, paths or files have a part in common: a folder, a domain, a file's name or ending, an image's name."""
    if kind_of_value(new) not in (
        "url",
        "email",
        "path",
        "image",
        "action",
        "file",
        "host",
    ) or kind_of_value(new) != kind_of_value(old):
        return False
    first, second = ({x for x in re.split(r"[/@:]", text) if len(x) > 2} for text in (new, old))
    ends = [re.search(r"\.\w+$", text) for text in (new, old)]
    is_of_ending = ends[0] is not None and ends[1] is not None and ends[0][0] == ends[1][0]
    return bool((first & second) - {"http", "https"}) or is_of_ending


def _named_unit(spot: Spot) -> str:
    """The unit of time that a value's own name has; empty for none."""
    return next((UNITS[x] for x in spot.own if x in UNITS and (len(x) > 1 or x == "s")), "")


def kind_of_value(value: str) -> str:
    """The kind of a value by its form; empty for other texts."""
    return next((kind for kind, form in _KINDS if re.fullmatch(form, value)), "")


def written_value(intent: SetByWords, spot: Spot, code: Code) -> str | None:
    """The new value as it is written in the place of the old one; ``None`` if it is of another kind or measured in another unit."""
    old = code.text[spot.start : spot.end]
    bare = old.strip("\"'`")
    new = intent.new
    if not bare:
        return None
    old_kind, new_kind = kind_of_value(bare), kind_of_value(new)
    if new_kind in ("number", "measure") and old_kind in ("number", "measure"):
        return as_amount(intent, spot, bare, old, code)
    if (
        bare in ("0", "1")
        and new_kind == "truth"
        and (not is_program(code) or code.language in _TEXTS)
    ):
        return replaced(old, bare, str(int(new == "true")))
    if old_kind == "truth" and new_kind == "truth":
        return as_value(old, new, is_quoted=False, code=code)
    if old_kind == "url" and new in _SCHEMES and bare.split("://")[0] in _SCHEMES:
        return replaced(old, bare, f"{new}://{bare.split('://', 1)[1]}")
    if re.fullmatch(r"[<>=~^!]+ ?v?\d[\w.]*", bare) and new_kind in ("number", "version"):
        return as_value(old, new, is_quoted=False, code=code)
    if (old_kind, new_kind) == ("word", "path") and spot.own & _OF_FILES:
        return as_value(old, new, is_quoted=intent.is_quoted, code=code)
    if {old_kind, new_kind} == {"word", "path"} and re.fullmatch(
        r"[A-Z]\w+/[A-Z]\w+|[A-Z]\w+", new
    ):
        return as_value(old, new, is_quoted=intent.is_quoted, code=code)  # a time zone
    is_like = old_kind == new_kind != "" or any({old_kind, new_kind} <= group for group in _LIKE)
    if intent.is_quoted and old[0] in "\"'`" and new_kind not in ("number", "truth"):
        is_like = True
    if (
        not is_like
        or "truth" in (old_kind, new_kind)
        or (old_kind == "number" and new_kind != "version")
    ):
        return None
    if new_kind == "number" and old_kind == "version" and "." in bare.rstrip(".x*"):
        return None
    if (
        is_program(code)
        and old[0] not in "\"'`"
        and code.language not in ("bash", "zsh", "dockerfile", "makefile")
    ):
        return None
    if intent.is_word and not is_alike(old, f"{old[0]}{new}{old[0]}" if old[0] in "\"'" else new):
        return None
    if (
        old_kind == "url"
        and new.split("://")[0] != bare.split("://")[0]
        and not {new.split("://")[0], bare.split("://")[0]} <= {"http", "https"}
    ):
        return None
    return as_value(old, new, is_quoted=intent.is_quoted, code=code)
