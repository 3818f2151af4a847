"""``editd/status``: the state of the model and the daemon."""

from __future__ import annotations

from typing import Any

from editd.errors import DaemonUnreachable
from editd.frontends.lsp.methods import ServerStatus
from editd.frontends.lsp.session import Session


async def status(session: Session, _: Any) -> ServerStatus:
    """The status of this editor's requests with the daemon's report; without one if no daemon can be reached; none is
    started.
    """
    try:
        report = await session.engine.status()
    except DaemonUnreachable:
        return session.status.with_report(None)
    return session.status.with_report(report)
