"""An engine without a model: does what a script says, one unit at a time.

``ScriptedEngine`` follows the contract of ``editd.engine.Engine``; give it to whatever takes an
factory, for example ``InProcessEngineClient(Config(), scripted(Script(...), gate))``.

Its answers are right answers: by default it writes the lines that may change in upper case, and
hunks, edits and text of the result agree. A ``Script`` says how large, how slow and how wrong;
``with_script`` overrides its fields for one request, also in another process. Sketches that need no
model are merged as they always are.
A ``Gate`` holds every unit until the test lets it through, so that no test needs a sleep.
"""

from __future__ import annotations

import functools
import json
import os
import re
import signal
import sys
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import Any, Literal

from editd.apply.resolve import resolve_sketch
from editd.config import Config, DaemonConfig
from editd.diff.edits import with_keeps
from editd.diff.hunk import Hunk, Keep, Op, Span
from editd.errors import FinishReason, error_for_code
from editd.messages import (
    CompleteRequest,
    CompleteResult,
    Delta,
    Done,
    EditRequest,
    EditResult,
    ErrorInfo,
    Failed,
    Progress,
    ServerMessage,
    WarmupRequest,
)
from editd.messages.options import WAYS, EditOptions, WayName, WrittenBy
from editd.messages.reports import ModelStatus, Stats, Trace, WorkspaceStatus

Request = EditRequest | WarmupRequest | CompleteRequest


@dataclass(frozen=True, slots=True)
class Script:
    """How the scripted engine answers.

    rewrite: what becomes of a line that may change: upper case, itself, or nothing.
    answers: for an instruction, which of the lines (without their ends) become which others; they take the place of ``rewrite``.
    copies: how often each changed line is written (makes deltas big).
    lines_per_unit: old lines that one decoding unit walks over.
    open_hunks: each hunk is sent once with its first line only, then whole.
    preparing_units: units of work that need no model, before the first that does.
    idle_units: units of work that are there when nobody waits.
    unit_seconds, load_seconds: pace, where a gate cannot be used (another process).
    load_error, error: code of the ``EditdError`` that the load or the first round ends with.
    crash_in: the call that raises something that is no ``EditdError``, the buffer in its message.
    fatal: what the first round does to its process: dies of a signal, or never gives the interpreter
        back to another thread.
    finish_reason: how the edit ends when nothing else went wrong.
    suspect, note: of every hunk; span: on the first two characters of its first new line.
    written_by, summary: of the answer; ways: names of other ways.
    """

    rewrite: Literal["upper", "same", "delete"] = "upper"
    answers: dict[str, dict[str, list[str]]] = field(default_factory=dict)
    copies: int = 1
    lines_per_unit: int = 1
    open_hunks: bool = False
    preparing_units: int = 0
    prefill_units: int = 1
    unit_seconds: float = 0.0
    idle_units: int = 0
    load_seconds: float = 0.0
    load_steps: int = 4
    load_error: str = ""
    error: str = ""
    crash_in: Literal["", "start", "load", "round", "cancel"] = ""
    fatal: Literal["", "signal", "hang"] = ""
    finish_reason: FinishReason = "stop"
    suspect: str | None = None
    note: str | None = None
    span: str | None = None
    notices: tuple[str, ...] = ()
    written_by: WrittenBy = "model"
    summary: str = ""
    ways: tuple[WayName, ...] = ()


class Gate:
    """Holds units until the test lets them through; closed at first."""

    def __init__(self) -> None:
        self._changed = threading.Condition()
        self._permits = 0.0
        self._waiting = 0

    def step(self, units: float = 1) -> None:
        """Let so many more units through."""
        with self._changed:
            self._permits += units
            self._changed.notify_all()

    def open(self) -> None:
        """Let everything through from now on."""
        self.step(float("inf"))

    def wait_for_unit(self, seconds: float = 60.0) -> None:
        """Block until a unit stands at the gate. From a coroutine: ``asyncio.to_thread``."""
        with self._changed:
            arrived = self._changed.wait_for(
                lambda: self._waiting > 0 and self._permits < 1, timeout=seconds
            )
        assert arrived, "no unit came to the gate"

    def pass_through(self) -> None:
        """Called by the engine: wait for a permit, then go on."""
        with self._changed:
            self._waiting += 1
            self._changed.notify_all()
            self._changed.wait_for(lambda: self._permits >= 1)
            self._waiting -= 1
            self._permits -= 1
            self._changed.notify_all()


def scripted(
    script: Script = Script(),
    gate: Gate | None = None,
    made: list[ScriptedEngine] | None = None,
) -> Callable[[Config, Callable[[ModelStatus], None] | None], ScriptedEngine]:
    """An engine factory. Engines that it makes are put into ``made``, for the test to look at."""
    return functools.partial(ScriptedEngine, script=script, gate=gate, made=made)


class ScriptedEngine:
    """See ``Engine`` in ``editd.engine``. Counts what is done to it."""

    def __init__(
        self,
        config: Config,
        progress: Callable[[ModelStatus], None] | None = None,
        *,
        script: Script = Script(),
        gate: Gate | None = None,
        made: list[ScriptedEngine] | None = None,
    ) -> None:
        self.config = config
        self.progress = progress or (lambda status: None)
        self.script = script
        self.gate = gate
        self.jobs: list[ScriptedJob] = []
        self.served: list[str] = []  # the request of every unit, in order
        self.idle_units = 0
        self.idled = threading.Event()
        self.closed = False
        self.thread = threading.current_thread()
        self._models: dict[str, ModelStatus] = {}
        if made is not None:
            made.append(self)

    def start(self, request: Request) -> ScriptedJob:
        self.check_thread()
        overrides = script_in(request.options)
        job = ScriptedJob(self, request, replace(self.script, **overrides))
        crash(job.script, "start", request)
        self.jobs.append(job)
        return job

    def models(self) -> tuple[ModelStatus, ...]:
        return tuple(self._models.values())

    def workspaces(self) -> tuple[WorkspaceStatus, ...]:
        return ()

    def take_traces(self) -> list[Trace]:
        return []

    def interrupt(self) -> None:
        """Do nothing: a scripted pass takes no time to speak of."""

    def idle_work(self) -> bool:
        self.check_thread()
        if self.idle_units == self.script.idle_units:
            self.idled.set()
            return False
        time.sleep(self.script.unit_seconds)
        self.idle_units += 1
        self.served.append("idle")
        return True

    def close(self) -> None:
        self.check_thread()
        self._models = {}
        self.closed = True

    def is_loaded(self, name: str) -> bool:
        return name in self._models and self._models[name].state == "ready"

    def report(self, status: ModelStatus | None, name: str) -> None:
        """Put ``status`` in the place of what is known of the model; ``None``: it is gone."""
        models = {key: value for key, value in self._models.items() if key != name}
        if status is not None:
            models[name] = status
        self._models = models
        if status is not None:
            self.progress(status)

    def check_thread(self) -> None:
        assert threading.current_thread() is self.thread, "the engine was called from two threads"


class ScriptedJob:
    """See ``Job`` in ``editd.engine``: load, prefill, rounds, result."""

    def __init__(self, engine: ScriptedEngine, request: Request, script: Script) -> None:
        self.engine = engine
        self.request = request
        self.script = script
        self.finished = False
        self.preparing = False
        self.cancelled: str | None = None
        self._model = request.options.model or engine.config.model.name
        self._prepared = 0
        self._prefilled = 0
        text = request.prompt or "" if isinstance(request, CompleteRequest) else request.text
        self._lines = split_lines(text)
        self._line = 0
        self._hunks: list[Hunk] = []
        self._seq = 0
        self._rounds = 0

    def advance(self) -> list[ServerMessage]:
        self.engine.check_thread()
        assert not self.finished, "advance() after the end"
        self.engine.served.append(self.request.request_id)
        if isinstance(self.request, EditRequest) and self.request.sketch is not None:
            merged = resolve_sketch(self.request)
            if isinstance(merged, EditResult):
                ops = with_keeps(merged.hunks, self.request.text)
                return [Delta(self.request.request_id, 0, ops), *self._finish(merged)]
        if not self.engine.is_loaded(self._model):
            return self._load()
        self._pace(self.script.unit_seconds)
        self.preparing = self._prepared < self.script.preparing_units
        if self.preparing:
            self._prepared += 1
            return []
        if self._prefilled < self.script.prefill_units:
            return self._prefill()
        if isinstance(self.request, WarmupRequest):
            return self._finish(Done(self.request.request_id))
        if isinstance(self.request, CompleteRequest):
            self._line += 1
            done = self._line >= len(self._lines)
            return self._finish(self._result("stop", None)) if done else []
        return self._round(self.request)

    def cancel(self, reason: str = "") -> list[ServerMessage]:
        self.engine.check_thread()
        if self.finished:
            return []
        self.cancelled = reason
        crash(self.script, "cancel", self.request)
        error = ErrorInfo("cancelled", reason or "cancelled")
        return self._finish(self._result("cancelled", error))

    # --- the kinds of unit -----------------------------------------------------------------------

    def _load(self) -> list[ServerMessage]:
        steps = self.script.load_steps
        for step in range(steps):
            fraction = step / steps
            self.engine.report(ModelStatus(self._model, "loading", fraction=fraction), self._model)
            if self.script.load_seconds:
                time.sleep(self.script.load_seconds / steps)
        if self.engine.gate:
            self.engine.gate.pass_through()
        try:
            crash(self.script, "load", self.request)
        except RuntimeError:
            self.engine.report(None, self._model)
            raise
        if code := self.script.load_error:
            self.engine.report(None, self._model)
            return self._finish(self._result("error", ErrorInfo(code, "The model is broken.")))
        ready = ModelStatus(self._model, "ready", "cpu", "float32", 1000, 4000)
        self.engine.report(ready, self._model)
        return []

    def _prefill(self) -> list[ServerMessage]:
        self._prefilled += 1
        fraction = self._prefilled / self.script.prefill_units
        return [Progress(self.request.request_id, "prefill", "Reading the file", fraction)]

    def _round(self, request: EditRequest) -> list[ServerMessage]:
        self._rounds += 1
        crash(self.script, "round", request)
        if self.script.fatal == "signal":
            os.kill(os.getpid(), signal.SIGSEGV)
        elif self.script.fatal == "hang":
            re.match("(a+)+$", "a" * 100 + "b")  # an eternity in C
        if code := self.script.error:
            info = ErrorInfo(code, str(error_for_code(code, "The script says so.")))
            return self._finish(self._result("error", info))
        messages: list[ServerMessage] = []
        upto = min(self._line + self.script.lines_per_unit, len(self._lines))
        for ops in self._walk(upto):
            messages.append(Delta(request.request_id, self._seq, ops))
            self._seq += 1
        if self._line == len(self._lines):
            messages += self._finish(self._result(self.script.finish_reason, None))
        return messages

    # --- helpers ---------------------------------------------------------------------------------

    def _walk(self, upto: int) -> list[tuple[Op, ...]]:
        """The ops of old lines ``self._line .. upto``, as one or two deltas."""
        ops: list[Op] = []
        first: list[Op] = []
        while self._line < upto:
            start = self._line
            changes = self._changes(start)
            while self._line < upto and self._changes(self._line) == changes:
                self._line += 1
            if not changes:
                ops.append(Keep(self._line - start))
                continue
            hunk = Hunk(
                len(self._hunks) + 1,
                start,
                self._line - start,
                tuple(new for old in self._lines[start : self._line] for new in self._new(old)),
                suspect=self.script.suspect,
                note=self.script.note,
                note_spans=(Span(0, 0, 2, self.script.span),) if self.script.span else (),
            )
            self._hunks.append(hunk)
            if self.script.open_hunks and not first:
                opened = replace(hunk, old_count=0, new_lines=hunk.new_lines[:1], done=False)
                first, ops = [*ops, opened], []
            ops.append(hunk)
        return [tuple(part) for part in (first, ops) if part]

    def _changes(self, line: int) -> bool:
        first = self.request.start_line or 0
        last = len(self._lines) if self.request.end_line is None else self.request.end_line
        return first <= line < last and self._new(self._lines[line]) != [self._lines[line]]

    def _new(self, line: str) -> list[str]:
        if (
            isinstance(self.request, EditRequest)
            and self.request.instruction in self.script.answers
        ):
            text = line.rstrip("\r\n")
            changed = self.script.answers[self.request.instruction].get(text, [text])
            return [new + line[len(text) :] for new in changed]
        match self.script.rewrite:
            case "upper":
                return [line.upper() for _ in range(self.script.copies)]
            case "same":
                return [line]
            case "delete":
                return []

    def _result(self, finish_reason: FinishReason, error: ErrorInfo | None) -> ServerMessage:
        if isinstance(self.request, CompleteRequest) and error is None:
            text = "".join(self._lines).upper()
            return CompleteResult(self.request.request_id, "stop", text)
        if isinstance(self.request, WarmupRequest | CompleteRequest):
            assert error is not None
            return Failed(self.request.request_id, error)
        done = finish_reason == "stop"
        return EditResult(
            self.request.request_id,
            finish_reason,
            text=apply_hunks(self._lines, self._hunks) if done else None,
            hunks=tuple(self._hunks),
            suspects=(self.script.suspect,) if self.script.suspect else (),
            notices=self.script.notices,
            stats=Stats(
                output_tokens=self._line,
                rounds=self._rounds,
                drafted=self._line,
                accepted=self._line,
                written_by=self.script.written_by,
            ),
            model=self._model,
            error=error,
            summary=self.script.summary,
            ways=tuple(way for way in WAYS if way.name in self.script.ways),
        )

    def _finish(self, message: ServerMessage) -> list[ServerMessage]:
        self.finished = True
        return [message]

    def _pace(self, seconds: float) -> None:
        if self.engine.gate:
            self.engine.gate.pass_through()
        if seconds:
            time.sleep(seconds)


def with_script(**script: Any) -> EditOptions:
    """Options of a request that overrides fields of ``Script``: as the name of its drafter."""
    return EditOptions(drafter=_SCRIPT + json.dumps(script)) if script else EditOptions()


def script_in(options: EditOptions) -> dict[str, Any]:
    """The script that ``with_script`` put into ``options``; empty if none is in it."""
    drafter = options.drafter or ""
    script: dict[str, Any] = {}
    if drafter.startswith(_SCRIPT):
        script = json.loads(drafter.removeprefix(_SCRIPT))
    return script


_SCRIPT = "script:"


def crash(script: Script, where: str, request: Request) -> None:
    """Raise what a defect would raise, with words of the user's in it."""
    if script.crash_in == where:
        raise RuntimeError(f"scripted crash in {where}: {request.text}")


def split_lines(text: str) -> list[str]:
    """Lines with their ends; only LF, CR LF and CR end a line."""
    return re.findall(r"[^\r\n]*(?:\r\n|\n|\r)|[^\r\n]+", text)


def apply_hunks(lines: list[str], hunks: list[Hunk]) -> str:
    """The new text."""
    parts: list[str] = []
    at = 0
    for hunk in hunks:
        parts += lines[at : hunk.start]
        parts += hunk.new_lines
        at = hunk.start + hunk.old_count
    return "".join(parts + lines[at:])


def daemon_command(build: str = "", daemon=None, limits=None, silent=0.0, **script) -> list[str]:
    """The command that starts a real daemon process with a scripted engine.

    build: what the daemon takes for its ``transport.build_id()``. daemon, limits: fields of ``DaemonConfig`` and
    ``ClientLimits``. silent: seconds after which an engine is given up, if not as many as for users.
    script: fields of ``Script``.
    """
    settings = {
        "build": build,
        "daemon": daemon or {},
        "limits": limits or {},
        "silent": silent,
        "script": script,
    }
    return [sys.executable, __file__, json.dumps(settings)]


def engine_command(**script) -> list[str]:
    """The command that starts a real engine's process with a scripted engine. script: fields of ``Script``."""
    return [sys.executable, __file__, json.dumps({"engine": script})]


def main(settings: dict[str, Any]) -> None:
    from editd.daemon import engine_main, engine_supervisor, server, transport
    from editd.daemon.engine_process import EngineProcess
    from editd.daemon.outbox import ClientLimits

    if "engine" in settings:
        engine_main.serve(scripted(Script(**settings["engine"])))
        return
    if settings["build"]:
        transport.build_id = lambda *_: settings["build"]
    engine_supervisor.SILENT_SECONDS = settings.get("silent") or engine_supervisor.SILENT_SECONDS
    config = Config(daemon=DaemonConfig(**settings["daemon"]))
    start = functools.partial(EngineProcess, command=engine_command(**settings["script"]))
    server.run(config, start, ClientLimits(**settings["limits"]))


if __name__ == "__main__":
    main(json.loads(sys.argv[1]))
