"""The comma at the end of a fragment: an assistant shows ``}``, and the file has ``},`` because more follows there.

Knows lines; a comma that goes between two elements of one list or mapping is never meant.
"""

from __future__ import annotations

from dataclasses import replace
from itertools import chain

from editd.apply.reading import ChangedLines, Reading
from editd.apply.text.file_lines import FileLines
from editd.apply.text.line import CLOSES, given_name, indent_of, nesting
from editd.diff.matching import changes as differences

_TEXTS = ("", "markdown", "rst", "text", "latex")


def with_commas(found: Reading, lines: FileLines) -> Reading:
    """The reading, with a comma added to a rewritten line where the file's line had one, the paste's has none, and a
    line of the same depth that closes nothing follows.

    Only the last line of each rewritten stretch is looked at, and only within brackets. The line must lose nothing but
    the comma; in JSON its value may differ. In JSON a comma that a closing bracket follows is removed, unless the
    file's line had one, too. Nothing changes in prose and unknown languages.
    """
    if lines.language in _TEXTS:
        return found
    return replace(found, changes=tuple(_with_comma(change, lines) for change in found.changes))


def _with_comma(change: ChangedLines, lines: FileLines) -> ChangedLines:
    """A copy of the change, with a comma added to, or in JSON removed from, the last line of each stretch that replaces
    old lines by new ones.

    Added within brackets, where the file's line had a comma, the new one lacks nothing else, and the next line that is
    not blank is as deep and closes nothing; in JSON a new value of the same key will do, if it does not end in ``,``,
    ``{`` or ``[``. Removed in JSON before a closing bracket, if the file's line has the same key and no comma.
    """
    new = list(change.new)
    for part in differences(lines.keys[change.start : change.end], change.new):
        if part.old_start == part.old_end or part.new_start == part.new_end:
            continue
        end = change.start + part.old_end
        was, now = lines.keys[end - 1], new[part.new_end - 1]
        follows = next(filter(None, chain(new[part.new_end :], lines.keys[change.end :])), "")
        is_json = lines.language == "json" and given_name(now) == given_name(was)
        if CLOSES.match(follows):
            if is_json and not was.endswith(","):
                new[part.new_end - 1] = now.removesuffix(",")
        elif (
            was.endswith(",")
            and (now == was[:-1] or (is_json and now[-1:] not in (",", "{", "[")))
            and indent_of(now) == indent_of(was) == indent_of(follows)
            and any(opened > 0 for opened in nesting(lines.keys[: end - 1])[:3])
        ):
            new[part.new_end - 1] = f"{now},"
    return replace(change, new=tuple(new))
