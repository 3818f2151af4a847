"""The settings of a session: the client's initialization options, combined with the user's file and environment.

``config_sources`` has the rules of all settings; only the section ``lsp`` is defined here. Wrong values are named, and the
default is used.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from pygls.exceptions import JsonRpcInvalidParams

from editd import config_sources
from editd.config import Config, Preset, presets_with
from editd.config_sources import check_option, request_options
from editd.errors import ConfigError
from editd.frontends.lsp.methods import WorkspaceParams
from editd.messages.options import EditOptions

_PLACE = "initialization options"  # the name in the sentences of ``config_sources``


@dataclass(frozen=True, slots=True)
class LspOptions:
    """The settings in the section ``lsp``, which only initialization options have.

    progress: send work-done progress where the client shows it. code_actions: offer presets as code actions.
    keep_on_cancel: an edit that is cancelled keeps the hunks that are done.
    """

    progress: bool = True
    code_actions: bool = True
    keep_on_cancel: bool = False


@dataclass(frozen=True, slots=True)
class SessionOptions:
    """The settings of a session: initialization options over environment and file.

    requests: the options of a request that has none of its own. workspace: the folders that the client trusts;
    ``None`` if the options name none. warnings: a sentence for each wrong value, which is ignored.
    """

    config: Config = field(default_factory=Config)
    requests: EditOptions = field(default_factory=EditOptions)
    presets: Mapping[str, Preset] = field(default_factory=lambda: presets_with({}))
    lsp: LspOptions = LspOptions()
    workspace: WorkspaceParams | None = None
    warnings: tuple[str, ...] = ()

    @classmethod
    def of(cls, initialization_options: object) -> SessionOptions:
        """Read the options from unchecked client data, which win, and from the user's file and environment; wrong
        values, and those that no editor may set, are left out and become sentences in ``warnings``. Never raises.
        """
        warnings: list[str] = []
        table: Mapping[str, Any] = {}
        if isinstance(initialization_options, Mapping):
            table = initialization_options
        elif initialization_options is not None:
            warnings.append(f"{_PLACE}: must be a table of sections; they are ignored.")
        lsp = _lsp_options(table.get("lsp", {}), warnings)
        workspace = _trusted(table.get("workspace"), warnings)
        others = {key: value for key, value in table.items() if key not in ("lsp", "workspace")}
        resolved = config_sources.resolve(initialization_options=others)
        return cls(
            resolved.config,
            resolved.edit_options(file_is_fresh=False),
            presets_with(resolved.config.edit.presets),
            lsp,
            workspace,
            (*warnings, *resolved.warnings),
        )


def merged_options(base: EditOptions, options: EditOptions) -> EditOptions:
    """The session's options ``base``, overridden by those of one request that are neither ``None`` nor empty tuples;
    ``loading`` is never overridden.

    Raises ``JsonRpcInvalidParams`` that names a wrong option. The rules of initialization options apply: a workspace
    may have set them, so they cannot name a folder.
    """
    given = {
        name: value
        for name, value in dataclasses.asdict(options).items()
        if value not in (None, ()) and name != "loading"
    }
    for name in given.keys() & request_options().keys():
        key = request_options()[name].key
        if refusal := config_sources.not_from_editors(key, given[name]):
            raise JsonRpcInvalidParams(f"params.options: {key} {refusal}.")
        try:
            check_option(name, given[name])
        except ConfigError as error:
            raise JsonRpcInvalidParams(f"params.options: {error}") from error
    return dataclasses.replace(base, **given)


def _lsp_options(table: object, warnings: list[str]) -> LspOptions:
    """Read the section ``lsp``, whose options are all true or false; adds a sentence to ``warnings`` for each unknown
    key or wrong value, which are ignored, or for a section that is no table.
    """
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
                f"{_PLACE}: lsp.{key} is {config_sources.show(value)}, but must be true or false; "
                f"using {config_sources.show(default)}."
            )
    return LspOptions(**values)


def _trusted(table: object, warnings: list[str]) -> WorkspaceParams | None:
    """Read the option ``workspace``, which declares trust in one folder or in all; ``None`` if it is absent or
    ``null``. A malformed one means trust in none, and adds a sentence to ``warnings``.
    """
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
