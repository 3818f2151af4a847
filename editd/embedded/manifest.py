"""What a trained checkpoint says of itself in ``editd.json``, and which instructions it may be given.

A small model writes nonsense for what it was not taught. So an instruction is let through only if it
is one of the checkpoint's families, by a rule (``recognise``); all others get one
sentence. Plain dictionaries in, plain values out; no torch.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from editd.embedded.families import FAMILIES
from editd.embedded.recognise import family_of, refusal

KIND = "trained"
LONGEST = 512  # tokens of prompt and answer in the edits that it was taught
TITLE = "embedded model: small, for a few kinds of edits"


def describe(families: Sequence[str], edit_format: str) -> dict[str, Any]:
    """The content of ``editd.json``. families: what it may be asked for; the others are left out."""
    return {
        "format": edit_format,
        "kind": KIND,
        "title": TITLE,
        "license": "Apache-2.0 (base model), MIT (adapter)",
        "families": list(families),
        "left_out": [name for name in FAMILIES if name not in families],
        "longest": LONGEST,
    }


def is_trained(manifest: dict[str, Any]) -> bool:
    """Whether a checkpoint's ``editd.json`` says that it knows some kinds of edits only."""
    return manifest.get("kind") == KIND


def longest(manifest: dict[str, Any]) -> int:
    """Tokens of prompt and answer that it was taught with, at most; 0 where that is not told."""
    told = manifest.get("longest", 0)
    return told if isinstance(told, int) else 0


def is_whole(manifest: dict[str, Any]) -> bool:
    """Whether a checkpoint was made for whole texts, so that no text is narrowed for it."""
    return manifest.get("scope") == "whole"


def refuse(manifest: dict[str, Any], instruction: str, language: str) -> str | None:
    """One sentence if the checkpoint must not be asked for this, else ``None``."""
    known = [
        name
        for name in manifest.get("families", [])
        if not FAMILIES[name].languages or language in FAMILIES[name].languages
    ]
    return None if family_of(instruction, among=known) else refusal(known)
