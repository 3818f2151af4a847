"""Messages as bytes on a stream: a frame is two lengths (four bytes each, big-endian), a head, and a body.

Head and body are msgpack. The body is the message; the head is for a process that forwards the body unread.

Knows nothing of sockets, of the messages' meaning, or of who may send which. The class name travels as
``type``; only plain values of the fields' types are read, and nothing received is ever executed. What cannot
be read ends a conversation, never a process: ``ProtocolError`` when the stream itself makes no sense any
more, its kind ``MessageError`` when one frame is whole but no message of this version (the next may be).

``LEAVE``, four zero bytes, is no message: sent instead of ``Hello`` it asks a daemon of any version to
finish and exit. It alone must keep its meaning for ever.
"""

from __future__ import annotations

import asyncio
import struct
from collections.abc import Iterator
from typing import Any

import msgpack
from cattrs.gen import make_dict_unstructure_fn, override
from cattrs.preconf.msgpack import make_converter

from editd.diff.hunk import Hunk, Keep, Op
from editd.errors import EditRefused, ProtocolError
from editd.messages import PROTOCOL_VERSION, EditRequest, Message, Progress

Packed = bytes | bytearray

MAX_FRAME_BYTES = 64 << 20  # of a body
MAX_HEAD_BYTES = 1 << 20
LENGTHS = struct.Struct(">II")  # of the head and of the body
LEAVE = bytes(4)  # a head of no length
NO_HEAD = msgpack.packb(None)  # of a message that its reader does not forward

# Reading a frame this large takes long enough to keep others waiting, so a thread does it.
_LARGE_FRAME_BYTES = 1 << 18
_PIECE_BYTES = 1 << 18  # that are read or written at a time, for the same reason

_TYPES: dict[str, type[Any]] = {cls.__name__: cls for cls in Message.__args__}

_converter = make_converter(forbid_extra_keys=True, detailed_validation=False)


def _require_type(value: Any, field_type: type) -> Any:
    """Return ``value`` if its type is exactly ``field_type``, or an ``int`` for a ``float``; else raise ``TypeError``.

    cattrs alone would turn a number into a text.
    """
    if type(value) is field_type or (field_type is float and type(value) is int):
        return value
    raise TypeError(f"{type(value).__name__} where {field_type.__name__} belongs")


for _primitive in (str, int, float, bool):
    _converter.register_structure_hook(_primitive, _require_type)
_converter.register_structure_hook(
    Op, lambda value, _: _converter.structure(value, Keep if "count" in value else Hunk)
)


# Fields that few messages have; all others are always there.
_RARE: dict[type[Any], tuple[str, ...]] = {
    EditRequest: ("cursor", "mention_root"),
    Progress: ("regions",),
}
for _cls, _names in _RARE.items():
    _rare: dict[str, Any] = {name: override(omit_if_default=True) for name in _names}
    _converter.register_unstructure_hook(_cls, make_dict_unstructure_fn(_cls, _converter, **_rare))


class MessageError(ProtocolError):
    """Bytes that are no message of this protocol version."""


def pack(message: Message) -> bytes:
    """The msgpack bytes of ``message``, its class name as ``type``. Raises ``EditRefused`` if it is
    too large, and ``ValueError``, ``TypeError`` or ``OverflowError`` for a value that msgpack
    cannot pack, such as a text with half a surrogate pair (``UnicodeEncodeError``).
    """
    body = _converter.unstructure(message)
    packed: bytes = _converter.dumps({"type": type(message).__name__, **body})
    if len(packed) > MAX_FRAME_BYTES:
        raise EditRefused(
            f"This needs a message of {len(packed) >> 20} MiB, and the maximum is "
            f"{MAX_FRAME_BYTES >> 20} MiB: edit a smaller file."
        )
    return packed


def unpack(data: Packed) -> Message:
    """The message whose msgpack bytes are ``data``; raises ``MessageError`` if they are no message."""
    try:
        body: dict[str, Any] = _converter.loads(data, dict)  # type: ignore[arg-type]  # reads both
        cls = _TYPES[body.pop("type")]
        message: Message = _converter.structure(body, cls)
        return message
    except Exception as error:  # whatever a hostile or older peer makes msgpack or cattrs raise
        raise MessageError(
            f"not a message of editd protocol {PROTOCOL_VERSION}: {error}"
        ) from error


class Truncated(ProtocolError):
    """The peer hung up in the middle of a frame."""

    def __init__(self) -> None:
        super().__init__("The connection was closed in the middle of a message.")


def encode(message: Message) -> bytes:
    """The whole frame of ``message``; raises ``EditRefused`` if it is too large."""
    return b"".join(frame(msgpack.packb(head_of(message)), pack(message)))


def head_of(message: Message) -> list[object]:
    """The values of a message's head: class name, request id, priority, document, time limit in seconds.

    A message without such a field gets an empty text, ``"warmup"`` or ``None``.
    """
    options = getattr(message, "options", None)
    return [
        type(message).__name__,
        getattr(message, "request_id", ""),
        getattr(message, "priority", "warmup"),
        getattr(message, "document", ""),
        options and options.timeout,
    ]


def frame(head: Packed, body: Packed) -> Iterator[Packed]:
    """Yield a frame's bytes, lengths first, in pieces to be written and drained one by one, because
    a writer copies a piece at once.
    """
    yield LENGTHS.pack(len(head), len(body)) + head + body[:_PIECE_BYTES]
    for at in range(_PIECE_BYTES, len(body), _PIECE_BYTES):
        yield body[at : at + _PIECE_BYTES]


async def read_exactly(reader: asyncio.StreamReader, size: int) -> bytearray:
    """Read the next ``size`` bytes; raises ``asyncio.IncompleteReadError`` if the stream ends before."""
    data = bytearray()
    while len(data) < size:
        piece = await reader.read(min(size - len(data), _PIECE_BYTES))
        if not piece:
            raise asyncio.IncompleteReadError(bytes(data), size)
        data += piece
    return data


async def read_frame(
    reader: asyncio.StreamReader, max_head: int = MAX_HEAD_BYTES
) -> tuple[Packed, Packed] | None:
    """Read the next head and body; both are empty if the peer sent ``LEAVE``, by which another
    version asks the daemon to exit. ``None`` if it closed between two frames.

    Raises ``ProtocolError`` beyond the maximal lengths, and its kind ``Truncated`` within a frame.
    """
    lengths: Packed = b""
    try:
        lengths = await read_exactly(reader, len(LEAVE))
        if lengths == LEAVE:
            return b"", b""
        head, body = LENGTHS.unpack(lengths + await read_exactly(reader, LENGTHS.size - len(LEAVE)))
        if head > max_head or body > MAX_FRAME_BYTES:
            raise ProtocolError(f"A message of {head + body} bytes was announced: too large.")
        return await read_exactly(reader, head), await read_exactly(reader, body)
    except asyncio.IncompleteReadError as error:
        if not lengths and not error.partial:
            return None
        raise Truncated from error


async def decode(body: Packed) -> Message:
    """Unpack ``body``, a large one in a thread; raises ``MessageError`` if it is no message."""
    if len(body) > _LARGE_FRAME_BYTES:
        return await asyncio.to_thread(unpack, body)
    return unpack(body)


async def read_message(reader: asyncio.StreamReader) -> Message | None:
    """Read the next message; ``None`` if the peer closed between two messages. Raises ``ProtocolError``."""
    frame_read = await read_frame(reader)
    return None if frame_read is None else await decode(frame_read[1])
