"""One JSON object a text, for scripts: also when the edit failed."""

from __future__ import annotations

import dataclasses
from typing import Any

from editd.cli.console import write_json
from editd.cli.outputs.base import Output
from editd.cli.sources import Source
from editd.errors import EditdError, FinishReason
from editd.messages import EditResult


class JsonObject(Output):
    """Each text's object on a line of its own, as soon as it is known."""

    def finished(self, source: Source, result: EditResult, new_text: str) -> int:  # noqa: ARG002
        write_json(record(source.given, result, None))
        return 0

    def failed(self, given: str, error: EditdError, result: EditResult | None) -> None:
        write_json(record(given, result, error))


def record(given: str, result: EditResult | None, error: EditdError | None) -> dict[str, Any]:
    """The object of docs/reference/cli.md; the same keys whether it went well or not."""
    answer = result or EditResult("", "error")
    return {
        "path": printable(given),
        "finish_reason": answer.finish_reason if error is None else _finish_reason(error, answer),
        "text": answer.text if error is None else None,
        "edits": [dataclasses.asdict(edit) for edit in answer.edits],
        "hunks": [dataclasses.asdict(hunk) for hunk in answer.hunks],
        "suspects": list(answer.suspects),
        "notices": list(answer.notices),
        "stats": dataclasses.asdict(answer.stats),
        "model": answer.model,
        "error": None if error is None else {"code": error.code, "message": str(error)},
    }


def printable(name: str) -> str:
    """A file name as UTF-8, which it need not be."""
    return name.encode("utf-8", "surrogateescape").decode("utf-8", "replace")


def _finish_reason(error: EditdError, answer: EditResult) -> FinishReason:
    """How it ended; a good answer may still have been refused, or an edit broken off here."""
    if answer.finish_reason not in ("stop", "error"):
        return answer.finish_reason
    return error.finish_reason
