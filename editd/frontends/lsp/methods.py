"""Names and types of everything that editd adds to LSP, as they are on the wire.

Mirrored by clients/vscode/src/protocol.ts and clients/nvim/lua/editd/protocol.lua, explained in
docs/reference/lsp-methods.md, shown by example in clients/fixtures/protocol. Fields are camelCase
on the wire (``protocol.py``) except ``finish_reason`` and the figures of ``Stats``, which are spelt
alike everywhere. A field whose default is ``None`` is left out when it is ``None``. What
``editd/complete`` takes and answers is OpenAI's (``complete.py``). A change that breaks a client raises
``SCHEMA_VERSION``.

Requests are answered with the result type named beside them; "(n)" marks those that may also be
sent as notifications.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Literal

from lsprotocol.types import OptionalVersionedTextDocumentIdentifier, Range, TextEdit, WorkspaceEdit

from editd.errors import FinishReason
from editd.messages import Merge
from editd.messages.options import EditOptions, Way, WayName
from editd.messages.reports import Stats
from editd.outcome import AnswerStatus

SCHEMA_VERSION = 2

EDIT = "editd/edit"  # EditParams → EditAnswer
EDIT_DELTA = "editd/editDelta"  # notification to the client: EditDelta
EDIT_PROGRESS = "editd/editProgress"  # notification to the client: EditProgress
EDIT_REBASED = "editd/editRebased"  # notification to the client: EditRebased
ACCEPT = "editd/accept"  # AcceptParams → AcceptAnswer
REJECT = "editd/reject"  # RejectParams → RejectAnswer
CANCEL = "editd/cancel"  # CancelParams → CancelAnswer (n)
WARMUP = "editd/warmup"  # WarmupParams → WarmupAnswer (n)
COMPLETE = "editd/complete"  # OpenAI's chat completions
WORKSPACE = "editd/workspace"  # notification to the server: WorkspaceParams
MENTIONS = "editd/mentions"  # MentionsParams → MentionList
PRESETS = "editd/presets"  # no params → PresetList
STATUS = "editd/status"  # no params → ServerStatus
DID_CHANGE_STATUS = "editd/didChangeStatus"  # notification to the client: ServerStatus

RUN_PRESET = "editd.runPreset"  # commands of workspace/executeCommand: RunParams → RunAnswer
RUN = "editd.run"

CODE_ACTION_KIND = "refactor.rewrite.editd"  # followed by a dot and a preset's name
ANOTHER_WAY_KIND = f"{CODE_ACTION_KIND}.another-way"

EditToken = str | int
HunkIds = tuple[int, ...] | Literal["all"]


# --- editd/edit ----------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class ContextEntry:
    """A text besides the edited one that the model should see."""

    kind: Literal["diagnostic", "definition", "recent-edit", "note"]
    text: str
    uri: str = ""
    range: Range | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class EditParams:
    """The params of an edit: a text is rewritten by an instruction, or a sketch is merged into it.

    editToken: names the edit in all that follows; chosen by the client, not used by another edit.
    textDocument: an open document; its version, if given, must be the current one.
    text, languageId, path: the text itself, for clients without documents; ``text`` wins.
    range: what may change, as whole lines; empty or absent: everything.
    preset: a named instruction; ``instruction`` then comes on top of it and may be empty.
    prediction: the text that is expected, instead of the present one.
    sketch: an abbreviated change to merge into the text; ``instruction`` may then be empty.
    merge: how a sketch is merged: ``auto``, ``text`` (never a model), ``certain`` (neither, and nothing
        that could be read otherwise) or ``model``.
    basedOn: an earlier edit whose answer this one refines; its hunks are dropped.
    """

    edit_token: EditToken
    instruction: str = ""
    preset: str | None = None
    text_document: OptionalVersionedTextDocumentIdentifier | None = None
    text: str | None = None
    language_id: str = ""
    path: str = ""
    range: Range | None = None
    prediction: str | None = None
    sketch: str | None = None
    merge: Merge = "auto"
    context: tuple[ContextEntry, ...] = ()
    based_on: EditToken | None = None
    options: EditOptions = field(default_factory=EditOptions)
    work_done_token: str | int | None = None


@dataclass(frozen=True, slots=True)
class WireOrigin:
    """The origin of characters ``start .. end`` of ``newLines[line]``.

    Characters are counted as in positions (UTF-16 code units, unless another encoding was agreed).
    source: ``buffer`` (copied), ``substitution`` (by a rule that the edit showed), ``output`` (written before in this answer), ``sketch`` (put in as it was pasted), ``project`` (``detail``: ``path:line`` of
    another file, counted from 1), ``draft-model``, or ``new`` (the model's own; ``detail`` may say
    who had guessed it).
    """

    line: int
    start: int
    end: int
    source: str
    detail: str | None = None


@dataclass(frozen=True, slots=True)
class WireSpan:
    """A note on characters ``start .. end`` of ``newLines[line]``, counted as in ``WireOrigin``."""

    line: int
    start: int
    end: int
    text: str


@dataclass(frozen=True, slots=True)
class WireHunk:
    """Lines ``start .. start + oldCount`` become ``newLines``, each with its line end.

    done: false while it may still grow. suspect: why a check doubts it. note: why it is worth a look,
    although nothing speaks against it; noteSpans: the same of parts of it. stale: the document has
    changed under it; it can no longer be accepted. origins: where the new text came from, in its
    order and without gaps; absent where that is not known (yet).
    """

    id: int
    start: int
    old_count: int
    new_lines: tuple[str, ...]
    done: bool = True
    suspect: str | None = None
    stale: bool | None = None
    origins: tuple[WireOrigin, ...] | None = None
    note: str | None = None
    note_spans: tuple[WireSpan, ...] | None = None


@dataclass(frozen=True, slots=True)
class KeepOp:
    """The next ``keep`` lines of the text that the edit began with stay as they are."""

    keep: int


@dataclass(frozen=True, slots=True)
class HunkOp:
    """A hunk, new or grown."""

    hunk: WireHunk


@dataclass(frozen=True, slots=True)
class EditDelta:
    """The part of an edit's change that became known since the last delta.

    seq: 1, 2, 3 … without gaps. version: of the document whose lines ``start`` counts; ``None``
    for inline text.
    """

    edit_token: EditToken
    seq: int
    version: int | None
    ops: tuple[KeepOp | HunkOp, ...]


@dataclass(frozen=True, slots=True)
class LineRegion:
    """Lines ``start .. end``, the end exclusive."""

    start: int
    end: int


@dataclass(frozen=True, slots=True)
class EditProgress:
    """The progress of an edit that a model writes, before its first hunk.

    version: of the document that the edit began with, whose lines ``regions`` counts; ``None`` for inline text. regions: the lines
    that are rewritten, in order. message: for a person. fraction: how much of the prompt has been read, 0 to 1.
    """

    edit_token: EditToken
    version: int | None
    regions: tuple[LineRegion, ...]
    message: str
    fraction: float | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class EditAnswer:
    """The outcome of an edit.

    A cancelled edit has hunks only if it was to keep the finished ones.
    status: ``ok`` if ``finish_reason`` is ``stop``, ``cancelled`` if it is that, else ``failed``.
    hunks: all of them, in lines of the document at ``version``. edits: the same change as LSP
    text edits, without suspect and stale hunks. text: the inline text with ``edits`` applied.
    message, code: one sentence for the user and its ``EditdError`` code, unless status is ok.
    suspects, notices: sentences for the user. summary: one line about the whole edit, or empty.
    ways: what can be done instead, best first; the same request with ``options.way`` takes one.
    """

    status: AnswerStatus
    finish_reason: FinishReason = field(metadata={"wire": "finish_reason"})
    version: int | None
    hunks: tuple[WireHunk, ...] = ()
    edits: tuple[TextEdit, ...] = ()
    text: str | None = None
    message: str | None = None
    code: str | None = None
    suspects: tuple[str, ...] = ()
    notices: tuple[str, ...] = ()
    summary: str = ""
    ways: tuple[Way, ...] = ()
    model: str = ""
    stats: Stats = field(default_factory=Stats)


# --- the hunks of an edit --------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class RebasedHunk:
    """The new place of a hunk, or that it is stale, accepted or rejected."""

    id: int
    start: int
    state: Literal["ok", "stale", "accepted", "rejected"]


@dataclass(frozen=True, slots=True)
class EditRebased:
    """The new places of hunks in the document at ``version``. Hunks that are not named have not moved."""

    edit_token: EditToken
    version: int
    hunks: tuple[RebasedHunk, ...]


@dataclass(frozen=True, slots=True)
class AcceptParams:
    """The params of an accept: all hunks that are neither suspect nor stale, or the named ones.

    apply: true: the server sends ``workspace/applyEdit``; false: the answer holds the edit.
    """

    edit_token: EditToken
    hunk_ids: HunkIds = "all"
    apply: bool = True


@dataclass(frozen=True, slots=True)
class LeftOut:
    """A hunk that was not accepted, and the reason."""

    id: int
    reason: str


@dataclass(frozen=True, slots=True)
class AcceptAnswer:
    """The outcome of an accept.

    applied: the change has arrived in the document, or the editor says so and has told of no other
    change for some seconds (some tell of changes only when they idle). hunkIds: the hunks of that
    change.
    edit: the change, if ``apply`` was false; ``editRebased`` tells when it has arrived.
    message: one sentence when something was not done.
    """

    applied: bool
    version: int | None
    hunk_ids: tuple[int, ...] = ()
    left_out: tuple[LeftOut, ...] = ()
    edit: WorkspaceEdit | None = None
    message: str | None = None


@dataclass(frozen=True, slots=True)
class RejectParams:
    """The params of a reject: all hunks, or the named ones."""

    edit_token: EditToken
    hunk_ids: HunkIds = "all"


@dataclass(frozen=True, slots=True)
class RejectAnswer:
    """The hunks that were rejected.

    message: one sentence when something was not done.
    """

    hunk_ids: tuple[int, ...]
    message: str | None = None


@dataclass(frozen=True, slots=True)
class CancelParams:
    """The params of a cancel; the edit's own answer is then ``cancelled``.

    keep: whether the hunks that are done stay, to be decided on; absent: as ``lsp.keep_on_cancel``.
    """

    edit_token: EditToken
    keep: bool | None = None


@dataclass(frozen=True, slots=True)
class CancelAnswer:
    """Whether the edit was running."""

    cancelled: bool


# --- the rest ------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True, kw_only=True)
class WarmupParams:
    """The params of a warm-up: the model is loaded and a text read, so that an edit of it starts at once."""

    text_document: OptionalVersionedTextDocumentIdentifier | None = None
    text: str | None = None
    language_id: str = ""
    path: str = ""
    range: Range | None = None
    options: EditOptions = field(default_factory=EditOptions)


@dataclass(frozen=True, slots=True)
class WarmupAnswer:
    """The outcome of a warm-up. message: why it is not warm."""

    status: Literal["warm", "cancelled", "failed"]
    message: str | None = None


@dataclass(frozen=True, slots=True)
class WorkspaceParams:
    """Whether the user trusts a project, so that its files may be read, to draft new code from.

    root: its folder, as a path or a ``file:`` URI; absent: every workspace folder of the editor.
    """

    trusted: bool
    root: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class MentionsParams:
    """The params of a completion of ``@…`` in an instruction.

    prefix: what is typed after ``@`` so far; may be empty. textDocument: the open document that the instruction is for.
    """

    prefix: str
    text_document: OptionalVersionedTextDocumentIdentifier


@dataclass(frozen=True, slots=True)
class MentionEntry:
    """A name that may stand after ``@``, in quotes where it needs them.

    path: of the other file that has the definition, from the project's folder; absent for a definition of the
        document itself, and for a file.
    """

    name: str
    kind: Literal["file", "definition"]
    path: str | None = None


@dataclass(frozen=True, slots=True)
class MentionList:
    """The names that fit, at most 20, the better fit first."""

    mentions: tuple[MentionEntry, ...]


@dataclass(frozen=True, slots=True)
class PresetEntry:
    """A named instruction; ``title`` is shown in a menu.

    refusal: why the present model does not take it, with the way to one that does; absent if it may take it.
    """

    name: str
    title: str
    instruction: str
    refusal: str | None = None


@dataclass(frozen=True, slots=True)
class PresetList:
    """The presets in the order of a menu."""

    presets: tuple[PresetEntry, ...]


@dataclass(frozen=True, slots=True)
class NoParams:
    """The params of a request without params."""


@dataclass(frozen=True, slots=True)
class ServerStatus:
    """The state of editd for this editor.

    state: ``stopped``: no daemon runs, the next edit starts one. queue: edits waiting before the
    first of this editor. fraction: of loading. daemon: the daemon's own figures, in answers only.
    """

    state: Literal["stopped", "starting", "loading", "idle", "busy", "error"]
    model: str = ""
    message: str = ""
    queue: int = 0
    fraction: float | None = None
    schema_version: int = SCHEMA_VERSION
    daemon: dict[str, Any] | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class RunParams:
    """The argument of the commands ``editd.runPreset`` and ``editd.run``, which edit a document and apply the change.

    way: as ``options.way`` of ``editd/edit``.

    Both also take ``textDocument`` (or its URI), ``instruction`` or ``preset``, and perhaps ``range``
    one after the other.
    """

    text_document: OptionalVersionedTextDocumentIdentifier
    preset: str | None = None
    instruction: str = ""
    range: Range | None = None
    context: tuple[ContextEntry, ...] = ()
    way: WayName | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class RunAnswer:
    """The outcome of a command. The user has already been shown the message."""

    status: AnswerStatus
    applied: bool
    message: str | None = None
