"""Replaces a part of a value: a word, a version, a format in a string that may be longer.

a.ts, "the API is v3 now, was v2"::

    const BASE_URL = "https://api.example/v2";

becomes::

    const BASE_URL = "https://api.example/v3";

a.ts, "prices are in CHF, no longer EUR"::

    // the shop
    return "at least " + price + " EUR";

becomes::

    // the shop
    return "at least " + price + " CHF";
"""

from __future__ import annotations

import re

from editd.intent.intents import ReplacePart
from editd.refactor.candidates import Candidates, with_spans
from editd.refactor.spots import spots_of
from editd.syntax.code import Code


def replace_part(intent: ReplacePart, code: Code) -> Candidates | None:
    """The text with the part replaced, as a certain candidate; ``None`` unless it stands as a whole word as often as is said (-1: once
    or more), and each time in a string or in a value, or one of both has signs that strings give a meaning.
    """
    if re.search(r"[\\\"'`\n{}$]", intent.old + intent.new):
        return None
    places = [x.span() for x in re.finditer(rf"(?<![\w]){re.escape(intent.old)}(?!\w)", code.text)]
    values = [(x.start, x.end) for x in spots_of(code)]
    is_inside = all(any(start <= a and b <= end for start, end in values) for a, b in places)
    if not places or not is_inside or intent.count not in (-1, len(places)):
        return None
    spans = [(*place, intent.new) for place in places]
    return Candidates((with_spans(code.text, spans),), is_certain=True)
