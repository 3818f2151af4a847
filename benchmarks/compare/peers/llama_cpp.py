"""llama.cpp through llama-cpp-python: plain, and its prompt lookup class."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from benchmarks.compare.peer import Answer, First, Mode, Question, Setup
from tests.gguf_writer import gguf_of

MODULES = ("llama_cpp", "gguf")
INSTALL = "llama-cpp-python gguf"
PROGRAM = ""


def _lookup(num_tokens: int, ngram: int) -> dict[str, Any]:
    return {"num_pred_tokens": num_tokens, "max_ngram_size": ngram}


MODES = (
    Mode("plain", "generate"),
    Mode("lookup", "prompt lookup, defaults", _lookup(10, 2)),
    Mode("lookup-best", "prompt lookup, best setting", candidates=(_lookup(5, 2), _lookup(32, 4))),
)


class LlamaCppEngine:
    """One ``Llama`` at a time: with a draft it needs a context that keeps all logits."""

    def __init__(self, setup: Setup) -> None:
        self._path = str(gguf_of(setup.checkpoint, setup.weights))
        self._threads = setup.threads
        self._llama: Any = None
        self._settings: dict[str, Any] | None = None
        self._context = 0
        self._evals = 0

    def prepare(self, settings: dict[str, Any], question: Question) -> None:
        """Open the model for these settings, with room enough; forget what was decoded before."""
        needed = len(question.prompt_ids) + question.max_new_tokens + 128
        if self._llama is None or settings != self._settings or needed > self._context:
            self.close()
            self._context = max(self._context, -(-needed // 1024) * 1024)
            self._settings = settings
            self._llama = self._open(settings)
        self._llama.reset()

    def decode(
        self,
        settings: dict[str, Any],  # noqa: ARG002
        question: Question,
        first: First,
    ) -> Answer:
        """Greedy ``Llama.generate`` until a stop id."""
        self._evals = 0
        output: list[int] = []
        stop_ids = set(question.stop_ids)
        for token_id in self._llama.generate(
            list(question.prompt_ids), temp=0.0, top_k=1, repeat_penalty=1.0
        ):
            if not output:
                first()
            output.append(int(token_id))
            if token_id in stop_ids or len(output) >= question.max_new_tokens:
                break
        return Answer(output, self._evals)

    def close(self) -> None:
        if self._llama is not None:
            self._llama.close()
            self._llama = None

    def _open(self, settings: dict[str, Any]) -> Any:
        from llama_cpp import Llama
        from llama_cpp.llama_speculative import LlamaPromptLookupDecoding

        llama = Llama(
            self._path,
            n_ctx=self._context,
            n_threads=self._threads,
            n_threads_batch=self._threads,
            draft_model=LlamaPromptLookupDecoding(**settings) if settings else None,
            # Without it a draft fails once the context is longer than a batch.
            logits_all=bool(settings),
            verbose=False,
        )
        evaluate = llama.eval

        def counting(tokens: Sequence[int]) -> None:
            self._evals += 1
            evaluate(tokens)

        llama.eval = counting
        return llama


def open_engine(setup: Setup) -> LlamaCppEngine:
    """Convert the checkpoint if that was not done yet."""
    return LlamaCppEngine(setup)
