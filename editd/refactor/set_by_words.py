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
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise

from editd.intent.intents import SetByWords
from editd.refactor.candidates import Candidates, with_spans
from editd.refactor.entries import is_program
from editd.refactor.set_setting import as_value, is_alike
from editd.refactor.spots import Spot, comment_beside, spots_of, words_around
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
_TYPED = frozenset(["go", "rust", "java", "c", "cpp", "csharp", "kotlin", "swift", "scala"])
_SECONDS = {"ms": 0.001, "s": 1.0, "min": 60.0, "h": 3600.0, "d": 86400.0, "w": 604800.0}
_UNITS = {
    **dict.fromkeys(("ms", "millis", "milliseconds", "millisecond", "msec"), "ms"), **dict.fromkeys(("s", "sec", "secs", "second", "seconds"), "s"),
    **dict.fromkeys(("min", "mins", "minute", "minutes"), "min"), **dict.fromkeys(("h", "hour", "hours"), "h"),
    **dict.fromkeys(("d", "day", "days"), "d"), **dict.fromkeys(("w", "week", "weeks"), "w"),
}  # fmt: skip
_CALLS = {
    "sleep_ms": "ms",
    "debounce": "ms",
    "throttle": "ms",
    "settimeout": "ms",
    "setinterval": "ms",
    "usleep": "us",
}
_IN_SECONDS = frozenset(
    ["ttl", "timeout", "expiry", "expires", "sleep", "keepalive", "wait", "delay", "cooldown"]
)
_IN_MILLISECONDS = frozenset(["timeout", "interval", "delay", "speed", "duration", "wait"])
_MILLISECONDS_BY_CUSTOM = frozenset(
    ["javascript", "typescript", "jsx", "tsx", "java", "csharp", "dart", "kotlin"]
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
_FAR = 20  # times as large: then another unit may be meant


def set_by_words(intent: SetByWords, code: Code, path: str = "") -> Candidates | None:
    """The text with the new value in the one place that the words speak for most, as a certain candidate; ``None`` if there is
    none, several are alike, it has that value, or a needed word names neither it nor what it stands in.

    Settings, constants and defaults come before other values. A value whose words do not fit the new one's kind and unit is none.
    path: of the file, whose words may be in the request, too.
    """
    fitting = [
        (spot, written)
        for spot in spots_of(code)
        if (written := _written(intent, spot, code)) is not None
    ]
    similar = [spot for spot, _ in fitting if _is_similar(intent.new, _bare(spot, code))]
    ranked = []
    for spot, written in fitting:
        rank = _rank(
            intent,
            spot,
            code,
            is_similar=spot in similar and len({_bare(x, code) for x in similar}) == 1,
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
    if best.was and any(
        _is_rival(x, intent, code) for x, _ in fitting if x not in {y for y, _ in chosen}
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
    own |= _joined(words, spot.own)
    blocks = {
        x.name for x in code.definitions if x.is_block
    }  # "MAX = 7" sets no parameter of MAX()
    named = sum(
        name in intent.words and name not in blocks
        for name in spot.names
        if _is_written_as_code(name)
    )
    was = _is_said(intent, spot, code)
    if not own and blocks & {*intent.words} & {*filter(_is_written_as_code, intent.words)}:
        return None
    by_unit = bool(intent.unit) and (
        bool(_named_unit(spot)) if intent.unit in _UNITS else means(intent.unit.lower(), spot.near)
    )
    if not (own or was or named or by_unit or is_similar):
        return None
    is_text = _kind(intent.new) in ("", "word", "image", "action", "version")
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
    old = _bare(spot, code)
    if was and not (own or named or by_unit) and _is_name(old) and not _is_quoted(old, intent.text):
        return None  # "user_id should be unique" is about what is called so
    if (
        was
        and not (own or named or by_unit)
        and not _stands_once(_bare(spot, code), intent.count, code)
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


def _is_rival(spot: Spot, intent: SetByWords, code: Code) -> bool:
    """Whether another value is the old one, too, and words of the request are about it."""
    if not _is_said(intent, spot, code) or len(_bare(spot, code)) == 0:
        return False
    return any(means(word, spot.own | spot.outer) for word in _parts(intent.needed))


def _parts(words: tuple[str, ...]) -> list[str]:
    """The parts of words, in lower case and order."""
    return [part for word in words for part in parts_of_names(word)]


def _joined(parts: list[str], names: frozenset[str]) -> set[str]:
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


def _is_said(intent: SetByWords, spot: Spot, code: Code) -> bool:
    """Whether the request mentions the present value, or the telling part of an address."""
    old = _bare(spot, code)
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
    if _kind(old) in ("email", "url", "host", "image"):
        parts = {x for x in re.split(r"[/@:]|\.(?=\w+$)", old) if len(x) > 3}
        if parts & {*intent.words} or parts & {x.rstrip(".") for x in intent.words}:
            return True
    unit = _unit_of(spot, code)
    for amount, of in intent.was:
        if amount == old or amount + of == old:
            return True
        if (
            _number(old) is not None
            and of in _SECONDS
            and unit
            and _converted(amount, of, unit) == old
        ):
            return True
    return False


def _explains(intent: SetByWords, spot: Spot, code: Code, path: str, rank: _Rank) -> bool:
    """Whether each needed word means the value, something around or beside it, or what the text as a whole is about, and no other amount
    is left that is neither the old nor the new value.

    Of the only value that resembles the new one the words may be any; of one that all words of its name speak for, or the old value and
    a word around it, those that the text does not have.
    """
    topic = _topic(code) | set(parts_of_names(path))
    joined = _joined(_parts(intent.words), spot.own)
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
    is_old_one = rank.was and rank.around > 0 and _number(intent.new) is not None
    is_telling = is_old_one or (rank.is_whole and len(spot.own) > 1)
    for word in intent.needed if not rank.is_similar else ():
        parts = [x for x in parts_of_names(word) or [word] if not (x in joined or means(x, near))]
        if parts and not (is_telling and not any(means(x, _all_words(code)) for x in parts)):
            return False
    old = _bare(spot, code)
    unit = _unit_of(spot, code)
    return all(
        amount in (old, intent.new)
        or amount + of == old
        or (
            intent.unit in ("%", "percent")
            and _number(amount) is not None
            and _percent(amount) == old
        )
        or (len(amount) > 1 and re.search(rf"(?<!\d){re.escape(amount)}(?!\d)", old) is not None)
        or (
            of in _SECONDS
            and not unit
            and intent.new in [_converted(amount, of, x) for x in _SECONDS]
        )
        or (
            of in _SECONDS
            and bool(unit)
            and _converted(amount, of, unit)
            in (old, _converted(intent.new, intent.unit or unit, unit))
        )
        for amount, of in intent.was
    )


@lru_cache(maxsize=2)
def _all_words(code: Code) -> frozenset[str]:
    """The words of a text and of its names; the last two answers are cached."""
    return frozenset(parts_of_names(code.text))


def _topic(code: Code) -> set[str]:
    """The words of the comment or docstring at the beginning of a text."""
    found = re.match(
        r"\s*(?:#!.*\n)?\s*(?:[\"']{3}(?P<doc>[^\"']*)|(?P<comment>(?:(?:#|//|/\*|\*)[^\n]*\n)+))",
        code.text,
    )
    return set(parts_of_names((found["doc"] or found["comment"] or "").lower())) if found else set()


def _stands_once(text: str, count: int, code: Code) -> bool:
    """Whether a text stands as a word so often as values are meant."""
    return count == -1 or len(re.findall(rf"(?<!\w){re.escape(text)}(?!\w)", code.text)) == count


def _bare(spot: Spot, code: Code) -> str:
    """The value without its quotes."""
    return code.text[spot.start : spot.end].strip("\"'`")


def _is_similar(new: str, old: str) -> bool:
    """Whether two addresses, paths or files have a part in common: a folder, a domain, a file's name or ending, an image's name."""
    if _kind(new) not in ("url", "email", "path", "image", "action", "file", "host") or _kind(
        new
    ) != _kind(old):
        return False
    first, second = ({x for x in re.split(r"[/@:]", text) if len(x) > 2} for text in (new, old))
    ends = [re.search(r"\.\w+$", text) for text in (new, old)]
    is_of_ending = ends[0] is not None and ends[1] is not None and ends[0][0] == ends[1][0]
    return bool((first & second) - {"http", "https"}) or is_of_ending


def _named_unit(spot: Spot) -> str:
    """The unit of time that a value's own name has; empty for none."""
    return next((_UNITS[x] for x in spot.own if x in _UNITS and (len(x) > 1 or x == "s")), "")


def _kind(value: str) -> str:
    """The kind of a value by its form; empty for other texts."""
    return next((kind for kind, form in _KINDS if re.fullmatch(form, value)), "")


def _written(intent: SetByWords, spot: Spot, code: Code) -> str | None:
    """The new value as it is written in the place of the old one; ``None`` if it is of another kind or measured in another unit."""
    old = code.text[spot.start : spot.end]
    bare = old.strip("\"'`")
    new = intent.new
    if not bare:
        return None
    old_kind, new_kind = _kind(bare), _kind(new)
    if new_kind in ("number", "measure") and old_kind in ("number", "measure"):
        return _as_amount(intent, spot, bare, old, code)
    if (
        bare in ("0", "1")
        and new_kind == "truth"
        and (not is_program(code) or code.language in _TEXTS)
    ):
        return _replaced(old, bare, str(int(new == "true")))
    if old_kind == "truth" and new_kind == "truth":
        return as_value(old, new, is_quoted=False, code=code)
    if old_kind == "url" and new in _SCHEMES and bare.split("://")[0] in _SCHEMES:
        return _replaced(old, bare, f"{new}://{bare.split('://', 1)[1]}")
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


def _as_amount(intent: SetByWords, spot: Spot, bare: str, old: str, code: Code) -> str | None:
    """The new amount as it is written in the place of the old one, in its unit; ``None`` if the units do not go together, or the
    new one is no whole number where the old one has to be.
    """
    new = re.fullmatch(r"(-?[\d_.xXa-fA-F]+?)([a-zA-Zµ]+|%)?", intent.new)
    own = re.fullmatch(r"(-?[\d_.]+)([a-zA-Zµ]+|%)", bare)
    if re.fullmatch(r"0[xX].*", bare) and not re.fullmatch(r"0[xX].*", intent.new):
        return None
    number, unit = (new[1], new[2] or intent.unit) if new else (intent.new, intent.unit)
    if (
        own and not re.fullmatch(r"0[xX].*", bare) and own[2] not in ("f", "F", "L", "l", "u")
    ):  # the value has a unit of its own
        if _UNITS.get(own[2]) and _UNITS.get(unit):
            number = _converted(number, _UNITS[unit], _UNITS[own[2]]) or ""
            return _replaced(old, bare, f"{number}{own[2]}") if number else None
        if not unit:
            is_given = any(
                bool(of)
                and (amount + of == bare or (amount == own[1] and _UNITS.get(own[2]) == of))
                for amount, of in intent.was
            )
            return _replaced(old, bare, f"{number}{own[2]}") if is_given else None
        return _replaced(old, bare, f"{number}{unit}") if _are_sizes(unit, own[2]) else None
    if unit in ("%", "percent") and re.fullmatch(r"0?\.\d+", bare) and old == bare:
        return _percent(number)
    if unit in ("%", "percent") and old != bare:
        return _replaced(old, bare, _percent(number)) if re.fullmatch(r"0\.\d+", bare) else None
    present = _unit_of(spot, code)
    if not unit and present and not _is_near(number, bare):
        unit = next(
            (
                of
                for amount, of in intent.was
                if of in _SECONDS and _converted(amount, of, present) == bare
            ),
            "",
        )
    if unit in _UNITS:
        unit = _UNITS[unit]
        if not present and (bare, "") in intent.was:
            present = unit  # "500 ms, 300 is too jumpy"
        if not present:
            return None
        number = _converted(number, unit, present) or ""
        if not re.fullmatch(r"\d+" if present != "s" else r"\d+(?:\.\d{1,3})?", number):
            return None
    elif (unit and present) or (
        not unit
        and present in ("ms", "us", "s", "min", "h")
        and not _is_near(number, bare)
        and not _says_unit(intent, present)
    ):
        return None
    if (
        "." in number
        and "." not in bare
        and (code.language in _TYPED or not _may_be_fraction(spot, code))
    ):
        return None
    if "." in bare and "." not in number and code.language == "rust":
        number += ".0"
    if (
        (cents := re.fullmatch(r"\d+(\.\d\d)", bare))
        and old != bare
        and re.fullmatch(r"\d+", number)
    ):
        number += "." + "0" * (len(cents[1]) - 1)  # a price
    suffix = re.search(r"[fFLlu]$", bare) if own else None
    return _replaced(old, bare, number + (suffix[0] if suffix else ""))


def _percent(number: str) -> str:
    """A number of percents as a fraction: "0.21" of "21"."""
    return f"{float(number) / 100:.6f}".rstrip("0")


def _may_be_fraction(spot: Spot, code: Code) -> bool:
    """Whether a whole number may become a fraction: it is a time, or no number of things."""
    return bool(_unit_of(spot, code)) or not is_program(code)


def _replaced(old: str, bare: str, new: str) -> str:
    """The new value in the quotes of the old one."""
    return old.replace(bare, new)


def _are_sizes(first: str, second: str) -> bool:
    """Whether two units measure the same: the same unit, or both bytes."""
    sizes = re.compile(r"[kKMGT]i?[bB]?|[bB]")
    return first.lower() == second.lower() or bool(
        sizes.fullmatch(first) and sizes.fullmatch(second)
    )


def _is_near(new: str, old: str) -> bool:
    """Whether two numbers are of about the same size."""
    first, second = _number(new), _number(old)
    if not first or not second:
        return first is not None and second is not None
    return 1 / _FAR <= first / second <= _FAR


def _says_unit(intent: SetByWords, unit: str) -> bool:
    """Whether the request's words, or a name among them, have a unit of time."""
    return any(_UNITS.get(part) == unit for word in intent.words for part in parts_of_names(word))


def _number(text: str) -> float | None:
    """The number that a text is; ``None`` for another text."""
    try:
        return float(text.replace("_", ""))
    except ValueError:
        return None


def _converted(amount: str, unit: str, to: str) -> str | None:
    """An amount of time in another unit, whole where it can be; ``None`` if it is no number, or a unit is unknown."""
    number = _number(amount)
    if number is None or unit not in _SECONDS or to not in _SECONDS:
        return None
    result = round(number * _SECONDS[unit] / _SECONDS[to], 6)
    return str(int(result)) if result == int(result) else str(result)


def _unit_of(spot: Spot, code: Code) -> str:
    """The unit of time of a value by its name, the call that it is given to, the comment beside it, or custom; empty if none of
    them says one.
    """
    parts = {part for name in spot.names for part in parts_of_names(name) if part in spot.own}
    for part in parts | spot.own:
        if part in _UNITS and (len(part) > 1 or part == "s"):
            return _UNITS[part]
    for call, unit in _CALLS.items():
        if any(name.lower().endswith(call) for name in spot.names):
            return unit
    comment = comment_beside(spot.start, code)
    for word in re.findall(r"[a-z]+", comment):
        if word in _UNITS and (len(word) > 1 or word == "s"):
            return _UNITS[word]
    if (
        code.language in _MILLISECONDS_BY_CUSTOM
        and spot.own & _IN_MILLISECONDS
        and re.fullmatch(r"\d{2,}00", _bare(spot, code))
    ):
        return "ms"
    if "ttl" in spot.own or (
        spot.own & _IN_SECONDS and code.language not in _MILLISECONDS_BY_CUSTOM
    ):
        return "s"
    return ""
