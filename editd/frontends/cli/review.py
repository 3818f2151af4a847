"""The questions after a diff on a terminal, in the manner of ``git add -p``: which hunks the file gets, or how to go on.

Knows letters, lines of standard input and which hunks were chosen. Drawing is left to ``terminal_diff``, replacing the file to
``files.replacing``, and asking the engine for a refinement to ``edit``.
"""

from __future__ import annotations

import asyncio
import os
import sys
import termios
from collections.abc import Mapping, Sequence

from editd.diff.edits import apply
from editd.diff.hunk import Hunk
from editd.errors import UsageError
from editd.files.replacing import Source, replace_texts
from editd.frontends.cli.inputs import check_writable
from editd.frontends.cli.outputs import change_of, count
from editd.frontends.cli.terminal_diff import Painter, Terminal
from editd.messages import EditResult

_OF_ALL = {
    "y": "write the change",
    "n": "leave the file as it is",
    "h": "decide hunk by hunk",
    "r": "refine the change with another sentence",
}
_OF_A_HUNK = {
    "y": "write this hunk",
    "n": "leave this hunk out",
    "a": "write this hunk and all after it that are not suspect",
    "q": "leave out this hunk and all after it",
}
_LINE_BYTES = 1 << 16  # more than a terminal gives at once
_NOTHING_WRITTEN = "Nothing was written."


class ReviewingTerminal(Terminal):
    """Draws an answer as ``Terminal`` does, then asks what of it to write.

    allow_suspect: suspect hunks are written with the others.
    """

    def __init__(self, *, allow_suspect: bool) -> None:
        super().__init__()
        self._allow_suspect = allow_suspect

    def can_decide(self, source: Source, result: EditResult) -> bool:
        """Whether ``decide`` has something to ask: the answer has hunks, and the text is of a file that can be
        written (``check_writable``).
        """
        if source.file is None or not result.hunks:
            return False
        try:
            check_writable(source.shown_name)
        except UsageError:
            return False
        return True

    async def decide(self, source: Source, result: EditResult) -> str:
        """Ask what of the answer to write (all, nothing, hunk by hunk), and write it; returns an empty string then,
        or the user's sentence that is to refine the answer. Asks nothing, and returns an empty string, unless
        ``can_decide``. Input that was typed before is discarded.

        The file stays as it is if the user says so, and at the end of input. Raises ``EditRefused`` if the file has
        changed since it was read, and ``EditFailed`` if it cannot be written.
        """
        if not self.can_decide(source, result):
            return ""
        trusted = self._trusted(result)
        letters = {
            letter: meaning
            for letter, meaning in _OF_ALL.items()
            if (letter != "y" or trusted)
            and (letter != "h" or len(result.hunks) > 1 or not trusted)
        }
        question = f"{_question_about(trusted, result.hunks)} to {source.shown_name}"
        _forget_typed_ahead()  # before there was anything to decide on
        while True:
            answer = await self._ask(question, letters)
            if answer == "r":
                if sentence := (await self._line("Refine: ") or "").strip():
                    return sentence
                continue
            chosen = trusted if answer == "y" else ()
            if answer == "h":
                chosen = await self._choose(source, result, trusted)
            self._write(source, result, chosen)
            return ""

    def _trusted(self, result: EditResult) -> Sequence[Hunk]:
        """The hunks that the answer ``y`` writes: all if the user allows suspects; else those that are not suspect,
        none if the answer as a whole has a suspicion that no hunk has.
        """
        if self._allow_suspect:
            return result.hunks
        if {*result.suspects} - {hunk.suspect for hunk in result.hunks}:
            return ()
        return [hunk for hunk in result.hunks if hunk.suspect is None]

    async def _choose(
        self, source: Source, result: EditResult, trusted: Sequence[Hunk]
    ) -> Sequence[Hunk]:
        """Draw and ask about one hunk after the other; returns the hunks to write, none at the end of input. The
        answers ``a`` (this hunk and those after it that are in ``trusted``) and ``q`` (no more) end the questions.
        Writes no file.
        """
        chosen: list[Hunk] = []
        for index, hunk in enumerate(result.hunks):
            shift = sum(len(earlier.new_lines) - earlier.old_count for earlier in chosen)
            self.draw(Painter(self.lines, shift).finish([hunk]))
            if hunk.suspect is not None:
                self.tell(f"suspect: {hunk.suspect}", "yellow")
            question = f"Write hunk {index + 1} of {len(result.hunks)} to {source.shown_name}"
            answer = await self._ask(question, _OF_A_HUNK)
            if answer is None:
                return ()
            if answer in ("y", "a"):
                chosen.append(hunk)
            if answer == "a":
                chosen += [later for later in result.hunks[index + 1 :] if later in trusted]
            if answer in ("a", "q"):
                break
        return chosen

    def _write(self, source: Source, result: EditResult, chosen: Sequence[Hunk]) -> None:
        """Write the file with the ``chosen`` hunks and say how many; without any, leave the file and say that nothing
        was written. Raises as ``replace_texts``.
        """
        if not chosen:
            self.tell(_NOTHING_WRITTEN, "dim")
            return
        replace_texts([(source, apply(chosen, source.text))])
        part = "" if len(chosen) == len(result.hunks) else f" of {len(result.hunks)}"
        self.tell(f"Wrote {source.shown_name}: {change_of(chosen, part)}.", "bold")

    async def _ask(self, question: str, letters: Mapping[str, str]) -> str | None:
        """Ask until the answer, without blanks and in lower case, is a key of ``letters``; returns it, ``None`` at
        the end of input. Other answers, also an empty one, print the letters with their meanings.
        """
        while True:
            line = await self._line(f"{question} [{','.join(letters)},?]? ")
            if line is None:
                return None
            answer = line.strip().lower()
            if answer in letters:
                return answer
            for letter, meaning in letters.items():
                self.tell(f"{letter} - {meaning}", "dim")

    async def _line(self, question: str) -> str | None:
        """Print the question and wait for a line of standard input; returns it with its line end, ``None`` at the end
        of input.
        """
        self.prompt(question)
        line = await _read_line()
        if not line:
            self.tell(" ")  # the cursor is still in the question's line
        return line or None


def _question_about(trusted: Sequence[Hunk], hunks: Sequence[Hunk]) -> str:
    """The beginning of a question about ``hunks``: whether to write the change, only the ``trusted`` ones of it if
    these are fewer, or, if none is trusted, the change although it is suspect.
    """
    if not trusted:
        return "Write this change, which is suspect,"
    if len(trusted) < len(hunks):
        return f"Write {len(trusted)} of {count(len(hunks), 'hunk')}, which are not suspect,"
    return "Write this change"


async def _read_line() -> str:
    """Wait for a line of the terminal that is standard input, without blocking the event loop; returns it with its
    line end, cut after 64 KiB, bytes that are no UTF-8 replaced; empty at its end.
    """
    loop, ready = asyncio.get_running_loop(), asyncio.Event()
    descriptor = sys.stdin.fileno()
    loop.add_reader(descriptor, ready.set)
    try:
        await ready.wait()
    finally:
        loop.remove_reader(descriptor)
    return os.read(descriptor, _LINE_BYTES).decode(errors="replace")


def _forget_typed_ahead() -> None:
    """Discard what was typed into the terminal before now."""
    termios.tcflush(sys.stdin.fileno(), termios.TCIFLUSH)
