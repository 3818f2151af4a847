"""Spells a request as its readers know it. Standard library only."""

from __future__ import annotations

import re

from editd.intent.english import QUOTED

_SHORTENED = re.compile(
    rf"(?P<quoted>{QUOTED})|(?<![\w.])(?P<verb>do|does|did|is|are|was|were|has|have|had|should|must|could|would|ca)nt(?![\w(.])",
    re.IGNORECASE,
)


def with_apostrophes(text: str) -> str:
    """``text`` with the apostrophes that are left out of "dont" and "isnt"; quoted texts stay."""
    return _SHORTENED.sub(lambda x: x["quoted"] or f"{x['verb']}n't", text)
