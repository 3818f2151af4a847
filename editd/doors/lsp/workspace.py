"""The folders of this editor's projects, and which of them its user trusts.

Only a trusted project's files may be read, to draft new code from. The daemon decides which of them, and
leaves out secrets. Nothing is trusted until the client says so.
"""

from __future__ import annotations

import os
from collections.abc import Iterable
from pathlib import Path, PurePath
from typing import Any

from pygls.uris import to_fs_path

from editd.doors.lsp.methods import WorkspaceParams


class Workspace:
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
        for path in filter(None, map(_path_of, removed)):
            if path in self._folders:
                self._folders.remove(path)
            self._said.pop(path, None)
        for path in filter(None, map(_path_of, added)):
            if path not in self._folders:
                self._folders.append(path)

    def trust(self, params: WorkspaceParams) -> None:
        """Set the trust of one folder, or of all. Raises ``ValueError`` for anything else."""
        if not params.root:
            self._trusts_all = params.trusted
            self._said.clear()
            return
        path = _path_of(params.root) or os.path.normpath(Path(params.root).expanduser())
        if not Path(path).is_absolute():
            raise ValueError("root must be the absolute path or the file: URI of a folder")
        self._said[path] = params.trusted

    def relative(self, uri: str) -> str:
        """What a file is called in a prompt: its path in its project, else its name alone."""
        path = _path_of(uri)
        if not path:
            return ""
        folder = _deepest(path, self._folders) or _deepest(path, self._said)
        if folder and folder != path:
            return PurePath(path).relative_to(folder).as_posix()
        return PurePath(path).name

    def trusted_root(self, uri: str) -> str:
        """The deepest folder that holds the file, if it is trusted; else empty."""
        path = _path_of(uri)
        if not path:
            return ""
        said = _deepest(path, self._said)
        folder = _deepest(path, self._folders)
        trusted = self._said[said] if said else self._trusts_all and bool(folder)
        return max(said, folder, key=len) if trusted else ""


def _path_of(uri: str) -> str:
    path = to_fs_path(uri) if uri.startswith("file:") else None
    return os.path.normpath(path) if path else ""


def _deepest(path: str, folders: Iterable[str]) -> str:
    """The longest of ``folders`` that holds ``path``; empty if none does."""
    holding = [folder for folder in folders if PurePath(path).is_relative_to(folder)]
    return max(holding, key=len, default="")
