"""``editd mcp`` under whatever an agent and a user do: nothing lost, everybody answered once, nothing outside.

A state machine (Hypothesis) over the tools, through the SDK's own client, with injected time. The user
saves files, and swaps folders for links, while calls are under way. The engine writes in upper case:
whoever loses, moves or repeats a line changes what a file says in lower case.
"""

import asyncio
import contextlib
import gc
import itertools
import os
import shutil
import tempfile
from pathlib import Path
from unittest import mock

from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, rule
from mcp import Client

from editd.frontends.mcp.editing import FileEditor, Folders
from editd.frontends.mcp.server import make_server
from editd.messages.options import EditOptions
from tests.fuzz import machines
from tests.fuzz.slow_engine import SlowEngine
from tests.injected_time import LOAD, InjectedLoop

NAMES = st.sampled_from(["a.py", "sub/b.py", "./a.py", "link.py"])
PATHS = st.sampled_from(
    ["", ".env", "..", "../outside.py", "way_out.py", "no.py", "sub", "/etc/passwd"]
)
SELDOM = st.sampled_from([False, False, False, True])


class Asked:
    """A call, and what became of it."""

    def __init__(self, task):
        self.task = task
        self.cancelled = False


class ToolsMachine(RuleBasedStateMachine):
    def __init__(self):
        super().__init__()
        self.loop = InjectedLoop()
        self.engine = SlowEngine()
        self.folder = Path(tempfile.mkdtemp()).resolve()
        self.project, self.outside = self.folder / "project", self.folder / "outside"
        for sub in (self.project / "sub", self.outside):
            sub.mkdir(parents=True)
        (self.folder / "outside.py").write_text("no\n")
        (self.outside / "b.py").write_text("no\n")
        (self.project / ".env").write_text("no\n")
        (self.project / "link.py").symlink_to("a.py")
        (self.project / "way_out.py").symlink_to(self.folder / "outside.py")
        self.typed = itertools.count(1)
        self.said = {}
        self.save("a.py", 3)
        self.save("sub/b.py", 1)
        self.asked = []
        self.injected = contextlib.ExitStack()
        self.injected.enter_context(mock.patch.object(os, "fsync"))  # costs more than all the rest
        self.leave = asyncio.Event()
        self.client = self.loop.run_until_complete(self.begin())

    async def begin(self):
        ready = self.loop.create_future()

        async def agent():
            self.editor = FileEditor(Folders([self.project]), self.engine, EditOptions())
            async with Client(make_server(self.editor), mode="legacy") as client:
                ready.set_result(client)
                await self.leave.wait()

        self.agent = self.loop.create_task(agent())
        return await ready

    # --- what always holds -----------------------------------------------------------------------

    @invariant()
    def files_say_what_the_user_saved(self):
        for name, said in self.said.items():
            assert (self.project / name).read_text().lower() == said
        for file in (self.folder / "outside.py", self.outside / "b.py", self.project / ".env"):
            assert file.read_text() == "no\n"

    @invariant()
    def whoever_asks_what_there_is_is_told_at_once(self):
        before = self.loop.now
        assert len(self.loop.run_until_complete(self.client.list_tools()).tools) == 3
        assert self.loop.now == before

    # --- what an agent does ----------------------------------------------------------------------

    def call(self, tool, **arguments):
        async def start():
            return asyncio.create_task(self.checked(tool, arguments))

        if len(self.asked) < 12:
            self.asked.append(Asked(self.loop.run_until_complete(start())))

    async def checked(self, tool, arguments):
        result = await self.client.call_tool(tool, arguments)
        told = result.structured_content
        assert told["message"]
        assert result.is_error == (told["status"] in ("refused", "failed", "cancelled"))
        if result.is_error:
            assert "Nothing was written." in told["message"]
            assert not told["diff"]
        return told["status"]

    @rule(path=NAMES, dry_run=SELDOM, lines=st.sampled_from([None, "1:1", "2:3", "9:9"]))
    def rewrite(self, path, dry_run, lines):
        self.call("rewrite", path=path, instruction="shout", dry_run=dry_run, range=lines)

    @rule(path=NAMES, changes=st.booleans())
    def edit(self, path, changes):
        """A sketch that shouts a line, or one that is in doubt."""
        *before, last = (self.project / path).read_text().splitlines()
        sketch = "".join(f"{line}\n" for line in ["# ...", *before[-1:], last.upper()])
        sketch = sketch if changes else "# ...\nnowhere\nnobody\n"
        self.call("edit_file", path=path, instructions="", code_edit=sketch)

    @rule(path=PATHS)
    def ask_for_what_is_not_the_agent_s(self, path):
        self.call("rewrite", path=path, instruction="shout")

    @rule(
        tool=st.sampled_from(["edit_file", "rewrite", "fly"]),
        value=st.sampled_from([None, 3, "", [], {}, "9" * 5000, "a.py", "1:2"]),
        name=st.sampled_from(["path", "range", "dry_run", "instruction", "code_edit"]),
    )
    def call_wrongly(self, tool, value, name):
        arguments = {"path": "no.py", "instruction": "x", "code_edit": "y"} | {name: value}
        self.call(tool, **arguments)

    @rule(data=st.data())
    def cancel(self, data):
        if waiting := [asked for asked in self.asked if not asked.task.done()]:
            asked = data.draw(st.sampled_from(waiting))
            asked.cancelled = True
            asked.task.cancel()

    # --- what else happens -----------------------------------------------------------------------

    @rule(name=st.sampled_from(["a.py", "sub/b.py"]), count=st.integers(1, 4))
    def save(self, name, count):
        self.said[name] = "".join(f"line {next(self.typed)} é\n" for _ in range(count))
        (self.project / name).write_text(self.said[name])

    @rule(really=SELDOM)
    def swap_a_folder_for_a_link_and_back(self, really):
        """While calls for a file in it wait and run."""
        sub, was = self.project / "sub", self.project / "was"
        if really:
            sub.rename(was)
            sub.symlink_to(self.outside)
            self.time_passes(2 * LOAD)
            assert (self.outside / "b.py").read_text() == "no\n"
            sub.unlink()
            was.rename(sub)

    @rule(gone=SELDOM, broken=SELDOM)
    def daemon_goes_or_comes(self, gone, broken):
        self.engine.reachable, self.engine.broken = not gone, broken

    @rule(seconds=st.sampled_from([0.0, 0.1, LOAD, 2 * LOAD]))
    def time_passes(self, seconds):
        self.loop.run_until_complete(asyncio.sleep(seconds))

    # --- the end ---------------------------------------------------------------------------------

    def teardown(self):
        try:
            self.time_passes(LOAD * (len(self.asked) + 1))
            for asked in self.asked:
                assert asked.task.done(), "somebody was not answered"
                assert asked.cancelled or asked.task.result()
            assert self.engine.open == 0, "work for nobody"
            if self.editor._locks:
                gc.collect()  # one may lie in a circle with the frames of a call that was cancelled
            assert not self.editor._locks, "a file stays locked"
            assert not [*self.project.rglob(".*.py.*")], "something is left over"
            self.leave.set()
            self.loop.run_until_complete(self.agent)
        finally:
            self.loop.end()
            self.injected.close()
            shutil.rmtree(self.folder)


@machines.sizes((30, 30), (1000, 60))
def test_nothing_is_lost_and_everybody_is_answered_once(examples, steps):
    machines.run(ToolsMachine, examples, steps)
