"""The tokenizer of a GGUF file: made from its header as ``tokenizer.json`` says it, or refused.

A GGUF file names its way of cutting text instead of holding it. Only the cuts in ``_CUTS`` were
compared with the original; of them transformers makes a tokenizer, which is set right here.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from editd.errors import ModelUnsupported

INSTEAD = "use the original checkpoint of the model, in safetensors"
"""How every refusal of a GGUF file ends."""

# How byte-level text is cut before merging, by GGUF's name; and whether a word of the vocabulary
# is taken whole, whatever the merges say.
_CUTS = {
    "gpt-2": False,
    "qwen2": False,
    "deepseek-r1-qwen": False,
    "llama-bpe": True,
    "llama3": True,
    "llama-v3": True,
}
# llama.cpp ends an answer at these as well, whatever the header names.
_ENDS = {"<|im_end|>", "<|endoftext|>", "<|eot_id|>", "<|eom_id|>", "<|end_of_text|>", "</s>"}
_CONTROL, _UNUSED = 3, 5  # token types


def check_tokenizer(file: Path, fields: dict[str, Any]) -> bool:
    """Whether words of the vocabulary are taken whole. Raises ``ModelUnsupported`` but for a known cut."""
    kind, cut = fields.get("tokenizer.ggml.model"), fields.get("tokenizer.ggml.pre")
    if kind != "gpt2" or cut not in _CUTS:
        named = f"{kind} ({cut})" if cut else str(kind)
        raise ModelUnsupported(
            f"{file} has a tokenizer {named}, which cannot be made from GGUF exactly (only "
            f"{', '.join(_CUTS)} can): {INSTEAD}."
        )
    return _CUTS[cut]


def make_tokenizer(
    file: Path, fields: dict[str, Any], empty: Path, *, whole_words: bool
) -> dict[str, Any]:
    """``tokenizer.json`` as transformers converts it, without what its class brings along.

    Words that the file marks as unused spell nothing, and BOS stands where the file says so.
    """
    from tokenizers import Tokenizer, processors
    from transformers import PreTrainedTokenizerFast

    converted = PreTrainedTokenizerFast.from_pretrained(
        str(empty), gguf_file=str(file), local_files_only=True
    )
    words: list[str] = fields["tokenizer.ggml.tokens"]
    kinds: list[int] = fields.get("tokenizer.ggml.token_type") or [1] * len(words)
    content: dict[str, Any] = json.loads(converted.backend_tokenizer.to_str())
    content["added_tokens"] = [
        added
        for added in content["added_tokens"]
        if added["id"] < len(words) and words[added["id"]] == added["content"]
    ]
    model = content["model"]
    model["vocab"] = {
        word: token_id
        for word, token_id in model["vocab"].items()
        if token_id < len(words) and kinds[token_id] != _UNUSED
    }
    model["ignore_merges"] = whole_words
    content["truncation"] = content["padding"] = content["post_processor"] = None
    special = {added["id"] for added in content["added_tokens"] if added["special"]}
    _check_control(file, fields, special)
    tokenizer = Tokenizer.from_str(json.dumps(content))
    opening = fields.get("tokenizer.ggml.bos_token_id")
    if opening is not None and fields.get("tokenizer.ggml.add_bos_token", whole_words):
        word = words[opening]
        tokenizer.post_processor = processors.TemplateProcessing(
            single=f"{word} $A", special_tokens=[(word, opening)]
        )
    return dict(json.loads(tokenizer.to_str()))


def _check_control(file: Path, fields: dict[str, Any], special: set[int]) -> None:
    """Tokens that a prompt needs must be tokens, not their words in letters."""
    words = fields["tokenizer.ggml.tokens"]
    template = str(fields.get("tokenizer.chat_template", ""))
    kinds = fields.get("tokenizer.ggml.token_type") or ()
    needed = {i for i, kind in enumerate(kinds) if kind == _CONTROL and words[i] in template}
    lost = sorted((needed | set(end_ids(fields))) - special)
    if lost:
        raise ModelUnsupported(
            f"transformers loses the control token {words[lost[0]]} of {file}: {INSTEAD}."
        )


def end_ids(fields: dict[str, Any]) -> list[int]:
    """Tokens that end an answer."""
    words = fields["tokenizer.ggml.tokens"]
    kinds = fields.get("tokenizer.ggml.token_type") or ()
    named = (fields.get(f"tokenizer.ggml.{name}_token_id") for name in ("eos", "eot", "eom"))
    usual = (i for i, kind in enumerate(kinds) if kind == _CONTROL and words[i] in _ENDS)
    return sorted({*(int(i) for i in named if i is not None), *usual})


def tokenizer_config(fields: dict[str, Any]) -> dict[str, Any]:
    """``tokenizer_config.json``: the words of special tokens, and the chat template."""
    words = fields["tokenizer.ggml.tokens"]
    ids = {"bos_token": "bos", "eos_token": "eos", "unk_token": "unknown", "pad_token": "padding"}
    values = {
        name: words[fields[key]]
        for name, theirs in ids.items()
        if (key := f"tokenizer.ggml.{theirs}_token_id") in fields
    }
    if template := fields.get("tokenizer.chat_template"):
        values["chat_template"] = template
    return values
