"""From what a model writes to the text that it was asked for: fences and talk fall away.

Knows which ways of ending an answer there are; ``fenced`` and ``tagged`` know how models get them
wrong. Knows nothing of the buffer's line ends, of tokens or of the diff. What is given out is
final: text that may still turn out to be a fence, or talk before one, is held back. ``StopStrings`` does the same
for an answer that ends at given words.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from editd.prompts.fenced import FencedAnswer
from editd.prompts.prose import is_refusal


def choose_fence(content: str, at_least: int = 3) -> str:
    """Backticks that no line of ``content`` begins with, so that the closing fence is unmistakable.

    at_least: 3; more for Markdown, where the answer may gain fenced blocks that are not there yet.
    """
    runs = re.findall(r"^[ \t]*(`{3,})", content, re.MULTILINE)
    return "`" * max(at_least, 3, *(len(run) + 1 for run in runs))


class AnswerReader:
    """Reads one answer, piece by piece.

    opening, fence: as in ``Prompt``. With an opening the answer begins inside the fence; without
    one the body starts after the first fence line, and is everything if there is none. An empty
    fence means that only the model's stop tokens end the answer: all of it is body. A fence that
    is not made of backticks or tildes (``</updated-code>``) counts wherever it stands.

    region: the text that the answer replaces. Its lines are never taken for talk, and where it is
    prose itself, sentences are no sign of it.

    The body comes with its final newline, if it has one: ``StreamingDiff`` decides about it.
    """

    def __init__(self, opening: str, fence: str, region: str = "") -> None:
        self._reader = _reader_for(opening, fence.strip(), region)
        self._thoughts = _Thoughts()
        self._wrote_body = False
        self._finished = False

    def feed(self, text: str) -> str:
        """Take the next piece of the answer; return the body text that is now certain."""
        return self._seen(self._reader.feed(self._thoughts.strip(text)))

    def finish(self) -> str:
        """The model has ended its answer; return the rest of the body."""
        body = self._seen(self._reader.feed(self._thoughts.rest()) + self._reader.finish())
        self._finished = True
        return body

    @property
    def closed(self) -> bool:
        """Whether the closing fence was read: nothing that follows matters."""
        return self._reader.closed

    @property
    def refusal(self) -> str:
        """After ``finish``: why there is no text to use, in a sentence for the user, else ``""``."""
        if not self._finished or self._wrote_body:
            return ""
        if talk := self._reader.talk:
            quoted = talk if len(talk) <= 120 else talk[:119] + "…"
            if is_refusal(talk):
                return f"The model declined (“{quoted}”): try other words, or another model."
            return f"The model answered in words and wrote no text (“{quoted}”): try again."
        if self._reader.properly_empty:
            return ""
        return "The model's answer is empty: try again, or try other words."

    def _seen(self, body: str) -> str:
        self._wrote_body = self._wrote_body or bool(body.strip())
        return body


def _reader_for(opening: str, fence: str, region: str) -> FencedAnswer | TaggedAnswer | _Everything:
    """One way of telling where the body begins and ends.

    Its ``talk`` is the first line that was dropped as the model's, or ``""``; ``properly_empty`` tells, once it is
    finished, of an answer without body whether the model said so itself.
    """
    if not fence:
        return _Everything()
    if re.fullmatch(r"`{3,}|~{3,}", fence):
        return FencedAnswer(opening, fence, region)
    return TaggedAnswer(opening, fence)


class _Everything:
    """No fence: what the model writes is the body."""

    closed = False
    talk = ""
    properly_empty = True

    def feed(self, text: str) -> str:
        return text

    def finish(self) -> str:
        return ""


class _Thoughts:
    """A leading ``<think> … </think>``, which some models write although they were asked not to."""

    def __init__(self) -> None:
        self._pending = ""
        self._over = False

    def strip(self, text: str) -> str:
        """``text``, or what of it comes after the thoughts."""
        if self._over:
            return text
        self._pending += text
        begun = self._pending.lstrip()
        if begun.startswith("<think>"):
            _, closing, answer = begun.partition("</think>")
            if not closing or not answer.strip():
                return ""
            self._over = True
            return answer.lstrip("\n")
        if "<think>".startswith(begun):
            return ""
        return self.rest()

    def rest(self) -> str:
        """What was held back and is no thought after all."""
        self._over = True
        pending, self._pending = self._pending, ""
        return "" if pending.lstrip().startswith("<think>") else pending


class TaggedAnswer:
    """Gives out what stands before ``fence``, and after the opener if the model writes that.

    With an ``opening`` the opener is already given and only skipped when it is written again.
    Without one it is derived from a closing tag (``</code>``: ``<code>``), and talk may precede it.
    """

    talk = ""

    def __init__(self, opening: str, fence: str) -> None:
        self.closed = False
        self._fence = fence
        self._body = StopStrings([fence])
        tag = re.fullmatch(r"</([\w-]+)>", fence)
        self._is_given = bool(opening.strip())
        self._opener = opening.strip() or (f"<{tag[1]}>" if tag else "")
        self._started = not self._opener
        self._after_opener = False  # one newline after it belongs to it
        self._pending = ""

    @property
    def properly_empty(self) -> bool:
        """Whether the closing string was written."""
        return self.closed

    def feed(self, text: str) -> str:
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
        rest, self._pending = self._pending, ""
        return rest + self._body.finish()

    def _start(self) -> bool:
        """Whether the body has begun; if so, ``_pending`` begins with it."""
        before, opener, rest = self._pending.partition(self._opener)
        if opener and (not self._is_given or not before.strip()):
            self._pending = rest
            self._after_opener = self._started = True
        elif self._is_given:
            self._started = not self._opener.startswith(self._pending.lstrip())
        else:
            self._started = self._fence in self._pending  # never opened, but closed
        return self._started


class StopStrings:
    """Gives out text up to the first of ``stops``; what may turn out to begin one is held back."""

    def __init__(self, stops: Sequence[str]) -> None:
        self.found = False
        self._stops = tuple(stop for stop in stops if stop)
        self._held = ""

    def feed(self, text: str) -> str:
        """Take the next piece; return the text that is now certain. Nothing after a stop."""
        if self.found:
            return ""
        text = self._held + text
        places = [at for stop in self._stops if (at := text.find(stop)) >= 0]
        if places:
            self.found = True
            self._held = ""
            return text[: min(places)]
        held = max((_begun(text, stop) for stop in self._stops), default=0)
        self._held = text[len(text) - held :]
        return text[: len(text) - held]

    def finish(self) -> str:
        """The text is over: what was held back began no stop string."""
        held, self._held = self._held, ""
        return held


def _begun(text: str, stop: str) -> int:
    """How many characters at the end of ``text`` may be the beginning of ``stop``."""
    longest = min(len(text), len(stop) - 1)
    return next((size for size in range(longest, 0, -1) if text.endswith(stop[:size])), 0)
