"""A server as a model that writes its answers itself: the model, and its text source.

Tokens are counted by bytes. The request's body is left to ``request``, the streaming answer to ``streamed_answer``.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from time import monotonic
from typing import Any

from editd.errors import ServerFailed
from editd.messages import CompleteRequest
from editd.messages.reports import ModelStatus
from editd.models.model import ModelSpec
from editd.models.remote.abilities import Abilities, read_abilities
from editd.models.remote.chunk import EXACTNESS
from editd.models.remote.events import Event
from editd.models.remote.http_thread import HttpThread, Refusal
from editd.models.remote.request import PREDICTION, AnswerRequest, Habits
from editd.models.remote.server import Address
from editd.models.remote.streamed_answer import WAIT, RemoteGeneration
from editd.models.text_source import AnswerSettings, AnswerSpec, OnText, Preparing
from editd.prompts.budget import max_new_tokens
from editd.turns import yield_point

# Of source there are three or four; fewer make too much of a text, not too little.
_BYTES_PER_TOKEN = 3
_ANSWERED_SECONDS = 15.0  # in which a server has said which models it has
_NO_LIST = (404, 405, 501)  # statuses of a server that does not list its models


class RemoteModel:
    """A model of a server, whose abilities are fetched once, at the first use."""

    def __init__(self, spec: ModelSpec, address: Address) -> None:
        self.name = spec.title
        self.address = address
        self.habits = Habits()
        self._model_name = spec.name
        self._max_context = spec.max_context
        self._abilities: Abilities | None = None
        self._server: HttpThread | None = None

    memory_bytes = 0
    manifest: dict[str, Any] = {}  # noqa: RUF012  of a model of editd's own; never written

    @property
    def edit_format(self) -> str:
        """The format that the server's model was made for; ``messages`` if it names none, or was not asked yet."""
        return (self._abilities and self._abilities.edit_format) or "messages"

    @property
    def max_context(self) -> int:
        """Tokens of prompt and answer: the fewer of the user's setting and the server's report; if there is neither, what
        servers of its kind usually have.
        """
        abilities = self._abilities or Abilities()
        known = (self._max_context, abilities.max_context)
        return min(filter(None, known), default=abilities.usual_context)

    @property
    def server(self) -> HttpThread:
        """The connections, opened at the first access."""
        if self._server is None:
            self._server = HttpThread(self.address)
        return self._server

    def text_source(self, settings: AnswerSettings) -> RemoteTextSource:
        """Fetch the server's abilities, unless they are known; returns the text source of a request.

        Raises as ``fetch_abilities``.
        """
        if self._abilities is None:
            self._abilities = self.fetch_abilities()
        return RemoteTextSource(self, self._abilities, settings)

    def fetch_abilities(self) -> Abilities:
        """Ask the server for the abilities of this model.

        Raises an ``EditdError`` if it cannot be reached or lacks the model.
        """
        return read_abilities(self.address, self._fetch_listing(), self._model_name)

    def _fetch_listing(self) -> Event | None:
        """The server's list of models; ``None`` if it has none.

        Raises an ``EditdError``; waits ``_ANSWERED_SECONDS`` at most.
        """
        exchange = self.server.get("/models")
        ends = monotonic() + _ANSWERED_SECONDS
        try:
            while not (found := exchange.take(WAIT)):
                if exchange.ended or monotonic() > ends:
                    raise ServerFailed(f"{self.address.origin} does not answer: check the server.")
                yield_point()
        except Refusal as refusal:
            if refusal.status in _NO_LIST:
                return None
            raise refusal.error from None
        finally:
            exchange.close()
        return found[0]

    def status(self) -> ModelStatus:
        """The model's description for users."""
        parts = [self._abilities.description() if self._abilities else "", self.habits.described()]
        return ModelStatus(
            self.name,
            "ready",
            device=self.address.origin,
            exactness=EXACTNESS,
            runs=", ".join(filter(None, parts)),
        )

    def idle_work(self) -> bool:
        return False

    def drop_caches(self) -> None:
        """Do nothing: the server's caches are its own."""

    def close(self) -> None:
        """Close the connections."""
        server, self._server = self._server, None
        if server is not None:
            server.close()


@dataclass(frozen=True, slots=True)
class RemoteTextSource:
    """Writes the answers of one request on the server."""

    model: RemoteModel
    abilities: Abilities
    settings: AnswerSettings

    @property
    def drafter(self) -> str:
        predicts = self.abilities.prediction and PREDICTION not in self.model.habits.refused
        return PREDICTION if predicts else ""

    @property
    def max_context(self) -> int:
        return self.model.max_context

    render_chat = None

    def count_tokens(self, text: str) -> int:
        """An estimate of the tokens of ``text``, rather too high, by its bytes."""
        return -(-len(text.encode("utf-8", "replace")) // _BYTES_PER_TOKEN)

    def seconds(self, prompt_tokens: int, answer_tokens: int) -> float:  # noqa: ARG002
        """Always 0: the server's speed is unknown, so no buffer is narrowed to save time."""
        return 0.0

    def begin(self, spec: AnswerSpec, on_text: OnText) -> RemoteGeneration:
        """Send the request; ``advance`` reads the answer."""
        return self._writing(spec, self._most_tokens(spec), on_text)

    def warm_up(self, spec: AnswerSpec) -> Iterator[Preparing | None]:
        """Have the server read the prompt into its prefix cache, by a request for one token."""
        writing = self._writing(spec, 1, lambda _text, _cut: True, is_trial=True)
        try:
            while writing.finish_reason is None:
                step = writing.advance()
                yield step if isinstance(step, Preparing) else None
        finally:
            writing.close()

    def _writing(
        self, spec: AnswerSpec, most: int, on_text: OnText, *, is_trial: bool = False
    ) -> RemoteGeneration:
        """Send a request for at most ``most`` tokens."""
        request = AnswerRequest(
            spec,
            self.abilities,
            self.model.habits,
            self.settings.sampling,
            most,
            max_context=0 if is_trial else self.max_context,
            num_prompt_tokens=self._num_prompt_tokens(spec),
        )
        address, server = self.model.address, self.model.server
        return RemoteGeneration(address, server, request, on_text, spec.subject, is_trial=is_trial)

    def _most_tokens(self, spec: AnswerSpec) -> int:
        if spec.parts is None:
            return spec.max_new_tokens or self.max_context // 2
        region = self.count_tokens(spec.parts.region)
        return max_new_tokens(region, tokens_left=self.max_context, configured=spec.max_new_tokens)

    def _num_prompt_tokens(self, spec: AnswerSpec) -> int:
        prompt = spec.prompt
        if isinstance(prompt, CompleteRequest) or prompt.messages:
            texts = [message.content for message in prompt.messages]
        else:
            texts = [prompt.text]
        return sum(map(self.count_tokens, texts))
