"""All that crosses the daemon's socket, and nothing else.

Frozen dataclasses of plain values; ``pack`` and ``unpack`` turn them into msgpack and back, the
class name travelling as ``type``. Imports only the words of ``diff.hunk``. A change that an older
peer would misread raises ``PROTOCOL_VERSION``; each version has its own socket.

A conversation: ``Hello`` → ``Welcome``; then any number of requests, each with a ``request_id``
unique on its connection. Every request gets exactly one final answer (``EditResult``,
``CompleteResult``, ``StatusReport``, ``Explained``, ``Done`` or ``Failed``); ``Progress``, ``Delta``
and ``TextDelta`` may come before it.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

from cattrs.preconf.msgpack import make_converter

from editd.diff.hunk import Hunk, Keep, Op, Replacement
from editd.errors import FinishReason

PROTOCOL_VERSION = 4

Priority = Literal["interactive", "batch", "warmup"]
Merge = Literal["auto", "text", "model"]
Stage = Literal["queued", "loading", "prefill", "decoding"]


# --- asked by clients ----------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Hello:
    """Opens a conversation."""

    version: int
    client: str  # "cli", "lsp", a test's name: for logs and status
    pid: int


@dataclass(frozen=True, slots=True)
class Loading:
    """How models are loaded, in the words of ``config.ModelConfig``; ``None``: as the daemon does.

    A daemon that loads them otherwise refuses the request: no second copy is made of a model.
    """

    device: str | None = None
    dtype: str | None = None
    max_context: int | None = None
    quantize: str | None = None
    capture: str | None = None
    exactness: str | None = None
    threads: int | None = None
    draft_device: str | None = None
    engine: str | None = None
    url: str | None = None
    key_file: str | None = None
    tokenizer: str | None = None
    allow_plain_http: bool | None = None


@dataclass(frozen=True, slots=True)
class EditOptions:
    """Per-request settings; ``None`` means: as the daemon's configuration says.

    acceptance: how sampled drafts of a draft model are judged, ``rejection`` or ``coupled``.
    draft_replace: pairs: what the model's prompt says, what the draft model's says instead.
    whole: show and rewrite all that fits the model's context, however long it takes.
    """

    model: str | None = None
    draft_model: str | None = None
    drafter: str | None = None
    window: int | None = None
    temperature: float | None = None
    top_p: float | None = None
    top_k: int | None = None
    min_p: float | None = None
    repetition_penalty: float | None = None
    seed: int | None = None
    max_new_tokens: int | None = None
    timeout: float | None = None  # seconds
    acceptance: str | None = None
    draft_replace: tuple[tuple[str, str], ...] = ()
    allow_remote_code: bool = False
    whole: bool = False
    loading: Loading = Loading()


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
    sketch: the change as somebody wrote it, to be put into ``text``; the instruction may then be
        empty. ``None``: there is none.
    merge: who puts the sketch in: ``text`` never asks a model, ``model`` always does, ``auto`` where
        the text leaves a choice.
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
class ChatMessage:
    """One turn of a conversation with a model."""

    role: Literal["system", "user", "assistant"]
    content: str


@dataclass(frozen=True, slots=True)
class CompleteRequest:
    """Write what comes next; answered by ``CompleteResult`` or ``Failed``.

    What comes before is one of three: ``messages``, told in the model's chat template; ``prompt``,
    as it stands, words of control tokens meaning these tokens; ``prompt_ids``, its token ids.
    prediction: text that is expected, in the messages or not; it is drafted from and changes the
        answer's time, never its text. stop: strings that end the answer and are no part of it.
    stream: tell the text as it is verified (``TextDelta``).
    """

    request_id: str
    messages: tuple[ChatMessage, ...] = ()
    prediction: str | None = None
    stop: tuple[str, ...] = ()
    options: EditOptions = EditOptions()
    priority: Priority = "interactive"
    prompt: str | None = None
    prompt_ids: tuple[int, ...] | None = None
    stream: bool = False


@dataclass(frozen=True, slots=True)
class CancelRequest:
    """Stop the edit, completion or warm-up ``request_id``; its own final answer says ``cancelled``."""

    request_id: str


@dataclass(frozen=True, slots=True)
class StatusRequest:
    """How is the daemon?"""

    request_id: str


@dataclass(frozen=True, slots=True)
class ExplainRequest:
    """How did a finished edit come about? ``trace_id``: as in ``Trace.id``; empty: the last one."""

    request_id: str
    trace_id: str = ""


@dataclass(frozen=True, slots=True)
class StopRequest:
    """Leave: at once if ``force``, else when running edits have ended."""

    request_id: str
    force: bool = False


# --- answered by the daemon ----------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Welcome:
    """The answer to ``Hello``."""

    version: int
    editd_version: str
    pid: int


@dataclass(frozen=True, slots=True)
class Progress:
    """How an edit fares before its first hunk; ``message`` is for a person."""

    request_id: str
    stage: Stage
    message: str
    fraction: float | None = None
    queue_position: int | None = None  # 0: this one is decoding


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
class TextDelta:
    """Text of a completion that became certain since the last one: whole characters, never empty.

    All of them together are the text of its ``CompleteResult``.
    """

    request_id: str
    text: str


@dataclass(frozen=True, slots=True)
class Stats:
    """The figures of one edit; the same names in the CLI, over LSP and in benchmarks.

    ``None``: a figure that whoever wrote the answer does not give; 0: that there was none.

    output_tokens: tokens the target wrote. rounds: forward passes that verified (prefill apart).
    drafted, accepted, rejected: draft tokens; drafted = accepted + rejected.
    load_seconds: until its models were in memory, 0 when they were. first_hunk_ms: after that.
    acceptance_rate: accepted by drafted; ``None`` where nothing was drafted.
    tree_rounds: rounds whose draft had branches; the others verified a chain, or no draft.
    cached_tokens: prompt tokens found in the prefix cache. drafter_seconds: time spent drafting.
    exactness: what equality with plain decoding is promised: bitwise, token or near-tie.
    min_margin: smallest log-probability gap between first and second choice at an emitted token.
    near_ties: emitted tokens whose gap was too small for this dtype to promise.
    window, last_window: most draft tokens that the median and the last round were allowed.
    merged_by: of a sketch: ``text``, ``model``, or ``text+model`` where the model decided some of it;
        empty where there was none.
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
    tree_rounds: int | None = 0
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
    window: int | None = 0
    last_window: int | None = 0
    drafter: str = ""
    merged_by: str = ""
    restored_lines: int = 0


@dataclass(frozen=True, slots=True)
class ErrorInfo:
    """An ``EditdError`` on its way to another process."""

    code: str  # EditdError.code
    message: str


@dataclass(frozen=True, slots=True)
class EditResult:
    """The one answer to an ``EditRequest``.

    ``text`` is the new text of the whole buffer; ``None`` unless ``finish_reason`` is ``stop``.
    ``hunks`` and ``edits`` say the same change in lines and in code-point offsets; ``suspects``
    names every doubt of the checks, those about a hunk stand on the hunk as well.
    """

    request_id: str
    finish_reason: FinishReason
    text: str | None = None
    hunks: tuple[Hunk, ...] = ()
    edits: tuple[Replacement, ...] = ()
    suspects: tuple[str, ...] = ()
    notices: tuple[str, ...] = ()  # plain sentences for the user (scope chosen, fallbacks)
    stats: Stats = Stats()
    model: str = ""
    error: ErrorInfo | None = None


@dataclass(frozen=True, slots=True)
class CompleteResult:
    """The answer to a ``CompleteRequest`` that came to an end of its own, or to its limit."""

    request_id: str
    finish_reason: Literal["stop", "length"]
    text: str
    notices: tuple[str, ...] = ()
    stats: Stats = Stats()
    model: str = ""


@dataclass(frozen=True, slots=True)
class ModelStatus:
    """One model that the daemon holds or is loading.

    memory_bytes: weights and caches. kv_bytes, kv_limit_bytes: keys and values, and the most that
    they may take; 0: what the machine has. exactness: as in ``Stats``. runs: how passes are run, for
    a person. first_answer_seconds, full_speed_seconds: since loading began, until a first round and
    until all passes wanted so far were recorded; ``None``: not yet, or there is nothing to record.
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
    first_answer_seconds: float | None = None
    full_speed_seconds: float | None = None


WorkspaceState = Literal["refused", "building", "ready", "failed", "closed"]


@dataclass(frozen=True, slots=True)
class WorkspaceStatus:
    """A project whose files are drafted from; none of them is named. ``message``: for a person."""

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

    region: which of the edit's answers, from 0. window: most draft tokens that were allowed.
    context: tokens in the cache when it began. pieces: what it brought, the model's own token last.
    rejected: what was drafted in vain, the branches of a tree one after the other.
    """

    start: float
    draft_seconds: float
    verify_seconds: float
    region: int
    window: int
    context: int
    drafted: int
    accepted: int
    pieces: tuple[TracePiece, ...] = ()
    rejected: tuple[TracePiece, ...] = ()


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
    """How a finished edit came about; kept in memory for a while, never logged.

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


@dataclass(frozen=True, slots=True)
class Done:
    """The answer to a request that asks for nothing but to be carried out."""

    request_id: str
    message: str = ""


@dataclass(frozen=True, slots=True)
class Failed:
    """The answer to a request that is not an edit and went wrong, or that could not be read."""

    request_id: str
    error: ErrorInfo


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

_TYPES: dict[str, type[Any]] = {cls.__name__: cls for cls in Message.__args__}

_converter = make_converter(forbid_extra_keys=True, detailed_validation=False)


def _strict(value: Any, wanted: type) -> Any:
    """``value`` if it is what the field says; cattrs alone would make a text of a number."""
    if type(value) is wanted or (wanted is float and type(value) is int):
        return value
    raise TypeError(f"{type(value).__name__} where {wanted.__name__} belongs")


for _primitive in (str, int, float, bool):
    _converter.register_structure_hook(_primitive, _strict)
_converter.register_structure_hook(
    Op, lambda value, _: _converter.structure(value, Keep if "count" in value else Hunk)
)


class MessageError(ValueError):
    """Bytes that are no message of this protocol version."""


Packed = bytes | bytearray

OPENING = ("type", "request_id", "priority", "document")
"""What whoever passes a message on may have to know of it: these fields come first."""


def pack(message: Message) -> bytes:
    """The msgpack bytes of ``message``, its class name as ``type``."""
    body = _converter.unstructure(message)
    body["type"] = type(message).__name__
    packed: bytes = _converter.dumps({name: body[name] for name in OPENING if name in body} | body)
    return packed


def unpack(data: Packed) -> Message:
    """The message in ``data``; raises ``MessageError`` for anything else."""
    try:
        body: dict[str, Any] = _converter.loads(data, dict)  # type: ignore[arg-type]  # reads both
        cls = _TYPES[body.pop("type")]
        message: Message = _converter.structure(body, cls)
        return message
    except Exception as error:  # whatever a hostile or older peer makes msgpack or cattrs raise
        raise MessageError(
            f"not a message of editd protocol {PROTOCOL_VERSION}: {error}"
        ) from error


def merge_ops(first: tuple[Op, ...], second: tuple[Op, ...]) -> tuple[Op, ...]:
    """One walk that says what two in a row say; an open hunk gives way to its later self."""
    merged = list(first)
    for op in second:
        last = merged[-1] if merged else None
        if isinstance(op, Keep) and isinstance(last, Keep):
            merged[-1] = Keep(last.count + op.count)
        elif isinstance(op, Hunk) and isinstance(last, Hunk) and last.id == op.id:
            merged[-1] = op
        else:
            merged.append(op)
    return tuple(merged)
