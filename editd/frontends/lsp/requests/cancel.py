"""``editd/cancel``: an edit is stopped."""

from __future__ import annotations

from editd.frontends.lsp.methods import CancelAnswer, CancelParams
from editd.frontends.lsp.session import Session


def cancel(session: Session, params: CancelParams) -> CancelAnswer:
    """Stop a running edit, whose own answer reports it; returns whether it was running."""
    live = session.edits.get(params.edit_token)
    if live is None or not live.running:
        return CancelAnswer(False)
    keep = session.options.lsp.keep_on_cancel if params.keep is None else params.keep
    live.stop("You cancelled the edit.", keep=keep)
    return CancelAnswer(True)
