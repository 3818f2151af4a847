"""Trailing blanks of new lines: which are meant, and which come from copying."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from editd.apply.paste.recognise import Paste
from editd.apply.reading import ChangedLines, differences
from editd.apply.text.file_lines import MOST_COMPARED, FileLines
from editd.diff.matching import changes, is_weak


class TrailingBlanks:
    """Trailing blanks of new lines: which are meant, and which come from copying.

    Assistants drop a file's trailing blanks or add their own. They are meant if the paste shows the file's as they are,
    and noise if it adds some to the file's lines. ``doubtful``: neither, or both; it may also become true in
    ``differences``.
    """

    def __init__(self, paste: Paste, lines: FileLines, changed: Sequence[ChangedLines]) -> None:
        self._keys = lines.keys
        self._raw = [line for block in paste.code_blocks for line in ("", *block.lines)]
        self._bare = [line.strip() for line in self._raw]
        self.doubtful = False
        shown: list[tuple[str, str]] = []  # the file's line and the paste's
        added: list[str] = []
        for whole_change in changed:
            new = self._as_pasted(whole_change.new) if whole_change.new else []
            now = then = 0
            for change in (
                *changes(lines.keys[whole_change.start : whole_change.end], whole_change.new),
                None,
            ):
                end = len(new) if change is None else change.new_start
                shown += zip(lines.raw[whole_change.start + then :], new[now:end], strict=False)
                if change is not None:
                    added += new[change.new_start : change.new_end]
                    then, now = change.old_end, change.new_end
        keeps = any(was == line != was.rstrip() for was, line in shown)
        loses = any(len(line) < len(was) for was, line in shown if not is_weak(line))
        adds = sum(len(line) > len(was) for was, line in shown if not is_weak(line)) > 1
        self.doubtful |= (
            (keeps and (loses or adds))
            or (keeps == adds and any(line != line.rstrip() for line in added))
            or any(len(line) < len(was) and not loses for was, line in shown)
            or any(len(line) > len(was) and not adds for was, line in shown)
        )
        self._keeps = keeps and not adds

    def differences(self, found: Sequence[ChangedLines]) -> list[ChangedLines]:
        """The runs of lines in which the changes really differ from the file (trailing blanks aside), new lines with
        the trailing blanks that are meant.

        Sets ``doubtful`` if lines of a change stand more than once in the paste, with different trailing blanks.
        """
        with_blanks = (replace(change, new=self._with_meant_blanks(change.new)) for change in found)
        return [part for change in with_blanks for part in differences(change, self._keys)]

    def _with_meant_blanks(self, new: Sequence[str]) -> tuple[str, ...]:
        """New lines as the paste has them, trailing blanks included, if the paste keeps the file's trailing blanks;
        else without any. May set ``doubtful``; see ``_as_pasted``.
        """
        rows = self._as_pasted(new) if new and self._keeps else [line.rstrip() for line in new]
        return tuple(rows)

    def _as_pasted(self, new: Sequence[str]) -> list[str]:
        """The lines with the trailing blanks that they have in the paste, where they stand there one below the other,
        the blanks around them aside.

        Without any, and with ``doubtful`` set, if they stand there more than once with different trailing blanks, or
        take too many comparisons to find; without any if they stand nowhere. Raises ``IndexError`` for no lines.
        """
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
