"""The life of an edit's hunks: reported, moved, accepted, rejected.

The buffer is the client's: an accept hands it one versioned edit, and counts as done only when the
document change that carries it arrives. (Neovim answers ``applied: true`` for an edit that it
refused.) Any other change moves the hunks, or makes them stale.
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterable, Sequence

from lsprotocol import types

from editd.diff.hunk import Hunk, Origin, Span
from editd.frontends.lsp import methods
from editd.frontends.lsp.documents import Encoding, character_of, text_edit
from editd.frontends.lsp.methods import (
    AcceptAnswer,
    AcceptParams,
    CancelAnswer,
    CancelParams,
    EditRebased,
    EditToken,
    HunkIds,
    LeftOut,
    RebasedHunk,
    RejectAnswer,
    RejectParams,
    WireHunk,
    WireOrigin,
    WireSpan,
)
from editd.frontends.lsp.protocol import RequestFailed
from editd.frontends.lsp.rebase import PlacedHunk, applied
from editd.frontends.lsp.session import Acceptance, LiveEdit, Session, title_of

CONFIRM_SECONDS = 3.0  # how long after "applied" the document change may take; Neovim waits 0.15
_RETRY_SECONDS = 0.05  # until a client that was behind is sent the hunks again


# --- handlers ------------------------------------------------------------------------------------


async def accept(session: Session, params: AcceptParams) -> AcceptAnswer:
    """Handler of ``editd/accept``."""
    live = _edit_of(session, params.edit_token)
    async with session.applying[live.uri]:
        if session.edits.get(live.token) is not live:
            raise _unknown(live.token)  # it was forgotten meanwhile, so its hunks stand anywhere
        version = session.version_of(live)
        if version is None:
            raise RequestFailed.because(
                "no-document",
                "This edit has no open document; apply the edits of its answer instead.",
            )
        hunks, left_out = acceptable(live, params.hunk_ids)
        ids = tuple(placed.hunk.id for placed in hunks)
        if not hunks:
            nothing = "There is no hunk left to accept."
            return AcceptAnswer(False, version, (), left_out, message=nothing)
        edit = workspace_edit(session, live, hunks)
        acceptance = Acceptance(applied(session.lines_of(live), hunks), ids)
        live.acceptance = acceptance
        if not params.apply:
            return AcceptAnswer(False, version, ids, left_out, edit)
        if not session.features.applies_edits:
            refusal = "This editor takes no edits from a server; apply the answer's edit."
            return AcceptAnswer(False, version, ids, left_out, edit, refusal)
        live.applying = True
        try:
            problem = await _apply(session, live, edit, acceptance)
        finally:
            live.applying = False
            session.edits.forget_if_decided(live)
    return AcceptAnswer(problem is None, session.version_of(live), ids, left_out, message=problem)


def reject(session: Session, params: RejectParams) -> RejectAnswer:
    """Handler of ``editd/reject``."""
    live = session.edits.get(params.edit_token)
    if live is None:
        return RejectAnswer(())  # nothing is left of it, which is what is wanted
    wanted = live.placed.hunks if params.hunk_ids == "all" else params.hunk_ids
    ids = tuple(
        key
        for key in wanted
        if key in live.placed.hunks and live.placed.hunks[key].state in ("ok", "stale")
    )
    live.placed.settle(ids, "rejected")
    session.edits.forget_if_decided(live)
    return RejectAnswer(ids)


def cancel(session: Session, params: CancelParams) -> CancelAnswer:
    """Handler of ``editd/cancel``."""
    live = session.edits.get(params.edit_token)
    if live is None or not live.running:
        return CancelAnswer(False)
    keep = session.options.lsp.keep_on_cancel if params.keep is None else params.keep
    live.stop("You cancelled the edit.", keep=keep)
    return CancelAnswer(True)


# --- telling -------------------------------------------------------------------------------------


def tell_hunk(session: Session, live: LiveEdit, hunk_id: int) -> WireHunk | None:
    """A hunk as the client sees it now; ``None`` once it is decided."""
    placed = live.placed.hunks[hunk_id]
    if placed.state in ("accepted", "rejected"):
        return None
    live.told[hunk_id] = (placed.start, placed.state)
    return WireHunk(
        hunk_id,
        placed.start,
        len(placed.old_lines),
        placed.hunk.new_lines,
        placed.hunk.done,
        placed.hunk.suspect,
        True if placed.state == "stale" else None,
        _origins(placed.hunk, session.documents.encoding),
        placed.hunk.note,
        _note_spans(placed.hunk, session.documents.encoding),
    )


def announce(session: Session, live: LiveEdit) -> None:
    """After a change of the document: send the new places of the hunks that the client knows."""
    version = session.version_of(live)
    if live.quiet or version is None or live.announcing:
        return
    loop = asyncio.get_running_loop()
    if session.busy():  # one notification a keystroke would pile up
        live.announcing = True
        loop.call_later(_RETRY_SECONDS, _announce_late, session, live)
        return
    if live.answering:  # the answer tells where the hunks stood before this change: it goes first
        live.announcing = True
        loop.call_soon(_announce_late, session, live)
        return
    undecided = any(state in ("ok", "stale") for _, state in live.told.values())
    moved = []
    for key, told in live.told.items():
        placed = live.placed.hunks.get(key)
        if placed is not None and (placed.start, placed.state) != told:
            live.told[key] = (placed.start, placed.state)
            moved.append(RebasedHunk(key, placed.start, placed.state))
    if undecided:
        session.notify(methods.EDIT_REBASED, EditRebased(live.token, version, tuple(moved)))


def _announce_late(session: Session, live: LiveEdit) -> None:
    live.announcing = False
    announce(session, live)


# --- edits ---------------------------------------------------------------------------------------


def acceptable(live: LiveEdit, ids: HunkIds) -> tuple[list[PlacedHunk], tuple[LeftOut, ...]]:
    """The hunks among ``ids`` that can be accepted, in document order, and the others."""
    taken: list[PlacedHunk] = []
    left_out: list[LeftOut] = []
    for key in live.placed.hunks if ids == "all" else dict.fromkeys(ids):
        placed = live.placed.hunks.get(key)
        reason = _why_not(placed, in_all=ids == "all")
        if placed is not None and not reason:
            taken.append(placed)
        elif placed is None or ids != "all" or placed.state in ("ok", "stale"):
            left_out.append(LeftOut(key, reason))
    taken.sort(key=lambda placed: (placed.start, placed.hunk.id))
    return taken, tuple(left_out)


def text_edits(
    session: Session, lines: Sequence[str], hunks: Iterable[PlacedHunk]
) -> list[types.TextEdit]:
    """One text edit per hunk."""
    encoding = session.documents.encoding
    edits = (
        text_edit(lines, placed.start, len(placed.old_lines), placed.hunk.new_lines, encoding)
        for placed in hunks
    )
    return [edit for edit in edits if edit is not None]


def workspace_edit(
    session: Session, live: LiveEdit, hunks: Iterable[PlacedHunk]
) -> types.WorkspaceEdit:
    """The hunks as one edit of the document at its present version."""
    edits = text_edits(session, session.lines_of(live), hunks)
    if not session.features.versioned_edits:
        return types.WorkspaceEdit(changes={live.uri: edits})
    document = types.OptionalVersionedTextDocumentIdentifier(live.uri, session.version_of(live))
    return types.WorkspaceEdit(document_changes=[types.TextDocumentEdit(document, edits)])


def _origins(hunk: Hunk, encoding: Encoding) -> tuple[WireOrigin, ...] | None:
    """Where a hunk's text came from, in the client's characters."""
    told = (
        WireOrigin(*_characters(hunk, origin, encoding), origin.source, origin.detail or None)
        for origin in hunk.origins
    )
    return tuple(told) or None


def _note_spans(hunk: Hunk, encoding: Encoding) -> tuple[WireSpan, ...] | None:
    """Notes on parts of a hunk's text, in the client's characters."""
    told = (WireSpan(*_characters(hunk, span, encoding), span.text) for span in hunk.note_spans)
    return tuple(told) or None


def _characters(hunk: Hunk, part: Origin | Span, encoding: Encoding) -> tuple[int, int, int]:
    """``part``'s line, and its start and end in the client's characters."""
    line = hunk.new_lines[part.line]
    start, end = (character_of(line, at, encoding) for at in (part.start, part.end))
    return part.line, start, end


async def _apply(
    session: Session, live: LiveEdit, edit: types.WorkspaceEdit, acceptance: Acceptance
) -> str | None:
    """Ask the client to apply ``edit``; returns what went wrong, if anything."""
    metadata = types.WorkspaceEditMetadata(is_refactoring=True)
    version = session.version_of(live)
    params = types.ApplyWorkspaceEditParams(
        edit,
        label=title_of(live.request.instruction),
        metadata=metadata if session.features.edit_metadata else None,
    )
    try:
        answer: types.ApplyWorkspaceEditResult = await session.protocol.ask(
            types.WORKSPACE_APPLY_EDIT, params, types.ApplyWorkspaceEditResult
        )
        if not answer.applied:
            return answer.failure_reason or "The editor did not apply the change."
        async with asyncio.timeout(CONFIRM_SECONDS):
            await acceptance.arrived.wait()
    except RequestFailed as error:
        return error.message
    except TimeoutError:
        if session.version_of(live) != version:
            return "The editor says that it applied the change, but the document changed otherwise."
        # It may be one that tells of changes only when it idles. Neovim, which says this of an edit
        # that came too late as well, tells of the change that overtook it well within the time.
    return None


def _edit_of(session: Session, token: EditToken) -> LiveEdit:
    live = session.edits.get(token)
    if live is None:
        raise _unknown(token)
    return live


def _unknown(token: EditToken) -> RequestFailed:
    message = f"There is no edit {token!r} with hunks to decide on."
    return RequestFailed.because("unknown-edit", message)


def _why_not(placed: PlacedHunk | None, *, in_all: bool) -> str:
    """Why a hunk cannot be accepted; empty if it can."""
    if placed is None:
        return "There is no such hunk."
    if placed.state == "stale":
        return "The document has changed under it."
    if placed.state != "ok":
        return f"It was {placed.state} already."
    if not placed.hunk.done:
        return "It is still being written."
    return (placed.hunk.suspect or "") if in_all else ""
