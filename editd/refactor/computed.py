"""Answers a request by its words alone, where they decide it: a normal ``EditResult``, and no model.

Which requests that are is decided here for every client, and which computation says what. Several readings are kept
where people differ: whether a name in a comment is renamed, where an import goes. Texts are the model's: LF, no BOM.
"""

from __future__ import annotations

import re
from dataclasses import replace
from time import monotonic

from editd.diff.document import Document
from editd.diff.edits import apply, trimmed
from editd.diff.hunk import Hunk, Origin
from editd.diff.matching import changes
from editd.errors import EditRefused
from editd.intent import Instruction, read
from editd.intent import intents as meanings
from editd.intent.english import is_code_like
from editd.messages import EditRequest, EditResult, ErrorInfo
from editd.messages.options import ways_from
from editd.messages.reports import Stats
from editd.refactor.adding import annotated, documented, guarded, imported, with_parameter
from editd.refactor.candidates import Literal
from editd.refactor.commenting import commented
from editd.refactor.control_flow import with_early_return, with_open
from editd.refactor.locations import around, defined_in, place_of, which_of_several, within
from editd.refactor.prints import logging_prints, without_prints
from editd.refactor.renaming import is_named, renamed
from editd.refactor.replacing import (
    exchanged_word,
    renumbered,
    replaced,
    undefined,
    valued,
    without_comments,
    without_docstrings,
    without_lines,
)
from editd.refactor.sorting import with_sorted_functions, with_sorted_imports
from editd.refactor.strings import with_f_strings, with_quotes
from editd.refactor.unused_imports import without_unused_imports
from editd.syntax.language import language_of
from editd.syntax.tokens import parses
from editd.turns import yield_point

_BY_WORDS = (None, "words", "resembling")
_COMPUTED = "Computed from the words, without a model."
_DONE = "There is nothing to change."
_MOST_LINES = 6  # of what stays, named in a sentence


def by_words(request: EditRequest) -> EditResult | None:
    """The edit that the words of ``request`` decide, or why it must not be done; ``None`` where a model is to be asked."""
    started = monotonic()
    way = request.options.way
    if way not in _BY_WORDS or not _is_plain(request) or not request.instruction.strip():
        return None
    document = Document.of(request.text)
    said = read(request.instruction)
    language = language_of(request.path, request.language_id)
    start, end = request.start_line or 0, request.end_line
    is_part = request.start_line is not None or end is not None
    last = len(document.lines) if end is None else end
    meant = literal(
        said,
        document.model_text,
        language,
        path=request.path,
        selected=(start, last) if is_part else None,
    )
    if meant is None and said.wishes:
        meant = _after_each(said.wishes, document.model_text, language, request.path)
    if meant is not None and meant.problem:
        error = ErrorInfo(EditRefused.code, meant.problem)
        return EditResult(request.request_id, "refused", error=error)
    if meant is None or not (meant.is_single or way in ("words", "resembling")):
        return None
    wide = meant.resembling if way == "resembling" else None
    hunks = hunks_to(document, meant.readings[0] if wide is None else wide)
    if is_part and wide is None and not all(_is_within(hunk, start, end) for hunk in hunks):
        meant, hunks = _where_selected(said, document, language, (start, last)) or (meant, hunks)
    if not hunks and not meant.is_single:
        return None  # what is not there may be meant otherwise
    if is_part and not all(_is_within(hunk, start, end) for hunk in hunks):
        return None  # which lines of the selection are meant is for the model to say
    stats = Stats(written_by="words", total_seconds=monotonic() - started)
    return EditResult(
        request.request_id,
        "stop",
        text=apply(hunks, request.text, document),
        hunks=hunks,
        stats=stats,
        summary=_summary(said, meant, is_changed=bool(hunks), is_wide=wide is not None),
        ways=ways_from("words", resembling=meant.resembling is not None and wide is None),
    )


def _where_selected(
    said: Instruction, document: Document, language: str, selected: tuple[int, int]
) -> tuple[Literal, tuple[Hunk, ...]] | None:
    """What the words say of the definition around the selection, if all of it is selected; else ``None``."""
    text = document.model_text
    for place in around(selected, text, language):
        found = literal(said, text, language, place=place, selected=selected)
        if found is not None and found.is_single and not found.problem:
            hunks = hunks_to(document, found.readings[0])
            if hunks and all(_is_within(hunk, *selected) for hunk in hunks):
                return found, hunks
    return None


def steps_of(request: EditRequest) -> tuple[EditRequest, ...]:
    """The requests that ``request`` is, if several: each is of the text that those before it left."""
    is_whole = request.start_line is None and request.end_line is None
    if not (is_whole and _is_plain(request)) or request.options.way:
        return ()
    return tuple(replace(request, instruction=wish) for wish in read(request.instruction).wishes)


def _is_plain(request: EditRequest) -> bool:
    """Whether there is nothing but an instruction."""
    return request.sketch is None and request.based_on is None and request.prediction is None


def _after_each(wishes: tuple[str, ...], text: str, language: str, path: str) -> Literal | None:
    """Several wishes, all decided by words: each on what the one before it made."""
    for wish in wishes:
        found = literal(read(wish), text, language, path=path)
        if found is not None and found.problem:
            return found
        if found is None or not found.is_single or found.readings[0] == text:
            return None
        text = found.readings[0]
    return Literal((text,), is_single=True)


def hunks_to(document: Document, new: str) -> tuple[Hunk, ...]:
    """The hunks that make ``new`` (LF) of the document, with its own line ends."""
    lines = Document.of(new).model_lines
    hunks = []
    for number, change in enumerate(changes(document.model_lines, lines), start=1):
        start, count = change.old_start, change.old_end - change.old_start
        written = document.restore_ends(lines[change.new_start : change.new_end], start, count)
        origins = [
            origin
            for at, line in enumerate(written)
            for origin in _origins(at, document.lines[start + at] if at < count else "", line)
        ]
        hunks.append(Hunk(number, start, count, written, origins=tuple(origins)))
    return tuple(hunks)


def _origins(at: int, old: str, new: str) -> list[Origin]:
    """What of line ``at`` of a hunk was there before: its beginning and its end."""
    changed = trimmed(0, old, new)
    head, end = (changed.start, changed.start + len(changed.new_text)) if changed else (0, 0)
    borders = ((0, head, "buffer"), (head, end, "substitution"), (end, len(new), "buffer"))
    return [Origin(at, start, end, source) for start, end, source in borders if start < end]


def _is_within(hunk: Hunk, start: int, end: int | None) -> bool:
    return start <= hunk.start and (end is None or hunk.start + hunk.old_count <= end)


def _summary(said: Instruction, meant: Literal, *, is_changed: bool, is_wide: bool) -> str:
    """How it was read, what resembles it and stays, and what is taken for granted."""
    told = [f'Read as "{said.gist}".'] if said.gist else []
    if meant.absent:
        return " ".join(
            [*told, f"There is nothing to change: “{meant.absent}” is not in this text."]
        )
    told.append(_COMPUTED if is_changed else _DONE)
    if not is_wide:
        stays = [f"{what}: {_numbered(lines)}" for what, lines in meant.stays]
        told += [f"It stays in {'; in '.join(stays)}."] if stays else []
        told += [f"This assumes {what}: {_numbered(lines)}." for what, lines in meant.assumes]
    return " ".join(told)


def _numbered(lines: tuple[int, ...]) -> str:
    numbers = ", ".join(str(line + 1) for line in lines[:_MOST_LINES])
    more = f" and {len(lines) - _MOST_LINES} more" if lines[_MOST_LINES:] else ""
    return f"{'line' if len(lines) == 1 else 'lines'} {numbers}{more}"


# The text that the words say


MOST = 200_000  # characters of a text that is looked at
# Where somebody is, which is only known of a selection.
_HERE = re.compile(
    r"\b(?:in|inside|within|from) (?:this|the|the current) (?:function|method|class|selection|block)[.!]?\s*$",
    re.IGNORECASE,
)


def literal(
    instruction: Instruction,
    text: str,
    language: str,
    *,
    path: str = "",
    selected: tuple[int, int] | None = None,
    place: str = "",
) -> Literal | None:
    """What the words say of ``text``; ``None`` where they have no literal meaning.

    The reading is ``text`` itself where nothing in it is meant. selected: lines ``start .. end`` that "this"
    may mean. place: the definition in which alone, if the words name none.
    """
    if len(text) > MOST or (selected is None and _HERE.search(instruction.text)):
        return None
    yield_point()
    if instruction.spoken_of and not instruction.spoken_of.isdisjoint(defined_in(text, language)):
        return None
    meant = instruction.meaning
    if isinstance(meant, meanings.Likely):
        fitting = _fitting(meant, text, language)
        if fitting is None:
            return None
        meant = fitting
    if isinstance(meant, meanings.OfPython) and language != "python":
        return None
    if isinstance(meant, meanings.Placed) and (meant.place or place):
        if is_code_like(meant.place) and not _is_mentioned(meant.place, text):
            return Literal((text,), is_single=True, absent=meant.place)
        name, problem = which_of_several(meant.place or place, text, language, selected)
        if problem:
            return Literal((text,), problem=problem)
        meant = replace(meant, place=name)
    match meant:
        case meanings.Rename():
            found = renamed(meant, instruction, text, language)
        case meanings.Replace():
            found = (renumbered if meant.is_number else replaced)(meant, text, language)
        case meanings.SetValue():
            found = valued(meant, text, language)
            found = found or valued(replace(meant, is_any=True), text, language)
        case meanings.ReplaceWord():
            found = exchanged_word(meant, text, language)
        case meanings.DeleteLines():
            found = without_lines(meant.text, text, language)
        case meanings.DeleteDefinition():
            found = undefined(meant, text, language)
        case meanings.DeletePrints():
            found = without_prints(instruction.text, text, language)
        case meanings.DeleteComments():
            found = without_comments(text, language)
        case meanings.DeleteDocstrings():
            found = without_docstrings(meant.name, text)
        case meanings.AddImport():
            found = imported(meant, text)
        case meanings.Tidy():
            found = _tidied(meant.chore, text, language, path)
        case meanings.CommentOut():
            found = commented(meant, text, language, selected)
        case meanings.ReturnEarly():
            found = with_early_return(meant.name, text, language)
        case meanings.SortFunctions():
            found = with_sorted_functions(meant, text, language)
        case meanings.Annotate():
            found = annotated(meant, text)
        case meanings.AddParameter():
            found = with_parameter(meant, text)
        case meanings.Document():
            is_set = _IS_SET.search(instruction.text) is not None
            found = documented(meant, text, may_replace=is_set)
        case meanings.Guard():
            found = guarded(meant, text)
        case _:
            found = None
    # A place decides what is renamed and which value is meant, so that is asked before.
    if (
        isinstance(meant, meanings.Placed)
        and not isinstance(meant, meanings.Rename | meanings.SetValue)
        and meant.place
    ):
        where = place_of(meant.place, text, language)
        found = within(where, found, text) if where and found else None
    if found is None:
        return None
    if found.is_single and parses(text, language) and parses(found.readings[0], language) is False:
        return Literal(found.readings, problem=found.problem)
    return found


# "The docstring of f should be …" may mean another one than it has.
_IS_SET = re.compile(
    r"\b(?:should|must) (?:be|read|say)\b|\bbe the docstring|\bas the docstring|^\s*(?:please )?(?:set|change|update|replace)\b",
    re.IGNORECASE,
)


def _fitting(likely: meanings.Likely, text: str, language: str) -> meanings.Meaning | None:
    """What of the meanings the text has the names for; ``None`` if it has none."""
    for meaning in (likely.meaning, *likely.others):
        match meaning:
            case meanings.Rename():
                fits = is_named(meaning.old, text, language)
            case meanings.SetValue():
                found = valued(meaning, text, language)
                fits = found is not None and found.is_single
            case meanings.ReplaceWord():
                fits = exchanged_word(meaning, text, language) is not None
            case _:
                fits = True
        if fits:
            return meaning
    return None


def _is_mentioned(place: str, text: str) -> bool:
    """Whether the text has each part of "Cart.add", in whatever case."""
    return all(part in text.casefold() for part in re.findall(r"\w+", place.casefold()))


def _tidied(chore: str, text: str, language: str, path: str) -> Literal | None:
    match chore:
        case "sort-imports":
            return with_sorted_imports(text, language, path)
        case "unused-imports":
            return without_unused_imports(text, language, path)
        case "single-quotes" | "double-quotes":
            return with_quotes("'" if chore.startswith("single") else '"', text, language)
        case "logging":
            return logging_prints(text, language)
        case "with-open" if language == "python":
            return with_open(text)
        case "f-strings" if language == "python":
            return with_f_strings(text)
    return None
