"""The editor's folders, and which of them the user trusts; paths are compared as text, links are not followed.

Only a trusted project's files may be read, to draft new code from. The daemon decides which of them, and leaves out
secrets. Nothing is trusted until the client says so.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path, PurePath
from typing import Any
from urllib.parse import unquote, urlsplit

from pygls.uris import to_fs_path

from editd.frontends.lsp.methods import WorkspaceParams


@dataclass(frozen=True, slots=True)
class TrustedFolders:
    """The folders at one moment; the methods return changed copies.

    folders: paths, in the editor's order. trust: what the client declared of single folders. trusts_all: whether
    every folder without such a declaration is trusted.
    """

    folders: tuple[str, ...] = ()
    trust: Mapping[str, bool] = field(default_factory=dict)
    trusts_all: bool = False

    @classmethod
    def of(cls, params: Mapping[str, Any]) -> TrustedFolders:
        """The folders in the unchecked params of ``initialize``: ``workspaceFolders``, or ``rootUri`` if that is
        missing or empty; none of them trusted. Malformed entries are left out.
        """
        folders = params.get("workspaceFolders")
        if isinstance(folders, list) and folders:
            uris = [folder.get("uri") for folder in folders if isinstance(folder, dict)]
        else:
            uris = [params.get("rootUri")]
        return cls().changed([uri for uri in uris if isinstance(uri, str)], [])

    def changed(self, added: Iterable[str], removed: Iterable[str]) -> TrustedFolders:
        """A copy after the editor opened and closed folders, named by URI; trust in a closed one ends, and URIs that
        are no files are passed over.
        """
        closed = set(map(local_path, removed))
        remaining = [path for path in self.folders if path not in closed]
        opened = [path for path in map(local_path, added) if path]
        trust = {path: trusted for path, trusted in self.trust.items() if path not in closed}
        return replace(self, folders=tuple(dict.fromkeys([*remaining, *opened])), trust=trust)

    def with_trust(self, params: WorkspaceParams) -> TrustedFolders:
        """A copy with the declared trust (or distrust) in the one folder ``root``, a path or URI, or, without it, in
        all, which ends declarations about single ones. Raises ``ValueError`` for a relative path.
        """
        if not params.root:
            return replace(self, trust={}, trusts_all=params.trusted)
        path = local_path(params.root) or os.path.normpath(Path(params.root).expanduser())
        if not Path(path).is_absolute():
            raise ValueError("root must be the absolute path or the file: URI of a folder")
        return replace(self, trust={**self.trust, path: params.trusted})

    def name_in_prompt(self, uri: str) -> str:
        """The name of a file in a prompt: its path, with ``/``, below the deepest of the editor's folders that hold it,
        else of those with a declaration about trust (even a negative one).

        Its last part alone if none holds it, it is that folder itself, or the URI is no ``file:`` URI.
        """
        path = local_path(uri)
        if not path:
            return unquote(PurePath(urlsplit(uri).path).name)
        folder = _deepest(path, self.folders) or _deepest(path, self.trust)
        if folder and folder != path:
            return PurePath(path).relative_to(folder).as_posix()
        return PurePath(path).name

    def trusted_root(self, uri: str) -> str:
        """The deepest folder that holds the file, of the editor's and of those with a declaration, if it is trusted;
        else, and for a URI that is no file, empty.

        Trusted by the declaration about the deepest folder that holds the file and has one; without one, by that for
        all, if one of the editor's folders holds the file.
        """
        return self._trusted_folder_of(local_path(uri))

    def mention_root(self, uri: str) -> str:
        """The folder whose files an instruction may name: as ``trusted_root``; but for a text that is no file, and for
        a file that no folder holds, the only folder known, if there is only one and it is trusted.
        """
        path = local_path(uri)
        known = {*self.folders, *self.trust}
        if len(known) == 1 and not _deepest(path, known):
            (path,) = known
        return self._trusted_folder_of(path)

    def _trusted_folder_of(self, path: str) -> str:
        """As ``trusted_root``, of a path; empty for an empty one."""
        declared = _deepest(path, self.trust)
        folder = _deepest(path, self.folders)
        trusted = self.trust[declared] if declared else self.trusts_all and bool(folder)
        return max(declared, folder, key=len) if trusted else ""


def local_path(uri: str) -> str:
    """The absolute path that a ``file:`` URI names; empty for any other URI."""
    path = to_fs_path(uri) if uri.startswith("file:") else None
    return os.path.normpath(path) if path else ""


def _deepest(path: str, folders: Iterable[str]) -> str:
    """The longest of ``folders`` that holds ``path``; empty if none does."""
    holding = [folder for folder in folders if PurePath(path).is_relative_to(folder)]
    return max(holding, key=len, default="")
