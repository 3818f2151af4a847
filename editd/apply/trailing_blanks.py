"""Which blanks at the ends of new lines are meant, and which come from copying."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from editd.apply.paste.recognise import Paste
from editd.apply.reading import LineChange, differences
from editd.apply.text.file_lines import MOST_COMPARED, FileLines
from editd.diff.matching import changes, is_weak


class TrailingBlanks:
    """Which blanks at the ends of new lines are meant.

    Assistants drop a file's trailing blanks or add their own. They are meant if the paste shows the file's
    as they are, and noise if it adds some to the file's lines. ``doubtful``: neither, or both.
    """

    def __init__(self, paste: Paste, lines: FileLines, changed: Sequence[LineChange]) -> None:
        self._keys = lines.keys
        self._raw = [line for block in paste.code_blocks for line in ("", *block.lines)]
        self._bare = [line.strip() for line in self._raw]
        self.doubtful = False
        shown: list[tuple[str, str]] = []  # the file's line and the paste's
        come: list[str] = []
        for one in changed:
            new = self._as_pasted(one.new) if one.new else []
            now = then = 0
            for change in (*changes(lines.keys[one.start : one.end], one.new), None):
                end = len(new) if change is None else change.new_start
                shown += zip(lines.raw[one.start + then :], new[now:end], strict=False)
                if change is not None:
                    come += new[change.new_start : change.new_end]
                    then, now = change.old_end, change.new_end
        keeps = any(was == line != was.rstrip() for was, line in shown)
        loses = any(len(line) < len(was) for was, line in shown if not is_weak(line))
        adds = sum(len(line) > len(was) for was, line in shown if not is_weak(line)) > 1
        self.doubtful |= (
            (keeps and (loses or adds))
            or (keeps == adds and any(line != line.rstrip() for line in come))
            or any(len(line) < len(was) and not loses for was, line in shown)
            or any(len(line) > len(was) and not adds for was, line in shown)
        )
        self._keeps = keeps and not adds

    def differences(self, found: Sequence[LineChange]) -> list[LineChange]:
        """What changes really change, with the blanks that are meant."""
        told = (replace(one, new=self._meant(one.new)) for one in found)
        return [part for one in told for part in differences(one, self._keys)]

    def _meant(self, new: Sequence[str]) -> tuple[str, ...]:
        kept = self._as_pasted(new) if new and self._keeps else [line.rstrip() for line in new]
        return tuple(kept)

    def _as_pasted(self, new: Sequence[str]) -> list[str]:
        """The lines with their blanks in the paste, where they stand there in a row."""
        bare = [line.strip() for line in new]
        found = set()
        starts = [start for start, line in enumerate(self._bare) if line == bare[0]]
        too_much = len(starts) * len(bare) > MOST_COMPARED
        for start in () if too_much else starts:
            if self._bare[start : start + len(bare)] == bare:
                pasted = self._raw[start : start + len(bare)]
                found.add(tuple(line[len(line.rstrip()) :] for line in pasted))
        if len(found) != 1:
            self.doubtful |= bool(found) or too_much
            return [line.rstrip() for line in new]
        return [line.rstrip() + blanks for line, blanks in zip(new, found.pop(), strict=True)]
