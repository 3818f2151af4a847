"""Masks what a pattern must not look into, and what it has read, with signs of the same length. Standard library only."""

from __future__ import annotations

import re

from editd.intent.english import QUOTED

_MASK = "¤"


def masked_quotes(text: str) -> str:
    """``text`` with the inside of its quoted texts masked, unless that is a name or a call, whose quotes stay as well."""

    def masked(found: re.Match[str]) -> str:
        is_name = re.fullmatch(r"[`'\"][\w.]+(?:\(\))?[`'\"]", found[0])
        return found[0] if is_name else found[0][0] + _MASK * (len(found[0]) - 2) + found[0][-1]

    return re.sub(QUOTED, masked, text)


def blanked(pattern: re.Pattern[str], text: str) -> str:
    """``text`` with blanks where ``pattern`` matches, but for what its groups have matched."""

    def blank(found: re.Match[str]) -> str:
        signs = [" "] * len(found[0])
        for number in range(1, pattern.groups + 1):
            start, end = found.span(number)
            if start >= 0:
                signs[start - found.start() : end - found.start()] = found[number]
        return "".join(signs)

    return pattern.sub(blank, text)
