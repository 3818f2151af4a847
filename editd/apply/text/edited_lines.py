"""A file's lines while the code blocks of an answer are taken one after the other, each in the text that those before it left."""

from __future__ import annotations

from itertools import pairwise

from editd.apply.reading import ChangedLines, Reading
from editd.apply.text.file_lines import FileLines
from editd.diff.matching import changes as differences


class EditedLines:
    """The lines as edited so far, with the origin of each.

    file: as they were. lines: as they are.
    """

    def __init__(self, lines: FileLines) -> None:
        self.file = lines
        self.lines = lines
        self._origin: list[int | None] = [*range(len(lines))]  # the file's line, None for a new one
        self._taken: list[Reading] = []
        self._by: list[ChangedLines | None] = [None] * len(lines)  # that wrote a line
        self._removed_by: dict[
            int, ChangedLines
        ] = {}  # by line of the file, the change that took it away

    def take(self, found: Reading) -> None:
        """Apply a reading of ``lines`` as they are now, in place: ``lines`` becomes the new text, and for each line is
        remembered the change that wrote or removed it.
        """
        self._taken.append(found)
        keys = list(self.lines.keys)
        for change in sorted(
            found.changes, key=lambda change: (change.start, change.end), reverse=True
        ):
            shown = self.lines.keys[change.start : change.end]
            for part in reversed(differences(shown, change.new)):
                start, end = change.start + part.old_start, change.start + part.old_end
                new = change.new[part.new_start : part.new_end]
                self._removed_by |= {n: change for n in self._origin[start:end] if n is not None}
                keys[start:end] = new
                self._origin[start:end] = [None] * len(new)
                self._by[start:end] = [change] * len(new)
        self.lines = FileLines(keys, self.file.language)

    def changes(self) -> Reading:
        """The changes that were taken so far, as one reading of the original file, in its order; neighbouring ones are
        merged.

        Each is as confident, and has the sentence, of the least confident change that made it, with the doubts of all,
        the least ``before_doubts``, and ``is_whole`` if all have it; ``ends`` is not kept. The reading is as confident
        as the least confident reading that was taken; 0 if none was.
        """
        found = []
        staying = [n for n in self._origin if n is not None]
        borders = [-1, *staying, len(self.file)]
        now = 0
        for above, below in pairwise(borders):
            new = []
            while now < len(self._origin) and self._origin[now] is None:
                new.append(now)
                now += 1
            now += 1  # the kept line below
            if new or below - above > 1:
                made = [self._by[n] for n in new]
                made += [self._removed_by[n] for n in range(above + 1, below)]
                least = min(filter(None, made), key=lambda change: change.confidence)
                doubts = tuple(dict.fromkeys(x for change in made if change for x in change.doubts))
                text = tuple(self.lines.keys[n] for n in new)
                by = [x for x in made if x]
                raw, is_whole = min(x.before_doubts for x in by), all(x.is_whole for x in by)
                found.append(
                    ChangedLines(
                        above + 1,
                        below,
                        text,
                        least.confidence,
                        least.sentence,
                        doubts,
                        raw,
                        is_whole,
                    )
                )
        return Reading(
            tuple(found), min((change.confidence for change in self._taken), default=0.0)
        )
