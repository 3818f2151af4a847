"""A trained network as a folder that transformers and editd load: ``python -m training.export``.

fp16 weights (the training ended on such), the configuration of a stock Llama, the tokenizer,
``editd.json`` and a model card. Llama with attention biases and not Qwen2: transformers replaces the
pre-tokenizer of every tokenizer whose model is called qwen2.
"""

from __future__ import annotations

import json
import shutil
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Any

import typer
from safetensors.torch import save_file
from tokenizers import Tokenizer

from editd.embedded import manifest
from editd.prompts.formats.embedded import CONTROL_TOKENS, END, EmbeddedFormat
from training import checkpoint
from training.card import write_card
from training.families import GENERATORS
from training.network import RMS_EPSILON, Network, llama_weights
from training.shape import Shape
from training.tokenizer import write_tokenizer


def export(
    network: Network,
    tokenizer: Tokenizer,
    folder: Path,
    trained: dict[str, Any] | None = None,
    corpus_manifest: Path | None = None,
) -> None:
    """Write ``folder`` anew. trained: what the training's state says."""
    folder.mkdir(parents=True, exist_ok=True)
    weights = {name: weight.half() for name, weight in llama_weights(network).items()}
    save_file(weights, folder / "model.safetensors", metadata={"format": "pt"})
    _write_config(folder, network.shape)
    write_tokenizer(tokenizer, folder, network.shape.max_positions)
    write_manifest(folder, list(GENERATORS))
    if corpus_manifest is not None and corpus_manifest.is_file():
        shutil.copyfile(corpus_manifest, folder / "corpus.json")
    licence = Path(__file__).parents[2] / "LICENSE"
    if licence.is_file():
        shutil.copyfile(licence, folder / "LICENSE")
    write_card(folder, network.shape.parameters, trained or {})
    for file in folder.iterdir():
        file.chmod(0o644)  # safetensors writes 0600


def write_manifest(folder: Path, families: Sequence[str]) -> None:
    """``editd.json``: the model's edit format and the families that it may be asked for."""
    _write_json(folder / "editd.json", manifest.describe(families, EmbeddedFormat.name))


def _write_config(folder: Path, shape: Shape) -> None:
    from transformers import LlamaConfig

    end = CONTROL_TOKENS.index(END)
    LlamaConfig(
        architectures=["LlamaForCausalLM"],
        vocab_size=shape.vocabulary,
        hidden_size=shape.hidden,
        intermediate_size=shape.intermediate,
        num_hidden_layers=shape.layers,
        num_attention_heads=shape.heads,
        num_key_value_heads=shape.heads,
        head_dim=shape.head_dim,
        max_position_embeddings=shape.max_positions,
        rms_norm_eps=RMS_EPSILON,
        rope_parameters={"rope_type": "default", "rope_theta": shape.theta},
        attention_bias=True,
        tie_word_embeddings=True,
        bos_token_id=None,
        eos_token_id=end,
        pad_token_id=end,
        dtype="float16",
    ).save_pretrained(folder)
    _write_json(
        folder / "generation_config.json",
        {"eos_token_id": end, "pad_token_id": end, "do_sample": False},
    )


def _write_json(path: Path, content: dict[str, Any]) -> None:
    path.write_text(json.dumps(content, indent=2, ensure_ascii=False) + "\n", encoding="utf-8")


def main(
    run: Annotated[Path, typer.Option(help="Folder of the training run.")],
    out: Annotated[Path, typer.Option(help="Folder to write.")],
    corpus_file: Annotated[
        Path | None, typer.Option("--corpus", help="For its list of packages.")
    ] = None,
) -> None:
    """Write a trained checkpoint as a model folder."""
    from training.corpus import manifest_path

    network, state = checkpoint.load(run / "checkpoint")
    tokenizer = Tokenizer.from_file(str(run / "tokenizer.json"))
    export(network, tokenizer, out, state, manifest_path(corpus_file) if corpus_file else None)
    size = sum(file.stat().st_size for file in out.iterdir())
    print(f"{out}: {network.shape.parameters / 1e6:.1f} M parameters, {size / 1e6:.1f} MB")


if __name__ == "__main__":
    typer.run(main)
