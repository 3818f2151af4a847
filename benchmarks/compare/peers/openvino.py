"""OpenVINO GenAI's ``LLMPipeline``: plain, and prompt lookup; in float32, or with weights of 8 bits.

It reads GGUF files too, but leaves out the biases that the benchmark's model has, and refuses K-quants.
"""

from __future__ import annotations

from typing import Any

from benchmarks.compare.peer import Answer, First, Mode, Question, Setup
from tests.openvino_writer import ir_of

MODULES = ("openvino", "openvino_genai", "openvino_tokenizers", "nncf")
INSTALL = "openvino-genai openvino-tokenizers nncf"
PROGRAM = ""


def _lookup(num_tokens: int, ngram: int) -> dict[str, Any]:
    return {"num_assistant_tokens": num_tokens, "max_ngram_size": ngram}


MODES = (
    Mode("plain", "generate"),
    # Neither number has a default; the library's own example has five and three.
    Mode("lookup", "prompt lookup, as documented", _lookup(5, 3)),
    Mode("lookup-10", "prompt lookup (10, 3)", _lookup(10, 3)),
    Mode("lookup-16", "prompt lookup (16, 3)", _lookup(16, 3)),
    Mode("lookup-32", "prompt lookup (32, 3)", _lookup(32, 3)),
)


class OpenVinoEngine:
    """Two pipelines, one with prompt lookup; opened when they are needed."""

    def __init__(self, setup: Setup) -> None:
        self._folder = str(ir_of(setup.checkpoint, setup.weights))
        exact = {"INFERENCE_PRECISION_HINT": "f32", "KV_CACHE_PRECISION": "f32"}
        # With smaller weights as OpenVINO would have it: activations and cache in 8 bits, too.
        self._precision = exact if setup.weights == "float32" else {}
        self._threads = setup.threads
        self._pipelines: dict[bool, Any] = {}

    def prepare(self, settings: dict[str, Any], question: Question) -> None:  # noqa: ARG002
        """Open the pipeline for these settings."""
        import openvino_genai

        lookup = bool(settings)
        if lookup in self._pipelines:
            return
        scheduler = openvino_genai.SchedulerConfig()
        scheduler.enable_prefix_caching = False
        scheduler.cache_size = 2  # GB
        scheduler.max_num_batched_tokens = 1 << 16  # a prompt in one pass
        self._pipelines[lookup] = openvino_genai.LLMPipeline(
            self._folder,
            "CPU",
            scheduler_config=scheduler,
            INFERENCE_NUM_THREADS=self._threads,
            **self._precision,
            **({"prompt_lookup": True} if lookup else {}),
        )

    def decode(self, settings: dict[str, Any], question: Question, first: First) -> Answer:
        """Run one ``generate`` of token ids."""
        import numpy as np
        import openvino
        import openvino_genai

        class FirstToken(openvino_genai.StreamerBase):  # type: ignore[misc]  # untyped
            """Receives each token, or several at once."""

            seen = False

            def write(self, token: Any) -> Any:  # noqa: ARG002
                if not self.seen:
                    self.seen = True
                    first()
                return openvino_genai.StreamingStatus.RUNNING

            def end(self) -> None:
                pass

        config = openvino_genai.GenerationConfig()
        config.do_sample = False
        config.apply_chat_template = False
        config.max_new_tokens = question.max_new_tokens
        config.eos_token_id = question.stop_ids[0]
        config.stop_token_ids = set(question.stop_ids)
        for name, value in settings.items():
            setattr(config, name, value)
        ids = np.array([list(question.prompt_ids)], dtype=np.int64)
        tokens = openvino_genai.TokenizedInputs(
            openvino.Tensor(ids), openvino.Tensor(np.ones_like(ids))
        )
        result = self._pipelines[bool(settings)].generate(tokens, config, FirstToken())
        passes = len(list(result.perf_metrics.raw_metrics.token_infer_durations))
        return Answer([int(token_id) for token_id in result.tokens[0]], passes)

    def close(self) -> None:
        self._pipelines.clear()


def open_engine(setup: Setup) -> OpenVinoEngine:
    """Convert the checkpoint if that was not done yet."""
    return OpenVinoEngine(setup)
