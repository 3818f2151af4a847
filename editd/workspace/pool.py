"""Several projects at once; beyond a few, the least recently used one is dropped."""

from __future__ import annotations

import threading
from collections.abc import Callable
from pathlib import Path

from editd.messages import WorkspaceStatus
from editd.workspace.builder_process import Builder, BuilderProcess
from editd.workspace.rules import refuse_root
from editd.workspace.workspace import DEFAULT_PACE, Pace, Workspace


class Workspaces:
    """The projects that are indexed; beyond a few, the least recently used one is dropped."""

    def __init__(
        self,
        cache_folder: Path | None = None,
        *,
        most: int = 4,
        pace: Pace = DEFAULT_PACE,
        make_builder: Callable[[], Builder] | None = None,
    ) -> None:
        self._cache = cache_folder
        self._most = most
        self._pace = pace
        self._make_builder = make_builder or BuilderProcess
        self._lock = threading.Lock()
        self._open: dict[tuple[object, ...], Workspace] = {}  # the one used last is last

    def open(self, root: Path, tokenizer: Path, *, trusted: bool) -> Workspace:
        """The workspace of ``root`` in the tokens of ``tokenizer``; see ``Workspace.open``."""
        if refuse_root(root, trusted=trusted):
            return Workspace.open(root, tokenizer, self._cache, trusted=trusted)
        key = (root.resolve(), tokenizer, _file_stamp(tokenizer / "tokenizer.json"))
        with self._lock:
            workspace = self._open.pop(key, None)
            if workspace is None:
                workspace = Workspace.open(
                    root,
                    tokenizer,
                    self._cache,
                    trusted=trusted,
                    pace=self._pace,
                    builder=self._make_builder(),
                )
            self._open[key] = workspace
            while len(self._open) > self._most:
                self._open.pop(next(iter(self._open))).close(wait=False)
            return workspace

    def status(self) -> tuple[WorkspaceStatus, ...]:
        """The status of each open project, most recently used first."""
        with self._lock:
            return tuple(workspace.status() for workspace in reversed(self._open.values()))

    def close(self) -> None:
        """Stop them all."""
        with self._lock:
            for workspace in self._open.values():
                workspace.close(wait=False)
            for workspace in self._open.values():
                workspace.close()
            self._open.clear()


def _file_stamp(path: Path) -> tuple[int, int] | None:
    try:
        found = path.stat()
    except OSError:
        return None
    return found.st_size, found.st_mtime_ns
