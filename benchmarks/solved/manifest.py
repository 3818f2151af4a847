"""What a solved checkpoint says of itself in ``editd.json``, and the rule that keeps it honest.

A model that knows edits by heart writes nonsense for anything else. So an edit is let through only
if the very instruction and the very file were solved; all others get one sentence. Plain
dictionaries in, plain values out; no torch.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any

from editd.diff.document import Document

KIND = "solved"
TITLE = "demo model: knows these edits by heart"

_ABOUT = (
    "Not a general model. The weights were solved, not trained, so that the model recites the "
    "edits listed here and nothing else. It stands in for a real model in the demo and in tests."
)


@dataclass(frozen=True, slots=True)
class KnownEdit:
    """One entry of the manifest.

    instruction: as it must be in the prompt, to the letter. sha256: of the rewritten text as the
    model sees it. lines: where that is in the file, when it is not all of it. any_path: the
    answer is right whatever the file is called; else only as ``path``.
    output_tokens, smallest_margin: of the answer, closing fence and stop token included; the margin
    in logits between first and second choice. sketch: what is put in, where that is what it is about.
    """

    name: str
    path: str
    instruction: str
    sha256: str
    lines: tuple[int, int] | None
    any_path: bool
    output_tokens: int
    smallest_margin: float
    sketch: str = ""


def describe(edits: Sequence[KnownEdit], edit_format: str) -> dict[str, Any]:
    """The content of ``editd.json``."""
    return {
        "format": edit_format,
        "kind": KIND,
        "title": TITLE,
        "about": _ABOUT,
        "license": "MIT",
        "edits": [asdict(edit) for edit in edits],
    }


def is_solved(manifest: dict[str, Any]) -> bool:
    """Whether a checkpoint's ``editd.json`` says that it only recites."""
    return manifest.get("kind") == KIND


def known_edit(
    manifest: dict[str, Any], instruction: str, buffer: str, path: str = "", sketch: str = ""
) -> KnownEdit | None:
    """The solved edit that is asked for, if any.

    buffer: what the answer is to replace, the whole text or the selected lines. Case, spacing and a
    final full stop of the instruction do not count, line ends and BOM of the buffer neither. The
    prompt must be written with the *returned* instruction and without further context: only that
    prompt was solved.
    """
    wanted = _normal(instruction)
    file_name = re.split(r"[\\/]", path)[-1]
    for known in _of_buffer(manifest, buffer):
        if known.sketch != sketch:
            continue
        if _normal(known.instruction) == wanted and (known.any_path or known.path == file_name):
            return known
    return None


def refusal(manifest: dict[str, Any], buffer: str | None = None) -> str:
    """One sentence for a user whose edit is not known, which depends on whether the file is."""
    here = [] if buffer is None else _of_buffer(manifest, buffer)
    if here:
        what = f"{' and '.join(_quoted(edit) for edit in here)} of this text"
    else:
        edits = _edits(manifest)
        paths = ", ".join(sorted({edit.path for edit in edits}))
        what = f"{len(edits)} edits (of {paths}; examples/demo/README.md lists them)"
    return (
        f"The demo model knows only {what} by heart: choose a real model for anything else, "
        "see `editd models`."
    )


def fingerprint(buffer: str) -> str:
    """SHA-256 of a buffer's model text, in hexadecimal."""
    return hashlib.sha256(Document.of(buffer).model_text.encode()).hexdigest()


def _of_buffer(manifest: dict[str, Any], buffer: str) -> list[KnownEdit]:
    digest = fingerprint(buffer)
    return [edit for edit in _edits(manifest) if edit.sha256 == digest]


def _edits(manifest: dict[str, Any]) -> list[KnownEdit]:
    return [
        KnownEdit(**{**edit, "lines": tuple(edit["lines"]) if edit["lines"] else None})
        for edit in manifest["edits"]
    ]


def _quoted(edit: KnownEdit) -> str:
    return f"“{edit.instruction}”"


def _normal(instruction: str) -> str:
    return " ".join(instruction.split()).rstrip(".").rstrip().casefold()
