"""Recorded edits as reports group them, and as a model sees their texts."""

from __future__ import annotations

from benchmarks.recorded_cases import Case
from editd.diff.document import Document

_SIZES = ((60, "< 60 lines"), (160, "60-159 lines"), (400, "160-399 lines"), (800, "400-799 lines"))


def size_of(case: Case) -> str:
    """By the lines that come out."""
    lines = case.after.count("\n") + 1
    return next((name for limit, name in _SIZES if lines < limit), ">= 800 lines")


def model_text(text: str) -> str:
    """Text as a model sees it: LF line ends, no byte order mark."""
    return Document.of(text).model_text
