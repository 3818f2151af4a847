"""Amounts in the units of a text: what a number measures by its name, its comment or custom, and how another amount is written there."""

from __future__ import annotations

import re

from editd.intent.intents import SetByWords
from editd.refactor.entries import is_program
from editd.refactor.spots import Spot, comment_beside
from editd.refactor.word_stems import parts_of_names
from editd.syntax.code import Code

_TYPED = frozenset(["go", "rust", "java", "c", "cpp", "csharp", "kotlin", "swift", "scala"])
SECONDS = {"ms": 0.001, "s": 1.0, "min": 60.0, "h": 3600.0, "d": 86400.0, "w": 604800.0}
UNITS = {
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
_FAR = 20  # times as large: then another unit may be meant


def bare_value(spot: Spot, code: Code) -> str:
    """The value without its quotes."""
    return code.text[spot.start : spot.end].strip("\"'`")


def as_amount(intent: SetByWords, spot: Spot, bare: str, old: str, code: Code) -> str | None:
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
        if UNITS.get(own[2]) and UNITS.get(unit):
            number = converted(number, UNITS[unit], UNITS[own[2]]) or ""
            return replaced(old, bare, f"{number}{own[2]}") if number else None
        if not unit:
            is_given = any(
                bool(of) and (amount + of == bare or (amount == own[1] and UNITS.get(own[2]) == of))
                for amount, of in intent.was
            )
            return replaced(old, bare, f"{number}{own[2]}") if is_given else None
        return replaced(old, bare, f"{number}{unit}") if _are_sizes(unit, own[2]) else None
    if unit in ("%", "percent") and re.fullmatch(r"0?\.\d+", bare) and old == bare:
        return percent(number)
    if unit in ("%", "percent") and old != bare:
        return replaced(old, bare, percent(number)) if re.fullmatch(r"0\.\d+", bare) else None
    present = unit_of(spot, code)
    if not unit and present and not _is_near(number, bare):
        unit = next(
            (
                of
                for amount, of in intent.was
                if of in SECONDS and converted(amount, of, present) == bare
            ),
            "",
        )
    if unit in UNITS:
        unit = UNITS[unit]
        if not present and (bare, "") in intent.was:
            present = unit  # "500 ms, 300 is too jumpy"
        if not present:
            return None
        number = converted(number, unit, present) or ""
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
    return replaced(old, bare, number + (suffix[0] if suffix else ""))


def percent(number: str) -> str:
    """A number of percents as a fraction: "0.21" of "21"."""
    return f"{float(number) / 100:.6f}".rstrip("0")


def _may_be_fraction(spot: Spot, code: Code) -> bool:
    """Whether a whole number may become a fraction: it is a time, or no number of things."""
    return bool(unit_of(spot, code)) or not is_program(code)


def replaced(old: str, bare: str, new: str) -> str:
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
    first, second = number_of(new), number_of(old)
    if not first or not second:
        return first is not None and second is not None
    return 1 / _FAR <= first / second <= _FAR


def _says_unit(intent: SetByWords, unit: str) -> bool:
    """Whether the request's words, or a name among them, have a unit of time."""
    return any(UNITS.get(part) == unit for word in intent.words for part in parts_of_names(word))


def number_of(text: str) -> float | None:
    """The number that a text is; ``None`` for another text."""
    try:
        return float(text.replace("_", ""))
    except ValueError:
        return None


def converted(amount: str, unit: str, to: str) -> str | None:
    """An amount of time in another unit, whole where it can be; ``None`` if it is no number, or a unit is unknown."""
    number = number_of(amount)
    if number is None or unit not in SECONDS or to not in SECONDS:
        return None
    result = round(number * SECONDS[unit] / SECONDS[to], 6)
    return str(int(result)) if result == int(result) else str(result)


def unit_of(spot: Spot, code: Code) -> str:
    """The unit of time of a value by its name, the call that it is given to, the comment beside it, or custom; empty if none of
    them says one.
    """
    parts = {part for name in spot.names for part in parts_of_names(name) if part in spot.own}
    for part in parts | spot.own:
        if part in UNITS and (len(part) > 1 or part == "s"):
            return UNITS[part]
    for call, unit in _CALLS.items():
        if any(name.lower().endswith(call) for name in spot.names):
            return unit
    comment = comment_beside(spot.start, code)
    for word in re.findall(r"[a-z]+", comment):
        if word in UNITS and (len(word) > 1 or word == "s"):
            return UNITS[word]
    if (
        code.language in _MILLISECONDS_BY_CUSTOM
        and spot.own & _IN_MILLISECONDS
        and re.fullmatch(r"\d{2,}00", bare_value(spot, code))
    ):
        return "ms"
    if "ttl" in spot.own or (
        spot.own & _IN_SECONDS and code.language not in _MILLISECONDS_BY_CUSTOM
    ):
        return "s"
    return ""
