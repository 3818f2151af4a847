"""An editor's session under whatever its user does: nothing lost, everybody answered once, in time.

A state machine (Hypothesis) over the language server, the daemon's queue in this process and the
scripted engine, with injected time. Messages are on their way for a while in both directions, so
that an edit, an accept and a keystroke overtake each other. The engine writes lines in upper case:
whoever loses, moves or repeats a line of the user's changes what the document says in lower case.
"""

import asyncio
import contextlib
import itertools
import json
import logging
import os
from collections import deque
from pathlib import Path

from hypothesis import strategies as st
from hypothesis.stateful import (
    RuleBasedStateMachine,
    initialize,
    precondition,
    rule,
)

from editd.config import Config
from editd.errors import DaemonUnreachable
from editd.frontends.lsp.requests import edit as edit_module
from editd.frontends.lsp.requests.accept import CONFIRM_SECONDS
from editd.frontends.lsp.server import LanguageServer
from editd.frontends.lsp.stdio import frame
from tests.fakes import scripted, with_script
from tests.fuzz import machines
from tests.in_process import InProcessEngineClient
from tests.injected_time import LOAD, UNIT, InjectedLoop
from tests.unit.frontends.lsp.client import Client, Editor, applied, lines_of, position_at

ON_THE_WAY = 0.01  # seconds, of every message
INSTANT = 1e-6
URIS = st.sampled_from(["file:///w/a.py", "file:///w/b.py"])
SELDOM = st.sampled_from([False, False, False, True])
CANCELLED, NOT_FOUND, NO_METHOD = -32800, -32803, -32601
ALLOWED = {  # what a request that was right when it was sent may fail with
    ("editd/nothing", NO_METHOD),
    ("editd/accept", NOT_FOUND),
    *((f"editd/{name}", CANCELLED) for name in ("edit", "accept", "warmup", "status", "nothing")),
    ("workspace/executeCommand", CANCELLED),
    ("editd/edit", -32801),
}
WORDS = ["one é", "two 😀", "three", "", "four 漢字", "five", "six"]


class Transport:
    """The editor's pipe: what is sent arrives later, in order. ``busy``: the editor is behind."""

    def __init__(self, loop):
        self.busy = False
        self._loop = loop

    def way_to(self, arrive):
        under_way = deque()

        def send(message):
            under_way.append(message)
            self._loop.call_later(ON_THE_WAY, lambda: arrive(under_way.popleft()))

        return send


class Daemon:
    """The daemon as a connection sees it; hanging up one connection leaves it as it is."""

    def __init__(self, engines):
        self.reachable = True
        self.engine = None
        self._engines = engines

    async def aclose(self):
        pass

    def __getattr__(self, name):
        if not self.reachable or (self.engine is None and name == "status"):
            raise DaemonUnreachable("No daemon runs.")
        if self.engine is None:
            self.engine = InProcessEngineClient(Config(), scripted(made=self._engines))
        return getattr(self.engine, name)


class Asked:
    """A request of the editor's; ``due``: when it has to have its answer."""

    def __init__(self, method, due):
        self.method = method
        self.due = due


class Seen:
    """What the editor knows of one edit."""

    def __init__(self, msg_id, editor, text, params, whole):
        self.msg_id = msg_id
        self.editor = editor  # None: inline text
        self.text = text
        self.version = editor and editor.version
        self.params = params
        self.whole = whole  # nothing is selected, and each changed line is written once
        self.answered = False
        self.decided = False  # somebody has accepted or rejected some of it
        self.seq = 0
        self.hunks = {}

    def take(self, version, hunks):
        """Hunks as the server tells them, in lines of the document at ``version``."""
        for hunk in hunks:
            self.hunks[hunk["id"]] = dict(hunk, state="stale" if hunk.get("stale") else "ok")
            self.check(version, hunk["id"])

    def check(self, version, hunk_id):
        """A hunk stands where its own lines are."""
        hunk = self.hunks[hunk_id]
        if not hunk["done"] or hunk["state"] != "ok":
            return
        lines = lines_of(self.text if self.editor is None else self.editor.versions[version])
        old = lines[hunk["start"] : hunk["start"] + hunk["oldCount"]]
        assert said("".join(old)) == said("".join(hunk["newLines"])), "a hunk stands elsewhere"


class Buffer(Editor):
    """An ``Editor`` that knows its past, and whose mood decides what becomes of edits."""

    def __init__(self, client, text, uri):
        self.versions = {1: text}
        self.mood = "now"
        self.late = deque()
        super().__init__(client, text, uri)

    def tell(self, changes):
        self.versions[self.version + 1] = self.text
        super().tell(changes)

    def apply_edit(self, params):
        before = said(self.text)
        answer = super().apply_edit(params)
        assert said(self.text) == before, "an accept changed what the user wrote"
        return answer


class SessionMachine(RuleBasedStateMachine):
    def __init__(self):
        super().__init__()
        self.loop = InjectedLoop()
        self.injected = contextlib.ExitStack()
        engines = []
        self.injected.enter_context(self.loop.under_the_daemon())
        self.daemon = Daemon(engines)
        self.transport = Transport(self.loop)
        self.buffers: dict[str, Buffer] = {}
        self.late = deque()  # what the server wants applied, and waits for
        self.asked: dict[int, Asked] = {}
        self.edits: dict[str, Seen] = {}
        self.tokens = itertools.count(1)
        self.typed = itertools.count(1)
        self.work = 0.0  # seconds that all that was asked for may take
        self.at_once(self.begin)
        self.loop.before_waiting = self.time_may_pass

    async def begin(self):
        self.reader = asyncio.StreamReader(limit=1 << 26)
        self.transport.send = self.transport.way_to(self.hear)
        self.server = LanguageServer(self.transport, self.daemon)
        to_server = self.transport.way_to(self.server.protocol.receive)
        self.client = Client(self.reader, lambda data: to_server(data.split(b"\r\n\r\n", 1)[1]))
        self.client.handlers["workspace/applyEdit"] = self.apply_edit
        await self.client.initialize()

    def at_once(self, function, *args):
        async def call():
            result = function(*args)
            return await result if asyncio.iscoroutine(result) else result

        return self.loop.run_until_complete(call())

    # --- what always holds -----------------------------------------------------------------------

    def time_may_pass(self):
        for msg_id, asked in self.asked.items():
            if asked.due is not None and not self.client.answers.get(msg_id):
                assert self.loop.now <= asked.due + INSTANT, f"{asked.method} stalled"

    def hear(self, body):
        """A message of the server's arrives."""
        self.check(json.loads(body))
        self.reader.feed_data(frame(body))

    def check(self, message):
        params = message.get("params")
        match message.get("method"):
            case "editd/editDelta":
                seen = self.edits[params["editToken"]]
                assert not seen.answered, "a delta after the answer"
                seen.seq += 1
                assert params["seq"] == seen.seq
                seen.take(params["version"], [op["hunk"] for op in params["ops"] if "hunk" in op])
            case "editd/editRebased":
                seen = self.edits[params["editToken"]]
                for moved in params["hunks"]:
                    seen.hunks[moved["id"]] |= moved
                for hunk_id in seen.hunks:
                    seen.check(params["version"], hunk_id)
            case None if "error" in message:
                asked = self.asked[message["id"]]
                code, problem = message["error"]["code"], message["error"]["message"]
                assert (asked.method, code) in ALLOWED or "basedOn" in problem, (
                    asked.method,
                    problem,
                )
            case None if "result" in message:
                for seen in self.edits.values():
                    if seen.msg_id == message["id"]:
                        seen.answered = True
                        self.check_answer(seen, message["result"])

    def check_answer(self, seen, answer):
        version, hunks = answer["version"], answer["hunks"]
        if answer["status"] != "ok":
            assert answer["message"], "what went wrong is said"
        if answer["status"] == "failed":
            assert not hunks
        if seen.editor is not None and version not in seen.editor.versions:
            # The document was closed: there is none, or the one that was opened in its place.
            assert seen.editor not in self.buffers.values()
            assert not hunks, "hunks of a closed document"
            return
        seen.hunks = {}
        seen.take(version, hunks)
        text = seen.text if seen.editor is None else seen.editor.versions[version]
        result = applied(text, answer["edits"])
        assert said(result) == said(text)
        untouched = version == seen.version and not seen.decided
        if answer["status"] == "ok" and seen.whole and untouched:
            assert result == seen.text.upper()
            assert answer.get("text") == (result if seen.editor is None else None)

    # --- what the editor does --------------------------------------------------------------------

    def ask(self, method, params=None, *, seconds=2 * ON_THE_WAY):
        """Send a request that has to be answered in ``seconds``; ``None``: once what it asks is done."""

        async def start():
            future, msg_id = self.client.start(method, params)
            future.add_done_callback(lambda done: done.cancelled() or done.exception())
            return msg_id

        msg_id = self.at_once(start)
        self.asked[msg_id] = Asked(method, None if seconds is None else self.loop.now + seconds)
        return msg_id

    def due_in(self, msg_id, seconds):
        """A request was cancelled: that is known from now on."""
        due = self.loop.now + seconds
        asked = self.asked[msg_id]
        asked.due = due if asked.due is None else min(asked.due, due)

    def end_edits(self, of):
        for seen in self.edits.values():
            if of(seen) and not seen.answered:
                self.due_in(seen.msg_id, edit_module.CANCEL_SECONDS + 2 * ON_THE_WAY)

    @initialize()
    def open_one(self):
        self.open("file:///w/a.py", 5, "\n")

    @precondition(lambda self: len(self.buffers) < 2)
    @rule(uri=URIS, count=st.integers(1, 12), end=st.sampled_from(["\n", "\r\n"]))
    def open(self, uri, count, end):
        if uri in self.buffers:
            return
        text = "".join(f"{i} {WORDS[i % len(WORDS)]}{end}" for i in range(count))
        self.buffers[uri] = self.at_once(Buffer, self.client, text, uri)
        self.client.handlers["workspace/applyEdit"] = self.apply_edit

    @rule(uri=URIS, really=SELDOM)
    def close(self, uri, really):
        if really and (buffer := self.buffers.pop(uri, None)):
            self.end_edits(lambda seen: seen.editor is buffer)
            self.at_once(
                self.client.notify, "textDocument/didClose", {"textDocument": {"uri": uri}}
            )

    @rule(uri=URIS, data=st.data())
    def type(self, uri, data):
        if not (buffer := self.buffers.get(uri)):
            return
        spot = data.draw(st.integers(0, len(buffer.text) - 1))
        stop = min(spot + data.draw(st.sampled_from([0, 0, 0, 1, 9])), len(buffer.text) - 1)
        spot -= buffer.text[max(spot - 1, 0) : spot + 1] == "\r\n"
        stop -= buffer.text[max(stop - 1, 0) : stop + 1] == "\r\n"
        new = data.draw(st.sampled_from(["", "t{}", "t{}\n", "\n"])).format(next(self.typed))
        self.at_once(buffer.type, spot, max(spot, stop), new)

    @rule(uri=URIS)
    def tell_the_whole_text(self, uri):
        if buffer := self.buffers.get(uri):
            buffer.text = f"whole {next(self.typed)}\n" + buffer.text
            self.at_once(buffer.tell, [{"text": buffer.text}])

    @rule(
        uri=URIS,
        data=st.data(),
        inline=SELDOM,
        script=st.sampled_from(
            [
                {},
                {},
                {"open_hunks": True},
                {"copies": 2},
                {"lines_per_unit": 3},
                {"error": "refused"},
            ]
            + [{"crash_in": where} for where in ("start", "load", "round", "cancel")]
        ),
    )
    def edit(self, uri, data, inline, script):
        if not (buffer := self.buffers.get(uri)):
            return
        text = buffer.text
        if len(lines_of(text)) > 30:
            script = {key: value for key, value in script.items() if key != "copies"}
        params = {"editToken": f"e{next(self.tokens)}", "instruction": "shout"}
        params["options"] = {"drafter": with_script(**(script or {"copies": 1})).drafter}
        params |= {"text": text} if inline else {"textDocument": buffer.identifier}
        selected = data.draw(st.booleans())
        if selected:
            ends = sorted(data.draw(st.lists(st.integers(0, len(text)), min_size=2, max_size=2)))
            start, end = (position_at(text, offset, "utf-16") for offset in ends)
            params["range"] = {"start": start, "end": end}
        earlier = data.draw(st.sampled_from([None, None, None, *self.edits]))
        if earlier is not None:
            params["basedOn"] = earlier
            self.end_edits_that_are_refined(earlier)
        self.work += LOAD + UNIT * (len(lines_of(text)) + 8)
        msg_id = self.ask("editd/edit", params, seconds=None)
        whole = not selected and "copies" not in script
        editor = None if inline else buffer
        self.edits[params["editToken"]] = Seen(msg_id, editor, text, params, whole)

    def end_edits_that_are_refined(self, token):
        self.edits[token].decided = True

    @rule(uri=URIS)
    def edit_another_version(self, uri):
        if buffer := self.buffers.get(uri):
            document = {"uri": uri, "version": buffer.version + 1}
            params = {"editToken": "never", "instruction": "x", "textDocument": document}
            self.ask("editd/edit", params)

    @precondition(lambda self: self.edits)
    @rule(data=st.data(), apply=st.booleans(), every=st.booleans())
    def accept(self, data, apply, every):
        token = self.some_edit(data)
        params = {"editToken": token, "apply": apply}
        if not every:
            params["hunkIds"] = data.draw(st.lists(st.integers(1, 4), max_size=3))
        self.edits[token].decided = True
        self.work += CONFIRM_SECONDS + 1
        self.ask("editd/accept", params, seconds=None)

    @precondition(lambda self: self.edits)
    @rule(data=st.data(), hunk_ids=st.sampled_from(["all", [1], [2, 9]]))
    def reject(self, data, hunk_ids):
        token = self.some_edit(data)
        self.edits[token].decided = True
        self.ask("editd/reject", {"editToken": token, "hunkIds": hunk_ids})

    @precondition(lambda self: self.edits)
    @rule(data=st.data(), keep=st.sampled_from([None, True, False]), answered=st.booleans())
    def cancel(self, data, keep, answered):
        token = self.some_edit(data)
        params = {"editToken": token} | ({} if keep is None else {"keep": keep})
        self.end_edits(lambda seen: seen is self.edits[token])
        if answered:
            self.ask("editd/cancel", params)
        else:
            self.at_once(self.client.notify, "editd/cancel", params)

    def some_edit(self, data):
        """Its token; mostly that of the last."""
        return data.draw(st.sampled_from([*self.edits, *list(self.edits)[-1:] * 3]))

    @rule(data=st.data(), really=SELDOM)
    def cancel_request(self, data, really):
        if really and (waiting := [key for key in self.asked if not self.client.answers.get(key)]):
            msg_id = data.draw(st.sampled_from(waiting))
            self.due_in(msg_id, 2 * ON_THE_WAY)
            self.at_once(self.client.notify, "$/cancelRequest", {"id": msg_id})

    @rule(uri=URIS)
    def warm_up(self, uri):
        if buffer := self.buffers.get(uri):
            self.work += LOAD + 8 * UNIT
            params = {"textDocument": buffer.identifier}
            self.ask("editd/warmup", params, seconds=None)

    @rule(uri=URIS)
    def run_command(self, uri):
        """As an editor without a plugin does: an edit that is applied when it ends."""
        if buffer := self.buffers.get(uri):
            self.work += LOAD + UNIT * (len(lines_of(buffer.text)) + 8) + CONFIRM_SECONDS + 1
            argument = {"textDocument": buffer.identifier, "instruction": "shout"}
            params = {"command": "editd.run", "arguments": [argument]}
            self.ask("workspace/executeCommand", params, seconds=None)

    @rule(method=st.sampled_from(["editd/status", "editd/presets", "editd/nothing"]))
    def ask_something(self, method):
        self.ask(method)

    @rule(mood=st.sampled_from(["now", "late", "refuses", "lies"]), uri=URIS)
    def be_in_a_mood(self, uri, mood):
        if buffer := self.buffers.get(uri):
            buffer.mood = mood

    @precondition(lambda self: self.late)
    @rule()
    def apply_late(self):
        self.at_once(self.apply_now, *self.late.popleft())

    @rule(behind=SELDOM)
    def read_slowly(self, behind):
        self.transport.busy = behind

    @rule(gone=SELDOM)
    def daemon_goes_or_comes(self, gone):
        self.daemon.reachable = not gone

    @rule(seconds=st.sampled_from([0.0, ON_THE_WAY, UNIT, 0.3, LOAD, 4.0]))
    def time_passes(self, seconds):
        self.loop.run_until_complete(asyncio.sleep(seconds))

    def apply_edit(self, params):
        """The server wants an edit applied."""
        (change,) = params["edit"]["documentChanges"]
        buffer = self.buffers.get(change["textDocument"]["uri"])
        match buffer and buffer.mood:
            case "now":
                return buffer.apply_edit(params)
            case "late":
                asked = self.client.seen[-1]
                self.late.append((asked["id"], params))
                return Client.SILENT
            case "lies":
                return {"applied": True}
        return {"applied": False, "failureReason": "no"}

    def apply_now(self, msg_id, params):
        (change,) = params["edit"]["documentChanges"]
        buffer = self.buffers.get(change["textDocument"]["uri"])
        result = buffer.apply_edit(params) if buffer else {"applied": False}
        self.client.send({"jsonrpc": "2.0", "id": msg_id, "result": result})

    # --- the end ---------------------------------------------------------------------------------

    def teardown(self):
        try:
            self.everybody_is_answered()
        finally:
            self.loop.end()
            self.injected.close()

    def everybody_is_answered(self):
        self.transport.busy = False
        for buffer in self.buffers.values():
            buffer.mood = "refuses"
        while self.late:
            self.apply_late()
        self.time_passes(self.work + 1)
        unanswered = [
            asked.method for key, asked in self.asked.items() if not self.client.answers.get(key)
        ]
        assert not unanswered
        assert all(count == 1 for count in self.client.answers.values()), "answered twice"
        session = self.server.session
        for uri, buffer in self.buffers.items():
            document = session.documents.get(uri)
            assert (document.text, document.version) == (buffer.text, buffer.version)
        assert not any(live.running for live in session.edits)
        assert not session.progress
        shown = [(p["token"], p["value"]["kind"]) for p in self.client.all("$/progress")]
        for token in {token for token, _ in shown}:
            kinds = [kind for other, kind in shown if other == token and kind != "report"]
            assert kinds == ["begin", "end"]
        if statuses := self.client.all("editd/didChangeStatus"):
            assert statuses[-1]["state"] in ("idle", "error")
        msg_id = self.ask("shutdown")
        self.time_passes(3 * ON_THE_WAY)
        assert self.client.answers[msg_id] == 1
        self.at_once(self.client.notify, "exit")
        self.time_passes(ON_THE_WAY * 2)
        assert self.server.left.result() == 0
        self.at_once(self.server.close)
        if self.daemon.engine is not None:
            self.at_once(self.daemon.engine.aclose)
        self.at_once(self.client.finish)


def said(text):
    """What a text says, however loud and however often in a row."""
    return [line for line, _ in itertools.groupby(lines_of(text.lower()))]


@machines.sizes((60, 50), (1000, 60))
def test_nothing_is_lost_and_everybody_is_answered_once_in_time(examples, steps, caplog):
    Path(os.environ["EDITD_CONFIG"]).touch()
    caplog.set_level(logging.CRITICAL, "editd")  # scripted defects are logged as defects
    machines.run(SessionMachine, examples, steps)
