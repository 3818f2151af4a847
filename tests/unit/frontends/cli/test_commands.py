"""What all commands share, and the small ones: help, version, status, stop, logs, doctor, bench."""

import dataclasses
import json
import os
import subprocess
import sys

import pytest
import typer

import editd as package
from editd.config import Config, ModelConfig
from editd.daemon import client as daemon_client
from editd.errors import DaemonUnreachable, ProtocolError
from editd.frontends.cli import app, doctor, machine
from editd.frontends.cli.machine import Gpu
from editd.messages import StatusReport
from editd.messages.reports import ModelStatus, Stats

REPORT = StatusReport(
    "id",
    "busy",
    package.__version__,
    4321,
    3725.0,
    (ModelStatus("m", "ready", "cpu", "float32", 8_100_000, 33_000_000),),
    clients=2,
    queue=1,
    rss_bytes=800_000_000,
    last_stats=Stats(output_tokens=412, rounds=9),
)


@pytest.fixture
def daemon(monkeypatch, tmp_path):
    """A daemon that answers ``status``; an exception in its place cannot be reached."""
    monkeypatch.setenv("EDITD_RUNTIME_DIR", str(tmp_path / "run"))
    monkeypatch.setenv("EDITD_STATE_DIR", str(tmp_path / "state"))

    def answer(report):
        class Client:
            async def status(self):
                return report

            async def aclose(self):
                pass

        async def connect(*, start, client):
            assert not start
            if isinstance(report, Exception):
                raise report
            return Client()

        monkeypatch.setattr(daemon_client.SocketEngineClient, "connect", connect)

    return answer


def test_version_and_help(editd):
    assert editd("--version").text == f"editd {package.__version__}\n"
    for arguments in ([], ["--help"], ["-h"]):
        outcome = editd(*arguments)
        assert outcome.code == 0
        assert "Exit codes: 0 done" in outcome.text
    for command in (
        "edit",
        "daemon",
        "status",
        "stop",
        "logs",
        "lsp",
        "doctor",
        "models",
        "config",
    ):
        assert editd(command, "--help").code == 0


@pytest.mark.parametrize("arguments", [["nothing"], ["--nothing"], ["status", "--nothing"]])
def test_a_wrong_command_line_is_one_sentence(editd, arguments):
    outcome = editd(*arguments)
    assert (outcome.code, len(outcome.err.splitlines())) == (2, 1)
    assert outcome.err.startswith("editd: No such ")
    assert "--help." in outcome.err


def test_a_defect_is_one_sentence_and_a_traceback_only_on_demand(editd, monkeypatch):
    def fail(*arguments, **options):
        raise ZeroDivisionError("oh")

    monkeypatch.setattr("editd.config_sources.resolve", fail)
    outcome = editd("config", "list")
    assert (outcome.code, len(outcome.err.splitlines())) == (1, 1)
    assert outcome.err.startswith("editd: internal error: ZeroDivisionError: oh")
    monkeypatch.setenv("EDITD_DEBUG", "1")
    assert "Traceback" in editd("config", "list").err


def test_status_tells_models_and_figures(editd, daemon):
    daemon(REPORT)
    outcome = editd("status")
    assert outcome.code == 0
    for words in ("busy", "4321", "1 h 2 min", "m on cpu as float32, 8 M parameters", "412 tokens"):
        assert words in outcome.text
    table = json.loads(editd("status", "--json").out)
    assert (table["running"], table["pid"], table["models"][0]["name"]) == (True, 4321, "m")


@pytest.mark.parametrize(
    ("device", "runs", "idle"),
    [
        ("cpu", "llama.cpp of xllamacpp", True),
        ("Vulkan0", "llama.cpp linux-x64-vulkan-3.22.1", False),
        ("cpu", "", False),
    ],
)
def test_status_names_a_gpu_that_lies_idle(editd, daemon, monkeypatch, device, runs, idle):
    monkeypatch.setattr(machine, "gpus", lambda: [Gpu("NVIDIA", "RTX 9", 16e9)])
    model = ModelStatus("m", "ready", device, "qwen2 1B Q4_K", 494_000_000, runs=runs)
    daemon(dataclasses.replace(REPORT, models=(model,)))
    text = editd("status").text
    assert ("idle     RTX 9 (16 GB); `editd doctor` says how to use it" in text) == idle
    assert runs in text


def test_status_without_a_daemon_is_exit_code_3(editd, daemon):
    daemon(DaemonUnreachable("No daemon."))
    outcome = editd("status")
    assert (outcome.code, outcome.out, outcome.err) == (3, b"", "editd: No daemon.\n")
    outcome = editd("status", "--json")
    assert (outcome.code, json.loads(outcome.out)["running"]) == (3, False)


def test_stop_without_a_daemon_is_done(editd, daemon):
    outcome = editd("stop")
    assert (outcome.code, "No daemon is running" in outcome.err) == (0, True)


def test_another_program_in_the_daemon_s_place_is_not_taken_for_none(editd, daemon):
    daemon(ProtocolError("What answers there is no editd daemon: end that program."))
    for command in ("stop", "status"):
        outcome = editd(command)
        assert (outcome.code, "no editd daemon: end that program" in outcome.err) == (3, True)
    found = findings()["Daemon"]
    assert (found.verdict, "end that program" in found.text) == ("problem", True)


def test_logs_are_the_last_lines(editd, daemon, tmp_path):
    assert editd("logs").code == 2
    log = tmp_path / "state" / "daemon.log"
    log.write_text("".join(f"{number}\n" for number in range(100)))
    assert editd("logs").text.splitlines() == [str(number) for number in range(50, 100)]
    assert editd("logs", "-n", "2").text == "98\n99\n"
    assert editd("logs", "-n", "0").text == ""


def findings(config=None, warnings=()):
    return {found.subject: found for found in doctor.examine(config or Config(), list(warnings))}


def test_doctor_names_a_missing_model_with_a_remedy(daemon, tmp_path):
    found = findings(Config(model=ModelConfig(name=str(tmp_path / "nowhere"))))["Model"]
    assert found.verdict == "problem"
    assert "nowhere" in found.text
    assert found.remedy


def test_doctor_names_what_else_is_wrong(daemon, tmp_path, monkeypatch):
    (tmp_path / "run").write_text("in the way")
    monkeypatch.setattr(sys, "platform", "linux")
    found = findings(Config(model=ModelConfig(device="cuda:99")), ["model.x is not known."])
    assert found["Settings"].text == "model.x is not known."
    assert (found["Device"].verdict, found["Socket"].verdict) == ("problem", "problem")
    assert (found["Log"].verdict, found["Cache"].verdict) == ("ok", "ok")
    for variable in ("EDITD_STATE_DIR", "EDITD_CACHE_DIR"):
        monkeypatch.setenv(variable, str(tmp_path / "run" / "below"))
    found |= findings()
    assert (found["Log"].verdict, found["Cache"].verdict) == ("problem", "warning")
    assert all(one.remedy for one in found.values() if one.verdict != "ok")


def test_doctor_says_that_windows_needs_wsl(daemon, monkeypatch):
    monkeypatch.setattr(doctor.sys, "platform", "win32")
    found = next(doctor.examine(Config(), []))
    assert (found.verdict, "WSL" in found.remedy) == ("problem", True)


def test_doctor_prints_marks_and_json(editd, monkeypatch):
    answers = [
        doctor.Finding("A", "ok", "fine"),
        doctor.Finding("B", "problem", "broken", "Mend it."),
    ]
    monkeypatch.setattr(doctor, "examine", lambda config, warnings: iter(answers))
    outcome = editd("doctor")
    assert (outcome.code, outcome.text) == (1, "✓ A: fine\n✗ B: broken\n    → Mend it.\n")
    table = json.loads(editd("doctor", "--json").out)
    assert (table["ok"], len(table["findings"])) == (False, 2)
    monkeypatch.setattr(doctor, "examine", lambda config, warnings: iter(answers[:1]))
    assert editd("doctor").code == 0


def test_no_help_has_brackets_which_the_terminal_would_take_for_markup():
    from editd.frontends.cli.app import app

    pending = [typer.main.get_command(app)]
    while pending:
        command = pending.pop()
        if hasattr(command, "list_commands"):
            pending += [command.get_command(None, name) for name in command.list_commands(None)]
        for text in (command.help, *(getattr(each, "help", "") for each in command.params)):
            assert "[" not in (text or ""), text


# --- start-up ------------------------------------------------------------------------------------

HEAVY = {"torch", "transformers", "pygls", "lsprotocol", "numpy", "huggingface_hub", "psutil"}


@pytest.mark.parametrize(
    "arguments",
    [["--help"], ["--version"], ["edit", "--help"], ["status"], ["config", "list"], ["stop"]],
)
def test_start_up_loads_nothing_heavy(daemon, arguments):
    program = (
        "import sys; from editd.frontends.cli.app import run; run(sys.argv[1:]); "
        f"print(sorted({HEAVY!r} & set(sys.modules)), file=sys.stderr)"
    )
    process = subprocess.run(
        [sys.executable, "-c", program, *arguments], capture_output=True, text=True, check=True
    )
    assert process.stderr.splitlines()[-1] == "[]"


def test_an_edit_through_the_daemon_loads_nothing_heavy(tmp_path):
    (tmp_path / "a.py").write_text("one\n")
    (tmp_path / "config.toml").touch()
    program = f"""
import sys
from editd.frontends.cli import edit
import editd.daemon.client
class Client:
    async def ask(self, request):
        from editd.messages import EditResult
        yield EditResult(request.request_id, "stop", "ONE\\n")
    async def aclose(self): pass
async def connect(**options): return Client()
editd.daemon.client.SocketEngineClient.connect = connect
from editd.frontends.cli.app import run
code = run(["edit", "a.py", "-i", "x", "--in-place"])
print(code, sorted({HEAVY!r} & set(sys.modules)), file=sys.stderr)
"""
    process = subprocess.run(
        [sys.executable, "-c", program],
        capture_output=True,
        text=True,
        cwd=tmp_path,
        env={**os.environ, "EDITD_CONFIG": str(tmp_path / "config.toml")},
    )
    assert process.stderr.splitlines()[-1] == "0 []"
    assert (tmp_path / "a.py").read_text() == "ONE\n"


def test_an_edit_by_words_loads_neither_a_client_of_the_daemon_nor_what_draws(tmp_path):
    (tmp_path / "a.py").write_text("total = 1\n")
    (tmp_path / "config.toml").touch()
    unused = HEAVY | {
        "pydantic",
        "rich",
        "cattrs",
        "msgpack",
        "editd.daemon.client",
        "editd.stores",
    }
    program = f"""
import sys
from editd.frontends.cli.app import run
code = run(["edit", "a.py", "-i", "Rename total to amount."])
print(code, sorted({unused!r} & set(sys.modules)), file=sys.stderr)
"""
    process = subprocess.run(
        [sys.executable, "-c", program],
        capture_output=True,
        text=True,
        cwd=tmp_path,
        env={**os.environ, "EDITD_CONFIG": str(tmp_path / "config.toml")},
    )
    assert process.stderr.splitlines()[-1] == "0 []"
    assert process.stdout == "amount = 1\n"


def test_typer_asks_for_the_converter_that_loads_no_pydantic(monkeypatch):
    """Of a typer that no longer does, nothing else would tell but the time that an edit takes."""
    asked = []
    coerce = app._Converter.coerce

    def recorded(self, value, param, ctx):
        asked.append(param.name)
        return coerce(self, value, param, ctx)

    monkeypatch.setattr(app._Converter, "coerce", recorded)
    assert app.run(["edit", "no-such-file", "-i", "x"]) == 2
    assert {"files", "instruction", "model"} <= {*asked}
