"""``editd/reject``: hunks are given up."""

from __future__ import annotations

from editd.frontends.lsp.methods import RejectAnswer, RejectParams
from editd.frontends.lsp.session import Session
from editd.wording import BEING_REFINED


def reject(session: Session, params: RejectParams) -> RejectAnswer:
    """Mark hunks of an edit as rejected, and forget the edit if it has ended and no hunk is open; returns the ids of
    those that were open or stale before, none for an unknown edit. Others, and unknown ids, are passed over.

    While another edit refines this one, hunks that are named stay, and the answer's message says so; ``"all"`` is to
    forget the edit.
    """
    live = session.edits.get(params.edit_token)
    if live is None:
        return RejectAnswer(())  # nothing is left of it, as requested
    if params.hunk_ids != "all" and session.edits.is_being_refined(live):
        return RejectAnswer((), BEING_REFINED)
    requested = live.placed.hunks if params.hunk_ids == "all" else params.hunk_ids
    ids = tuple(
        key
        for key in requested
        if key in live.placed.hunks and live.placed.hunks[key].state in ("ok", "stale")
    )
    live.placed.settle(ids, "rejected")
    session.edits.forget_if_decided(live)
    return RejectAnswer(ids)
