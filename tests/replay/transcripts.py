"""A recorded edit as a transcript: prompt, known answer, a drafter's task.

The prompt has the order of every edit format: buffer, instruction, opened answer. A drafter's task
holds instruction and buffer alone; the answer stays with the scripted target.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from editd.decode.drafters.base import Codec, DraftTask
from tests.recorded_cases import Case, model_text

END_OF_ANSWER = -2
"""The end token that the scripted target chooses last; no draft can hold it."""


@dataclass(frozen=True, slots=True)
class Transcript:
    """A case in tokens. ``answer_ids`` ends with the closing fence and ``END_OF_ANSWER``."""

    case: Case
    prompt_ids: tuple[int, ...]
    answer_ids: tuple[int, ...]
    buffer: str
    opening: str
    closing: str


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


def task_of(transcript: Transcript, codec: Codec) -> DraftTask:
    """The task of a drafter: prompt and buffer, without the answer."""
    return DraftTask(
        prompt_ids=transcript.prompt_ids,
        prediction=transcript.buffer,
        answer_opening=transcript.opening,
        answer_closing=transcript.closing,
        codec=codec,
    )


def _ended(text: str) -> str:
    return text if not text or text.endswith("\n") else text + "\n"


def _fence(text: str) -> str:
    """A run of backticks longer than any that starts a line of the text."""
    longest = max((len(run) for run in re.findall(r"^\s*(`{3,})", text, re.MULTILINE)), default=2)
    return "`" * max(3, longest + 1)
