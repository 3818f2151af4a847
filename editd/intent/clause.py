"""A clause: a single request of an instruction, with what was taken off around it."""

from __future__ import annotations

import re
from dataclasses import dataclass

_POLITE = re.compile(
    r"^(?:please|now|ok|so|just|can you|could you|would you(?! mind)|can you please|could you please"
    r"|i want you to|i'd like you to|let's)[, ]+",
    re.IGNORECASE,
)
_AT_LEISURE = re.compile(
    r",? when(?:ever)? you (?:have|get|find) (?:the |some |a )?(?:time|sec|second|minute|moment|chance)(?:, | |$)",
    re.IGNORECASE,
)
_WITH = re.compile(r"(?<!\S)w/ ?(?=\w)")


@dataclass(frozen=True, slots=True)
class Remark:
    """A remark beside a request; is_about_it: it names what the request calls "it"."""

    text: str
    is_about_it: bool = False


@dataclass(frozen=True, slots=True)
class Clause:
    """A request without the words around it, and what these said.

    location: where in the file; empty for all of it. is_vague: the location is no definition's name, but "the
    second loop". is_bare: it is one only if the buffer has a definition of that name. only: as of
    ``intents.Selective``. remarks: reasons and other sentences beside the request.
    """

    text: str
    location: str = ""
    is_vague: bool = False
    is_bare: bool = False
    only: str = ""
    remarks: tuple[Remark, ...] = ()


def without_politeness(text: str) -> str:
    """``text`` in one line, without "please" and the like at both ends, "when you have time", and the sentence marks or
    emoji at its end. Curved apostrophes become straight, "w/" becomes "with".
    """
    line = _WITH.sub("with ", re.sub(r"\s*\n\s*", " ", text.replace("’", "'")).strip())
    line = re.sub(
        r"[^\w\s\"'`“”„‘»«.,;:!?()\[\]{}<>*/+=$#@&%^|~-]+$", "", line
    ).rstrip()  # an emoji
    line = _AT_LEISURE.sub(" ", line)
    while (shorter := _POLITE.sub("", line)) != line:
        line = shorter
    return re.sub(r",? please$", "", line.rstrip(" .!?"), flags=re.IGNORECASE)
