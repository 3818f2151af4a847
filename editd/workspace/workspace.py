"""The index of a project in memory, updated in the background.

A thread looks through the project (``walk``), reads the files that have changed, the last changed first, and puts a
new ``index`` in the place of the old one. The system's events (watchdog) start another look. Where they do not come
the project is looked through now and then, and the status says so. ``snapshot`` never waits, and nothing is looked at
unless somebody called it lately.
"""

from __future__ import annotations

import contextlib
import logging
import os
import sys
import threading
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from time import monotonic, time_ns

from watchdog.events import FileSystemEvent, FileSystemEventHandler
from watchdog.observers import Observer
from watchdog.observers.api import BaseObserver

from editd.decode.drafters.base import Codec
from editd.errors import EditdError
from editd.messages.reports import WorkspaceState, WorkspaceStatus
from editd.workspace.index import FileTokens, Index
from editd.workspace.walk import (
    DEFAULT_LIMITS,
    FoundFile,
    FoundFiles,
    IndexLimits,
    Stamp,
    find_files,
    folder_counts,
    path_counts,
    read_files,
    readable_text,
)

log = logging.getLogger(__name__)

MOST_FOLDERS = 8192  # each costs one of the user's watches, which the editor needs as well
# A file changed this shortly before it was read may have changed once more within its file system's
# tick, so its stamp proves nothing (what git calls racily clean).
_RACY_NS = 2_000_000_000
_JOIN_SECONDS = 5.0
# Reading a file is an event too: these would never end.
_READING = ("opened", "closed_no_write")


@dataclass(frozen=True, slots=True)
class Pace:
    """The frequency of looks at a project, all in seconds.

    calm: after a change.
    rest: between two looks, or ten times as long as a look took.
    rescan: the same where no events come.
    safety: the same where they come, for events that got lost.
    idle_after: without a request, after which nothing is looked at.
    shown: of reading, until an index of the files read so far is published.
    """

    calm: float = 0.5
    rest: float = 2.0
    rescan: float = 60.0
    safety: float = 600.0
    idle_after: float = 1800.0
    shown: float = 3.0


DEFAULT_PACE = Pace()


class Workspace(FileSystemEventHandler):
    """The files under ``root`` in the tokens of ``codec``. Thread-safe; ``close`` it at the end.

    root: a folder that ``walk.refuse_root`` does not refuse, without links. Starts a thread.
    """

    def __init__(
        self,
        root: Path,
        codec: Codec,
        *,
        limits: IndexLimits = DEFAULT_LIMITS,
        pace: Pace = DEFAULT_PACE,
        most_folders: int = MOST_FOLDERS,
        observer: Callable[[], BaseObserver] = Observer,
    ) -> None:
        self.root = root
        self._codec = codec
        self._limits = limits
        self._pace = pace
        self._changed = threading.Condition()  # of all below that a reader sees
        self._index: Index | None = None
        self._state: WorkspaceState = "building"
        self._message = self._unwatched = ""
        self._dirty = True
        self._last_request = monotonic()
        self._tokens_by_path: dict[str, tuple[Stamp | None, FileTokens | None]] = {}
        self._most_folders = most_folders
        self._make_observer = observer
        self._observer: BaseObserver | None = None
        self._thread = threading.Thread(target=self._run, name="editd-workspace", daemon=True)
        self._thread.start()

    def snapshot(self) -> Index | None:
        """The newest index; ``None`` as long as there is none. Never waits for a look at the project; notes the
        request, which keeps the index updated for half an hour.
        """
        with self._changed:
            self._last_request = monotonic()
            self._changed.notify_all()
            return self._index

    def status(self) -> WorkspaceStatus:
        """The state of the index with numbers of files, tokens and bytes; names the root and no file. Does not count as
        a request.
        """
        with self._changed:
            index = self._index
            return WorkspaceStatus(
                str(self.root),
                self._state,
                files=len(index.paths) if index else 0,
                tokens=index.num_tokens if index else 0,
                memory_bytes=index.nbytes if index else 0,
                message=self._message or self._unwatched,
            )

    def close(self, *, wait: bool = True) -> None:
        """Stop watching and reading; the last snapshot stays usable. wait: for the thread's end, five seconds at most."""
        with self._changed:
            self._state = "closed"
            self._changed.notify_all()
        if wait:
            self._thread.join(_JOIN_SECONDS)

    def _run(self) -> None:
        """The thread, on Linux with a low priority: watch the project and bring its index up to date until
        ``close``. Never raises: an error is logged and becomes the state ``failed``, and the thread ends.
        """
        if sys.platform == "linux":  # where a thread has a priority of its own
            with contextlib.suppress(OSError):
                os.setpriority(os.PRIO_PROCESS, threading.get_native_id(), 10)
        try:
            self._watch()  # before the first look, so that no change falls between the two
            while not self._is_closed():
                started = monotonic()
                with self._changed:
                    self._dirty = False
                self._update_index()
                self._wait_until_due(monotonic() - started)
        except Exception as error:  # the process continues without drafts from this project
            log.exception("workspace index ended")
            self._set_state(
                "failed", f"{type(error).__name__} while indexing; `editd logs` has more."
            )
        finally:
            self._unwatch("")

    def _update_index(self) -> None:
        """Look through the project, read the files that have changed, the one changed last first, and publish an
        index of all if any came, went or changed; sets the state to ``ready``, or to ``failed`` if the folder
        cannot be opened, and logs numbers.

        Publishes in between every few seconds. Rests twice as long as it works; returns early, without a state,
        once closed. Raises ``OSError`` if the folder vanishes after the look.
        """
        started = shown = monotonic()
        try:
            found = find_files(self.root, self._limits)
        except OSError as error:
            self._set_state("failed", f"{error.strerror or type(error).__name__}.")
            return
        before = self._tokens_by_path
        self._tokens_by_path = {
            file.path: before[file.path]
            for file in found.files
            if before.get(file.path, (None,))[0] == file.stamp
        }
        changed = [file for file in reversed(found.files) if file.path not in self._tokens_by_path]
        is_news = before.keys() != self._tokens_by_path.keys()
        for file, content in read_files(self.root, iter(changed), self._limits):
            if self._is_closed():
                return
            began = monotonic()
            self._tokens_by_path[file.path] = self._tokens_of(file, content)
            if monotonic() - shown > self._pace.shown:
                self._publish_index(found)
                shown = monotonic()
            self._wait(2 * (monotonic() - began), lambda: False)  # work for a third of the time
        if is_news or changed or self._index is None:
            self._publish_index(found)
        self._set_state("ready", _too_large(found, self._limits))
        log.info(
            "workspace index: %d files, %d tokens, %d read, %.1f s",
            len(self._index.paths) if self._index else 0,
            self._index.num_tokens if self._index else 0,
            len(changed),
            monotonic() - started,
        )

    def _tokens_of(self, file: FoundFile, content: bytes) -> tuple[Stamp | None, FileTokens | None]:
        """The file's stamp, ``None`` if it was changed less than two seconds ago and so proves nothing; and its tokens,
        ``None`` if its text does not count (``readable_text``) or cannot be cut into tokens.
        """
        changed_ns = max(file.stamp.mtime_ns, file.stamp.ctime_ns)
        stamp = file.stamp if changed_ns < time_ns() - _RACY_NS else None
        text = readable_text(content)
        if text is None:
            return stamp, None
        try:
            return stamp, FileTokens.of(file.path, self._codec.encode(text), self._codec)
        except EditdError:  # a text that cannot be cut where the tokenizer needs it
            return stamp, None

    def _publish_index(self, found: FoundFiles) -> None:
        """Replace the index by one of the files of ``found`` that were read so far, in that order, and wake those who
        wait.
        """
        read = (self._tokens_by_path.get(file.path, (None, None))[1] for file in found.files)
        index = Index([tokens for tokens in read if tokens is not None])
        with self._changed:
            self._index = index
            self._changed.notify_all()

    def _set_state(self, state: WorkspaceState, message: str) -> None:
        """Set state and message, unless closed, and wake those who wait."""
        with self._changed:
            if self._state != "closed":
                self._state, self._message = state, message
            self._changed.notify_all()

    def _is_closed(self) -> bool:
        return self._state == "closed"

    def _wait(self, seconds: float, condition: Callable[[], bool]) -> None:
        """Wait until ``condition`` holds, the workspace is closed, or ``seconds`` have passed, whichever comes first.
        condition: asked again whenever something changed, with the lock held.
        """
        with self._changed:
            self._changed.wait_for(lambda: self._is_closed() or condition(), seconds)

    def _wait_until_due(self, seconds_taken: float) -> None:
        """Wait until the project is to be looked at again: a rest, then a change or the time of a rescan, then a
        request within the last half hour, then a moment of calm. Returns at once when closed.
        """
        pace = self._pace
        self._wait(max(pace.rest, 10 * seconds_taken), lambda: False)
        watched = self._observer is not None
        self._wait(pace.safety if watched else pace.rescan, lambda: self._dirty)
        with self._changed:
            self._changed.wait_for(
                lambda: self._is_closed() or monotonic() - self._last_request <= pace.idle_after
            )
        self._wait(pace.calm, lambda: False)

    def _watch(self) -> None:
        """Subscribe to file events under the root. If there are too many folders or the system refuses, note the reason
        for ``status``, and the project is looked through from time to time instead. Counts the folders first.
        """
        if _more_folders_than(self._most_folders, self.root):
            self._unwatch(
                f"More than {self._most_folders:,} folders: looked through from time to time."
            )
            return
        try:
            self._observer = self._make_observer()
            self._observer.schedule(self, str(self.root), recursive=True)
            self._observer.start()
        except (OSError, RuntimeError) as error:  # no watch, instance or thread available
            reason = getattr(error, "strerror", None) or type(error).__name__
            self._unwatch(f"No file events ({reason}): looked through from time to time.")

    def _unwatch(self, reason: str) -> None:
        """End the subscription, if there is one, and note the reason for ``status`` (empty: none). Waits at most
        ``_JOIN_SECONDS`` for its thread to end; ``OSError`` and ``RuntimeError`` are passed over.
        """
        observer, self._observer, self._unwatched = self._observer, None, reason
        if observer is not None:
            with contextlib.suppress(OSError, RuntimeError):
                observer.unschedule_all()
                if observer.is_alive():
                    observer.stop()
                    observer.join(_JOIN_SECONDS)

    def on_any_event(self, event: FileSystemEvent) -> None:
        """Note that something has changed, which starts another look; called in a thread of watchdog's. Reading,
        changes of a folder itself, and paths that do not count by their names are passed over.
        """
        # A folder is "modified" by what happens in it, which is an event of its own.
        if event.event_type in _READING or (event.is_directory and event.event_type == "modified"):
            return
        for path in {os.fsdecode(event.src_path), os.fsdecode(event.dest_path)} - {""}:
            relative = os.path.relpath(path, self.root).replace(os.sep, "/")
            counts = (
                all(map(folder_counts, relative.split("/")))
                if event.is_directory
                else path_counts(relative)
            )
            if counts and not relative.startswith("../"):
                with self._changed:
                    self._dirty = True
                    self._changed.notify_all()


def _too_large(found: FoundFiles, limits: IndexLimits) -> str:
    """A sentence if the walk gave up before its end, or files were left out since the project is larger than an index
    may be; else empty.
    """
    if not found.whole:
        return (
            f"It holds more than {limits.entries:,} names, and the rest was not looked at: "
            "name a smaller folder."
        )
    if found.left_out:
        return (
            f"{found.left_out:,} files stayed out, those changed longest ago: an index takes "
            f"{limits.files:,} files and {limits.total_bytes >> 20} MiB."
        )
    return ""


def _more_folders_than(most: int, root: Path) -> bool:
    """Whether there are more than ``most`` folders under ``root``, those that are not indexed included. Walks the disk
    up to that number.
    """
    count = 0
    for _, inner, _ in os.walk(root):
        count += len(inner)
        if count > most:
            return True
    return False
