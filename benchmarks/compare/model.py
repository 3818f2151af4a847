"""The checkpoint that every engine reads: a folder that was named, or one solved for the cases.

The solved one recites its edits and is nothing else; ``TITLE`` says so wherever it is reported.
"""

from __future__ import annotations

from pathlib import Path

from benchmarks.compare.cases import default_edits
from tests.fixtures.solved import Report
from tests.fixtures.solved.cache import solved_model_dir
from tests.fixtures.solved.sizes import BENCH, DRAFT

TITLE = "solved checkpoint of 38 million parameters that knows these edits by heart"


def default_model(report: Report) -> Path:
    """The benchmark's own checkpoint; solved on first use and kept in the user's cache."""
    return solved_model_dir(default_edits(), BENCH, report)


def default_draft_model(report: Report) -> Path:
    """A draft model for it: smaller, with the same tokenizer, and reciting the same edits.

    So nearly all of its drafts are accepted: no trained draft model can do better.
    """
    return solved_model_dir(default_edits(), DRAFT, report)
