"""Messages as bytes on a stream: four bytes of length, big-endian, then that many bytes of msgpack.

Knows nothing of sockets, of what the messages mean, or of who may send which. The class name travels as
``type``; only plain values of the fields' types are read, and nothing received is ever executed. What cannot
be read ends a conversation, never a process: ``ProtocolError`` when the stream itself makes no sense any
more, its kind ``MessageError`` when one frame is whole but no message of this version (the next may be).

An empty frame is not a message: sent instead of ``Hello`` it asks a daemon of any version to
finish and leave. It is the one sentence that must keep its meaning for ever.
"""

from __future__ import annotations

import asyncio
import struct
from collections.abc import Iterator
from typing import Any, Protocol

import msgpack
from cattrs.preconf.msgpack import make_converter

from editd.diff.hunk import Hunk, Keep, Op
from editd.errors import EditRefused, ProtocolError
from editd.messages import (
    PROTOCOL_VERSION,
    Message,
)

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


class MessageError(ProtocolError):
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


MAX_FRAME_BYTES = 64 << 20
LEAVE = struct.pack(">I", 0)

# Reading a frame this large takes long enough to keep others waiting, so a thread does it.
_LARGE_FRAME_BYTES = 1 << 18
_PIECE_BYTES = 1 << 18  # that are read or written at a time, for the same reason
_OPENING_BYTES = 1 << 16
_MAX_ID_LENGTH = 200


class Truncated(ProtocolError):
    """The peer hung up in the middle of a frame."""

    def __init__(self) -> None:
        super().__init__("The connection was closed in the middle of a message.")


class Readable(Protocol):
    """The part of ``asyncio.StreamReader`` that reading needs."""

    async def read(self, n: int) -> bytes:
        """The next bytes, ``n`` at most; none when there are no more."""
        ...


def encode(message: Message) -> bytes:
    """The frame of ``message``; raises as ``packed`` does."""
    return b"".join(frame(packed(message)))


def frame(body: Packed) -> Iterator[Packed]:
    """The frame of a packed message, in pieces."""
    return in_pieces(struct.pack(">I", len(body)), body)


def in_pieces(head: bytes, body: Packed) -> Iterator[Packed]:
    """Both, in pieces to be written and drained one by one, because a writer copies what it gets at once."""
    yield head + body[:_PIECE_BYTES]
    for at in range(_PIECE_BYTES, len(body), _PIECE_BYTES):
        yield body[at : at + _PIECE_BYTES]


async def exactly(reader: Readable, size: int) -> bytearray:
    """The next ``size`` bytes, taken in pieces; raises ``asyncio.IncompleteReadError``."""
    data = bytearray()
    while len(data) < size:
        piece = await reader.read(min(size - len(data), _PIECE_BYTES))
        if not piece:
            raise asyncio.IncompleteReadError(bytes(data), size)
        data += piece
    return data


def packed(message: Message) -> bytes:
    """The bytes of ``message``; raises ``EditRefused`` if the message is too large."""
    body = pack(message)
    if len(body) > MAX_FRAME_BYTES:
        raise EditRefused(
            f"This needs a message of {len(body) >> 20} MiB, and the maximum is "
            f"{MAX_FRAME_BYTES >> 20} MiB: edit a smaller file."
        )
    return body


async def read_frame(reader: Readable) -> Packed | None:
    """The next frame without its length; ``None`` when the peer closed between two frames."""
    header: Packed = b""
    try:
        header = await exactly(reader, 4)
        (length,) = struct.unpack(">I", header)
        if length > MAX_FRAME_BYTES:
            raise ProtocolError(f"A message of {length} bytes was announced, which is too large.")
        return await exactly(reader, length)
    except asyncio.IncompleteReadError as error:
        if not header and not error.partial:
            return None
        raise Truncated from error


async def decode(frame: Packed) -> Message:
    """The message in ``frame``; raises ``MessageError`` if it holds none."""
    if len(frame) > _LARGE_FRAME_BYTES:
        return await asyncio.to_thread(unpack, frame)
    return unpack(frame)


async def read_message(reader: Readable) -> Message | None:
    """The next message; ``None`` when the peer closed between two messages."""
    frame = await read_frame(reader)
    return None if frame is None else await decode(frame)


def request_id_in(frame: Packed) -> str:
    """The ``request_id`` in a frame that holds no valid message, so that it can be answered; or
    ``""``.
    """
    try:
        request_id = msgpack.unpackb(frame)["request_id"]
    except Exception:  # noqa: BLE001 - msgpack and what it finds may raise anything
        return ""
    return request_id[:_MAX_ID_LENGTH] if isinstance(request_id, str) else ""


def opening(body: Packed) -> dict[str, Any]:
    """The fields with which a packed message begins, as far as ``messages.OPENING`` names them.

    The rest is not read: it may be very long, or no message at all. Raises
    ``MessageError`` where not even that can be read; long options are left out.
    """
    found: dict[str, Any] = {}
    name = ""
    unpacker = msgpack.Unpacker()
    unpacker.feed(memoryview(body)[:_OPENING_BYTES])
    try:
        for _ in range(unpacker.read_map_header()):
            name = unpacker.unpack()
            if name not in OPENING:
                break
            found[name] = unpacker.unpack()
    except Exception as error:  # msgpack and what it finds may raise anything
        if not (isinstance(error, msgpack.OutOfData) and name == "options"):
            raise MessageError("not a message of editd") from error
    return found
