"""Messages on a byte stream: four bytes of length, big-endian, then that many bytes of msgpack.

Knows nothing of sockets, of what the messages mean, or of who may send which. What cannot be read
ends a conversation, never a process: ``ProtocolError`` when the stream itself makes no sense any
more, ``MessageError`` when one frame is whole but no message of this version (the next may be).

An empty frame is not a message: sent instead of ``Hello`` it asks a daemon of any version to
finish and leave. It is the one sentence that must keep its meaning for ever.
"""

from __future__ import annotations

import asyncio
import struct
from collections.abc import Sequence
from typing import Any, Protocol

import msgpack

from editd.errors import EditRefused, ProtocolError
from editd.messages import Message, MessageError, pack, unpack

MAX_FRAME_BYTES = 64 << 20
LEAVE = struct.pack(">I", 0)

# Reading a frame this large takes long enough to keep others waiting, so a thread does it.
_LARGE_FRAME_BYTES = 1 << 18
_MAX_ID_LENGTH = 200

# The formats of msgpack, by their first byte.
_MAPS = {*range(0x80, 0x90), 0xDE, 0xDF}
_FIXED = {0xC0: 0, 0xC2: 0, 0xC3: 0, 0xCA: 4, 0xCB: 8}  # nil, booleans, floats: bytes after the tag
_FIXED |= {0xCC: 1, 0xCD: 2, 0xCE: 4, 0xCF: 8, 0xD0: 1, 0xD1: 2, 0xD2: 4, 0xD3: 8}  # integers
# Bytes of the count, and values for each counted: bytes and texts have none.
_COUNTED = {0xC4: (1, 0), 0xC5: (2, 0), 0xC6: (4, 0), 0xD9: (1, 0), 0xDA: (2, 0), 0xDB: (4, 0)}
_COUNTED |= {0xDC: (2, 1), 0xDD: (4, 1), 0xDE: (2, 2), 0xDF: (4, 2)}  # arrays and maps


class Truncated(ProtocolError):
    """The peer hung up in the middle of a frame."""

    def __init__(self) -> None:
        super().__init__("The connection was closed in the middle of a message.")


class Readable(Protocol):
    """What is asked of a stream: ``asyncio.StreamReader`` has it."""

    async def readexactly(self, n: int) -> bytes:
        """The next ``n`` bytes, or ``asyncio.IncompleteReadError``."""
        ...


def encode(message: Message) -> bytes:
    """The frame of ``message``; raises as ``packed`` does."""
    return frame(packed(message))


def frame(body: bytes) -> bytes:
    """The frame of a message that is packed."""
    return struct.pack(">I", len(body)) + body


def packed(message: Message) -> bytes:
    """The bytes of ``message``; raises ``EditRefused`` if they are too many to be sent."""
    body = pack(message)
    if len(body) > MAX_FRAME_BYTES:
        raise EditRefused(
            f"This needs a message of {len(body) >> 20} MiB, and {MAX_FRAME_BYTES >> 20} MiB is "
            "the most that editd sends: edit a smaller file."
        )
    return body


async def read_frame(reader: Readable) -> bytes | None:
    """The next frame without its length; ``None`` when the peer closed between two frames."""
    try:
        header = await reader.readexactly(4)
    except asyncio.IncompleteReadError as error:
        if not error.partial:
            return None
        raise Truncated from error
    (length,) = struct.unpack(">I", header)
    if length > MAX_FRAME_BYTES:
        raise ProtocolError(f"A message of {length} bytes was announced, which is too large.")
    try:
        return await reader.readexactly(length)
    except asyncio.IncompleteReadError as error:
        raise Truncated from error


async def decode(frame: bytes) -> Message:
    """The message in ``frame``; raises ``MessageError`` if there is none."""
    if len(frame) > _LARGE_FRAME_BYTES:
        return await asyncio.to_thread(unpack, frame)
    return unpack(frame)


async def read_message(reader: Readable) -> Message | None:
    """The next message; ``None`` when the peer closed between two messages."""
    frame = await read_frame(reader)
    return None if frame is None else await decode(frame)


def request_id_in(frame: bytes) -> str:
    """The ``request_id`` in a frame that holds no message, so that it can be answered; or ``""``."""
    try:
        request_id = msgpack.unpackb(frame)["request_id"]
    except Exception:  # noqa: BLE001 - msgpack and what it finds may raise anything
        return ""
    return request_id[:_MAX_ID_LENGTH] if isinstance(request_id, str) else ""


def fields(body: bytes, names: Sequence[str]) -> dict[str, Any]:
    """The fields of these names in a message that is packed; raises ``MessageError`` if it is none.

    What is not read is jumped over: msgpack's own unpacker would copy all of it first.
    """
    try:
        return _fields(body, {name.encode(): name for name in names})
    except (IndexError, KeyError, ValueError) as error:
        raise MessageError("not a message of editd") from error


def _fields(body: bytes, names: dict[bytes, str]) -> dict[str, Any]:
    found: dict[str, Any] = {}
    num_fields, at = _head(body, 0)
    if body[0] not in _MAPS:
        raise ValueError("not a map")
    for _ in range(num_fields // 2):
        name_at, at = at, _after(body, at)
        value_at, at = at, _after(body, at)
        if at > len(body):
            raise IndexError
        name = body[name_at + 1 : value_at]
        if name in names:
            found[names[name]] = msgpack.unpackb(body[value_at:at])
    if at != len(body):
        raise ValueError("more than a map")
    return found


def _after(body: bytes, at: int) -> int:
    """Where the value that begins at ``at`` ends."""
    pending = 1
    while pending:
        inside, at = _head(body, at)
        pending += inside - 1
    return at


def _head(body: bytes, at: int) -> tuple[int, int]:
    """How many values are inside of the one that begins at ``at``, and where they begin.

    For a value without values inside: where it ends. (The msgpack specification, "formats".)
    """
    tag = body[at]
    if tag < 0x80 or tag >= 0xE0:  # a small integer
        return 0, at + 1
    if tag < 0xA0:  # a small map or array
        return (tag & 15) * (1 if tag & 16 else 2), at + 1
    if tag < 0xC0:  # a short text
        return 0, at + 1 + (tag & 31)
    if tag in _FIXED:
        return 0, at + 1 + _FIXED[tag]
    width, values = _COUNTED[tag]
    count = int.from_bytes(body[at + 1 : at + 1 + width], "big")
    begins = at + 1 + width
    return (count * values, begins) if values else (0, begins + count)
