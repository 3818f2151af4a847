"""Downloads of GGUF files from the Hugging Face hub into its cache, where llama.cpp and other programs find them, too.

The hub's answer names the size and the SHA-256 of each file. Both are checked while the file is read: a download that
broke off goes on where it was, and a file of other content is deleted. Knows the cache's layout and the names
``OWNER/REPOSITORY:FILE``; leaves safetensors, and the sentences for the hub's errors, to ``hub``.
"""

from __future__ import annotations

import fcntl
import hashlib
import os
import re
from collections.abc import Callable
from dataclasses import dataclass
from io import BufferedRandom
from pathlib import Path
from typing import Any

from editd import stores
from editd.errors import ModelDamaged, ModelError, ModelNotFound, ModelUnsupported
from editd.stores import hub

_REFERENCE = re.compile(r"([\w.-]+/[\w.-]+):([^:@\0]+)")
_DIGEST = re.compile(r"[0-9a-f]{64}")
_COMMIT = re.compile(r"[0-9a-f]{40,64}")
_CHUNK = 1 << 20
_MOST_NAMED = 12  # files, in a sentence


@dataclass(frozen=True, slots=True)
class HubFile:
    """A file of a repository: its path there, its bytes, and its SHA-256 in hexadecimal, by the hub's answer."""

    name: str
    nbytes: int
    sha256: str


@dataclass(frozen=True, slots=True)
class GgufPlan:
    """The files of one model that ``pull_gguf`` would fetch; more than one of a split model.

    requested: a branch, tag or commit. revision: the commit that it stands for now. root: the repository's folder in
    the cache.
    """

    repository: str
    requested: str
    revision: str
    files: tuple[HubFile, ...]
    root: Path

    @property
    def nbytes(self) -> int:
        """Bytes of all files."""
        return sum(file.nbytes for file in self.files)

    @property
    def missing_nbytes(self) -> int:
        """Bytes that are not on this disk yet."""
        return sum(file.nbytes - self._nbytes_here(file) for file in self.files)

    def blob(self, file: HubFile) -> Path:
        """The place of the file's content in the cache."""
        return self.root / "blobs" / file.sha256

    def link(self, file: HubFile) -> Path:
        """The path of the file in the cache's snapshot of the revision."""
        return self.root / "snapshots" / self.revision / file.name

    def _nbytes_here(self, file: HubFile) -> int:
        """Bytes of the file in the cache, of an unfinished download too; looks at the disk."""
        if self.blob(file).is_file():
            return file.nbytes
        unfinished = _unfinished(self.blob(file))
        return min(unfinished.stat().st_size, file.nbytes) if unfinished.is_file() else 0


def is_gguf_reference(name: str) -> bool:
    """Whether ``name`` has the form ``OWNER/REPOSITORY:FILE``, as ``plan_gguf`` takes it."""
    return _REFERENCE.fullmatch(name) is not None


def plan_gguf(reference: str, requested: str = "main") -> GgufPlan:
    """Ask the hub (network) for the GGUF file that ``reference`` names, and for the other parts of a split one;
    downloads nothing.

    reference: ``OWNER/REPOSITORY:FILE.gguf``, or ``OWNER/REPOSITORY:Q4_K_M`` for the only file of that quantisation.
    Raises ``ModelNotFound`` for another form, and if the repository has no such file or several, with the names of
    those that it has; ``ModelUnsupported`` if the hub names no SHA-256, ``ModelError`` for other failures, with a
    remedy.
    """
    found = _REFERENCE.fullmatch(reference)
    if found is None:
        raise ModelNotFound(f"{reference!r} is not of the form OWNER/REPOSITORY:FILE.gguf.")
    repository, file_or_label = found.groups()
    with hub.in_sentences(repository, requested):
        from huggingface_hub import HfApi

        api: Any = HfApi()
        info = api.model_info(repository, revision=requested, files_metadata=True)
    siblings: dict[str, Any] = {file.rfilename: file for file in info.siblings or []}
    names = _parts(_choose(repository, file_or_label, list(siblings)), list(siblings))
    return GgufPlan(
        repository,
        requested,
        _checked_commit(repository, str(info.sha)),
        tuple(_described(repository, siblings[name]) for name in names),
        hub.repository_folder(repository),
    )


def _choose(repository: str, label: str, names: list[str]) -> str:
    """The first or only file of the model that ``label`` names, in whatever case: a path, else a file's name (the first
    of several), else the only file, or the only one in one part, of a quantisation. names: the repository's paths.

    Raises ``ModelNotFound`` if there is none or several, with up to 12 of the names.
    """
    models = [
        name
        for name in names
        if name.lower().endswith(".gguf") and stores.begins_model(name) and _is_plain(name)
    ]
    if label.lower() in map(str.lower, models):
        return next(name for name in models if name.lower() == label.lower())
    if matching := [name for name in models if _base_name(name).lower() == label.lower()]:
        return matching[0]
    labelled = [name for name in models if _quantisation(name) == label.upper()]
    whole = [
        name for name in labelled if not stores.part_names(name)
    ]  # some have a file in parts, too
    if len(labelled) == 1 or len(whole) == 1:
        return (whole or labelled)[0]
    listed = labelled or models
    if not listed:
        raise ModelNotFound(f"{repository} has no GGUF files; those with “GGUF” in their name do.")
    shown = ", ".join(listed[:_MOST_NAMED]) + (", …" if len(listed) > _MOST_NAMED else "")
    raise ModelNotFound(
        f"{repository} has {'several files' if labelled else 'no file'} {label}; it has {shown}."
    )


def _base_name(name: str) -> str:
    """The last part of a path in a repository."""
    return name.rpartition("/")[2]


def _is_plain(name: str) -> bool:
    """Whether a path of the hub's answer leads nowhere but below the folder that it is put into."""
    return not name.startswith("/") and ".." not in name.split("/") and "\\" not in name


def _quantisation(name: str) -> str:
    """The quantisation in a file's name, with the prefix ``UD-`` if it has that, in capitals; empty if there is none."""
    labels = stores.quantisations(_base_name(name))
    return labels[-1].upper() if labels else ""


def _parts(first: str, names: list[str]) -> list[str]:
    """The files of the model whose first, or only, file is ``first``, in their order; parts that ``names`` lacks are
    left out.
    """
    existing = set(names)
    return [name for name in stores.part_names(first) if name in existing] or [first]


def _checked_commit(repository: str, commit: str) -> str:
    """``commit``, which becomes a folder's name. Raises ``ModelError`` for anything but a commit's digits."""
    if not _COMMIT.fullmatch(commit):
        raise ModelError(f"The hub names no commit of {repository}; try again later.")
    return commit


def _described(repository: str, sibling: Any) -> HubFile:
    """The file with its size and digest. Raises ``ModelUnsupported`` if the hub names no digest."""
    large = sibling.lfs
    digest = str(large.sha256 if large else "")
    if not _DIGEST.fullmatch(digest):
        raise ModelUnsupported(
            f"The hub names no SHA-256 of {sibling.rfilename} in {repository}, so it could not be checked: download it "
            "by other means and name its path."
        )
    return HubFile(sibling.rfilename, int(large.size), digest)


def pull_gguf(plan: GgufPlan, report: Callable[[int], object] = lambda _nbytes: None) -> Path:
    """Download the plan's files that are missing, put them into the cache and record the branch there; returns the path
    of the first file.

    report: called with the bytes that are on the disk, of all files together. Raises ``ModelError`` if the disk is too
    full or a download breaks off, which the next call continues, and ``ModelDamaged`` for content that is not what the
    hub named, which is deleted.
    """
    hub.check_space(plan.repository, plan.missing_nbytes, plan.root)
    done = 0
    with hub.in_sentences(plan.repository, plan.requested):
        for file in plan.files:
            base = done
            _fetch(plan, file, lambda nbytes, base=base: report(base + nbytes))  # type: ignore[misc]
            done += file.nbytes
        hub.set_branch(plan.root, plan.requested, plan.revision)
    return plan.link(plan.files[0])


def name_of(file: Path) -> str:
    """The name under which a file in the hub's cache is used: ``hf:OWNER/REPOSITORY:Q4_K_M``; its path if it has none."""
    place = file.parent.resolve() / file.name  # as stores are listed; the file itself is a link
    named = stores.with_unique_names(stores.stored_models("hf"))
    return next((name for stored, name in named if stored.file == place), str(file))


def _fetch(plan: GgufPlan, file: HubFile, report: Callable[[int], object]) -> None:
    """Download one file unless its content is in the cache, and link it into the snapshot (the revision's folder).

    Waits for another process that downloads the same file. report: called with this file's bytes so far. Raises
    ``ModelDamaged``, ``OSError`` and the errors of the hub's library; what was downloaded stays, but for damaged
    content.
    """
    blob, link = plan.blob(file), plan.link(file)
    blob.parent.mkdir(parents=True, exist_ok=True)
    link.parent.mkdir(parents=True, exist_ok=True)
    unfinished = _unfinished(blob)
    with unfinished.open("a+b") as opened:
        fcntl.flock(opened, fcntl.LOCK_EX)  # the system lets go of it, however the process ends
        if not blob.is_file():
            _download(plan, file, opened, report)
            unfinished.rename(blob)
    unfinished.unlink(missing_ok=True)
    if not link.exists():
        link.unlink(missing_ok=True)  # it may lead to a deleted file
        link.symlink_to(os.path.relpath(blob, link.parent))


def _unfinished(blob: Path) -> Path:
    """The place of a content that is not all there yet."""
    return blob.with_name(f"{blob.name}.editd-unfinished")


def _download(
    plan: GgufPlan, file: HubFile, opened: BufferedRandom, report: Callable[[int], object]
) -> None:
    """Read the missing bytes of ``file`` (network) into ``opened``, which holds its beginning, and check size and
    digest of all.

    report: called with the bytes so far. Raises ``ModelDamaged`` for another size or digest, and empties ``opened``
    then; and the errors of the hub's library.
    """
    from huggingface_hub import hf_hub_url
    from huggingface_hub.file_download import http_get  # the library's own downloads begin anew
    from huggingface_hub.utils import build_hf_headers  # type: ignore[attr-defined]  # documented there

    content = _CheckedFile(opened, report)
    if content.nbytes < file.nbytes:
        http_get(
            hf_hub_url(plan.repository, file.name, revision=plan.revision),
            content,  # type: ignore[arg-type]  # has all that is called
            resume_size=content.nbytes,
            headers=build_hf_headers(),
            expected_size=file.nbytes,
        )
    opened.flush()
    if content.nbytes != file.nbytes or content.digest() != file.sha256:
        opened.truncate(0)
        raise ModelDamaged(
            f"{file.name} came with other content than the hub names (SHA-256 {file.sha256[:12]}…) and was deleted: "
            "pull it again."
        )


class _CheckedFile:
    """A file to write that counts and digests its whole content, also what it held before.

    Has the methods that the hub's ``http_get`` calls: ``write``, ``tell``, ``seek`` and ``truncate``, the last two for a
    new start alone, at the file's beginning.
    """

    def __init__(self, opened: BufferedRandom, report: Callable[[int], object]) -> None:
        """Count and digest what ``opened`` holds, by reading all of it; its position is at the end then. report: called
        with the bytes so far.
        """
        self._opened, self._report = opened, report
        self._start()
        opened.seek(0)
        while chunk := opened.read(_CHUNK):
            self._count(chunk)

    def _start(self) -> None:
        """Forget what was counted."""
        self._hash, self.nbytes = hashlib.sha256(), 0

    def _count(self, chunk: bytes) -> None:
        """Count and digest ``chunk``, and report the bytes so far."""
        self._hash.update(chunk)
        self.nbytes += len(chunk)
        self._report(self.nbytes)

    def digest(self) -> str:
        """The SHA-256 of the content so far, in hexadecimal."""
        return self._hash.hexdigest()

    def write(self, chunk: bytes) -> int:
        """Append ``chunk`` to the file, count and digest it, and report the bytes so far; returns its length."""
        self._opened.write(chunk)
        self._count(chunk)
        return len(chunk)

    def tell(self) -> int:
        """The number of bytes so far."""
        return self.nbytes

    def seek(self, position: int) -> int:
        """Go back to the beginning and forget what was counted; returns 0. Raises ``ValueError`` for any other position."""
        if position:
            raise ValueError("a download can only start again at its beginning")
        self._start()
        return self._opened.seek(0)

    def truncate(self) -> int:
        """Delete the content after the position; returns the new length."""
        return self._opened.truncate()
