"""A server as the writer of answers: its stream of text in, pieces of an answer out.

Nothing waits here for longer than ``WAIT``: the engine's loop looks in, and goes on.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from time import monotonic
from typing import Any

from editd.backends.model import ModelSpec
from editd.engine.settings import Settings
from editd.engine.writing import FinishReason, Hears, Reading, Wanted
from editd.errors import EditRefused, ServerFailed
from editd.messages import ModelStatus, Stats
from editd.pieces import Pieces
from editd.prompts.base import Prompt, RenderChat
from editd.prompts.budget import MOST_BYTES_PER_TOKEN, max_new_tokens
from editd.remote import faults
from editd.remote.abilities import Abilities, read_abilities
from editd.remote.address import Address
from editd.remote.asking import PREDICTION, path_and_body
from editd.remote.line import Exchange, Line, Rejected
from editd.remote.tokenizer import Tokenizer

EXACTNESS = "remote"
"""Equality with plain decoding is what the server makes of it; nothing is promised from here."""

WAIT = 0.015
"""Seconds that a unit of work waits for news."""

_CONTEXT = 8192  # tokens, of a server that does not say
# Of source there are three or four; fewer make too much of a text, not too little.
_BYTES_PER_TOKEN = 3
_FIRST_SECONDS, _SILENT_SECONDS = 300.0, 60.0  # without text: while a prompt is read, and later
_LAST_SECONDS = 0.05  # that figures are waited for after an answer that ended before its stream
_ANSWERED_SECONDS = 15.0  # in which a server has said which models it has


class RemoteModel:
    """One model of one server. What it can do is asked once, when it is first used."""

    def __init__(
        self,
        spec: ModelSpec,
        address: Address,
        tokenizer: Tokenizer | None = None,
        clock: Callable[[], float] = monotonic,
    ) -> None:
        self.name = spec.title
        self.started = 0.0
        self.served_name = spec.name
        self.address = address
        self.tokenizer = tokenizer
        self.clock = clock
        self.predicts = True  # until the server refuses a prediction
        self._max_context = spec.max_context
        self._abilities: Abilities | None = None
        self._line: Line | None = None

    memory_bytes = 0

    @property
    def manifest(self) -> dict[str, Any]:
        return self.tokenizer.manifest if self.tokenizer else {}

    @property
    def edit_format(self) -> str | None:
        if self.writes_prompts:
            named = self.manifest.get("format")
            return named if isinstance(named, str) else None
        return (self._abilities and self._abilities.edit_format) or "messages"

    @property
    def writes_prompts(self) -> bool:
        """Whether prompts are token ids: the model's format and template are known here, too."""
        if self.tokenizer is None or self._abilities is None or not self._abilities.token_ids:
            return False
        return self.tokenizer.render_chat is not None or "format" in self.manifest

    @property
    def max_context(self) -> int:
        """Tokens: what the user set, unless the server has fewer."""
        told = self._abilities.max_context if self._abilities else 0
        return min(filter(None, (self._max_context, told)), default=_CONTEXT)

    @property
    def line(self) -> Line:
        """The connections, from the first request on."""
        if self._line is None:
            self._line = Line(self.address)
        return self._line

    def writer(self, settings: Settings) -> Pieces[RemoteWriter]:
        """Ask the server what it can do, unless that is known."""
        if self._abilities is None:
            self._abilities = yield from self.asking()
        return RemoteWriter(self, self._abilities, settings)

    def asking(self) -> Pieces[Abilities]:
        """What the server says of this model; raises an ``EditdError`` where it cannot be asked."""
        exchange = self.line.get("/models")
        ends = self.clock() + _ANSWERED_SECONDS
        try:
            while not (found := exchange.take(WAIT)):
                if exchange.ended or self.clock() > ends:
                    raise ServerFailed(
                        f"{self.address.origin} does not answer: look whether it is well."
                    )
                yield
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
        line, self._line = self._line, None
        if line is not None:
            line.close()


@dataclass(frozen=True, slots=True)
class RemoteWriter:
    """Writes the answers of one request on the server."""

    model: RemoteModel
    abilities: Abilities
    settings: Settings

    @property
    def drafter(self) -> str:
        return PREDICTION if self._predicts else ""

    @property
    def max_context(self) -> int:
        return self.model.max_context

    @property
    def render_chat(self) -> RenderChat | None:
        model = self.model
        return model.tokenizer.render_chat if model.tokenizer and model.writes_prompts else None

    def count_tokens(self, text: str) -> int:
        if self.model.tokenizer is not None:
            return len(self.model.tokenizer.codec.encode(text))
        return -(-len(text.encode("utf-8", "replace")) // _BYTES_PER_TOKEN)

    def seconds(self, prompt_tokens: int, answer_tokens: int) -> float:  # noqa: ARG002
        """Nothing is known of the server's speed, so no buffer is narrowed to save time."""
        return 0.0

    def begin(self, wanted: Wanted, hears: Hears) -> Pieces[RemoteWriting]:
        """Send the request; what comes back is heard by ``advance``."""
        most, ids = self._most_tokens(wanted), (yield from self._prompt_ids(wanted))
        return RemoteWriting(
            self.model, lambda: self._ask(wanted, most, ids), hears, wanted.told, most
        )

    def warm_up(self, wanted: Wanted) -> Pieces[Iterator[Reading | None]]:
        """Have the server read the prompt, so that its prefix cache holds it."""
        return self._warming(wanted, (yield from self._prompt_ids(wanted)))

    @property
    def _predicts(self) -> bool:
        return self.abilities.prediction and self.model.predicts

    def _warming(self, wanted: Wanted, ids: list[int] | None) -> Iterator[Reading | None]:
        writing = RemoteWriting(
            self.model, lambda: self._ask(wanted, 1, ids), lambda _text, _cut: True, wanted.told, 1
        )
        try:
            while writing.finish_reason is None:
                step = writing.advance()
                yield step if isinstance(step, Reading) else None
        finally:
            writing.close()

    def _prompt_ids(self, wanted: Wanted) -> Pieces[list[int] | None]:
        """An edit's prompt in the model's tokens, where the server takes them."""
        if self.model.tokenizer is None or not self.model.writes_prompts:
            return None
        if not isinstance(wanted.asked, Prompt):
            return None
        return (yield from self.model.tokenizer.codec.prompt_pieces(wanted.asked.segments))

    def _ask(self, wanted: Wanted, max_tokens: int, ids: list[int] | None) -> Exchange:
        path, body = path_and_body(
            wanted, self.model.served_name, self.abilities, self.settings.sampling, max_tokens, ids
        )
        if not self.model.predicts:
            body.pop(PREDICTION, None)
        blame = PREDICTION if PREDICTION in body else ""
        return self.model.line.post(path, body, model=self.model.served_name, blame=blame)

    def _most_tokens(self, wanted: Wanted) -> int:
        if wanted.parts is None:
            return wanted.max_new_tokens or self.max_context // 2
        region = self.count_tokens(wanted.parts.region)
        return max_new_tokens(region, room=self.max_context, configured=wanted.max_new_tokens)


class RemoteWriting:
    """One answer as it streams in. ``ask`` begins it, and again if a field is not taken."""

    def __init__(
        self,
        model: RemoteModel,
        ask: Callable[[], Exchange],
        hears: Hears,
        read: str,
        max_tokens: int,
    ) -> None:
        self.finish_reason: FinishReason | None = None
        self._counts = ServerCounts()
        self._model = model
        self._ask = ask
        self._exchange = ask()
        self._hears = hears
        self._read = read
        self._told_reading = False
        self._most_bytes = MOST_BYTES_PER_TOKEN * (max_tokens + 1)
        self._num_bytes = 0
        self._said: FinishReason | None = None  # why it ended, in the server's words
        self._last = model.clock()  # when text came
        self._complete_at: float | None = None  # when it was complete, whatever else comes

    @property
    def counts(self) -> ServerCounts:
        return self._counts

    def advance(self) -> Sequence[str] | Reading:
        """Whatever has come by now; waits ``WAIT`` for it."""
        try:
            events = self._exchange.take(WAIT)
        except Rejected:
            self._model.predicts = False
            self._exchange = self._ask()
            return ()
        sources = [source for event in events for source in self._heard(event)]
        self._check(self._model.clock(), came=bool(sources))
        if not self._num_bytes and not self._told_reading:
            self._told_reading = True
            return Reading(f"{self._model.address.origin} is reading {self._read}")
        return sources

    def rest(self) -> str:
        return ""

    def close(self) -> None:
        self._exchange.close()

    def _heard(self, event: dict[str, Any]) -> Iterator[str]:
        """One event; yields a source for each piece of text."""
        if event.get("error") is not None:
            raise faults.in_stream(self._model.address, event)
        if isinstance(usage := event.get("usage"), dict):
            self._counts = ServerCounts.of(usage)
        if event.get("done") is True:
            self._said = self._said or "stop"
        choices = event.get("choices")
        choice = choices[0] if isinstance(choices, list) and choices else None
        if not isinstance(choice, dict):
            return
        text = _text_of(choice)
        if text and self._complete_at is None:
            self._num_bytes += len(text.encode("utf-8", "replace"))
            if self._hears(text, False):
                self._complete_at = self._model.clock()
            yield "new"
        match choice.get("finish_reason"):
            case "stop" | "length" as reason:
                self._said = reason
            case "content_filter":
                raise EditRefused(f"{self._model.address.origin} held its answer back.")
            case str():
                self._said = "stop"

    def _check(self, now: float, *, came: bool) -> None:
        """Whether it is over, one way or another."""
        if came:
            self._last = now
        who = self._model.address.origin
        if self._complete_at is not None:
            # It is complete for us; the server's figures come with its last word, if that is near.
            if self._exchange.ended or now > self._complete_at + _LAST_SECONDS:
                self.finish_reason = "stop"
        elif self._exchange.ended:
            if self._said is None:
                raise ServerFailed(f"{who} broke off before its answer was complete: try again.")
            self.finish_reason = self._said
        elif self._num_bytes > self._most_bytes:
            self.finish_reason = "length"
        elif now - self._last > (_SILENT_SECONDS if self._num_bytes else _FIRST_SECONDS):
            raise ServerFailed(
                f"{who} has said nothing for {now - self._last:.0f} s: look whether it is well."
            )


def _text_of(choice: dict[str, Any]) -> str:
    delta = choice.get("delta")
    text = delta.get("content") if isinstance(delta, dict) else choice.get("text")
    return text if isinstance(text, str) else ""


@dataclass(frozen=True, slots=True)
class ServerCounts:
    """OpenAI's ``usage``; ``None`` where a server does not say."""

    prompt_tokens: int | None = None
    output_tokens: int | None = None
    cached_tokens: int | None = None
    accepted: int | None = None
    rejected: int | None = None

    @classmethod
    def of(cls, usage: dict[str, Any]) -> ServerCounts:
        """What a server counted."""

        def number(table: Any, name: str) -> int | None:
            value = table.get(name) if isinstance(table, dict) else None
            return value if type(value) is int and value >= 0 else None

        written = usage.get("completion_tokens_details")
        return cls(
            number(usage, "prompt_tokens"),
            number(usage, "completion_tokens"),
            number(usage.get("prompt_tokens_details"), "cached_tokens"),
            number(written, "accepted_prediction_tokens"),
            number(written, "rejected_prediction_tokens"),
        )

    def __add__(self, other: ServerCounts) -> ServerCounts:
        def both(one: int | None, two: int | None) -> int | None:
            return None if one is None or two is None else one + two

        return ServerCounts(
            both(self.prompt_tokens, other.prompt_tokens),
            both(self.output_tokens, other.output_tokens),
            both(self.cached_tokens, other.cached_tokens),
            both(self.accepted, other.accepted),
            both(self.rejected, other.rejected),
        )

    def told(self) -> Stats:
        """As a user is told; rounds, margins and windows are nobody's but the server's."""
        drafted = None
        if self.accepted is not None and self.rejected is not None:
            drafted = self.accepted + self.rejected
        return Stats(
            prompt_tokens=self.prompt_tokens,
            cached_tokens=self.cached_tokens,
            output_tokens=self.output_tokens,
            rounds=None,
            tokens_per_round=None,
            drafted=drafted,
            accepted=self.accepted,
            rejected=self.rejected,
            acceptance_rate=round((self.accepted or 0) / drafted, 4) if drafted else None,
            tree_rounds=None,
            accepted_prediction_tokens=self.accepted,
            rejected_prediction_tokens=self.rejected,
            drafter_seconds=None,
            exactness=EXACTNESS,
            near_ties=None,
            window=None,
            last_window=None,
        )
