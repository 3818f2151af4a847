"""All that crosses the daemon's socket.

Here are the messages, in ``options`` how an edit is asked for, in ``reports`` what is told of it and of the daemon.

Frozen dataclasses of plain values; ``daemon.framing`` turns them into msgpack and back. Imports only the
words of ``diff.hunk`` and how an edit ends. A change that an older peer would misread raises
``PROTOCOL_VERSION``; each version has its own socket.

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

``Failed`` answers what could not be read, and stands in for all but ``EditResult``.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from editd.diff.hunk import Hunk, Op
from editd.errors import AnswerEnd, FinishReason
from editd.messages.options import BY_MODEL, EditOptions, InDoubt, Way
from editd.messages.reports import ModelStatus, Stats, Trace, TraceSummary, WorkspaceStatus

# --- a conversation --------------------------------------------------------------------------------

PROTOCOL_VERSION = 10


@dataclass(frozen=True, slots=True)
class Hello:
    """Opens a conversation."""

    version: int
    client: str  # "cli", "lsp", a test's name: for logs and status
    pid: int


@dataclass(frozen=True, slots=True)
class Welcome:
    """The answer to ``Hello``."""

    version: int
    editd_version: str
    pid: int


Stage = Literal["queued", "loading", "prefill", "decoding"]


@dataclass(frozen=True, slots=True)
class Progress:
    """The progress of an edit before its first hunk; ``message`` is for a person."""

    request_id: str
    stage: Stage
    message: str
    fraction: float | None = None
    queue_position: int | None = None  # 0: this one is decoding


@dataclass(frozen=True, slots=True)
class ErrorInfo:
    """An ``EditdError`` on its way to another process."""

    code: str  # EditdError.code
    message: str


@dataclass(frozen=True, slots=True)
class Done:
    """The answer to a request without a result."""

    request_id: str
    message: str = ""


@dataclass(frozen=True, slots=True)
class Failed:
    """The answer to a request that is not an edit and went wrong, or that could not be read."""

    request_id: str
    error: ErrorInfo


@dataclass(frozen=True, slots=True)
class CancelRequest:
    """Stop the edit, completion or warm-up ``request_id``; its own final answer says ``cancelled``."""

    request_id: str


@dataclass(frozen=True, slots=True)
class StopRequest:
    """Exit: at once if ``force``, else when running edits have ended."""

    request_id: str
    force: bool = False


# --- an edit -------------------------------------------------------------------------------------

Priority = Literal["interactive", "batch", "warmup"]

Merge = Literal["auto", "text", "certain", "model"]


@dataclass(frozen=True, slots=True)
class ContextItem:
    """Something besides the buffer that the model should see."""

    kind: Literal["diagnostic", "definition", "recent-edit", "note"]
    text: str
    path: str = ""
    start_line: int | None = None  # 0-based
    end_line: int | None = None  # exclusive


@dataclass(frozen=True, slots=True)
class EditRequest:
    """Rewrite ``text`` as ``instruction`` says.

    text: the whole buffer, exactly as the client has it (line ends, BOM and all).
    path: its name, for the prompt and the language; nothing is ever read from it.
    document: what a newer edit supersedes an older one of (a URI); empty: never.
    start_line, end_line: 0-based, end exclusive: only these lines may change. ``None``: all.
    prediction: text expected instead of the buffer. ``None``: the buffer.
    based_on: the answer of an earlier edit of this text, for *refine* and *retry*.
    workspace_root: folder of a project that the user trusts, whose files may be drafted from; the
        client vouches for it. Empty: none.
    sketch: an abbreviated change to merge into ``text``; the instruction may then be empty.
        ``None``: there is none.
    merge: how the sketch is merged: ``text`` never asks a model, ``certain`` neither and refuses what can
        mean several texts, ``model`` always asks one, ``auto`` only if no reading is likely.
    file: the absolute path of the file, by which a sketch may name it; no model sees it. Empty: unknown.
    beside: the names of other files that the same sketch is merged into.
    doubt: why it is in doubt, if the client has merged it already; then it is not merged as text again.
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
    workspace_root: str = ""
    options: EditOptions = EditOptions()
    priority: Priority = "interactive"
    sketch: str | None = None
    merge: Merge = "auto"
    file: str = ""
    beside: tuple[str, ...] = ()
    doubt: InDoubt | None = None

    @property
    def asks_model(self) -> bool:
        """Whether a model merges the sketch even if it is unambiguous."""
        return self.merge == "model" or self.options.way in BY_MODEL


@dataclass(frozen=True, slots=True)
class WarmupRequest:
    """Load the model and prefill this buffer; answered by ``Done`` when it is warm."""

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
    """What became known since the last delta, in the order of the old text.

    ``Keep`` and done hunks walk through the old lines without gaps; a hunk that is not done stands
    where the walk has come to and is sent again, grown, with the same id. ``seq`` counts them from
    0; one that the next says again may be left out on the way to a slow reader.
    """

    request_id: str
    seq: int
    ops: tuple[Op, ...]


@dataclass(frozen=True, slots=True)
class EditResult:
    """The one answer to an ``EditRequest``.

    ``text`` is the new text of the whole buffer; ``None`` unless ``finish_reason`` is ``stop``.
    ``hunks`` say the same change in lines; ``suspects`` names every doubt of the checks, those about a
    hunk stand on the hunk as well. ``summary``: one line about the whole edit, or empty. ``ways``: what can
    be done instead, best first.
    """

    request_id: str
    finish_reason: FinishReason
    text: str | None = None
    hunks: tuple[Hunk, ...] = ()
    suspects: tuple[str, ...] = ()
    notices: tuple[str, ...] = ()  # plain sentences for the user (scope chosen, fallbacks)
    stats: Stats = Stats()
    model: str = ""
    error: ErrorInfo | None = None
    summary: str = ""
    ways: tuple[Way, ...] = ()


# --- a completion ----------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class ChatMessage:
    """One turn of a conversation with a model."""

    role: Literal["system", "user", "assistant"]
    content: str


@dataclass(frozen=True, slots=True)
class CompleteRequest:
    """Write what comes next; answered by ``CompleteResult`` or ``Failed``.

    What comes before is ``messages``, told in the model's chat template, or ``prompt``, as it stands, words of
    control tokens meaning these tokens.
    prediction: text that is expected, in the messages or not; it is drafted from and changes the
        answer's time, never its text. stop: strings that end the answer and are no part of it.
    stream: tell the text as it is verified (``TextDelta``). document: as of ``EditRequest``.
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
    """Text of a completion that became certain since the last one: whole characters, never empty.

    All of them together are the text of its ``CompleteResult``.
    """

    request_id: str
    text: str


@dataclass(frozen=True, slots=True)
class CompleteResult:
    """The answer to a ``CompleteRequest`` that ended by itself or at its limit."""

    request_id: str
    finish_reason: AnswerEnd
    text: str
    notices: tuple[str, ...] = ()
    stats: Stats = Stats()
    model: str = ""


# --- the daemon's status ---------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class StatusRequest:
    """Asks for the daemon's status."""

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
    """Asks for the trace of a finished edit. ``trace_id``: as in ``Trace.id``; empty: the last one."""

    request_id: str
    trace_id: str = ""


@dataclass(frozen=True, slots=True)
class Explained:
    """The answer to an ``ExplainRequest``; ``trace`` is ``None`` where there is no such edit.

    known: all edits that can be explained, the last one first.
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
"""What is said before a request's final answer."""
