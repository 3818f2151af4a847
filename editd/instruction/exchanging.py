"""Names, texts and numbers exchanged for others, as the words say."""

from __future__ import annotations

import re

from editd.instruction import Instruction, Rename, Replace
from editd.instruction.meant import (
    Literal,
    Spans,
    as_word,
    mentions_in,
    split,
    that_stays,
    with_spans,
)
from editd.instruction.source import Token, tokens_of
from editd.prompts.outline import outline

_HARDLY_ENGLISH = re.compile(r"[_\d]|[a-z][A-Z]|^[B-HJ-Z]$")


def renamed(meaning: Rename, instruction: Instruction, text: str, language: str) -> Literal | None:
    """Another name, by syntax where there is a parser; ``None`` for a name that is said to be of something."""
    old, new = meaning.old, meaning.new
    everywhere = as_word(old).sub(lambda _: new, text)
    tokens = tokens_of(text, language)
    if meaning.owner:
        return None
    if everywhere == text:  # what only resembles it may be meant
        return Literal(
            (text,), is_single=tokens is not None and old.casefold() not in text.casefold()
        )
    if tokens is None:
        return Literal((everywhere,))
    own = [t for t in tokens if t.text == old and t.kind in ("name", "member", "argument", "key")]
    defined = outline(split(text), language)
    is_member = any(one.name == old and one.owner for one in defined) or any(
        (token.kind == "member" and token.of in ("self", "this", "cls", "Self"))
        or (token.kind == "name" and token.of == "declared")
        for token in own
    )
    functions = {one.name for one in defined}
    foreign = {
        token
        for token in own
        if (token.kind == "member" and not is_member)
        or (token.kind == "argument" and token.of not in functions)
        or (token.kind == "key" and not is_member)
    }
    spans = [(t.start, t.end, new) for t in own if t not in foreign]
    others = [(t.start, t.end, new) for t in foreign]
    told = mentions_in([t for t in tokens if t.kind in ("comment", "docstring")], old, new)
    if language == "python":
        spans += _exported([t for t in tokens if t.kind == "string"], old, new, text)
    done = {*spans, *others}  # a field of a string is both
    strings = mentions_in([t for t in tokens if t.kind == "string"], old, new)
    strings = [span for span in strings if span not in done]
    told = [span for span in told if span not in done]
    # "sum" in a comment is an English word, "max_size" is that name.
    every = instruction.means_comments or bool(_HARDLY_ENGLISH.search(old))
    first = spans + (told if every else [])
    stays = that_stays(
        text,
        ("comments", [] if every else told),
        ("strings", strings),
        ("members of other objects", others),
    )
    readings = (
        with_spans(text, first),
        with_spans(text, spans),
        with_spans(text, spans + others),
        with_spans(text, spans + told),
        with_spans(text, spans + told + others),
        everywhere,
    )
    names = {token.text for token in tokens if token.kind not in ("string", "comment", "docstring")}
    is_name = bool(re.fullmatch(r"[^\W\d]\w*", new)) and re.fullmatch(r"[^\W\d]\w*", old)
    is_single = bool(spans and is_name and new not in names)
    is_single = is_single and not any(
        t.of == "shorthand" or (t.kind == "key" and is_member) for t in own
    )
    return Literal(
        tuple(dict.fromkeys(readings)),
        is_single,
        stays,
        with_spans(text, spans + told + strings + others) if stays else None,
    )


def _exported(strings: list[Token], old: str, new: str, text: str) -> Spans:
    """The name where a Python module lists it in ``__all__``: there a string is the name."""
    listed = [at.span() for at in _ALL.finditer(text)]
    return [
        (token.start + 1, token.end - 1, new)
        for token in strings
        if token.text[1:-1] == old and any(a <= token.start < b for a, b in listed)
    ]


_ALL = re.compile(r"(?ms)^__all__\b[^\n=]*\+?=\s*[\[(].*?[\])]")
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
    return Literal(
        tuple(dict.fromkeys(one for one in readings if one != text)) or (text,),
        bool(exact) and is_plain and not (outside and not inside),
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


def valued(name: str, new: str, text: str, language: str) -> Literal | None:
    """Another number for the one thing that is called so; ``None`` if there are several."""
    name = name.rsplit(".", 1)[-1]
    found = list(
        re.finditer(
            rf"(?<!\w){re.escape(name)}[\"']?(?:\s*:\s*[\w\[\]. ]+?)?\s*(?::=|=(?!=)|:)\s*(-?\d[\w.]*)",
            text,
        )
    )
    if len(found) != 1:
        return None
    at = found[0]
    tokens = tokens_of(text, language)
    is_code = tokens is not None and any(
        t.kind == "number" and t.end == at.end(1) and at.start(1) <= t.start for t in tokens
    )
    mentions = len(as_word(name).findall(text))
    return Literal((with_spans(text, [(at.start(1), at.end(1), new)]),), is_code and mentions > 0)
