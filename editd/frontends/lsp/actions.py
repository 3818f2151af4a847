"""Edits for editors without an editd plugin: code actions and commands of plain LSP.

A code action is offered at once and costs nothing; the model runs when the client resolves it, or,
where a client cannot do that, when it runs the action's command. Suspect hunks are left out. Once an
edit is undone, the other ways to it are offered as well.
"""

from __future__ import annotations

import asyncio
import dataclasses
import functools
from collections.abc import Awaitable, Callable, Coroutine, Sequence
from typing import Any, TypeVar
from uuid import uuid4

from lsprotocol import types
from pygls.exceptions import JsonRpcContentModified, JsonRpcInvalidParams

from editd.diff.hunk import notes
from editd.frontends.lsp import methods, review
from editd.frontends.lsp.edit_request import start_edit
from editd.frontends.lsp.methods import (
    AcceptParams,
    ContextEntry,
    EditAnswer,
    EditParams,
    LeftOut,
    RunAnswer,
    RunParams,
)
from editd.frontends.lsp.protocol import RequestFailed
from editd.frontends.lsp.rebase import PlacedHunk
from editd.frontends.lsp.session import LastRun, LiveEdit, Session
from editd.messages.options import EditOptions

T = TypeVar("T")

UNCHANGED = "The model left the text as it is."
COMMANDS = (methods.RUN_PRESET, methods.RUN)


def code_actions(
    session: Session, params: types.CodeActionParams
) -> list[types.CodeAction | types.Command]:
    """Handler of ``textDocument/codeAction``: the presets that the client asks for."""
    document = session.documents.get(params.text_document.uri)
    if document is None or not session.options.lsp.code_actions:
        return []
    diagnostics = params.context.diagnostics
    automatic = params.context.trigger_kind == types.CodeActionTriggerKind.Automatic
    offered: list[types.CodeAction | types.Command] = []
    for preset in session.options.presets.values():
        kind = f"{methods.CODE_ACTION_KIND}.{preset.name}"
        if not _is_wanted(kind, params.context.only):
            continue
        if automatic and params.range.start == params.range.end and preset.name != "fix":
            continue  # the editor asks at every move of the cursor whether to show a light bulb
        if automatic and preset.name == "fix" and not diagnostics:
            continue
        run = RunParams(
            text_document=types.OptionalVersionedTextDocumentIdentifier(
                document.uri, document.version
            ),
            preset=preset.name,
            range=params.range,
            context=_diagnostics(diagnostics) if preset.name == "fix" else (),
        )
        told = diagnostics if preset.name == "fix" else ()
        offered.append(_action(session, f"editd: {preset.title}", kind, run, told))
    last = session.last_runs.get(document.uri)
    if (
        last
        and list(last.base) == list(document.lines)
        and _is_wanted(methods.ANOTHER_WAY_KIND, params.context.only)
    ):
        for way in last.ways:
            at = types.OptionalVersionedTextDocumentIdentifier(document.uri, document.version)
            run = dataclasses.replace(last.run, text_document=at, way=way.name)
            title = f"editd, another way: {way.title}"
            offered.append(_action(session, title, methods.ANOTHER_WAY_KIND, run, ()))
    return offered


def resolve(session: Session, action: types.CodeAction) -> asyncio.Future[types.CodeAction]:
    """Handler of ``codeAction/resolve``: run the preset and fill in the change."""
    run = session.protocol.from_json(action.data, RunParams, path="data")
    return _edit(session, run, None, functools.partial(_fill_in, session, action))


async def _fill_in(
    session: Session, action: types.CodeAction, live: LiveEdit, answering: Awaitable[EditAnswer]
) -> types.CodeAction:
    answer = await answering
    if answer.status != "ok":
        if answer.status == "failed" and answer.message:
            # Helix, for one, shows no error of this request.
            session.show(answer.message, types.MessageType.Error)
        raise RequestFailed.because(answer.code, answer.message or "The edit failed.")
    taken, left_out = review.acceptable(live, "all")
    if session.documents.get(live.uri) is None:
        raise JsonRpcContentModified("The document was closed.")
    action.edit = review.workspace_edit(session, live, taken)
    session.edits.forget(live.token)
    if not live.placed.hunks:
        session.show(UNCHANGED)
    _explain(session, answer, taken, left_out)
    return action


def execute_command(session: Session, params: types.ExecuteCommandParams) -> Any:
    """Handler of ``workspace/executeCommand``."""
    if params.command not in COMMANDS:
        raise JsonRpcInvalidParams(f"There is no command {params.command!r}.")
    argument = _argument(params.command, params.arguments or [])
    run = session.protocol.from_json(argument, RunParams, path="arguments[0]")
    return _edit(session, run, params.work_done_token, functools.partial(_apply, session))


def _argument(command: str, arguments: Sequence[Any]) -> Any:
    """The argument of a command, also if the client gives its fields one after the other."""
    if len(arguments) == 1:
        return arguments[0]
    words = _POSITIONS[command]
    if not 2 <= len(arguments) <= len(words):
        raise JsonRpcInvalidParams(
            f"{command} takes one argument, an object, or two or three: {', '.join(words)}."
        )
    given = dict(zip(words, arguments, strict=False))
    if isinstance(given["textDocument"], str):
        given["textDocument"] = {"uri": given["textDocument"]}
    return {name: value for name, value in given.items() if value is not None}


_POSITIONS = {
    methods.RUN: ("textDocument", "instruction", "range"),
    methods.RUN_PRESET: ("textDocument", "preset", "range"),
}


async def _apply(session: Session, live: LiveEdit, answering: Awaitable[EditAnswer]) -> RunAnswer:
    """Apply the change of an edit, and tell the user what the change does not show."""
    answer = await answering
    applied, message = False, answer.message
    if answer.status == "ok" and live.placed.pending():
        taken, _ = review.acceptable(live, "all")
        accepted = await review.accept(session, AcceptParams(live.token))
        applied, message = accepted.applied, accepted.message
        _explain(session, answer, taken, accepted.left_out)
    elif answer.status == "ok":
        message = UNCHANGED
        _explain(session, answer, (), ())
    session.edits.forget(live.token)
    if message and answer.status != "cancelled":
        failed = answer.status == "failed" or bool(live.placed.pending())
        session.show(message, types.MessageType.Error if failed else types.MessageType.Info)
    return RunAnswer(status=answer.status, applied=applied, message=message)


def _edit(
    session: Session,
    run: RunParams,
    token: str | int | None,
    then: Callable[[LiveEdit, Awaitable[EditAnswer]], Coroutine[Any, Any, T]],
) -> asyncio.Future[T]:
    """Edit as ``run`` says, without the notifications that only a plugin understands.

    The text is read now: the document may change before the edit begins.
    """
    params = EditParams(
        edit_token=f"editd/{uuid4().hex}",
        instruction=run.instruction,
        preset=run.preset,
        text_document=run.text_document,
        range=run.range,
        context=run.context,
        options=EditOptions(way=run.way),
        work_done_token=token,
    )
    live, answering = start_edit(session, params, quiet=True)
    answering.add_done_callback(functools.partial(_remember, session, live, run))
    task = asyncio.ensure_future(then(live, answering))
    # What is cancelled before its first step does not cancel what it would have waited for.
    task.add_done_callback(lambda _: answering.cancel())
    return task


def _remember(
    session: Session, live: LiveEdit, run: RunParams, done: asyncio.Future[EditAnswer]
) -> None:
    """Keep the other ways to an edit, to be offered once it is undone."""
    if done.cancelled() or done.exception() is not None:
        return
    if live.uri and (ways := done.result().ways):
        session.last_runs[live.uri] = LastRun(run, live.placed.base, ways)


def _action(
    session: Session,
    title: str,
    kind: str,
    run: RunParams,
    diagnostics: Sequence[types.Diagnostic],
) -> types.CodeAction | types.Command:
    """One entry of the menu, in a form that the client supports."""
    argument = session.protocol.to_json(run)
    command = types.Command(title, methods.RUN_PRESET, arguments=[argument])
    if not session.features.code_action_literals:
        return command
    lazily = session.features.resolves_edits
    return types.CodeAction(
        title,
        kind,
        diagnostics=list(diagnostics) or None,
        command=None if lazily else command,
        data=argument if lazily else None,
        tags=[types.CodeActionTag.LlmGenerated] if session.features.action_tags else None,
    )


def _text(kind: types.CodeActionKind | str) -> str:
    return kind.value if isinstance(kind, types.CodeActionKind) else kind


def _is_wanted(kind: str, wanted: Sequence[types.CodeActionKind | str] | None) -> bool:
    return wanted is None or any(_includes(_text(only), kind) for only in wanted)


def _includes(only: str, kind: str) -> bool:
    """Whether ``kind`` is ``only`` or a kind of it."""
    return not only or kind == only or kind.startswith(f"{only}.")


def _diagnostics(diagnostics: Sequence[types.Diagnostic]) -> tuple[ContextEntry, ...]:
    return tuple(
        ContextEntry(
            "diagnostic",
            f"{found.source}: {found.message}" if found.source else found.message,
            range=found.range,
        )
        for found in diagnostics
    )


def _explain(
    session: Session,
    answer: EditAnswer,
    taken: Sequence[PlacedHunk],
    left_out: Sequence[LeftOut],
) -> None:
    """Tell the user what the change does not show."""
    for notice in filter(None, (*answer.notices, answer.summary)):
        session.show(notice)
    if noted := notes([placed.hunk for placed in taken]):
        session.show(f"Worth a look: {'; '.join(noted)}")
    if left_out:
        reasons = " ".join(dict.fromkeys(hunk.reason for hunk in left_out))
        hunks = "1 hunk was" if len(left_out) == 1 else f"{len(left_out)} hunks were"
        session.show(f"{hunks} left out: {reasons}", types.MessageType.Warning)
