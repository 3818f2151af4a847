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
        """Tokens of prompt and answer: the fewer of the user's setting and the server's report.

        If there is neither, what servers of its kind usually have; the server's report counts from
        the first ``text_source`` on.
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
        """Create the text source of a request, after fetching the server's abilities and storing
        them, if they are not stored yet.

        Waits for that up to 15 s. Raises as ``fetch_abilities``.
        """
        if self._abilities is None:
            self._abilities = self.fetch_abilities()
        return RemoteTextSource(self, self._abilities, settings)

    def fetch_abilities(self) -> Abilities:
        """Ask the server for its list of models, and return the abilities of this model; stores
        nothing.

        Raises an ``EditdError`` if it cannot be reached, does not answer in 15 s, or lacks the
        model.
        """
        return read_abilities(self.address, self._fetch_listing(), self._model_name)

    def _fetch_listing(self) -> Event | None:
        """Request the server's list of models; returns its JSON object, or ``None`` if the server
        has no list (404, 405, 501).

        Calls ``yield_point`` while it waits, and closes the request in every case. Raises
        ``ServerFailed`` after 15 s without an answer or at an end without one, or the
        ``EditdError`` of the failed request.
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
        """The model's description for users; asks nothing of the server, so it says less before the
        first request.
        """
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
        """Close the connections. Safe to call twice; a later request opens new ones."""
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
        """Send the request for an answer; text arrives when ``advance`` is called on the returned
        generation. Raises ``EditRefused`` as ``_route``.
        """
        return self._start_generation(spec, self._most_tokens(spec), on_text)

    def warm_up(self, spec: AnswerSpec) -> Iterator[Preparing | None]:
        """Have the server read the prompt into its prefix cache, by a request for one token; yields
        progress, or ``None``, until that is answered.

        Raises the ``EditdError`` of a failed request. The request is closed when the iterator ends
        or is closed.
        """
        writing = self._start_generation(spec, 1, lambda _text, _cut: True, is_trial=True)
        try:
            while writing.finish_reason is None:
                step = writing.advance()
                yield step if isinstance(step, Preparing) else None
        finally:
            writing.close()

    def _start_generation(
        self, spec: AnswerSpec, most: int, on_text: OnText, *, is_trial: bool = False
    ) -> RemoteGeneration:
        """Send a request for at most ``most`` tokens; returns at once, with the answer as it streams in. is_trial: the
        text is not needed, so an answer of thoughts alone is not sent again.
        """
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
        """The most tokens for an answer.

        For a completion the user's limit, else half the context; for an edit the user's limit, else
        twice its region and 1,024, but no more than the context.
        """
        if spec.parts is None:
            return spec.max_new_tokens or self.max_context // 2
        region = self.count_tokens(spec.parts.region)
        return max_new_tokens(region, tokens_left=self.max_context, configured=spec.max_new_tokens)

    def _num_prompt_tokens(self, spec: AnswerSpec) -> int:
        """An estimate of the prompt's tokens: of its messages, or for an edit without messages of
        its text; 0 for a completion of a text.
        """
        prompt = spec.prompt
        if isinstance(prompt, CompleteRequest) or prompt.messages:
            texts = [message.content for message in prompt.messages]
        else:
            texts = [prompt.text]
        return sum(map(self.count_tokens, texts))
