"""A draft model with another tokenizer (Universal Assisted Generation), done without loss.

The draft model reads the prompt with its own tags and then the output's text in tokens of its own;
what it writes is tokenised again in the target's vocabulary, in its place. Greedy drafts in every
mode: a draft is a point mass, and of these the likeliest is accepted most often.

Each piece of text is translated once: tokens stay as they are as long as the text agrees with what
they spell, also those that the draft model wrote itself. At the border its last tokens are taken
back and *healed*: it chooses again, among the tokens that begin with what the text says there, so
that it is never caught in the middle of a word that it knows as one token. The same limit completes
a UTF-8 character that the target has only begun.

Worked example. The output ends in ``retu`` (the target's tokens ``re``, ``tu``); the draft model
reads up to the token before, may only write what begins with ``retu``, and writes ``return`` and
`` x``. Proposed are the target's ids of ``rn x`` as they follow ``retu``; the last is left out
if longer tokens begin with it, since the draft model's next word may be one with it.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence

from editd.decode.drafters.base import EMPTY, Draft, DraftTask
from editd.decode.drafters.draft_session import DraftReader, session_of
from editd.decode.drafters.translation import (
    LEFT_CONTEXT,
    begins_character,
    in_place,
    num_finished,
    tags_between,
    translated_prompt,
    turn_end,
)
from editd.decode.prefixes import num_common

_MOST_HEALED = 3  # tokens taken back at the border; each costs a pass of the draft model
_BYTES_A_TOKEN = 3.0  # of the target's, until its own output says better
_LONGEST_TOKEN = 16  # bytes; text beyond what the window can hold is not worth writing


class UniversalDrafter:
    """Asks the draft model in ``task.draft`` (``draft_session.DraftSession``) by way of text."""

    name = "universal"

    def __init__(self, task: DraftTask, preset: str = "") -> None:  # noqa: ARG002 - it has none
        session = session_of(task, self.name)
        model, target = session.model, session.target
        self._target_codec, self._codec = target.codec, model.codec
        self._stop_ids = model.stop_ids
        self._turn_end = turn_end(target)
        tags = tags_between(target.render_chat, model.render_chat)
        self._ids = translated_prompt(task.prompt_ids, target.codec, model.codec, tags)
        self._spelled = bytearray()  # what ``_ids`` spell
        self._ends: list[int] = []  # where each of them ends in it
        for token_id in self._ids:
            self._spelled += model.codec.token_bytes(token_id)
            self._ends.append(len(self._spelled))
        self._text = bytearray(self._spelled)  # what prompt and output say
        self._num_prompt_bytes = len(self._text)
        self._heard = 0  # output tokens in ``_text``
        self._wrote = False  # whether the last of ``_ids`` was written by the draft model
        self._reading = DraftReader(session, self._ids)
        self._draft_length = self._reading.draft_length()
        self._drafted: list[int] = []  # of this round

    def propose(self, output_ids: Sequence[int], max_tokens: int) -> Draft:
        if max_tokens <= 0 or self._reading.gone:
            return EMPTY
        self._hear(output_ids)
        length = min(self._draft_length.length(len(self._ids)), max_tokens)
        if not length:
            return EMPTY
        required = self._translate()
        if not self._reading.follow(self._ids):
            return EMPTY
        ended = self._write(required, length)
        written = bytes(self._spelled[len(self._text) :])
        token_ids = in_place(self._target_codec, _end_of(self._text), written)
        if ended and self._turn_end is not None:
            token_ids.append(self._turn_end)
        else:
            del token_ids[max(1, num_finished(self._target_codec, token_ids)) :]
        self._drafted = token_ids[:max_tokens]
        return Draft(self._drafted, sources=[self.name] * len(self._drafted))

    def observe(self, accepted_ids: Sequence[int]) -> None:
        drafted, self._drafted = self._drafted, []
        if drafted:
            self._draft_length.observe(len(drafted), num_common(drafted, list(accepted_ids)))

    def _hear(self, output_ids: Sequence[int]) -> None:
        """Take the target's new tokens as text; control tokens say nothing."""
        for token_id in output_ids[self._heard :]:
            self._text += self._target_codec.token_bytes(token_id)
        self._heard = len(output_ids)

    def _translate(self) -> bytes:
        """Let the draft model's tokens spell the text; returns its end that they leave open.

        That is what healing took back, and the bytes of a character that has only begun.
        """
        text, spelled = self._text, self._spelled
        if self._wrote and spelled.startswith(text):
            return b""  # the draft model has written all this itself, and perhaps more
        kept = bisect_right(self._ends, num_common(text, spelled))
        # The last token that agrees may have joined what comes now, had that been known.
        kept -= self._is_text(kept - 1)
        while self._is_text(kept - 1) and not begins_character(text, self._ends[kept - 1]):
            kept -= 1
        self._keep(kept)
        self._wrote = False
        border = len(spelled)
        for token_id in in_place(self._codec, _end_of(text[:border]), bytes(text[border:])):
            self._add(token_id)
        self._take_back()
        return bytes(text[len(spelled) :])

    def _take_back(self) -> None:
        """Drop the last tokens if longer ones could take their place."""
        start = len(self._ids)
        while self._is_text(start - 1) and len(self._ids) - start < _MOST_HEALED:
            start -= 1
        self._keep(start + num_finished(self._codec, self._ids[start:]))

    def _write(self, required: bytes, length: int) -> bool:
        """Let the draft model write some ``length`` tokens of the target's; true if it ended.

        ``required`` must be spelled first.
        """
        start, chance, unsure, count = len(self._text), 1.0, False, 0
        wanted = length * self._bytes_a_token()
        while len(self._spelled) - start < wanted and not unsure:
            allowed = self._codec.ids_with_prefix(required) if required else None
            drawn = self._reading.draw(allowed, greedy=True) if allowed != () else None
            if drawn is None:
                return False
            if drawn.token_id in self._stop_ids:
                return True
            piece = self._codec.token_bytes(drawn.token_id)
            if not piece:
                return False  # a control token says nothing that could be drafted
            self._add(drawn.token_id)
            self._wrote = True
            if required:
                required = required[len(piece) :]
            else:
                chance, count = chance * drawn.chance, count + 1
                unsure = not self._draft_length.worth_going_on(chance, count)
        return False

    def _bytes_a_token(self) -> float:
        """Bytes of a target's token, in this output."""
        heard = len(self._text) - self._num_prompt_bytes
        average = (8 * _BYTES_A_TOKEN + heard) / (8 + self._heard)
        return min(average, _LONGEST_TOKEN)

    def _is_text(self, index: int) -> bool:
        """Whether that token may be taken back: it is not a control token, and not the first."""
        return index > 0 and self._ends[index] > self._ends[index - 1]

    def _add(self, token_id: int) -> None:
        self._ids.append(token_id)
        self._spelled += self._codec.token_bytes(token_id)
        self._ends.append(len(self._spelled))

    def _keep(self, count: int) -> None:
        del self._ids[count:]
        del self._ends[count:]
        del self._spelled[self._ends[-1] if self._ends else 0 :]


def _end_of(text: bytearray) -> bytes:
    return bytes(text[-LEFT_CONTEXT:])
