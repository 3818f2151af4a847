"""A draft model with another tokenizer than the target's (Universal Assisted Generation), done without loss.

The draft model reads the prompt with its own tags and then the output's text in tokens of its own; its text is
tokenised again in the target's vocabulary, in its place. Greedy drafts in every mode: a draft is a point mass, and of
these the likeliest is accepted most often.

Each piece of text is translated once: tokens stay as they are as long as the text agrees with what they spell, also
those that the draft model wrote itself. At the border its last tokens are taken back and *healed*: it chooses again,
among the tokens that begin with the text there, so that it is never caught in the middle of a word that it knows as
one token. The same limit completes a UTF-8 character that the target has only begun.

Worked example. The output ends in ``retu`` (the target's tokens ``re``, ``tu``); the draft model reads up to the
token before, may only write text that begins with ``retu``, and writes ``return`` and `` x``. Proposed are the
target's ids of ``rn x`` as they follow ``retu``; the last is left out if longer tokens begin with it, since the draft
model's next word may be one with it.

Text goes from one model's tokens into the other's by way of bytes: every token spells some, control tokens none.
Nothing is lossy: no special token is skipped and no space cleaned up. Text that cannot be translated exactly is left
out at the end, never altered.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass

from editd.decode.drafters.base import EMPTY, Draft, DraftTask
from editd.decode.drafters.draft_session import (
    DraftReader,
    RenderChat,
    TextCodec,
    TokenizedModel,
    session_of,
)
from editd.decode.target import num_common

_MOST_HEALED = 3  # tokens taken back at the border; each costs a pass of the draft model
_BYTES_A_TOKEN = 3.0  # of the target's, until its own output says better
_LONGEST_TOKEN = 16  # bytes; text beyond what the window can hold is not worth writing

LEFT_CONTEXT = 64  # bytes before a piece that can matter to how it is tokenised
_MOST_UNFINISHED = 3  # tokens that may become one with what follows
_STAND_INS = ("\ue000the system's words\ue001", "\ue000the user's words\ue001")

Tags = Sequence[tuple[str, str]]
"""Pairs: text in the target's prompt, and the text in its place in the draft model's prompt."""


class UniversalDrafter:
    """Drafts with the draft model in ``task.draft`` (``draft_session.DraftSession``) by way of text.

    Raises ``UsageError`` if there is none.
    """

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
        self._num_read_output = 0  # output tokens in ``_text``
        self._wrote = False  # whether the last of ``_ids`` was written by the draft model
        self._reading = DraftReader(session, self._ids)
        self._draft_length = self._reading.draft_length()
        self._drafted: list[int] = []  # of this round

    def propose(self, output_ids: Sequence[int], max_tokens: int) -> Draft:
        """The text that the draft model writes after the output, in the target's tokens, at most
        ``max_tokens``.

        Empty if drafting does not pay now, or the draft model cannot follow the text yet or any
        more. Last tokens that text to come may join are left out, but for the first, unless it
        ended its answer and the target's token for that is known, which then follows.
        """
        if max_tokens <= 0 or self._reading.is_closed:
            return EMPTY
        self._read_output(output_ids)
        length = min(self._draft_length.length(len(self._ids)), max_tokens)
        if not length:
            return EMPTY
        required = self._translate()
        if not self._reading.follow(self._ids):
            return EMPTY
        ended = self._write(required, length)
        written = bytes(self._spelled[len(self._text) :])
        token_ids = ids_in_place(self._target_codec, _end_of(self._text), written)
        if ended and self._turn_end is not None:
            token_ids.append(self._turn_end)
        else:
            del token_ids[max(1, num_finished(self._target_codec, token_ids)) :]
        self._drafted = token_ids[:max_tokens]
        return Draft(self._drafted, sources=[self.name] * len(self._drafted))

    def observe(self, accepted_ids: Sequence[int]) -> None:
        """Learn how much of the last draft was accepted; nothing if there was none. accepted_ids:
        the round's tokens, the target's own last.
        """
        drafted, self._drafted = self._drafted, []
        if drafted:
            self._draft_length.observe(len(drafted), num_common(drafted, list(accepted_ids)))

    def _read_output(self, output_ids: Sequence[int]) -> None:
        """Append the bytes of the target's new tokens to the text; control tokens add nothing.
        output_ids: all so far.
        """
        for token_id in output_ids[self._num_read_output :]:
            self._text += self._target_codec.token_bytes(token_id)
        self._num_read_output = len(output_ids)

    def _translate(self) -> bytes:
        """Make the draft model's tokens spell the text: drop those from where they part from it,
        and add tokens for the rest. Returns the end of the text that the tokens leave open: the
        bytes that healing took back, and those of a character that has only begun.

        Does nothing, and returns no bytes, if the draft model has itself written all of the text,
        and perhaps more.
        """
        text, spelled = self._text, self._spelled
        if self._wrote and spelled.startswith(text):
            return b""  # the draft model has written all this itself, and perhaps more
        count = bisect_right(self._ends, num_common(text, spelled))
        # The last token that agrees may have joined what comes now, had that been known.
        count -= self._is_text(count - 1)
        while self._is_text(count - 1) and not begins_character(text, self._ends[count - 1]):
            count -= 1
        self._crop(count)
        self._wrote = False
        border = len(spelled)
        for token_id in ids_in_place(self._codec, _end_of(text[:border]), bytes(text[border:])):
            self._add(token_id)
        self._take_back()
        return bytes(text[len(spelled) :])

    def _take_back(self) -> None:
        """Drop those of the draft model's last tokens that may join text to come in another way
        (see ``num_finished``), at most ``_MOST_HEALED``; control tokens stay.
        """
        start = len(self._ids)
        while self._is_text(start - 1) and len(self._ids) - start < _MOST_HEALED:
            start -= 1
        self._crop(start + num_finished(self._codec, self._ids[start:]))

    def _write(self, required: bytes, length: int) -> bool:
        """Have the draft model write some ``length`` tokens of the target's, ``required`` first;
        true if it ended its answer.

        Stops earlier if it cannot go on, writes a control token, or going on does not pay.
        """
        start, chance, is_doubtful, count = len(self._text), 1.0, False, 0
        most_bytes = length * self._bytes_a_token()
        while len(self._spelled) - start < most_bytes and not is_doubtful:
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
                is_doubtful = not self._draft_length.worth_going_on(chance, count)
        return False

    def _bytes_a_token(self) -> float:
        """The average bytes of a target's token in this output so far, begun with a usual one; at
        most ``_LONGEST_TOKEN``.
        """
        num_bytes = len(self._text) - self._num_prompt_bytes
        average = (8 * _BYTES_A_TOKEN + num_bytes) / (8 + self._num_read_output)
        return min(average, _LONGEST_TOKEN)

    def _is_text(self, index: int) -> bool:
        """Whether the token at ``index`` may be taken back: it is not a control token, and not the first."""
        return index > 0 and self._ends[index] > self._ends[index - 1]

    def _add(self, token_id: int) -> None:
        """Append a token of the draft model to its ids and to what they spell."""
        self._ids.append(token_id)
        self._spelled += self._codec.token_bytes(token_id)
        self._ends.append(len(self._spelled))

    def _crop(self, count: int) -> None:
        """Cut the list of the draft model's tokens to the first ``count``, and the text that they spell; the model's own state is
        left alone.
        """
        del self._ids[count:]
        del self._ends[count:]
        del self._spelled[self._ends[-1] if self._ends else 0 :]


def _end_of(text: bytearray) -> bytes:
    """The end of ``text`` that can matter to how the next piece is tokenised."""
    return bytes(text[-LEFT_CONTEXT:])


# --- from one model's tokens into the other's -----------------------------------------------------


def translated_prompt(
    prompt_ids: Sequence[int], target: TextCodec, draft: TextCodec, tags: Tags
) -> list[int]:
    """The target's prompt in the draft model's tokens, its tags replaced; the replacement of an
    empty tag stands at the beginning.

    A tag that names a control token is replaced only where the prompt has that token itself:
    ``<|im_end|>`` in a buffer stays as it is. Control tokens that no tag covers stay if the draft
    model has one of the same name, and are left out otherwise.
    """
    text, controls = _text_and_controls(prompt_ids, target)
    known = [_Tag(tag, instead, _controls_of(tag, target)) for tag, instead in tags if tag]
    known += [_Tag(word, word, {0: len(word)}) for word in _control_words(text, controls)]
    # The longest first: "<|im_end|>\n<|im_start|>assistant\n" is no "<|im_end|>" and words.
    known.sort(key=lambda tag: -len(tag.text))
    segments = [(instead, True) for tag, instead in tags if not tag]
    pattern = re.compile("|".join(re.escape(tag.text) for tag in known) or r"(?!)")
    done = at = 0
    while match := pattern.search(text, at):
        at = match.start()
        tag = next((tag for tag in known if tag.stands(text, at, controls)), None)
        if tag is None:
            at += 1
            continue
        segments.append((text[done:at], False))
        if tag.instead != tag.text or draft.id_of(tag.text) is not None:
            segments.append((tag.instead, True))
        done = at = at + len(tag.text)
    segments.append((text[done:], False))
    return draft.prompt_ids([segment for segment in segments if segment[0]])


def tags_between(target: RenderChat | None, draft: RenderChat | None) -> list[tuple[str, str]]:
    """The texts that each chat template puts before, between and after a system's and a user's
    words, in pairs (target's, draft model's), without pairs of two empty texts.

    Empty unless both models have a template that repeats each message once. Raises what the
    templates raise.
    """
    if target is None or draft is None:
        return []
    pieces = [_template_parts(render) for render in (target, draft)]
    if pieces[0] is None or pieces[1] is None:
        return []
    return [pair for pair in zip(pieces[0], pieces[1], strict=True) if any(pair)]


def turn_end(speaker: TokenizedModel) -> int | None:
    """The token with which a model ends its answer: the first stop token that its template puts
    after the user's words, else its only stop token; ``None`` if it has several or none.
    """
    around = _template_parts(speaker.render_chat) if speaker.render_chat else None
    if around is not None:
        for token_id in speaker.codec.prompt_ids([(around[2], True)]):
            if token_id in speaker.stop_ids:
                return token_id
    return min(speaker.stop_ids) if len(speaker.stop_ids) == 1 else None


def ids_in_place(codec: TextCodec, left: bytes, piece: bytes) -> list[int]:
    """The ids that spell ``piece`` as it is tokenised right after ``left``, whose tokens are fixed;
    empty for an empty piece.

    A character that ``piece`` leaves unfinished is left out. Where the codec would join the end of
    ``left`` and the beginning of ``piece`` in one token, that beginning is spelled by the longest
    tokens that fit, up to where the codec's own tokens begin again. So is all from the first byte
    on that is no UTF-8, or left out if no tokens spell it.
    """
    piece = whole_characters(piece)
    if not piece:
        return []
    left = left[-LEFT_CONTEXT:]
    # Both ends of what the codec sees are whole characters; the border may lie inside one.
    start = next((i for i, byte in enumerate(left) if not _continues(byte)), len(left))
    left = left[start:]
    try:
        text = (left + piece).decode()
    except UnicodeDecodeError as error:  # a model wrote bytes that are no text
        if error.start < len(left):
            return ids_in_place(codec, left[error.end :], piece)
        sound = error.start - len(left)
        return ids_in_place(codec, left, piece[:sound]) + _longest_tokens(codec, piece[sound:])
    ids = codec.encode(text)
    position, index = 0, 0
    while index < len(ids) and position < len(left):
        position += len(codec.token_bytes(ids[index]))
        index += 1
    straddling = piece[: position - len(left)]
    return [*_longest_tokens(codec, straddling), *ids[index:]]


def num_finished(codec: TextCodec, token_ids: Sequence[int]) -> int:
    """The number of these tokens that stay, whatever text comes next; the rest may join it in
    another way. Only the last ``_MOST_UNFINISHED`` may be unfinished.

    ``["x", " re", "tu"]`` has one: the text may become ``" return"``, in one token.
    """
    finished = len(token_ids)
    tail = b""
    for index in range(len(token_ids) - 1, max(-1, len(token_ids) - 1 - _MOST_UNFINISHED), -1):
        tail = codec.token_bytes(token_ids[index]) + tail
        if tail and begins_character(tail, 0) and codec.extends(tail):
            finished = index
    return finished


def whole_characters(piece: bytes) -> bytes:
    """``piece`` without a UTF-8 character that it only begins at its end."""
    for back in range(1, min(4, len(piece)) + 1):
        byte = piece[-back]
        if not _continues(byte):
            length = 1 if byte < 0x80 else 2 if byte < 0xE0 else 3 if byte < 0xF0 else 4
            return piece if length <= back else piece[:-back]
    return piece


def begins_character(text: bytes | bytearray, position: int) -> bool:
    """Whether a character begins at ``position``, or the text ends there."""
    return position >= len(text) or not _continues(text[position])


def _continues(byte: int) -> bool:
    """Whether a byte continues a UTF-8 character."""
    return byte & 0xC0 == 0x80


def _longest_tokens(codec: TextCodec, spelled: bytes) -> list[int]:
    """Tokens that together spell ``spelled``, from the left, each the longest that fits; empty if at some place none fits."""
    ids: list[int] = []
    while spelled:
        fitting = [i for i in codec.ids_with_prefix(spelled) if _begins(codec, i, spelled)]
        if not fitting:
            return []
        # Of two that spell the same, one stands for a lone byte; those come first in vocabularies.
        ids.append(max(fitting, key=lambda i: (len(codec.token_bytes(i)), i)))
        spelled = spelled[len(codec.token_bytes(ids[-1])) :]
    return ids


def _begins(codec: TextCodec, token_id: int, spelled: bytes) -> bool:
    """Whether ``spelled`` starts with the token's bytes."""
    return spelled.startswith(codec.token_bytes(token_id))


@dataclass(frozen=True, slots=True)
class _Tag:
    """A text of a prompt and its replacement. controls: start of each control token in ``text`` → length of its name."""

    text: str
    instead: str
    controls: dict[int, int]

    def stands(self, text: str, at: int, controls: dict[int, int]) -> bool:
        """Whether the tag's text stands at ``at``, with control tokens exactly where the tag has
        some, and not just their words.

        controls: start of each control token in ``text`` → length of its name.
        """
        if not text.startswith(self.text, at):
            return False
        starts = range(at, at + len(self.text))
        return self.controls == {i - at: controls[i] for i in starts if i in controls}


def _controls_of(tag: str, codec: TextCodec) -> dict[int, int]:
    """Start of each control token of the target in a tag, counted from the tag's beginning → length
    of its name; empty if it has none.
    """
    text, controls = _text_and_controls(codec.prompt_ids([(tag, True)]), codec)
    start = text.find(tag)  # an opening token or a dummy space may stand before it
    return {i - start: length for i, length in controls.items() if i >= start}


def _control_words(text: str, controls: dict[int, int]) -> set[str]:
    """The names of the control tokens in a text."""
    return {text[start : start + length] for start, length in controls.items()}


def _text_and_controls(prompt_ids: Sequence[int], codec: TextCodec) -> tuple[str, dict[int, int]]:
    """The prompt's text with control tokens by name; and the start of each → the length of its
    name. Control tokens without a name are left out.
    """
    dummy_space = codec.decode(codec.prompt_ids("a")).startswith(" ")
    pieces: list[str] = []
    controls: dict[int, int] = {}
    length = 0
    run: list[int] = []
    for token_id in [*prompt_ids, None]:
        if token_id is not None and codec.token_bytes(token_id):
            run.append(token_id)
            continue
        text = codec.decode(run)
        pieces.append(text.removeprefix(" ") if dummy_space else text)
        length += len(pieces[-1])
        run.clear()
        if token_id is not None and (word := codec.word_of(token_id)):
            controls[length] = len(word)
            pieces.append(word)
            length += len(word)
    return "".join(pieces), controls


def _template_parts(render: RenderChat) -> tuple[str, str, str] | None:
    """The text that a chat template puts before, between and after a system's and a user's words.

    ``None`` if it does not repeat each once. Raises what ``render`` raises.
    """
    system, user = _STAND_INS
    messages = [{"role": "system", "content": system}, {"role": "user", "content": user}]
    text = render(messages)
    if text.count(system) != 1 or text.count(user) != 1:
        return None
    before, _, rest = text.partition(system)
    between, _, after = rest.partition(user)
    return before, between, after
