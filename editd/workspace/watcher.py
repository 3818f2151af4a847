"""Says when something in a project may have changed; the walk finds out what.

Uses the system's events (watchdog). If a project has too many folders for that, or the system refuses
more watches, it says so, and the listener polls instead.
"""

from __future__ import annotations

import contextlib
import os
from collections.abc import Callable
from pathlib import Path
from typing import Literal

from watchdog.events import (
    DirCreatedEvent,
    DirDeletedEvent,
    DirMovedEvent,
    FileClosedEvent,
    FileCreatedEvent,
    FileDeletedEvent,
    FileModifiedEvent,
    FileMovedEvent,
    FileSystemEvent,
    FileSystemEventHandler,
)
from watchdog.observers import Observer
from watchdog.observers.api import BaseObserver

from editd.workspace.rules import folder_counts, path_counts

Watching = Literal["events", "rescan"]

# Each folder costs one of the user's inotify watches, which the editor needs as well.
MOST_FOLDERS = 8192
_STOP_SECONDS = 2.0
# Reading a file is an event too (opened, closed without writing): these would never end.
_CHANGES = [
    DirCreatedEvent, DirDeletedEvent, DirMovedEvent, FileClosedEvent, FileCreatedEvent,
    FileDeletedEvent, FileModifiedEvent, FileMovedEvent,
]  # fmt: skip


class Watcher:
    """Watches the files under ``root``; ``on_change`` hears of each path, relative to it.

    ``on_change`` is called in a thread of the watcher's and must be quick.
    """

    def __init__(
        self,
        root: Path,
        on_change: Callable[[str], None],
        *,
        most_folders: int = MOST_FOLDERS,
        observer: Callable[[], BaseObserver] = Observer,
    ) -> None:
        self.watching: Watching = "rescan"
        self.message = ""
        self._root = root
        self._on_change = on_change
        self._most_folders = most_folders
        self._make_observer = observer
        self._observer: BaseObserver | None = None

    def start(self) -> Watching:
        """Begin; afterwards ``watching`` says how, and ``message`` why not by events."""
        if _more_folders_than(self._most_folders, self._root):
            self.message = (
                f"More than {self._most_folders:,} folders: looked through from time to time."
            )
            return self.watching
        try:
            self._observer = self._make_observer()
            self._observer.schedule(
                _Handler(self._heard), str(self._root), recursive=True, event_filter=_CHANGES
            )
            self._observer.start()
        except (OSError, RuntimeError) as error:  # no watch, instance or thread available
            self._give_up()
            reason = getattr(error, "strerror", None) or type(error).__name__
            self.message = f"No file events ({reason}): looked through from time to time."
            return self.watching
        self.watching = "events"
        return self.watching

    def check(self) -> Watching:
        """Whether events still come; a watcher whose threads have died is given up."""
        observer = self._observer
        if observer is not None and not (
            observer.is_alive() and all(emitter.is_alive() for emitter in observer.emitters)
        ):
            self._give_up()
            self.message = "File events have ended: looked through from time to time."
        return self.watching

    def stop(self) -> None:
        """Hear nothing more. Safe to call twice."""
        self._give_up()

    def _give_up(self) -> None:
        observer, self._observer, self.watching = self._observer, None, "rescan"
        if observer is None:
            return
        with contextlib.suppress(OSError, RuntimeError):
            observer.unschedule_all()
            if observer.is_alive():
                observer.stop()
                observer.join(_STOP_SECONDS)

    def _heard(self, event: FileSystemEvent) -> None:
        for path in {os.fsdecode(event.src_path), os.fsdecode(event.dest_path)} - {""}:
            relative = os.path.relpath(path, self._root).replace(os.sep, "/")
            if relative.startswith("../") or not _counts(relative, is_folder=event.is_directory):
                continue
            self._on_change(relative)


class _Handler(FileSystemEventHandler):
    def __init__(self, heard: Callable[[FileSystemEvent], None]) -> None:
        self._heard = heard

    def on_any_event(self, event: FileSystemEvent) -> None:
        if type(event) in _CHANGES:
            self._heard(event)


def _counts(relative: str, *, is_folder: bool) -> bool:
    if is_folder:
        return all(map(folder_counts, relative.split("/")))
    return path_counts(relative)


def _more_folders_than(most: int, root: Path) -> bool:
    """Whether there are more folders under ``root``, those that are not indexed included."""
    pending, count = [str(root)], 0
    while pending:
        try:
            with os.scandir(pending.pop()) as entries:
                inner = [entry.path for entry in entries if entry.is_dir(follow_symlinks=False)]
        except OSError:
            continue
        count += len(inner)
        if count > most:
            return True
        pending += inner
    return False
