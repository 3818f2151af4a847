"""Messages as msgpack and back; the class name travels as ``type``.

Only plain values of the fields' types are read, and nothing received is ever executed.
"""

from __future__ import annotations

from typing import Any

from cattrs.preconf.msgpack import make_converter

from editd.diff.hunk import Hunk, Keep, Op
from editd.messages.completions import CompleteRequest, CompleteResult, TextDelta
from editd.messages.conversation import (
    PROTOCOL_VERSION,
    CancelRequest,
    Done,
    Failed,
    Hello,
    Progress,
    StopRequest,
    Welcome,
)
from editd.messages.edits import Delta, EditRequest, EditResult, WarmupRequest
from editd.messages.status import StatusReport, StatusRequest
from editd.messages.traces import Explained, ExplainRequest

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

OPENING = ("type", "request_id", "priority", "document", "options")
"""What a process that forwards a message may need of it: these fields come first."""


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
