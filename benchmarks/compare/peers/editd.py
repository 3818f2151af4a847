"""editd as its users have it: the engine's own path from a request to hunks, watched.

What is timed is the whole edit: prompt, prefill, rounds, diff and checks. The token ids are read
off the decode loop as it runs. AnswerSettings are a user's defaults, whatever the configuration says.
"""

from __future__ import annotations

from itertools import count
from typing import Any, cast

from benchmarks.compare.peer import Answer, First, Mode, Question, Setup

MODULES = ("torch",)
INSTALL = "editd"
PROGRAM = ""
MODES = (
    Mode("plain", "plain decoding", {"drafter": "none"}),
    Mode("buffer", "the buffer as draft (default)", {}),
)


class EditdEngine:
    """An ``engine.Engine`` whose decode loop is watched. name: the model, where it is no checkpoint."""

    def __init__(self, setup: Setup, name: str = "", engine: str = "local") -> None:
        from editd.config import Config, ModelConfig
        from editd.engine import Engine
        from editd.models.model import Model

        model = ModelConfig(
            name=name or str(setup.checkpoint),
            threads=setup.threads,
            device="cpu",
            engine=engine,
        )
        self._engine = Engine(Config(model=model))
        pool = self._engine.pool
        held, _ = pool.acquire(pool.spec(model))
        self.model = cast(Model, held)
        self._watched = _watch_decoding()
        self._numbers = count(1)

    def prepare(self, settings: dict[str, Any], question: Question) -> None:  # noqa: ARG002
        """Forget the prompts of earlier edits."""
        self.model.drop_caches()

    def decode(self, settings: dict[str, Any], question: Question, first: First) -> Answer:
        """Run one edit; raises ``RuntimeError`` with editd's own sentence if it came to nothing.

        A question without an edit is read, as a prompt is.
        """
        if not question.request:
            return self._read(question, first)
        from editd.messages import EditRequest, EditResult
        from editd.messages.options import EditOptions

        case = question.request
        lines = case["lines"]
        request = EditRequest(
            request_id=f"compare-{next(self._numbers)}",
            text=case["text"],
            instruction=case["instruction"],
            path=case["path"],
            start_line=lines[0] - 1 if lines else None,
            end_line=lines[1] if lines else None,
            # Which lines are rewritten would follow what a round costs just then.
            options=EditOptions(drafter=settings.get("drafter"), way="whole"),
        )
        self._watched.begin(first)
        for message in self._engine.edit(request):
            if isinstance(message, EditResult) and message.error is not None:
                raise RuntimeError(message.error.message)
        if len(self._watched.decodings) != 1:
            raise RuntimeError("this edit is not one answer: give a case fewer lines")
        decoding = self._watched.decodings[0]
        return Answer(
            list(decoding.output_ids),
            decoding.stats.rounds,
            prompt_ids=list(decoding._prompt_ids),  # noqa: SLF001  the tokens that were fed
            stop_ids=sorted(self.model.stop_ids),
        )

    def _read(self, question: Question, first: First) -> Answer:
        from editd.decode.target import GREEDY

        ids = list(question.prompt_ids)
        sequence = self.model.target.open(ids)
        try:
            sequence.prefill(ids[sequence.length : -1])
            rows = sequence.verify(ids[-1:], GREEDY)
            first()
        finally:
            sequence.close()
        return Answer(rows.choice_ids, 1)

    def close(self) -> None:
        self._engine.close()


def open_engine(setup: Setup) -> EditdEngine:
    """Load the model as the daemon would."""
    return EditdEngine(setup)


class _Watched:
    """The answers of one edit as they are decoded."""

    def __init__(self) -> None:
        self.decodings: list[Any] = []
        self.first: First = lambda _num_tokens=1: None

    def begin(self, first: First) -> None:
        self.decodings = []
        self.first = first

    def saw(self, decoding: Any, done: Any) -> None:
        if decoding not in self.decodings:
            self.decodings.append(decoding)
        if done is not None and decoding.stats.rounds == 1:
            self.first(len(done.token_ids))


def _watch_decoding() -> _Watched:
    """Look over the shoulder of every ``Decoding`` of this process from now on."""
    from editd.decode.speculative import Decoding

    watched = _Watched()
    advance = Decoding.advance

    def watching(decoding: Decoding) -> Any:
        done = advance(decoding)
        watched.saw(decoding, done)
        return done

    setattr(Decoding, "advance", watching)  # noqa: B010  mypy would call it an error
    return watched
