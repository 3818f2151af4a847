"""The projects that edits may be drafted from: opened when a request first names one.

Knows which requests may use one; indexing is left to ``workspace``. If a project fails, only speed is
lost: the user gets one sentence about it, and the edit continues without it.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from editd.engine.local_writer import may_ask_project, names_project
from editd.engine.settings import Settings
from editd.messages import EditRequest, WarmupRequest, WorkspaceStatus
from editd.models.model import Model

if TYPE_CHECKING:
    from editd.workspace.index import Index
    from editd.workspace.pool import Workspaces

_MOST_REFUSED = 8  # roots that are remembered as refused


class Projects:
    """The open workspaces of an engine. ``status`` may be asked from any thread."""

    def __init__(self) -> None:
        self._pool: Workspaces | None = None
        # Replaced, never changed, so that another thread may read it at any time.
        self._refused: dict[str, WorkspaceStatus] = {}

    def snapshot(
        self,
        request: EditRequest | WarmupRequest,
        settings: Settings,
        model: Model,
        note: Callable[[str], None],
        *,
        allowed: bool,
    ) -> Index | None:
        """The project that ``request`` may be drafted from, if it is ready; never waits for it.

        Starts to index the project if it is not indexed yet. allowed: by the configuration. Where the
        drafter was told to use a project, ``note`` is called with the reason if there is none.
        """
        asked_for = names_project(settings.drafter) and isinstance(request, EditRequest)
        folder = model.tokenizer_folder
        if not may_ask_project(settings):
            return None
        if folder is None:
            if asked_for:
                note(_NO_TOKENIZER)
            return None
        if not request.workspace_root or not allowed:
            if asked_for:
                note(_NOT_ALLOWED if request.workspace_root else _NO_ROOT)
            return None
        if self._pool is None:
            from editd.workspace.pool import Workspaces  # not imported unless a project is used

            self._pool = Workspaces()
        workspace = self._pool.open(Path(request.workspace_root), folder, trusted=True)
        status = workspace.status()
        if status.state == "refused":
            if request.workspace_root not in self._refused or asked_for:
                note(status.message)
            kept = list(self._refused.items())[1 - _MOST_REFUSED :]
            self._refused = {**dict(kept), request.workspace_root: status}
            return None
        index = workspace.snapshot()
        if index is None and asked_for:
            note(status.message or _NOT_READY)
        return index

    def status(self) -> tuple[WorkspaceStatus, ...]:
        """The open projects, the last used first, then those that are not indexed, with the reason."""
        pool = self._pool
        opened = pool.status() if pool is not None else ()
        return (*opened, *reversed(self._refused.values()))

    def close(self) -> None:
        """Stop watching and building; the next request opens its project again."""
        pool, self._pool = self._pool, None
        self._refused = {}
        if pool is not None:
            pool.close()


_NO_ROOT = (
    "The drafter workspace had no project to draft from: name its folder (--workspace), or say in "
    "your editor that you trust it."
)
_NO_TOKENIZER = "The drafter workspace was not used: the model's tokenizer cannot be read by what indexes files."
_NOT_ALLOWED = (
    "The drafter workspace was not used, because the setting edit.workspace is off: set it to true."
)
_NOT_READY = (
    "The project is being indexed and was not drafted from: `editd status` says when it is ready."
)
