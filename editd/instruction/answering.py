"""Answers a request by its words alone, where they decide it: a normal ``EditResult``, and no model.

Which requests that are is decided here for every client; the text is computed in ``literal``.
"""

from __future__ import annotations

from time import monotonic

from editd.diff.document import Document
from editd.diff.edits import apply, trimmed
from editd.diff.hunk import Hunk, Origin
from editd.diff.matching import changes
from editd.instruction import read
from editd.instruction.literal import literal
from editd.instruction.meant import Literal
from editd.messages import EditRequest, EditResult, Stats, ways_from
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
    start, end = request.start_line or 0, request.end_line
    is_part = request.start_line is not None or end is not None
    last = len(document.lines) if end is None else end
    meant = literal(
        said,
        document.model_text,
        language_of(request.path, request.language_id),
        path=request.path,
        selected=(start, last) if is_part else None,
    )
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
        summary=(_COMPUTED if hunks else _DONE) + ("" if is_wide else _left(meant)),
        ways=ways_from("words", resembling=meant.resembling is not None and not is_wide),
    )


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


def _left(meant: Literal) -> str:
    """What resembles it and stays, in one sentence."""
    parts = [f"{what}: {_numbered(lines)}" for what, lines in meant.stays]
    return f" It stays in {'; in '.join(parts)}." if parts else ""


def _numbered(lines: tuple[int, ...]) -> str:
    numbers = ", ".join(str(line + 1) for line in lines[:_MOST_LINES])
    more = f" and {len(lines) - _MOST_LINES} more" if lines[_MOST_LINES:] else ""
    return f"{'line' if len(lines) == 1 else 'lines'} {numbers}{more}"
