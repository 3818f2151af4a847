"""Answers a request by its words alone, where they decide it: a normal ``EditResult``, and no model.

Which requests that are is decided here for every client, and which computation says what. Several readings are kept
where people differ: whether a name in a comment is renamed, where an import goes. Texts are the model's: LF, no BOM.
"""

from __future__ import annotations

from dataclasses import replace
from time import monotonic

from editd.diff.document import Document
from editd.diff.edits import apply, trimmed
from editd.diff.hunk import Hunk, Origin
from editd.diff.matching import changes
from editd.errors import EditRefused
from editd.intent import Instruction, read
from editd.messages import EditRequest, EditResult, ErrorInfo
from editd.messages.options import ways_from
from editd.messages.reports import Stats
from editd.refactor.candidates import Literal
from editd.refactor.locations import around
from editd.refactor.transform import literal
from editd.syntax.language import language_of

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
