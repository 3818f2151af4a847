"""The messages between clients, the daemon and the engine process.

In ``options`` are the settings of a request, in ``reports`` the figures and states in an answer.

Frozen dataclasses of plain values; ``daemon.framing`` turns them into msgpack and back. Imports only the types of
``diff.hunk`` and ``errors``. A change that an older peer would misread raises ``PROTOCOL_VERSION``; each version has
its own socket.

A conversation: ``Hello`` → ``Welcome``; then any number of requests, each with a ``request_id``
unique on its connection. Every request gets exactly one final answer; ``Progress``, ``Delta`` and
``TextDelta`` may come before it::

    EditRequest      → EditResult
    WarmupRequest    → Done
    CompleteRequest  → CompleteResult
    StatusRequest    → StatusReport
    ExplainRequest   → Explained
    StopRequest      → Done
    CancelRequest      has no answer of its own: the request that it names gets its final one

``Failed`` answers a request that could not be read, and stands in for every final answer but ``EditResult``.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from editd.diff.hunk import Hunk, Op
from editd.errors import AnswerEnd, FinishReason
from editd.messages.options import BY_MODEL, EditOptions, InDoubt, Way
from editd.messages.reports import ModelStatus, Stats, Trace, TraceSummary, WorkspaceStatus

PROTOCOL_VERSION = 12

Stage = Literal["queued", "loading", "prefill", "decoding"]
Priority = Literal["interactive", "batch", "warmup"]
Merge = Literal["auto", "text", "certain", "model"]

# --- a conversation --------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Hello:
    """Opens a conversation. client: a name for logs, such as ``cli`` or ``lsp``."""

    version: int
    client: str
    pid: int


@dataclass(frozen=True, slots=True)
class Welcome:
    """The answer to ``Hello``."""

    version: int
    editd_version: str
    pid: int


@dataclass(frozen=True, slots=True)
class Progress:
    """The progress of a request before its first text.

    message: for a person. fraction: of the stage, 0 to 1. queue_position: 0 while it is being computed. regions: of an edit, the
    lines ``start .. end`` (0-based, end exclusive) that a model rewrites; empty until they are known.
    """

    request_id: str
    stage: Stage
    message: str
    fraction: float | None = None
    queue_position: int | None = None
    regions: tuple[tuple[int, int], ...] = ()


@dataclass(frozen=True, slots=True)
class ErrorInfo:
    """An ``EditdError`` on its way to another process: its ``code`` and its sentence."""

    code: str
    message: str


@dataclass(frozen=True, slots=True)
class Done:
    """The final answer to a request without a result; ``message``: a sentence about it."""

    request_id: str
    message: str = ""


@dataclass(frozen=True, slots=True)
class Failed:
    """The final answer to a request that failed and is not an edit, or that could not be read."""

    request_id: str
    error: ErrorInfo


@dataclass(frozen=True, slots=True)
class CancelRequest:
    """Cancels an edit, completion or warm-up, whose own final answer reports it; has no answer."""

    request_id: str


@dataclass(frozen=True, slots=True)
class StopRequest:
    """Asks the daemon to exit: at once if ``force``, else when running edits have ended."""

    request_id: str
    force: bool = False


# --- an edit -------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class ContextItem:
    """A text besides the buffer that the model should see. start_line, end_line: 0-based, end exclusive.

    kind: ``mention`` is a text that the instruction names; it is left out, with a notice, if the prompt has no room for it.
    """

    kind: Literal["diagnostic", "definition", "recent-edit", "note", "mention"]
    text: str
    path: str = ""
    start_line: int | None = None
    end_line: int | None = None


@dataclass(frozen=True, slots=True)
class EarlierRequest:
    """The instruction of an edit that is refined, and the lines that it was limited to; ``None``: it was not.

    instruction: of an edit that was a refinement itself, with those before it, each on a line.
    """

    instruction: str
    start_line: int | None = None
    end_line: int | None = None


@dataclass(frozen=True, slots=True)
class EditRequest:
    """Asks for a text to be rewritten by an instruction, or for a sketch to be merged into it.

    text: the whole buffer, exactly as the client has it (line ends, BOM and all).
    path: its name, for the prompt and the language; nothing is ever read from it.
    document: a URI; a newer edit of it supersedes an older one. Empty: none does.
    start_line, end_line: 0-based, end exclusive: only these lines may change. ``None``: all.
    prediction: text expected instead of the buffer. ``None``: the buffer.
    based_on: the answer of an earlier edit of this text, for *refine* and *retry*.
    earlier: the request that ``based_on`` answers; ``None``: unknown.
    workspace_root: folder of a project that the user trusts, whose files may be drafted from; the
        client vouches for it. Empty: none.
    sketch: an abbreviated change to merge into ``text``; the instruction may then be empty.
        ``None``: there is none.
    merge: how the sketch is merged: ``text`` never asks a model, ``certain`` neither and refuses what can
        mean several texts, ``model`` always asks one, ``auto`` only if no reading is likely.
    file: the absolute path of the file, by which a sketch may name it and linters find its project; no model sees it.
        Empty: unknown.
    beside: the names of other files that the same sketch is merged into.
    cursor: the 0-based line of the cursor, for an instruction that says where something new goes; ``None``: unknown.
    mention_root: folder below which texts that the instruction names with ``@`` may be read, although the project is
        not trusted in other ways; empty: ``workspace_root``.
    doubt: why the sketch is ambiguous, if the client has tried to merge it; it is not merged as text again.
    """

    request_id: str
    text: str
    instruction: str
    path: str = ""
    language_id: str = ""
    document: str = ""
    start_line: int | None = None
    end_line: int | None = None
    prediction: str | None = None
    context: tuple[ContextItem, ...] = ()
    based_on: str | None = None
    earlier: EarlierRequest | None = None
    workspace_root: str = ""
    options: EditOptions = EditOptions()
    priority: Priority = "interactive"
    sketch: str | None = None
    merge: Merge = "auto"
    file: str = ""
    beside: tuple[str, ...] = ()
    doubt: InDoubt | None = None
    cursor: int | None = None
    mention_root: str = ""

    @property
    def asks_model(self) -> bool:
        """Whether a model merges the sketch even if it is unambiguous."""
        return self.merge == "model" or self.options.way in BY_MODEL


@dataclass(frozen=True, slots=True)
class WarmupRequest:
    """Asks for the model to be loaded and this buffer to be read; the fields are those of ``EditRequest``."""

    request_id: str
    text: str
    path: str = ""
    language_id: str = ""
    document: str = ""
    start_line: int | None = None
    end_line: int | None = None
    workspace_root: str = ""
    options: EditOptions = EditOptions()


@dataclass(frozen=True, slots=True)
class Delta:
    """A part of an edit's change, as it becomes known, in the order of the old text.

    ``Keep`` and finished hunks walk through the old lines without gaps; a hunk that is not done is at the walk's end,
    and is sent again, grown, with the same id. seq: counts deltas from 0; a delta that the next repeats may be left out
    on the way to a slow reader.
    """

    request_id: str
    seq: int
    ops: tuple[Op, ...]


@dataclass(frozen=True, slots=True)
class EditResult:
    """The final answer to an ``EditRequest``.

    text: of the whole buffer; ``None`` unless ``finish_reason`` is ``stop``. hunks: the same change in lines. suspects:
    every doubt of the checks, also those on single hunks. notices: sentences for the user, on the chosen scope or on
    fallbacks. summary: a line about the whole edit, or empty. ways: other ways to do the edit, best first.
    """

    request_id: str
    finish_reason: FinishReason
    text: str | None = None
    hunks: tuple[Hunk, ...] = ()
    suspects: tuple[str, ...] = ()
    notices: tuple[str, ...] = ()
    stats: Stats = Stats()
    model: str = ""
    error: ErrorInfo | None = None
    summary: str = ""
    ways: tuple[Way, ...] = ()


# --- a completion ----------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class ChatMessage:
    """A turn of a conversation with a model."""

    role: Literal["system", "user", "assistant"]
    content: str


@dataclass(frozen=True, slots=True)
class CompleteRequest:
    """Asks a model to continue a conversation or a prompt.

    messages: put into the model's chat template. prompt: used unchanged, in place of messages; words of control tokens
        mean these tokens.
    prediction: the expected text; it changes the answer's time, never its text. stop: strings that end the answer and
        are no part of it.
    stream: send the text as it is verified (``TextDelta``). document: as of ``EditRequest``.
    """

    request_id: str
    messages: tuple[ChatMessage, ...] = ()
    prediction: str | None = None
    stop: tuple[str, ...] = ()
    options: EditOptions = EditOptions()
    priority: Priority = "interactive"
    prompt: str | None = None
    stream: bool = False
    document: str = ""


@dataclass(frozen=True, slots=True)
class TextDelta:
    """A part of a completion's text, as it is verified: whole characters, never empty.

    All deltas together are the text of the ``CompleteResult``.
    """

    request_id: str
    text: str


@dataclass(frozen=True, slots=True)
class CompleteResult:
    """The final answer to a ``CompleteRequest`` that ended by itself (``stop``) or at its limit (``length``)."""

    request_id: str
    finish_reason: AnswerEnd
    text: str
    notices: tuple[str, ...] = ()
    stats: Stats = Stats()
    model: str = ""


# --- the daemon's status ---------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class StatusRequest:
    """Asks for a ``StatusReport``."""

    request_id: str


@dataclass(frozen=True, slots=True)
class StatusReport:
    """The answer to a ``StatusRequest``."""

    request_id: str
    state: Literal["idle", "loading", "busy", "stopping"]
    editd_version: str
    pid: int
    uptime_seconds: float
    models: tuple[ModelStatus, ...] = ()
    clients: int = 0
    queue: int = 0
    rss_bytes: int = 0
    message: str = ""
    last_stats: Stats | None = None
    workspaces: tuple[WorkspaceStatus, ...] = ()


# --- how an edit came about ------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class ExplainRequest:
    """Asks for the trace of a finished edit. trace_id: as in ``Trace.id``; empty for the newest."""

    request_id: str
    trace_id: str = ""


@dataclass(frozen=True, slots=True)
class Explained:
    """The answer to an ``ExplainRequest``. trace: ``None`` if there is no such edit.

    known: all edits that can be explained, newest first.
    """

    request_id: str
    trace: Trace | None = None
    known: tuple[TraceSummary, ...] = ()


JobRequest = EditRequest | CompleteRequest | WarmupRequest

ClientMessage = Hello | JobRequest | CancelRequest | StatusRequest | ExplainRequest | StopRequest

ServerMessage = (
    Welcome
    | Progress
    | Delta
    | TextDelta
    | EditResult
    | CompleteResult
    | StatusReport
    | Explained
    | Done
    | Failed
)

Message = ClientMessage | ServerMessage

Interim = Progress | Delta | TextDelta
"""Messages before a request's final answer."""
