"""``codeAction/resolve``: a code action gets its change. Suspect hunks are left out."""

from __future__ import annotations

import asyncio
import functools
from collections.abc import Awaitable

from lsprotocol import types
from pygls.exceptions import JsonRpcContentModified

from editd.frontends.lsp.live_edit import LiveEdit
from editd.frontends.lsp.methods import EditAnswer, RunParams
from editd.frontends.lsp.protocol import RequestFailed
from editd.frontends.lsp.run_edit import UNCHANGED, explain, run_edit
from editd.frontends.lsp.session import Session
from editd.frontends.lsp.wire_hunks import acceptable, workspace_edit


def code_action_resolve(
    session: Session, action: types.CodeAction
) -> asyncio.Future[types.CodeAction]:
    """Run the edit of an action, which its ``data`` describes; the future is the same action with the change. Raises a
    JSON-RPC error for wrong data.
    """
    run = session.protocol.from_json(action.data, RunParams, path="data")
    return run_edit(session, run, None, functools.partial(_fill_in, session, action))


async def _fill_in(
    session: Session, action: types.CodeAction, live: LiveEdit, answering: Awaitable[EditAnswer]
) -> types.CodeAction:
    """Wait for an edit, put its change, without suspect hunks, into ``action``, in place, and return it; forget the
    edit, and show the user what is left out, or that nothing changes.

    Raises ``RequestFailed`` if the edit did not succeed (of a failure, not a refusal, a message is shown), and
    ``JsonRpcContentModified`` if the document was closed.
    """
    answer = await answering
    if answer.status != "ok":
        if answer.status == "failed" and answer.message:
            # Helix, for one, shows no error of this request.
            session.show(answer.message, types.MessageType.Error)
        raise RequestFailed.because(answer.code, answer.message or "The edit failed.")
    taken, left_out = acceptable(live, "all")
    if session.documents.get(live.uri) is None:
        raise JsonRpcContentModified("The document was closed.")
    action.edit = workspace_edit(session, live, taken)
    session.edits.forget(live.token)
    if not live.placed.hunks:
        session.show(UNCHANGED)
    explain(session, answer, taken, left_out)
    return action
