"""A completion: what an assistant says next, drafted from a text that is expected.

The request form of OpenAI-style *predicted outputs*. Told from top to bottom in
``CompleteJob._run``; the rounds are an edit's, but the answer is text, not lines.
"""

from __future__ import annotations

from dataclasses import replace
from time import monotonic

from editd import errors
from editd.decode.detokenizer import Detokenizer
from editd.decode.drafters import make_drafter
from editd.decode.drafters.base import DraftTask
from editd.decode.drafters.companion import Companion
from editd.decode.healing import Healing
from editd.decode.speculative import Decoding
from editd.demo import manifest
from editd.engine.drafting import begins_with_model, companion, drafter_beside
from editd.engine.figures import figures
from editd.engine.job import Job, Units
from editd.messages import CompleteRequest, CompleteResult, ErrorInfo, Failed
from editd.model.loader import LoadedModel
from editd.prompts.base import Prompt
from editd.prompts.conversation import conversation_prompt
from editd.prompts.stops import StopStrings

# Of those who draft without being asked for by name: the first goes through the prediction, the
# second needs none.
_WITH_PREDICTION, _WITHOUT = "prediction", "suffix"


class CompleteJob(Job):
    """One completion: load, prompt, decode up to a stop or the limit."""

    request: CompleteRequest
    _OVERDUE = "The completion was stopped after {0:g} s: allow more (decode.timeout)."

    def _run(self) -> Units:
        # 1) the model, and the one that drafts for it
        yield from self._loading()
        model = self._acquire()
        try:
            if sentence := _refusal(model):
                raise errors.EditRefused(sentence)
            yield from self._loading_draft()
            draft = self._acquire_draft()
            # 2) the prompt
            prompt = conversation_prompt(self.request.messages, model.render_chat, model.name)
            reply = _Reply(model, prompt, self.request.stop)
            room = model.target.max_context - len(reply.prompt_ids)
            if not reply.prompt_ids:
                raise errors.UsageError("The messages hold no text: say something.")
            if room < 1:
                raise errors.ScopeTooLarge(
                    f"The messages have {len(reply.prompt_ids):,} tokens, and the model reads at "
                    f"most {model.target.max_context:,}: send less."
                )
            # 3) rounds
            yield from self._decode(model, draft, prompt, reply, room)
        finally:
            self._release()

    def _decode(
        self,
        model: LoadedModel,
        draft: LoadedModel | None,
        prompt: Prompt,
        reply: _Reply,
        room: int,
    ) -> Units:
        asking = companion(self._settings, model, draft, self._note) if draft else None
        drafter = self._drafter(model, draft)
        wanted = self._settings.max_new_tokens
        decoding = Decoding(
            model.target,
            reply.prompt_ids,
            make_drafter(drafter, self._draft_task(model, prompt, reply, asking)),
            ends_answer=reply.ends_with,
            max_new_tokens=min(wanted or room, room),
            sampling=self._settings.sampling,
            window=self._settings.window_on(model),
            allowed=reply.healing,
        )
        started = monotonic()
        try:
            while asking and begins_with_model(drafter) and asking.prefill_chunk():
                self._check_time()
                yield [self._progress("prefill", "the draft model is reading the messages")]
            while decoding.finish_reason is None:
                self._check_time()
                if decoding.advance() is None:
                    yield [self._progress("prefill", "reading the messages", decoding.prefilled)]
                else:
                    yield [self._progress("decoding", "writing")]
        finally:
            decoding.close()
            if asking:
                asking.close()
        yield [
            CompleteResult(
                self.request.request_id,
                decoding.finish_reason,
                reply.text(),
                notices=tuple(self._notices),
                stats=figures(
                    decoding.stats,
                    drafter=drafter,
                    load_seconds=self._load_seconds,
                    decode_seconds=monotonic() - started,
                    total_seconds=monotonic() - self._started,
                    with_prediction=self.request.prediction is not None,
                ),
                model=model.name,
            )
        ]

    def _drafter(self, model: LoadedModel, draft: LoadedModel | None) -> str:
        """The spec of the drafter: the one that somebody chose, else one that suits a completion."""
        settings = self._settings
        if not settings.drafter_was_chosen:
            expected = self.request.prediction is not None
            settings = replace(settings, drafter=_WITH_PREDICTION if expected else _WITHOUT)
        return drafter_beside(settings, model, draft)

    def _draft_task(
        self, model: LoadedModel, prompt: Prompt, reply: _Reply, asking: Companion | None
    ) -> DraftTask:
        return DraftTask(
            prompt_ids=reply.prompt_ids,
            prediction=reply.required + (self.request.prediction or ""),
            answer_opening=prompt.opening.removesuffix(reply.required),
            instruction="",
            codec=model.codec,
            window=self._settings.window,
            options={"draft": asking},
        )

    def _answer_error(self, error: errors.EditdError) -> Failed:
        return Failed(self.request.request_id, ErrorInfo(error.code, str(error)))


class _Reply:
    """The assistant's text as it is written: token ids in, text out.

    ``prompt_ids``: what is fed before it. ``required``: text that healing took back from the end
    of a plain prompt and that the reply spells again first; a template's end stays as it is.
    """

    def __init__(self, model: LoadedModel, prompt: Prompt, stops: tuple[str, ...]) -> None:
        required = b""
        if model.render_chat is None:
            self.prompt_ids, required = model.codec.heal(prompt.segments)
        else:
            self.prompt_ids = model.codec.prompt_ids(prompt.segments)
        self.required = required.decode()
        self.healing = Healing(model.codec, required)
        self._stop_ids = model.stop_ids
        self._detokenizer = Detokenizer(model.codec, skip=len(required))
        self._stops = StopStrings(stops)
        self._pieces: list[str] = []

    def ends_with(self, token_id: int) -> bool:
        """Read one output token; is the reply complete with it?"""
        if token_id in self._stop_ids:
            return True
        self._pieces.append(self._stops.feed(self._detokenizer.feed(token_id)))
        return self._stops.found

    def text(self) -> str:
        """All of it, once it is over. A character that was never completed is left out."""
        return "".join(self._pieces) + self._stops.finish()


def _refusal(model: LoadedModel) -> str:
    """Why a model cannot say what comes next; empty if it can."""
    if manifest.is_solved(model.manifest):
        return manifest.refusal(model.manifest)
    if model.render_chat is None and model.edit_format not in (None, "plain"):
        return (
            f"{model.name} was made for edits and cannot hold a conversation: choose another "
            "model, see `editd models`."
        )
    return ""
