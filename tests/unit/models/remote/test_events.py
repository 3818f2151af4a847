"""Bodies of answers as events, in every form in which servers send them, and in whatever pieces they arrive."""

import json
from random import Random

import pytest

from editd.models.remote.events import Body, NotEvents, object_in

ONE, TWO = {"choices": [{"delta": {"content": "größe\n漢字 🙂"}}]}, {"usage": {"prompt_tokens": 1}}
SSE, JSON, PLAIN = "text/event-stream", "application/json", "text/plain"


def line(value, name="data: "):
    return f"{name}{json.dumps(value, ensure_ascii=False)}\n".encode()


def pretty(value):
    """One event whose JSON stands in several lines."""
    text = json.dumps(value, indent=1, ensure_ascii=False)
    return "".join(f"data: {row}\n" for row in text.split("\n")).encode() + b"\n"


DONE = b"data: [DONE]\n\n"
BOTH = line(ONE) + b"\n" + line(TWO) + b"\n"
STREAMS = {
    "as the standard says": BOTH + DONE,
    "no space": line(ONE, "data:") + b"\n" + line(TWO, "data:") + b"\ndata:[DONE]\n\n",
    "more spaces": line(ONE, "data:   ") + b"\n" + line(TWO, "data: \t") + b"\ndata:  [DONE] \n\n",
    "no empty lines": line(ONE) + line(TWO) + b"data: [DONE]\n",
    "no end of the last line": BOTH + DONE.strip(),
    "a byte order mark": b"\xef\xbb\xbf" + BOTH + DONE,
    "lines before": b"\r\n\n" + BOTH + DONE,
    "several lines of data": pretty(ONE) + pretty(TWO) + DONE,
    "several lines, then one": pretty(ONE) + line(TWO) + b"\n" + DONE,
    "comments": b":\n\n: a\n" + line(ONE) + b": b\n\n:c\n\n" + line(TWO) + b"\n" + DONE,
    "comments where data is due": b"data: : a\n\n" + line(ONE) + b"\ndata: :keepalive\n" + line(TWO) + DONE,
    "pings": b'event: ping\ndata: {"type": "ping"}\n\n' + BOTH + b'data: "ping"\n\ndata: ping\n\n' + DONE,
    "a word in brackets": BOTH + b"data: [HEARTBEAT]\n\n" + DONE,
    "empty data": b"data:\n\ndata\n\n" + line(ONE) + b"data: \n\n" + line(TWO) + DONE,
    "names and ids": b"event: x\nid: 1\nretry: 5\n" + line(ONE) + b"\nid: 2\n" + line(TWO) + b"\n" + DONE,
    "other JSON": b"data: 3\n\ndata: null\n\n" + BOTH + b"data: []\n\n" + DONE,
    "a list": b"data: " + json.dumps([ONE, TWO]).encode() + b"\n\n" + DONE,
    "DONE in quotes": BOTH + b'data: "[DONE]"\n\n',
    "done in small letters": BOTH + b"data: [done]\n\n",
    "something behind it": BOTH + DONE + line(ONE) + b"\n",
}  # fmt: skip


def read(data, kind, cuts=()):
    """The events of ``data``, fed in pieces that end at ``cuts``, and whether the end was said."""
    body, events, before = Body(kind), [], 0
    for cut in (*sorted(cuts), len(data)):
        events += body.feed(data[before:cut])
        before = cut
    return [event for event in events + body.finish() if event != {"type": "ping"}], body.done


@pytest.mark.parametrize("name", STREAMS)
@pytest.mark.parametrize("end", [b"\n", b"\r\n", b"\r"])
def test_a_stream_is_read_in_any_pieces(name, end):
    chance, data = Random(name), STREAMS[name].replace(b"\n", end)
    for kind in (SSE, PLAIN, "", JSON, "application/octet-stream"):
        assert read(data, kind) == ([ONE, TWO], True), kind
        assert read(data, kind, range(len(data))) == ([ONE, TWO], True), kind
    for _ in range(20):
        cuts = chance.sample(range(len(data)), chance.randrange(1, 9))
        assert read(data, SSE, cuts) == ([ONE, TWO], True), cuts


@pytest.mark.parametrize("kind", [SSE, JSON, PLAIN, "", "application/x-ndjson"])
def test_one_object_or_several_in_lines_are_read_whole(kind):
    whole = json.dumps(ONE, indent=2).encode()
    lines = (line(ONE, "") + b"\n" + line(TWO, "")).strip()
    for data, expected in ((whole, [ONE]), (b"\xef\xbb\xbf\n" + whole, [ONE]), (lines, [ONE, TWO])):
        assert read(data, kind, range(len(data))) == (expected, expected == [ONE])


@pytest.mark.parametrize("cut", range(1, 60, 3))
def test_an_event_that_is_cut_off_is_none(cut):
    data = BOTH[:-2]  # no event is over but by a line end, or by being whole
    events, done = read(data[: len(line(ONE)) + 1 + cut], SSE)
    assert (events, done) == ([ONE], False) if cut < len(line(TWO)) - 1 else ([ONE, TWO], False)


@pytest.mark.parametrize(
    ("data", "kind", "words"),
    [
        (b"<html>Log in</html>", PLAIN, "no stream of events"),
        (b"<html>Log in</html>", "", "no stream of events"),
        (b"Internal error\n", JSON, "no JSON"),
        (b"", JSON, None),
        (b"\n\n", PLAIN, None),
        (b"{]", SSE, "no JSON"),
        (b"[" * 100_000, SSE, "no JSON"),
        (line(ONE, "") + b"{]\n", JSON, "no JSON"),
        (b"data: {]\n\n", SSE, "no JSON"),
        (b"data: oops\n\n", SSE, "no JSON"),
        (b"data: {\ndata: oops\n\n", SSE, "no JSON"),
        (b"data: \xff\n", SSE, "no UTF-8"),
        (b'data: {"a": "\\ud800"}\n\n', SSE, "no UTF-8"),
        (b'{"a": "\\uD800"}', JSON, "no UTF-8"),
        (b"data: " + b"x" * (5 << 20), SSE, "a line that never ends"),
        (b"data: {\n" + b"data: 1,\n" * (1 << 19), SSE, "a line that never ends"),
        (b"[" + b"1," * (5 << 20), JSON, "more than an answer"),
    ],
)
def test_what_is_no_events(data, kind, words):
    if words is None:
        assert read(data, kind) == ([], False)
        return
    with pytest.raises(NotEvents, match=words):
        read(data, kind, range(1 << 16, len(data), 1 << 16))


def test_a_list_of_models_may_be_bare():
    assert object_in(b'[{"id": "m"}]') == {"data": [{"id": "m"}]}
    for data, words in ((b"3", "no object"), (b"<", "no JSON"), (b"\xff", "no UTF-8")):
        with pytest.raises(NotEvents, match=words):
            object_in(data)
