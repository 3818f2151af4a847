"""What the client sets: ``initializationOptions``, and the options of one request.

``settings`` has the rules of all settings, and combines these with the user's file and environment;
only the section ``lsp`` belongs to this package. Wrong values are named, and the default is used.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from pygls.exceptions import JsonRpcInvalidParams

from editd import settings
from editd.config import Config
from editd.doors.lsp.methods import WorkspaceParams
from editd.errors import ConfigError
from editd.messages import EditOptions
from editd.presets import Preset, presets_with
from editd.setting_values import check_option, request_options


@dataclass(frozen=True, slots=True)
class LspOptions:
    """How this server talks to its client.

    progress: send work-done progress where the client shows it. code_actions: offer presets as code actions. confirm: ask before a
    code action's change is applied, where the client can. keep_on_cancel: an edit that is cancelled
    keeps the hunks that are done.
    """

    progress: bool = True
    code_actions: bool = True
    confirm: bool = False
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
        workspace = _workspace(table.get("workspace"), warnings)
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
    workspace may have set them, so they cannot name a folder or allow remote code.
    """
    given = {
        name: value
        for name, value in dataclasses.asdict(options).items()
        if value not in (None, ())
        and value is not False
        and name not in ("allow_remote_code", "loading")
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


def _workspace(table: object, warnings: list[str]) -> WorkspaceParams | None:
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
