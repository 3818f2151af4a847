"""``python -m editd.workspace.builder ROOT TOKENIZER INDEX``: a project's files into an index file.

Runs as a separate process at low priority, so that reading, tokenising and sorting never delay the
one that decodes, and a crash here stays here. Tokens of unchanged files come from the existing index.
Prints one line of JSON about what it did, never any text of a file.
"""

from __future__ import annotations

import argparse
import contextlib
import functools
import hashlib
import json
import os
import sys
import threading
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Literal

import numpy as np
import numpy.typing as npt

from editd.decode.drafters.base import Codec
from editd.errors import EditdError
from editd.workspace import cache
from editd.workspace.index import Index, IndexedFile
from editd.workspace.index_file import About, FileTokens, write_index
from editd.workspace.rules import DEFAULT_LIMITS, Limits, readable_text
from editd.workspace.walk import Found, FoundFile, find_files, read_files

# A file changed this shortly before it was read may have changed once more within its file system's
# tick, so its stamp proves nothing (what git calls racily clean).
_RACY_NS = 2_000_000_000
_NO_TOKENS = np.zeros(0, np.uint32)


@dataclass(frozen=True, slots=True)
class Built:
    """How a build went. ``left``: files that another build must read; ``left_out``: over limits."""

    state: Literal["built", "unchanged", "failed"]
    files: int = 0
    tokens: int = 0
    nbytes: int = 0
    tokenised: int = 0
    left: int = 0
    left_out: int = 0
    seconds: float = 0.0
    message: str = ""


def build(
    root: Path,
    path: Path,
    identity: str,
    open_codec: Callable[[], Codec],
    *,
    limits: Limits = DEFAULT_LIMITS,
    seconds: float = 20.0,
) -> Built:
    """Bring the index file ``path`` up to date with ``root``.

    seconds: of tokenising; the files changed last come first, the next build goes on from there.
    """
    started = time.monotonic()
    cache.make_private(path.parent)
    with cache.only_builder(path):
        cache.forget_old(path.parent)
        reading = _Reading(path, identity, functools.cache(open_codec), seconds)
        about = About(str(root), identity, built_ns=time.time_ns())
        # 1) which files count, and which of them have changed
        found = find_files(root, limits)
        known = {file.path: reading.kept(file) for file in found.files}
        changed = [file for file in reversed(found.files) if known[file.path] is None]
        # 2) their tokens, the files changed last first
        for file, content in read_files(root, reading.in_time(changed), limits):
            known[file.path] = reading.read(file, content)
        files = [tokens for tokens in known.values() if tokens is not None]
        left = len(changed) - reading.begun
        # 3) one file of them all
        if reading.is_old_news(files) and not left:
            cache.mark_used(path)
        else:
            write_index(path, replace(about, left=left), files, reading.newlines(files))
            reading.written = True
    return Built(
        "built" if reading.written else "unchanged",
        files=sum(len(file.token_ids) > 0 for file in files),
        tokens=sum(len(file.token_ids) for file in files),
        nbytes=path.stat().st_size,
        tokenised=reading.tokenised,
        left=left,
        left_out=found.left_out,
        seconds=round(time.monotonic() - started, 3),
        message=_too_large(found, limits),
    )


def _too_large(found: Found, limits: Limits) -> str:
    """One sentence where a project is larger than an index may be, else nothing."""
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


class _Reading:
    """Tokens of files, taken from the index that is there wherever a file has not changed."""

    def __init__(
        self, path: Path, identity: str, open_codec: Callable[[], Codec], seconds: float
    ) -> None:
        self.begun = 0
        self.tokenised = 0
        self.written = False
        self._open_codec = open_codec
        self._deadline = time.monotonic() + seconds
        self._old = Index.open_if_whole(path, identity)
        self._before: dict[str, IndexedFile] = {}
        if self._old is not None:
            self._before = {file.path: file for file in self._old.files()}

    def kept(self, file: FoundFile) -> FileTokens | None:
        """The file's tokens if its stamp proves that they are its tokens still."""
        before = self._before.get(file.path)
        if before is None or before.stamp != file.stamp:
            return None
        built_ns = self._old.built_ns if self._old is not None else 0
        changed_ns = max(file.stamp.mtime_ns, file.stamp.ctime_ns)
        return self._old_tokens(before) if changed_ns < built_ns - _RACY_NS else None

    def in_time(self, files: Iterable[FoundFile]) -> Iterator[FoundFile]:
        """The files that there is time for, the first one in any case."""
        for file in files:
            if self.begun and time.monotonic() > self._deadline:
                return
            self.begun += 1
            yield file

    def read(self, file: FoundFile, content: bytes) -> FileTokens:
        """The file's tokens; none if it does not count."""
        digest = hashlib.blake2b(content, digest_size=16).hexdigest()
        before = self._before.get(file.path)
        if before is not None and before.digest == digest:
            return replace(self._old_tokens(before), stamp=file.stamp)
        text = readable_text(content)
        if text is None:
            return FileTokens(file.path, file.stamp, digest, _NO_TOKENS)
        self.tokenised += 1
        token_ids = np.array(self._open_codec().encode(text), np.uint32)
        return FileTokens(file.path, file.stamp, digest, token_ids)

    def is_old_news(self, files: Sequence[FileTokens]) -> bool:
        """Whether the index that is there says all this, from a build that left nothing."""
        if self._old is None or self._old.left:
            return False
        before = {path: file.digest for path, file in self._before.items()}
        return before == {file.path: file.digest for file in files}

    def newlines(self, files: Sequence[FileTokens]) -> npt.NDArray[np.uint8]:
        """How many line ends there are in each token that occurs, by its id."""
        used = sorted({int(i) for file in files for i in np.unique(file.token_ids)})
        counts = np.zeros(used[-1] + 1 if used else 1, np.uint8)
        for token_id in used:
            counts[token_id] = min(self._open_codec().token_bytes(token_id).count(b"\n"), 255)
        return counts

    def _old_tokens(self, file: IndexedFile) -> FileTokens:
        old = self._old
        tokens = _NO_TOKENS if old is None else old.tokens(file.start, file.num_tokens)
        return FileTokens(file.path, file.stamp, file.digest, tokens)


def main(arguments: Sequence[str] | None = None) -> int:
    """Build, and report the result."""
    parser = argparse.ArgumentParser(prog="python -m editd.workspace.builder")
    parser.add_argument("root", type=Path)
    parser.add_argument("tokenizer", type=Path, help="folder with a tokenizer.json")
    parser.add_argument("index", type=Path, help="index file to write")
    parser.add_argument("--seconds", type=float, default=20.0, help="of tokenising, at most")
    parser.add_argument("--attended", action="store_true", help="end when standard input does")
    parsed = parser.parse_args(arguments)
    if parsed.attended:
        threading.Thread(target=_end_with_parent, daemon=True).start()
    with contextlib.suppress(OSError):
        os.nice(10)
    built = _built(parsed.root, parsed.tokenizer, parsed.index, parsed.seconds)
    print(json.dumps(asdict(built)))
    return 0 if built.state != "failed" else 1


def _built(root: Path, tokenizer: Path, path: Path, seconds: float) -> Built:
    from editd.models.folder_codec import codec_in

    try:
        identity = cache.tokenizer_identity(tokenizer)
        return build(root, path, identity, lambda: codec_in(tokenizer), seconds=seconds)
    except EditdError as error:
        return Built("failed", message=str(error))
    except OSError as error:
        return Built("failed", message=f"{error.strerror or type(error).__name__}.")
    except Exception as error:  # noqa: BLE001 - its words might quote a file
        return Built("failed", message=f"{type(error).__name__} while indexing.")


def _end_with_parent() -> None:
    sys.stdin.buffer.read()
    os._exit(1)


if __name__ == "__main__":
    sys.exit(main())
