"""Finds the body of an answer while it is written, and its end."""

from __future__ import annotations

from editd.checks.loops import LoopWatch
from editd.engine.provenance import Said
from editd.prompts.answer import AnswerReader
from editd.prompts.base import Prompt


class Answer:
    """One region's answer while it is written: takes text, returns body text.

    Knows where the answer ends: at the closing fence, and where ``loops`` finds that it repeats
    itself; the writer handles all other ends.
    """

    def __init__(self, prompt: Prompt, region: str, loops: LoopWatch | None = None) -> None:
        self._reader = AnswerReader(prompt.opening, prompt.fence, region)
        self._loops = loops
        self._body: list[str] = []
        self._said: list[Said] = []

    @property
    def refusal(self) -> str | None:
        """One sentence when the model wrote prose and no code; known once it has finished."""
        return self._reader.refusal

    def hears(self, text: str, cut: bool) -> bool:  # noqa: FBT001  as ``writer.Hears``
        """Add the next piece; returns whether the answer is complete."""
        body = self._reader.feed(text)
        self._body.append(body)
        self._said.append(Said(text, body, cut=cut))
        if self._reader.closed or self._loops is None:
            return self._reader.closed
        self._loops.feed(text)
        return bool(self._loops.found)

    @property
    def repeats(self) -> str:
        """Quotes the repeated text, if the answer was ended because of it."""
        return self._loops.found if self._loops is not None else ""

    def take(self) -> str:
        """Body text that became final since the last call."""
        text = "".join(self._body)
        self._body.clear()
        return text

    def take_said(self) -> list[Said]:
        """What was said since the last call, piece by piece; after ``finish`` what that brought."""
        said, self._said = self._said, []
        return said

    def finish(self, rest: str = "") -> str:
        """The rest of the body, when the answer has ended with ``rest``."""
        body = self._reader.feed(rest) + self._reader.finish()
        self._said.append(Said(rest, body))
        return self.take() + body
