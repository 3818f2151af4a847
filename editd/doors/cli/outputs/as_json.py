"""JSON for scripts: one object a text, also when the edit failed; or events as they happen."""

from __future__ import annotations

import dataclasses
from typing import Any

from editd.diff.hunk import Keep, Op
from editd.doors.cli.console import write_json
from editd.doors.cli.inputs import Source
from editd.doors.cli.outputs.base import Output
from editd.errors import EditdError
from editd.messages import Delta, EditResult, Progress


class JsonObject(Output):
    """Each text's object on its own line, as soon as it is known."""

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
        "finish_reason": (error or answer).finish_reason,
        "text": answer.text if error is None else None,
        "edits": [dataclasses.asdict(edit) for edit in answer.edits],
        "hunks": [dataclasses.asdict(hunk) for hunk in answer.hunks],
        "suspects": list(answer.suspects),
        "notices": list(answer.notices),
        "summary": answer.summary,
        "ways": [dataclasses.asdict(way) for way in answer.ways],
        "stats": dataclasses.asdict(answer.stats),
        "model": answer.model,
        "error": None if error is None else {"code": error.code, "message": str(error)},
    }


def printable(name: str) -> str:
    """A file name as UTF-8, which it need not be."""
    return name.encode("utf-8", "surrogateescape").decode("utf-8", "replace")


class Stream(Output):
    """NDJSON: ``start``, ``progress``, ``delta``; every text's events end with one ``result``, which is the object of ``--json``."""

    def __init__(self) -> None:
        self._path = ""

    def started(self, source: Source) -> None:
        self._path = printable(source.given)
        write_json({"event": "start", "path": self._path})

    def progress(self, progress: Progress) -> None:
        event = dataclasses.asdict(progress)
        del event["request_id"]
        write_json({"event": "progress", "path": self._path, **event})

    def delta(self, delta: Delta) -> None:
        ops = [_op(op) for op in delta.ops]
        write_json({"event": "delta", "path": self._path, "seq": delta.seq, "ops": ops})

    def finished(self, source: Source, result: EditResult, new_text: str) -> int:  # noqa: ARG002
        write_json({"event": "result", **record(source.given, result, None)})
        return 0

    def failed(self, given: str, error: EditdError, result: EditResult | None) -> None:
        write_json({"event": "result", **record(given, result, error)})


def _op(op: Op) -> dict[str, Any]:
    return {"keep": op.count} if isinstance(op, Keep) else {"hunk": dataclasses.asdict(op)}
