"""Answers in a Markdown fence, with the errors that models make with it, while they stream.

Knows where an answer's body begins, and what may follow it. The body of an answer that begins with its fence, or with
a line that announces it, is returned as it grows (``fenced_body``). All others are collected until the model has
ended, and are then ``whole_answer``'s: words of some length before a fence may be a thought in which the fence is a
draft, and a block that repeats the old text is a quotation.
"""

from __future__ import annotations

from editd.prompts.fence_lines import FenceLine, opening_of, run_after, text_in_info
from editd.prompts.fenced_body import FencedBody, IsReadWhole
from editd.prompts.old_text import OldText
from editd.prompts.prose import introduces, is_talk, thinks_aloud
from editd.prompts.thoughts import Position
from editd.prompts.whole_answer import NewText, continuation, cut_doubt, read_whole

_MOST_INTRODUCTIONS = 2  # lines before a fence that are no thought
_THOUGHT = "The answer begins like a thought, so it may be none."


class FencedAnswer:
    """Finds the text between the opening and the closing fence line.

    opening: not empty if the prompt already has the opening fence. fence: the closing line. old: the text that the
        answer replaces.
    thinks: the model is known to think, so that any words before a fence may be a thought. is_read_whole: as in
        ``FencedBody``.
    """

    def __init__(
        self,
        opening: str,
        fence: str,
        old: OldText,
        *,
        thinks: bool = False,
        is_read_whole: IsReadWhole = lambda _info, _line: False,
    ) -> None:
        self.closed = False
        self.is_ended = False
        """Set from outside: the model wrote a control word that ends its turn."""
        self.talk = ""
        self.doubt = ""
        """After ``finish``: why the body may be another text, in a sentence, else ``""``."""
        self._expected_fence = FenceLine(fence)
        self._has_opening = bool(opening.strip())
        self._old, self._is_read_whole = old, is_read_whole
        self._most_introductions = 0 if thinks else _MOST_INTRODUCTIONS

        self._line: list[str] = []  # the unfinished one, in pieces: a whole answer may be one line
        self._lines_before: list[str] = []  # lines before the body: talk, or the body after all
        self._saw_bare_fence = False  # first of all: written once more, or closing an empty body?
        self._body: FencedBody | None = None
        self._before: list[str] = []  # the body: lines up to the model's own fence
        self._opened = self._expected_fence
        self._listens = False  # for the end of a thought after the body, although it was given out
        self._after: list[str] | None = None  # lines from a fence on that may be the text's own
        self._whole: list[str] | None = None  # all lines of an answer that is kept until its end
        self._run = ""  # the fence of a block that is open in them

    @property
    def properly_empty(self) -> bool:
        """Whether the closing fence was written."""
        return self.closed

    @property
    def was_read_whole(self) -> bool:
        """Whether the answer was read as a whole, after the model had ended."""
        return self._whole is not None

    @property
    def position(self) -> Position:
        """The position of the reading, for ``Thoughts``: of an answer that is kept until its end "waiting" in a
        fenced block and "before" outside of them; else "before" until the body has begun, then "inside".
        """
        if self._whole is not None:
            return "waiting" if self._run else "before"
        return "before" if self._body is None else "inside"

    def feed(self, text: str) -> str:
        """Read the next piece, in lines; returns the body text that is now certain. An unfinished
        line is kept, but for what of it is certain in a body.
        """
        *whole, rest = text.split("\n")
        texts = [self._end_line(piece + "\n") for piece in whole]
        if rest:
            self._line.append(rest)
            if self._body is not None and self._after is None and not self.closed:
                texts.append(self._body.read_part(self._line))
        return "".join(texts)

    def finish(self) -> str:
        """End the answer; returns the rest of the body, and sets ``closed``, ``doubt`` and
        ``talk``. An answer without a fence that streamed is read as a whole here.
        """
        text = self._end_line("") if self._line else ""
        if self._body is not None:
            return text + self._finish_body(self._body)
        self.closed = self.closed or self._saw_bare_fence
        if self.closed:
            return text
        return self._take_text(
            read_whole(self._lines_before if self._whole is None else self._whole, self._old)
        )

    def _finish_body(self, body: FencedBody) -> str:
        """End a body that was streamed; returns the rest of it, and sets ``closed``, ``talk`` and ``doubt``.

        Lines after a fence that seemed to close the body may belong to it after all. Of a body without text and without
        an end the lines before it are read as the answer.
        """
        if self._after is not None:
            self.closed = True
            more, doubt = continuation(body.lines, self._after, self._old)
            self.doubt = self.doubt or doubt
            return body.go_on(more) if more else body.finish()
        rest = body.finish()
        self.talk = body.talk or self.talk
        self.closed = bool(body.closing)
        if self.closed or body.talk:
            return rest
        if not body.has_text:
            return self._take_text(read_whole(self._before[:-1], self._old))
        if self._before or self.is_ended:
            self.doubt = self.doubt or cut_doubt(body.lines, self._old)
        return rest

    def _take_text(self, text: NewText) -> str:
        """The body of an answer that was read as a whole; takes its ``doubt``, its ``talk`` if it has any, and ``closed`` if
        that is true.
        """
        self.closed = self.closed or text.closed
        self.talk, self.doubt = text.talk or self.talk, text.doubt
        return text.body

    # --- line by line ----------------------------------------------------------------------------

    def _end_line(self, end: str) -> str:
        """Read the unfinished line, with ``end``; returns the body text that is now certain."""
        line, self._line = "".join((*self._line, end)), []
        return "" if self.closed else self._read_line(line)

    def _read_line(self, line: str) -> str:
        """Read a whole line; returns the body text that is now certain. Nothing of an answer that
        is kept until its end, and after the body.
        """
        if self._whole is not None:
            self._whole.append(line)
            self._run = run_after(line, self._run)
        elif self._after is not None:
            self._after.append(line)
        elif self._body is not None:
            return self._read_body(line, self._body)
        elif self._has_opening:
            return self._read_given(line)
        else:
            self._read_before(line)
        return ""

    def _read_before(self, line: str) -> None:
        """Read a line before the answer's own fence: keep talk, or text of an answer without a fence, until its
        end.

        At a fence begin the body if nothing but a few lines that announce it came before and the fence is neither
        indented nor has text on its line, and note whether what follows the block is to be read, too; else keep the
        whole answer until its end.
        """
        fence = opening_of(line)
        self._lines_before.append(line)
        if fence is None:
            return
        words = [text for text in self._lines_before[:-1] if text.strip()]
        is_plain = not fence.indent and not text_in_info(fence.info, self._old.lines)
        if is_plain and len(words) <= self._most_introductions and all(map(introduces, words)):
            self._open(fence)
            self._listens = not all(map(is_talk, words))
        else:
            self._whole, self._run = self._lines_before, fence.run

    def _read_given(self, line: str) -> str:
        """Read a line of an answer whose fence the prompt has; returns the body text that is now certain.

        Blank lines and talk are kept; the first other line begins the body, with the lines kept, but without talk that
        came first, which goes into ``talk``; ``doubt`` is set if it begins like a thought. A second opening fence begins the body
        after itself. Talk after a bare
        fence closes an empty answer.
        """
        fence = opening_of(line)
        if fence is not None and fence.run.startswith(self._expected_fence.run):
            return self._read_first_fence(fence, line)
        if self._saw_bare_fence and self._old.is_talk(line):
            self.closed = True  # the fence closed an empty body
            return ""
        first = self._first_words_before()
        self._lines_before.append(line)
        if not line.strip() or self._old.is_talk(line):
            return ""
        if first and is_talk(first):
            self._lines_before = [line]  # "Sure! Here it is:", and then the text at once
            self.talk = first
        lines, self._lines_before = self._lines_before, []
        self._doubt_thought(first or line)
        self._body = FencedBody(
            self._expected_fence, self._old, is_own=False, is_read_whole=self._is_read_whole
        )
        return "".join([self._read_body(text, self._body) for text in lines])

    def _read_first_fence(self, fence: FenceLine, line: str) -> str:
        """Read a fence at the beginning although the prompt has one; returns an empty text.

        A bare one is only noted, a second bare one closes the empty body; one with a language, or
        after words, opens the body as the model's own.
        """
        if not fence.info and not self._first_words_before():
            self.closed = self._saw_bare_fence
            self._saw_bare_fence = True
        else:
            self._lines_before.append(line)
            self._open(fence)
        return ""

    def _open(self, fence: FenceLine) -> None:
        """Begin the body after the model's own fence, the last of the lines before the body. Sets ``talk`` to the first
        of these lines, empty if the fence is the only one, and notes a doubt if the talk is a thought.
        """
        self.talk = self._first_words_before() if len(self._lines_before) > 1 else ""
        self._doubt_thought(self.talk)
        self._before, self._lines_before, self._opened = self._lines_before, [], fence
        self._body = FencedBody(fence, self._old, is_own=True, is_read_whole=self._is_read_whole)

    def _doubt_thought(self, first: str) -> None:
        """Doubt an answer whose first line is one of a thought, and none of the old text."""
        if thinks_aloud(first) and not self._old.has(first):
            self.doubt = _THOUGHT

    def _read_body(self, line: str, body: FencedBody) -> str:
        """Read a line of the body; returns the text that is now certain.

        At its closing fence, close the answer; or go on reading, if the fence may be the text's
        own; or, if the body only quotes the old text, keep the whole answer until its end.
        """
        text = body.read_line(line)
        if not body.closing:
            return text
        if body.is_quotation:
            # It quotes what is to be changed, and another block follows.
            self._whole, self._body = [*self._before, *body.lines, body.closing], None
        elif self._listens or self._may_be_own(self._opened):
            self._after = [body.closing]
        else:
            self.closed = True
        return text

    def _may_be_own(self, fence: FenceLine) -> bool:
        """Whether the text may have fences as long as the one around it, which is shorter than expected."""
        is_short = bool(self._before) and len(fence.run) < len(self._expected_fence.run)
        return is_short and self._old.may_have_fences

    def _first_words_before(self) -> str:
        """The first line before the body that is not blank; empty if there is none."""
        return next(filter(None, map(str.strip, self._lines_before)), "")
