"""Carries out an agent's tool call: find the file, lock it, read it, edit it, write it, report the outcome."""

from __future__ import annotations

import asyncio
import json
import stat
from collections.abc import Sequence
from contextlib import AsyncExitStack
from dataclasses import dataclass, fields, replace
from pathlib import Path
from time import monotonic
from typing import Any
from urllib.parse import unquote, urlsplit
from uuid import uuid4
from weakref import WeakValueDictionary

from editd.apply.readers.by_similar_lines import nearest_region
from editd.daemon.engine_client import EngineClient
from editd.diff.document import Document
from editd.diff.edits import unified
from editd.diff.hunk import Hunk, notes
from editd.errors import EditdError, EditRefused, UsageError
from editd.files.encoding import decode
from editd.files.replacing import Source, replace_texts
from editd.frontends.checked_edit import OnProgress, checked_edit
from editd.frontends.mcp.tools import Call, TextEdit
from editd.messages import EditRequest, EditResult
from editd.messages.options import EditOptions
from editd.outcome import DONE, DOUBTFUL, UNCHANGED, Outcome, outcome_of

_MOST_BYTES = 16 << 20
_MOST_DIFF = 4000  # characters of a diff in the text; the structured result has all of it


class Folders:
    """The folders whose files may be edited; relative paths are relative to the first."""

    def __init__(self, given: Sequence[str | Path]) -> None:
        """given: paths, by default the current folder. Raises ``UsageError`` for a path that is no folder, and without
        paths if the current folder is ``/``.

        Many agents start their servers in ``/``, where nobody means all of the disk.
        """
        if not given and Path.cwd() == Path(Path.cwd().anchor):
            raise UsageError(
                "editd mcp was started in /, and edits no files there: name the folder whose files may be edited, such as "
                "`editd mcp ~/project`."
            )
        self.roots = tuple(dict.fromkeys(_folder(Path(name)) for name in given or (".",)))

    def find(self, given: str) -> Path:
        """The file at a path (relative to the first folder) or ``file:`` URI, links resolved. Raises ``UsageError``
        if it is missing, no regular file, outside of all folders (then nothing else is reported about it), or hidden
        or secret by the name of it or of a folder below the root; for an empty path, and for a URI of another
        machine.

        Of a path that denotes no file, backslashes stand for slashes.
        """
        if not given or "\0" in given:
            raise UsageError("The path is empty or contains a NUL.")
        path = Path(_path_of(given))
        if "\\" in given and not (self.roots[0] / path).exists():
            path = Path(_path_of(given).replace("\\", "/"))
        path = path if path.is_absolute() else self.roots[0] / path
        try:
            file = path.resolve(strict=True)
            mode = file.stat().st_mode
        except FileNotFoundError:
            self._inside(
                path.resolve(), given
            )  # of a path outside nothing is reported, not even this
            raise UsageError(
                f"{given}: no such file. This tool edits existing files: create new ones with "
                "your own tool."
            ) from None
        except (OSError, RuntimeError) as error:
            self._inside(Path(path.absolute()), given)
            raise UsageError(f"{given} cannot be read ({error}).") from error
        below = self._inside(file, given)
        if hidden := next((part for part in below.parts if part.startswith(".")), None):
            raise UsageError(f"{given} is not edited, because {hidden} is hidden.")
        if any(map(_looks_secret, below.parts)):
            raise UsageError(f"{given} is not edited, because its name looks like a secret's.")
        if not stat.S_ISREG(mode):
            raise UsageError(f"{given} is not a regular file.")
        return file

    def shown(self, file: Path) -> str:
        """The file's path below its folder, as the agent is shown it."""
        return self._inside(file, str(file)).as_posix()

    def root_of(self, file: Path) -> Path:
        """The first root that holds a file that ``find`` returned."""
        return next(root for root in self.roots if file.is_relative_to(root))

    def _inside(self, file: Path, given: str) -> Path:
        """The file's path relative to the first root that holds it. Raises ``UsageError``, with ``given`` as its name,
        if it is outside all of them.
        """
        for root in self.roots:
            if file.is_relative_to(root):
                return file.relative_to(root)
        roots = ", ".join(map(str, self.roots))
        raise UsageError(f"{given} is outside the folders that may be edited ({roots}).")


def _folder(path: Path) -> Path:
    """The folder at a path, ``~`` and links resolved. Raises ``UsageError`` if there is none."""
    try:
        folder = path.expanduser().resolve(strict=True)
    except (OSError, RuntimeError) as error:
        raise UsageError(f"{path} is not a folder.") from error
    if not folder.is_dir():
        raise UsageError(f"{path} is not a folder.")
    return folder


def _path_of(given: str) -> str:
    """The path that a ``file:`` URI of this machine denotes, its escapes read; any other text as it is. Raises
    ``UsageError`` for a URI of another machine, or with an escaped NUL.
    """
    if not given.lower().startswith("file:"):
        return given
    uri = urlsplit(given)
    if uri.netloc not in ("", "localhost"):
        raise UsageError(f"{given} is on another machine: give a path on this one.")
    path = unquote(uri.path)
    if "\0" in path:
        raise UsageError("The path is empty or contains a NUL.")
    return path


def _looks_secret(name: str) -> bool:
    """Whether a file of that name probably holds secrets."""
    from editd.workspace.walk import looks_secret  # it loads psutil

    return looks_secret(name)


@dataclass(frozen=True, slots=True)
class ToolResult:
    """The result of a tool, with the fields of the tools' output schema.

    outcome: the row that names its status.
    """

    outcome: Outcome
    path: str
    added: int = 0
    removed: int = 0
    diff: str = ""
    milliseconds: int = 0
    written_by: str | None = None
    summary: str = ""
    notes: tuple[str, ...] = ()
    ways: tuple[str, ...] = ()
    doubts: tuple[str, ...] = ()
    message: str = ""

    def structured(self) -> dict[str, Any]:
        """The fields as a mapping for ``structuredContent``, with ``status``, the outcome's word for tools, in place
        of ``outcome``.
        """
        values = {field.name: getattr(self, field.name) for field in fields(self)}
        del values["outcome"]
        return {"status": self.outcome.tool_status, **values}

    def text(self) -> str:
        """The result for a model to read: message, figures, notes, other ways, and the diff in a fence, of which the
        whole lines in the first 4,000 characters are shown; the message alone without a diff.
        """
        if not self.diff:
            return self.message
        shown = self.diff
        if len(shown) > _MOST_DIFF:
            whole_lines = shown[:_MOST_DIFF].rpartition("\n")[0]
            shown = f"{whole_lines}\n(the rest of the diff is left out)\n"
        fence = "```"
        while fence in shown:
            fence += "`"
        counts = (
            f"+{self.added} -{self.removed} lines, {self.milliseconds} ms, by {self.written_by}"
        )
        lines = [f"{self.message} {self.summary}".rstrip(), counts]
        lines += [f"Worth a look: {note}" for note in self.notes]
        if self.ways:
            lines.append(f"Other values of way for this edit: {', '.join(self.ways)}.")
        return "\n".join(lines) + f"\n\n{fence}diff\n{shown}{fence}"


class FileEditor:
    """Carries calls out, one at a time for each file."""

    def __init__(self, folders: Folders, engine: EngineClient, options: EditOptions) -> None:
        self._folders = folders
        self._engine = engine
        self._options = options
        self._locks: WeakValueDictionary[Path, asyncio.Lock] = WeakValueDictionary()

    async def carry_out(self, call: Call, on_progress: OnProgress | None = None) -> ToolResult:
        """Carry a call out, writing files if it asks for that, and return its result; an ``EditdError`` becomes a
        result that says so, with advice, and nothing is written then. Waits for other calls about the same files.
        """
        started = monotonic()
        try:
            if call.edits:
                return await self._replace(call, started)
            file = self._folders.find(call.path)
            async with self._locks.setdefault(file, asyncio.Lock()):
                return await self._edit(call, file, started, on_progress)
        except EditdError as error:
            return ToolResult(
                outcome_of(error),
                call.path,
                milliseconds=_since(started),
                message=f"{error} Nothing was written.{_advice(call, error)}",
            )

    async def _edit(
        self, call: Call, file: Path, started: float, on_progress: OnProgress | None
    ) -> ToolResult:
        """Read, edit and write a file; the file has to be locked. Writes nothing in a dry run, if nothing changes, or
        if hunks are marked suspect and ``call.doubt`` is ``ask``; the result says which.

        started: when the call came, by ``monotonic``. Raises the ``EditdError`` of a step that fails.
        """
        shown = self._folders.shown(file)
        source = _read(file, shown)
        result = await self._result(call, source.text, shown, file, on_progress)
        assert result.text is not None  # noqa: S101  or it had been refused
        if result.text == source.text:
            return ToolResult(
                UNCHANGED,
                shown,
                milliseconds=_since(started),
                written_by=result.stats.written_by,
                message=f"{shown} already contains the change; nothing was written.",
            )
        marked = [hunk for hunk in result.hunks if hunk.suspect]
        doubtful = bool(marked) and call.doubt == "ask"
        if not call.dry_run and not doubtful:
            replace_texts([(source, result.text)])
        done = f"{shown} would change" if call.dry_run else f"{shown} was changed"
        if doubtful:
            done = (
                f"Nothing was written: this is the best reading of the sketch for {shown}, and parts of "
                f'it could be read otherwise. If it is right, call again with doubt "accept"'
            )
        message = " ".join((f"{done}.", *result.notices, *map(_about, marked)))
        return ToolResult(
            DOUBTFUL if doubtful else DONE,
            shown,
            added=sum(len(hunk.new_lines) for hunk in result.hunks),
            removed=sum(hunk.old_count for hunk in result.hunks),
            diff=unified(result.hunks, source.text, shown),
            milliseconds=_since(started),
            written_by=result.stats.written_by,
            summary=result.summary,
            notes=tuple(notes(result.hunks)),
            ways=tuple(way.name for way in result.ways),
            doubts=result.suspects,
            message=message,
        )

    async def _replace(self, call: Call, started: float) -> ToolResult:
        """Make all edits of ``replace`` in all files, or none of them, with all files locked; writes nothing in a dry
        run, or if nothing changes.

        started: when the call came, by ``monotonic``. Raises as ``Folders.find``, ``_replaced`` and
        ``replace_texts``, before anything is written.
        """
        edits: dict[Path, list[TextEdit]] = {}
        for edit in call.edits:
            edits.setdefault(self._folders.find(edit.path), []).append(edit)
        async with AsyncExitStack() as locks:
            for file in sorted(edits):
                await locks.enter_async_context(self._locks.setdefault(file, asyncio.Lock()))
            changed = [(await self._replaced(file, own), file) for file, own in edits.items()]
            written = [
                (source, result.text or "")
                for (source, result), _ in changed
                if result.text != source.text
            ]
            if written and not call.dry_run:
                replace_texts(written)
        names = ", ".join(self._folders.shown(file) for file in edits)
        done = (
            "would change" if call.dry_run else "was changed" if len(edits) == 1 else "were changed"
        )
        hunks = [hunk for (_, result), _ in changed for hunk in result.hunks]
        return ToolResult(
            DONE if written else UNCHANGED,
            names,
            added=sum(len(hunk.new_lines) for hunk in hunks),
            removed=sum(hunk.old_count for hunk in hunks),
            diff="".join(
                unified(result.hunks, source.text, self._folders.shown(file))
                for (source, result), file in changed
            ),
            milliseconds=_since(started),
            written_by="text",
            notes=tuple(notes(hunks)),
            message=f"{names} {done}." if written else f"{names}: the change is there already.",
        )

    async def _replaced(self, file: Path, edits: Sequence[TextEdit]) -> tuple[Source, EditResult]:
        """The source of a file and the result of its edits, merged as text, without a model and without writing it.
        Raises ``EditRefused``, with the nearest lines, if they are refused or a hunk is suspect, as where an old text
        has no certain location, and ``UsageError`` if the file cannot be read.
        """
        shown = self._folders.shown(file)
        source = _read(file, shown)
        calls = [
            {"old_string": edit.old, "new_string": edit.new, "replace_all": edit.is_everywhere}
            for edit in edits
        ]
        request = EditRequest(
            uuid4().hex,
            source.text,
            "",
            path=shown,
            file=str(file),
            options=self._options,
            sketch=json.dumps({"edits": calls}),
            merge="text",
        )
        try:
            result = await checked_edit(self._engine, request, None, accept_marked=True)
        except EditRefused as error:
            raise _not_located(str(error), source, edits) from error
        if marked := [hunk for hunk in result.hunks if hunk.suspect]:
            raise _not_located(" ".join(map(_about, marked)), source, edits)
        return source, result

    async def _result(
        self, call: Call, text: str, path: str, file: Path, on_progress: OnProgress | None
    ) -> EditResult:
        """Ask for the edit of a file's text, by the call's sketch or instruction. Unless ``call.doubt`` is
        ``refuse``, a merge may have hunks marked suspect. Raises as ``checked_edit``, and ``UsageError`` for lines
        beyond the text's end.

        text: of the file. path: its name for the model. file: its path on this machine.
        """
        start, end = _lines(call.lines, text)
        request = EditRequest(
            uuid4().hex,
            text,
            call.instruction,
            path=path,
            file=str(file),
            start_line=start,
            end_line=end,
            options=replace(self._options, way=call.way),
            sketch=call.sketch,
            merge="certain" if call.doubt == "refuse" else "auto",
            mention_root=str(self._folders.root_of(file)),
        )
        doubtful = call.doubt != "refuse"
        return await checked_edit(self._engine, request, on_progress, accept_marked=doubtful)


def _not_located(sentence: str, source: Source, edits: Sequence[TextEdit]) -> EditRefused:
    """Make an error (returned, not raised) with ``sentence`` and the lines of the file that resemble the first old
    text that it lacks, if one is lacking and some do.
    """
    missing = (edit.old for edit in edits if edit.old not in source.text)
    region = next(filter(None, (nearest_region(source.text, old) for old in missing)), "")
    shown = f"\nThe nearest lines of {source.shown_name}:\n{region}\n" if region else ""
    return EditRefused(f"{source.shown_name}: {sentence}{shown}")


def _about(hunk: Hunk) -> str:
    """A sentence on a suspect hunk."""
    return f"Line {hunk.start + 1}: {hunk.suspect}"


def _read(file: Path, shown: str) -> Source:
    """Read a file that was found, with its links resolved. Raises ``UsageError`` if it is above 16 MiB, unreadable or
    no text, or if a link has come into its path since.
    """
    try:
        status = file.stat()
        if status.st_size > _MOST_BYTES:
            raise UsageError(f"{shown} is larger than {_MOST_BYTES >> 20} MiB.")
        data = file.read_bytes()
        if file.resolve() != file:  # since it was found, while another call had it
            raise UsageError(f"{shown} cannot be read: a folder above it has become a link.")
    except OSError as error:
        raise UsageError(f"{shown} cannot be read: {error.strerror}.") from error
    text, encoding = decode(data, shown)
    return Source(shown, shown, file, data, text, encoding, status.st_mtime_ns, resolved=True)


def _lines(lines: tuple[int, int] | None, text: str) -> tuple[int | None, int | None]:
    """The lines ``lines`` (from 1, both included) as a request has them: 0-based, end exclusive; ``(None, None)`` for
    ``None``. Raises ``UsageError`` if they end beyond the text's end.
    """
    if lines is None:
        return None, None
    count = len(Document.of(text).lines)
    if lines[1] > count:
        raise UsageError(f"The range ends at line {lines[1]}, but the file has {count} lines.")
    return lines[0] - 1, lines[1]


def _advice(call: Call, error: EditdError) -> str:
    """A sentence, with a blank before it, on what the agent can do after ``error``, by the kind of call; empty for a
    ``UsageError``, whose own sentence tells it.
    """
    if isinstance(error, UsageError):
        return ""
    if call.edits:
        return " Copy the old text from the file, with lines around it until it stands only once."
    if call.sketch is not None:
        return (
            " Either give each change one or two unchanged lines that stand only once in the file, "
            "or make the change with your own edit tool."
        )
    return " Either name fewer lines (range), or make the change with edit_file."


def _since(started: float) -> int:
    """Milliseconds since ``started``."""
    return round(1000 * (monotonic() - started))
