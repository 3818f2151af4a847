"""transformers' ``generate``: plain, prompt lookup, and a draft model beside it."""

from __future__ import annotations

from pathlib import Path
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
    Mode(
        "lookup-best",
        "prompt lookup, best setting",
        candidates=(_lookup(16, 3), _lookup(32, 2), _lookup(32, 4), _lookup(64, 4)),
    ),
    Mode("draft", "draft model", {"draft": True}),
)


class TransformersEngine:
    """A model, perhaps a draft model, and a count of the model's passes."""

    def __init__(self, setup: Setup) -> None:
        import torch
        from transformers import AutoModelForCausalLM, GenerationConfig

        torch.set_num_threads(setup.threads)

        def load(folder: Path) -> Any:
            model: Any = AutoModelForCausalLM.from_pretrained(
                folder, local_files_only=True, dtype=torch.float32
            )
            # A checkpoint may ask for sampling or penalties; everybody here decodes greedily.
            model.generation_config = GenerationConfig()  # type: ignore[no-untyped-call]
            return model.eval()

        self._model = load(setup.checkpoint)
        self._draft = load(setup.draft) if setup.draft else None
        self._passes = 0
        self._model.register_forward_pre_hook(self._count)

    def prepare(self, settings: dict[str, Any], question: Question) -> None:  # noqa: ARG002
        """Refuse what was not given."""
        if settings.get("draft") and self._draft is None:
            raise RuntimeError("no draft model was named (--draft-model)")

    def decode(self, settings: dict[str, Any], question: Question, first: First) -> Answer:
        """One ``generate``."""
        import torch
        from transformers.generation.streamers import BaseStreamer

        class FirstToken(BaseStreamer):
            """Is given the prompt, then the output as it comes."""

            puts = 0

            def put(self, value: Any) -> None:  # noqa: ARG002
                self.puts += 1
                if self.puts == 2:
                    first()

            def end(self) -> None:
                pass

        options = dict(settings)
        if options.pop("draft", False):
            options["assistant_model"] = self._draft
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
                **options,
            )
        return Answer(output[0, ids.shape[1] :].tolist(), self._passes)

    def close(self) -> None:
        """Nothing is left behind."""

    def _count(self, *_: Any) -> None:
        self._passes += 1


def open_engine(setup: Setup) -> TransformersEngine:
    """Load the weights in float32."""
    return TransformersEngine(setup)
