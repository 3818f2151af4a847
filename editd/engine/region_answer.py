"""From the text as it is written to the body of an answer, and where the answer ends."""

from __future__ import annotations

from editd.checks.loops import LoopWatch
from editd.engine.provenance import Said
from editd.prompts.answer import AnswerReader
from editd.prompts.base import Prompt


class Answer:
    """One region's answer as it is written: text in, body text out.

    Knows where the answer ends: at the closing fence, and where ``loops`` finds that it repeats
    itself; what else ends it is the writer's matter.
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
        """Take the next piece of the answer; is it complete with it?"""
        body = self._reader.feed(text)
        self._body.append(body)
        self._said.append(Said(text, body, cut=cut))
        if self._reader.closed or self._loops is None:
            return self._reader.closed
        self._loops.feed(text)
        return bool(self._loops.found)

    @property
    def repeats(self) -> str:
        """Quotes what the answer says over and over, if it was ended because of that."""
        return self._loops.found if self._loops is not None else ""

    def take(self) -> str:
        """Body text that became certain since the last call."""
        text = "".join(self._body)
        self._body.clear()
        return text

    def take_said(self) -> list[Said]:
        """What was said since the last call, piece by piece; after ``finish`` what that brought."""
        said, self._said = self._said, []
        return said

    def finish(self, rest: str = "") -> str:
        """The rest of the body, once the answer is over with ``rest``."""
        body = self._reader.feed(rest) + self._reader.finish()
        self._said.append(Said(rest, body))
        return self.take() + body
