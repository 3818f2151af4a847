"""``editd/warmup`` and ``editd/status``: the requests besides edits."""

from __future__ import annotations

from collections.abc import Awaitable
from uuid import uuid4

from editd.doors.lsp.methods import (
    NoParams,
    PresetList,
    ServerStatus,
    WarmupAnswer,
    WarmupParams,
)
from editd.doors.lsp.options import merged
from editd.doors.lsp.request_text import check_text, source_of
from editd.doors.lsp.session import Session
from editd.errors import DaemonUnreachable, EditCancelled, EditdError
from editd.messages import Progress, WarmupRequest


def warmup(session: Session, params: WarmupParams) -> Awaitable[WarmupAnswer]:
    """Handler of ``editd/warmup``. In the daemon's queue, a newer warm-up replaces an older one."""
    source = source_of(session, params)
    request = WarmupRequest(
        request_id=uuid4().hex,
        **source.asked(),
        options=merged(session.options.requests, params.options),
    )
    return _warmup(session, request)


async def status(session: Session, _: NoParams) -> ServerStatus:
    """Handler of ``editd/status``."""
    try:
        report = await session.engine.status()
    except DaemonUnreachable:
        return session.status.with_report(None)
    return session.status.with_report(report)


def presets(session: Session, _: NoParams) -> PresetList:
    """Handler of ``editd/presets``."""
    return PresetList(tuple(session.options.presets.values()))


async def _warmup(session: Session, request: WarmupRequest) -> WarmupAnswer:
    def on_progress(progress: Progress) -> None:
        session.status.progress(request.request_id, progress)

    error = ""
    session.status.began(request.request_id)
    try:
        check_text("text", request.text)
        await session.engine.warmup(request, on_progress)
    except EditCancelled as cancelled:
        return WarmupAnswer("cancelled", str(cancelled))
    except EditdError as failure:
        error = str(failure)
        return WarmupAnswer("failed", error)
    finally:
        session.status.ended(request.request_id, error=error)
    return WarmupAnswer("warm")
