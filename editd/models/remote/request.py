"""A request for an answer in OpenAI's form, changed until the server takes it.

The fields that a server refuses, and that its model thinks, are remembered (``Habits``) for all later requests.
Sending, and reading the answer, is left to ``http_thread`` and ``streamed_answer``.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from editd.decode.target import Sampling
from editd.errors import EditRefused
from editd.messages import ChatMessage, CompleteRequest
from editd.models.remote import faults
from editd.models.remote.abilities import Abilities
from editd.models.text.chat_template import TEMPLATE_SETTINGS, folded
from editd.models.text_source import AnswerSpec
from editd.prompts.base import Prompt

CHAT, TEXT = "/chat/completions", "/completions"

PREDICTION, VLLM_FIELDS, USAGE = "prediction", "vllm_xargs", "stream_options"
LOGPROBS, RIVALS = "logprobs", "top_logprobs"
_SETTINGS, _EFFORT = "chat_template_kwargs", "reasoning_effort"
_SAMPLING = ("temperature", "top_p", "top_k", "seed")
SPARE = (PREDICTION, VLLM_FIELDS, USAGE, LOGPROBS, RIVALS, _SETTINGS, _EFFORT, *_SAMPLING)
"""Fields that are left out of a request if the server does not take them."""

_LIMITS = (
    "max_tokens",
    "max_completion_tokens",
)  # names of one field; the second is OpenAI's newer one
_EFFORTS = ("none", "low")  # how little a model may think; not all servers know the first
_THOUGHT_TOKENS = 8192  # that an answer may have more if its model thinks
_MOST_CLAMPS, _LEAST_TOKENS = 3, 16  # of one request; a smaller number in an error is no limit

_NO_SYSTEM = re.compile(
    r"\bsystem\W+(role|messages?)\b|\brole\b.{0,60}\bsystem\b|\broles must alternate", re.IGNORECASE
)

_NAMES_LIMIT = re.compile(
    r"\b(max_tokens|max_completion_tokens|max_new_tokens|(completion|output|new) tokens)\b",
    re.IGNORECASE,
)

_UNSUPPORTED = re.compile(
    r"unsupported|not supported|unrecognized|unknown|not permitted|not allowed|extra.forbidden|\binstead\b",
    re.IGNORECASE,
)

_NUMBER = r"(?<![\w.-])(\d[\d,_]*)(?![\w-]|\.\d)"

_CONTEXT = re.compile(
    rf"(?:context (?:length|window|size)|must be <=)\D{{0,24}}?{_NUMBER}", re.IGNORECASE
)

_PROMPT = re.compile(
    rf"{_NUMBER}\W{{0,3}}(?:tokens? )?(?:of |from |in )?(?:the |your )?\W?(?:inputs?\b|prompt|messages)",
    re.IGNORECASE,
)

_TOTAL = re.compile(rf"requested (?:a total of )?{_NUMBER} tokens", re.IGNORECASE)


@dataclass(slots=True)
class Habits:
    """The peculiarities of one model on one server, as far as they are known.

    refused: fields that the server does not take.
    limit_field: the server's name for the limit of tokens; empty for none.
    most_tokens: the server's own limit; 0 for none.
    folds_system: the server takes no system message.
    thinks: the model thinks before it answers.
    effort: how many of ``_EFFORTS`` the server refused.
    """

    refused: set[str] = field(default_factory=set)
    limit_field: str = _LIMITS[0]
    most_tokens: int = 0
    folds_system: bool = False
    thinks: bool = False
    effort: int = 0

    def described(self) -> str:
        """The refused sampling fields and system messages in words (``takes no seed, system
        message``); empty if there are none.
        """
        named = [
            *sorted(self.refused & {*_SAMPLING}),
            *(["system message"] if self.folds_system else []),
        ]
        return f"takes no {', '.join(named)}" if named else ""


class AnswerRequest:
    """A request, which may be sent several times, each time as the server is known to take it.

    most: how many tokens the answer may have. num_prompt_tokens: an estimate. Raises ``EditRefused`` for a text that
    cannot be sent as it is.
    """

    def __init__(
        self,
        spec: AnswerSpec,
        abilities: Abilities,
        habits: Habits,
        sampling: Sampling,
        most: int,
        *,
        max_context: int,
        num_prompt_tokens: int,
    ) -> None:
        self.path, self._content = _route(spec.prompt)
        self.is_edit = isinstance(spec.prompt, Prompt)
        self._spec, self._abilities, self._habits = spec, abilities, habits
        self._sampling = sampling
        self._most = most
        self._room = max_context - num_prompt_tokens
        self._clamps: list[int] = []
        self._held_thoughts_back = False

    @property
    def max_tokens(self) -> int:
        """The most tokens for the answer with its thoughts: the caller's limit, or less if the
        server named less; at least 1.

        Up to 8,192 more, as far as the context has room, for an edit without the user's own limit
        whose model thinks.
        """
        most = self._most
        if self._habits.thinks and not self._spec.max_new_tokens and self.is_edit:
            most = max(most, min(most + _THOUGHT_TOKENS, self._room))
        limits = (most, *self._clamps, *filter(None, [self._habits.most_tokens]))
        return max(1, min(limits))

    def body(self) -> dict[str, Any]:
        """Build the JSON to send now, without the fields that the server is known to refuse; notes
        whether it asks for fewer thoughts.
        """
        habits = self._habits
        body: dict[str, Any] = {
            "model": self._abilities.name,
            **self._content,
            "stream": True,
            USAGE: {"include_usage": True},
            **_sampling_fields(self._sampling),
        }
        if habits.folds_system and "messages" in body:
            body["messages"] = folded(body["messages"])
        if habits.limit_field:
            body[habits.limit_field] = self.max_tokens
        if self.path == CHAT and self.is_edit:
            body |= self._fields_against_thoughts()
            self._held_thoughts_back = habits.thinks
        body |= self._prediction_fields()
        return {name: value for name, value in body.items() if name not in habits.refused}

    def may_think_less(self) -> bool:
        """Note for this and later requests that the model thinks; returns whether the request, sent
        again, asks for fewer thoughts than the last ``body()``.

        Always false for completions and for prompts sent as text.
        """
        self._habits.thinks = True
        return self.path == CHAT and self.is_edit and not self._held_thoughts_back

    def learn(self, status: int, body: bytes) -> bool:
        """Note what the server refuses, for later requests too; returns whether ``body()`` may have
        changed, so that the request is worth sending again.

        status, body: of the refusing response. False for statuses other than 400, 422, 500 and 501,
        and for an error that names nothing known; of a 500 only a refused system message counts.
        """
        if status not in (400, 422, 500, 501):
            return False
        text = body.decode(errors="replace")
        message = faults.message_in(body)
        if self._learn_role(message):
            return True
        if status == 500:
            return False
        return self._learn_limit(message, text) or self._learn_fields(text)

    def _learn_role(self, message: str) -> bool:
        """Note that the model takes no system message (Gemma, o1-mini, old Mistral models); returns
        whether that is news.

        Notes nothing if the message does not say so, or this request has no system message.
        """
        if self._habits.folds_system or not _NO_SYSTEM.search(message):
            return False
        roles = [message["role"] for message in self._content.get("messages", ())]
        self._habits.folds_system = "system" in roles
        return self._habits.folds_system

    def _learn_limit(self, message: str, text: str) -> bool:
        """Note another name for the field that limits tokens (or to leave it out, after the last
        known name), or a smaller value; returns whether either was noted.

        The value holds for this request, and for later ones if the limit is not one of this
        prompt's length. A value below 16, and a fourth one, is not noted. message: of the error.
        text: all of the response.
        """
        habits, name = self._habits, self._habits.limit_field
        if not name or not (_NAMES_LIMIT.search(text) or faults.is_too_long(message)):
            return False
        if re.search(rf"\b{name}\b", text) and _UNSUPPORTED.search(text):
            others = _LIMITS[_LIMITS.index(name) + 1 :]
            habits.limit_field = others[0] if others else ""
            return True
        named, is_for_all = limit_named(message, self.max_tokens)
        if not _LEAST_TOKENS <= named < self.max_tokens or len(self._clamps) >= _MOST_CLAMPS:
            return False
        self._clamps.append(named)
        if is_for_all:
            habits.most_tokens = named
        return True

    def _learn_fields(self, text: str) -> bool:
        """Note the sent fields of ``SPARE`` that the response names, to be left out from now on;
        returns whether anything was noted.

        If ``reasoning_effort`` is among them and has a value that was not tried, that value alone
        is noted.
        """
        habits, sent = self._habits, self.body().keys() & {*SPARE}
        blamed = {name for name in sent if re.search(rf"\b{name}\b", text)}
        if _SETTINGS in sent and re.search(r"\bchat_template\b", text):
            blamed.add(_SETTINGS)
        if _EFFORT in blamed and habits.effort + 1 < len(_EFFORTS):
            habits.effort += 1
            blamed.remove(_EFFORT)
            return True
        habits.refused |= blamed
        return bool(blamed)

    def _fields_against_thoughts(self) -> dict[str, Any]:
        """Fields that turn thinking off: the template's settings if the server takes them; these
        and an effort once its model was seen to think; else empty.
        """
        fields: dict[str, Any] = {}
        if self._abilities.template_settings or self._habits.thinks:
            names = ("enable_thinking", "thinking")
            fields[_SETTINGS] = {name: TEMPLATE_SETTINGS[name] for name in names}
        if self._habits.thinks:
            fields[_EFFORT] = _EFFORTS[self._habits.effort]
        return fields

    def _prediction_fields(self) -> dict[str, Any]:
        """The fields for the prediction, with editd-vllm's own, if there is expected text and the
        server takes it; else those for log-probabilities if it reports them for an edit sent as
        chat; else empty.
        """
        spec, abilities = self._spec, self._abilities
        if spec.expected and abilities.prediction:
            fields: dict[str, Any] = {
                PREDICTION: {"type": "content", "content": spec.expected},
            }
            finer = _vllm_fields(spec, abilities)
            return {**fields, VLLM_FIELDS: finer} if finer else fields
        if abilities.logprobs and self.path == CHAT and spec.parts is not None:
            return {LOGPROBS: True, RIVALS: 2}  # OpenAI takes none beside a prediction
        return {}


def limit_named(message: str, requested: int) -> tuple[int, bool]:
    """The most tokens that an answer may have by a server's error, 0 if it names no limit, or a
    context without this prompt's length; and whether the limit holds for all requests.

    requested: the tokens that the refused request asked for. A limit that is the context less this
    prompt does not hold for others; any other is the largest number in the message below
    ``requested`` that is not the prompt's.

        >>> limit_named("max_tokens is too large: 100000. This model supports at most 16384 completion tokens.", 100000)
        (16384, True)
        >>> limit_named("This model's maximum context length is 4096 tokens and your request has 1000 input tokens.", 5000)
        (3096, False)
    """
    prompt = [_int(found) for found in _PROMPT.findall(message)]
    total = [count for found in _TOTAL.findall(message) if (count := _int(found)) > requested]
    if context := _CONTEXT.search(message):
        used = prompt[0] if prompt else total[0] - requested if total else 0
        return (max(0, _int(context[1]) - used) if used else 0), False
    numbers = {*map(_int, re.findall(_NUMBER, message))} - {*prompt}
    return max((count for count in numbers if count < requested), default=0), True


def _int(digits: str) -> int:
    """The number in ``digits``, separators ignored; its first 18 digits, if there are more. Raises
    ``ValueError`` without a digit.
    """
    return int(re.sub(r"\D", "", digits)[:18])


def _route(source: Prompt | CompleteRequest) -> tuple[str, dict[str, Any]]:
    """The path, and the body's fields for prompt and stops: chat if there are messages, else text.

    Raises ``EditRefused`` as ``_check_control``, for an edit sent as text.
    """
    if isinstance(source, CompleteRequest):
        stops = {"stop": list(source.stop)} if source.stop else {}
        if source.prompt is not None:
            return TEXT, {"prompt": source.prompt, **stops}
        return CHAT, {"messages": _conversation(source.messages), **stops}
    if source.messages:
        return CHAT, {"messages": _conversation(source.messages)}
    _check_control(source)
    return TEXT, {"prompt": source.text}


def _conversation(messages: Sequence[ChatMessage]) -> list[dict[str, str]]:
    """Messages as JSON."""
    return [{"role": message.role, "content": message.content} for message in messages]


def _check_control(prompt: Prompt) -> None:
    """Raise ``EditRefused`` if data of the prompt contains the whole text of one of its control
    segments: sent as text, the two could not be told apart.
    """
    control = {text for text, is_control in prompt.segments if is_control}
    for text, is_control in prompt.segments:
        if not is_control and (found := next((word for word in control if word in text), None)):
            raise EditRefused(
                f"The text holds {found}, a control token of the server's model, and the "
                f"server cannot tell it from one: select lines without it."
            )


def _sampling_fields(sampling: Sampling) -> Mapping[str, Any]:
    """The temperature (0 for greedy), and those of ``top_p``, ``top_k`` and ``seed`` that differ
    from editd's defaults.
    """
    plain = Sampling()
    fields: dict[str, Any] = {"temperature": 0.0 if sampling.greedy else sampling.temperature}
    for name in ("top_p", "top_k", "seed"):
        value = getattr(sampling, name)
        if value != getattr(plain, name):
            fields[name] = value
    return fields


def _vllm_fields(spec: AnswerSpec, abilities: Abilities) -> dict[str, str]:
    """The opening and closing of an edit's prompt, which editd-vllm takes in addition to a
    prediction.

    Without those that are empty or that the server does not list; empty for a completion.
    """
    if not isinstance(spec.prompt, Prompt):
        return {}
    known = {"prediction_opening": spec.prompt.opening, "prediction_closing": spec.prompt.fence}
    return {name: text for name, text in known.items() if text and name in abilities.fields}
