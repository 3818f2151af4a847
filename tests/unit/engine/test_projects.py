"""Drafting from a project, end to end: what it is asked, that it changes no text and tells no secret."""

import logging
import threading
import time
import tomllib
from dataclasses import replace
from pathlib import Path

import pytest

from editd.config import Config, EditConfig, ModelConfig
from editd.engine import Engine
from editd.engine.projects import Projects
from editd.engine.trace import Tracing
from editd.messages import Done, EditRequest, EditResult, WarmupRequest
from editd.messages.options import EditOptions
from tests import tiny
from tests.fixtures.solved.edits import demo_folder
from tests.unit.workspace.projects import CharacterCodec, write

pytestmark = pytest.mark.usefixtures("settled_costs")

CASES = tomllib.loads((demo_folder() / "cases.toml").read_text())["edit"]
SECONDS = 60.0
BUFFER = "def f(value):\n    return value\n\nclass total:\n\tint count;\n"
SECRET = "hunter2-correct-horse"


@pytest.fixture
def root(tmp_path):
    folder = tmp_path / "project"
    write(folder, {"lib.py": "".join(tiny.corpus(20)), ".env": f"PASSWORD={SECRET}\n"})
    return folder


@pytest.fixture(autouse=True)
def own_cache(tmp_path, monkeypatch):
    monkeypatch.setenv("EDITD_CACHE_DIR", str(tmp_path / "cache"))
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))


@pytest.fixture
def engine():
    made = Engine(Config(ModelConfig(str(tiny.checkpoint("qwen2")), threads=1)))
    yield made
    made.close()
    assert not [t for t in threading.enumerate() if t.name.startswith("editd-workspace")]


def answer(engine, root="", text=BUFFER, **options):
    options = EditOptions(**{"max_new_tokens": 60, "window": 16, **options})
    request = EditRequest(
        "r", text, "Say it.", path="a.py", workspace_root=str(root), options=options
    )
    *_, result = engine.edit(request)
    assert isinstance(result, EditResult)
    return result


def is_ready(engine, root):
    job = engine.start(WarmupRequest("w", BUFFER, path="a.py", workspace_root=str(root)))
    while not job.finished:
        told = job.advance()
    assert isinstance(told[-1], Done)
    deadline = time.monotonic() + SECONDS
    while engine.workspaces()[0].state != "ready":
        assert time.monotonic() < deadline, engine.workspaces()
        time.sleep(0.02)
    return engine.workspaces()[0]


def test_a_project_is_opened_by_a_warm_up_and_joins_who_drafts(engine, root):
    status = is_ready(engine, root)
    assert (status.root, status.files) == (str(root), 1)
    assert status.tokens > 1000
    assert status.memory_bytes > 4 * status.tokens
    assert answer(engine, root).stats.drafter == "buffer+suffix"
    engine.close()
    assert engine.workspaces() == ()
    answer(engine, root, drafter="buffer")  # which drafts from no project
    assert engine.workspaces() == ()
    answer(engine, root)
    assert len(engine.workspaces()) == 1


def test_the_text_is_that_of_plain_decoding_also_while_files_change(engine, root):
    is_ready(engine, root)
    plain_ids = [ids_of(engine.start(request_of(root, "none", n))) for n in range(3)]
    assert sum(map(len, plain_ids)) > 100
    stop = threading.Event()

    def scribble():
        number = 0
        while not stop.is_set():
            number += 1
            write(
                root,
                {"lib.py": "".join(tiny.corpus(20)[number % 7 :]), f"n{number % 5}.py": "x = 1\n"},
            )
            stop.wait(0.02)

    thread = threading.Thread(target=scribble)
    thread.start()
    drafted = 0
    try:
        for drafter in ("suffix", "buffer+suffix", "suffix:tree"):
            for n, expected in enumerate(plain_ids):
                job = engine.start(request_of(root, drafter, n))
                assert ids_of(job) == expected
                drafted += job._counts.drafted
        assert drafted > 0
    finally:
        stop.set()
        thread.join()


def request_of(root, drafter, number=0):
    # Sampled text is plain sampling's of the same seed, whoever drafts; 0 is greedy.
    options = EditOptions(
        drafter=drafter,
        max_new_tokens=60,
        window=16,
        seed=number,
        temperature=12.0 * bool(number),
        top_k=5,
    )
    return EditRequest(
        "r", BUFFER, "Say it.", path="a.py", workspace_root=str(root), options=options
    )


def ids_of(job):
    """The output of an edit that random weights never end, cut off or not."""
    ids = []
    add = job._tracing.add

    def listen(codec, done):
        ids.extend(done.token_ids)
        add(codec, done)

    job._tracing.add = listen
    while not job.finished:
        job.advance()
    assert ids
    return ids


def test_inserted_code_is_drafted_from_the_project_and_says_so(demo_model, tmp_path):
    case = next(c for c in CASES if c["name"] == "lru-method")
    before, after = ((demo_folder() / case[name]).read_text() for name in ("file", "after"))
    root = tmp_path / "project"
    write(root, {"other/cache.py": after, ".env": f"PASSWORD={SECRET}\n"})
    engine = Engine(Config(ModelConfig(str(demo_model), threads=1)))
    is_ready(engine, root)
    request = EditRequest("r", before, case["instruction"], path="lru.py")
    *_, alone = engine.edit(request)
    *_, result = engine.edit(replace(request, workspace_root=str(root)))
    *_, trace = engine.take_traces()
    engine.close()
    assert result.text == after
    assert alone.text == after
    assert result.stats.rounds < 0.7 * alone.stats.rounds
    from_project = [
        (int(o.detail.rpartition(":")[2]), hunk.new_lines[o.line][o.start : o.end])
        for hunk in result.hunks
        for o in hunk.origins
        if o.source == "project"
    ]
    assert sum(len(text) for _, text in from_project) > 150
    lines = after.splitlines(keepends=True)
    for line, text in from_project:
        assert text in lines[line - 1]
    assert {o.detail.rpartition(":")[0] for h in result.hunks for o in h.origins} == {
        "",
        "other/cache.py",
    }
    assert "".join(p.text for r in trace.rounds for p in r.pieces).startswith(after)
    assert trace.hunks == result.hunks


def test_a_secret_is_never_proposed_and_no_word_is_logged(engine, root, caplog, monkeypatch):
    drafts, add = [], Tracing.add

    def noted(tracing, codec, done):
        drafts.append(codec.decode(done.draft.token_ids))
        add(tracing, codec, done)

    monkeypatch.setattr(Tracing, "add", noted)
    with caplog.at_level(logging.DEBUG):
        is_ready(engine, root)
        (snapshot,) = (workspace.snapshot() for workspace in engine.projects._open.values())
        job = engine.start(request_of(root, "suffix"))
        ids_of(job)
    assert snapshot.paths == ("lib.py",)
    codec = job._tracing._codec
    said = codec.decode(snapshot.content()["lib.py"])
    assert "return" in said
    assert SECRET not in said
    assert any(drafts)
    assert SECRET[:7] not in " ".join(drafts)
    ours = [r.getMessage() for r in caplog.records if r.name.startswith("editd")]
    assert any("workspace index" in message for message in ours)
    assert not any(word in message for message in ours for word in (SECRET, "größe", "lib.py"))


@pytest.mark.parametrize(
    ("drafter", "root_of", "config", "words"),
    [
        (None, lambda root: "", EditConfig(), ""),
        (None, str, EditConfig(workspace=False), ""),
        (None, lambda root: str(Path.home()), EditConfig(), "home folder"),
        (None, lambda root: "/", EditConfig(), "home folder or above"),
        ("buffer", lambda root: "/", EditConfig(), ""),
    ],
)
def test_why_there_is_no_project_is_said_in_a_sentence(root, drafter, root_of, config, words):
    engine = Engine(Config(ModelConfig(str(tiny.checkpoint("qwen2")), threads=1), edit=config))
    result = answer(engine, root_of(root), drafter=drafter, max_new_tokens=3)
    assert result.stats.drafter == (drafter or "buffer+suffix")
    assert len(result.notices) == bool(words), result.notices
    assert words in "".join(result.notices)
    assert {w.state for w in engine.workspaces()} <= {"refused"}
    if words and drafter is None:  # an editor names it with every edit
        assert not answer(engine, root_of(root), max_new_tokens=3).notices
    engine.close()


def test_nothing_is_opened_before_it_is_needed(monkeypatch):
    monkeypatch.setattr(
        "editd.workspace.workspace.Workspace", lambda *_: pytest.fail("nobody asked")
    )
    projects = Projects()
    assert projects.status() == ()
    projects.close()


def test_of_too_many_projects_the_one_unused_for_longest_is_closed(tmp_path):
    roots = [tmp_path / f"{n}" for n in range(5)]
    for folder in roots:
        write(folder, {"a.py": "x = 1\n"})
    projects, codec = Projects(), CharacterCodec()
    first, second, *_, fourth = (projects._open_workspace(folder, codec) for folder in roots[:4])
    assert projects._open_workspace(roots[0], codec) is first
    fifth = projects._open_workspace(roots[4], codec)
    assert second.status().state == "closed"
    assert [status.root for status in projects.status()] == [str(roots[n]) for n in (4, 0, 3, 2)]
    assert projects._open_workspace(roots[0], CharacterCodec()) is not first  # of another model
    projects.close()
    assert {w.status().state for w in (first, second, fourth, fifth)} == {"closed"}
    assert projects.status() == ()
