"""The base of all jobs: they advance in units, fail in one sentence, and answer exactly once."""

from __future__ import annotations

import logging
from collections.abc import Sequence
from time import monotonic
from typing import TYPE_CHECKING, ClassVar, cast

from editd import errors
from editd.config import Config
from editd.engine.local_text_source import (
    LocalTextSource,
    drafter_beside,
    may_ask_model,
)
from editd.engine.projects import Projects
from editd.engine.trace import Tracing
from editd.messages import (
    EditRequest,
    ErrorInfo,
    Failed,
    JobRequest,
    Progress,
    ServerMessage,
    Stage,
    WarmupRequest,
)
from editd.models.model import Model, ModelSpec, PooledModel
from editd.models.pool import ModelPool
from editd.models.text_source import AnswerSettings, Preparing, TextModel, TextSource
from editd.turns import Turns, critical_section, end_turn

if TYPE_CHECKING:
    pass
from editd.engine.answer_settings import answer_settings, check_settings

log = logging.getLogger(__name__)


class Job:
    """Carries out a request. Call ``advance()`` until ``finished``; exactly one final answer is returned.

    preparing: the last unit ended in the middle of work that needs no model, so other jobs should go first.
    """

    _OVERDUE: ClassVar[str]  # the sentence when the time is over; ``{0:g}``: seconds

    def __init__(self, pool: ModelPool, config: Config, request: JobRequest) -> None:
        self.request = request
        self.finished = False
        self.preparing = False
        self._pool = pool
        self._config = config
        self._settings = answer_settings(pool, config, request.options, request.request_id)
        self._started = monotonic()
        self._load_seconds = 0.0
        self._notices: list[str] = []
        self._model_name = ""
        self._acquired: list[ModelSpec] = []
        self._turns = Turns(self._work)

    def advance(self) -> list[ServerMessage]:
        """Run one unit of work and return its messages; with the last unit, an exception or a timeout the final
        answer alone. Empty once finished. Raises no ``Exception``: unexpected ones are logged, and the answer of an
        ``OSError`` names the file that cannot be used.
        """
        if self.finished:
            return []
        self.preparing = False
        try:
            self._check_time()
            sent: Sequence[ServerMessage] | None = self._turns.advance()
        except errors.EditdError as error:
            return self._end(error)
        except Exception as error:
            if (short := errors.as_out_of_memory(error)) is not None:
                log.info("request %s: %s", self.request.request_id, type(error).__name__)
                return self._end(short)
            log.exception("request %s failed", self.request.request_id)
            if isinstance(error, OSError) and error.filename:  # of the machine, not of editd
                return self._end(
                    errors.EditFailed(f"{error.filename} cannot be used: {error.strerror}.")
                )
            return self._end(
                errors.EditFailed("An internal error ended this edit; see `editd logs`.")
            )
        if self._turns.done:
            self.finished = True
            return [self._turns.result]
        self.preparing = sent is None
        return list(sent or ())

    def cancel(self, reason: str = "") -> list[ServerMessage]:
        """End the job between two units, give its models back, and return its final answer, which says that it was
        cancelled; empty if it is finished. reason: a sentence for the user in place of the usual one.
        """
        if self.finished:
            return []
        return self._end(errors.EditCancelled(reason or "The edit was cancelled."))

    def _work(self) -> ServerMessage:
        """Run the job and return its final answer; releases its models in the end, also on errors,
        which are passed on.
        """
        try:
            return self._run()
        finally:
            while self._acquired:
                self._pool.release(self._acquired.pop())

    def _run(self) -> ServerMessage:
        """Do all the work, from top to bottom, and return the final answer. Raises ``EditdError``."""
        raise NotImplementedError

    def _answer_error(self, error: errors.EditdError) -> ServerMessage:
        """The final answer of a job that ends with ``error``."""
        return Failed(self.request.request_id, ErrorInfo(error.code, str(error)))

    def _end(self, error: errors.EditdError) -> list[ServerMessage]:
        """End the work where it is, running its ``finally`` clauses, and return the final answer for ``error`` alone
        in a list; the job is finished then.
        """
        self._turns.close()  # its ``finally`` clauses give caches and models back
        self.finished = True
        return [self._answer_error(error)]

    def _send(self, messages: Sequence[ServerMessage] = ()) -> None:
        """End the unit with ``messages``."""
        end_turn(messages)

    def _acquire(self) -> PooledModel:
        """Load the request's model and hold it until the job ends; keeps its name for the result. Raises
        ``UsageError`` for settings that ``check_settings`` refuses, and what loading raises.
        """
        check_settings(self._settings)
        model = self._take(self._settings.spec)
        self._model_name = model.name
        return model

    def _text_source(
        self,
        model: PooledModel,
        projects: Projects | None = None,
        tracing: Tracing | None = None,
    ) -> TextSource:
        """Make the source of the answer's text for ``model``: a server's, or the local loop with its drafter, for
        which the draft model is loaded and the project opened.

        projects: may be drafted from. tracing: records the loop's rounds. Adds notices for a draft model or drafting
        that is not used. Raises what loading the draft model raises but ``ModelError``.
        """
        settings = self._drafting()
        if isinstance(model, TextModel):
            if settings.draft_spec is not None:
                self._add_notice(
                    f"The draft model {settings.draft_spec.name} is not used: a server writes the answer."
                )
            return model.text_source(settings)
        model = cast(Model, model)  # a model that is no ``TextModel`` has a target
        draft, project = self._acquire_draft(), None
        if projects is not None and isinstance(self.request, EditRequest | WarmupRequest):
            project = projects.snapshot(
                self.request, settings, model, self._add_notice, allowed=self._config.edit.workspace
            )
        if not model.target.rewindable:
            self._add_notice(
                f"{model.name} keeps a state that cannot be rewound: nothing is drafted."
            )
        drafter = drafter_beside(settings, model, draft)
        return LocalTextSource(model, settings, drafter, self._add_notice, draft, project, tracing)

    def _drafting(self) -> AnswerSettings:
        """The settings, with the drafter that suits this kind of job."""
        return self._settings

    def _acquire_draft(self) -> Model | None:
        """Load the draft model and hold it until the job ends.

        ``None`` if none is set; and, with a notice that says why, if the drafter does not use it, it cannot be loaded
        (``ModelError``), or it is a server's. Other errors of loading are passed on.
        """
        spec = self._settings.draft_spec
        if spec is None:
            return None
        if not may_ask_model(self._settings):
            self._add_notice(
                f"The draft model {spec.name} is not used, because the drafter was set to "
                f"{self._settings.drafter}: add draft-model or universal to it (--drafter)."
            )
            return None
        try:
            model = self._take(spec)
        except errors.ModelError as error:
            self._add_notice(f"Decoded without the draft model: {error}")
            return None
        if isinstance(model, TextModel):
            self._add_notice(
                f"{model.name} writes on another machine and cannot draft for this one."
            )
            return None
        return cast(Model, model)

    def _take(self, spec: ModelSpec) -> PooledModel:
        """Load a model, or take the loaded one, and hold it until the job ends; sends progress first if a load is
        needed, adds the time to that of loading, and adds the pool's notice. Raises what loading raises.
        """
        if not self._pool.ready(spec):
            self._send([self._progress("loading", f"loading {spec.title}", 0.0)])
        started = monotonic()
        try:
            with critical_section():
                model, notice = self._pool.acquire(spec)
        finally:
            self._load_seconds += monotonic() - started
        self._acquired.append(spec)
        self._add_notice(notice)
        return model

    def _check_time(self) -> None:
        """Raise ``AnswerCutOff`` once the request has taken longer than its timeout, in seconds; 0
        is no limit.

        An engine that no longer responds is ended by the daemon.
        """
        limit = self._settings.timeout
        if limit and monotonic() - self._started > limit:
            raise errors.AnswerCutOff(self._OVERDUE.format(limit))

    def _add_notice(self, sentence: str) -> None:
        """Add a sentence to the answer's notices, unless it is empty or among them."""
        if sentence and sentence not in self._notices:
            self._notices.append(sentence)

    def _send_preparing(self, step: Preparing) -> None:
        """End the unit with the progress of reading a prompt."""
        self._send([self._progress("prefill", step.message, step.fraction)])

    def _progress(self, stage: Stage, message: str, fraction: float | None = None) -> Progress:
        """A progress message of this request."""
        return Progress(self.request.request_id, stage, message, fraction)
