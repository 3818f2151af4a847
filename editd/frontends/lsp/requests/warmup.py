"""``editd/warmup``: the model is loaded and a text is read, so that an edit of it starts at once."""

from __future__ import annotations

from collections.abc import Awaitable
from uuid import uuid4

from editd.daemon.engine_client import refuse_half_characters
from editd.errors import EditdError
from editd.frontends.lsp.methods import WarmupAnswer, WarmupParams
from editd.frontends.lsp.session import Session
from editd.frontends.lsp.session_options import merged_options
from editd.messages import Progress, WarmupRequest
from editd.outcome import outcome_of


def warmup(session: Session, params: WarmupParams) -> Awaitable[WarmupAnswer]:
    """Read the params and return an awaitable that does the warm-up and gives its answer; in the daemon's queue it
    replaces an older one of the same document. Raises a JSON-RPC error if ``params`` are wrong, or the document is
    not open or at another version.
    """
    snapshot = session.snapshot(params.text_document.uri if params.text_document else "")
    _, fields = snapshot.text_fields(params)
    request = WarmupRequest(
        request_id=uuid4().hex,
        **fields,
        options=merged_options(snapshot.options.requests, params.options),
    )
    return _warm_up(session, request)


async def _warm_up(session: Session, request: WarmupRequest) -> WarmupAnswer:
    """Ask the engine, show the progress in the status, and return how it ended: ``warm``, ``cancelled`` or
    ``failed``, the latter two with a sentence; no ``EditdError`` is raised.
    """

    def on_progress(progress: Progress) -> None:
        session.status.progress(request.request_id, progress)

    error = ""
    session.status.began(request.request_id)
    try:
        refuse_half_characters(request)
        await session.engine.warmup(request, on_progress)
    except EditdError as failure:
        if outcome_of(failure).answer_status == "cancelled":
            return WarmupAnswer("cancelled", str(failure))
        error = str(failure)
        return WarmupAnswer("failed", error)
    finally:
        session.status.ended(request.request_id, error=error)
    return WarmupAnswer("warm")
