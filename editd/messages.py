"""All that crosses the daemon's socket, and nothing else.

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

from dataclasses import dataclass, replace
from typing import Any, Literal

from editd.diff.hunk import Hunk, Op
from editd.errors import AnswerEnd, EditRefused, FinishReason

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


# --- an edit: how it may be done, what is asked, what is told --------------------------------------

WayName = Literal["reading", "words", "resembling", "model", "again", "whole"]

WrittenBy = Literal["model", "text", "text+model", "words", ""]


@dataclass(frozen=True, slots=True)
class Way:
    """One of them: a request with ``options.way`` = ``name`` takes it; ``title`` is for a menu."""

    name: WayName
    title: str
    needs_model: bool


WAYS = (
    Way("reading", "The other reading of the paste", needs_model=False),
    Way("words", "As the words say", needs_model=False),
    Way("resembling", "With what resembles it", needs_model=False),
    Way("model", "Ask the model", needs_model=True),
    Way("again", "Ask again", needs_model=True),
    Way("whole", "On the whole file", needs_model=True),
)
"""All there are, best first."""

BY_MODEL = frozenset(way.name for way in WAYS if way.needs_model)


def ways_from(
    written_by: WrittenBy,
    *,
    in_parts: bool = False,
    other_reading: bool = False,
    words_differ: bool = False,
    resembling: bool = False,
) -> tuple[Way, ...]:
    """The ways that lead on from an answer, best first; ``""``: there is none.

    in_parts: parts of the text stand for all of it. other_reading: a second reading of the paste is
    close. words_differ: the words have a literal meaning, and it is another one. resembling: what
    resembles the words stayed as it is.
    """
    by_model = written_by in ("model", "text+model")
    there: dict[WayName, bool] = {
        "reading": other_reading,
        "words": words_differ,
        "resembling": resembling,
        "model": written_by in ("text", "words"),
        "again": by_model,
        "whole": in_parts,
    }
    return tuple(way for way in WAYS if there[way.name])


def check_way(way: WayName | None) -> None:
    """Raise ``EditRefused`` for a way that leads nowhere: one that no model takes and nothing computes."""
    if way is not None and way not in BY_MODEL:
        raise EditRefused(f"This edit has no other way {way!r}: leave it out (--way).")


@dataclass(frozen=True, slots=True)
class Loading:
    """How models are loaded, in the words of ``config.ModelConfig``; ``None``: as the daemon does.

    A daemon with other settings refuses the request, rather than load a model twice.
    """

    device: str | None = None
    dtype: str | None = None
    max_context: int | None = None
    capture: str | None = None
    exactness: str | None = None
    threads: int | None = None
    draft_device: str | None = None
    engine: str | None = None
    url: str | None = None
    key_file: str | None = None
    allow_plain_http: bool | None = None


@dataclass(frozen=True, slots=True)
class EditOptions:
    """Per-request settings; ``None`` means: as the daemon's configuration says.

    acceptance: how sampled drafts of a draft model are judged, ``rejection`` or ``coupled``.
    way: which of the other ways to an edit is taken; ``None``: the usual one. ``model``, ``again`` and
        ``whole`` ask a model even if it can be done without. ``again`` samples, with a seed of its own
        unless one is given. ``whole`` shows and rewrites all that fits the model's context, however
        long it takes.
    """

    model: str | None = None
    draft_model: str | None = None
    drafter: str | None = None
    window: int | None = None
    temperature: float | None = None
    top_p: float | None = None
    top_k: int | None = None
    seed: int | None = None
    max_new_tokens: int | None = None
    timeout: float | None = None  # seconds
    acceptance: str | None = None
    way: WayName | None = None
    loading: Loading = Loading()


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
class Doubtful:
    """A part of the sketch that has several places, or none.

    start, end: the buffer's lines between the certain parts around it, 0-based, end exclusive. No
    certain hunk touches these lines, and two doubtful parts never overlap. sketch: the part's lines
    without ends, with the marker lines above and below it if the sketch has them.
    """

    start: int
    end: int
    sketch: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class InDoubt:
    """A sketch can mean several texts, or none.

    reason: one sentence for the user that says what to do. line: 0-based line of the paste that the
    doubt is about, ``None`` if it is about the whole paste. final: a model could not decide either.
    certain: hunks that every reading of the sketch shares, in order; they can be used as they are.
    doubtful: the parts left to decide, in the buffer's order. Both are empty if the doubt is about the
    whole paste.
    """

    reason: str
    line: int | None = None
    final: bool = False
    certain: tuple[Hunk, ...] = ()
    doubtful: tuple[Doubtful, ...] = ()


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
class Stats:
    """The figures of one edit; the same names in the CLI, over LSP and in benchmarks.

    ``None``: a figure that the answer's writer does not give; 0: that there was none.

    output_tokens: tokens the target wrote. rounds: forward passes that verified (prefill apart).
    drafted, accepted, rejected: draft tokens; drafted = accepted + rejected.
    load_seconds: until its models were in memory, 0 when they were. first_hunk_ms: after that.
    acceptance_rate: accepted by drafted; ``None`` where nothing was drafted.
    cached_tokens: prompt tokens found in the prefix cache. drafter_seconds: time spent drafting.
    exactness: what equality with plain decoding is promised: bitwise, token or near-tie.
    min_margin: smallest log-probability gap between first and second choice at an emitted token.
    near_ties: emitted tokens whose gap was too small for this dtype to promise.
    written_by: the answer: ``model``, ``text`` (a sketch, merged without one), ``text+model`` (the
        model decided some of it) or ``words`` (computed from the instruction); empty: none was written.
    restored_lines: lines that kept their white space, or stayed blank, although the answer changed that.
    """

    prompt_tokens: int | None = 0
    cached_tokens: int | None = 0
    output_tokens: int | None = 0
    rounds: int | None = 0
    tokens_per_round: float | None = 0.0
    drafted: int | None = 0
    accepted: int | None = 0
    rejected: int | None = 0
    acceptance_rate: float | None = None
    accepted_prediction_tokens: int | None = 0
    rejected_prediction_tokens: int | None = 0
    first_hunk_ms: float | None = None
    load_seconds: float = 0.0
    decode_seconds: float = 0.0
    total_seconds: float = 0.0
    tokens_per_second: float | None = 0.0
    drafter_seconds: float | None = 0.0
    exactness: str = ""
    min_margin: float | None = None
    near_ties: int | None = 0
    drafter: str = ""
    written_by: WrittenBy = ""
    restored_lines: int = 0

    def plus(self, other: Stats) -> Stats:
        """The counts of two answers as of one; what is not known of both is not known."""
        counted: dict[str, Any] = {}
        for name in _COUNTED:
            mine, others = getattr(self, name), getattr(other, name)
            counted[name] = None if mine is None or others is None else mine + others
        margins = [x for x in (self.min_margin, other.min_margin) if x is not None]
        return replace(
            self,
            exactness=other.exactness or self.exactness,
            min_margin=min(margins, default=None),
            **counted,
        )


_COUNTED = (
    *("prompt_tokens", "cached_tokens", "output_tokens", "rounds"),
    *("drafted", "accepted", "rejected", "drafter_seconds", "near_ties"),
)


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
    ``hunks`` say the same change in lines; ``suspects`` names every doubt of the checks, those about a hunk stand on the hunk as well. ``summary``: one
    line about the whole edit, or empty. ``ways``: what can be done instead, best first.
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
class ModelStatus:
    """One model that the daemon holds or is loading.

    memory_bytes: weights and caches. kv_bytes, kv_limit_bytes: keys and values, and the most that
    they may take; 0: what the machine has. exactness: as in ``Stats``. runs: how passes are run, for
    a person.
    """

    name: str
    state: Literal["loading", "ready"]
    device: str = ""
    dtype: str = ""
    parameters: int = 0
    memory_bytes: int = 0
    fraction: float | None = None  # of loading
    kv_bytes: int = 0
    kv_limit_bytes: int = 0
    exactness: str = ""
    runs: str = ""


WorkspaceState = Literal["refused", "building", "ready", "failed", "closed"]


@dataclass(frozen=True, slots=True)
class WorkspaceStatus:
    """A project whose files are drafted from, without their names. ``message``: for the user."""

    root: str
    state: WorkspaceState
    files: int = 0
    tokens: int = 0
    memory_bytes: int = 0
    message: str = ""


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
class TracePiece:
    """Text of one source in a row; ``source`` and ``detail`` as in ``diff.hunk.Origin``."""

    text: str
    source: str
    detail: str = ""
    num_tokens: int = 0


@dataclass(frozen=True, slots=True)
class TraceRound:
    """One round of a finished edit. Times in seconds, ``start`` since the edit began.

    region: which of the edit's answers, from 0. pieces: what it brought, the model's own token last.
    chance: how likely that was; ``None`` where that is not known. rival: the likeliest other one.
    """

    start: float
    draft_seconds: float
    verify_seconds: float
    region: int
    drafted: int
    accepted: int
    pieces: tuple[TracePiece, ...] = ()
    chance: float | None = None
    rival: str = ""


@dataclass(frozen=True, slots=True)
class TraceSummary:
    """One line about a finished edit that can be explained. ``ended``: seconds since the epoch.

    rounds, tokens: as in ``Stats``.
    """

    id: str
    ended: float
    path: str
    instruction: str
    finish_reason: FinishReason
    rounds: int | None
    tokens: int | None


@dataclass(frozen=True, slots=True)
class Trace:
    """The trace of a finished edit; kept in memory for a while, never logged.

    prefill_seconds: reading the prompts. hunks: as in its ``EditResult``.
    """

    id: str
    ended: float
    path: str
    instruction: str
    model: str
    finish_reason: FinishReason
    stats: Stats
    prefill_seconds: float
    rounds: tuple[TraceRound, ...]
    hunks: tuple[Hunk, ...] = ()


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
