"""``textDocument/codeAction``: edits for editors without an editd plugin, as entries of a menu.

An action is offered at once and costs nothing, disabled if the present model refuses it and the client shows that; the model runs when the client resolves it (``code_action_resolve``)
or, where a client cannot do that, when it runs the action's command (``execute_command``). Once an edit is undone, the
other ways to it are offered as well.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence

from lsprotocol import types

from editd.frontends.lsp import methods
from editd.frontends.lsp.methods import ContextEntry, RunParams
from editd.frontends.lsp.requests.presets import preset_entries
from editd.frontends.lsp.session import Session


def code_action(
    session: Session, params: types.CodeActionParams
) -> list[types.CodeAction | types.Command]:
    """The presets and other ways of the requested kinds, as entries of a menu; empty for a document that is not open,
    or if they are switched off. A preset that the model refuses is listed as disabled, if the client knows that.

    When the editor asks by itself, “fix” is left out without diagnostics, and every other preset for an empty
    selection. Other ways are offered only while the document has the text from before its last edit again.
    """
    snapshot = session.snapshot(params.text_document.uri)
    document = snapshot.document
    if document is None or not snapshot.options.lsp.code_actions:
        return []
    diagnostics = params.context.diagnostics
    automatic = params.context.trigger_kind == types.CodeActionTriggerKind.Automatic
    offered: list[types.CodeAction | types.Command] = []
    for preset in preset_entries(session):
        kind = f"{methods.CODE_ACTION_KIND}.{preset.name}"
        if not _is_requested(kind, params.context.only):
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
        about = diagnostics if preset.name == "fix" else ()
        action = _action(session, f"editd: {preset.title}", kind, run, about)
        if (
            preset.refusal
            and session.features.disabled_actions
            and isinstance(action, types.CodeAction)
        ):
            action.disabled = types.CodeActionDisabled(preset.refusal)
        offered.append(action)
    last = session.last_runs.get(document.uri)
    if (
        last
        and list(last.base) == list(document.lines)
        and _is_requested(methods.ANOTHER_WAY_KIND, params.context.only)
    ):
        for way in last.ways:
            named = types.OptionalVersionedTextDocumentIdentifier(document.uri, document.version)
            run = dataclasses.replace(last.run, text_document=named, way=way.name)
            title = f"editd, another way: {way.title}"
            offered.append(_action(session, title, methods.ANOTHER_WAY_KIND, run, ()))
    return offered


def _action(
    session: Session,
    title: str,
    kind: str,
    run: RunParams,
    diagnostics: Sequence[types.Diagnostic],
) -> types.CodeAction | types.Command:
    """An entry of the menu: a code action if the client knows these (with data instead of a command if it resolves
    them), else a command. run: the argument of either.
    """
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
    """The kind as a text."""
    return kind.value if isinstance(kind, types.CodeActionKind) else kind


def _is_requested(kind: str, only: Sequence[types.CodeActionKind | str] | None) -> bool:
    """Whether the client asks for actions of this kind; ``None``: for all."""
    return only is None or any(_includes(_text(requested), kind) for requested in only)


def _includes(requested: str, kind: str) -> bool:
    """Whether ``kind`` is ``requested`` or below it in the hierarchy of kinds."""
    return not requested or kind == requested or kind.startswith(f"{requested}.")


def _diagnostics(diagnostics: Sequence[types.Diagnostic]) -> tuple[ContextEntry, ...]:
    """The diagnostics as context of an edit."""
    return tuple(
        ContextEntry(
            "diagnostic",
            f"{found.source}: {found.message}" if found.source else found.message,
            range=found.range,
        )
        for found in diagnostics
    )
