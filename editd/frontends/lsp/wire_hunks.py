"""Hunks on their way to the client: as it sees them, where they have moved, and as edits of its document."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable, Sequence

from lsprotocol import types

from editd.diff.hunk import Hunk, Origin, Span
from editd.frontends.lsp import methods
from editd.frontends.lsp.live_edit import LiveEdit
from editd.frontends.lsp.methods import (
    EditRebased,
    HunkIds,
    LeftOut,
    RebasedHunk,
    WireHunk,
    WireOrigin,
    WireSpan,
)
from editd.frontends.lsp.placed_hunks import PlacedHunk
from editd.frontends.lsp.positions import Encoding, character_of, text_edit
from editd.frontends.lsp.session import Session

_RETRY_SECONDS = 0.05  # until a client that was behind is sent the hunks again


def wire_hunk(session: Session, live: LiveEdit, hunk_id: int) -> WireHunk | None:
    """A hunk to send to the client, at its place in the document as it is now; ``None`` if it is accepted or
    rejected.

    Notes in ``live.seen`` that the client knows it at this place and in this state. Raises ``KeyError`` for an
    unknown hunk.
    """
    placed = live.placed.hunks[hunk_id]
    if placed.state in ("accepted", "rejected"):
        return None
    live.seen[hunk_id] = (placed.start, placed.state)
    return WireHunk(
        hunk_id,
        placed.start,
        len(placed.old_lines),
        placed.hunk.new_lines,
        placed.hunk.done,
        placed.hunk.suspect,
        True if placed.state == "stale" else None,
        _origins(placed.hunk, session.features.encoding),
        placed.hunk.note,
        _note_spans(placed.hunk, session.features.encoding),
    )


def announce(session: Session, live: LiveEdit) -> None:
    """After a change of the document, send its version and the new places of the hunks that the client knows and that
    moved or became stale, even if there are none: at once, or soon if the client is behind or the edit's answer is
    about to be sent.

    Nothing is sent for inline text or for an edit that is ``quiet``, nor once all hunks that the client knows are
    decided. Updates ``live.seen``.
    """
    version = session.version_of(live)
    if live.quiet or version is None or live.announcing:
        return
    loop = asyncio.get_running_loop()
    if session.busy():  # one notification a keystroke would pile up
        live.announcing = True
        loop.call_later(_RETRY_SECONDS, _announce_late, session, live)
        return
    if live.answering:  # the answer has the places before this change: it goes first
        live.announcing = True
        loop.call_soon(_announce_late, session, live)
        return
    states = {state for _, state in live.seen.values()}
    moved = []
    for key, seen in live.seen.items():
        placed = live.placed.hunks.get(key)
        if placed is not None and (placed.start, placed.state) != seen:
            live.seen[key] = (placed.start, placed.state)
            moved.append(RebasedHunk(key, placed.start, placed.state))
    states |= {hunk.state for hunk in moved}
    if states & {"ok", "stale"}:
        session.notify(methods.EDIT_REBASED, EditRebased(live.token, version, tuple(moved)))


def _announce_late(session: Session, live: LiveEdit) -> None:
    """Announce what was put off."""
    live.announcing = False
    announce(session, live)


def acceptable(live: LiveEdit, ids: HunkIds) -> tuple[list[PlacedHunk], tuple[LeftOut, ...]]:
    """The hunks among ``ids`` that can be accepted (open, done), in document order, and the others, each with the
    reason.

    Of ``"all"`` the suspect ones cannot, and those that are decided are not listed; a suspect one that is named can,
    and unknown ids are listed.
    """
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
    """A text edit for each hunk, in their order, cut to the characters that differ from ``lines`` (the document's);
    none for a hunk that changes nothing.
    """
    encoding = session.features.encoding
    edits = (
        text_edit(lines, placed.start, len(placed.old_lines), placed.hunk.new_lines, encoding)
        for placed in hunks
    )
    return [edit for edit in edits if edit is not None]


def workspace_edit(
    session: Session, live: LiveEdit, hunks: Iterable[PlacedHunk]
) -> types.WorkspaceEdit:
    """The hunks as one edit of the document, with its current version if the client takes versions."""
    edits = text_edits(session, session.lines_of(live), hunks)
    if not session.features.versioned_edits:
        return types.WorkspaceEdit(changes={live.uri: edits})
    document = types.OptionalVersionedTextDocumentIdentifier(live.uri, session.version_of(live))
    return types.WorkspaceEdit(document_changes=[types.TextDocumentEdit(document, edits)])


def _origins(hunk: Hunk, encoding: Encoding) -> tuple[WireOrigin, ...] | None:
    """The origins of a hunk's text, in the client's characters; ``None`` if unknown."""
    origins = (
        WireOrigin(*_characters(hunk, origin, encoding), origin.source, origin.detail or None)
        for origin in hunk.origins
    )
    return tuple(origins) or None


def _note_spans(hunk: Hunk, encoding: Encoding) -> tuple[WireSpan, ...] | None:
    """Notes on parts of a hunk's text, in the client's characters; ``None`` if there are none."""
    spans = (WireSpan(*_characters(hunk, span, encoding), span.text) for span in hunk.note_spans)
    return tuple(spans) or None


def _characters(hunk: Hunk, part: Origin | Span, encoding: Encoding) -> tuple[int, int, int]:
    """The place of a part of a hunk's new text: its line, from 0 at the hunk's first new line, and its start and end
    (exclusive) in the client's characters.
    """
    line = hunk.new_lines[part.line]
    start, end = (character_of(line, at, encoding) for at in (part.start, part.end))
    return part.line, start, end


def _why_not(placed: PlacedHunk | None, *, in_all: bool) -> str:
    """The reason why a hunk cannot be accepted, as a sentence; empty if it can. placed: ``None`` for an unknown id.
    in_all: all are to be accepted, so that a suspect one cannot.
    """
    if placed is None:
        return "There is no such hunk."
    if placed.state == "stale":
        return "The document has changed under it."
    if placed.state != "ok":
        return f"It was {placed.state} already."
    if not placed.hunk.done:
        return "It is still being written."
    return (placed.hunk.suspect or "") if in_all else ""
