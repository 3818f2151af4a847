"""``workspace/executeCommand``: an edit for editors that cannot resolve code actions, applied at once.

Suspect hunks are left out.
"""

from __future__ import annotations

import functools
from collections.abc import Awaitable, Sequence
from typing import Any

from lsprotocol import types
from pygls.exceptions import JsonRpcInvalidParams

from editd.frontends.lsp import methods
from editd.frontends.lsp.live_edit import LiveEdit
from editd.frontends.lsp.methods import AcceptParams, EditAnswer, RunAnswer, RunParams
from editd.frontends.lsp.requests.accept import accept
from editd.frontends.lsp.run_edit import UNCHANGED, explain, run_edit
from editd.frontends.lsp.session import Session
from editd.frontends.lsp.wire_hunks import acceptable

COMMANDS = (methods.RUN_PRESET, methods.RUN)

_POSITIONS = {
    methods.RUN: ("textDocument", "instruction", "range"),
    methods.RUN_PRESET: ("textDocument", "preset", "range"),
}


def execute_command(session: Session, params: types.ExecuteCommandParams) -> Any:
    """Begin the edit of a command, which is applied when it is done; returns a future of ``RunAnswer``. Raises
    ``JsonRpcInvalidParams`` for an unknown command or wrong arguments, and as ``run_edit``.
    """
    if params.command not in COMMANDS:
        raise JsonRpcInvalidParams(f"There is no command {params.command!r}.")
    argument = _argument(params.command, params.arguments or [])
    run = session.protocol.from_json(argument, RunParams, path="arguments[0]")
    return run_edit(session, run, params.work_done_token, functools.partial(_apply, session))


def _argument(command: str, arguments: Sequence[Any]) -> Any:
    """The argument of a command, if there is one alone; of two or three, an object made from them as its fields in
    the command's order, without ``null``. Raises ``JsonRpcInvalidParams`` for another number of arguments.
    """
    if len(arguments) == 1:
        return arguments[0]
    words = _POSITIONS[command]
    if not 2 <= len(arguments) <= len(words):
        raise JsonRpcInvalidParams(
            f"{command} takes one argument, an object, or two or three: {', '.join(words)}."
        )
    fields = dict(zip(words, arguments, strict=False))
    if isinstance(fields["textDocument"], str):
        fields["textDocument"] = {"uri": fields["textDocument"]}
    return {name: value for name, value in fields.items() if value is not None}


async def _apply(session: Session, live: LiveEdit, answering: Awaitable[EditAnswer]) -> RunAnswer:
    """Wait for an edit, have the client apply its hunks but suspect ones (``accept``), forget the edit, and show the
    user what is left out, or why nothing is applied. An edit's error is not raised, but in the answer; raises as
    ``accept``.
    """
    answer = await answering
    applied, message = False, answer.message
    if answer.status == "ok" and live.placed.pending():
        taken, _ = acceptable(live, "all")
        accepted = await accept(session, AcceptParams(live.token))
        applied, message = accepted.applied, accepted.message
        explain(session, answer, taken, accepted.left_out)
    elif answer.status == "ok":
        message = UNCHANGED
        explain(session, answer, (), ())
    session.edits.forget(live.token)
    if message and answer.status != "cancelled":
        failed = answer.status == "failed" or bool(live.placed.pending())
        session.show(message, types.MessageType.Error if failed else types.MessageType.Info)
    return RunAnswer(status=answer.status, applied=applied, message=message)
