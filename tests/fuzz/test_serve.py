"""``editd serve`` under whatever its clients do: everybody answered once and in time, nobody holds others.

A state machine (Hypothesis) over the connections of the real server, on pipes of the test's and with
injected time. Requests come in pieces, stop in the middle, are refused, follow each other before the
answer; answers are left unread. ``/health`` is answered at once all the time.
"""

import asyncio
import json
import logging
from unittest import mock

import h11
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, rule
from uvicorn.server import ServerState

from editd.frontends.http import routes
from editd.frontends.http import serving as http_serving
from editd.frontends.http.guard import Access
from editd.frontends.http.routes import Models, Service, make_app
from editd.frontends.http.serving import make_server
from editd.messages.options import EditOptions
from tests.fuzz import machines
from tests.fuzz.slow_engine import WORDS, SlowEngine
from tests.injected_time import InjectedLoop

SECONDS = 3.0  # that a request may take
IDLE = 30.0
SELDOM = st.sampled_from([False, False, False, True])
CODE = "def total(cart):\n    price = 0\n    return price\n"
FILE = (
    f"<code>{CODE}</code><update># ...\n    price = 0\n    price += 1\n    return price\n</update>"
)
DOUBT = f"<code>{CODE}</code><update># ...\n    price = 0\n    price += 1\n# ...\n</update>"
TOLD = "".join(WORDS)


def said(content):
    return {"messages": [{"role": "user", "content": content}]}


class Request:
    """What may be asked, the statuses it may get, and the text of a good answer."""

    def __init__(self, path, body=None, statuses=(200,), text=None, **headers):
        data = (
            body if isinstance(body, bytes) else b"" if body is None else json.dumps(body).encode()
        )
        told = {"Host": "localhost", "Content-Length": str(len(data))} | headers
        head = f"{'GET' if body is None else 'POST'} {path} HTTP/1.1\r\n"
        head += "".join(f"{name.replace('_', '-')}: {value}\r\n" for name, value in told.items())
        self.data = head.encode() + b"\r\n" + data
        self.statuses = statuses
        self.text = text
        self.method = "GET" if body is None else "POST"

    def check(self, status, body):
        """An answer to it has come."""
        assert status in (*self.statuses, 400, 408), (self.data, status, body)
        if body in (b"Invalid HTTP request received.", b"Service Unavailable"):
            assert status in (400, 503)
        elif status != 200:
            assert json.loads(body)["error"]["message"]
        elif self.text is not None and body.startswith(b"data: "):
            *events, end = [line[6:] for line in body.decode().split("\n\n")[:-1]]
            pieces = [json.loads(event) for event in events]
            if "error" not in json.loads(end if end != "[DONE]" else "{}"):
                assert end == "[DONE]"
                said = [p["choices"][0]["delta"].get("content", "") for p in pieces]
                assert "".join(said) == self.text
        elif self.text is not None:
            choice = json.loads(body)["choices"][0]
            assert choice.get("text", choice.get("message", {}).get("content")) == self.text


BUSY = (200, 429, 500, 503, 504)
REQUESTS = [
    Request("/health", statuses=(200,)),
    Request("/v1/models"),
    Request("/nowhere", {"prompt": "x" * 500}, (404,)),
    Request("/v1/completions", b"{", (400,)),
    Request("/v1/completions", {"prompt": "x"}, (403,), Host="evil.example"),
    Request("/v1/completions", {"prompt": [10**30]}, (400,)),
    Request("/v1/completions", b"3\r\n{}\n\r\n0\r\n\r\n", (400,), Transfer_Encoding="chunked"),
    Request("/v1/completions", {"prompt": "x"}, BUSY, TOLD),
    Request("/v1/chat/completions", said("Hi") | {"stream": True}, BUSY, TOLD),
    Request(
        "/v1/chat/completions", said(FILE), BUSY, CODE.replace("= 0\n", "= 0\n    price += 1\n")
    ),
    Request("/v1/chat/completions", said(DOUBT), BUSY, CODE.upper()),
]
NONSENSE = Request("/", statuses=(400,))


class Pipe(asyncio.Transport):
    """The server's end of a connection; the client's is ``Caller``."""

    def __init__(self, caller):
        super().__init__()
        self.caller = caller
        self.paused = self.closing = False

    def write(self, data):
        if not self.closing and data:
            self.caller.unread += data
            if self.caller.deaf:
                self.caller.protocol.pause_writing()

    def close(self):
        if not self.closing:
            self.closing = True
            self.caller.loop.call_soon(self.caller.end)

    abort = close

    def is_closing(self):
        return self.closing

    def pause_reading(self):
        self.paused = True

    def resume_reading(self):
        self.paused = False
        self.caller.loop.call_soon(self.caller.feed)

    def set_write_buffer_limits(self, high=None, low=None):
        pass

    def get_write_buffer_size(self):
        return len(self.caller.unread)

    def get_extra_info(self, name, default=None):
        return default


class Caller:
    """A client: what it has sent, what it waits for, what it was told."""

    def __init__(self, loop, make_protocol):
        self.loop = loop
        self.opened = loop.now
        self.unsent = bytearray()  # of requests that were begun
        self.unfed = bytearray()  # sent, but the server does not read
        self.unread = bytearray()
        self.asked = []  # requests without an answer, in order
        self.deaf = self.ended = False
        self.answer = None  # the one that has begun
        self.protocol = make_protocol()
        self.pipe = Pipe(self)
        self.protocol.connection_made(self.pipe)

    def feed(self):
        if self.unfed and not self.pipe.paused and not self.pipe.closing:
            data, self.unfed[:] = bytes(self.unfed), b""
            self.protocol.data_received(data)

    def end(self, why=None):
        if not self.ended:
            self.ended = self.pipe.closing = True
            self.protocol.connection_lost(why)

    def on_text(self, on_text):
        """Whether what is written is read from now on."""
        self.deaf = not on_text
        if on_text and self.unread and not self.ended:
            self.protocol.resume_writing()

    def begin(self, request):
        self.asked.append(request)
        self.unsent += request.data

    def send(self, count):
        data = bytes(self.unsent[:count])
        del self.unsent[:count]
        self.unfed += data
        self.feed()

    def read(self):
        """Read all that was written; each answer is that of the oldest request."""
        data, self.unread[:] = bytes(self.unread), b""
        while data:
            if self.answer is None:
                assert self.asked, "an answer to nothing"
                self.answer = h11.Connection(h11.CLIENT)
                asks = h11.Request(method=self.asked[0].method, target="/", headers=[("Host", "x")])
                self.answer.send(asks)
                self.answer.send(h11.EndOfMessage())
                self.body = b""
            self.answer.receive_data(data)
            data = b""
            while (event := self.answer.next_event()) not in (h11.NEED_DATA, h11.PAUSED):
                if isinstance(event, h11.Response):
                    self.status = event.status_code
                elif isinstance(event, h11.Data):
                    self.body += event.data
                elif isinstance(event, h11.EndOfMessage):
                    data = self.answer.trailing_data[0]
                    self.answer = None
                    self.asked.pop(0).check(self.status, self.body)
                    break
                else:
                    assert isinstance(event, h11.ConnectionClosed)
                    break


class ServeMachine(RuleBasedStateMachine):
    def __init__(self):
        super().__init__()
        self.loop = InjectedLoop()
        self.engine = SlowEngine()
        self.callers = []
        self.loop.run_until_complete(self.begin())
        self.loop.before_waiting = self.time_may_pass

    async def begin(self):
        service = Service(self.engine, Models("acme/coder"), EditOptions(), SECONDS)
        with mock.patch.object(routes, "_MOST_WAITING", 2):
            config = make_server(make_app(service, Access())).config
        config.load()
        self.state = ServerState()
        self.make_protocol = lambda: config.http_protocol_class(config, self.state, {}, self.loop)

    # --- what always holds -----------------------------------------------------------------------

    def time_may_pass(self):
        self.read_all()
        assert self.engine.open <= 2, "more are served than may wait"

    @invariant()
    def whether_it_is_well_is_told_at_once(self):
        if len(self.state.connections) < 10:
            before = self.loop.now
            caller = self.connect()
            caller.begin(REQUESTS[0])
            caller.send(10_000)
            self.settle()
            caller.read()
            assert not caller.asked
            assert self.loop.now == before, "somebody holds the event loop"
            caller.end()
            self.settle()

    def read_all(self):
        for caller in self.callers:
            if not caller.deaf:
                caller.read()

    def settle(self):
        """Let all happen that needs no time."""

        async def turns():
            for _ in range(60):
                await asyncio.sleep(0)

        self.loop.run_until_complete(turns())

    # --- what clients do -------------------------------------------------------------------------

    def connect(self):
        async def made():
            return Caller(self.loop, self.make_protocol)

        return self.loop.run_until_complete(made())

    def some(self, data):
        open_ = [caller for caller in self.callers if not caller.ended]
        return data.draw(st.sampled_from(open_)) if open_ else None

    @rule(request=st.sampled_from(REQUESTS), count=st.sampled_from([10_000, 10_000, 1, 60, 300]))
    def call(self, request, count):
        if len(self.callers) < 30:
            self.callers.append(self.connect())
            self.callers[-1].begin(request)
            self.callers[-1].send(count)

    @rule(data=st.data(), request=st.sampled_from(REQUESTS), count=st.sampled_from([10_000, 1, 60]))
    def ask_again(self, data, request, count):
        """On the same connection, maybe before the answer."""
        if (caller := self.some(data)) and len(caller.asked) < 3:
            caller.begin(request)
            caller.send(count)

    @rule(data=st.data(), count=st.sampled_from([1, 50, 10_000]))
    def send_more(self, data, count):
        if caller := self.some(data):
            caller.send(count)

    @rule(data=st.data())
    def send_nonsense(self, data):
        """The connection is lost by that; only others must not be."""
        if (caller := self.some(data)) and not caller.asked:
            caller.asked.append(NONSENSE)
            caller.unsent += b"\0nonsense\r\n\r\n"
            caller.send(10_000)

    @rule(data=st.data())
    def hang_up(self, data):
        if caller := self.some(data):
            caller.end()

    @rule(data=st.data(), deaf=st.booleans())
    def read_or_not(self, data, deaf):
        if caller := self.some(data):
            caller.on_text(not deaf)

    @rule(gone=SELDOM, broken=SELDOM)
    def daemon_goes_or_comes(self, gone, broken):
        self.engine.reachable, self.engine.broken = not gone, broken

    @rule(seconds=st.sampled_from([0.0, 0.01, 0.1, 1.0, 4.0]))
    def time_passes(self, seconds):
        self.loop.run_until_complete(asyncio.sleep(seconds))

    # --- the end ---------------------------------------------------------------------------------

    def teardown(self):
        try:
            self.everybody_is_answered_or_gone()
        finally:
            self.loop.end()

    def everybody_is_answered_or_gone(self):
        for caller in self.callers:
            caller.on_text(True)
            caller.whole = not caller.unsent and not caller.ended
        self.time_passes(4 * SECONDS)
        for caller in self.callers:
            if caller.whole and not caller.ended:
                assert not caller.asked, "somebody was not answered"
        self.read_all()
        longest = http_serving.HEAD_SECONDS + routes._BODY_SECONDS + http_serving.UNREAD_SECONDS
        self.time_passes(longest + 4 * SECONDS + IDLE)
        assert all(caller.ended for caller in self.callers), "a connection is held for ever"
        assert self.engine.open == 0, "work for nobody"
        assert not self.state.connections
        assert not self.state.tasks


@machines.sizes((30, 30), (1500, 60))
def test_everybody_is_answered_once_and_nobody_holds_others(examples, steps, caplog):
    caplog.set_level(logging.ERROR)
    machines.run(ServeMachine, examples, steps)
    assert not [record for record in caplog.records if record.name.startswith("editd")], "a defect"
