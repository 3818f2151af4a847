"""``python -m benchmarks.apply.picture``: draws docs/images/alignment.svg, a sketch beside its file as ``align`` reads it.

Each line of the part is joined to the file's line that it matches; lines of the range that go and lines that
are new stand in gaps. The range is the one that the code finds.
"""

from __future__ import annotations

from html import escape
from pathlib import Path

from editd.apply.paste.segments import Segment
from editd.apply.readers.by_alignment import align
from editd.apply.text.file_lines import FileLines
from editd.diff.matching import changes

PICTURE = Path("docs/images/alignment.svg")
_FILE = """\
class Cart:
    def __init__(self):
        self.items = []

    def total(self):
        amount = 0
        for item in self.items:
            amount += item.price
        return amount

    def clear(self):
        self.items = []
"""
_PART = """\
    def total(self):
        tax = 0
        amount = 0
        amount += tax
        return amount
"""
FILE, PART = _FILE.splitlines(), _PART.splitlines()
MARKER = "# ... existing code ..."

_LINE, _TOP, _LEFT, _MIDDLE, _WIDTH = 22, 34, 24, 350, 820
_SAME, _NEW, _GONE = "#4c78a8", "#3a923a", "#c44e52"


def main() -> int:
    """Align the part, and draw it."""
    aligned = align(FileLines(FILE), [Segment(tuple(PART), above=True, below=True)])
    assert aligned is not None  # noqa: S101 - both texts are short
    [change] = aligned.changes
    PICTURE.write_text(drawn(change.start, change.end), encoding="utf-8")
    return 0


def drawn(start: int, end: int) -> str:
    """The picture of the part in the place of lines ``start .. end`` of the file."""
    offset = 4  # of the part's first line from the file's
    shapes = [_text(_LEFT, 0, "sketch", "#666"), _text(_MIDDLE, 0, "file", "#666")]
    shapes += [_text(_LEFT, offset, MARKER, "#888"), _text(_LEFT, offset + 6, MARKER, "#888")]
    lost, new = set(range(start, end)), set(range(len(PART)))
    for old_row, new_row in _matched(start, end):
        lost.discard(old_row)
        new.discard(new_row)
        x, y = _LEFT + 8.4 * len(PART[new_row]) + 8, _middle(offset + 1 + new_row)
        shapes.append(
            f'<path d="M{x:.0f},{y} C{_MIDDLE - 60},{y} {_MIDDLE - 70},{_middle(old_row + 1)} '
            f'{_MIDDLE - 10},{_middle(old_row + 1)}" fill="none" stroke="{_SAME}" stroke-width="1.5"/>'
        )
    for row, line in enumerate(PART):
        colour = _NEW if row in new else "#222"
        shapes.append(
            _text(_LEFT, offset + 1 + row, line + ("   + new" if row in new else ""), colour)
        )
    for row, line in enumerate(FILE):
        colour = _GONE if row in lost else "#222" if start <= row < end else "#888"
        shapes.append(_text(_MIDDLE, row + 1, line + ("   - goes" if row in lost else ""), colour))
    top, height = _TOP + _LINE * (start + 0.3), _LINE * (end - start)
    shapes.append(
        f'<path d="M{_WIDTH - 90},{top} h8 v{height} h-8" fill="none" stroke="{_SAME}" stroke-width="1.5"/>'
        f'<text x="{_WIDTH - 76}" y="{top + height / 2 + 5}" fill="{_SAME}">its range</text>'
    )
    bottom = _TOP + _LINE * len(FILE)
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {_WIDTH} {bottom + 20}" '
        'font-family="ui-monospace, Menlo, Consolas, \'DejaVu Sans Mono\', monospace" font-size="14">\n'
        '<rect width="100%" height="100%" fill="#fff"/>\n' + "\n".join(shapes) + "\n</svg>\n"
    )


def _matched(start: int, end: int) -> list[tuple[int, int]]:
    """The pairs of a line of the file and a line of the part that match."""
    pairs = []
    then = now = 0
    for change in changes(FILE[start:end], PART):
        pairs += [(start + then + n, now + n) for n in range(change.old_start - then)]
        then, now = change.old_end, change.new_end
    return pairs + [(start + then + n, now + n) for n in range(end - start - then)]


def _middle(row: int) -> float:
    return _TOP + _LINE * row - 5


def _text(x: int, row: int, text: str, colour: str) -> str:
    return (
        f'<text x="{x}" y="{_TOP + _LINE * row}" fill="{colour}" xml:space="preserve">'
        f"{escape(text)}</text>"
    )


if __name__ == "__main__":
    raise SystemExit(main())
