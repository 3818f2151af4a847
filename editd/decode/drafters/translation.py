"""Text from one model's tokens into another's: prompts with their tags, and pieces in their place.

Goes by way of bytes: every token spells some, control tokens none. Nothing here is lossy: no special
token is skipped and no space cleaned up. What cannot be translated exactly is left out at the end, never
altered.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from editd.decode.drafters.draft_session import RenderChat, Speaker, TextCodec

LEFT_CONTEXT = 64  # bytes before a piece that can matter to how it is tokenised
_MOST_UNFINISHED = 3  # tokens that may become one with what follows
_STAND_INS = ("\ue000the system's words\ue001", "\ue000the user's words\ue001")

Tags = Sequence[tuple[str, str]]
"""Pairs: text in the target's prompt, what the draft model's prompt says instead."""


def translated_prompt(
    prompt_ids: Sequence[int], target: TextCodec, draft: TextCodec, tags: Tags
) -> list[int]:
    """The target's prompt in the draft model's tokens, its tags replaced.

    A tag that names a control token is replaced only where the prompt has that token itself: a
    buffer that merely says ``<|im_end|>`` keeps its words. Control tokens that no tag covers stay
    if the draft model has one of the same name, and are left out otherwise.
    """
    text, controls = _read(prompt_ids, target)
    known = [_Tag(tag, instead, _controls_of(tag, target)) for tag, instead in tags if tag]
    known += [_Tag(word, word, {0: len(word)}) for word in _words(text, controls)]
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
    """What each chat template puts before, between and after a system's and a user's words.

    Empty unless both models have a template that repeats each message once.
    """
    if target is None or draft is None:
        return []
    pieces = [_around(render) for render in (target, draft)]
    if pieces[0] is None or pieces[1] is None:
        return []
    return [pair for pair in zip(pieces[0], pieces[1], strict=True) if any(pair)]


def turn_end(speaker: Speaker) -> int | None:
    """The token with which a model ends its answer: its template's, else its only stop token."""
    around = _around(speaker.render_chat) if speaker.render_chat else None
    if around is not None:
        for token_id in speaker.codec.prompt_ids([(around[2], True)]):
            if token_id in speaker.stop_ids:
                return token_id
    return min(speaker.stop_ids) if len(speaker.stop_ids) == 1 else None


def in_place(codec: TextCodec, left: bytes, piece: bytes) -> list[int]:
    """Ids that spell ``piece`` as it is tokenised right after ``left``, whose tokens are fixed.

    A character that ``piece`` leaves unfinished is left out. Where the codec would join the end of
    ``left`` and the beginning of ``piece`` in one token, that beginning is spelled by the longest
    tokens that fit, up to where the codec's own tokens begin again.
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
            return in_place(codec, left[error.end :], piece)
        sound = error.start - len(left)
        return in_place(codec, left, piece[:sound]) + _longest_tokens(codec, piece[sound:])
    ids = codec.encode(text)
    position, index = 0, 0
    while index < len(ids) and position < len(left):
        position += len(codec.token_bytes(ids[index]))
        index += 1
    straddling = piece[: position - len(left)]
    return [*_longest_tokens(codec, straddling), *ids[index:]]


def num_finished(codec: TextCodec, token_ids: Sequence[int]) -> int:
    """How many of these tokens stay, whatever text comes next; the rest may join it in another way.

    ``["x", " re", "tu"]`` has one: ``" return"`` may be meant, and be one token.
    """
    finished = len(token_ids)
    tail = b""
    for index in range(len(token_ids) - 1, max(-1, len(token_ids) - 1 - _MOST_UNFINISHED), -1):
        tail = codec.token_bytes(token_ids[index]) + tail
        if tail and begins_character(tail, 0) and codec.extends(tail):
            finished = index
    return finished


def whole_characters(piece: bytes) -> bytes:
    """``piece`` without a UTF-8 character that it only begins."""
    for back in range(1, min(4, len(piece)) + 1):
        byte = piece[-back]
        if not _continues(byte):
            length = 1 if byte < 0x80 else 2 if byte < 0xE0 else 3 if byte < 0xF0 else 4
            return piece if length <= back else piece[:-back]
    return piece


def begins_character(text: bytes | bytearray, position: int) -> bool:
    """Whether a character begins at ``position`` (or the text ends there)."""
    return position >= len(text) or not _continues(text[position])


def _continues(byte: int) -> bool:
    return byte & 0xC0 == 0x80


def _longest_tokens(codec: TextCodec, spelled: bytes) -> list[int]:
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
    return spelled.startswith(codec.token_bytes(token_id))


@dataclass(frozen=True, slots=True)
class _Tag:
    """``controls``: where control tokens begin in ``text`` → how long their names are."""

    text: str
    instead: str
    controls: dict[int, int]

    def stands(self, text: str, at: int, controls: dict[int, int]) -> bool:
        """Whether it is there, with control tokens where it has some, and not just their words."""
        if not text.startswith(self.text, at):
            return False
        starts = range(at, at + len(self.text))
        return self.controls == {i - at: controls[i] for i in starts if i in controls}


def _controls_of(tag: str, codec: TextCodec) -> dict[int, int]:
    text, controls = _read(codec.prompt_ids([(tag, True)]), codec)
    start = text.find(tag)  # an opening token or a dummy space may stand before it
    return {i - start: length for i, length in controls.items() if i >= start}


def _words(text: str, controls: dict[int, int]) -> set[str]:
    return {text[start : start + length] for start, length in controls.items()}


def _read(prompt_ids: Sequence[int], codec: TextCodec) -> tuple[str, dict[int, int]]:
    """The prompt's text with control tokens by name: start of each → its length."""
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


def _around(render: RenderChat) -> tuple[str, str, str] | None:
    system, user = _STAND_INS
    messages = [{"role": "system", "content": system}, {"role": "user", "content": user}]
    text = render(messages)
    if text.count(system) != 1 or text.count(user) != 1:
        return None
    before, _, rest = text.partition(system)
    between, _, after = rest.partition(user)
    return before, between, after
