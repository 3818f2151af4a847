"""Detects an answer that repeats itself while it is written.

A small model that has lost its way repeats itself until something stops it: a block of lines, the
same line with another number, a piece of a line. An answer is ended for it, so it wants what no honest
answer of this text has. Knows the answer's text so far and the text that it replaces; knows nothing of
tokens or hunks.
"""

from __future__ import annotations

import re
from collections import Counter, deque

from editd.checks.rewrite import quoted

_LONGEST_PERIOD = 60  # lines of a block; characters of a piece of a line
_FEWEST_COPIES = 3
_FEWEST_LINES = 6  # that copies cover,
_FEWEST_CHARACTERS = 200  # or characters
_FEWEST_IN_LINE = 80  # characters of one line that are a piece of it over and over,
_STEP = 16  # looked at when so many more have come
_LONGEST_TAIL = _FEWEST_COPIES * _LONGEST_PERIOD
_WINDOW = 32  # lines in a row
_FEWEST_DIFFERENT = 4  # in a window, numbers apart
_NUMBER = re.compile(r"\d+")
_REPEATED = re.compile(r"(\w{3,20}?)\1+")


class LoopWatch:
    """Reads an answer as it grows. region: the text that the answer replaces. ``found`` quotes the repeated text, if any."""

    def __init__(self, region: str) -> None:
        self._region = region
        lines = region.split("\n")
        self._old = Counter(lines)
        self._old_shapes = Counter(map(_shape, lines))
        self._lines: list[str] = []
        self._equal = [0] * (
            _LONGEST_PERIOD + 1
        )  # lines in a row that equal the one a period before
        self._shapes: deque[str] = deque(maxlen=_WINDOW)
        self._partial: list[str] = []  # characters of the line that is being written
        self.found = ""

    def feed(self, text: str) -> None:
        """Take the next piece of the answer, and set ``found`` to the repeated text, quoted, if the answer repeats
        itself; ``found`` stays set, a later repetition replaces it. Finished lines are looked at, and an unfinished one
        at every 16 characters from 80 on.
        """
        for character in text:
            if character == "\n":
                self._add("".join(self._partial))
                self._partial.clear()
                continue
            self._partial.append(character)
            if len(self._partial) % _STEP == 0 and len(self._partial) >= _FEWEST_IN_LINE:
                self._judge_line("".join(self._partial[-_LONGEST_TAIL:]))

    def _add(self, line: str) -> None:
        """Take a finished line without its end, remember it, and set ``found`` if the answer repeats itself with it: by
        a block of up to 60 lines for the third time (``_judge_block``), or in the last lines that are not blank
        (``_judge_window``).
        """
        self._lines.append(line)
        for period in range(1, min(_LONGEST_PERIOD, len(self._lines) - 1) + 1):
            same = self._lines[-1 - period] == line
            self._equal[period] = self._equal[period] + 1 if same else 0
            if self._equal[period] >= (_FEWEST_COPIES - 1) * period:
                self._judge_block(period)
        if line.strip():
            self._shapes.append(_shape(line))
            self._judge_window()

    def _judge_block(self, period: int) -> None:
        """Set ``found`` to the longest line of the block if the last lines are copies of a block of ``period`` lines:
        six lines or 200 characters at least, twice as many copies as the old text has of its rarest line, and a letter
        in the block.
        """
        covered = self._equal[period] + period
        block = self._lines[-period:]
        size = sum(len(line) + 1 for line in block) * covered // period
        copies = covered // period
        if covered < _FEWEST_LINES and size < _FEWEST_CHARACTERS:
            return
        if copies >= 2 * min(self._old[line] for line in block) and _says_something(block):
            self.found = quoted(max(block, key=len))

    def _judge_window(self) -> None:
        """Set ``found`` to the last line if the last 32 lines that are not blank are fewer than four different ones,
        numbers and repeated words aside, the commonest stands more than twice as often as in the old text, and some line has a
        letter.
        """
        counts = Counter(self._shapes)
        if len(self._shapes) < _WINDOW or len(counts) >= _FEWEST_DIFFERENT:
            return
        shape, count = counts.most_common(1)[0]
        if count > 2 * self._old_shapes[shape] and _says_something(counts):
            self.found = quoted(self._lines[-1])

    def _judge_line(self, line: str) -> None:
        """Set ``found`` to the piece if the end of the unfinished line repeats a piece of 2 to 60 characters (three
        times, 80 characters at least), and the old text does not have that end.
        """
        for period in range(2, _LONGEST_PERIOD + 1):
            tail = line[-max(_FEWEST_IN_LINE, _FEWEST_COPIES * period) :]
            if len(tail) >= _FEWEST_COPIES * period and tail[period:] == tail[:-period]:
                if _says_something([tail]) and tail not in self._region:
                    self.found = quoted(tail[-period:])
                return


def _shape(line: str) -> str:
    """``line`` with 0 for each number, and a word once that stands several times in a row."""
    return _REPEATED.sub(r"\1", _NUMBER.sub("0", line[:200]))


def _says_something(texts: list[str] | Counter[str]) -> bool:
    """Whether a text has a letter, or a character that could not be decoded."""
    return any(any(map(str.isalpha, text)) or "\ufffd" in text for text in texts)
