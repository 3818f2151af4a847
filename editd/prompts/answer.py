"""From a model's text to the new text of an edit: thoughts, fences and talk are removed.

Knows the ways of ending an answer. ``thoughts`` knows the words that a model writes around its answer, ``fenced`` and
``whole_answer`` its errors with fences, ``answer_forms`` answers in other forms. Knows nothing of the buffer's line
ends, of tokens or of the diff. Text that was returned is final: text that may still turn out to be a fence, or talk
before one, waits. ``StopStrings`` does the same for an answer that ends at given words.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence

from editd.intent import parse
from editd.prompts.answer_forms import content_of, may_have_form
from editd.prompts.fenced import FencedAnswer
from editd.prompts.old_text import OldText
from editd.prompts.prose import is_refusal
from editd.prompts.thoughts import Mark, Position, Thoughts
from editd.syntax.language import MARKDOWN
from editd.turns import yield_point

_PIECE = 16_384  # characters that are read at once: a few milliseconds

_THOUGHT_INSIDE = "The model thought on in the middle of its answer, so all of it is uncertain."
_UNFINISHED = "The model did not come to the end of its thought: allow more (--max-new-tokens), or use a model that does not think."


def choose_fence(content: str, at_least: int = 3) -> str:
    """Backticks that no line of ``content`` begins with, so that the closing fence is unmistakable.

    at_least: 3; more for Markdown, where the answer may gain fenced blocks.
    """
    runs = re.findall(r"^[ \t]*(`{3,})", content, re.MULTILINE)
    return "`" * max(at_least, 3, *(len(run) + 1 for run in runs))


class AnswerReader:
    """Reads one answer, piece by piece.

    opening, fence: as in ``Prompt``. With an opening the answer begins inside the fence; without one the body starts
    after the first fence line, and is everything if there is none. An empty fence means that only the model's stop
    tokens end the answer: all of it is body. A fence that is not made of backticks or tildes (``</updated-code>``)
    counts wherever it stands.

    region: the text that the answer replaces. Its lines are never taken for talk, and if it is prose itself,
    sentences are no sign of talk. document: the whole file's text. language: as ``syntax.language`` names it.
    instruction: control words in it may stand in the new text. thinks: the model is known to think: then no text is
    returned before a thought would be over.

    The body comes with its final newline, if it has one: ``StreamingDiff`` decides about it.
    """

    def __init__(
        self,
        opening: str,
        fence: str,
        region: str = "",
        *,
        document: str = "",
        language: str = "",
        instruction: str = "",
        thinks: bool = False,
    ) -> None:
        self.diff = ""
        """After ``finish``: a diff, or search/replace blocks, that the model wrote instead of the text."""
        self._opening, self._fence = opening, fence.strip()
        self._region, self._language, self._instruction = region, language, instruction
        self._thinks = thinks
        may_have_fences = language in MARKDOWN or language in ("", "text", "rst")
        self._old = OldText(
            region,
            document,
            may_have_fences=may_have_fences,
            keeps_blanks=parse(instruction).is_about_spacing,
        )
        self._reader = self._new_reader()
        self._thoughts = Thoughts(
            region,
            instruction,
            in_text=bool(opening.strip()) or not self._fence,
            position=self._position,
        )
        self._thought_inside = False
        self._has_form = False  # another than that of the text
        self._refusal = ""
        self._wrote_body = False
        self._finished = False

    def feed(self, text: str) -> str:
        """Read the next piece of the answer; returns the text of the new body that is now certain,
        which may be empty. Nothing more comes once the answer's end was read.
        """
        if len(text) <= _PIECE:
            return self._read_pieces(self._thoughts.feed(text))
        return "".join([self.feed(text[at : at + _PIECE]) for at in self._pieces(len(text))])

    def finish(self) -> str:
        """End the answer; returns the rest of the body. Sets ``refusal`` for an answer without
        text.

        If the prompt asks for a fence and no body but blanks was returned before, an answer in
        another form is read: JSON or tags give their text; a diff goes into ``diff``, with an empty
        rest.
        """
        rest = self._read_pieces(self._thoughts.finish()) + self._reader.finish()
        self._finished = True
        if not self._wrote_body and self._fence:
            rest = self._text_of_form(rest)
        if self._thoughts.thinking and not self._wrote_body and not rest.strip():
            self._refusal = _UNFINISHED
        return self._note_body(rest)

    @property
    def closed(self) -> bool:
        """Whether the answer's end was read: nothing that follows matters."""
        return self._reader.closed or self._reader.is_ended

    @property
    def is_whole(self) -> bool:
        """After ``finish``: whether the answer's own end was read, so that nothing can be missing.

        Words before a fence may be a thought, and then another answer might have followed.
        """
        may_be_draft = self._thinks or bool(self.doubt)
        return self._reader.closed and not (self._reader.was_read_whole and may_be_draft)

    @property
    def thinking(self) -> bool:
        """Whether the model is writing a thought."""
        return self._thoughts.thinking

    @property
    def doubt(self) -> str:
        """After ``finish``: why all of the answer may be wrong, in a sentence; empty if nothing is
        wrong.

        The model thought on in the middle of it, or the reader of its fences says why: it is cut,
        there are several blocks, it is unlike the old text. An answer in another form has only the
        first of these.
        """
        if self._thought_inside or (self._wrote_body and self._thoughts.thinking):
            return _THOUGHT_INSIDE
        return "" if self._has_form else self._reader.doubt

    @property
    def refusal(self) -> str:
        """After ``finish``: why there is no text to use, in a sentence for the user that quotes up to 120
        characters of the model's talk, if it talked.

        Empty before ``finish``, if there is text or a diff, and for an answer that the model properly ended without
        text, an empty block.
        """
        if self._refusal or self.diff or not self._finished or self._wrote_body:
            return self._refusal
        if talk := self._reader.talk:
            quoted = talk if len(talk) <= 120 else talk[:119] + "…"
            if is_refusal(talk):
                return f"The model declined (“{quoted}”): try other words, or another model."
            return f"The model answered in words and wrote no text (“{quoted}”): try again."
        if self._reader.properly_empty:
            return ""
        return "The model's answer is empty: try again, or try other words."

    @staticmethod
    def _pieces(size: int) -> Iterator[int]:
        """Yield the offsets at which a text of ``size`` characters is cut into pieces; lets other
        work have its turn before each.
        """
        for at in range(0, size, _PIECE):
            yield_point()
            yield at

    def _read_pieces(self, pieces: Iterable[str | Mark]) -> str:
        """Read text and marks from ``Thoughts`` up to the answer's end; returns the body text that
        is now certain.

        A mark that the text before was no answer begins reading anew; others are noted for
        ``doubt`` and ``closed``.
        """
        texts = []
        for piece in pieces:
            if self.closed:
                break
            match piece:
                case Mark.NO_ANSWER:
                    self._reader = self._new_reader()
                case Mark.INSIDE:
                    self._thought_inside = True
                case Mark.END:
                    self._reader.is_ended = True
                case _:
                    texts.append(self._note_body(self._reader.feed(piece)))
        return "".join(texts)

    def _position(self) -> Position:
        """The position of the reading, for ``Thoughts``."""
        return "inside" if self.closed else self._reader.position

    def _text_of_form(self, body: str) -> str:
        """The new text that ``body`` holds as JSON or between tags (see ``content_of``); empty for
        a diff, and ``body`` itself if it holds none of these.

        Only if it holds one: sets ``_has_form``, ``diff`` and ``_refusal``.
        """
        content = content_of(body, self._region, self._language, self._instruction)
        if content is None:
            return body
        self._has_form = True
        self.diff, self._refusal = content.diff, content.refusal
        return content.text

    def _note_body(self, body: str) -> str:
        """``body``, after noting whether it has any text."""
        self._wrote_body = self._wrote_body or bool(body.strip())
        return body

    def _new_reader(self) -> FencedAnswer | TaggedAnswer | UnfencedAnswer:
        """A reader that finds where the body begins and ends, by the fence: none, of backticks or
        tildes, or a tag.

        Its ``talk`` is the first line dropped as the model's own, else empty; ``properly_empty``,
        once it is finished, is true for an answer without body that the model ended as such.
        """
        if not self._fence:
            return UnfencedAnswer()
        if re.fullmatch(r"`{3,}|~{3,}", self._fence):
            return FencedAnswer(
                self._opening,
                self._fence,
                self._old,
                thinks=self._thinks,
                is_read_whole=lambda info, line: may_have_form(
                    info, line, self._region, self._language
                ),
            )
        return TaggedAnswer(self._opening, self._fence)


class UnfencedAnswer:
    """An answer without a fence: all text is the body."""

    closed = was_read_whole = False
    talk = doubt = ""
    properly_empty = True

    def __init__(self) -> None:
        self.is_ended = False
        self.position: Position = "before"

    def feed(self, text: str) -> str:
        """The text itself."""
        self.position = "inside" if text.strip() else self.position
        return text

    def finish(self) -> str:
        """Empty: no text waits."""
        return ""


class TaggedAnswer:
    """An answer that ends before ``fence``; the body begins after the opener if the model writes that.

    With an ``opening`` the prompt has the opener already, and it is only skipped when it is written again. Without
    one it is derived from a closing tag (``</code>``: ``<code>``), and talk may precede it.
    """

    talk = doubt = ""
    was_read_whole = False

    def __init__(self, opening: str, fence: str) -> None:
        self.closed = False
        self.is_ended = False
        self._fence = fence
        self._body = StopStrings([fence])
        tag = re.fullmatch(r"</([\w-]+)>", fence)
        self._has_opening = bool(opening.strip())
        self._opener = opening.strip() or (f"<{tag[1]}>" if tag else "")
        self._started = not self._opener
        self._after_opener = False  # one newline after it belongs to it
        self._pending = ""

    @property
    def properly_empty(self) -> bool:
        """Whether the closing string was written."""
        return self.closed

    @property
    def position(self) -> Position:
        """Whether the body has begun."""
        return "inside" if self._started else "before"

    def feed(self, text: str) -> str:
        """Read the next piece; returns the body text that is now certain, nothing of an end that
        may begin the closing tag.

        Empty until the opening tag or other text has come, and from the closing tag on. A line end
        right behind the opening tag is dropped.
        """
        if self.closed:
            return ""
        if not self._started:
            self._pending += text
            if not self._start():
                return ""
            text, self._pending = self._pending, ""
        if self._after_opener and text:
            text = text.removeprefix("\n")
            self._after_opener = False
        body = self._body.feed(text)
        self.closed = self._body.found
        return body

    def finish(self) -> str:
        """End the answer; returns the rest of the body."""
        rest, self._pending = self._pending, ""
        return rest + self._body.finish()

    def _start(self) -> bool:
        """Look in ``_pending`` for the opening tag; returns whether the body has begun, and then ``_pending`` is
        its beginning, without the tag and all before it.

        If the prompt has the tag, the body begins where it is written once more at the beginning, or as soon as the
        text cannot become it. Else at the tag, or at the text's beginning once the closing tag has come without it.
        """
        before, opener, rest = self._pending.partition(self._opener)
        if opener and (not self._has_opening or not before.strip()):
            self._pending = rest
            self._after_opener = self._started = True
        elif self._has_opening:
            self._started = not self._opener.startswith(self._pending.lstrip())
        else:
            self._started = self._fence in self._pending  # never opened, but closed
        return self._started


class StopStrings:
    """Cuts a text at the first of ``stops``; an end that may begin one of them waits."""

    def __init__(self, stops: Sequence[str]) -> None:
        self.found = False
        self._stops = tuple(stop for stop in stops if stop)
        self._waiting = ""

    def feed(self, text: str) -> str:
        """Read the next piece; returns the text that is now certain: nothing from the first stop
        string on, and none of an end that may begin one. Sets ``found`` at a stop.
        """
        if self.found:
            return ""
        text = self._waiting + text
        places = [at for stop in self._stops if (at := text.find(stop)) >= 0]
        if places:
            self.found = True
            self._waiting = ""
            return text[: min(places)]
        waiting = max((_num_begun(text, stop) for stop in self._stops), default=0)
        self._waiting = text[len(text) - waiting :]
        return text[: len(text) - waiting]

    def finish(self) -> str:
        """End the text; returns the end that waited, which began no stop string."""
        rest, self._waiting = self._waiting, ""
        return rest


def _num_begun(text: str, stop: str) -> int:
    """The number of characters at the end of ``text`` that may be the beginning of ``stop``."""
    longest = min(len(text), len(stop) - 1)
    return next((size for size in range(longest, 0, -1) if text.endswith(stop[:size])), 0)
