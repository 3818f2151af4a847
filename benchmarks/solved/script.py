"""An edit as token ids, exactly as the product feeds and expects them.

The one place that knows how prompt, healing and answer become ids. Everything after it sees rows
of integers: what has been read, and which token must come next.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from benchmarks.solved.edits import Edit
from editd.errors import EditdError
from editd.models.text.codec import ModelCodec
from editd.prompts.base import EditFormat, Prompt, PromptParts
from editd.prompts.formats import EmbeddedFormat
from editd.prompts.language import language_of

_EMBEDDED = EmbeddedFormat()


@dataclass(frozen=True, slots=True)
class Script:
    """One edit's whole sequence.

    ids: the prompt as it is fed (healed), then the answer up to and including the stop token.
    start: index of the first id that the model itself must write.
    """

    edit: Edit
    ids: list[int]
    start: int

    @property
    def answer_ids(self) -> list[int]:
        return self.ids[self.start :]


class Indistinguishable(EditdError):
    """Two places look alike as far back as the model sees, and want different tokens."""


def write_scripts(
    edits: Sequence[Edit],
    codec: ModelCodec,
    stop_id: int,
    reach: int,
    edit_format: EditFormat = _EMBEDDED,
) -> list[Script]:
    """The scripts of all edits; ``reach``: how many tokens back the model sees.

    Raises ``Indistinguishable`` with the edits and the places.
    """
    scripts = [_write(edit, codec, stop_id, edit_format) for edit in edits]
    _check_distinguishable(scripts, reach)
    return scripts


def _write(edit: Edit, codec: ModelCodec, stop_id: int, edit_format: EditFormat) -> Script:
    prompt = prompt_of(edit, edit_format=edit_format)
    prompt_ids, required = codec.heal(prompt.segments)
    # What was cut off for healing is written by the model, in front of the text.
    left = prompt.opening.removesuffix(required.decode())
    answer = required.decode() + answer_text(edit, prompt)
    answer_ids = codec.encode(answer, after=left)
    if codec.decode(answer_ids) != answer:  # a token straddles the border
        answer_ids = codec.encode(answer)
    return Script(edit, [*prompt_ids, *answer_ids, stop_id], len(prompt_ids))


def answer_text(edit: Edit, prompt: Prompt) -> str:
    """All that the model writes: the new text and the line that closes it."""
    if not prompt.fence:
        return edit.after
    line_end = "" if edit.after.endswith("\n") or not edit.after else "\n"
    return edit.after + line_end + prompt.fence


def prompt_of(edit: Edit, path: str = "", edit_format: EditFormat = _EMBEDDED) -> Prompt:
    """The prompt that asks for ``edit``, of a file called ``path`` instead of its usual name."""
    path = path or edit.path
    parts = PromptParts(
        path=path,
        language=language_of(path),
        before="",
        region=edit.before,
        after="",
        instruction=edit.instruction,
        sketch=edit.sketch or None,
    )
    return edit_format.prompt(parts)


def _check_distinguishable(scripts: Sequence[Script], reach: int) -> None:
    wanted: dict[tuple[int, ...], tuple[int, str]] = {}
    for script in scripts:
        for position in range(script.start, len(script.ids)):
            seen = tuple(script.ids[max(0, position - reach - 1) : position])
            place = f"{script.edit.name} at token {position - script.start}"
            token_id, other = wanted.setdefault(seen, (script.ids[position], place))
            if token_id != script.ids[position]:
                raise Indistinguishable(
                    f"{other} and {place} of the answer look alike for {reach} tokens back, but "
                    "must go on differently: change one of the edits."
                )
