"""One project's index, kept up to date in the background.

A thread loads the previous index, runs the builder process and swaps the snapshot. It builds again
when the watcher has reported changes and no more follow for a moment. Asking for the snapshot never
waits. Nothing is built unless a snapshot was asked for recently.
"""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from time import monotonic

from editd.files.local_cache import cache_dir
from editd.messages import WorkspaceState, WorkspaceStatus
from editd.workspace import cache
from editd.workspace.builder import Built
from editd.workspace.builder_process import Builder, BuilderProcess
from editd.workspace.index import Index
from editd.workspace.rules import refuse_root
from editd.workspace.watcher import Watcher

log = logging.getLogger(__name__)

_MOST_DIRTY = 1000  # paths that are remembered; beyond that only that there are more
_JOIN_SECONDS = 5.0


@dataclass(frozen=True, slots=True)
class Pace:
    """How often is built, all in seconds.

    calm: since the last change. rest: between two builds, or ten times as long as a build took.
    rescan: between two looks where no events come. safety: the same where they do come, for events
    that got lost. wanted: seconds without a request for a snapshot after which nothing is built.
    """

    calm: float = 0.5
    rest: float = 2.0
    rescan: float = 60.0
    safety: float = 600.0
    wanted: float = 1800.0


DEFAULT_PACE = Pace()


class Workspace:
    """A project that is being indexed. Thread-safe; ``close`` it at the end."""

    def __init__(
        self,
        root: Path,
        tokenizer: Path,
        cache_folder: Path,
        pace: Pace,
        builder: Builder,
        watch: Callable[[Path, Callable[[str], None]], Watcher],
    ) -> None:
        self.root = root
        self._tokenizer = tokenizer
        self._cache = cache_folder
        self._pace = pace
        self._builder = builder
        self._changed = threading.Condition()
        self._index: Index | None = None
        self._state: WorkspaceState = "building"
        self._message = ""
        self._asked = monotonic()
        self._dirty: set[str] = set()
        self._first_change = self._last_change = 0.0
        self._in_vain = 0  # builds in a row that found nothing new
        self._watcher = watch(root, self._heard)
        self._thread: threading.Thread | None = None

    @classmethod
    def open(
        cls,
        root: Path,
        tokenizer: Path,
        cache_folder: Path | None = None,
        *,
        trusted: bool,
        pace: Pace = DEFAULT_PACE,
        builder: Builder | None = None,
        watch: Callable[[Path, Callable[[str], None]], Watcher] = Watcher,
    ) -> Workspace:
        """Begin to index ``root`` in the tokens of the model in the folder ``tokenizer``.

        Returns at once and never raises: a root that may not be indexed has a ``status`` that says
        why, and no snapshot. trusted: a client says that its user trusts this folder.
        """
        folder = (cache_folder or cache_dir()).absolute()
        refusal = refuse_root(root, trusted=trusted)
        real = root.absolute() if refusal else root.resolve()
        if not refusal and (real == folder.resolve() or real in folder.resolve().parents):
            refusal = f"{root} is not indexed: the cache folder lies in it."
        workspace = cls(real, tokenizer, folder, pace, builder or BuilderProcess(), watch)
        if refusal:
            workspace._state, workspace._message = "refused", refusal
            return workspace
        workspace._thread = threading.Thread(
            target=workspace._run, name="editd-workspace", daemon=True
        )
        workspace._thread.start()
        return workspace

    def snapshot(self) -> Index | None:
        """The newest index, or ``None`` as long as there is none. Never waits for one."""
        with self._changed:  # held by others for some assignments only
            unwanted = monotonic() - self._asked > self._pace.wanted
            self._asked = monotonic()
            if unwanted:
                self._changed.notify_all()
            return self._index

    def status(self) -> WorkspaceStatus:
        """How it is at this moment; names no file of it."""
        with self._changed:
            index = self._index
            return WorkspaceStatus(
                str(self.root),
                self._state,
                files=len(index.paths) if index else 0,
                tokens=index.num_tokens if index else 0,
                memory_bytes=index.nbytes if index else 0,
                message=self._message or self._watcher.message,
            )

    def wait(
        self, true_of: Callable[[WorkspaceStatus, Index | None], bool], seconds: float
    ) -> bool:
        """Wait until something is true of status and snapshot; false when time has run out."""
        deadline = monotonic() + seconds
        with self._changed:
            while not true_of(self.status(), self._index):
                if not self._changed.wait(deadline - monotonic()):
                    return true_of(self.status(), self._index)
            return True

    def close(self, *, wait: bool = True) -> None:
        """Stop watching and building. Snapshots in use stay as they are."""
        with self._changed:
            if self._state != "refused":
                self._state = "closed"
            self._changed.notify_all()
        self._builder.stop()
        if wait and self._thread is not None:
            self._thread.join(_JOIN_SECONDS)

    def _run(self) -> None:
        try:
            self._keep_up()
        except Exception as error:  # the process continues without drafts from this project
            log.exception("workspace index ended")
            self._told("failed", f"{type(error).__name__} while indexing; `editd logs` has more.")
        finally:
            self._watcher.stop()

    def _keep_up(self) -> None:
        try:
            identity = cache.tokenizer_identity(self._tokenizer)
        except OSError:
            self._told("failed", "The model has no tokenizer.json: its project is not indexed.")
            return
        path = cache.index_path(self._cache, self.root, identity)
        # 1) what an earlier run left, so that there is something at once
        self._take(Index.open_if_whole(path, identity))
        # 2) events, before the first build, so that no change falls between the two
        self._watcher.start()
        # 3) build, and again when it is due
        while self._state != "closed":
            with self._changed:
                self._dirty.clear()
            built = self._builder.build(self.root, self._tokenizer, path)
            index = Index.open_if_whole(path, identity) if self._is_news(built) else None
            self._note(built, index)
            log.info(
                "workspace index %s: %d files, %d tokens, %.1f s",
                built.state,
                built.files,
                built.tokens,
                built.seconds,
            )
            if built.state == "failed" or not built.left:
                self._wait_until_due(built)

    def _is_news(self, built: Built) -> bool:
        return built.state == "built" or (built.state == "unchanged" and self._index is None)

    def _note(self, built: Built, index: Index | None) -> None:
        with self._changed:
            self._in_vain = self._in_vain + 1 if built.state == "unchanged" else 0
        self._take(index)
        if built.state == "failed":
            self._told("failed", built.message)
        else:
            self._told("building" if built.left else "ready", built.message)

    def _take(self, index: Index | None) -> None:
        with self._changed:
            if index is not None:
                self._index = index
            self._changed.notify_all()

    def _told(self, state: WorkspaceState, message: str) -> None:
        with self._changed:
            if self._state != "closed":
                self._state, self._message = state, message
            self._changed.notify_all()

    def _heard(self, path: str) -> None:
        """Called by the watcher, in its thread."""
        with self._changed:
            self._last_change = monotonic()
            if not self._dirty:
                self._first_change = self._last_change
            if len(self._dirty) < _MOST_DIRTY:
                self._dirty.add(path)
            self._changed.notify_all()

    def _wait_until_due(self, built: Built) -> None:
        ended = monotonic()
        rest = max(self._pace.rest, 10 * built.seconds)
        if built.state == "failed":
            rest = max(rest, self._pace.rescan)
        rest = min(rest * 2 ** min(self._in_vain, 5), max(rest, self._pace.rescan))
        while True:
            watching = self._watcher.check()
            with self._changed:
                if self._state == "closed":
                    return
                now = monotonic()
                if now - self._asked > self._pace.wanted:
                    self._changed.wait()
                    continue
                if self._dirty:
                    calm = min(
                        self._last_change + self._pace.calm,
                        self._first_change + 10 * self._pace.calm,
                    )
                    due = max(calm, ended + rest)
                else:
                    due = ended + (self._pace.safety if watching == "events" else self._pace.rescan)
                if now >= due:
                    return
                self._changed.wait(due - now)
