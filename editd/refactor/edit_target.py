"""Deletes, comments out or uncomments the one thing of a text that fits a description best, and alone.

a.py, "the sleep in dump is pointless, drop it"::

    def dump(name):
        run(name)
        time.sleep(2)
        return name

becomes::

    def dump(name):
        run(name)
        return name
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from editd.intent.intents import DeleteDefinition, EditTarget
from editd.intent.target import TargetDescription
from editd.intent.word_forms import are_forms, words_in
from editd.refactor.candidates import Candidates
from editd.refactor.change_elements import without_element
from editd.refactor.chosen_things import (
    chosen_things,
    is_mentioned,
    is_several,
    with_comment_above,
)
from editd.refactor.comment_marks import commented_code
from editd.refactor.comment_out import commented, uncommented
from editd.refactor.delete_code import without_lines
from editd.refactor.delete_comments import statements_in, without_comments
from editd.refactor.delete_definition import delete_definition, is_about
from editd.refactor.entries import is_program
from editd.refactor.things import Thing, things_of
from editd.refactor.used_names import is_used_elsewhere
from editd.syntax.code import Code, read_code

_LONGEST = 60  # characters of a line that is shown


def edit_target(intent: EditTarget, code: Code) -> Candidates | None:
    """The text with the described thing edited, as a certain candidate; where several are meant, all of these.

    ``None`` if none or several fit equally well, other than the number that is said, what is deleted is used elsewhere, or
    the edit cannot be made of whole lines.
    """
    return edit_things(intent, chosen_things(intent, code), code)


def edit_things(intent: EditTarget, things: Sequence[Thing], code: Code) -> Candidates | None:
    """The text with these things edited as the intent says, as a certain candidate.

    ``None`` without things, if what is deleted is used elsewhere, or the edit cannot be made of whole lines.
    """
    if not things or any(_is_used(x, intent, code) for x in things):
        return None
    numbers = sorted({n for x in things for n in range(_below_comments(x, code), x.end)})
    if intent.action == "delete":
        found = _deleted(intent.target, things, code)
    elif intent.action == "comment":
        found = commented(code, numbers)
    else:
        found = uncommented(code, numbers)
    return found and replace(found, reading=_reading(intent.action, things, code))


def _reading(action: str, things: Sequence[Thing], code: Code) -> str:
    """The edit as a plain sentence with the lines that were found: "delete line 3: time.sleep(2)"."""
    verb = {"delete": "delete", "comment": "comment out", "uncomment": "uncomment"}[action]
    if all(x.kind == "definition" for x in things):
        return f"{verb} {' and '.join(x.names[0] for x in things)}"
    numbers = ", ".join(str(x.start + 1) for x in things)
    shown = code.lines[things[0].start].strip()
    text = f": {shown}" if len(things) == 1 and len(shown) <= _LONGEST else ""
    return f"{verb} {'line' if len(things) == 1 else 'lines'} {numbers}{text}"


def _deleted(target: TargetDescription, things: Sequence[Thing], code: Code) -> Candidates | None:
    """The text without these things, as a certain candidate; ``None`` if one cannot be deleted, or only a part of a comment is described."""
    if things[0].kind == "comment":
        is_of_lines = len(things) == 1 and is_several(things[0], target)
        if not is_of_lines and any(_is_described_in_part(target, x) for x in things):
            return None
        return without_comments([token for x in things for token in x.tokens], code)
    if things[0].kind == "definition":
        if len(things) > 1:
            return _without_definitions(things, code, with_comment=target.with_comment)
        return _without_definition(things[0], code, with_comment=target.with_comment)
    if any(x.kind == "element" for x in things):
        new = without_element(things[0].span, code) if len(things) == 1 else None
        return Candidates((new,), is_certain=True) if new is not None else None
    if not target.with_comment:
        owned = [_comment_about(x, target, code) for x in things]
        if None in owned:
            return None
        ranges = [
            (start, x.end) for x, start in zip(things, owned, strict=True) if start is not None
        ]
        return without_lines(sorted(ranges), code)
    ranges = [
        (with_comment_above(x, code) if target.with_comment else x.start, x.end) for x in things
    ]
    return without_lines(sorted(ranges), code)


def _is_described_in_part(target: TargetDescription, thing: Thing) -> bool:
    """Whether the words of the description stand only in some of the statements of a comment, which may be two comments."""
    words = {x for word in (*target.required, *target.optional) for x in words_in(word.text)}
    if not words:
        return False
    texts = ["\n".join(x.text for x in lines) for lines in statements_in(thing.tokens)]
    named = [any(are_forms(x, word) for x in words_in(text) for word in words) for text in texts]
    return any(named) and not all(named)


def _without_definition(thing: Thing, code: Code, *, with_comment: bool) -> Candidates | None:
    """The text without a definition, certain if it is with ``with_comment``, or where the comment above is about it."""
    found = delete_definition(DeleteDefinition(thing.names[-1]), code)
    if found is None and not any(x.is_block and x.name == thing.names[0] for x in code.definitions):
        return _without_local_function(thing, code, with_comment=with_comment)
    if found is None or not (found.is_certain or with_comment):
        return found
    return Candidates(found.texts, is_certain=True, left_alone=found.left_alone)


def _without_definitions(
    things: Sequence[Thing], code: Code, *, with_comment: bool
) -> Candidates | None:
    """The text without several definitions; ``None`` if one of them is not certain, or something is left alone."""
    for thing in things:
        again = (x for x in things_of(code) if (x.kind, x.names) == ("definition", thing.names))
        left = next(again, None)
        if left is None:
            return None
        found = _without_definition(left, code, with_comment=with_comment)
        if found is None or not found.is_certain or found.left_alone:
            return None
        code = read_code(found.texts[0], code.language)
    return Candidates((code.text,), is_certain=True)


def _without_local_function(thing: Thing, code: Code, *, with_comment: bool) -> Candidates | None:
    """The text without a function inside another, and the comment above that is about it; ``None`` where that may be about more, or other
    code uses the function.
    """
    start = with_comment_above(thing, code)
    comments = code.lines[start : thing.start]
    if is_mentioned(thing, code) or not (with_comment or is_about(comments, thing.names[0])):
        return None
    return without_lines([(start, thing.end)], code)


def _comment_about(thing: Thing, target: TargetDescription, code: Code) -> int | None:
    """The first line of a thing, of an entry of several lines with the comment above that is about it; ``None`` where that comment may be
    the heading of a section.
    """
    start = with_comment_above(thing, code)
    if thing.kind != "entry" or thing.end - thing.start == 1 or start == thing.start:
        return thing.start
    if is_program(code) or any(a <= start < b for a, b, _ in commented_code(code)):
        return thing.start
    lines = code.lines[start : thing.start]
    words = words_in("".join(lines))
    request_words = (
        *target.required,
        *target.optional,
        *(x for head in target.heads for x in head),
    )
    is_said = any(are_forms(x.text, word) for x in request_words for word in words)
    is_named = any(are_forms(part, word) for part in words_in(thing.names[0]) for word in words)
    return start if is_said or is_named or is_about(lines, thing.names[0]) else None


def _below_comments(thing: Thing, code: Code) -> int:
    """The first line of a definition below the comments above it; of anything else its first line."""
    start = thing.start
    marks = ("#",) if code.language in ("python", "bash", "zsh") else ("//", "/*", "*")
    while (
        thing.kind == "definition"
        and code.language != "rust"
        and code.lines[start].lstrip().startswith(marks)
    ):
        start += 1
    return start


def _is_used(thing: Thing, intent: EditTarget, code: Code) -> bool:
    """Whether other code uses what a thing defines: a statement or entry; of a definition only asked where it is said to be needless."""
    if thing.kind == "definition":
        return intent.is_implied and is_mentioned(thing, code)
    if thing.kind not in ("statement", "entry") or not is_program(code):
        return False
    return is_used_elsewhere(thing.start, thing.end, code)
