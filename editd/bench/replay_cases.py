"""Edit cases from a JSONL file, and each as a transcript: prompt, known answer, a drafter's task.

A case's ``before`` and ``after`` are bytes as they were; what a model sees has LF line ends and no
BOM. The prompt has the order of every edit format: buffer, instruction, opened answer. A drafter's
task holds instruction and buffer alone; the answer stays with the scripted target.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from editd.decode.drafters.base import Codec, DraftTask
from editd.errors import UsageError

END_OF_ANSWER = -2
"""The end token that the scripted target chooses last; no draft can hold it."""

_SIZES = ((60, "< 60 lines"), (160, "60-159 lines"), (400, "160-399 lines"), (800, "400-799 lines"))


@dataclass(frozen=True, slots=True)
class Case:
    """One real edit. ``language`` and ``kind`` are for reports; no drafter sees them."""

    id: str
    language: str
    kind: str
    instruction: str
    before: str
    after: str

    @property
    def size(self) -> str:
        lines = self.after.count("\n") + 1
        return next((name for limit, name in _SIZES if lines < limit), ">= 800 lines")


@dataclass(frozen=True, slots=True)
class Transcript:
    """A case in tokens. ``answer_ids`` ends with the closing fence and ``END_OF_ANSWER``."""

    case: Case
    prompt_ids: tuple[int, ...]
    answer_ids: tuple[int, ...]
    buffer: str
    opening: str
    closing: str


def read_cases(path: Path, limit: int | None = None) -> list[Case]:
    """The cases of a file in its order, at most ``limit``. Raises ``UsageError`` naming a bad line."""
    try:
        lines = path.read_text(encoding="utf-8").split("\n")
    except (OSError, UnicodeDecodeError) as error:
        raise UsageError(f"{path} cannot be read: {error}.") from error
    cases = list(_parsed(path, lines))
    if not cases:
        raise UsageError(f"{path} holds no cases.")
    return cases if limit is None else cases[:limit]


def transcribe(case: Case, codec: Codec) -> Transcript:
    """Tokenise one case: the prompt that a model would see and the answer that is known."""
    before, after = model_text(case.before), model_text(case.after)
    fence = _fence(before + after)
    opening = f"{fence}\n"
    prompt = (
        "Rewrite this file as the instruction says. Answer with the whole new file.\n\n"
        f"{fence}\n{_ended(before)}{fence}\n\n"
        f"Instruction: {case.instruction}\n\n{opening}"
    )
    answer_ids = codec.encode(_ended(after) + fence, opening)
    return Transcript(
        case=case,
        prompt_ids=tuple(codec.encode(prompt)),
        answer_ids=(*answer_ids, END_OF_ANSWER),
        buffer=before,
        opening=opening,
        closing=fence,
    )


def task_of(
    transcript: Transcript, codec: Codec, window: int, options: dict[str, Any]
) -> DraftTask:
    """What a drafter may know: prompt, buffer and instruction."""
    instruction = transcript.case.instruction
    return DraftTask(
        prompt_ids=transcript.prompt_ids,
        prediction=transcript.buffer,
        answer_opening=transcript.opening,
        answer_closing=transcript.closing,
        instruction=instruction,
        codec=codec,
        window=window,
        options={"renames": renames_in(instruction), **options},
    )


def model_text(text: str) -> str:
    """Text as a model sees it: LF line ends, no byte order mark."""
    return text.removeprefix("\ufeff").replace("\r\n", "\n").replace("\r", "\n")


def renames_in(instruction: str) -> list[tuple[str, str]]:
    """The renames that the instruction names, read by the same function as in a real edit."""
    try:
        from editd.prompts.instruction import rename_in
    except ImportError:
        return []
    found: Any = rename_in(instruction)
    if not found:
        return []
    return [found] if isinstance(found, tuple) and isinstance(found[0], str) else list(found)


def _parsed(path: Path, lines: list[str]) -> Iterator[Case]:
    for number, line in enumerate(lines, start=1):
        if not line.strip():
            continue
        try:
            record = json.loads(line)
            yield Case(
                id=str(record.get("id", f"line-{number}")),
                language=str(record.get("language", "unknown")),
                kind=str(record.get("kind", "unknown")),
                instruction=record["instruction"],
                before=record["before"],
                after=record["after"],
            )
        except (ValueError, KeyError, TypeError, AttributeError) as error:
            raise UsageError(
                f"{path}, line {number}: not a case with instruction, before and after ({error})."
            ) from error


def _ended(text: str) -> str:
    return text if not text or text.endswith("\n") else text + "\n"


def _fence(text: str) -> str:
    """A run of backticks longer than any that starts a line of the text."""
    longest = max((len(run) for run in re.findall(r"^\s*(`{3,})", text, re.MULTILINE)), default=2)
    return "`" * max(3, longest + 1)
