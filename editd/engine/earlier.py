"""An earlier answer that is to be improved on: which part of it a region's new answer replaces."""

from __future__ import annotations

from collections.abc import Sequence

from editd.diff.document import Document


def earlier_answer(text: str, lines: Sequence[str], start: int, end: int) -> str:
    """The part of ``text`` that stands where lines ``start .. end`` of the buffer stand now.

    text: a whole new text that an earlier edit of this buffer wrote. lines: the buffer's, as the
    model sees them. All of ``text`` where the two differ outside these lines, too: then nobody can
    say which part is meant.
    """
    earlier = Document.of(text).model_lines
    stop = len(earlier) - (len(lines) - end)
    if stop < start or earlier[:start] != lines[:start] or earlier[stop:] != lines[end:]:
        return "".join(earlier)
    return "".join(earlier[start:stop])
