"""Connections: kept, closed untouched, with and without TLS; and lists of models in every form."""

import json
import socket
import threading

import pytest

from editd.models.remote.abilities import read_abilities
from editd.models.remote.server import address_of
from tests.unit.models.remote.server import (
    CARD,
    DONE,
    STREAM,
    answer,
    engine_at,
    engine_of,
    listing,
    said,
    serving,
)
from tests.unit.models.remote.test_faults import check_refused, edited

AFTER = "a = 3\nb = 2\n"
FENCED = f"```python\n{AFTER}```"


def chunked(*pieces):
    """An answer after which the connection can be used again."""
    parts = b"".join(b"%x\r\n%s\r\n" % (len(piece), piece) for piece in pieces)
    head = STREAM.replace(b"Connection: close", b"Transfer-Encoding: chunked")
    return head + parts + b"0\r\n\r\n"


GOOD = chunked(said(FENCED, "stop"), DONE)
KEPT_LIST = listing().replace(b"Connection: close\r\n", b"")


def test_a_kept_connection_serves_again():
    with serving(GOOD, keeps=9, models=KEPT_LIST) as server, engine_of(server) as engine:
        assert [edited(engine).text for _ in range(3)] == [AFTER] * 3
    assert (len(server.bodies), server.num_connections) == (3, 1)


@pytest.mark.parametrize("keeps", [1, 2])
def test_a_kept_connection_that_is_closed_untouched_is_made_again(keeps):
    """The server says nothing of it, closes when the next request comes, and has not answered anything."""
    with (
        serving(GOOD, keeps=keeps, closes_late=True, models=KEPT_LIST) as server,
        engine_of(server) as engine,
    ):
        assert [edited(engine).text for _ in range(3)] == [AFTER] * 3
    assert len(server.bodies) == 3


@pytest.mark.parametrize(
    "pieces", [[b""], [b"HTTP/1.1 200 OK\r\nContent-"], [STREAM, said("```\na = 3\n")]]
)
def test_what_was_begun_and_a_new_connection_are_not_tried_again(pieces):
    with serving(*pieces) as server, engine_of(server) as engine:
        check_refused(edited(engine), "ended before its answer")
    assert len(server.bodies) == 1


def test_a_server_that_says_nothing_to_tls(monkeypatch):
    monkeypatch.setattr("editd.models.remote.http_thread._CONNECT_SECONDS", 0.2)
    with serving(GOOD) as server, engine_at(f"https://127.0.0.1:{server.port}/v1") as engine:
        check_refused(edited(engine), "cannot be reached with TLS", "correct model.url")
    assert server.bodies == []


@pytest.mark.parametrize(
    "spoken",
    [
        b"HTTP/1.1 400 Bad Request\r\nContent-Length: 4\r\nConnection: close\r\n\r\nWhat",
        b"SSH-2.0-OpenSSH_9.9\r\n",
        b"",
    ],
)
def test_tls_where_something_else_is_spoken(spoken):
    """At once, as most servers do, which wait for no request."""
    with speaking(spoken) as port, engine_at(f"https://127.0.0.1:{port}/v1") as engine:
        check_refused(edited(engine), "does not speak TLS", "nothing was sent")


def test_tls_that_the_server_refuses():
    alert = b"\x15\x03\x01\x00\x02\x02\x46"
    with speaking(alert) as port, engine_at(f"https://127.0.0.1:{port}/v1") as engine:
        check_refused(
            edited(engine), "refuses TLS (tlsv1 alert protocol version): nothing was sent"
        )


@pytest.mark.parametrize(
    "spoken",
    [
        b"\x15\x03\x01\x00\x02\x02\x46",  # an alert of TLS
        answer("400 Bad Request", b"Client sent an HTTP request to an HTTPS server.\n"),
        answer("400 Bad Request", b"<html>The plain HTTP request was sent to HTTPS port</html>"),
    ],
)
def test_no_tls_where_it_is_wanted(spoken):
    with speaking(spoken) as port, engine_at(f"http://127.0.0.1:{port}/v1") as engine:
        check_refused(edited(engine), "speaks no plain HTTP", "https://")


class speaking:  # noqa: N801  as a function that is used with ``with``
    """A port that hears something, says ``spoken`` and closes."""

    def __init__(self, spoken):
        self.spoken = spoken

    def __enter__(self):
        self.listener = socket.create_server(("127.0.0.1", 0))
        threading.Thread(target=self.serve, daemon=True).start()
        return self.listener.getsockname()[1]

    def serve(self):
        try:
            while True:
                connection, _ = self.listener.accept()
                with connection:
                    connection.recv(4096)
                    connection.sendall(self.spoken)
                    connection.shutdown(socket.SHUT_WR)
                    connection.recv(4096)
        except OSError:
            pass

    def __exit__(self, *_):
        self.listener.shutdown(socket.SHUT_RDWR)
        self.listener.close()


def test_every_address_is_asked_on_this_machine():
    with serving(GOOD) as server, engine_at(f"http://0.0.0.0:{server.port}/v1") as engine:
        result = edited(engine)
    assert (result.text, result.model) == (AFTER, "m at 0.0.0.0"), result.error


@pytest.mark.parametrize(
    "status", ["404 Not Found", "405 Method Not Allowed", "501 Not Implemented"]
)
def test_a_server_without_a_list_of_models_is_asked_all_the_same(status):
    with serving(GOOD, models=answer(status, b"<html>")) as server, engine_of(server) as engine:
        assert edited(engine).text == AFTER
        assert "context size not reported" in engine.models()[0].runs
    assert server.bodies[0]["model"] == "m"


@pytest.mark.parametrize("status", ["401 No", "500 Oops", "503 Busy"])
def test_a_list_that_is_refused_is_no_missing_one(status):
    with serving(GOOD, models=answer(status)) as server, engine_of(server) as engine:
        check_refused(edited(engine))
    assert server.bodies == []


def test_a_page_in_the_place_of_a_list_is_an_address_that_is_wrong():
    with serving(GOOD, models=answer("200 OK", b"<!doctype html>")) as server:
        with engine_of(server) as engine:
            check_refused(
                edited(engine), "is no JSON", "check model.url, which usually ends in /v1"
            )
        assert server.bodies == []


def test_an_answer_may_be_created():
    with serving(GOOD.replace(b"200 OK", b"201 Created")) as server, engine_of(server) as engine:
        assert edited(engine).text == AFTER


def cards(*ids, **more):
    return {"data": [{"id": name, **more} for name in ids]}


LISTS = [
    ("m", cards("m", "M"), "m"),
    ("M", cards("m", "x"), "m"),
    ("Qwen/Qwen3", cards("qwen/qwen3"), "qwen/qwen3"),
    ("m", cards("m:latest", "m:7b"), "m:latest"),
    ("m:latest", cards("m"), "m"),
    ("M:Latest", cards("m:latest"), "m:latest"),
    ("m", {"data": [{"id": "/models/m.gguf", "aliases": ["a", "m"]}]}, "/models/m.gguf"),
    ("A", {"data": [{"id": "/models/m.gguf", "aliases": ["a", "m"]}]}, "/models/m.gguf"),
    ("org/m", {"data": [{"id": "served", "root": "org/m"}]}, "served"),
    ("m", {"data": [{"id": "served", "root": "m"}, {"id": "m", "root": "m"}]}, "m"),
    ("m", {"models": [{"name": "m:latest", "model": "m:latest"}]}, "m:latest"),
    ("m", {"object": "list", "data": [], "models": [{"name": "m"}]}, None),
    ("openai/gpt-6", cards("openai/*", "x"), "openai/gpt-6"),
    ("M", cards("m", "m:latest"), None),  # which of them?
    ("m", cards("m:7b", "mm", "m-instruct"), None),
    ("m", {"data": None}, None),
    ("m", {"data": [3, {}, {"id": None}]}, None),
]


@pytest.mark.parametrize(("name", "listed", "expected"), LISTS)
def test_a_model_is_found_by_the_names_that_its_server_has(name, listed, expected):
    models = answer("200 OK", json.dumps(listed).encode())
    with serving(GOOD, models=models) as server, engine_of(server, name=name) as engine:
        result = edited(engine)
    if expected is None:
        check_refused(result, f"has no model {name}: it offers", code="model-not-found")
        assert server.bodies == []
    else:
        assert (result.text, result.model) == (AFTER, f"{name} at 127.0.0.1"), result.error
        assert server.bodies[0]["model"] == expected


def test_what_a_server_offers_is_named():
    address = address_of("http://127.0.0.1/v1")
    with pytest.raises(Exception, match=r"it offers a, b, c \(model.name\)\."):
        read_abilities(address, cards("a", "b", "c"), "m")
    assert read_abilities(address, None, "m").name == "m"


PARTS = [
    [{"type": "text", "text": FENCED}],
    [{"type": "text", "text": FENCED[:9]}, {"type": "text", "text": FENCED[9:]}],
    [
        {"type": "thinking", "thinking": [{"type": "text", "text": "Hm."}]},
        {"type": "text", "text": FENCED},
    ],
    [{"type": "reasoning", "text": "Hm."}, {"type": "output_text", "text": FENCED}],
    [
        {"type": "image_url", "image_url": "x"},
        {"text": FENCED},
        "x",
        None,
        {"type": "text", "text": None},
    ],
    {"type": "text", "text": FENCED},
]


@pytest.mark.parametrize("parts", PARTS)
@pytest.mark.parametrize("form", ["delta", "message"])
def test_a_content_may_be_a_list_of_parts(parts, form):
    body = json.dumps(
        {"choices": [{"index": 0, form: {"content": parts}, "finish_reason": "stop"}]}
    )
    for pieces in ([STREAM, f"data: {body}\n\n".encode(), DONE], [answer("200 OK", body.encode())]):
        with serving(*pieces) as server, engine_of(server) as engine:
            assert edited(engine).text == AFTER


@pytest.mark.parametrize(
    "kind", ["text/plain; charset=utf-8", "application/json", "application/x-ndjson", ""]
)
def test_events_under_another_type(kind):
    head = STREAM.replace(b"text/event-stream", kind.encode())
    head = head if kind else head.replace(b"Content-Type: \r\n", b"")
    pieces = [head, said(FENCED[:9]), said(FENCED[9:], "stop"), DONE]
    with serving(*pieces) as server, engine_of(server) as engine:
        assert edited(engine).text == AFTER
    assert CARD["id"] == server.bodies[0]["model"]
