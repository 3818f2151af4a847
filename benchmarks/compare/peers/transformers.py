"""transformers' ``generate``: plain, and prompt lookup."""

from __future__ import annotations

from typing import Any

from benchmarks.compare.peer import Answer, First, Mode, Question, Setup

MODULES = ("torch", "transformers")
INSTALL = "transformers torch"
PROGRAM = ""


def _lookup(num_tokens: int, ngram: int) -> dict[str, Any]:
    return {"prompt_lookup_num_tokens": num_tokens, "max_matching_ngram_size": ngram}


MODES = (
    Mode("plain", "generate"),
    # The number of tokens has no default; the documentation's examples have ten.
    Mode("lookup", "prompt lookup, as documented", _lookup(10, 2)),
    Mode("lookup-16", "prompt lookup (16, 3)", _lookup(16, 3)),
    Mode("lookup-32", "prompt lookup (32, 4)", _lookup(32, 4)),
)


class TransformersEngine:
    """A model in float32, and a count of its passes."""

    def __init__(self, setup: Setup) -> None:
        import torch
        from transformers import AutoModelForCausalLM, GenerationConfig

        torch.set_num_threads(setup.threads)
        model: Any = AutoModelForCausalLM.from_pretrained(
            setup.checkpoint, local_files_only=True, dtype=torch.float32
        )
        # A checkpoint may ask for sampling or penalties; everybody here decodes greedily.
        model.generation_config = GenerationConfig()  # type: ignore[no-untyped-call]
        self._model = model.eval()
        self._passes = 0
        self._model.register_forward_pre_hook(self._count)

    def prepare(self, settings: dict[str, Any], question: Question) -> None:
        """Do nothing: ``generate`` keeps nothing between answers."""

    def decode(self, settings: dict[str, Any], question: Question, first: First) -> Answer:
        """Run one ``generate``."""
        import torch
        from transformers.generation.streamers import BaseStreamer

        class FirstToken(BaseStreamer):
            """Calls ``first`` at the second of its texts: the first is the prompt."""

            puts = 0

            def put(self, value: Any) -> None:  # noqa: ARG002
                self.puts += 1
                if self.puts == 2:
                    first()

            def end(self) -> None:
                pass

        ids = torch.tensor([list(question.prompt_ids)])
        self._passes = 0
        with torch.inference_mode():
            output = self._model.generate(
                ids,
                attention_mask=torch.ones_like(ids),
                do_sample=False,
                max_new_tokens=question.max_new_tokens,
                eos_token_id=list(question.stop_ids),
                pad_token_id=question.stop_ids[0],
                streamer=FirstToken(),
                **settings,
            )
        return Answer(output[0, ids.shape[1] :].tolist(), self._passes)

    def close(self) -> None:
        """Do nothing: the process ends."""

    def _count(self, *_: Any) -> None:
        self._passes += 1


def open_engine(setup: Setup) -> TransformersEngine:
    """Load the weights in float32."""
    return TransformersEngine(setup)
