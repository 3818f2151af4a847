"""What a solved checkpoint says of itself in ``editd.json``. No torch."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any

from editd.diff.document import Document

KIND = "solved"
TITLE = "solved model: knows these edits by heart"

_ABOUT = (
    "Not a general model. The weights were solved, not trained, so that the model recites the "
    "edits listed here and nothing else. It stands in for a real model in tests and benchmarks."
)


@dataclass(frozen=True, slots=True)
class KnownEdit:
    """One entry of the manifest.

    instruction: as it must be in the prompt, to the letter. sha256: of the rewritten text as the
    model sees it. lines: where that is in the file, when it is not all of it.
    output_tokens, smallest_margin: of the answer, closing fence and stop token included; the margin
    in logits between first and second choice. sketch: what is put in, where that is what it is about.
    """

    name: str
    path: str
    instruction: str
    sha256: str
    lines: tuple[int, int] | None
    output_tokens: int
    smallest_margin: float
    sketch: str = ""


def describe(edits: Sequence[KnownEdit], edit_format: str) -> dict[str, Any]:
    """The content of ``editd.json``."""
    return {
        "format": edit_format,
        "scope": "whole",
        "kind": KIND,
        "title": TITLE,
        "about": _ABOUT,
        "license": "MIT",
        "edits": [asdict(edit) for edit in edits],
    }


def fingerprint(buffer: str) -> str:
    """SHA-256 of a buffer's model text, in hexadecimal."""
    return hashlib.sha256(Document.of(buffer).model_text.encode()).hexdigest()
