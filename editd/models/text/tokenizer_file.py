"""A model's tokenizer, read from its file.

Reads ``tokenizer.json`` with the ``tokenizers`` library alone: for some model types, transformers' classes
silently replace the pre-tokenizer that the file names. Tokenising text is left to ``codec``.
"""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

from tokenizers import Tokenizer

from editd.errors import ModelDamaged, ModelUnsupported, first_line
from editd.models.regular_files import check_regular

# Rewrites of the text before it is tokenised; a codec that must give back what it got drops them.
_UNICODE_FORMS = {"NFC", "NFD", "NFKC", "NFKD", "Nmt", "Precompiled"}


def read_tokenizer(folder: Path, *, allow_remote_code: bool = False) -> Tokenizer:
    """The tokenizer of the model in ``folder``; raises ``ModelDamaged`` if it cannot be read."""
    file = folder / "tokenizer.json"
    check_regular(folder)
    try:
        if file.is_file():
            return Tokenizer.from_file(str(file))
        return _convert(folder, allow_remote_code=allow_remote_code)
    except ModelUnsupported:
        raise
    except Exception as error:  # tokenizers raises bare Exception for what it cannot parse
        raise ModelDamaged(
            f"The tokenizer in {folder} cannot be read ({first_line(error)}): pull or copy the "
            "model again."
        ) from error


def two_readings(tokenizer: Tokenizer) -> tuple[Tokenizer, Tokenizer]:
    """The tokenizer for prompts and for the inside of a text; mostly one and the same.

    Neither changes Unicode forms: a buffer with a decomposed é would come back with another one.
    Inside a text there is no dummy space first, either: in prompts it stays (the model was
    trained with it), in what follows a prompt it would be a space too many.
    """
    normalizer = _parsed(tokenizer.normalizer)
    pre_tokenizer = _parsed(tokenizer.pre_tokenizer)
    exact = _keep_parts(normalizer, dropped=_UNICODE_FORMS)
    if exact != normalizer:
        tokenizer.normalizer = _built(exact, None).normalizer
    inside = _keep_parts(exact, dropped={"Prepend"})
    inside_pre = _no_prefix_space(pre_tokenizer)
    if inside == exact and inside_pre == pre_tokenizer:
        return tokenizer, tokenizer
    other = Tokenizer.from_str(tokenizer.to_str())
    parts = _built(inside, inside_pre)
    other.normalizer, other.pre_tokenizer = parts.normalizer, parts.pre_tokenizer
    return tokenizer, other


def _parsed(component: Any) -> dict[str, Any] | None:
    return None if component is None else json.loads(component.__getstate__())


def _built(normalizer: dict[str, Any] | None, pre_tokenizer: dict[str, Any] | None) -> Tokenizer:
    """The components as objects: those of a tokenizer that has no words."""
    return Tokenizer.from_str(
        json.dumps(
            {
                "version": "1.0",
                "normalizer": normalizer,
                "pre_tokenizer": pre_tokenizer,
                "model": {"type": "BPE", "vocab": {}, "merges": []},
            }
        )
    )


def _keep_parts(part: dict[str, Any] | None, *, dropped: set[str]) -> dict[str, Any] | None:
    if part is None or part["type"] in dropped:
        return None
    if part["type"] == "Sequence":
        kept = [k for inner in part["normalizers"] if (k := _keep_parts(inner, dropped=dropped))]
        return {**part, "normalizers": kept} if kept else None
    return part


def _no_prefix_space(part: dict[str, Any] | None) -> dict[str, Any] | None:
    if part is None:
        return None
    if part["type"] == "Sequence":
        return {**part, "pretokenizers": [_no_prefix_space(p) for p in part["pretokenizers"]]}
    if part["type"] == "Metaspace":
        return {**part, "prepend_scheme": "never"}
    if part["type"] == "ByteLevel":
        return {**part, "add_prefix_space": False}
    return part


def opening_ids(tokenizer: Tokenizer) -> list[int]:
    """What the post-processor puts before plain text (BOS)."""
    plain = tokenizer.encode("a", add_special_tokens=False).ids
    full = tokenizer.encode("a", add_special_tokens=True).ids
    for start in range(len(full) - len(plain) + 1):
        if full[start : start + len(plain)] == plain:
            return list(full[:start])
    return []


def control_words(tokenizer: Tokenizer) -> re.Pattern[str]:
    """Finds the words of control tokens in a text, the longest first; nothing if there are none."""
    words = [t.content for t in tokenizer.get_added_tokens_decoder().values() if t.special]
    longest_first = sorted(map(re.escape, words), key=len, reverse=True)
    return re.compile("|".join(longest_first) or r"(?!)")


def space_sign(tokenizer: Tokenizer) -> tuple[str, list[int]]:
    """The character that stands for a space, and the byte tokens that spell it as itself.

    SentencePiece's ``▁``; empty where spaces are written otherwise or bytes have no tokens.
    """
    for part in decoder_parts(tokenizer):
        sign = part.get("replacement") or part.get("pattern", {}).get("String")
        if part.get("content", " ") == " " and sign:
            names = [f"<0x{byte:02X}>" for byte in str(sign).encode()]
            ids = [i for name in names if (i := tokenizer.token_to_id(name)) is not None]
            return (str(sign), ids) if len(ids) == len(names) else ("", [])
    return "", []


def decoder_parts(tokenizer: Tokenizer) -> list[dict[str, Any]]:
    """How tokens become text, step by step, as the tokenizer's file says it."""
    decoder = _parsed(tokenizer.decoder)
    if decoder is None:
        return []
    return list(decoder["decoders"]) if decoder["type"] == "Sequence" else [decoder]


def _convert(folder: Path, *, allow_remote_code: bool) -> Tokenizer:
    """A tokenizer without ``tokenizer.json``, as transformers converts it."""
    from transformers import AutoTokenizer

    wrapped = AutoTokenizer.from_pretrained(
        str(folder), local_files_only=True, trust_remote_code=allow_remote_code
    )
    backend = getattr(wrapped, "backend_tokenizer", None)
    if not isinstance(backend, Tokenizer):
        raise ModelUnsupported(
            f"The tokenizer in {folder} has no tokenizer.json and cannot be converted to one: "
            "choose a model that has it."
        )
    return backend
