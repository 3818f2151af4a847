"""Answers a request by its words alone, where they decide it: a normal ``EditResult``, and no model.

Which requests that are is decided here for every client, and which computation says what. Several readings are kept
where people differ: whether a name in a comment is renamed, where an import goes. Texts are the model's: LF, no BOM.
"""

from __future__ import annotations

import re
from dataclasses import replace
from time import monotonic

from editd.breathing import breathe
from editd.diff.document import Document
from editd.diff.edits import apply, trimmed
from editd.diff.hunk import Hunk, Origin
from editd.diff.matching import changes
from editd.instruction import Instruction, meanings, read
from editd.instruction.adding import annotated, documented, guarded, imported, with_parameter
from editd.instruction.exchanging import (
    commented,
    renumbered,
    replaced,
    undefined,
    valued,
    without_comments,
    without_docstrings,
    without_lines,
)
from editd.instruction.ordering import with_sorted_functions
from editd.instruction.places import place_of, within
from editd.instruction.printing import logging_prints, without_prints
from editd.instruction.renaming import is_named, renamed
from editd.instruction.reshaping import with_early_return, with_open
from editd.instruction.sorting import with_sorted_imports
from editd.instruction.source import Literal, parses
from editd.instruction.strings import with_f_strings, with_quotes
from editd.instruction.unused import without_unused_imports
from editd.messages import EditRequest, EditResult
from editd.messages.options import ways_from
from editd.messages.reports import Stats
from editd.prompts.language import language_of

_BY_WORDS = (None, "words", "resembling")
_COMPUTED = "Computed from the words, without a model."
_DONE = "There is nothing to change."
_MOST_LINES = 6  # of what stays, named in a sentence


def by_words(request: EditRequest) -> EditResult | None:
    """The edit that the words of ``request`` decide; ``None`` where a model is to be asked."""
    started = monotonic()
    way = request.options.way
    is_plain = request.sketch is None and request.based_on is None and request.prediction is None
    if way not in _BY_WORDS or not is_plain or not request.instruction.strip():
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
    if meant is None or not (meant.is_single or way in ("words", "resembling")):
        return None
    is_wide = way == "resembling" and meant.resembling is not None
    new = meant.resembling if is_wide and meant.resembling else meant.readings[0]
    hunks = hunks_to(document, new)
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
        summary=_read_as(said)
        + (_COMPUTED if hunks else _DONE)
        + ("" if is_wide else _left(meant)),
        ways=ways_from("words", resembling=meant.resembling is not None and not is_wide),
    )


def steps_of(request: EditRequest) -> tuple[EditRequest, ...]:
    """The requests that ``request`` is, if several: each is of the text that those before it left."""
    options = request.options
    is_plain = request.sketch is None and request.based_on is None and request.prediction is None
    is_whole = request.start_line is None and request.end_line is None
    wishes = read(request.instruction).wishes if is_plain and is_whole and not options.way else ()
    return tuple(replace(request, instruction=wish) for wish in wishes)


def _after_each(wishes: tuple[str, ...], text: str, language: str, path: str) -> Literal | None:
    """Several wishes, all decided by words: each on what the one before it made."""
    for wish in wishes:
        found = literal(read(wish), text, language, path=path)
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


def _read_as(said: Instruction) -> str:
    return f'Read as "{said.gist}". ' if said.gist else ""


def _left(meant: Literal) -> str:
    """What resembles it and stays, and what is taken for granted."""
    parts = [f"{what}: {_numbered(lines)}" for what, lines in meant.stays]
    assumed = [f" This assumes {what}: {_numbered(lines)}." for what, lines in meant.assumes]
    return "".join([f" It stays in {'; in '.join(parts)}." if parts else "", *assumed])


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
) -> Literal | None:
    """What the words say of ``text``; ``None`` where they have no literal meaning.

    The reading is ``text`` itself where nothing in it is meant. selected: lines ``start .. end`` that "this"
    may mean.
    """
    if len(text) > MOST or (selected is None and _HERE.search(instruction.text)):
        return None
    breathe()
    meant = instruction.meaning
    is_likely = isinstance(meant, meanings.Likely)
    if isinstance(meant, meanings.Likely):
        meant = meant.meaning
    match meant:
        case meanings.Rename() as meaning:
            if not is_likely or is_named(meaning.old, text, language):
                found = renamed(meaning, instruction, text, language)
            else:
                found = None
        case meanings.Replace() as meaning:
            found = (renumbered if meaning.is_number else replaced)(meaning, text, language)
        case meanings.SetValue() as meaning:
            found = valued(meaning, text, language)
        case meanings.DeleteLines(said):
            found = without_lines(said, text)
        case meanings.DeleteDefinition() as meaning:
            found = undefined(meaning, text, language)
        case meanings.DeletePrints():
            found = without_prints(instruction.text, text, language)
        case meanings.DeleteComments():
            found = without_comments(text, language)
        case meanings.DeleteDocstrings(name):
            found = without_docstrings(name, text) if language == "python" else None
        case meanings.AddImport() as meaning:
            found = imported(meaning, text) if language == "python" else None
        case meanings.Tidy(chore):
            found = _tidied(chore, text, language, path)
        case meanings.CommentOut() as meaning:
            found = commented(meaning, text, language, selected)
        case meanings.ReturnEarly(name):
            found = with_early_return(name, text, language)
        case meanings.SortFunctions() as meaning:
            found = with_sorted_functions(meaning, text, language)
        case meanings.Annotate() as meaning:
            found = annotated(meaning, text) if language == "python" else None
        case meanings.AddParameter() as meaning:
            found = with_parameter(meaning, text) if language == "python" else None
        case meanings.Document() as meaning:
            found = documented(meaning, text) if language == "python" else None
        case meanings.Guard() as meaning:
            found = guarded(meaning, text) if language == "python" else None
        case _:
            found = None
    place = meant.place if isinstance(meant, meanings.Placed) else ""
    if found is not None and place and not isinstance(meant, meanings.Rename):
        where = place_of(place, text, language)
        found = within(where, found, text) if where else None
    if found is None:
        return None
    if found.is_single and parses(text, language) and parses(found.readings[0], language) is False:
        return Literal(found.readings)
    return found


def _tidied(chore: str, text: str, language: str, path: str) -> Literal | None:
    match chore:
        case "sort-imports":
            return with_sorted_imports(text, language, path)
        case "unused-imports":
            return without_unused_imports(text, language, path)
        case "single-quotes" | "double-quotes":
            return with_quotes("'" if chore.startswith("single") else '"', text, language)
        case "logging":
            return logging_prints("info", text, language)
        case "with-open" if language == "python":
            return with_open(text)
        case "f-strings" if language == "python":
            return with_f_strings(text)
    return None
