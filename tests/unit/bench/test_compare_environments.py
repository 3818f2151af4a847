"""An engine in an environment of its own: a bare one, so that a worker can need nothing but Python."""

import subprocess
import sys
from pathlib import Path

import pytest

from benchmarks.compare.environments import HERE, environments
from benchmarks.compare.peer import Question, Setup
from benchmarks.compare.peers import PEERS
from benchmarks.compare.process import PeerProcess
from editd.errors import UsageError

ENGINE = """
import sys
from benchmarks.compare.peer import Answer

class Engine:
    def prepare(self, settings, question):
        pass
    def decode(self, settings, question, first):
        return Answer([*map(ord, sys.prefix)])
    def close(self):
        pass

def open_engine(setup):
    return Engine()
"""


@pytest.fixture(scope="module")
def bare(tmp_path_factory):
    folder = tmp_path_factory.mktemp("bare")
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", folder], check=True)
    return folder


def test_an_engine_runs_where_it_is_installed(bare, tmp_path):
    own = environments([f"vllm={bare}/bin/python"], PEERS, tmp_path)
    (tmp_path / "an_engine.py").write_text(ENGINE)
    process = PeerProcess("an_engine", Setup(tmp_path, 1), tmp_path / "log", 60.0, own["vllm"])
    try:
        told = "".join(map(chr, process.ask({}, Question({}))["token_ids"]))
    finally:
        process.close()
    assert Path(told).samefile(bare)


def test_it_is_asked_what_it_has(bare, tmp_path):
    own = environments([f"openvino={bare}/bin/python"], PEERS, tmp_path)["openvino"]
    assert own.lacks(["json", "torch"]) == ["torch"]
    assert HERE.lacks(["json", "torch"]) == []
    assert own.versions(["torch"]) == {}
    assert set(HERE.versions(["torch", "no-such-package"])) == {"torch"}
    assert "pip install openvino-genai" in PEERS["openvino"].missing(own)


@pytest.mark.parametrize("words", ["vllm", "vllm=", "ollama=python3", "=python3"])
def test_what_is_no_engine_and_program_is_one_sentence(words, tmp_path):
    with pytest.raises(UsageError, match=r"write ENGINE=PROGRAM, such as vllm=env/bin/python"):
        environments([words], PEERS, tmp_path)


@pytest.mark.parametrize("program", ["no/such/python", "/bin/true", "/bin/false"])
def test_what_is_no_python_is_one_sentence(program, tmp_path):
    own = environments([f"vllm={program}"], PEERS, tmp_path)["vllm"]
    with pytest.raises(UsageError, match="does not run as a Python"):
        own.lacks(["vllm"])
