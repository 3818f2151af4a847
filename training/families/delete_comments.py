"""Delete all comments; a line that held nothing else goes with its comment."""

from __future__ import annotations

from random import Random

from training.families.edit import Edit, Generator, Span, edit_of
from training.families.lexer import comment_sign
from training.families.source import Source
from training.families.wording import WORDS, Phrasings

PHRASINGS = Phrasings(
    training=(
        "[remove|delete|strip|drop|erase|get rid of|throw out] [|all |the |all the ]comments[| here| in this file| from this file| everywhere]",
        "[remove|delete|erase|drop] every comment[| in this file]",
        "[strip|take] out [|all |the ]comments",
        "I [don't|do not] want [|any ]comments[| here| in this file]",
        "[remove|delete] [the code comments|all code comments|the inline comments|all the inline comments]",
        "there [should|must] be no comments[| here| in this file]",
        "the comments are [useless|noise|outdated], [remove|delete] them",
        "[this file|this code] needs no comments, [remove|delete|drop] them",
    ),
    held_out=(
        "the comments can go",
        "clear out the comments",
        "I want this without comments",
    ),
)


def propose(source: Source, rng: Random, *, held_out: bool = False) -> Edit | None:
    """If there are none, some are written first."""
    if not any(token.kind == "comment" for token in source.tokens):
        source = with_comments(source, rng)
    return edit_of(source, PHRASINGS.say(rng, held_out=held_out), comment_spans(source))


def comment_spans(source: Source) -> list[Span]:
    """The spans of all comments, with the blanks or lines that go with them. A first line that begins with ``#!`` is no comment."""
    spans = []
    for token in source.tokens:
        if token.kind != "comment" or (token.start == 0 and token.text.startswith("#!")):
            continue
        line_start = source.text.rfind("\n", 0, token.start) + 1
        line_end = source.text.find("\n", token.end)
        line_end = len(source.text) if line_end < 0 else line_end
        before = source.text[line_start : token.start]
        rest = source.text[token.end : line_end]
        if not before.strip() and not rest.strip():
            spans.append(Span(line_start, min(line_end + 1, len(source.text))))
        elif rest.strip():
            spans.append(Span(token.start, token.end))
        else:
            spans.append(Span(line_start + len(before.rstrip()), line_end))
    return spans


def with_comments(source: Source, rng: Random) -> Source:
    """The text with a few comments of its own; as it was where comments do not exist."""
    sign = comment_sign(source.language)
    lines = source.text.split("\n")
    if not sign:
        return source
    for _ in range(rng.randint(1, 4)):
        index = rng.randrange(len(lines))
        words = " ".join(rng.choice(WORDS) for _ in range(rng.randint(1, 6)))
        indent = lines[index][: len(lines[index]) - len(lines[index].lstrip())]
        if rng.random() < 0.4 and lines[index].strip() and not lines[index].endswith("\\"):
            lines[index] += f"  {sign} {words}"
        else:
            lines.insert(index, f"{indent}{sign} {words}")
    commented = Source("\n".join(lines), source.path)
    return commented if commented.is_valid else source


GENERATOR = Generator(
    name="delete-comments",
    phrasings=(PHRASINGS,),
    propose=propose,
)
