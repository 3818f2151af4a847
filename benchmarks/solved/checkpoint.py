"""A folder as ``save_pretrained`` would write it, and the proof that it holds what was solved.

Llama with attention biases and not Qwen2: transformers replaces the pre-tokenizer of every
tokenizer whose model is called qwen2, so that the ids of the reloaded one would differ.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import torch
from safetensors.torch import save_file
from tokenizers import Tokenizer
from torch import Tensor

from benchmarks.solved import Report
from benchmarks.solved.edits import Edit
from benchmarks.solved.manifest import KnownEdit, describe, fingerprint
from benchmarks.solved.rope import THETA
from benchmarks.solved.script import Script, write_scripts
from benchmarks.solved.shape import Shape
from benchmarks.solved.solve import RMS_EPSILON, solve
from benchmarks.solved.tokenizer import train_tokenizer
from editd.errors import EditdError
from editd.models import quiet_loading
from editd.models.text.codec import ModelCodec
from editd.prompts.base import EditFormat
from editd.prompts.formats import END, INSTRUCTION, TEXT, EmbeddedFormat

CONTROL_TOKENS = (TEXT, INSTRUCTION, END)


class NotSolved(EditdError):
    """Some answer token is not the model's first choice."""


@dataclass(frozen=True, slots=True)
class Built:
    """What was made: answer tokens in all, and the smallest margin (logits) of the loaded model."""

    folder: Path
    output_tokens: int
    smallest_margin: float
    size_bytes: int


@dataclass(frozen=True, slots=True)
class Wording:
    """How a checkpoint gets its edits. end: the one of ``control_tokens`` that ends an answer.

    chat_template: of a format that uses one.
    """

    edit_format: EditFormat = field(default_factory=EmbeddedFormat)
    control_tokens: tuple[str, ...] = CONTROL_TOKENS
    end: str = END
    chat_template: str = ""


_DEMO = Wording()


def build(
    folder: Path, edits: Sequence[Edit], shape: Shape, report: Report, wording: Wording = _DEMO
) -> Built:
    """Solve ``edits`` and write the checkpoint into ``folder``, which is created if missing.

    The written checkpoint is loaded the usual way and checked on every edit. Raises
    ``NotSolved`` if a token is wrong, ``Indistinguishable`` if the edits cannot be known at all.
    """
    report("training the tokenizer", 0.0)
    texts = [text for edit in edits for text in (edit.before, edit.after, edit.instruction)]
    texts += [edit.sketch for edit in edits if edit.sketch]
    tokenizer = train_tokenizer(texts, shape.vocab_size, wording.control_tokens)
    stop_id = wording.control_tokens.index(wording.end)  # control tokens are the first ids
    codec = ModelCodec(tokenizer)
    scripts = write_scripts(edits, codec, stop_id, shape.reach, wording.edit_format)
    solution = solve(scripts, shape, lambda message, done: report(message, 0.9 * done))

    folder.mkdir(parents=True, exist_ok=True)
    _write_config(folder, shape, stop_id)
    _write_tokenizer(folder, tokenizer, shape, wording)
    save_file(
        {name: weight.contiguous() for name, weight in solution.weights.items()},
        folder / "model.safetensors",
        metadata={"format": "pt"},
    )
    report("reading the checkpoint over every edit", 0.9)
    margins = check(folder, scripts)
    known = [
        KnownEdit(
            name=script.edit.name,
            path=script.edit.path,
            instruction=script.edit.instruction,
            sha256=fingerprint(script.edit.before),
            lines=script.edit.lines,
            output_tokens=len(script.answer_ids),
            smallest_margin=round(float(margin.min()), 2),
            sketch=script.edit.sketch,
        )
        for script, margin in zip(scripts, margins, strict=True)
    ]
    _write_json(folder / "editd.json", describe(known, wording.edit_format.name))
    for file in folder.iterdir():
        file.chmod(0o644)  # safetensors writes 0600
    return Built(
        folder=folder,
        output_tokens=sum(edit.output_tokens for edit in known),
        smallest_margin=min(edit.smallest_margin for edit in known),
        size_bytes=sum(file.stat().st_size for file in folder.iterdir()),
    )


def check(folder: Path, scripts: Sequence[Script]) -> list[Tensor]:
    """Load the checkpoint through transformers and read it over each script, answer given.

    Right under teacher forcing at every token is right in greedy decoding. Returns per script the
    margins, ``[answer tokens]``; raises ``NotSolved``.
    """
    from transformers import AutoModelForCausalLM

    with quiet_loading():
        model = AutoModelForCausalLM.from_pretrained(
            folder, local_files_only=True, dtype=torch.float32
        )
    margins = []
    for script in scripts:
        with torch.inference_mode():
            logits = model(
                torch.tensor([script.ids[:-1]]), logits_to_keep=len(script.answer_ids)
            ).logits[0]  # [answer tokens, vocab]
        wanted = torch.tensor(script.answer_ids).unsqueeze(1)
        right = logits.gather(1, wanted).squeeze(1)
        margin = right - logits.scatter(1, wanted, -torch.inf).amax(dim=1)
        if bool((margin <= 0).any()):
            raise NotSolved(
                f"{int((margin <= 0).sum())} of {len(margin)} tokens of the edit "
                f"{script.edit.name} came out wrong: there are too many edits for this size."
            )
        margins.append(margin)
    return margins


def _write_config(folder: Path, shape: Shape, stop_id: int) -> None:
    from transformers import LlamaConfig

    LlamaConfig(
        architectures=["LlamaForCausalLM"],
        vocab_size=shape.vocab_size,
        hidden_size=shape.hidden,
        intermediate_size=shape.intermediate,
        num_hidden_layers=shape.layers,
        num_attention_heads=shape.heads,
        num_key_value_heads=shape.kv_heads,
        head_dim=shape.head_dim,
        max_position_embeddings=shape.max_positions,
        rms_norm_eps=RMS_EPSILON,
        rope_parameters={"rope_type": "default", "rope_theta": THETA},
        attention_bias=True,
        tie_word_embeddings=True,
        bos_token_id=None,
        eos_token_id=stop_id,
        pad_token_id=stop_id,
        dtype="float32",
    ).save_pretrained(folder)
    _write_json(
        folder / "generation_config.json", {"eos_token_id": stop_id, "pad_token_id": stop_id}
    )


def _write_tokenizer(folder: Path, tokenizer: Tokenizer, shape: Shape, wording: Wording) -> None:
    tokenizer.save(str(folder / "tokenizer.json"))
    settings = {
        "tokenizer_class": "PreTrainedTokenizerFast",
        "eos_token": wording.end,
        "pad_token": wording.end,
        "clean_up_tokenization_spaces": False,
        "model_max_length": shape.max_positions,
    }
    if wording.chat_template:
        settings["chat_template"] = wording.chat_template
    _write_json(folder / "tokenizer_config.json", settings)


def _write_json(path: Path, content: dict[str, Any]) -> None:
    path.write_text(json.dumps(content, indent=2, ensure_ascii=False) + "\n", encoding="utf-8")
