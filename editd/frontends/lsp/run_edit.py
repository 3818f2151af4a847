"""An edit for an editor without an editd plugin, as code actions and commands run it."""

from __future__ import annotations

import asyncio
import functools
from collections.abc import Awaitable, Callable, Coroutine, Sequence
from typing import Any, TypeVar
from uuid import uuid4

from lsprotocol import types

from editd.diff.hunk import notes
from editd.frontends.lsp.live_edit import LastRun, LiveEdit
from editd.frontends.lsp.methods import EditAnswer, EditParams, LeftOut, RunParams
from editd.frontends.lsp.placed_hunks import PlacedHunk
from editd.frontends.lsp.requests.edit import start_edit
from editd.frontends.lsp.session import Session
from editd.messages.options import EditOptions

UNCHANGED = "The model left the text as it is."

T = TypeVar("T")


def run_edit(
    session: Session,
    run: RunParams,
    token: str | int | None,
    then: Callable[[LiveEdit, Awaitable[EditAnswer]], Coroutine[Any, Any, T]],
) -> asyncio.Future[T]:
    """Begin an edit, without notifications that only a plugin understands; returns the future of the result of
    ``then``, which runs as a task and gets the edit and the future of its answer.

    The text is taken now; a later change moves the hunks along. The document's other ways are stored (``LastRun``)
    when the answer is there. Cancelling the future cancels the edit. Raises a JSON-RPC error as ``start_edit``.
    """
    params = EditParams(
        edit_token=f"editd/{uuid4().hex}",
        instruction=run.instruction,
        preset=run.preset,
        text_document=run.text_document,
        range=run.range,
        context=run.context,
        options=EditOptions(way=run.way),
        work_done_token=token,
    )
    live, answering = start_edit(session, params, quiet=True)
    answering.add_done_callback(functools.partial(_remember, session, live, run))
    task = asyncio.ensure_future(then(live, answering))
    # What is cancelled before its first step does not cancel what it would have waited for.
    task.add_done_callback(lambda _: answering.cancel())
    return task


def _remember(
    session: Session, live: LiveEdit, run: RunParams, done: asyncio.Future[EditAnswer]
) -> None:
    """Store the other ways to an edit (``done``: its answer) for its document, with the text from before, so that
    they are offered once it is undone; no effect after an exception or a cancel, for inline text, or without other
    ways.
    """
    if done.cancelled() or done.exception() is not None:
        return
    if live.uri and (ways := done.result().ways):
        session.last_runs[live.uri] = LastRun(run, live.placed.base, ways)


def explain(
    session: Session,
    answer: EditAnswer,
    taken: Sequence[PlacedHunk],
    left_out: Sequence[LeftOut],
) -> None:
    """Show the user, in messages: each notice and the summary once, the notes on the hunks ``taken``, and how many are
    ``left_out``, with the reasons, each once. Nothing for an empty one.
    """
    for notice in dict.fromkeys(filter(None, (*answer.notices, answer.summary))):
        session.show(notice)
    if noted := notes([placed.hunk for placed in taken]):
        session.show(f"Worth a look: {'; '.join(noted)}")
    if left_out:
        reasons = " ".join(dict.fromkeys(hunk.reason for hunk in left_out))
        hunks = "1 hunk was" if len(left_out) == 1 else f"{len(left_out)} hunks were"
        session.show(f"{hunks} left out: {reasons}", types.MessageType.Warning)
