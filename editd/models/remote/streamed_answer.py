"""An answer as it streams in: a server's events in, pieces of text, an end and figures out.

No call waits for longer than ``WAIT``, because the engine's loop has other work to look at. An answer that may be cut
off is never called whole: unless the server's reason for the end says that the model came to its end,
``finish_reason`` is ``length``, and the engine looks whether the answer's own end was read.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from time import monotonic

from editd.errors import AnswerCutOff, AnswerEnd, EditdError, EditRefused, ServerFailed
from editd.models.remote import faults
from editd.models.remote.chunk import (
    End,
    choice_in,
    chunk_in,
    error_in,
    stats_in,
    thought_tokens_in,
    tokens_in,
)
from editd.models.remote.events import Event
from editd.models.remote.http_thread import DONE, HttpThread, Refusal
from editd.models.remote.request import AnswerRequest
from editd.models.remote.server import Address
from editd.models.text_source import AnswerPiece, OnText, Preparing
from editd.prompts.budget import MOST_BYTES_PER_TOKEN
from editd.prompts.control_words import word_patterns

WAIT = 0.015
"""Longest wait for the server in one unit of work, in seconds."""

_FIRST_SECONDS, _SILENT_SECONDS = 300.0, 60.0  # without text: while a prompt is read, and later
_LAST_SECONDS = 0.05  # that figures are waited for after an answer that ended before its stream
_END_SECONDS = 1.0  # that a stream may go on after the server's word for its end
_HEAD = 40  # characters of an answer that show whether it begins with a thought


class RemoteGeneration:
    """An answer as it streams in.

    reading: what the server reads first, for a person. is_trial: the text is not needed, only that the server reads
    the prompt.
    """

    def __init__(
        self,
        address: Address,
        server: HttpThread,
        request: AnswerRequest,
        on_text: OnText,
        reading: str,
        *,
        is_trial: bool = False,
    ) -> None:
        self.finish_reason: AnswerEnd | None = None
        self.cut_off: EditdError | None = None
        self.counts = stats_in({})
        self._address, self._server, self._request = address, server, request
        self._on_text = on_text
        self._reading = reading
        self._is_trial = is_trial
        self._is_reading_reported = False
        self._send()

    def _send(self) -> None:
        """Send the request as its body is now, in a new exchange, and reset all that was received
        before, but for figures.
        """
        self._exchange = self._server.post(self._request.path, self._request.body())
        self._most_bytes = MOST_BYTES_PER_TOKEN * (self._request.max_tokens + 1)
        self._num_bytes = 0
        self._head = ""  # of the text
        self._thought = False  # whether the server sent, or counted, thoughts
        self._end: End | None = None
        self._is_done = False  # the server has said that nothing follows
        self._went_on = False  # with text, after the server's word for an end
        self._broken: EditdError | None = None
        self._last = monotonic()  # when text, or the word for an end, came
        self._complete_at: float | None = None  # when it was complete, whatever else comes

    @property
    def first_progress(self) -> None:
        """``None``: the server reads the prompt."""
        return None

    def advance(self) -> Sequence[AnswerPiece] | Preparing:
        """Take the events received by now, waiting up to ``WAIT`` for the first; returns the pieces
        of text, or once ``Preparing`` before any text.

        Passes the text to ``OnText``, and sets ``finish_reason`` once the answer is over. Sends the
        request again, from the beginning, if the server refuses something that can be changed
        (``AnswerRequest.learn``; returns nothing then), or if the answer was nothing but thoughts
        that can be turned off. Raises the ``EditdError`` of a failed request, and as
        ``_take_event`` and ``_finish``; a connection that breaks only ends the answer.
        """
        events: Sequence[Event] = ()
        try:
            events = self._exchange.take(WAIT)
        except Refusal as refusal:
            if not self._request.learn(refusal.status, refusal.body):
                raise refusal.error from None
            self._send()
            return ()
        except faults.Broken as error:
            self._broken = error
        before = self._num_bytes, self._end
        pieces = [piece for event in events for piece in self._take_event(event)]
        if (self._num_bytes, self._end) != before:
            self._last = monotonic()
        if self._is_over(monotonic()):
            self._finish()
        if not pieces and not self._num_bytes and not self._is_reading_reported:
            self._is_reading_reported = True
            return Preparing(f"{self._address.origin} is reading {self._reading}")
        return pieces

    def rest(self) -> str:
        """Empty: a server sends whole characters."""
        return ""

    def close(self) -> None:
        """Close the exchange, and with it the connection if the answer is not over. Safe to call
        twice.
        """
        self._exchange.close()

    def _take_event(self, event: Event) -> Iterator[AnswerPiece]:
        """Take one event: pass text to ``OnText``, store figures, thoughts and the server's reason
        for the end; yields a piece for each token or text.

        Text after the one that ``OnText`` called complete is dropped, and so is a whole answer
        after its parts. Raises the ``EditdError`` that the event reports, ``EditRefused`` if the
        model declines, ``ServerFailed`` if the server says that it broke off.
        """
        if event is DONE:
            self._is_done = True
            return
        if (error := error_in(event)) is not None:
            raise faults.in_stream(self._address, error)
        if isinstance(usage := event.get("usage"), dict) and usage.get("prompt_tokens") != 0:
            self.counts = stats_in(usage)  # with 0 it has not counted yet
            self._thought = self._thought or thought_tokens_in(usage) > 0
        if (choice := choice_in(event)) is None:
            return
        chunk = chunk_in(choice)
        if self._head and "delta" not in choice and "message" in choice:
            chunk = chunk._replace(text="")  # the whole answer once more, at its end
        if chunk.refusal:
            raise EditRefused(f"The model declined ({chunk.refusal[:120]}): try other words.")
        self._num_bytes += len((chunk.text + chunk.thought).encode("utf-8", "replace"))
        self._head += chunk.text[: _HEAD - len(self._head)]
        self._thought = self._thought or bool(chunk.thought)
        self._went_on = self._went_on or bool(self._end and chunk.text)
        for token, hesitation in tokens_in(choice, chunk.text):
            if self._complete_at is None:
                if self._on_text(token, False):
                    self._complete_at = monotonic()
                yield AnswerPiece("new", hesitation)
        self._end = chunk.end or self._end
        if chunk.end == "failure":
            raise ServerFailed(f"{self._address.origin} broke off its answer: try again.")

    def _is_over(self, now: float) -> bool:
        """Whether to stop waiting: the stream has ended, the answer is complete or has too many
        bytes, or the server is silent.

        Silent is: 1 s after its reason for an end, 60 s after text, 300 s before any; a complete
        answer waits 0.05 s for figures. Sets ``_end`` to ``limit`` above the byte limit, and
        ``_broken`` after silence in an answer that has no end yet.
        """
        if self._complete_at is not None:
            # It is complete for us; the server's figures come with its last word, if that is near.
            return self._exchange.ended or now > self._complete_at + _LAST_SECONDS
        if self._num_bytes > self._most_bytes:
            self._end = "limit"
            return True
        if self._exchange.ended:
            return True
        silence = now - self._last
        if self._end is not None and silence > _END_SECONDS:
            return True
        if silence > (_SILENT_SECONDS if self._num_bytes else _FIRST_SECONDS):
            sentence = f"has said nothing for {silence:.0f} s: check the server."
            self._broken = faults.Broken(f"{self._address.origin} {sentence}")
            return True
        return False

    def _finish(self) -> None:
        """Set ``finish_reason``, or send the request again if all was thoughts
        (``_retry_without_thoughts``, which may raise instead).

        ``stop`` for a whole answer, for a completion also at a call of a tool or a declared end of
        the stream; ``length`` for a completion at its limit, and for an edit in every other case,
        with ``cut_off`` set (``_cut_off_error``). Otherwise raises the error of a completion whose
        stream broke or was withheld. Thoughts are ignored in a trial.
        """
        if self._complete_at is not None:
            self.finish_reason = "stop"
            return
        if self._thought and not self._head.strip() and not self._is_trial:
            self._retry_without_thoughts()
            return
        if self._end == "whole" and not self._went_on:
            self.finish_reason = "stop"
        elif self._request.is_edit:
            self.finish_reason, self.cut_off = "length", self._cut_off_error()
        elif self._end == "limit":
            self.finish_reason = "length"
        elif self._end == "tool" or self._is_done:
            self.finish_reason = "stop"
        elif (reason := self._cut_off_error()) is not None:
            raise reason

    def _retry_without_thoughts(self) -> None:
        """Send the request again with fewer thoughts if it can ask for fewer and its stream did not
        break; else raise.

        Raises ``AnswerCutOff`` if thoughts took all tokens, else the error of the broken stream,
        else ``EditRefused``. Notes for later requests that the model thinks, if the stream did not
        break.
        """
        who = self._address.origin
        if self._broken is None and self._request.may_think_less():
            self._exchange.close()
            self._send()
            return
        if self._end == "limit":
            raise self._spent_on_thoughts()
        raise self._broken or EditRefused(
            f"{who} sent the model's thoughts and no answer: turn thinking off on the server, or try again."
        )

    def _spent_on_thoughts(self) -> AnswerCutOff:
        """The error of an answer whose tokens went into thoughts."""
        return AnswerCutOff(
            f"The model at {self._address.origin} spent its {self._request.max_tokens:,} tokens on thoughts before its "
            "answer was complete; nothing was changed: allow more (--max-new-tokens), or turn thinking off on the "
            "server."
        )

    def _cut_off_error(self) -> EditdError | None:
        """The error of an answer that is known not to be whole: ``EditRefused`` if it was withheld or the model called
        a tool, the error of thoughts that used up the limit of tokens, else what broke the stream (``Broken`` if
        nothing is known). ``None`` at a limit that it reached without thoughts.

        Notes for later requests that the model thinks, if the text that ended at a limit begins with a thought.
        """
        who = self._address.origin
        match self._end:
            case "limit" if word_patterns().thought.match(self._head.lstrip()):
                self._request.may_think_less()  # from the next request on: this text was given out
                return self._spent_on_thoughts()
            case "limit" if self._thought:
                return self._spent_on_thoughts()
            case "limit":
                return None
            case "withheld":
                return EditRefused(f"{who} withheld its answer.")
            case "tool":
                return EditRefused(
                    f"The model at {who} called a tool and did not write the text: turn its tools off, or try again."
                )
        sentence = f"{who} ended before its answer was complete: try again."
        return self._broken or faults.Broken(sentence)
