"""The checkpoint that is solved for the benchmark's own edits, where no model is named."""

from __future__ import annotations

from pathlib import Path

from benchmarks.compare.cases import default_edits
from tests.fixtures.solved import Report
from tests.fixtures.solved.cache import solved_model_dir
from tests.fixtures.solved.sizes import BENCH

TITLE = "solved checkpoint of 38 million parameters that knows these edits by heart"


def default_model(report: Report) -> Path:
    """The folder of the benchmark's own checkpoint, which is solved on first use and stays in the user's cache."""
    return solved_model_dir(default_edits(), BENCH, report)
