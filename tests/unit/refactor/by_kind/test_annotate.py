"""Each type of a sentence goes to the place that is named nearest; where a place or a type is left over, nothing does."""

import pytest

from tests.unit.refactor.by_kind.check import check

PY = """\
from datetime import date

from shop.models import Rate

PORT = 8080


class Till:
    def __init__(self, path, strict=False):
        self.path = path

    def open(self, drawer):
        return drawer


def to_euro(amount, rate):
    return amount * rate


def next_day(day):
    return day


def first_line(text):
    return text


def last_line(text):
    return text


def me():
    return 1
"""
TS = """\
import type { Seat } from "./seat";

export function seatLabel(seat, row) {
  return row + seat.name;
}

export function isFree(seat): boolean {
  return seat.free;
}
"""
TEXTS = {"a.py": PY, "a.ts": TS}
EURO = {"(amount, rate)": "(amount: int, rate: Rate)"}


def check_changes(path, sentence, changes):
    """Check that the reader makes exactly these changes, or none if they are empty."""
    new = TEXTS[path]
    for old, changed in changes.items():
        assert old in new
        new = new.replace(old, changed)
    check("annotate", path, TEXTS[path], sentence, new if changes else None)


@pytest.mark.parametrize(
    ("path", "sentence", "changes"),
    [
        ("a.py", "amount in to_euro is an int and rate a Rate, note that", EURO),
        ("a.py", "to_euro wants an int and a Rate", EURO),
        ("a.py", "to_euro(amount: int, rate: Rate) -> float", {"(amount, rate):": "(amount: int, rate: Rate) -> float:"}),
        ("a.py", "to euro gets two ints", {"(amount, rate)": "(amount: int, rate: int)"}),
        ("a.py", "to_euro takes two ints, and what comes back is a float", {"(amount, rate):": "(amount: int, rate: int) -> float:"}),
        ("a.py", "both args of to_euro are floats and the result too", {"(amount, rate):": "(amount: float, rate: float) -> float:"}),
        ("a.py", "next day: a date goes in, a date comes out", {"(day):": "(day: date) -> date:"}),
        ("a.py", "next_day takes and returns a date", {"(day):": "(day: date) -> date:"}),
        ("a.py", "mypy wants a type for drawer; it is an int", {"(self, drawer)": "(self, drawer: int)"}),
        ("a.py", "in the constructor path is a str and strict a bool", {"(self, path, strict=False)": "(self, path: str, strict: bool = False)"}),
        ("a.py", "type first_line for me: str in, str out", {"first_line(text):": "first_line(text: str) -> str:"}),
        ("a.py", "first_line and last_line both give back a str", {"_line(text):": "_line(text) -> str:"}),
        ("a.py", "PORT is an int, spell that out", {"PORT =": "PORT: int ="}),
        ("a.ts", "seatLabel: seat is a Seat, row a number, and a string comes back", {"(seat, row)": "(seat: Seat, row: number): string"}),
        ("a.ts", "row has an implicit any, it should be a number", {"(seat, row)": "(seat, row: number)"}),
        ("a.ts", "TypeScript infers any for seat in isFree. Make it a Seat", {"isFree(seat)": "isFree(seat: Seat)"}),
        # A type, a place, a name or a number is left over, or nothing says which function is meant.
        ("a.py", "to_euro: amount is an int, rate", {}),
        ("a.py", "to_euro takes an int", {}),
        ("a.py", "to_euro: amount is an int or a float", {}),
        ("a.py", "to_euro: amount: Money, rate: float", {}),
        ("a.py", "text is a str", {}),
        ("a.py", "first_line prints a str", {}),
        ("a.py", "annotate it, a str comes back", {}),
        ("a.py", "to_cent gets an amount, which is an int", {}),
        ("a.py", "first_line: text is a str, as in next_day", {}),
        ("a.py", "to_euro: amount is an int and 7 by default, rate a Rate", {}),
        ("a.ts", "isFree returns a string", {}),
    ],
)  # fmt: skip
def test_each_type_has_its_place(path, sentence, changes):
    check_changes(path, sentence, changes)
