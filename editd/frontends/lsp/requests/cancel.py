"""``editd/cancel``: an edit is stopped."""

from __future__ import annotations

from editd.frontends.lsp.methods import CancelAnswer, CancelParams
from editd.frontends.lsp.session import Session


def cancel(session: Session, params: CancelParams) -> CancelAnswer:
    """Ask a running edit to stop; its own answer reports that. Whether its finished hunks stay is ``params.keep``,
    else the client's option. Returns whether it was running; no effect on an edit that is unknown or has ended.
    """
    live = session.edits.get(params.edit_token)
    if live is None or not live.running:
        return CancelAnswer(False)
    keep = session.options.lsp.keep_on_cancel if params.keep is None else params.keep
    live.stop("You cancelled the edit.", keep=keep)
    return CancelAnswer(True)
