"""All that crosses the daemon's socket, and nothing else.

Frozen dataclasses of plain values; ``pack`` and ``unpack`` turn them into msgpack and back
(``packing``). Imports only the words of ``diff.hunk`` and how an edit ends. A change that an older
peer would misread raises ``PROTOCOL_VERSION``; each version has its own socket.

A conversation: ``Hello`` → ``Welcome``; then any number of requests, each with a ``request_id``
unique on its connection. Every request gets exactly one final answer; ``Progress``, ``Delta`` and
``TextDelta`` may come before it::

    EditRequest      → EditResult       edits
    WarmupRequest    → Done             edits
    CompleteRequest  → CompleteResult   completions
    StatusRequest    → StatusReport     status
    ExplainRequest   → Explained        traces
    StopRequest      → Done             conversation
    CancelRequest      has no answer of its own: the request that it names gets its final one

``Failed`` answers what could not be read, and stands in for all but ``EditResult``. Figures (``stats``),
settings (``options``) and other ways (``ways``) are what several of them hold. Import from here, not from the modules below.
"""

from editd.messages.completions import ChatMessage, CompleteRequest, CompleteResult, TextDelta
from editd.messages.conversation import (
    PROTOCOL_VERSION,
    CancelRequest,
    Done,
    ErrorInfo,
    Failed,
    Hello,
    Progress,
    Stage,
    StopRequest,
    Welcome,
)
from editd.messages.edits import ContextItem, Delta, EditRequest, EditResult, Merge, WarmupRequest
from editd.messages.options import EditOptions, Loading, Priority
from editd.messages.packing import (
    OPENING,
    ClientMessage,
    Interim,
    JobRequest,
    Message,
    MessageError,
    Packed,
    ServerMessage,
    pack,
    unpack,
)
from editd.messages.stats import Stats
from editd.messages.status import (
    ModelStatus,
    StatusReport,
    StatusRequest,
    WorkspaceState,
    WorkspaceStatus,
)
from editd.messages.traces import (
    Explained,
    ExplainRequest,
    Trace,
    TracePiece,
    TraceRound,
    TraceSummary,
)
from editd.messages.ways import BY_MODEL, WAYS, Way, WayName, WrittenBy, check_way, ways_from

__all__ = [
    "BY_MODEL",
    "OPENING",
    "PROTOCOL_VERSION",
    "WAYS",
    "CancelRequest",
    "ChatMessage",
    "ClientMessage",
    "CompleteRequest",
    "CompleteResult",
    "ContextItem",
    "Delta",
    "Done",
    "EditOptions",
    "EditRequest",
    "EditResult",
    "ErrorInfo",
    "ExplainRequest",
    "Explained",
    "Failed",
    "Hello",
    "Interim",
    "JobRequest",
    "Loading",
    "Merge",
    "Message",
    "MessageError",
    "ModelStatus",
    "Packed",
    "Priority",
    "Progress",
    "ServerMessage",
    "Stage",
    "Stats",
    "StatusReport",
    "StatusRequest",
    "StopRequest",
    "TextDelta",
    "Trace",
    "TracePiece",
    "TraceRound",
    "TraceSummary",
    "WarmupRequest",
    "Way",
    "WayName",
    "Welcome",
    "WorkspaceState",
    "WorkspaceStatus",
    "WrittenBy",
    "check_way",
    "pack",
    "unpack",
    "ways_from",
]
