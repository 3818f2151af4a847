"""From output tokens to the body of an answer, and the point at which it ends."""

from __future__ import annotations

from editd.backends.model import Model
from editd.checks.loops import LoopWatch
from editd.decode.detokenizer import Detokenizer
from editd.decode.healing import Healing
from editd.engine.provenance import Said
from editd.pieces import Pieces
from editd.prompts.answer import AnswerReader
from editd.prompts.base import Prompt


class Answer:
    """One region's answer as it is written: token ids in, body text out.

    ``prompt_ids``: what is fed before it. ``required``: the text that healing took back from the
    prompt and that the answer spells again first. Knows where the answer ends: at a stop id, at
    the closing fence, and where ``loops`` finds that it repeats itself.
    """

    @classmethod
    def begun(
        cls, model: Model, prompt: Prompt, region: str, loops: LoopWatch | None = None
    ) -> Pieces[Answer]:
        """The answer to ``prompt``, which replaces ``region``, before its first token."""
        healed = yield from model.codec.heal_pieces(prompt.segments)
        return cls(model, prompt, region, healed, loops)

    def __init__(
        self,
        model: Model,
        prompt: Prompt,
        region: str,
        healed: tuple[list[int], bytes],
        loops: LoopWatch | None = None,
    ) -> None:
        self.prompt_ids, required = healed
        self.required = required.decode()
        self.healing = Healing(model.codec, required)
        self._stop_ids = model.stop_ids
        self._detokenizer = Detokenizer(model.codec, skip=len(required))
        self._reader = AnswerReader(prompt.opening, prompt.fence, region)
        self._loops = loops
        self._body: list[str] = []
        self._said: list[Said] = []

    @property
    def refusal(self) -> str | None:
        """One sentence when the model wrote prose and no code; known once it has finished."""
        return self._reader.refusal

    def ends_with(self, token_id: int) -> bool:
        """Read one output token; is the answer complete with it?"""
        if token_id in self._stop_ids:
            self._said.append(Said("", ""))
            return True
        text = self._detokenizer.feed(token_id)
        body = self._reader.feed(text)
        self._body.append(body)
        self._said.append(Said(text, body, cut=self._detokenizer.inside_character))
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
        """What was said since the last call, token by token; after ``finish`` what that brought."""
        said, self._said = self._said, []
        return said

    def finish(self) -> str:
        """The rest of the body, once the answer is over."""
        text = self._detokenizer.finish()
        body = self._reader.feed(text) + self._reader.finish()
        self._said.append(Said(text, body))
        return self.take() + body
