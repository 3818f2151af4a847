"""The client's capabilities, as far as they change what this server does.

Read leniently from plain JSON, and not through lsprotocol: an editor of a later LSP version may send values in
``initialize`` that an older type refuses, and then editd would not start because of a detail that it does not use.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from lsprotocol import types

from editd.frontends.lsp.positions import Encoding, choose_encoding
from editd.wording import Door


@dataclass(frozen=True, slots=True)
class ClientFeatures:
    """The features of LSP and of editd's methods that the client supports."""

    encoding: Encoding = "utf-16"
    versioned_edits: bool = False  # workspace.workspaceEdit.documentChanges
    edit_metadata: bool = False
    applies_edits: bool = False  # workspace.applyEdit
    progress: bool = False  # window.workDoneProgress
    code_action_literals: bool = False
    action_tags: bool = False  # knows CodeActionTag.LLMGenerated
    resolves_edits: bool = False  # textDocument.codeAction.resolveSupport has "edit", and data
    speaks_editd: bool = False  # experimental.editd: wants status notifications from the start
    disabled_actions: bool = False  # textDocument.codeAction.disabledSupport
    door: Door = "editor"  # whose buttons and commands sentences name

    @classmethod
    def of(cls, capabilities: object, client: object = None) -> ClientFeatures:
        """Read ``InitializeParams.capabilities`` and ``clientInfo``, unchecked; a capability that is missing,
        ``null``, ``false``, or below something that is no object is absent, any other value present. Never raises.
        """

        def has(path: str) -> bool:
            found = _get(capabilities, path)
            return found is not None and found is not False

        offered = _get(capabilities, "general.positionEncodings")
        resolvable = _get(capabilities, "textDocument.codeAction.resolveSupport.properties")
        tags = _get(capabilities, "textDocument.codeAction.tagSupport.valueSet")
        return cls(
            encoding=choose_encoding(offered if isinstance(offered, list) else []),
            versioned_edits=has("workspace.workspaceEdit.documentChanges"),
            edit_metadata=has("workspace.workspaceEdit.metadataSupport"),
            applies_edits=has("workspace.applyEdit"),
            progress=has("window.workDoneProgress"),
            code_action_literals=has("textDocument.codeAction.codeActionLiteralSupport"),
            action_tags=isinstance(tags, list) and types.CodeActionTag.LlmGenerated.value in tags,
            resolves_edits=has("textDocument.codeAction.dataSupport")
            and isinstance(resolvable, list)
            and "edit" in resolvable,
            speaks_editd=has("experimental.editd"),
            disabled_actions=has("textDocument.codeAction.disabledSupport"),
            door=_door(client) if has("experimental.editd") else "editor",
        )


def _door(client: object) -> Door:
    """The editor of a plugin of editd's, by ``clientInfo``: Neovim by its name; VS Code, whose builds have many, else."""
    return "neovim" if _get(client, "name") == "Neovim" else "vscode"


def _get(value: Any, path: str) -> Any:
    """The value at a dotted path of nested objects; ``None`` if it is missing, or something on the way is no object."""
    for key in path.split("."):
        value = value.get(key) if isinstance(value, Mapping) else None
    return value
