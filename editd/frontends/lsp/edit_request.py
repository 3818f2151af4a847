"""One edit, from ``editd/edit`` to its answer.

What the document decides is read when the request arrives: its text at its version, or text in the
request itself. Then the edit runs beside whatever else the client says. The answer is always a result:
an edit that was refused, failed, was cut off or cancelled by ``editd/cancel`` says so in
``finish_reason``. JSON-RPC errors are for requests that are wrong in themselves, and for
``$/cancelRequest``, whose answer LSP prescribes.
"""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Callable, Sequence
from pathlib import PurePath
from typing import Any
from urllib.parse import unquote, urlsplit
from uuid import uuid4

from pygls.exceptions import JsonRpcContentModified, JsonRpcInvalidParams

from editd.daemon.engine_client import refuse_half_characters
from editd.diff.document import split_lines
from editd.diff.hunk import Hunk, Keep, Op, merge_ops
from editd.errors import EditCancelled, EditdError, EditFailed, EditRefused, UsageError
from editd.frontends.lsp import methods
from editd.frontends.lsp.documents import selected_lines
from editd.frontends.lsp.initialization import local_path, merged
from editd.frontends.lsp.methods import (
    ContextEntry,
    EditAnswer,
    EditDelta,
    EditParams,
    HunkOp,
    KeepOp,
    WarmupParams,
)
from editd.frontends.lsp.protocol import log_internal_error
from editd.frontends.lsp.rebase import PlacedEdit, applied
from editd.frontends.lsp.review import acceptable, tell_hunk, text_edits
from editd.frontends.lsp.session import LiveEdit, Session, WorkDone, title_of
from editd.messages import ContextItem, Delta, EditRequest, EditResult, ErrorInfo, Progress
from editd.outcome import DONE, outcome_of

DELTA_SECONDS = 0.03  # least time between two deltas of an edit
CANCEL_SECONDS = 0.5  # how long a cancelled edit may take to say its figures
UNCHECKED = "The edit was stopped: no check has looked at these hunks."


def edit(session: Session, params: EditParams) -> asyncio.Future[EditAnswer]:
    """Handler of ``editd/edit``."""
    return start_edit(session, params)[1]


def start_edit(
    session: Session, params: EditParams, *, quiet: bool = False
) -> tuple[LiveEdit, asyncio.Future[EditAnswer]]:
    """Begin an edit; the future is its answer. Raises a JSON-RPC error if params are wrong.

    quiet: send the client only work-done progress before the answer.
    """
    # 1) the request
    known = session.edits.get(params.edit_token)
    if known is not None and known.running:
        raise JsonRpcInvalidParams(f"params.editToken {params.edit_token!r} names a running edit.")
    lines, source = source_of(session, params)
    request = _request(session, params, source, lines)
    # 2) a refinement takes the place of what it refines
    if params.based_on is not None:
        earlier = session.edits.get(params.based_on)
        if earlier is not None:  # it may run again, under the name of the one that was answered
            earlier.drop("A refinement replaced it.")
            session.edits.forget(params.based_on)
    # 3) from here on its hunks follow the document
    live = LiveEdit(params.edit_token, request, PlacedEdit(lines), quiet=quiet)
    session.edits.add(live)
    task = live.task = asyncio.ensure_future(_run(session, live, params.work_done_token))
    # Not in a `finally` of the task: one that is cancelled before its first step never gets there.
    task.add_done_callback(lambda done: _after(session, live, done))
    return live, task


async def _run(session: Session, live: LiveEdit, token: str | int | None) -> EditAnswer:
    """Run the edit in the engine, and report its progress."""
    progress = session.work_done(
        title_of(live.request.instruction),
        token,
        lambda: live.stop("You cancelled the edit.", keep=session.options.lsp.keep_on_cancel),
    )
    deltas = DeltaStream(lambda ops: _send_delta(session, live, ops), DELTA_SECONDS, session.busy)
    session.status.began(live)
    result = ended(live, EditCancelled("The edit was cancelled."))
    try:
        result = await _until_stopped(session, live, progress, deltas)
        if outcome_of(result) is DONE:
            deltas.flush()
    finally:
        deltas.close()
        message = result.error.message if result.error else ""
        session.status.ended(live, result.model, message if outcome_of(result).is_failure else "")
        session.end_work_done(progress, message)
    return _answer(session, live, result)


async def _until_stopped(
    session: Session, live: LiveEdit, progress: WorkDone | None, deltas: DeltaStream
) -> EditResult:
    """The engine's result or, soon after ``live.stop``, our own."""
    consumer = asyncio.ensure_future(_consume(session, live, progress, deltas))
    stopped = asyncio.ensure_future(live.stopped.wait())
    try:
        await asyncio.wait({consumer, stopped}, return_when=asyncio.FIRST_COMPLETED)
        if not consumer.done():
            deltas.close()
            cancelling = asyncio.ensure_future(_cancel(session, live))
            await asyncio.wait({consumer}, timeout=CANCEL_SECONDS)
            cancelling.cancel()
        if live.stopped.is_set():
            # Whatever came after the cancellation is not wanted any more, but for its figures.
            if consumer.done() and outcome_of(consumer.result()).answer_status == "cancelled":
                return consumer.result()
            return ended(live, EditCancelled(live.stop_reason))
        return consumer.result()
    finally:
        stopped.cancel()
        consumer.cancel()  # closes the engine's stream, which cancels what still runs


async def _cancel(session: Session, live: LiveEdit) -> None:
    with contextlib.suppress(EditdError):  # an engine out of reach edits nothing either
        await session.engine.cancel(live.request.request_id)


async def _consume(
    session: Session, live: LiveEdit, progress: WorkDone | None, deltas: DeltaStream
) -> EditResult:
    """Read the engine's messages up to its result; an exception becomes a result, too."""
    try:
        refuse_half_characters(live.request)
        async with contextlib.aclosing(session.engine.ask(live.request)) as messages:
            async for message in messages:
                if isinstance(message, EditResult):
                    return message
                if isinstance(message, Progress | Delta):
                    _on_message(session, live, message, progress, deltas)
        problem: EditdError = EditFailed("The engine ended the edit without a result; try again.")
    except UsageError as error:
        problem = EditRefused(str(error))
    except EditdError as error:
        problem = error
    except Exception as error:  # noqa: BLE001  the user gets a sentence, the log the rest
        log_internal_error(f"edit {live.request.request_id}", error)
        problem = EditFailed("An internal error ended this edit; see the log.")
    return ended(live, problem)


def _on_message(
    session: Session,
    live: LiveEdit,
    message: Progress | Delta,
    progress: WorkDone | None,
    deltas: DeltaStream,
) -> None:
    if isinstance(message, Delta):
        session.status.working(live)
        _take(session, live, message.ops)
        deltas.add(message.ops)
    else:
        session.status.progress(live, message)
        if progress is not None:
            progress.report(message.message, message.fraction)


def _take(session: Session, live: LiveEdit, ops: Sequence[Op]) -> None:
    """Register hunks as soon as they come: the document may change before the client has them."""
    lines = session.lines_of(live)
    for op in ops:
        if not isinstance(op, Keep):
            live.placed.take(op, lines)


def _send_delta(session: Session, live: LiveEdit, ops: Sequence[Op]) -> None:
    """Send one delta, in lines of the document as it is now."""
    if live.quiet or live.stopped.is_set():
        return
    told: list[KeepOp | HunkOp] = []
    for op in ops:
        if isinstance(op, Keep):
            told.append(KeepOp(op.count))
        elif (hunk := tell_hunk(session, live, op.id)) is not None:
            told.append(HunkOp(hunk))
    live.num_deltas += 1
    delta = EditDelta(live.token, live.num_deltas, session.version_of(live), tuple(told))
    session.notify(methods.EDIT_DELTA, delta)


def _answer(session: Session, live: LiveEdit, result: EditResult) -> EditAnswer:
    """The result in the client's words, in lines of the document as it is now."""
    live.answering = True
    lines = session.lines_of(live)
    outcome = outcome_of(result)
    done = outcome is DONE
    notices = result.notices
    if outcome.answer_status == "cancelled" and live.keeps:
        live.placed.take_no_more()
        if live.placed.pending():
            notices = (*notices, UNCHECKED)
    else:
        live.placed.take_all(result.hunks if done else (), lines)
    if done and result.text is not None:
        session.edits.remember_answer(live.token, result.text)
    taken, _ = acceptable(live, "all")
    hunks = (tell_hunk(session, live, key) for key in live.placed.hunks)
    return EditAnswer(
        status=outcome.answer_status,
        finish_reason=result.finish_reason,
        version=session.version_of(live),
        hunks=tuple(hunk for hunk in hunks if hunk is not None),
        edits=tuple(text_edits(session, lines, taken)),
        text=None if live.uri or not done else "".join(applied(lines, taken)),
        message=None if result.error is None else result.error.message,
        code=None if result.error is None else result.error.code,
        suspects=result.suspects,
        notices=notices,
        summary=result.summary,
        ways=result.ways,
        model=result.model,
        stats=result.stats,
    )


def _after(session: Session, live: LiveEdit, done: asyncio.Future[EditAnswer]) -> None:
    """The edit is being answered. It is kept while it has open hunks."""
    live.answering = False
    if done.cancelled():
        live.placed.take_all((), ())
    session.edits.forget_if_decided(live)


def _request(
    session: Session, params: EditParams, source: dict[str, Any], lines: Sequence[str]
) -> EditRequest:
    """The request to the engine. Raises a JSON-RPC error that says what is wrong with the params."""
    based_on = None
    if params.based_on is not None:
        based_on = session.edits.answer_of(params.based_on)
        if based_on is None:
            raise JsonRpcInvalidParams(
                f"params.basedOn {params.based_on!r} is not an edit with a stored answer."
            )
    return EditRequest(
        request_id=uuid4().hex,
        **source,
        instruction=_instruction(session, params),
        prediction=params.prediction,
        sketch=params.sketch,
        merge=params.merge,
        file=local_path(params.text_document.uri) if params.text_document else "",
        context=context_items(session, params.context, source["path"], lines),
        based_on=based_on,
        options=merged(session.options.requests, params.options),
    )


def _instruction(session: Session, params: EditParams) -> str:
    parts = [params.instruction.strip()]
    if params.preset is not None:
        preset = session.options.presets.get(params.preset)
        if preset is None:
            known = ", ".join(session.options.presets)
            raise JsonRpcInvalidParams(
                f"params.preset {params.preset!r} is not known; there are: {known}."
            )
        parts.insert(0, preset.instruction)
    instruction = "\n".join(part for part in parts if part)
    if not instruction and params.sketch is None:
        raise JsonRpcInvalidParams("params.instruction is empty, and no preset is given.")
    return instruction


def ended(live: LiveEdit, error: EditdError) -> EditResult:
    """The result of an edit that ``error`` ended."""
    info = ErrorInfo(error.code, str(error))
    return EditResult(live.request.request_id, outcome_of(error).finish_reason, error=info)


class DeltaStream:
    """The deltas of one edit on their way to the client.

    send: sends ops as one delta. interval: minimum time between two deltas, in seconds. busy: whether the client is
    behind; nothing is sent then, and waiting ops are merged, so they never exceed the answer.
    """

    def __init__(
        self, send: Callable[[tuple[Op, ...]], None], interval: float, busy: Callable[[], bool]
    ) -> None:
        self._send = send
        self._interval = interval
        self._busy = busy
        self._ops: tuple[Op, ...] = ()
        self._hunk_sent = False
        self._next = 0.0  # loop time before which nothing is sent
        self._timer: asyncio.TimerHandle | None = None

    def add(self, ops: tuple[Op, ...]) -> None:
        """Send ``ops`` now or soon."""
        self._ops = merge_ops(self._ops, ops)
        first_hunk = not self._hunk_sent and any(isinstance(op, Hunk) for op in ops)
        if first_hunk and not self._busy():
            self.flush()
        else:
            self._wait()

    def flush(self) -> None:
        """Send the waiting ops, even if the client is behind."""
        self.close()
        if self._ops:
            ops, self._ops = self._ops, ()
            self._hunk_sent = self._hunk_sent or any(isinstance(op, Hunk) for op in ops)
            self._next = asyncio.get_running_loop().time() + self._interval
            self._send(ops)

    def close(self) -> None:
        """Send nothing more unless ``flush`` is called."""
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None

    def _wait(self) -> None:
        if self._timer is not None or not self._ops:
            return
        loop = asyncio.get_running_loop()
        if self._busy():
            self._timer = loop.call_later(max(self._interval, 0.02), self._tick)
        elif loop.time() >= self._next:
            self.flush()
        else:
            self._timer = loop.call_at(self._next, self._tick)

    def _tick(self) -> None:
        self._timer = None
        self._wait()


def source_of(
    session: Session, params: EditParams | WarmupParams
) -> tuple[tuple[str, ...], dict[str, Any]]:
    """The lines that ``params`` refer to, and what a request to the engine says of them.

    Raises a JSON-RPC error that says what is wrong with ``params``.
    """
    uri = params.text_document.uri if params.text_document else ""
    document, version = session.documents.get(uri), getattr(params.text_document, "version", None)
    path, language, is_open = params.path, params.language_id, params.text is None
    if params.text is not None:
        lines = tuple(split_lines(params.text))
    elif params.text_document is None:
        raise JsonRpcInvalidParams("Give params.textDocument (an open document) or params.text.")
    elif document is None:
        raise JsonRpcInvalidParams(
            f"{uri} is not open: send textDocument/didOpen first, or give params.text."
        )
    elif version not in (None, document.version):
        # A range of another version would mean other lines.
        raise JsonRpcContentModified(f"{uri} is at version {document.version}, not at {version}.")
    else:
        path, language, lines = "", document.language_id, document.lines
    touched = None
    if params.range is not None:
        touched = selected_lines(lines, params.range, session.documents.encoding)
    start, end = touched or (None, None)
    return lines, {
        "text": "".join(lines),
        "path": path or path_of(session, uri),
        "language_id": language,
        "document": uri if is_open else "",
        "start_line": start,
        "end_line": end,
        "workspace_root": session.project_of(uri),
    }


def context_items(
    session: Session, entries: Sequence[ContextEntry], path: str, own: Sequence[str]
) -> tuple[ContextItem, ...]:
    """Context for the engine: with paths and whole lines. No URI: the text itself, ``own`` at ``path``."""
    items = []
    for entry in entries:
        document = session.documents.get(entry.uri)
        lines = document.lines if document else own
        start = end = None
        if entry.range is not None:
            start, end = entry.range.start.line, entry.range.end.line + 1
            touched = selected_lines(lines, entry.range, session.documents.encoding)
            if touched is not None and (document or not entry.uri):
                start, end = touched
        of = path_of(session, entry.uri) if entry.uri else path
        items.append(ContextItem(entry.kind, entry.text, of, start, end))
    return tuple(items)


def path_of(session: Session, uri: str) -> str:
    """What a file is called in a prompt: its path in its project, else its name alone."""
    return session.workspace.relative(uri) or unquote(PurePath(urlsplit(uri).path).name)
