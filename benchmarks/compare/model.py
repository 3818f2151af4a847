"""The checkpoint that every engine reads: a folder that was named, or one solved for the cases.

The solved one recites its edits and is nothing else; ``TITLE`` says so wherever it is reported.
"""

from __future__ import annotations

import json
import os
import shutil
from pathlib import Path

from benchmarks.compare.cases import default_edits
from benchmarks.compare.conversions import converted
from benchmarks.demo_shapes import BENCH, DRAFT
from benchmarks.solved import Report
from benchmarks.solved.cache import solved_model_dir

TITLE = "solved checkpoint of 38 million parameters that knows these edits by heart"

# More lines than any case has: a selection is shown with all that stands around it.
_CONTEXT_LINES = 1000


def default_model(report: Report) -> Path:
    """The benchmark's own checkpoint; solved on first use and kept in the user's cache."""
    solved = solved_model_dir(default_edits(), BENCH, report)

    def build(folder: Path) -> None:
        shutil.copytree(solved, folder, copy_function=_linked, dirs_exist_ok=True)
        manifest = json.loads((solved / "editd.json").read_text(encoding="utf-8"))
        manifest["context_lines"] = _CONTEXT_LINES
        (folder / "editd.json").unlink()
        (folder / "editd.json").write_text(json.dumps(manifest, indent=2) + "\n", encoding="utf-8")

    return converted(solved, "checkpoint", f"{_CONTEXT_LINES} lines of context", build)


def default_draft_model(report: Report) -> Path:
    """A draft model for it: smaller, with the same tokenizer, and reciting the same edits.

    So nearly all of its drafts are accepted: no trained draft model can do better.
    """
    return solved_model_dir(default_edits(), DRAFT, report)


def _linked(source: str, target: str) -> str:
    """A hard link where the file system has them: the weights need not lie there twice."""
    try:
        os.link(source, target)
    except OSError:
        shutil.copy2(source, target)
    return target
