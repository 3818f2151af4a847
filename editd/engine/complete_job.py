"""A completion: an assistant's next message, drafted from an expected text.

The request form of OpenAI-style *predicted outputs*. Step by step in
``CompleteJob._run``; the rounds are an edit's, but the answer is text, not lines.
"""

from __future__ import annotations

from dataclasses import replace
from time import monotonic

from editd import errors
from editd.engine.figures import figures
from editd.engine.job import Job
from editd.messages import CompleteRequest, CompleteResult, TextDelta
from editd.models.model import PooledModel
from editd.models.text_source import AnswerSettings, AnswerSpec, Generation, Preparing, TextSource
from editd.prompts.answer import StopStrings
from editd.prompts.budget import MOST_BYTES_PER_TOKEN
from editd.turns import critical_section

# What drafts unless a drafter was chosen: with a prediction, and without one.
_WITH_PREDICTION, _WITHOUT = "buffer+suffix", "suffix"


class CompleteJob(Job):
    """Carries out a completion: load, prompt, decode up to a stop string or the limit."""

    request: CompleteRequest
    _OVERDUE = "The completion was stopped after {0:g} s: allow more (decode.timeout)."

    def _run(self) -> CompleteResult:
        """Load the model, write the answer, and return it as the result; sends progress, and text if the request
        streams.

        Raises ``EditRefused`` for a conversation with a model that only edits, ``ScopeTooLarge`` for messages that
        are too long, ``UsageError`` for messages without text, and what loading and the model raise.
        """
        # 1) the model, and the one that drafts for it
        model = self._acquire()
        source = self._text_source(model)
        request = self.request
        if sentence := _refusal(model, source, raw=request.prompt is not None):
            raise errors.EditRefused(sentence)
        # 2) the prompt
        self._check_size(source.max_context)
        reply = _Reply(request.stop)
        spec = AnswerSpec(
            prompt=request,
            expected=request.prediction or "",
            max_new_tokens=self._settings.max_new_tokens,
        )
        generation = source.begin(spec, reply.on_text)
        # 3) the answer
        with critical_section():
            return self._write(source, generation, reply)

    def _write(self, source: TextSource, generation: Generation, reply: _Reply) -> CompleteResult:
        """Write the answer to its end, sending progress and, if the request streams, its text; returns the result,
        with all of the text. Closes ``generation``, on errors too, which are passed on.
        """
        started = monotonic()
        try:
            while generation.finish_reason is None:
                step = generation.advance()
                if isinstance(step, Preparing):
                    self._send_preparing(step)
                elif self.request.stream and (text := reply.take()):
                    self._send([TextDelta(self.request.request_id, text)])
                else:
                    self._send([self._progress("decoding", "writing")] if step else [])
            if self.request.stream and (text := reply.finish()):
                self._send([TextDelta(self.request.request_id, text)])
        finally:
            generation.close()
        return CompleteResult(
            self.request.request_id,
            generation.finish_reason,
            reply.text(),
            notices=tuple(self._notices),
            stats=figures(
                generation.counts,
                drafter=source.drafter,
                load_seconds=self._load_seconds,
                decode_seconds=monotonic() - started,
                total_seconds=monotonic() - self._started,
                with_prediction=self.request.prediction is not None,
            ),
            model=self._model_name,
        )

    def _check_size(self, most_tokens: int) -> None:
        """Raise ``ScopeTooLarge`` if prompt and messages have more characters than ``most_tokens`` tokens can have
        (``MOST_BYTES_PER_TOKEN`` each). No tokens are counted.
        """
        texts = [self.request.prompt or "", *(message.content for message in self.request.messages)]
        size = sum(map(len, texts))
        if size > MOST_BYTES_PER_TOKEN * most_tokens:
            raise errors.ScopeTooLarge(
                f"The messages have {size:,} characters, and the model reads at most "
                f"{most_tokens:,} tokens: send less."
            )

    def _drafting(self) -> AnswerSettings:
        """The settings with the drafter that the user chose; else, in a copy, one for a completion with a prediction
        (``buffer+suffix``), or without (``suffix``).
        """
        if self._settings.drafter_was_chosen:
            return self._settings
        expected = self.request.prediction is not None
        return replace(self._settings, drafter=_WITH_PREDICTION if expected else _WITHOUT)


class _Reply:
    """The answer's text up to the first of ``stops``, as it is written."""

    def __init__(self, stops: tuple[str, ...]) -> None:
        self._stops = StopStrings(stops)
        self._pieces: list[str] = []
        self._taken = 0  # of the pieces

    def on_text(self, text: str, cut: bool) -> bool:  # noqa: ARG002, FBT001  as ``text_source.OnText``
        """Add a piece of text; returns whether a stop string ended the reply."""
        self._pieces.append(self._stops.feed(text))
        return self._stops.found

    def take(self) -> str:
        """Take the text since the last call that can no longer become part of a stop string, and count it as taken;
        empty if there is none.
        """
        text = "".join(self._pieces[self._taken :])
        self._taken = len(self._pieces)
        return text

    def finish(self) -> str:
        """End the text and take the rest. An incomplete character is left out."""
        self._pieces.append(self._stops.finish())
        return self.take()

    def text(self) -> str:
        """End the text and return all of it."""
        self.finish()
        return "".join(self._pieces)


def _refusal(model: PooledModel, source: TextSource, *, raw: bool) -> str:
    """A sentence on why the model cannot complete a request; empty if it can.

    raw: the request is a prompt, which any model continues. A conversation needs a chat template, unless the model
    has no prompt format of its own, or the format ``plain`` or ``messages``.
    """
    if (
        not raw
        and source.render_chat is None
        and model.edit_format not in (None, "plain", "messages")
    ):
        return (
            f"{model.name} was made for edits and cannot hold a conversation: choose another "
            "model, see `editd models`."
        )
    return ""
