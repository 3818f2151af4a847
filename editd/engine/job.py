"""What all jobs share: they advance in units, fail in one sentence, and answer exactly once.

Here, too, are the projects that their answers may be drafted from: opened when a request first names one. Which
requests may use one is known here; reading its files is left to ``workspace``. If a project fails, only speed is
lost: the user gets one sentence about it, and the edit continues without it. The simplest job stands here as well:
the warm-up, the work for an edit that can be done before its instruction is known.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from time import monotonic
from typing import TYPE_CHECKING, ClassVar, cast

from editd import errors
from editd.config import Config
from editd.engine.local_writer import LocalTextSource, asks_project, drafter_beside, may_ask_model
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
from editd.messages.reports import Stats, WorkspaceStatus
from editd.models.model import Model, ModelSpec, PooledModel
from editd.models.pool import ModelPool
from editd.models.text_source import AnswerSettings, Preparing, TextModel, TextSource
from editd.turns import Turns, critical_section, end_turn

if TYPE_CHECKING:
    from editd.decode.drafters.base import Codec
    from editd.workspace.index import Index
    from editd.workspace.workspace import Workspace
from editd.diff.document import Document
from editd.engine.answer_settings import answer_settings, check_settings
from editd.engine.edit_prompts import write_prompts
from editd.messages import Done
from editd.models.text_source import AnswerSpec

log = logging.getLogger(__name__)


class Job:
    """A request being carried out. ``advance()`` until ``finished``; exactly one final answer is given.

    ``preparing``: the last unit ended in the middle of work that needs no model, so others lose
    nothing and gain much if they come first.
    """

    _OVERDUE: ClassVar[str]  # the user's message when the time is over; ``{0:g}``: seconds

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
        """Run one unit and return the messages to send. Never raises for a bad edit."""
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
            return self._end(
                errors.EditFailed("An internal error ended this edit; see `editd logs`.")
            )
        if self._turns.done:
            self.finished = True
            return [self._turns.result]
        self.preparing = sent is None
        return list(sent or ())

    def cancel(self, reason: str = "") -> list[ServerMessage]:
        """End it now, between units."""
        if self.finished:
            return []
        return self._end(errors.EditCancelled(reason or "The edit was cancelled."))

    def _work(self) -> ServerMessage:
        try:
            return self._run()
        finally:
            while self._acquired:
                self._pool.release(self._acquired.pop())

    def _run(self) -> ServerMessage:
        """All the work, from top to bottom; its final answer. Models are released when it ends."""
        raise NotImplementedError

    def _answer_error(self, error: errors.EditdError) -> ServerMessage:
        """The final answer of a request that ends with ``error``."""
        return Failed(self.request.request_id, ErrorInfo(error.code, str(error)))

    def _end(self, error: errors.EditdError) -> list[ServerMessage]:
        self._turns.close()  # its ``finally`` clauses give caches and models back
        self.finished = True
        return [self._answer_error(error)]

    def _send(self, messages: Sequence[ServerMessage] = ()) -> None:
        """End the unit with ``messages``."""
        end_turn(messages)

    def _acquire(self) -> PooledModel:
        """The model. Raises ``UsageError`` if the request asks for something unsupported."""
        check_settings(self._settings)
        model = self._take(self._settings.spec)
        self._model_name = model.name
        return model

    def _writer(
        self,
        model: PooledModel,
        projects: Projects | None = None,
        tracing: Tracing | None = None,
    ) -> TextSource:
        """The writer for ``model``: the model itself, or the local loop with its drafter.

        projects: those that may be drafted from. tracing: hears of the loop's rounds.
        """
        settings = self._drafting()
        if isinstance(model, TextModel):
            if settings.draft_spec is not None:
                self._note(
                    f"The draft model {settings.draft_spec.name} is not used: a server writes the answer."
                )
            return model.text_source(settings)
        model = cast(Model, model)  # what has no writer of its own has a target
        draft, project = self._acquire_draft(), None
        if projects is not None and isinstance(self.request, EditRequest | WarmupRequest):
            project = projects.snapshot(
                self.request, settings, model, self._note, allowed=self._config.edit.workspace
            )
        if not model.target.rewindable:
            self._note(f"{model.name} keeps a state that cannot be rewound: nothing is drafted.")
        drafter = drafter_beside(settings, model, draft)
        return LocalTextSource(model, settings, drafter, self._note, draft, project, tracing)

    def _drafting(self) -> AnswerSettings:
        """How this kind of job drafts."""
        return self._settings

    def _acquire_draft(self) -> Model | None:
        """The draft model, if it is used and can be loaded."""
        spec = self._settings.draft_spec
        if spec is None:
            return None
        if not may_ask_model(self._settings):
            self._note(
                f"The draft model {spec.name} is not used, because the drafter was set to "
                f"{self._settings.drafter}: add draft-model or universal to it (--drafter)."
            )
            return None
        try:
            model = self._take(spec)
        except errors.ModelError as error:
            self._note(f"Decoded without the draft model: {error}")
            return None
        if isinstance(model, TextModel):
            self._note(f"{model.name} writes on another machine and cannot draft for this one.")
            return None
        return cast(Model, model)

    def _take(self, spec: ModelSpec) -> PooledModel:
        """A model; the unit before says that it will be loaded, if necessary: that takes long."""
        if not self._pool.ready(spec):
            self._send([self._progress("loading", f"loading {spec.title}", 0.0)])
        started = monotonic()
        try:
            with critical_section():
                model, notice = self._pool.acquire(spec)
        finally:
            self._load_seconds += monotonic() - started
        self._acquired.append(spec)
        self._note(notice)
        return model

    def _check_time(self) -> None:
        """Raise ``AnswerCutOff`` once the request has taken longer than its user allows.

        An engine that no longer responds is ended by the daemon.
        """
        limit = self._settings.timeout
        if limit and monotonic() - self._started > limit:
            raise errors.AnswerCutOff(self._OVERDUE.format(limit))

    def _note(self, sentence: str) -> None:
        if sentence and sentence not in self._notices:
            self._notices.append(sentence)

    def _prepared(self, step: Preparing) -> None:
        """End the unit with what was done of reading a prompt."""
        self._send([self._progress("prefill", step.message, step.fraction)])

    def _progress(self, stage: Stage, message: str, fraction: float | None = None) -> Progress:
        return Progress(self.request.request_id, stage, message, fraction)


_MOST_OPEN = 4  # beyond which the one unused for longest is closed
_MOST_REFUSED = 8  # roots that are remembered as refused


class Projects:
    """The open workspaces of an engine. ``status`` may be asked from any thread."""

    def __init__(self) -> None:
        # Replaced, never changed, so that another thread may read them at any time. Last used, last.
        self._open: dict[tuple[Path, Codec], Workspace] = {}
        self._refused: dict[str, WorkspaceStatus] = {}

    def snapshot(
        self,
        request: EditRequest | WarmupRequest,
        settings: AnswerSettings,
        model: Model,
        note: Callable[[str], None],
        *,
        allowed: bool,
    ) -> Index | None:
        """The project that ``request`` may be drafted from, if it is ready; never waits for it.

        Opens the project if it is not open yet. allowed: by the configuration. ``note`` is told once
        why a project is not used.
        """
        root = request.workspace_root
        if not root or not allowed or not asks_project(settings.drafter):
            return None
        from editd.workspace.walk import refuse_root  # not imported unless a project is used

        if refusal := refuse_root(Path(root)):
            if root not in self._refused:
                note(refusal)
            kept = list(self._refused.items())[1 - _MOST_REFUSED :]
            self._refused = {**dict(kept), root: WorkspaceStatus(root, "refused", message=refusal)}
            return None
        return self._opened(Path(root).resolve(), model.codec).snapshot()

    def status(self) -> tuple[WorkspaceStatus, ...]:
        """The open projects, the last used first, then those that are not indexed, with the reason."""
        opened = (workspace.status() for workspace in reversed(self._open.values()))
        return (*opened, *reversed(self._refused.values()))

    def close(self) -> None:
        """Stop watching and reading; the next request opens its project again."""
        opened, self._open, self._refused = self._open, {}, {}
        for workspace in opened.values():
            workspace.close(wait=False)
        for workspace in opened.values():
            workspace.close()

    def _opened(self, root: Path, codec: Codec) -> Workspace:
        from editd.workspace.workspace import Workspace

        key = root, codec
        others = {known: workspace for known, workspace in self._open.items() if known != key}
        while len(others) >= _MOST_OPEN:
            others.pop(next(iter(others))).close(wait=False)
        workspace = self._open.get(key) or Workspace(root, codec)
        self._open = {**others, key: workspace}
        return workspace


def figures(
    counts: Stats | None,
    *,
    drafter: str,
    load_seconds: float,
    decode_seconds: float,
    total_seconds: float,
    first_hunk_ms: float | None = None,
    with_prediction: bool = True,
) -> Stats:
    """``Stats`` of one answer or of several. Times as there; with_prediction: drafts were of one.

    counts: ``None`` where nothing was written.
    """
    told = counts or Stats()
    tokens, rounds, accepted, drafted = told.output_tokens, told.rounds, told.accepted, told.drafted
    of_rounds = None
    if tokens is not None and rounds is not None:
        of_rounds = round(tokens / rounds, 2) if rounds else 0.0
    return replace(
        told,
        tokens_per_round=of_rounds,
        acceptance_rate=round((accepted or 0) / drafted, 4) if drafted else None,
        accepted_prediction_tokens=accepted if with_prediction else 0,
        rejected_prediction_tokens=told.rejected if with_prediction else 0,
        first_hunk_ms=first_hunk_ms,
        load_seconds=round(load_seconds, 3),
        decode_seconds=decode_seconds,
        total_seconds=total_seconds,
        tokens_per_second=None if tokens is None else round(tokens / max(decode_seconds, 1e-9), 1),
        drafter=drafter,
        written_by="model" if counts is not None else "",
    )


_MOST_SECONDS = 60.0  # of reading ahead
_CHARACTERS_A_TOKEN = 4


class WarmupJob(Job):
    """Load the models and put the buffer's part of the prompt into the prefix cache.

    What is prefilled is the prompt of an edit that asks for nothing: its ids are those of any
    edit of this buffer at least up to the buffer's end. A buffer that takes long to read is left out.
    """

    request: WarmupRequest

    def __init__(
        self, pool: ModelPool, config: Config, request: WarmupRequest, projects: Projects
    ) -> None:
        super().__init__(pool, config, request)
        self._projects = projects

    def _run(self) -> Done:
        request = self.request
        model = self._acquire()
        writer = self._writer(model, self._projects)
        edit = EditRequest(
            request.request_id,
            request.text,
            instruction="",
            path=request.path,
            language_id=request.language_id,
            start_line=request.start_line,
            end_line=request.end_line,
        )
        try:
            document = Document.of(request.text)
            asked = write_prompts(model, writer, edit, document)
        except errors.ScopeTooLarge as error:
            # The model is warm all the same; an edit of a part of this buffer may fit.
            return Done(request.request_id, f"warm, but the buffer was not read: {error}")
        parts, told = asked.parts(0), "warm"
        seconds = writer.seconds(len(request.text) // _CHARACTERS_A_TOKEN, 0)
        if seconds > _MOST_SECONDS:
            # An edit would hardly rewrite all of it, and a battery is not to be emptied for nothing.
            parts = replace(parts, before="", region="", after="")
            told = f"warm, but the buffer was not read: that takes about {seconds:.0f} s."
        wanted = AnswerSpec(prompt=asked.edit_format.prompt(parts), parts=parts)
        steps = writer.warm_up(wanted)
        with critical_section():
            for step in steps:
                if step is None:
                    self._send()
                else:
                    self._prepared(step)
        return Done(request.request_id, told)
