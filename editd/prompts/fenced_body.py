"""The body of a fenced answer while it streams: the part that is certain, and its end.

Certain is text that can no longer be a closing fence, a refusal, a quotation of the old text or blank lines that the
fence brought along. Text before and after the body is left to ``fenced``.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import zip_longest

from editd.prompts.fence_lines import FencedBlockReader, FenceLine, glued_fence
from editd.prompts.old_text import OldText, with_ends
from editd.prompts.prose import is_refusal

IsReadWhole = Callable[[str, str], bool]
"""Whether a body is read as a whole: by the words of its fence, and its first line that is not blank."""


class FencedBody:
    """Reads the body from whole lines, and from unfinished ones as they grow.

    opening: the fence that opened it. is_own: the model wrote that; else the prompt has it. old: the text that the
    body replaces.
    """

    def __init__(
        self, opening: FenceLine, old: OldText, *, is_own: bool, is_read_whole: IsReadWhole
    ) -> None:
        self.closing = ""
        """The line that closed the body, once it has."""
        self.talk = ""
        """The first line of a refusal in the place of text."""
        self._opening, self._old, self._is_own, self._is_read_whole = (
            opening,
            old,
            is_own,
            is_read_whole,
        )
        self._block = FencedBlockReader(opening, old.lines)
        self._pieces: list[str] = []
        self._num_out = 0  # of the pieces: given out
        self._has_text = False
        self._waits_for_end = False  # all of it until its end
        self._quotations = old.quotable if is_own else []  # what it may turn out to quote,
        self._num_same = 0  # lines of it, so far
        self._refusal: list[str] = []  # its first lines
        self._blank: list[str] = []  # blank lines, which may be its last
        self._perhaps: list[str] = []  # a fence that closes it if no text follows, and blank lines
        # Of the unfinished line:
        self._is_plain = False  # it does not begin with a fence
        self._uncertain: list[str] = []  # its end, which may be a fence: signs, then blanks
        self._num_given = 0  # characters that were given out

    @property
    def lines(self) -> list[str]:
        """The body so far."""
        return with_ends("".join(self._pieces))

    @property
    def has_text(self) -> bool:
        """Whether the body has more than blank lines and a refusal."""
        return self._has_text

    @property
    def is_quotation(self) -> bool:
        """Whether the body, now closed, is the old text unchanged."""
        return bool(self._quotations) and self._old.is_quoted_in(self.lines)

    def read_line(self, line: str) -> str:
        """Read a whole line, with its line end; returns the text that is now certain and was not returned by
        ``read_part``. Sets ``closing`` at the body's end.
        """
        num_given = self._num_given
        self._uncertain, self._num_given, self._is_plain = [], 0, False
        return self._read_line(line)[num_given:]

    def read_part(self, line: Sequence[str]) -> str:
        """Read an unfinished line, whose last piece is new (``line`` holds all its pieces); returns
        the text that is now certain.

        Nothing before the first text, while all text waits, or of a line that may begin with a
        fence; of others all but a run at the end that may be one.
        """
        if not self._has_text or self._waits_for_end or self._quotations or self._perhaps:
            return ""
        piece = line[-1]
        if not self._is_plain:
            piece = "".join(line)
            if self._block.may_be_fence(piece):
                return ""
            self._is_plain = True
        bare, mark = piece.rstrip(), self._opening.run[0]
        size = len(bare.rstrip(mark))
        begins_run = bool(bare and self._uncertain) and self._uncertain[-1][-1].isspace()
        if not size and not begins_run:
            self._uncertain.append(piece)
            return ""
        part = "".join((*self._uncertain, piece[:size]))
        self._uncertain = [piece[size:]] if size < len(piece) else []
        self._num_given += len(part)
        return self._add("") + part if self._blank else part

    def finish(self) -> str:
        """End the body, closed or not; returns the rest of it, with at most as many blank lines at its end as the old
        text has. Sets ``closing`` if a line that may close it came last, and ``talk`` if all that came is a refusal.
        """
        if self._perhaps:
            self.closing = self._perhaps[0]
        if self._refusal:
            self.talk = next(filter(None, map(str.strip, self._refusal)), "")
        self._pieces += self._blank[: self._old.num_blank_last]
        return self._flush()

    def go_on(self, lines: Sequence[str]) -> str:
        """Append ``lines``, that of the closing fence included: the body went on; returns the rest of it."""
        self._pieces += [*self._blank, *lines]
        return self._flush()

    def _read_line(self, line: str) -> str:
        """Read a whole line; returns the text that is now certain, that which ``read_part`` returned of this line
        included.

        At the body's end sets ``closing`` to the line that closes it. Kept back until the next line decides are a line
        that may close the body or decline the edit, blank lines after one that may close, and blank lines of a body
        that is to end without them.
        """
        text = ""
        if self._perhaps:
            if not line.strip():
                self._perhaps.append(line)
                return ""
            if self._old.is_talk(line):
                self.closing = self._perhaps[0]
                return ""
            self._block.go_on()
            text, self._perhaps = self._add("".join(self._perhaps)), []
        if self._may_decline(line):
            self._refusal.append(line)
            return text
        if self._is_own and not line.strip() and not self._old.keeps_blanks:
            self._blank.append(line)
            return text
        kind = self._block.kind_of(line)
        if kind == "closing":
            self.closing = line
            return text
        if kind == "perhaps" and self._has_text:
            glued = glued_fence(line, self._opening.run)
            size = len(line.rstrip()) - len(glued) if glued else 0
            self._perhaps = [line[size:]]
            return text + self._add(line[:size])
        self._block.go_on()
        return text + self._add(line)

    def _add(self, text: str) -> str:
        """Append text to the body, with the refusal's and blank lines kept before it; returns the text that is now
        certain, none while all text waits for the end or still quotes an old text. Before the first text only as
        many blank lines as the old text begins with.
        """
        blank = self._blank if self._has_text else self._blank[: self._old.num_blank_first]
        text, self._refusal, self._blank = "".join((*self._refusal, *blank, text)), [], []
        if not self._has_text and (first := text.strip()):
            self._waits_for_end = self._is_read_whole(self._opening.info, first)
            self._has_text = True
        self._pieces.append(text)
        if self._quotations and self._has_text:
            self._compare_with_quotations(text)
        return "" if self._waits_for_end or self._quotations else self._flush()

    def _compare_with_quotations(self, text: str) -> None:
        """Count ``text``, the body's newest lines (blank ones at the body's start aside), and take from ``_quotations`` the old
        texts that the body does not quote any more with them. White space at line ends does not count. Once for each text, in
        order.
        """
        new = with_ends(text if self._num_same else text.lstrip("\n"))
        first, self._num_same = self._num_same, self._num_same + len(new)
        self._quotations = [
            quoted
            for quoted in self._quotations
            if all(
                line.rstrip() == old
                for line, old in zip_longest(new, quoted[first : self._num_same], fillvalue="")
            )
        ]

    def _flush(self) -> str:
        """The text that was not returned before."""
        rest, self._num_out = "".join(self._pieces[self._num_out :]), len(self._pieces)
        return rest

    def _may_decline(self, line: str) -> bool:
        """Whether a line, before any text, is a refusal, or a blank or further line of talk after
        one.
        """
        if self._has_text:
            return False
        if self._refusal:
            return not line.strip() or self._old.is_talk(line)
        return is_refusal(line) and self._old.is_talk(line)
