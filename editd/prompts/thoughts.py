"""Removes the words that a model writes around its answer: thoughts, openers of the final answer, text after its end.

Streams: takes the model's text piece by piece and yields the text that is left, with a ``Mark`` where a word of
``control_words`` changes the meaning of the text before it. The words are listed there; whether the text before was
returned already, and the consequences for the edit, are left to ``answer``.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from enum import Enum, auto
from functools import cache
from typing import Literal

from editd.prompts.control_words import (
    LONGEST,
    any_signed_word,
    closing_of,
    is_named,
    is_ordinary,
    may_go_on,
    word_patterns,
)

Position = Literal["before", "waiting", "inside"]
"""Before the answer's text, or after one that is kept back; inside a text that is kept back until the model has ended;
inside, or behind, one that is given out as it grows."""

_Step = tuple["str | Mark", ...]
_State = Literal["head", "thought", "text", "after"]
_BLANKS = " \t\r\n\ufeff\u200b\u200c\u200d\u200e\u200f\u2060"
_INK = re.compile(r"\S")
_LINE_END = re.compile(r"[ \t\r]*(?:\n|\Z)")
_SIGNS = re.compile(r"[<\[\]◁]")
_SIGNS_AND_LETTERS = re.compile(r"[<\[\]◁ah]", re.IGNORECASE)


class Mark(Enum):
    """The meaning of a control word for the text before it."""

    NO_ANSWER = auto()  # it was a thought, or words before the answer
    INSIDE = auto()  # a thought begins or ends in the middle of what was taken for the answer
    END = auto()  # the answer is complete


class Thoughts:
    """Removes thoughts and control words from one answer.

    region: the text that is rewritten. instruction: the user's words. A control word in either may be the new text's
    as well. in_text: whether the answer begins with its text, and not with a fence or tag of its own. position:
    called when the text before a control word has been taken.
    """

    def __init__(
        self,
        region: str = "",
        instruction: str = "",
        *,
        in_text: bool = False,
        position: Callable[[], Position] = lambda: "before",
    ) -> None:
        allowed_text = f"{region}\n{instruction}".lower()
        self._is_allowed = cache(lambda word: is_named(word, allowed_text))
        self._region_end = region.rstrip()[-LONGEST:].lower()
        self._in_text = in_text
        self._position = position
        self._text = ""  # what is not yielded yet begins at ``_at``
        self._at = 0
        self._state: _State = "head"
        self._closing = word_patterns().end  # of the thought that is open
        self._answer_closing: re.Pattern[str] | None = None  # of an answer in tags of its own
        self._dropped = False  # something right before the text that follows
        self._is_blank = True  # the line so far
        self._has_strike = False  # ``<s>``, which a ``</s>`` may close

    @property
    def thinking(self) -> bool:
        """Whether a thought is open; after ``finish``, whether it never came to its end."""
        return self._state == "thought"

    def feed(self, text: str) -> Iterator[str | Mark]:
        """Read the next piece; yields the text of the answer, in order. To be exhausted."""
        self._text, self._at = self._text[self._at :] + text, 0
        return self._steps(is_final=False)

    def finish(self) -> Iterator[str | Mark]:
        """End the answer; yields the rest of the text. To be exhausted."""
        return self._steps(is_final=True)

    def _steps(self, *, is_final: bool) -> Iterator[str | Mark]:
        """Read on until the reading depends on text to come (is_final: none comes); yields text and
        marks, in order.
        """
        step: _Step | None = ()
        while step is not None and self._at < len(self._text):
            match self._state:
                case "head":
                    step = self._read_head(is_final=is_final)
                case "thought":
                    step = self._read_thought()
                case "text":
                    step = self._read_text(is_final=is_final)
                case "after":
                    step = self._read_after()
            yield from filter(None, step or ())

    # Each reads on from ``_at``, and returns what is certain; ``None`` if that depends on text to come.

    def _read_head(self, *, is_final: bool) -> _Step | None:
        """Read a control word, or the beginning of the text, at the head of the answer, and go past it; ``None`` if
        that depends on text to come. is_final: none comes.

        A word that opens a thought begins skipping. Text, also a word with which the new text may begin, is not
        taken yet but changes the state to "text"; after a control word line ends before it are dropped.
        """
        rest = self._text[self._at :]
        bare = rest.lstrip(_BLANKS)
        thought, opening = (
            word_patterns().thought.match(bare),
            word_patterns().beginning.match(bare),
        )
        found = thought or opening
        is_at_end = not bare or (found is not None and found.end() == len(bare))
        if not is_final and (is_at_end or may_go_on(bare[:LONGEST])):
            return None
        if found is None or self._is_text_itself(found[0]):
            self._state = "text"
            if self._dropped:
                self._at += len(rest) - len(rest.lstrip("\r\n"))
            return ()
        self._dropped = True
        self._at = len(self._text) - len(bare) + found.end()
        if thought is not None:
            self._begin_thought(found[0])
        else:
            self._answer_closing = closing_of(found[0]) or self._answer_closing
        return ()

    def _is_text_itself(self, word: str) -> bool:
        """Whether the new text may begin with a word at the head of the answer."""
        may_be = word.endswith("analysis") or is_ordinary(word) or self._is_allowed(word)
        return self._in_text and may_be

    def _begin_thought(self, opening: str) -> None:
        """Enter a thought that ``opening`` opened."""
        self._state, self._dropped = "thought", True
        self._closing = closing_of(opening) or self._closing

    def _read_thought(self) -> _Step | None:
        """Skip a thought with the words that close it.

        ``None`` if these have not come yet: all but its last characters, which may begin them, is
        skipped then.
        """
        if found := self._closing.search(self._text, self._at):
            self._state, self._at = "head", found.end()
            return ()
        self._at = max(self._at, len(self._text) - LONGEST)
        return None

    def _read_text(self, *, is_final: bool) -> _Step | None:
        """Take the answer's text up to a control word, or read that word, and go past it.

        ``None``, at the same place as before, if no text is left or the next depends on text to
        come. is_final: none comes.
        """
        position = self._position()
        pattern = word_patterns().before_answer if position == "before" else any_signed_word()
        found = pattern.search(self._text, self._at)
        if found is None or found.start() > self._at:
            end = found.start() if found else self._certain_end(position, is_final=is_final)
            return (self._consume(end),) if end > self._at else None
        following = _INK.search(self._text, found.end())
        is_open = following is None or any(
            may_go_on(self._text[at : at + LONGEST]) for at in (self._at, following.start())
        )
        if is_open and not is_final:
            return None  # what follows decides
        return self._read_word(found[0], found.end(), position)

    def _read_word(self, word: str, end: int, position: Position) -> _Step:
        """Read a control word in the text, which ends at ``end``: take it as text where region or instruction allow
        it, or as an ordinary tag within a line; end the answer; begin a thought; or mark what was before as no
        answer (before the text) or as doubtful (inside it; in a fenced block that waits for its end, as both).
        """
        opens = bool(word_patterns().thought.fullmatch(word))
        closes = bool(
            word_patterns().end_of_thought.fullmatch(word) or word_patterns().answer.fullmatch(word)
        )
        is_allowed = self._is_allowed(word)
        at_line_end = bool(_LINE_END.match(self._text, end))
        if not (opens or closes):
            if self._ends_answer(word, end, at_line_end=at_line_end, is_allowed=is_allowed):
                return self._end(end, position)
            self._has_strike |= word.lower() == "<s>"
            return (self._consume(end),)
        is_border = self._is_blank or at_line_end
        if is_ordinary(word) and (is_allowed or not is_border):
            return (self._consume(end),)
        if position == "before":
            self._at = end
            self._state, self._dropped = "head", True
            if opens:
                self._begin_thought(word)
            return (Mark.NO_ANSWER,)
        if is_allowed:
            return (self._consume(end),)
        if position == "waiting" and is_border:
            self._state, self._dropped, self._at = "head", True, end
            return Mark.INSIDE, Mark.NO_ANSWER
        return Mark.INSIDE, self._consume(end)

    def _ends_answer(self, word: str, end: int, *, at_line_end: bool, is_allowed: bool) -> bool:
        """Whether the answer ends before the word: the word closes the answer and ends its line; or it ends a turn,
        at the end of its line or before another control word; or it is no ordinary tag, nothing but blanks follows
        it, and the region itself does not end with it. Not at ``</s>`` after ``<s>``, which strike text out.

        end: where the word ends. at_line_end: nothing else follows in its line. is_allowed: region or instruction
        have the word, so that only its place tells.
        """
        if self._answer_closing is not None and self._answer_closing.fullmatch(word):
            return at_line_end
        if word.lower() == "</s>" and self._has_strike:
            return False
        if is_allowed or not word_patterns().end.fullmatch(word):
            is_last = not _INK.search(self._text, end) and not is_ordinary(word)
            return is_last and not self._region_end.endswith(word.lower())
        return at_line_end or bool(any_signed_word().match(self._text, end))

    def _end(self, end: int, position: Position) -> _Step:
        """End the answer at a control word that ends before ``end``, and skip all text after it;
        returns the mark for that.

        Before the answer has begun, only the word is skipped, and a final answer may follow (see
        ``_read_after``).
        """
        if position == "before":
            self._state, self._at = "after", end
            return ()
        self._at = len(self._text)
        return (Mark.END,)

    def _read_after(self) -> _Step | None:
        """Look for a final answer after the end of a turn, which makes all text before it no
        answer.

        ``None`` if none has come: all but the last characters is skipped then.
        """
        answer = word_patterns().answer.search(self._text, self._at)
        if answer is None:
            self._at = max(self._at, len(self._text) - LONGEST)
            return None
        self._state, self._dropped, self._at = "head", True, answer.end()
        return (Mark.NO_ANSWER,)

    def _consume(self, end: int) -> str:
        """Go past the text up to ``end`` and return it; notes whether its last line is blank so
        far.
        """
        text, self._at = self._text[self._at : end], end
        _, newline, line = text.rpartition("\n")
        self._is_blank = (bool(newline) or self._is_blank) and not line.strip(_BLANKS)
        return text

    def _certain_end(self, position: Position, *, is_final: bool) -> int:
        """The place, from ``_at`` on, where text begins that may become a control word; the text's
        end if there is none or no text comes (is_final).
        """
        if is_final:
            return len(self._text)
        signs = _SIGNS_AND_LETTERS if position == "before" else _SIGNS
        begin = max(self._at, len(self._text) - LONGEST)
        for found in signs.finditer(self._text, begin):
            if may_go_on(self._text[found.start() :]):
                return found.start()
        return len(self._text)
