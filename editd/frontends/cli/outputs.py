"""The outputs of an edit, one class for each mode: all get the edit's messages in turn, and write what the mode shows.

The coloured diff of a terminal is in ``terminal_diff``. The figures of an edit are a line with the names of
``messages.reports``.
"""

from __future__ import annotations

import asyncio
import dataclasses
import sys
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

from editd.diff.edits import to_replacements, unified
from editd.diff.hunk import Hunk, Keep, Op, notes, with_lines
from editd.errors import EditdError, EditRefused
from editd.files.encoding import encode
from editd.files.replacing import Source, replace_texts
from editd.frontends.cli.console import (
    make_console,
    printable,
    say,
    visible,
    write_bytes,
    write_json,
    write_text,
)
from editd.frontends.cli.inputs import place_of
from editd.messages import Delta, EditResult, Progress
from editd.messages.reports import Stats
from editd.outcome import outcome_of

if TYPE_CHECKING:
    from rich.console import Console

PATIENCE = 3.0  # seconds of silence before a message
_WORTH_TELLING = 0.1  # seconds


class EditOutput:
    """The base of all outputs: its methods are called with everything about each edit in turn. Errors are said
    elsewhere.

    together: nothing is written before all edits are done. waiting: shows that nothing can be written yet.
    """

    together = False

    def __init__(self) -> None:
        self.waiting = Waiting()

    def wait(self, source: Source, text: str) -> None:
        """Show that nothing can be written yet; ``text``: why."""
        self.waiting.show(f"{source.name or 'standard input'}: {text}")

    def started(self, source: Source) -> None:
        """Take note that an edit of ``source`` is about to be requested."""

    def progress(self, progress: Progress) -> None:
        """Take the progress before the first hunk."""

    def delta(self, delta: Delta) -> None:  # noqa: ARG002
        """Take more of the change, and stop showing that there is nothing."""
        self.waiting.stop()

    def finished(self, source: Source, result: EditResult, new_text: str) -> int:
        """Write an edit that has a text; returns the exit code. May raise ``EditdError`` to refuse it; ``failed``
        follows.
        """
        raise NotImplementedError

    async def decide(self, source: Source, result: EditResult) -> str:  # noqa: ARG002
        """Ask a person about a finished edit, if this output does that; returns a sentence to refine it with, else empty.

        May raise ``EditdError``.
        """
        return ""

    def failed(self, given: str, error: EditdError, result: EditResult | None) -> None:
        """Take an edit without a text; ``result``: the engine's answer, if there was one."""

    def concluded(self, *, failed: bool) -> int:  # noqa: ARG002
        """Write what was put off until all edits are done; returns the exit code. May raise ``EditdError``.

        failed: whether some edit failed.
        """
        return 0


def remarks(result: EditResult) -> Iterator[tuple[str, str]]:
    """Sentences about an answer, each with a style of rich's: the notices, the hunks' notes, then its suspicions
    (``doubts``); they begin with ``note:``, suspicions with ``suspect:``, unless one only repeats the summary.
    """
    yield from ((f"note: {notice}", "cyan") for notice in result.notices)
    yield from ((f"note: {note}", "dim") for note in notes(result.hunks))
    for doubt in doubts(result):
        is_whole = doubt == result.summary  # of a reading none of whose changes has a mark
        yield (f"note: {doubt}", "dim") if is_whole else (f"suspect: {doubt}", "yellow")


def warn_of_doubts(result: EditResult) -> None:
    """Say all ``remarks``."""
    for remark, _ in remarks(result):
        say(remark)


def _comment(source: Source, result: EditResult) -> None:
    """Write all ``remarks`` to standard error; for an answer without hunks, before them, that the text stays as it
    is, with the summary as the reason.
    """
    if not result.hunks:
        reason = result.summary or "There is nothing to change."
        say(f"{source.name or 'standard input'} stays as it is. {reason}")
    warn_of_doubts(result)


class Waiting:
    """Shows a text between ``show`` and ``stop``; this class shows nothing."""

    def show(self, text: str) -> None:
        """Begin to wait, or show another text."""

    def stop(self) -> None:
        """Stop waiting."""


class Spinner(Waiting):
    """Shows the text on a moving line below the output of ``console``."""

    def __init__(self, console: Console) -> None:
        self._status = console.status("starting")
        self._visible = console.is_terminal and not console.is_dumb_terminal

    def show(self, text: str) -> None:
        """Start the spinning line, or change its text; does nothing unless standard error is a terminal."""
        from rich.text import Text

        if self._visible:
            self._status.update(Text(visible(text)))
            self._status.start()

    def stop(self) -> None:
        """Remove the line."""
        self._status.stop()


class DelayedSentence(Waiting):
    """Says the last text once on standard error, after ``PATIENCE`` seconds."""

    def __init__(self) -> None:
        self._text = ""
        self._timer: asyncio.TimerHandle | None = None

    def show(self, text: str) -> None:
        """Start a timer that says the text once on standard error after three seconds; until ``stop`` later calls
        only change the text that it will say. Needs a running event loop.
        """
        self._text = text
        if self._timer is None:
            loop = asyncio.get_running_loop()
            self._timer = loop.call_later(PATIENCE, lambda: say(f"no answer yet: {self._text}."))

    def stop(self) -> None:
        """Stop the timer, so that it says nothing any more; the next ``show`` starts another."""
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None


def waiting() -> Waiting:
    """Make what shows on standard error that nothing can be written yet: a moving line on a terminal, else a sentence."""
    return Spinner(make_console(stderr=True)) if sys.stderr.isatty() else DelayedSentence()


def describe(progress: Progress) -> str:
    """The message of ``progress``, or its stage if that is empty, as a line; with its percentage if that is known and
    the line has no ``%``.
    """
    text = progress.message or progress.stage
    if progress.fraction is not None and "%" not in text:
        text += f" {progress.fraction:.0%}"
    return text


class WholeText(EditOutput):
    """Writes the whole new text, and nothing else, to standard output."""

    def finished(self, source: Source, result: EditResult, new_text: str) -> int:
        """Write the text to standard output in the source's encoding, and say remarks on standard error; returns 0.
        Raises ``EditFailed`` if the encoding cannot hold it, ``OutputLost`` or ``BrokenPipeError``.
        """
        write_bytes(encode(new_text, source.encoding, source.name or source.shown_name))
        _comment(source, result)
        return 0


class PatchOutput(EditOutput):
    """Writes a patch to standard output; those of several texts together are one patch."""

    def finished(self, source: Source, result: EditResult, new_text: str) -> int:  # noqa: ARG002
        """Write the patch to standard output in the source's encoding, with ``?`` for characters that this cannot
        hold (UTF-16 and UTF-32: in UTF-8, with a warning), and remarks to standard error; returns 0. Raises
        ``OutputLost`` or ``BrokenPipeError``.

        Without a change the patch is empty, and a sentence on standard error says so.
        """
        patch = unified(result.hunks, source.text, _path(source))
        if source.encoding.startswith(("utf-16", "utf-32")):
            write_bytes(patch.encode())
            if patch:
                say(
                    f"{source.shown_name} is {source.encoding.upper()}; its diff is for reading only."
                )
        else:
            write_bytes(patch.encode(source.encoding, "replace"))
        _comment(source, result)
        return 0


def _path(source: Source) -> str:
    """The name in the patch: a file's relative to the current directory, or absolute without the leading ``/``; for
    standard input the name shown to the model, else ``stdin``.
    """
    if source.file is None:
        return source.name or "stdin"
    return place_of(source.shown_name).as_posix().lstrip("/")


class Check(EditOutput):
    """Writes a line for each text; the exit code is 1 if the answer would change it."""

    def finished(self, source: Source, result: EditResult, new_text: str) -> int:
        """Write a line to standard output that says whether the text would change, and remarks to standard error;
        returns 1 if it would, else 0. Writes no file.
        """
        changed = new_text != source.text
        name = visible(source.name or "standard input")
        write_text(
            f"would change {name}: {change(result)}\n" if changed else f"{name}: unchanged\n"
        )
        warn_of_doubts(result)
        return int(changed)


class InPlace(EditOutput):
    """Writes answers without suspects into files that have not changed meanwhile.

    together: all at the end, or none.
    """

    def __init__(self, *, allow_suspect: bool, together: bool = False) -> None:
        super().__init__()
        self.together = together
        self._allow_suspect = allow_suspect
        self._answers: list[tuple[Source, EditResult, str]] = []  # that are not written yet

    def finished(self, source: Source, result: EditResult, new_text: str) -> int:
        """Write the file, or only remember it if ``together``; returns the exit code 0. Raises ``EditRefused``, and
        remembers nothing, for an answer with ``doubts``, unless suspect ones are allowed, and as ``concluded``.
        """
        found = doubts(result)
        if found and not self._allow_suspect:
            why = f"because the answer is suspect: {'; '.join(found).rstrip('.')}"
            if found == [result.summary]:  # no change has a mark
                why = "because this is the likeliest reading of the paste, and not the only one"
            raise EditRefused(
                f"{source.shown_name} was not written, {why}. "
                "Look at it with --diff; --allow-suspect writes it anyway."
            )
        self._answers.append((source, result, new_text))
        return 0 if self.together else self.concluded(failed=False)

    def concluded(self, *, failed: bool) -> int:
        """Write those of the remembered files whose text changed, all or none, and say on standard error the remarks
        and a line about each file, also an unchanged one. Forgets the files. Returns the exit code: 1 if ``failed``,
        else 0.

        failed: some edit failed, so nothing is written, which is said if some text would have changed. Raises
        ``EditRefused`` if a file has changed meanwhile, and ``EditFailed`` if one cannot be encoded or written.
        """
        answers, self._answers = self._answers, []
        if failed:
            if any(new_text != source.text for source, _, new_text in answers):
                say("nothing was written, because the changes of all files belong together.")
            return 1
        replace_texts([(source, text) for source, _, text in answers if text != source.text])
        for source, result, new_text in answers:
            warn_of_doubts(result)
            verb = "wrote" if new_text != source.text else "left"
            done = f"{verb} {source.shown_name}: {change(result)}; {figures(result.stats)}."
            say(f"{done} {result.summary}".rstrip())
        return 0


class JsonObject(EditOutput):
    """Writes an object for each text on a line of its own."""

    def finished(self, source: Source, result: EditResult, new_text: str) -> int:  # noqa: ARG002
        """Write the object of an edit with a text."""
        write_json(record(source.shown_name, result, None, source.text))
        return 0

    def failed(self, given: str, error: EditdError, result: EditResult | None) -> None:
        """Write the object of an edit without a text."""
        write_json(record(given, result, error))


def record(
    given: str, result: EditResult | None, error: EditdError | None, text: str = ""
) -> dict[str, Any]:
    """The object of docs/reference/cli.md; it has the same keys whether the edit has a text or an error."""
    answer = result or EditResult("", "error")
    return {
        "path": printable(given),
        "finish_reason": outcome_of(error).finish_reason if error else answer.finish_reason,
        "text": answer.text if error is None else None,
        "edits": [dataclasses.asdict(edit) for edit in to_replacements(answer.hunks, text)],
        "hunks": [dataclasses.asdict(hunk) for hunk in answer.hunks],
        "suspects": list(answer.suspects),
        "notices": list(answer.notices),
        "summary": answer.summary,
        "ways": [dataclasses.asdict(way) for way in answer.ways],
        "stats": dataclasses.asdict(answer.stats),
        "model": answer.model,
        "error": None if error is None else {"code": error.code, "message": str(error)},
    }


class Stream(EditOutput):
    """Writes events as NDJSON: ``start``, ``progress``, ``delta``, and as each text's last one ``result``, the object
    of ``--json``.
    """

    def __init__(self) -> None:
        super().__init__()
        self._path = ""

    def started(self, source: Source) -> None:
        """Write the event ``start``."""
        self._path = printable(source.shown_name)
        write_json({"event": "start", "path": self._path})

    def progress(self, progress: Progress) -> None:
        """Write the event ``progress`` to standard output as one JSON object, with the text's path."""
        event = dataclasses.asdict(progress)
        del event["request_id"], event["regions"]
        write_json({"event": "progress", "path": self._path, **event})

    def delta(self, delta: Delta) -> None:
        """Write the event ``delta``."""
        ops = [_op(op) for op in delta.ops]
        write_json({"event": "delta", "path": self._path, "seq": delta.seq, "ops": ops})

    def finished(self, source: Source, result: EditResult, new_text: str) -> int:  # noqa: ARG002
        """Write the event ``result`` of an edit with a text."""
        write_json({"event": "result", **record(source.shown_name, result, None, source.text)})
        return 0

    def failed(self, given: str, error: EditdError, result: EditResult | None) -> None:
        """Write the event ``result`` of an edit without a text."""
        write_json({"event": "result", **record(given, result, error)})


def _op(op: Op) -> dict[str, Any]:
    """An operation as plain values."""
    return {"keep": op.count} if isinstance(op, Keep) else {"hunk": dataclasses.asdict(op)}


def figures(stats: Stats) -> str:
    """The figures in a line, for example ``412 tokens in 9 rounds, 45.8 tokens per round, 389 of 402 draft …``, with
    the times of the first hunk and of a load of at least 0.1 s; of an edit that words or a merge made alone only its
    time.
    """
    if stats.written_by in ("text", "words"):
        return f"in {duration(stats.total_seconds)}"
    parts = list(work(stats))
    if stats.written_by == "text+model":
        parts.insert(0, "unambiguous parts merged by text")
    if stats.first_hunk_ms is not None:
        parts.append(f"first hunk after {duration(stats.first_hunk_ms / 1000)}")
    if stats.tokens_per_second is not None:
        parts.append(f"{stats.tokens_per_second:.0f} tokens/s")
    if stats.load_seconds >= _WORTH_TELLING:
        parts.append(f"{duration(stats.load_seconds)} to load the model")
    return ", ".join(parts)


def work(stats: Stats) -> Iterator[str]:
    """The counts of written tokens, rounds and accepted draft tokens as phrases, those that are known; the first is
    “written by a server” if the number of written tokens is not.
    """
    if stats.output_tokens is None:
        yield "written by a server"
    elif stats.rounds is None:
        yield count(stats.output_tokens, "token")
    else:
        yield f"{stats.output_tokens:,} tokens in {count(stats.rounds, 'round')}"
    if stats.tokens_per_round is not None:
        yield f"{stats.tokens_per_round:.1f} tokens per round"
    if stats.accepted is not None and stats.drafted is not None:
        yield f"{stats.accepted:,} of {stats.drafted:,} draft tokens accepted"


def change(result: EditResult) -> str:
    """The size of the change, for example ``2 hunks, +5 -3`` (lines); ``unchanged`` without hunks."""
    return change_of(result.hunks) if result.hunks else "unchanged"


def change_of(hunks: Sequence[Hunk], part: str = "") -> str:
    """The size of a change of these hunks: ``2 hunks, +3 -1`` (lines). part: put after their number, for example ``of
    3`` with a blank before it.
    """
    added = sum(len(hunk.new_lines) for hunk in hunks)
    removed = sum(hunk.old_count for hunk in hunks)
    number = f"{len(hunks)}{part} hunks" if part else count(len(hunks), "hunk")
    return f"{number}, +{added} -{removed}"


def doubts(result: EditResult) -> list[str]:
    """The reasons why an answer is suspect: those of single hunks, as ``with_lines`` writes them with lines of the old
    text, then those of the answer that no hunk has. Empty if it is not suspect.
    """
    on_lines = with_lines(
        (hunk.start, hunk.suspect) for hunk in result.hunks if hunk.suspect is not None
    )
    on_hunks = {hunk.suspect for hunk in result.hunks}
    return on_lines + [doubt for doubt in result.suspects if doubt not in on_hunks]


def other_ways(result: EditResult) -> str:
    """A sentence with the other ways, for example ``Another way: --way model (ask the model).``; empty without any."""
    ways = ", ".join(
        f"--way {way.name} ({way.title[0].lower()}{way.title[1:]})" for way in result.ways
    )
    return f"Another way: {ways}." if ways else ""


def count(number: int, noun: str) -> str:
    """A number with its noun."""
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"


def duration(seconds: float) -> str:
    """Seconds as people read them: ``3.2 ms`` below 9.5 ms, ``120 ms`` below a second, else ``1.25 s``."""
    if seconds < 0.0095:
        return f"{seconds * 1000:.1f} ms"
    return f"{seconds * 1000:.0f} ms" if seconds < 1 else f"{seconds:.2f} s"
