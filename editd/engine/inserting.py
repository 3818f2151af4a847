"""The hunk of a new definition: what a model wrote for a place, as it stands there."""

from __future__ import annotations

from collections.abc import Sequence

from editd.diff.document import Document, with_lf
from editd.diff.hunk import Hunk, Origin
from editd.prompts.insertion import Insertion, arranged


def inserted(hunks: Sequence[Hunk], document: Document, place: Insertion) -> list[Hunk]:
    """The hunks of an answer for an empty region as one hunk, which inserts all their lines at ``place``, at its
    indentation and with blank lines around; after a last line without a newline the hunk replaces that line by the
    line itself and the new ones. All of its text is of origin ``new``.

    The same hunks in a list if one of them replaces a line, or nothing but blanks was written.
    """
    if any(hunk.old_count for hunk in hunks):
        return list(hunks)
    written = [line for hunk in hunks for line in with_lf(hunk.new_lines)]
    lines = arranged(written, place, document.model_lines)
    if not lines:
        return list(hunks)
    start, count = place.line, 0
    if start == len(document.lines) and start and not document.ends_with_newline:
        # The last line gets an end, and the new last one has none.
        start, count = start - 1, 1
        lines = [f"{document.model_lines[start]}\n", *lines[:-1], lines[-1].rstrip("\n")]
    new_lines = document.restore_ends(lines, start, count)
    origins = tuple(Origin(at, 0, len(line), "new") for at, line in enumerate(new_lines))
    return [Hunk(hunks[0].id, start, count, new_lines, origins=origins)]
