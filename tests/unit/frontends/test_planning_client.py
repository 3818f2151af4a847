"""What needs no model is computed in the client's process; the engine is connected for the rest."""

import shlex
import sys
from dataclasses import replace

import pytest

from editd.config import ChecksConfig
from editd.errors import DaemonUnreachable, EditRefused
from editd.frontends.checked_edit import checked_edit
from editd.frontends.planning_client import PlanningClient
from editd.messages import EditRequest, EditResult, ErrorInfo

TEXT = "def add(a, b):\n    x = a\n    return x + b\n"
ONE_READING = "# ...\n    x = a\n    x *= 2\n    return x + b\n"
NOT_THERE = "# ...\n    y = 1\n    x = a\n    z = 2\n# ...\n"


class Engine:
    """Has no model; remembers what it was asked."""

    def __init__(self, code):
        self.code = code
        self.asked = []

    async def ask(self, request):
        self.asked.append(request)
        yield EditResult(request.request_id, "error", error=ErrorInfo(self.code, "So it is."))


async def result_of(request, code="model-not-found"):
    engine = Engine(code)

    async def connect():
        return engine

    async for message in PlanningClient(connect).ask(request):
        result = message
    return result, engine.asked


@pytest.mark.parametrize(
    ("instruction", "sketch", "written_by"),
    [("Rename x to y.", None, "words"), ("", ONE_READING, "text")],
)
async def test_what_needs_no_model_asks_no_engine(instruction, sketch, written_by):
    result, asked = await result_of(EditRequest("r", TEXT, instruction, "a.py", sketch=sketch))
    assert (result.finish_reason, result.stats.written_by) == ("stop", written_by)
    assert asked == []


@pytest.mark.parametrize(
    ("code", "words"),
    [
        ("model-not-found", "No model is set up that could decide it."),
        ("cut-off", "The model did not decide it: So it is."),
    ],
)
async def test_an_answer_without_a_text_says_why_a_model_was_asked(code, words):
    request = EditRequest("r", TEXT, "", "a.py", sketch=NOT_THERE)
    result, asked = await result_of(request, code)
    doubt = asked[0].doubt
    assert result.error.message == f"{doubt.reason} {words}"
    # Of a doubt that its client knows, it needs no reminder.
    result, _ = await result_of(asked[0], code)
    assert result.error.message == "So it is."


async def test_an_unreachable_daemon_is_tried_once():
    tried = []

    async def connect():
        tried.append(1)
        raise DaemonUnreachable("No daemon.")

    client = PlanningClient(connect)
    for _ in range(2):
        with pytest.raises(DaemonUnreachable, match="No daemon"):
            async for _ in client.ask(EditRequest("r", TEXT, "Make it faster.", "a.py")):
                pass
    assert len(tried) == 1


@pytest.mark.parametrize("is_doubted", [True, False])
async def test_only_what_no_check_doubts_is_handed_out(is_doubted):
    class Model(Engine):
        async def ask(self, request):
            self.asked.append(request)
            suspects = ("All of it is gone.",) * is_doubted
            yield EditResult(
                request.request_id, "stop", "new\n", suspects=suspects, notices=("N.",)
            )

    engine = Model("")

    async def connect():
        return engine

    request = EditRequest("r", TEXT, "", "a.py", sketch=NOT_THERE)
    asking = checked_edit(PlanningClient(connect), request)
    if is_doubted:
        with pytest.raises(EditRefused, match=r"The answer is suspect: All of it is gone\. N\."):
            await asking
    else:
        assert (await asking).text == "new\n"
    assert len(engine.asked) == 1


@pytest.mark.parametrize(
    ("instruction", "asked_for"),
    [
        ("Rename x to y, as in @util.py", None),  # the words decide, and need no other text
        ("Use the helper of @util.py", "Use the helper of util.py"),
    ],
)
async def test_a_mentioned_text_goes_to_the_model_and_is_no_word(tmp_path, instruction, asked_for):
    (tmp_path / "util.py").write_text("def helper(): pass\n")
    request = EditRequest("r", TEXT, instruction, "a.py", workspace_root=str(tmp_path))
    result, asked = await result_of(request)
    assert (result.finish_reason == "stop") is (asked_for is None)
    assert [one_asked.instruction for one_asked in asked] == ([asked_for] if asked_for else [])
    assert all("helper" in one_asked.context[0].text for one_asked in asked)


async def test_a_mention_that_may_not_be_read_is_refused():
    request = EditRequest("r", TEXT, "See @util.py", "a.py")
    with pytest.raises(EditRefused, match="in no trusted folder"):
        await result_of(request)
    result, _ = await result_of(
        replace(request, sketch=ONE_READING)
    )  # a sketch is the change itself
    assert result.finish_reason == "stop"


@pytest.mark.parametrize(("is_trusted", "suspects"), [(True, 1), (False, 0)])
async def test_merged_edits_are_judged_by_the_linter_in_trusted_projects(
    tmp_path, is_trusted, suspects
):
    line = shlex.join(
        [sys.executable, "-c", "import sys; 'x *= 2' in sys.stdin.read() and print('-:3: odd')"]
    )
    request = EditRequest("r", TEXT, "", "a.py", sketch=ONE_READING, file=str(tmp_path / "a.py"))
    request = replace(request, workspace_root=str(tmp_path) if is_trusted else "")
    client = PlanningClient(None, checks=ChecksConfig(python=line))
    *_, result = [message async for message in client.ask(request)]
    assert [len(result.suspects), sum(bool(hunk.suspect) for hunk in result.hunks)] == [
        suspects
    ] * 2
