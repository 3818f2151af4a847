"""NDJSON events as they happen: ``start``, ``progress``, ``delta``, ``result``."""

from __future__ import annotations

import dataclasses
from typing import Any

from editd.cli.console import write_json
from editd.cli.outputs.base import Output
from editd.cli.outputs.json_object import printable, record
from editd.cli.sources import Source
from editd.diff.hunk import Keep, Op
from editd.errors import EditdError
from editd.messages import Delta, EditResult, Progress


class Stream(Output):
    """Every text's events end with one ``result``, which is the object of ``--json``."""

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
