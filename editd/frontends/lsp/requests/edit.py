"""``editd/edit``: a text is rewritten.

The request is read from a snapshot when it arrives; then the edit runs beside whatever else the client sends. The
answer is always a result: an edit that was refused, failed, was cut off, or was cancelled by ``editd/cancel`` has
that as its ``finish_reason``. JSON-RPC errors are for requests that are wrong in themselves, and for
``$/cancelRequest``, whose answer LSP prescribes.
"""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Sequence
from dataclasses import replace
from uuid import uuid4

from pygls.exceptions import JsonRpcInvalidParams

from editd.daemon.engine_client import refuse_half_characters
from editd.diff.document import Document
from editd.diff.hunk import Keep, Op
from editd.errors import EditCancelled, EditdError, EditFailed, EditRefused, UsageError
from editd.frontends.follow_up import earlier_request, limited_to_changes, with_blocks
from editd.frontends.lsp import methods
from editd.frontends.lsp.delta_stream import DeltaStream
from editd.frontends.lsp.live_edit import LiveEdit
from editd.frontends.lsp.methods import (
    EditAnswer,
    EditDelta,
    EditParams,
    EditProgress,
    HunkOp,
    KeepOp,
    LineRegion,
)
from editd.frontends.lsp.placed_hunks import PlacedEdit, applied
from editd.frontends.lsp.protocol import log_internal_error
from editd.frontends.lsp.session import Session
from editd.frontends.lsp.session_options import merged_options
from editd.frontends.lsp.snapshot import Snapshot
from editd.frontends.lsp.trusted_folders import local_path
from editd.frontends.lsp.wire_hunks import acceptable, text_edits, wire_hunk
from editd.frontends.lsp.work_done import WorkDone, title_of
from editd.messages import Delta, EditRequest, EditResult, ErrorInfo, Progress
from editd.outcome import DONE, outcome_of
from editd.syntax.language import language_of

DELTA_SECONDS = 0.03  # least time between two deltas of an edit
CANCEL_SECONDS = 0.5  # how long a cancelled edit may take to report its figures
UNCHECKED = "The edit was stopped: no check has looked at these hunks."


def edit(session: Session, params: EditParams) -> asyncio.Future[EditAnswer]:
    """Begin an edit; the future is its answer. Raises a JSON-RPC error if ``params`` are wrong."""
    return start_edit(session, params)[1]


def start_edit(
    session: Session, params: EditParams, *, quiet: bool = False
) -> tuple[LiveEdit, asyncio.Future[EditAnswer]]:
    """Begin an edit beside other requests, as a task; returns it and the future of its answer, which never has an
    ``EditdError``. An earlier edit that it refines is stopped and forgotten if it runs; else its hunks stay until the
    answer brings others.

    quiet: before the answer, the client is sent work-done progress alone. Raises a JSON-RPC error if ``params`` are
    wrong, the token names a running edit, or the document is not open or at another version.
    """
    # 1) the request
    known = session.edits.get(params.edit_token)
    if known is not None and known.running:
        raise JsonRpcInvalidParams(f"params.editToken {params.edit_token!r} names a running edit.")
    uri = params.text_document.uri if params.text_document else ""
    snapshot = session.snapshot(uri)
    refined = _earlier_answer(session, params)
    lines, request = _request(snapshot, params, refined)
    if refined is not None and params.based_on is not None:
        answered = session.edits.answered_lines(params.based_on)
        request = _limited(request, refined[0], answered)
    # 2) what is refined may run again, under the name of the edit that was answered
    earlier = None if params.based_on is None else session.edits.get(params.based_on)
    if earlier is not None and earlier.running:
        earlier.drop("A refinement replaced it.")
        session.edits.forget(earlier.token)
    # 3) from now on its hunks follow the document
    live = LiveEdit(params.edit_token, request, PlacedEdit(lines), quiet=quiet, refines=earlier)
    live.version = session.version_of(live)
    session.edits.add(live)
    task = live.task = asyncio.ensure_future(_run(session, live, params.work_done_token))
    # Not in a `finally` of the task: one that is cancelled before its first step never gets there.
    task.add_done_callback(lambda done: _after_answer(session, live, done))
    return live, task


def _request(
    snapshot: Snapshot, params: EditParams, refined: tuple[EditRequest, str] | None
) -> tuple[tuple[str, ...], EditRequest]:
    """The lines of the text and the request to the engine. Raises a JSON-RPC error that names what is wrong with
    ``params``.

    refined: the earlier request and the text of its answer that this request refines.
    """
    lines, fields = snapshot.text_fields(params)
    uri = params.text_document.uri if params.text_document else ""
    request = EditRequest(
        request_id=uuid4().hex,
        **fields,
        instruction=_instruction(snapshot, params),
        prediction=params.prediction,
        sketch=params.sketch,
        merge=params.merge,
        file=local_path(uri),
        context=snapshot.context_items(params.context, fields["path"], lines),
        based_on=None if refined is None else refined[1],
        earlier=None if refined is None else earlier_request(refined[0]),
        options=merged_options(snapshot.options.requests, params.options),
        mention_root=snapshot.mention_root(uri),
    )
    return lines, request


def _limited(
    request: EditRequest, earlier: EditRequest, answered: tuple[int, int] | None
) -> EditRequest:
    """A copy of the request that selects the lines of the answer to ``earlier``, which it refines: ``answered``
    (``EditTable.answered_lines``), with the functions around them unless ``earlier`` selected them; where they are not
    known or in another document, as ``limited_to_changes``. The request itself if it selects lines.
    """
    if answered is None or earlier.document != request.document:
        return limited_to_changes(request)
    if request.start_line is not None:
        return request
    start, end = answered
    document = Document.of(request.text)
    if earlier.start_line is None:
        language = language_of(request.path, request.language_id)
        start, end = with_blocks(document, start, end, language)
    else:  # they may be gone
        start = min(start, max(len(document.lines) - 1, 0))
        end = max(end, start + 1)
    return replace(request, start_line=start, end_line=end)


def _instruction(snapshot: Snapshot, params: EditParams) -> str:
    """The instruction, without blanks around it, after that of the preset, on a line of its own; may be empty if
    there is a sketch. Raises ``JsonRpcInvalidParams`` for an unknown preset, or without instruction, preset and
    sketch.
    """
    parts = [params.instruction.strip()]
    if params.preset is not None:
        preset = snapshot.options.presets.get(params.preset)
        if preset is None:
            known = ", ".join(snapshot.options.presets)
            raise JsonRpcInvalidParams(
                f"params.preset {params.preset!r} is not known; there are: {known}."
            )
        parts.insert(0, preset.instruction)
    instruction = "\n".join(part for part in parts if part)
    if not instruction and params.sketch is None:
        raise JsonRpcInvalidParams("params.instruction is empty, and no preset is given.")
    return instruction


def _earlier_answer(session: Session, params: EditParams) -> tuple[EditRequest, str] | None:
    """The request of the edit that ``basedOn`` names and the text of its answer; ``None`` if the params name none.
    Raises ``JsonRpcInvalidParams`` if none is stored for it (any more).
    """
    if params.based_on is None:
        return None
    answer = session.edits.answer_of(params.based_on)
    if answer is None:
        raise JsonRpcInvalidParams(
            f"params.basedOn {params.based_on!r} is not an edit with a stored answer."
        )
    return answer


async def _run(session: Session, live: LiveEdit, token: str | int | None) -> EditAnswer:
    """Run the edit in the engine, send deltas, progress and status, and return the answer (``_answer``). Deltas that
    still wait are sent before the answer of a success, and dropped else. Also when the task is cancelled, progress
    and status end.
    """
    progress = session.begin_work_done(
        title_of(live.request.instruction),
        token,
        lambda: live.stop("You cancelled the edit.", keep=session.options.lsp.keep_on_cancel),
    )
    deltas = DeltaStream(lambda ops: _send_delta(session, live, ops), DELTA_SECONDS, session.busy)
    session.status.began(live)
    result = _failed(live, EditCancelled("The edit was cancelled."))
    try:
        result = await _until_stopped(session, live, progress, deltas)
        if outcome_of(result) is DONE:
            deltas.flush()
    finally:
        deltas.close()
        message = result.error.message if result.error else ""
        failure = message if outcome_of(result).is_failure else ""
        session.status.ended(live, result.model, failure)
        session.end_work_done(progress, message)
    return _answer(session, live, result)


async def _until_stopped(
    session: Session, live: LiveEdit, progress: WorkDone | None, deltas: DeltaStream
) -> EditResult:
    """The engine's result. After ``live.stop``, the engine is asked to cancel, nothing more of ``deltas`` is sent,
    and the result is a cancelled one: the engine's own if it comes within half a second, else one made here with
    ``live.stop_reason``.
    """
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
            # Of what arrived after the cancellation only the figures are used.
            if consumer.done() and outcome_of(consumer.result()).answer_status == "cancelled":
                return consumer.result()
            return _failed(live, EditCancelled(live.stop_reason))
        return consumer.result()
    finally:
        stopped.cancel()
        consumer.cancel()  # closes the engine's stream, which cancels what still runs


async def _cancel(session: Session, live: LiveEdit) -> None:
    """Ask the engine to cancel the edit."""
    with contextlib.suppress(EditdError):  # an engine out of reach edits nothing either
        await session.engine.cancel(live.request.request_id)


async def _consume(
    session: Session, live: LiveEdit, progress: WorkDone | None, deltas: DeltaStream
) -> EditResult:
    """Ask the engine, place the hunks in the document as they come, pass progress and deltas on, and return the
    result. Raises no ``Exception``: any becomes a result without a text, refused for a ``UsageError``; unexpected
    ones are logged.
    """
    try:
        refuse_half_characters(live.request)
        async with contextlib.aclosing(session.engine.ask(live.request)) as messages:
            async for message in messages:
                match message:
                    case EditResult():
                        return message
                    case Delta(ops=ops):
                        session.status.working(live)
                        _place_hunks(session, live, ops)
                        deltas.add(ops)
                    case Progress():
                        session.status.progress(live, message)
                        if progress is not None:
                            progress.report(message.message, message.fraction)
                        _send_progress(session, live, message)
        problem: EditdError = EditFailed("The engine ended the edit without a result; try again.")
    except UsageError as error:
        problem = EditRefused(str(error))
    except EditdError as error:
        problem = error
    except Exception as error:  # noqa: BLE001  the user gets a sentence, the log the rest
        log_internal_error(f"edit {live.request.request_id}", error)
        problem = EditFailed("An internal error ended this edit; see the log.")
    return _failed(live, problem)


def _send_progress(session: Session, live: LiveEdit, progress: Progress) -> None:
    """Send which lines a model rewrites and how far it has read; no effect on a quiet or stopped edit, before the
    lines are known, or if the client does not use editd's methods.
    """
    if live.quiet or live.stopped.is_set() or not progress.regions or not session.speaks_editd:
        return
    regions = tuple(LineRegion(start, end) for start, end in progress.regions)
    params = EditProgress(live.token, live.version, regions, progress.message, progress.fraction)
    session.notify(methods.EDIT_PROGRESS, params)


def _place_hunks(session: Session, live: LiveEdit, ops: Sequence[Op]) -> None:
    """Register the hunks of ``ops`` in ``live`` as soon as they arrive, at their place in the document as it is now,
    since it may change before the client has them. Operations for unchanged lines are passed over.
    """
    lines = session.lines_of(live)
    for op in ops:
        if not isinstance(op, Keep):
            live.placed.take(op, lines)


def _send_delta(session: Session, live: LiveEdit, ops: Sequence[Op]) -> None:
    """Send one delta, in lines of the document as it is now, with the next number; hunks that are decided are left
    out of it. No effect on a quiet or stopped edit.
    """
    if live.quiet or live.stopped.is_set():
        return
    wire_ops: list[KeepOp | HunkOp] = []
    for op in ops:
        if isinstance(op, Keep):
            wire_ops.append(KeepOp(op.count))
        elif (hunk := wire_hunk(session, live, op.id)) is not None:
            wire_ops.append(HunkOp(hunk))
    live.num_deltas += 1
    delta = EditDelta(live.token, live.num_deltas, session.version_of(live), tuple(wire_ops))
    session.notify(methods.EDIT_DELTA, delta)


def _answer(session: Session, live: LiveEdit, result: EditResult) -> EditAnswer:
    """The answer to the client, in lines of the document as it is now; marks the edit as answering. Its text edits
    leave suspect hunks out; the whole new text is only in the answer for inline text.

    Places the final hunks of an edit with a text, stores request and text for refinements, and forgets the edit that
    it refines if there are hunks. Of one without a text no hunk stays, but, after a stop that keeps them, those that
    were done.
    """
    live.answering = True
    lines = session.lines_of(live)
    outcome = outcome_of(result)
    done = outcome is DONE
    notices = result.notices
    if outcome.answer_status == "cancelled" and live.keeps:
        live.placed.drop_unfinished()
        if live.placed.pending():
            notices = (*notices, UNCHECKED)
    else:
        live.placed.take_all(result.hunks if done else (), lines)
    if done and result.text is not None:
        lines_now = _lines_of(live, result)
        session.edits.remember_answer(live.token, live.request, result.text, lines_now)
    if done and live.placed.hunks and live.refines is not None:
        session.edits.forget_edit(live.refines)
    live.refines = None
    taken, _ = acceptable(live, "all")
    hunks = (wire_hunk(session, live, key) for key in live.placed.hunks)
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


def _lines_of(live: LiveEdit, result: EditResult) -> tuple[int, int] | None:
    """The lines of an edit, in the document as it is now: those that it selects, else from its first hunk to its last;
    ``None`` for inline text, and without hunks.
    """
    start, end = live.request.start_line, live.request.end_line
    if start is None or end is None:
        if not result.hunks:
            return None
        start = min(hunk.start for hunk in result.hunks)
        end = max(hunk.start + hunk.old_count for hunk in result.hunks)
    return live.placed.moved_lines(start, end) if live.uri else None


def _after_answer(session: Session, live: LiveEdit, done: asyncio.Future[EditAnswer]) -> None:
    """Once the answer's task is done, forget the edit unless it has open hunks; if the task was cancelled, drop its
    hunks before, so that it has none.
    """
    live.answering = False
    if done.cancelled():
        live.placed.take_all((), ())
    session.edits.forget_if_decided(live)


def _failed(live: LiveEdit, error: EditdError) -> EditResult:
    """The result of an edit that ``error`` ended."""
    info = ErrorInfo(error.code, str(error))
    return EditResult(live.request.request_id, outcome_of(error).finish_reason, error=info)
