"""The solved models of this machine: solved once, kept in the user's cache folder.

Keyed by what goes into it, so that a changed edit or solver gets a new folder.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from pathlib import Path

from benchmarks.solved import Report
from benchmarks.solved.edits import Edit, demo_folder, load_edits
from benchmarks.solved.shape import DEMO, Shape
from editd.files.local_cache import cache_dir
from editd.models.made_folder import made_once

_FORMAT_VERSION = 1  # raise it when something outside the key's files changes what is written
_KEEP = 3  # older folders than the newest few are removed: each edit of the solver makes one


def demo_model_dir(report: Report | None = None) -> Path:
    """The folder of the model that knows examples/demo; solved now, in ten seconds, if it is not there."""
    return solved_model_dir(load_edits(demo_folder()), DEMO, report)


def demo_model_name() -> Path:
    """Where ``demo_model_dir`` has it or will have it."""
    return _folder(load_edits(demo_folder()), DEMO)


def solved_model_dir(edits: Sequence[Edit], shape: Shape, report: Report | None = None) -> Path:
    """As ``demo_model_dir``, for any edits and any shape.

    Raises ``ModelError`` if there is no place for it.
    """

    def solve(folder: Path) -> None:
        from benchmarks.solved.checkpoint import build

        build(folder, edits, shape, report or (lambda _message, _done: None))

    return made_once(_folder(edits, shape), solve, "The solved model", keep=_KEEP)


def _folder(edits: Sequence[Edit], shape: Shape) -> Path:
    return cache_dir() / "solved" / f"{shape.name}-{_key(edits, shape)}"


def _key(edits: Sequence[Edit], shape: Shape) -> str:
    """Of the edits, the shape, the code that solves them, and the code that turns edits into ids."""
    from benchmarks.solved.script import prompt_of
    from editd.models.text import codec
    from editd.models.text import tokenizer_file as tokenizer

    digest = hashlib.sha256(f"{_FORMAT_VERSION} {shape}".encode())
    for edit in edits:
        digest.update(repr((edit, prompt_of(edit))).encode())
    sources = [Path(str(module.__file__)) for module in (codec, tokenizer)]
    for source in [*sources, *sorted(Path(__file__).parent.glob("*.py"))]:
        digest.update(source.read_bytes())
    return digest.hexdigest()[:16]
