"""Texts and numbers exchanged for others, by syntax where there is a parser."""

from __future__ import annotations

import re

from editd.instruction.literal import Literal, Spans, as_word, that_stays, with_spans
from editd.instruction.meanings import Replace, SetValue
from editd.instruction.places import place_of
from editd.instruction.syntax import tokens_of

_DELIMITED = re.compile(r"(?s)([a-zA-Z]{0,2}#*)(\"\"\"|'''|\"|'|`)(.*)\2#*")


def replaced(meaning: Replace, text: str, language: str) -> Literal | None:
    """Another text: whole strings if there are such, else inside strings, else anywhere."""
    old, new = meaning.old, meaning.new
    everywhere = text.replace(old, new)
    tokens = tokens_of(text, language)
    if tokens is None or everywhere == text:
        return Literal((everywhere,))
    strings = [token for token in tokens if token.kind in ("string", "docstring")]
    exact: Spans = []
    for token in strings:
        cut = _DELIMITED.fullmatch(token.text)
        if cut and cut[3] == old:
            exact.append((token.start + cut.start(3), token.start + cut.end(3), new))
    inside = [
        (token.start + at.start(), token.start + at.end(), new)
        for token in strings
        for at in re.finditer(re.escape(old), token.text)
    ]
    whole = set(exact)
    others = [span for span in inside if span not in whole]
    is_plain = not re.search(r"[\\\"'`\n{}$]", old + new)
    outside = everywhere.count(new) - with_spans(text, inside).count(new)
    readings = (with_spans(text, exact or inside), with_spans(text, inside), everywhere)
    stays = that_stays(text, ("longer strings", others if exact else []))
    if meaning.is_one and len(exact) > 1:
        return _one_of(exact, readings, text)
    # Words inside of longer strings, and nowhere else.
    is_inside = not outside and len(as_word(old).findall(text)) == len(inside)
    return Literal(
        tuple(dict.fromkeys(one for one in readings if one != text)) or (text,),
        bool(exact or (inside and is_inside)) and is_plain and not (outside and not inside),
        stays,
        with_spans(text, inside) if stays else None,
    )


def renumbered(meaning: Replace, text: str, language: str) -> Literal | None:
    """Another number, where it stands as one."""
    old, new = meaning.old, meaning.new
    pattern = re.compile(rf"(?<![\w.]){re.escape(old)}(?![\w.])")
    everywhere = pattern.sub(lambda _: new, text)
    tokens = tokens_of(text, language)
    if tokens is None or old.startswith(("-", "+")):
        return Literal((everywhere,))
    spans = [(t.start, t.end, new) for t in tokens if t.kind == "number" and t.text == old]
    others = [(at.start(), at.end(), new) for at in pattern.finditer(text)]
    known = set(spans)
    others = [span for span in others if span not in known]
    stays = that_stays(text, ("strings or comments", others))
    readings = tuple(dict.fromkeys((with_spans(text, spans), everywhere)))
    if meaning.is_one and len(spans) > 1:
        return _one_of(spans, readings, text)
    return Literal(readings, bool(spans), stays, everywhere if stays else None)


def _one_of(spans: Spans, readings: tuple[str, ...], text: str) -> Literal:
    """Which of several places is meant by "the port 80" is not for the words to say."""
    each = (with_spans(text, [span]) for span in spans[:_MOST_PLACES])
    return Literal(tuple(dict.fromkeys((*readings, *each))))


_MOST_PLACES = 20  # of which each is a reading


def valued(meaning: SetValue, text: str, language: str) -> Literal | None:
    """Another number for the one thing that is called so; ``None`` if there are several."""
    name, new = meaning.name.rsplit(".", 1)[-1], meaning.new
    place = place_of(meaning.place, text, language) if meaning.place else None
    pattern = (
        rf"(?<!\w){re.escape(name)}[\"']?(?:\s*:\s*[\w\[\]. ]+?)?\s*(?::=|=(?!=)|:)\s*(-?\d[\w.]*)"
    )
    found: list[re.Match[str]] = []
    for flag in (re.NOFLAG, re.IGNORECASE):  # "the timeout" may be TIMEOUT
        if not found:
            found = list(re.finditer(pattern, text, flag))
    if meaning.place:
        found = [at for at in found if place and place.first <= at.start() < place.last]
    if len(found) != 1:
        return None
    at = found[0]
    tokens = tokens_of(text, language)
    is_code = tokens is not None and any(
        t.kind == "number" and t.end == at.end(1) and at.start(1) <= t.start for t in tokens
    )
    # Of "10 * 60" the words do not say what becomes of the rest.
    is_code = is_code and _ENDS.match(text, at.end(1)) is not None
    return Literal((with_spans(text, [(at.start(1), at.end(1), new)]),), is_code)


_ENDS = re.compile(r"\s*(?:[,;)}\]]|#|//|/\*|$)|[ \t]*\n")
