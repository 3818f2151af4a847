"""A server as a model that writes its answers itself: what it can do, and what it is asked for.

Tokens are counted by bytes. ``path_and_body`` is a request in OpenAI's form. Streaming the answer in is left to
``streamed_answer``.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from time import monotonic
from typing import Any

from editd.breathing import breathe
from editd.decode.target import Sampling
from editd.engine.writer import AnswerSettings, AnswerSpec, OnText, Preparing
from editd.errors import EditRefused, ServerFailed
from editd.messages import ChatMessage, CompleteRequest
from editd.messages.reports import ModelStatus
from editd.models.model import ModelSpec
from editd.models.remote.http_thread import Exchange, HttpThread
from editd.models.remote.server import Abilities, Address, read_abilities
from editd.models.remote.streamed_answer import EXACTNESS, WAIT, RemoteWriting
from editd.prompts.base import Prompt
from editd.prompts.budget import max_new_tokens

# Of source there are three or four; fewer make too much of a text, not too little.
_BYTES_PER_TOKEN = 3
_ANSWERED_SECONDS = 15.0  # in which a server has said which models it has


class RemoteModel:
    """One model of one server. What it can do is asked once, when it is first used."""

    def __init__(self, spec: ModelSpec, address: Address) -> None:
        self.name = spec.title
        self.served_name = spec.name
        self.address = address
        self.refused: set[str] = set()
        """Fields that the server has said it does not take."""
        self._max_context = spec.max_context
        self._abilities: Abilities | None = None
        self._server: HttpThread | None = None

    memory_bytes = 0
    manifest: dict[str, Any] = {}  # noqa: RUF012  of a model of editd's own; never written

    @property
    def edit_format(self) -> str | None:
        return (self._abilities and self._abilities.edit_format) or "messages"

    @property
    def max_context(self) -> int:
        """Tokens: what the user set, unless the server has fewer."""
        abilities = self._abilities or Abilities()
        told = (self._max_context, abilities.max_context)
        return min(filter(None, told), default=abilities.usual_context)

    @property
    def server(self) -> HttpThread:
        """The connections, from the first request on."""
        if self._server is None:
            self._server = HttpThread(self.address)
        return self._server

    def writer(self, settings: AnswerSettings) -> RemoteWriter:
        """Ask the server what it can do, unless that is known."""
        if self._abilities is None:
            self._abilities = self.asking()
        return RemoteWriter(self, self._abilities, settings)

    def asking(self) -> Abilities:
        """What the server reports about this model; raises an ``EditdError`` if it cannot be reached."""
        exchange = self.server.get("/models")
        ends = monotonic() + _ANSWERED_SECONDS
        try:
            while not (found := exchange.take(WAIT)):
                if exchange.ended or monotonic() > ends:
                    raise ServerFailed(f"{self.address.origin} does not answer: check the server.")
                breathe()
        finally:
            exchange.close()
        return read_abilities(self.address, found[0], self.served_name)

    def status(self) -> ModelStatus:
        return ModelStatus(
            self.name,
            "ready",
            device=self.address.origin,
            exactness=EXACTNESS,
            runs=self._abilities.told() if self._abilities else "",
        )

    def idle_work(self) -> bool:
        return False

    def drop_caches(self) -> None:
        """The server's caches are its own."""

    def close(self) -> None:
        server, self._server = self._server, None
        if server is not None:
            server.close()


@dataclass(frozen=True, slots=True)
class RemoteWriter:
    """Writes the answers of one request on the server."""

    model: RemoteModel
    abilities: Abilities
    settings: AnswerSettings

    @property
    def drafter(self) -> str:
        return PREDICTION if self._predicts else ""

    @property
    def max_context(self) -> int:
        return self.model.max_context

    render_chat = None

    def count_tokens(self, text: str) -> int:
        return -(-len(text.encode("utf-8", "replace")) // _BYTES_PER_TOKEN)

    def seconds(self, prompt_tokens: int, answer_tokens: int) -> float:  # noqa: ARG002
        """Nothing is known of the server's speed, so no buffer is narrowed to save time."""
        return 0.0

    def begin(self, wanted: AnswerSpec, on_text: OnText) -> RemoteWriting:
        """Send the request; what comes back is heard by ``advance``."""
        return self._writing(wanted, self._most_tokens(wanted), on_text)

    def warm_up(self, wanted: AnswerSpec) -> Iterator[Preparing | None]:
        """Have the server read the prompt, so that its prefix cache holds it."""
        writing = self._writing(wanted, 1, lambda _text, _cut: True)
        try:
            while writing.finish_reason is None:
                step = writing.advance()
                yield step if isinstance(step, Preparing) else None
        finally:
            writing.close()

    @property
    def _predicts(self) -> bool:
        return self.abilities.prediction and PREDICTION not in self.model.refused

    def _writing(self, wanted: AnswerSpec, most: int, on_text: OnText) -> RemoteWriting:
        """The answer to a request that is sent now, and again without what the server does
        not take.
        """
        path, body = path_and_body(
            wanted, self.model.served_name, self.abilities, self.settings.sampling, most
        )

        def ask(refused: Collection[str] = ()) -> Exchange:
            self.model.refused.update(refused)
            sent = {name: value for name, value in body.items() if name not in self.model.refused}
            spare = [name for name in SPARE if name in sent]
            return self.model.server.post(path, sent, model=self.model.served_name, spare=spare)

        return RemoteWriting(self.model.address, ask, on_text, wanted.told, most)

    def _most_tokens(self, wanted: AnswerSpec) -> int:
        if wanted.parts is None:
            return wanted.max_new_tokens or self.max_context // 2
        region = self.count_tokens(wanted.parts.region)
        return max_new_tokens(region, room=self.max_context, configured=wanted.max_new_tokens)


CHAT, TEXT = "/chat/completions", "/completions"

PREDICTION, FINER, USAGE = "prediction", "vllm_xargs", "stream_options"
LOGPROBS, RIVALS = "logprobs", "top_logprobs"
SPARE = (PREDICTION, FINER, USAGE, LOGPROBS, RIVALS)
"""Fields that a request is sent without where the server does not take them."""


def path_and_body(
    wanted: AnswerSpec,
    model: str,
    abilities: Abilities,
    sampling: Sampling,
    max_tokens: int,
) -> tuple[str, dict[str, Any]]:
    """Where to ask, and what.

    Raises ``EditRefused`` for a text that cannot be sent as it is.
    """
    path, asked = _asked(wanted.asked)
    body = {
        "model": model,
        **asked,
        "max_tokens": max_tokens,
        "stream": True,
        USAGE: {"include_usage": True},
        **_sampled(sampling),
    }
    if wanted.expected and abilities.prediction:
        body[PREDICTION] = {"type": "content", "content": wanted.expected}
        if more := _finer(wanted, abilities):
            body[FINER] = more
    elif abilities.logprobs and path == CHAT and wanted.parts is not None:
        body |= {LOGPROBS: True, RIVALS: 2}  # OpenAI takes none beside a prediction
    return path, body


def _asked(asked: Prompt | CompleteRequest) -> tuple[str, dict[str, Any]]:
    if isinstance(asked, CompleteRequest):
        stops = {"stop": list(asked.stop)} if asked.stop else {}
        if asked.prompt is not None:
            return TEXT, {"prompt": asked.prompt, **stops}
        return CHAT, {"messages": _told(asked.messages), **stops}
    if asked.messages:
        return CHAT, {"messages": _told(asked.messages)}
    _check_control(asked)
    return TEXT, {"prompt": asked.text}


def _told(messages: Sequence[ChatMessage]) -> list[dict[str, str]]:
    return [{"role": message.role, "content": message.content} for message in messages]


def _check_control(prompt: Prompt) -> None:
    """As text the format's control tokens could not be told from a buffer's own words."""
    control = {text for text, is_control in prompt.segments if is_control}
    for text, is_control in prompt.segments:
        if not is_control and (found := next((word for word in control if word in text), None)):
            raise EditRefused(
                f"The text holds {found}, a control token of the server's model, and the "
                f"server cannot tell it from one: select lines without it."
            )


def _sampled(sampling: Sampling) -> dict[str, Any]:
    """How to choose; what was left as it is, the server decides but for the temperature."""
    plain = Sampling()
    told: dict[str, Any] = {"temperature": 0.0 if sampling.greedy else sampling.temperature}
    for name in ("top_p", "top_k", "seed"):
        value = getattr(sampling, name)
        if value != getattr(plain, name):
            told[name] = value
    return told


def _finer(wanted: AnswerSpec, abilities: Abilities) -> dict[str, str]:
    """What editd-vllm takes beside a prediction."""
    if not isinstance(wanted.asked, Prompt):
        return {}
    given = {
        "prediction_opening": wanted.asked.opening,
        "prediction_closing": wanted.asked.fence,
    }
    return {name: text for name, text in given.items() if text and name in abilities.fields}
