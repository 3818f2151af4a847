"""A guess: how a kind of edit is asked for in words that only a buffer can confirm.

Rows (``rule``) fit requests whose words say all. A guess reads a request by patterns of its own, because code stands in it as
it is ("delete git pull") or nothing but the buffer has says what is named ("the lint script"). ``refactor`` carries it out
only where exactly one thing of the buffer fits.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass

from editd.intent.intents import Intent, Several
from editd.intent.rules.frames import parts_of


@dataclass(frozen=True, slots=True)
class Guess:
    """A way to ask for one kind of edit.

    reads: makes the intent of a request without its context; ``None`` where it asks for something else. examples: sentences
    with their intents. near_misses: sentences that resemble these and have no guess. is_of_one: as of ``Rule``.
    reads_all_words: each word of a request has to say something, so that nothing is guessed of what is left without a part.
    says_more: remarks that are a part of what is asked for, without which nothing is guessed.
    """

    name: str
    reads: Callable[[str], Intent | None]
    examples: tuple[tuple[str, Intent], ...]
    near_misses: tuple[str, ...] = ()
    is_of_one: bool = True
    reads_all_words: bool = False
    says_more: re.Pattern[str] | None = None


def of_each(what: str, read: Callable[[str], Intent | None]) -> Intent | None:
    """The intent that ``read`` makes of the words for one thing, or ``Several`` of a list of things, in order.

    ``None`` for no words, or if ``read`` makes none of one of them.
    """
    if not what:
        return None
    parts = parts_of(what)
    if len(parts) == 1:
        return read(what)
    found = [intent for part in parts if (intent := read(part)) is not None]
    return Several(tuple(found)) if len(found) == len(parts) else None
