import asyncio
import random

import pytest

from editd.daemon import framing
from editd.daemon.framing import MessageError
from editd.diff.hunk import Hunk, Keep
from editd.errors import EditRefused, ProtocolError
from editd.messages import Delta, EditRequest, Hello, StatusRequest
from editd.messages.options import EditOptions

MESSAGES = [
    Hello(1, "test", 42),
    EditRequest("a", "caf\u00e9 \U0001f600\r\n\u2028", 'say "hi"\n', start_line=0, end_line=1),
    EditRequest("b", "", "", options=EditOptions(seed=1)),
    Delta("a", 3, (Keep(2), Hunk(1, 2, 0, ("new\n",), done=False, suspect="why"))),
    StatusRequest(""),
]


ENDS = (None, ProtocolError, framing.Truncated, MessageError)


def stream_of(data: bytes) -> asyncio.StreamReader:
    reader = asyncio.StreamReader()
    reader.feed_data(data)
    reader.feed_eof()
    return reader


async def read_all(data: bytes) -> list:
    """Every message in ``data``, then how the stream ended."""
    reader = stream_of(data)
    read: list = []
    while True:
        try:
            message = await framing.read_message(reader)
        except (ProtocolError, MessageError) as error:
            return [*read, type(error)]
        read.append(message)
        if message is None:
            return read


async def test_messages_come_back_as_they_were_sent():
    data = b"".join(map(framing.encode, MESSAGES))
    assert await read_all(data) == [*MESSAGES, None]


async def test_a_large_message_comes_back_as_it_was_sent():
    request = EditRequest("a", "x" * (1 << 20), "i")
    assert await read_all(framing.encode(request)) == [request, None]


@pytest.mark.parametrize("size", [0, 1, (1 << 18) - 1, 1 << 18, (1 << 18) + 1, 1 << 21])
async def test_a_large_frame_is_written_and_read_in_pieces(monkeypatch, size):
    """What the kernel or a buffer is given, or gives, at once keeps everybody else waiting."""
    pieces = list(framing.frame(b"head", b"x" * size))
    assert max(map(len, pieces)) <= (1 << 18) + 12
    reader, asked = stream_of(b"".join(pieces)), []
    read = reader.read
    monkeypatch.setattr(reader, "read", lambda n: asked.append(n) or read(n))
    assert await framing.read_frame(reader) == (b"head", b"x" * size)
    assert max(asked) <= 1 << 18


@pytest.mark.parametrize(
    ("data", "end"),
    [
        (b"", None),
        (b"\x00", framing.Truncated),
        (b"\x00\x00\x00\x01\x00", framing.Truncated),
        (framing.LENGTHS.pack(1, 5) + b"habc", framing.Truncated),
        (b"GET / HTTP/1.1\r\n\r\n", ProtocolError),  # a length of more than a gigabyte
        (framing.LENGTHS.pack(1, framing.MAX_FRAME_BYTES + 1), ProtocolError),
        (framing.LENGTHS.pack(framing.MAX_HEAD_BYTES + 1, 1), ProtocolError),
        # announced, never sent
        (framing.LENGTHS.pack(framing.MAX_HEAD_BYTES, framing.MAX_FRAME_BYTES), framing.Truncated),
        (framing.LEAVE, MessageError),
        (framing.LENGTHS.pack(1, 1) + b"h\xc1", MessageError),
        (framing.LENGTHS.pack(1, 2) + b"h\x93\x01", MessageError),
    ],
)
async def test_what_cannot_be_read_is_an_error(data, end):
    assert await read_all(data) == [end]


def test_a_message_that_is_too_large_is_refused_before_it_is_sent(monkeypatch):
    monkeypatch.setattr(framing, "MAX_FRAME_BYTES", 1000)
    with pytest.raises(EditRefused, match="smaller file"):
        framing.encode(EditRequest("a", "x" * 1000, "i"))


@pytest.mark.parametrize("seed", range(30))
async def test_every_truncation_and_every_flipped_byte_ends_in_a_known_error(seed):
    rng = random.Random(seed)
    data = bytearray(b"".join(map(framing.encode, MESSAGES)))
    for _ in range(40):
        cut = data[: rng.randrange(len(data))]
        assert (await read_all(bytes(cut)))[-1] in (None, framing.Truncated)
        damaged = bytearray(data)
        for _ in range(rng.randint(1, 4)):
            damaged[rng.randrange(len(data))] = rng.randrange(256)
        assert (await read_all(bytes(damaged)))[-1] in ENDS
        noise = rng.randbytes(rng.randrange(64))
        framed = framing.LENGTHS.pack(1, len(noise)) + b"h" + noise
        assert (await read_all(framed))[-1] in (None, MessageError)
