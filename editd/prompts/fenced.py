"""Answers in a Markdown fence, and what models make of it.

Knows fence lines and which lines may be talk; knows nothing of prompts or of the diff. Handled: the
opening fence written once more, with or without talk before it; talk after the closing fence; a
closing fence that never comes, or that stands at the end of the last line; fenced blocks inside
the text; a longer fence that is closed by a usual one; answers that are talk and nothing else.
"""

from __future__ import annotations

import re

from editd.prompts.prose import is_prose, is_refusal, is_talk, reads_like_prose


class FencedAnswer:
    """Gives out what stands between the opening and the closing fence line.

    opening: not empty when the opening fence is already given. fence: the closing line. region:
    as in ``AnswerReader``.
    """

    def __init__(self, opening: str, fence: str, region: str) -> None:
        self.closed = False
        self.talk = ""
        self._opening_given = bool(opening.strip())
        self._mark = fence[0]
        self._length = len(fence)
        self._region_lines = {line.strip() for line in region.split("\n")}
        self._expects_prose = not region or is_prose(region)

        self._in_body = False
        self._saw_bare_fence = False  # first of all: written once more, or closing an empty body?
        self._depth = 0  # of fenced blocks inside the body
        shorter = [line for line in region.split("\n") if self._is_shorter(line)]
        self._in_shorter = len(shorter) % 2 == 1  # a block of the text's own is open
        self._may_close = ""  # a shorter fence that closes the body, if nothing follows
        self._wrote_text = False
        self._held: list[str] = []  # lines before the body: talk, or the body after all
        self._before_fence: list[str] = []  # what was held when a fence began the body
        # The line that is being written, in pieces: a whole answer may be one line.
        self._line: list[str] = []
        self._uncertain: list[str] = []  # its end, which may be a fence: signs, then blanks
        self._num_given = 0  # characters of it that were given out

    @property
    def properly_empty(self) -> bool:
        """Whether the closing fence was written."""
        return self.closed

    def feed(self, text: str) -> str:
        *whole, rest = text.split("\n")
        given: list[str] = []
        for piece in whole:
            given += self._goes_on(), self._end_line(piece + "\n")
        if rest:
            given.append(self._goes_on())
            self._line.append(rest)
            if self._in_body and self._wrote_text and not self.closed:
                given.append(self._certain_part(rest))
        return "".join(given)

    def finish(self) -> str:
        if self.closed:
            return ""
        line = "".join(self._line)
        rest = line[self._num_given :]
        if self._may_close or self._closes_early(line):
            self.closed = True
            return ""
        if self._is_glued_fence(rest):
            self.closed = True
            rest = ""
        if not self._in_body and line:
            rest = self._read(line)
        if self._in_body and self._may_decline(rest):
            self._held.append(rest)
            self._drop_held()
            return ""
        if self._in_body:
            rest = self._begin_body() + rest
            return rest if self._wrote_text or rest.strip() else self._unfenced(self._before_fence)
        self.closed = self.closed or self._saw_bare_fence
        return rest + self._unfenced(self._held)

    # --- line by line ----------------------------------------------------------------------------

    def _end_line(self, end: str) -> str:
        if self.closed:
            return ""
        line, num_given = "".join((*self._line, end)), self._num_given
        self._line, self._uncertain, self._num_given = [], [], 0
        text = self._read(line)[num_given:]
        self._wrote_text = self._wrote_text or bool(text.strip())
        return text

    def _certain_part(self, piece: str) -> str:
        """What ``piece`` shows to be body: all of the line but a run at its end that may be a fence."""
        bare = piece.rstrip()
        size = len(bare.rstrip(self._mark))
        begins_run = bool(bare and self._uncertain) and self._uncertain[-1][-1].isspace()
        if not size and not begins_run:
            self._uncertain.append(piece)
            return ""
        part = "".join((*self._uncertain, piece[:size]))
        self._uncertain = [piece[size:]] if size < len(piece) else []
        self._num_given += len(part)
        return part

    def _read(self, line: str) -> str:
        """Take a whole line; return the body text that it makes certain."""
        fence = self._fence_in(line)
        if self._in_body:
            return self._read_body(line, fence)
        if fence is not None:
            return self._read_first_fence(has_info=bool(fence["info"]), length=len(fence["run"]))
        return self._read_before_body(line)

    def _read_body(self, line: str, fence: re.Match[str] | None) -> str:
        if fence is None and self._may_decline(line):
            self._held.append(line)
            return ""
        if fence is not None and fence["info"]:
            self._depth += 1
        elif fence is not None and self._depth:
            self._depth -= 1
        elif fence is not None:
            self.closed = True
            if self._held:
                self._drop_held()
            return ""
        if self._closes_early(line):
            self._may_close = line
            return ""
        self._in_shorter ^= self._is_shorter(line)
        return self._begin_body() + line

    def _goes_on(self) -> str:
        """More comes: what may have closed the body opened a block of the text's own."""
        line, self._may_close = self._may_close, ""
        self._in_shorter |= bool(line)
        return line

    def _read_before_body(self, line: str) -> str:
        """A line before the body: the first of it, or one that may be talk."""
        if self._saw_bare_fence and self._is_talk(line):
            self.closed = True  # the fence closed an empty body
            return ""
        first = self._first_held()
        self._held.append(line)
        if not line.strip() or self._is_talk(line):
            return ""
        if not self._opening_given and not self._saw_bare_fence:
            return ""  # it may all be talk, until a fence comes
        if first and is_talk(first):
            self._drop_held()  # "Sure! Here it is:", and then the text at once
            self._held = [line]
        return self._begin_body()

    def _read_first_fence(self, *, has_info: bool, length: int) -> str:
        first = self._first_held()
        if self._saw_bare_fence and not has_info and not first:
            self.closed = True
            return ""
        if not self._opening_given:
            if not has_info and first and not any(map(self._may_introduce, self._held)):
                self.closed = True  # it was never opened, but this closes it
                return self._begin_body()
            self._length = length
        elif not has_info and not first:
            self._saw_bare_fence = True
            return ""
        self._before_fence = self._held
        self._drop_held()
        return self._begin_body()

    def _begin_body(self) -> str:
        self._in_body = True
        body, self._held = "".join(self._held), []
        return body

    def _drop_held(self) -> None:
        self.talk = self._first_held()
        self._held = []

    def _unfenced(self, lines: list[str]) -> str:
        """The body of an answer that ended with ``lines``, which no fence encloses."""
        texts = [line for line in lines if line.strip()]
        if not texts:
            return ""
        if all(map(self._is_talk, texts)):
            self.talk = texts[0].strip()
            return ""
        start = 0
        if self._is_talk(texts[0]) and is_talk(texts[0]):
            while not lines[start].strip() or self._is_talk(lines[start]):
                start += 1
        return "".join(lines[start:])

    # --- what a line is --------------------------------------------------------------------------

    def _fence_in(self, line: str) -> re.Match[str] | None:
        """The fence that ``line`` is, if it is one that can open or close the body."""
        match = _FENCE.fullmatch(line.rstrip())
        if match is None or match["run"][0] != self._mark:
            return None
        any_length = not self._in_body and not self._opening_given
        return match if any_length or len(match["run"]) >= self._length else None

    def _is_shorter(self, line: str) -> bool:
        """Whether ``line`` opens or closes a block of the text's own, which the answer's fence tells apart."""
        match = _FENCE.fullmatch(line.rstrip())
        return match is not None and len(match["run"]) < self._length

    def _closes_early(self, line: str) -> bool:
        bare = not line.strip().strip(self._mark)
        return (
            self._in_body
            and self._wrote_text
            and bare
            and not self._in_shorter
            and self._is_shorter(line)
        )

    def _is_glued_fence(self, rest: str) -> bool:
        """Whether the answer's last characters are a closing fence that got no line of its own."""
        run = rest.strip()
        is_run = len(run) >= self._length and not run.strip(self._mark)
        return self._in_body and not self._depth and is_run

    def _is_talk(self, line: str) -> bool:
        if line.strip() in self._region_lines:
            return False
        return is_talk(line) or (not self._expects_prose and reads_like_prose(line))

    def _may_decline(self, line: str) -> bool:
        """Whether a line of the body says, before any other text, that there will be none."""
        if self._wrote_text:
            return False
        if self._held:
            return not line.strip() or self._is_talk(line)
        return is_refusal(line) and self._is_talk(line)

    def _may_introduce(self, line: str) -> bool:
        is_heading = line[:1].isupper() and line.rstrip().endswith(":")
        return is_heading or is_talk(line) or reads_like_prose(line)

    def _first_held(self) -> str:
        return next((line.strip() for line in self._held if line.strip()), "")


_FENCE = re.compile(r"(?P<run>`{3,}|~{3,})[ \t]*(?P<info>[^`\s][^`]*)?")
