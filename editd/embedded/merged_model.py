"""The embedded model of this machine: base model and adapter merged once, kept in the user's cache.

The folder holds a GGUF file where llama.cpp can run it (a quarter of the size, and no torch), else a
checkpoint for torch; the rest of editd sees a model like any other. Keyed by what goes into it.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable
from importlib.resources import files
from pathlib import Path

from editd.embedded import adapter, base_model
from editd.embedded.model_files import GGUF, SAFETENSORS, write_model
from editd.files.local_cache import cache_dir
from editd.models.llama_cpp.library import is_library_here
from editd.models.made_folder import made_once

_FORMAT_VERSION = 3  # raise it when the code changes what is written

Report = Callable[[str, float], None]
"""Progress: called with one sentence and how much of the work is done, 0 to 1."""


def embedded_model_dir(report: Report | None = None) -> Path:
    """The folder of the embedded model; merged now, in a few seconds, if it is not there.

    Raises ``ModelNotFound`` if the base weights are not on this machine, ``ModelError`` if there is
    no place for the result.
    """
    added = _shipped("adapter.safetensors")
    families = json.loads(_shipped("families.json"))["families"]
    form = GGUF if is_library_here() else SAFETENSORS
    key = hashlib.sha256(
        f"{_FORMAT_VERSION} {base_model.SHA256} {families} {form}".encode() + added
    )

    def merge(unfinished: Path) -> None:
        file = base_model.base_file()
        tell = report or (lambda _message, _done: None)
        tell("merging the embedded model, once", 0.1)
        write_model(unfinished, file, adapter.read(added), families, form)
        tell("merged the embedded model", 1.0)

    folder = cache_dir() / "embedded" / f"merged-{key.hexdigest()[:16]}"
    return made_once(folder, merge, "The embedded model (540 MB at most)")


def _shipped(name: str) -> bytes:
    return (files("editd.embedded") / "weights" / name).read_bytes()
