"""A daemon's client without a daemon: every edit is answered by a scripted engine."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator

from editd.config import Config
from editd.errors import DaemonUnreachable, EditdError
from editd.messages import Delta, EditRequest, EditResult, Progress
from tests.fakes import Script, ScriptedEngine

DEFAULT = Script()


class FakeClient:
    """An ``EngineClient``. ``hang`` waits for ever after the first delta; ``die`` raises there."""

    def __init__(self, script: Script = DEFAULT, *, hang=False, die=False, on_edit=None):
        self.script, self.hang, self.die, self.on_edit = script, hang, die, on_edit
        self.requests: list[EditRequest] = []
        self.cancelled: list[str] = []
        self.error: EditdError | None = None  # what asking raises
        self.closed = 0

    async def ask(
        self, request: EditRequest
    ) -> AsyncGenerator[Progress | Delta | EditResult, None]:
        self.requests.append(request)
        if self.error is not None:
            raise self.error
        if self.on_edit:
            self.on_edit(request)
        job = ScriptedEngine(Config(), script=self.script).start(request)
        try:
            while not job.finished:
                for message in job.advance():
                    yield message
                    if isinstance(message, Delta) and self.die:
                        raise DaemonUnreachable("The daemon died.")
                    if isinstance(message, Delta) and self.hang:
                        await asyncio.Event().wait()
        finally:
            if not job.finished:
                self.cancelled.append(request.request_id)

    async def aclose(self) -> None:
        self.closed += 1
