"""The projects that answers may be drafted from: opened when a request first names one, and kept open.

Which requests may use a project is known here; reading its files is left to ``workspace``. If a project fails, only
speed is lost: the user gets one sentence about it, and the edit continues without it.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from editd.engine.local_text_source import asks_project
from editd.messages import EditRequest, WarmupRequest
from editd.messages.reports import WorkspaceStatus
from editd.models.model import Model
from editd.models.text_source import AnswerSettings

if TYPE_CHECKING:
    from editd.decode.drafters.base import Codec
    from editd.workspace.index import Index
    from editd.workspace.workspace import Workspace

_MOST_OPEN = 4  # beyond which the one unused for longest is closed
_MOST_REFUSED = 8  # roots that are remembered as refused


class Projects:
    """The open workspaces of an engine. ``status`` may be called from any thread."""

    def __init__(self) -> None:
        # Replaced, never changed, so that another thread may read them at any time. Last used, last.
        self._open: dict[tuple[Path, Codec], Workspace] = {}
        self._refused: dict[str, WorkspaceStatus] = {}

    def snapshot(
        self,
        request: EditRequest | WarmupRequest,
        settings: AnswerSettings,
        model: Model,
        note: Callable[[str], None],
        *,
        allowed: bool,
    ) -> Index | None:
        """The index of the request's project, as it is now.

        ``None`` if it has none, or it is not allowed, not used by the drafter, refused or not ready yet. Opens the
        project if it is not open yet, which indexes it in the background, and never waits for it. allowed: by the
        configuration. note: called with the reason why a project's folder is refused, once for each while it is
        remembered (the last eight).
        """
        root = request.workspace_root
        if not root or not allowed or not asks_project(settings.drafter):
            return None
        from editd.workspace.walk import refuse_root  # not imported unless a project is used

        if refusal := refuse_root(Path(root)):
            if root not in self._refused:
                note(refusal)
            recent = list(self._refused.items())[1 - _MOST_REFUSED :]
            self._refused = {
                **dict(recent),
                root: WorkspaceStatus(root, "refused", message=refusal),
            }
            return None
        return self._open_workspace(Path(root).resolve(), model.codec).snapshot()

    def status(self) -> tuple[WorkspaceStatus, ...]:
        """The open projects, the last used first, then the refused ones with the reason."""
        opened = (workspace.status() for workspace in reversed(self._open.values()))
        return (*opened, *reversed(self._refused.values()))

    def close(self) -> None:
        """Stop watching and reading all projects, and forget refusals; waits for them to stop. The
        next request opens its project again.
        """
        opened, self._open, self._refused = self._open, {}, {}
        for workspace in opened.values():
            workspace.close(wait=False)
        for workspace in opened.values():
            workspace.close()

    def _open_workspace(self, root: Path, codec: Codec) -> Workspace:
        """The open workspace of a folder for this codec, opened if it is not, and now the one used last; closes,
        without waiting, those unused for longest beyond four.
        """
        from editd.workspace.workspace import Workspace

        key = root, codec
        others = {known: workspace for known, workspace in self._open.items() if known != key}
        while len(others) >= _MOST_OPEN:
            others.pop(next(iter(others))).close(wait=False)
        workspace = self._open.get(key) or Workspace(root, codec)
        self._open = {**others, key: workspace}
        return workspace
