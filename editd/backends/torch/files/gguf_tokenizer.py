"""The tokenizer of a GGUF file: made from its header as ``tokenizer.json`` says it, or refused.

A GGUF file names its way of cutting text instead of holding it. Only the cuts in ``_CUTS`` and
SentencePiece's were compared with the original; of them transformers makes a tokenizer, which is set
right here.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from editd.errors import ModelUnsupported

INSTEAD = "use the original checkpoint of the model, in safetensors"
"""How every refusal of a GGUF file ends."""


@dataclass(frozen=True, slots=True)
class Cut:
    """How text becomes words.

    pieces: as SentencePiece does it, else by bytes. whole_words: a word of the vocabulary is taken
    whole, whatever the merges say. digits: each is a word, cut off before anything else. opens: a
    prompt begins with BOS if the file says nothing.
    """

    pieces: bool = False
    whole_words: bool = False
    digits: bool = False
    opens: bool = False


_PIECES = Cut(pieces=True, opens=True)
# Ways of cutting byte-level text before merging, by GGUF's name.
_CUTS = {
    **dict.fromkeys(("gpt-2", "qwen2", "deepseek-r1-qwen"), Cut()),
    "smollm": Cut(digits=True),
    **dict.fromkeys(("llama-bpe", "llama3", "llama-v3"), Cut(whole_words=True, opens=True)),
}
_BYTES = [f"<0x{byte:02X}>" for byte in range(256)]
# llama.cpp ends an answer at these as well, whatever the header names.
_ENDS = {"<|im_end|>", "<|endoftext|>", "<|eot_id|>", "<|eom_id|>", "<|end_of_text|>", "</s>"}
_NORMAL, _CONTROL, _UNUSED = 1, 3, 5  # token types


def check_tokenizer(file: Path, fields: dict[str, Any]) -> Cut:
    """How it cuts text. Raises ``ModelUnsupported`` but for a known cut."""
    kind, cut = fields.get("tokenizer.ggml.model"), fields.get("tokenizer.ggml.pre")
    if kind == "llama" and _is_known_sentencepiece(fields):
        return _PIECES
    if kind != "gpt2" or cut not in _CUTS:
        named = f"{kind} ({cut})" if cut else str(kind)
        raise ModelUnsupported(
            f"{file} has a tokenizer {named}, which cannot be made from GGUF exactly (only "
            f"{', '.join(_CUTS)} and plain SentencePiece can): {INSTEAD}."
        )
    return _CUTS[cut]


def _is_known_sentencepiece(fields: dict[str, Any]) -> bool:
    """Merged by scores, with all bytes to fall back on, and text left as it is before."""
    words = set(fields.get("tokenizer.ggml.tokens", ()))
    changes = ("precompiled_charsmap", "remove_extra_whitespaces")
    return (
        "tokenizer.ggml.scores" in fields
        and "tokenizer.ggml.token_type" in fields
        and "tokenizer.ggml.merges" not in fields
        and words.issuperset(_BYTES)
        and not any(fields.get(f"tokenizer.ggml.{name}") for name in changes)
    )


def make_tokenizer(file: Path, fields: dict[str, Any], empty: Path, cut: Cut) -> dict[str, Any]:
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
    model["ignore_merges"] = cut.whole_words
    if cut.digits:
        first = {"type": "Digits", "individual_digits": True}
        parts = [first, content["pre_tokenizer"]]
        content["pre_tokenizer"] = {"type": "Sequence", "pretokenizers": parts}
    if cut.pieces:
        _cut_as_sentencepiece(content, fields)
    content["truncation"] = content["padding"] = content["post_processor"] = None
    special = {added["id"] for added in content["added_tokens"] if added["special"]}
    _check_control(file, fields, special)
    tokenizer = Tokenizer.from_str(json.dumps(content))
    opening = fields.get("tokenizer.ggml.bos_token_id")
    if opening is not None and fields.get("tokenizer.ggml.add_bos_token", cut.opens):
        word = words[opening]
        tokenizer.post_processor = processors.TemplateProcessing(
            single=f"{word} $A", special_tokens=[(word, opening)]
        )
    return dict(json.loads(tokenizer.to_str()))


def _cut_as_sentencepiece(content: dict[str, Any], fields: dict[str, Any]) -> None:
    """Text begins with a space more, also where it has one; and nothing spells a control token.

    transformers adds that space only where there is none, and merges whatever two words make a third.
    """
    words, kinds = fields["tokenizer.ggml.tokens"], fields["tokenizer.ggml.token_type"]
    spaced = fields.get("tokenizer.ggml.add_space_prefix", True)
    spaces = {"type": "Replace", "pattern": {"String": " "}, "content": "▁"}
    first = [{"type": "Prepend", "prepend": "▁"}] if spaced else []
    content["normalizer"] = {"type": "Sequence", "normalizers": [*first, spaces]}
    content["pre_tokenizer"] = None
    strip = {"type": "Strip", "content": " ", "start": 1, "stop": 0}
    content["decoder"] = {
        "type": "Sequence",
        "decoders": [
            {"type": "Replace", "pattern": {"String": "▁"}, "content": " "},
            {"type": "ByteFallback"},
            {"type": "Fuse"},
            *([strip] if spaced else []),
        ],
    }
    spelled = {word for word, kind in zip(words, kinds, strict=True) if kind == _NORMAL}
    content["model"]["merges"] = [
        merge for merge in content["model"]["merges"] if {*merge, "".join(merge)} <= spelled
    ]


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
