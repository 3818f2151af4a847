"""``editd/accept``: hunks go into the document.

The buffer is the client's: it is handed one versioned edit, and the accept counts as done only when the document
change with it arrives (``LiveEdit.follow``). Neovim answers ``applied: true`` for an edit that it refused.
"""

from __future__ import annotations

import asyncio

from lsprotocol import types

from editd.frontends.lsp.live_edit import Acceptance, LiveEdit
from editd.frontends.lsp.methods import AcceptAnswer, AcceptParams, EditToken
from editd.frontends.lsp.placed_hunks import applied
from editd.frontends.lsp.protocol import RequestFailed
from editd.frontends.lsp.session import Session
from editd.frontends.lsp.wire_hunks import acceptable, workspace_edit
from editd.frontends.lsp.work_done import title_of
from editd.wording import BEING_REFINED

CONFIRM_SECONDS = 3.0  # how long after "applied" the document change may take; Neovim waits 0.15


async def accept(session: Session, params: AcceptParams) -> AcceptAnswer:
    """Put hunks of an edit into the document, by ``workspace/applyEdit``, and forget the edit if none is open then;
    or, without ``params.apply`` or if the client takes no edits, only return the change for the client to apply.

    Waits for earlier accepts of the same document, and until the change has arrived, three seconds at most. Hunks
    that cannot be accepted are listed in the answer; if no other is left nothing is sent, nor while another edit refines
    this one. Why nothing is sent, or a refusal of the client, is the answer's message. Raises ``RequestFailed`` if there is no such edit, or its document is not open.
    """
    live = _edit_of(session, params.edit_token)
    async with session.applying[live.uri]:
        if session.edits.get(live.token) is not live:
            raise _unknown(live.token)  # forgotten meanwhile, so its hunks may be anywhere
        version = session.version_of(live)
        if version is None:
            raise RequestFailed.because(
                "no-document",
                "This edit has no open document; apply the edits of its answer instead.",
            )
        if session.edits.is_being_refined(live):
            return AcceptAnswer(False, version, message=BEING_REFINED)
        hunks, left_out = acceptable(live, params.hunk_ids)
        ids = tuple(placed.hunk.id for placed in hunks)
        if not hunks:
            nothing = "There is no hunk left to accept."
            return AcceptAnswer(False, version, (), left_out, message=nothing)
        edit = workspace_edit(session, live, hunks)
        lines = session.lines_of(live)
        acceptance = Acceptance(applied(lines, hunks), list(lines), ids)
        live.acceptance = acceptance
        if not params.apply:
            return AcceptAnswer(False, version, ids, left_out, edit)
        if not session.features.applies_edits:
            refusal = "This editor takes no edits from a server; apply the answer's edit."
            return AcceptAnswer(False, version, ids, left_out, edit, refusal)
        live.applying = True
        try:
            problem = await _apply(session, live, edit, acceptance)
        finally:
            live.applying = False
            session.edits.forget_if_decided(live)
    return AcceptAnswer(problem is None, session.version_of(live), ids, left_out, message=problem)


async def _apply(
    session: Session, live: LiveEdit, edit: types.WorkspaceEdit, acceptance: Acceptance
) -> str | None:
    """Ask the client to apply ``edit``, and wait until the change arrives; returns a sentence if the client refuses,
    cannot be asked, or the document changed otherwise in three seconds, else ``None``: also if no change has arrived
    after them.
    """
    metadata = types.WorkspaceEditMetadata(is_refactoring=True)
    version = session.version_of(live)
    params = types.ApplyWorkspaceEditParams(
        edit,
        label=title_of(live.request.instruction),
        metadata=metadata if session.features.edit_metadata else None,
    )
    try:
        answer: types.ApplyWorkspaceEditResult = await session.protocol.ask(
            types.WORKSPACE_APPLY_EDIT, params, types.ApplyWorkspaceEditResult
        )
        if not answer.applied:
            return answer.failure_reason or "The editor did not apply the change."
        async with asyncio.timeout(CONFIRM_SECONDS):
            await acceptance.arrived.wait()
    except RequestFailed as error:
        return error.message
    except TimeoutError:
        if session.version_of(live) != version:
            return "The editor says that it applied the change, but the document changed otherwise."
        # It may be an editor that reports changes only when it idles. Neovim, which answers so for an edit
        # that came too late as well, reports the change that overtook it well within the time.
    return None


def _edit_of(session: Session, token: EditToken) -> LiveEdit:
    """The edit of that token, running or ended; raises ``RequestFailed`` if none is known by it (any more)."""
    live = session.edits.get(token)
    if live is None:
        raise _unknown(token)
    return live


def _unknown(token: EditToken) -> RequestFailed:
    """The error about a token without an edit."""
    message = f"There is no edit {token!r} with hunks to decide on."
    return RequestFailed.because("unknown-edit", message)
