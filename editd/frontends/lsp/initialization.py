"""What the client says of itself: its capabilities, its options, its folders and which of them its user trusts.

Capabilities are read from plain JSON, leniently, and not through lsprotocol: an editor of a later LSP version
may send values in ``initialize`` that an older type refuses, and then editd would not start because of a
detail that it does not use.

``settings`` has the rules of all settings, and combines the options with the user's file and environment;
only the section ``lsp`` belongs to this package. Wrong values are named, and the default is used.

Only a trusted project's files may be read, to draft new code from. The daemon decides which of them, and
leaves out secrets. Nothing is trusted until the client says so.
"""

from __future__ import annotations

import dataclasses
import os
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path, PurePath
from typing import Any

from lsprotocol import types
from pygls.exceptions import JsonRpcInvalidParams
from pygls.uris import to_fs_path

from editd import settings
from editd.config import Config, Preset, presets_with
from editd.errors import ConfigError
from editd.frontends.lsp.documents import Encoding, choose_encoding
from editd.frontends.lsp.methods import WorkspaceParams
from editd.messages.options import EditOptions
from editd.settings import check_option, request_options


@dataclass(frozen=True, slots=True)
class ClientFeatures:
    """The capabilities that change what this server does."""

    encoding: Encoding = "utf-16"
    versioned_edits: bool = False  # workspace.workspaceEdit.documentChanges
    edit_metadata: bool = False
    applies_edits: bool = False  # workspace.applyEdit
    progress: bool = False  # window.workDoneProgress
    code_action_literals: bool = False
    action_tags: bool = False  # knows CodeActionTag.LLMGenerated
    resolves_edits: bool = False  # textDocument.codeAction.resolveSupport has "edit", and data
    speaks_editd: bool = False  # experimental.editd: wants status notifications from the start

    @classmethod
    def of(cls, capabilities: object) -> ClientFeatures:
        """The capabilities in ``InitializeParams``; malformed ones count as absent."""

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
        )


def _get(value: Any, path: str) -> Any:
    for key in path.split("."):
        value = value.get(key) if isinstance(value, Mapping) else None
    return value


@dataclass(frozen=True, slots=True)
class LspOptions:
    """How this server talks to its client.

    progress: send work-done progress where the client shows it. code_actions: offer presets as code actions.
    keep_on_cancel: an edit that is cancelled keeps the hunks that are done.
    """

    progress: bool = True
    code_actions: bool = True
    keep_on_cancel: bool = False


@dataclass(frozen=True, slots=True)
class SessionOptions:
    """All that was set, and one sentence for each thing that was wrong."""

    config: Config = field(default_factory=Config)
    # What every request says unless it says otherwise.
    requests: EditOptions = field(default_factory=EditOptions)
    presets: Mapping[str, Preset] = field(default_factory=lambda: presets_with({}))
    lsp: LspOptions = LspOptions()
    workspace: WorkspaceParams | None = None  # whom the client trusts; None: it did not say
    warnings: tuple[str, ...] = ()

    @classmethod
    def of(cls, initialization_options: object) -> SessionOptions:
        """The options of a session, from unchecked client data."""
        warnings: list[str] = []
        table: Mapping[str, Any] = {}
        if isinstance(initialization_options, Mapping):
            table = initialization_options
        elif initialization_options is not None:
            warnings.append(f"{_PLACE}: must be a table of sections; they are ignored.")
        lsp = _lsp_options(table.get("lsp", {}), warnings)
        workspace = _trusted(table.get("workspace"), warnings)
        others = {key: value for key, value in table.items() if key not in ("lsp", "workspace")}
        resolved = settings.resolve(initialization_options=others)
        return cls(
            resolved.config,
            resolved.edit_options(file_is_fresh=False),
            presets_with(resolved.config.edit.presets),
            lsp,
            workspace,
            (*warnings, *resolved.warnings),
        )


def merged(base: EditOptions, options: EditOptions) -> EditOptions:
    """The session's options, overridden by those of one request.

    Raises a JSON-RPC error that names what is wrong. The rules of initialization options apply: a
    workspace may have set them, so they cannot name a folder.
    """
    given = {
        name: value
        for name, value in dataclasses.asdict(options).items()
        if value not in (None, ()) and name != "loading"
    }
    for name in given.keys() & request_options().keys():
        key = request_options()[name].key
        if refusal := settings.not_from_editors(key, given[name]):
            raise JsonRpcInvalidParams(f"params.options: {key} {refusal}.")
        try:
            check_option(name, given[name])
        except ConfigError as error:
            raise JsonRpcInvalidParams(f"params.options: {error}") from error
    return dataclasses.replace(base, **given)


_PLACE = "initialization options"  # as settings calls it


def _lsp_options(table: object, warnings: list[str]) -> LspOptions:
    if not isinstance(table, Mapping):
        warnings.append(f"{_PLACE}: lsp must be a table; it is ignored.")
        return LspOptions()
    values: dict[str, bool] = {}
    for key, value in table.items():
        default = getattr(LspOptions(), str(key), None)
        if not isinstance(default, bool):
            warnings.append(f"{_PLACE}: lsp.{key} is not known; it is ignored.")
        elif isinstance(value, bool):
            values[key] = value
        else:
            warnings.append(
                f"{_PLACE}: lsp.{key} is {settings.show(value)}, but must be true or false; "
                f"using {settings.show(default)}."
            )
    return LspOptions(**values)


def _trusted(table: object, warnings: list[str]) -> WorkspaceParams | None:
    if table is None:
        return None
    match table:
        case {"trusted": bool(trusted), **rest} if rest.keys() <= {"root"}:
            root = rest.get("root")
            if root is None or isinstance(root, str):
                return WorkspaceParams(trusted, root or "")
    allowed = '{"trusted": true or false, "root": a folder\'s path, if not all}'
    warnings.append(f"{_PLACE}: workspace must be {allowed}; nothing is trusted.")
    return WorkspaceParams(trusted=False)


class TrustedFolders:
    """Folders by path. Paths are compared as text; links are not followed."""

    def __init__(self) -> None:
        self._folders: list[str] = []  # as the editor announces them
        self._said: dict[str, bool] = {}  # what the client said of single folders
        self._trusts_all = False  # every folder of the editor of which it said nothing else

    def open(self, params: dict[str, Any]) -> None:
        """The folders in the params of ``initialize``."""
        folders = params.get("workspaceFolders")
        if isinstance(folders, list) and folders:
            uris = [folder.get("uri") for folder in folders if isinstance(folder, dict)]
        else:
            uris = [params.get("rootUri")]
        self.change([uri for uri in uris if isinstance(uri, str)], [])

    def change(self, added: Iterable[str], removed: Iterable[str]) -> None:
        """The editor opened and closed folders, named by URI; trust in a closed one ends."""
        for path in filter(None, map(local_path, removed)):
            if path in self._folders:
                self._folders.remove(path)
            self._said.pop(path, None)
        for path in filter(None, map(local_path, added)):
            if path not in self._folders:
                self._folders.append(path)

    def trust(self, params: WorkspaceParams) -> None:
        """Set the trust of one folder, or of all. Raises ``ValueError`` for anything else."""
        if not params.root:
            self._trusts_all = params.trusted
            self._said.clear()
            return
        path = local_path(params.root) or os.path.normpath(Path(params.root).expanduser())
        if not Path(path).is_absolute():
            raise ValueError("root must be the absolute path or the file: URI of a folder")
        self._said[path] = params.trusted

    def relative(self, uri: str) -> str:
        """What a file is called in a prompt: its path in its project, else its name alone."""
        path = local_path(uri)
        if not path:
            return ""
        folder = _deepest(path, self._folders) or _deepest(path, self._said)
        if folder and folder != path:
            return PurePath(path).relative_to(folder).as_posix()
        return PurePath(path).name

    def trusted_root(self, uri: str) -> str:
        """The deepest folder that holds the file, if it is trusted; else empty."""
        path = local_path(uri)
        if not path:
            return ""
        said = _deepest(path, self._said)
        folder = _deepest(path, self._folders)
        trusted = self._said[said] if said else self._trusts_all and bool(folder)
        return max(said, folder, key=len) if trusted else ""


def local_path(uri: str) -> str:
    """The absolute path that a URI names, empty if it is no file's."""
    path = to_fs_path(uri) if uri.startswith("file:") else None
    return os.path.normpath(path) if path else ""


def _deepest(path: str, folders: Iterable[str]) -> str:
    """The longest of ``folders`` that holds ``path``; empty if none does."""
    holding = [folder for folder in folders if PurePath(path).is_relative_to(folder)]
    return max(holding, key=len, default="")
