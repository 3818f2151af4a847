"""Answers in a Markdown fence, and what models make of it, while they stream.

Knows where the body of an answer begins and ends, and what of it is certain; ``fence_lines`` knows what a line is. An
answer that begins with its fence, a line of introduction at most before it, is given out as it grows. All others are
kept until the model has ended, and are then ``whole_answer``'s: words of some length before a fence may be a thought
in which the fence is a draft, and a block that repeats the old text is a quotation.
"""

from __future__ import annotations

from collections.abc import Callable
from itertools import zip_longest

from editd.prompts.fence_lines import (
    Block,
    FenceLine,
    glued_fence,
    opening_of,
    run_after,
    text_in_info,
)
from editd.prompts.prose import introduces, is_refusal, is_talk
from editd.prompts.thoughts import Position
from editd.prompts.whole_answer import (
    NewText,
    OldText,
    cut_doubt,
    read_whole,
    what_goes_on,
    with_ends,
)


class FencedAnswer:
    """Gives out what stands between the opening and the closing fence line.

    opening: not empty when the opening fence is already given. fence: the closing line. old: the text that the
    answer replaces. thinks: the model is known to think, so that any words before a fence may be a thought.
    is_kept: whether a body with this first line, in a fence with these words, is kept until its end is known.
    """

    def __init__(
        self,
        opening: str,
        fence: str,
        old: OldText,
        *,
        thinks: bool = False,
        is_kept: Callable[[str, str], bool] = lambda _info, _line: False,
    ) -> None:
        self.closed = False
        self.talk = ""
        self.doubt = ""  # why the body may be another text, once it is finished
        self._asked = FenceLine(fence)
        self._is_given = bool(opening.strip())
        self._old = old
        self._most_introductions = 0 if thinks else _MOST_INTRODUCTIONS
        self._is_kept = is_kept

        self._held: list[str] = []  # lines before the body: talk, or the body after all
        self._saw_bare_fence = False  # first of all: written once more, or closing an empty body?
        self._whole: list[str] | None = None  # all lines of an answer that is kept until its end
        self._run = ""  # the fence of a block that is open in them
        self._block: Block | None = None  # whose lines are the body
        self._opened = self._asked  # the fence that opened it
        self._is_own_fence = False  # the model wrote it,
        self._before: list[str] = []  # behind these lines, itself included
        self._listens = False  # for a thought's end behind the body, although it was given out
        self._body: list[str] = []  # pieces of the body,
        self._num_out = 0  # of which so many were given out
        self._keeps = False  # the rest until the body's end
        self._quotations: list[list[str]] = []  # what the body may turn out to quote,
        self._num_same = 0  # lines of it, so far
        self._blank: list[str] = []  # blank lines, which may be its last
        self._perhaps: list[str] = []  # a fence that closes it if no text follows
        self._after: list[str] | None = None  # behind a fence that may be the text's own
        self._wrote_text = False
        # The line that is being written, in pieces: a whole answer may be one line.
        self._line: list[str] = []
        self._is_plain = False  # the line does not begin with a fence
        self._uncertain: list[str] = []  # its end, which may be a fence: signs, then blanks
        self._num_given = 0  # characters of it that were given out

    @property
    def properly_empty(self) -> bool:
        """Whether the closing fence was written."""
        return self.closed

    @property
    def was_kept(self) -> bool:
        """Whether the answer was read as a whole, when the model had ended."""
        return self._whole is not None

    @property
    def position(self) -> Position:
        """Where the reading stands now."""
        if self._whole is not None:
            return "waiting" if self._run else "before"
        return "before" if self._block is None else "inside"

    def feed(self, text: str) -> str:
        *whole, rest = text.split("\n")
        given = [self._end_line(piece + "\n") for piece in whole]
        if rest:
            self._line.append(rest)
            if self._streams:
                given.append(self._certain_part(rest))
        return "".join(given)

    def finish(self) -> str:
        """The model has ended its answer: return the rest of the body."""
        given = self._end_line("") if self._line else ""
        self.closed = self.closed or bool(self._perhaps)
        if self.closed:
            return given + self._ended()
        if self._after is not None:
            self.closed = True
            body = with_ends("".join(self._body))
            more, self.doubt = what_goes_on(body, self._after, self._old)
            if more:
                return given + self._kept() + "".join((*self._blank, *more))
            return given + self._ended()
        if self._block is not None:
            return given + self._unclosed()
        self.closed = self._saw_bare_fence
        lines = self._held if self._whole is None else self._whole
        return self._chosen(read_whole(lines, self._old))

    # --- line by line ----------------------------------------------------------------------------

    def _end_line(self, end: str) -> str:
        line, num_given = "".join((*self._line, end)), self._num_given
        self._line, self._uncertain, self._num_given, self._is_plain = [], [], 0, False
        if self.closed:
            return ""
        return self._read(line)[num_given:]

    @property
    def _streams(self) -> bool:
        """Whether a part of a line may be given out."""
        is_kept = self._keeps or self._quotations or self._perhaps or self._after is not None
        return self._block is not None and self._wrote_text and not is_kept and not self.closed

    def _certain_part(self, piece: str) -> str:
        """What ``piece`` shows to be body: nothing of a line that may begin with a fence; of others all but a run at
        the end that may be one.
        """
        assert self._block is not None  # noqa: S101 - it streams
        if not self._is_plain:
            piece = "".join(self._line)
            if self._block.may_be_fence(piece):
                return ""
            self._is_plain = True
        bare, mark = piece.rstrip(), self._opened.run[0]
        size = len(bare.rstrip(mark))
        begins_run = bool(bare and self._uncertain) and self._uncertain[-1][-1].isspace()
        if not size and not begins_run:
            self._uncertain.append(piece)
            return ""
        part = "".join((*self._uncertain, piece[:size]))
        self._uncertain = [piece[size:]] if size < len(piece) else []
        self._num_given += len(part)
        return self._give("") + part if self._blank else part

    def _read(self, line: str) -> str:
        """Take a whole line; return the body text that it makes certain."""
        if self._whole is not None:
            self._whole.append(line)
            self._run = run_after(line, self._run)
        elif self._after is not None:
            self._after.append(line)
        elif self._block is not None:
            return self._read_body(line, self._block)
        elif self._is_given:
            return self._read_given(line)
        else:
            self._read_before(line)
        return ""

    # --- before the body -------------------------------------------------------------------------

    def _read_before(self, line: str) -> None:
        """A line of an answer that opens its own fence: talk, or that fence, or the text in none."""
        fence = opening_of(line)
        words = [text for text in self._held if text.strip()]
        self._held.append(line)
        if fence is None:
            return
        is_plain = not fence.indent and not text_in_info(fence.info, self._old.lines)
        if is_plain and len(words) <= self._most_introductions and all(map(introduces, words)):
            self._open(fence)
            self._listens = not all(map(is_talk, words))
        else:
            self._whole, self._run = self._held, fence.run

    def _read_given(self, line: str) -> str:
        """A line of an answer whose fence was given: the first of its text, talk, or the fence once more."""
        fence = opening_of(line)
        if fence is not None and fence.run.startswith(self._asked.run):
            return self._read_first_fence(fence, line)
        if self._saw_bare_fence and self._old.is_talk(line):
            self.closed = True  # the fence closed an empty body
            return ""
        first = self._first_held()
        self._held.append(line)
        if not line.strip() or self._old.is_talk(line):
            return ""
        if first and is_talk(first):
            self._drop_held()  # "Sure! Here it is:", and then the text at once
            self._held = [line]
        lines, self._held = self._held, []
        self._block = Block(self._asked, self._old.lines)
        return "".join([self._read_body(text, self._block) for text in lines])

    def _read_first_fence(self, fence: FenceLine, line: str) -> str:
        if not fence.info and not self._first_held():
            self.closed = self._saw_bare_fence
            self._saw_bare_fence = True
            return ""
        self._held.append(line)
        self._open(fence)
        return ""

    def _open(self, fence: FenceLine) -> None:
        """Begin the body behind the model's own fence, the last line that is held."""
        self._before, self._held = self._held, []
        self.talk = next(filter(None, map(str.strip, self._before[:-1])), "")
        self._is_own_fence = True
        self._opened, self._block = fence, Block(fence, self._old.lines)
        self._quotations = self._old.quotable

    def _first_held(self) -> str:
        return next(filter(None, map(str.strip, self._held)), "")

    def _drop_held(self) -> None:
        self.talk = self._first_held()
        self._held = []

    # --- the body --------------------------------------------------------------------------------

    def _read_body(self, line: str, block: Block) -> str:
        text = ""
        if self._perhaps:
            if not line.strip():
                self._perhaps.append(line)
                return ""
            if self._old.is_talk(line):
                return self._close(self._perhaps[0])
            block.go_on()
            text, self._perhaps = self._give("".join(self._perhaps)), []
        if self._may_decline(line):
            self._held.append(line)
            return text
        if self._is_own_fence and not line.strip() and not self._old.keeps_blanks:
            self._blank.append(line)
            return text
        reading = block.read(line)
        if reading == "closing":
            return text + self._close(line)
        if reading == "perhaps" and self._wrote_text:
            glued = glued_fence(line, self._opened.run)
            size = len(line.rstrip()) - len(glued) if glued else 0
            self._perhaps = [line[size:]]
            return text + self._give(line[:size])
        block.go_on()
        return text + self._give(line)

    def _give(self, text: str) -> str:
        """Add to the body; return what of it can be given out."""
        blank = self._blank if self._wrote_text else self._blank[: self._old.num_blank_first]
        text, self._held, self._blank = "".join((*self._held, *blank, text)), [], []
        if not self._wrote_text and (first := text.strip()):
            self._keeps = self._is_kept(self._opened.info, first)
            self._wrote_text = True
        self._body.append(text)
        if self._quotations and self._wrote_text:
            self._compare_with_quotations(text)
        return "" if self._keeps or self._quotations else self._kept()

    def _compare_with_quotations(self, text: str) -> None:
        lines = [
            line.rstrip() for line in with_ends(text.lstrip("\n") if not self._num_same else text)
        ]
        start, self._num_same = self._num_same, self._num_same + len(lines)
        self._quotations = [
            quoted
            for quoted in self._quotations
            if not any(
                line != old
                for line, old in zip_longest(lines, quoted[start : self._num_same], fillvalue="")
            )
        ]

    def _ended(self) -> str:
        """What of the body was not given out yet, now that it has ended."""
        self._body += self._blank[: self._old.num_blank_last]
        return self._kept()

    def _kept(self) -> str:
        kept, self._num_out = "".join(self._body[self._num_out :]), len(self._body)
        return kept

    def _close(self, line: str) -> str:
        """A line of the body closes it."""
        lines = with_ends("".join(self._body))
        if self._quotations and self._old.is_quoted_in(lines):
            # It quotes what is to be changed, and another block follows.
            self._whole, self._block = [*self._before, *lines, line], None
        elif self._listens or (self._is_own_fence and self._may_be_own(self._opened)):
            self._after = [line]
        else:
            self.closed = True
            if self._held:
                self._drop_held()
        return ""

    def _may_be_own(self, fence: FenceLine) -> bool:
        """Whether the text may have fences as long as the one around it, which is shorter than was asked."""
        return self._old.may_have_fences and len(fence.run) < len(self._asked.run)

    def _unclosed(self) -> str:
        """The rest of a body whose fence never came."""
        if self._held:
            self._drop_held()
        elif not self._wrote_text:
            return self._chosen(read_whole(self._before[:-1], self._old))
        elif self._is_own_fence:
            self.doubt = cut_doubt(with_ends("".join(self._body)), self._old)
        return self._ended()

    def _chosen(self, text: NewText) -> str:
        self.closed = self.closed or text.closed
        self.talk, self.doubt = text.talk or self.talk, text.doubt
        return text.body

    def _may_decline(self, line: str) -> bool:
        """Whether a line of the body says, before any other text, that there will be none."""
        if self._wrote_text:
            return False
        if self._held:
            return not line.strip() or self._old.is_talk(line)
        return is_refusal(line) and self._old.is_talk(line)


_MOST_INTRODUCTIONS = 2  # lines before a fence that are no thought
