"""Peers that need nothing installed beside editd: editd itself, transformers, and a played server."""

import os
import textwrap
from dataclasses import asdict

import pytest

from benchmarks.compare.cases import Case
from benchmarks.compare.peer import Question, Setup
from benchmarks.compare.peers import choose_rows, llama_server
from benchmarks.compare.process import measure
from benchmarks.compare.runner import run

LINES = (9, 26)  # of report.py: a short edit, so that plain decoding takes seconds


@pytest.fixture(scope="module")
def case():
    from tests.fixtures.solved.edits import demo_folder

    text = (demo_folder() / "report.py").read_text()
    return Case("report-range", "report.py", "Add type hints.", text, LINES)


def test_editd_and_transformers_decode_the_same_ids(demo_model, case, monkeypatch):
    from benchmarks.compare.peers import editd, transformers
    from editd.decode.speculative import Decoding

    monkeypatch.setattr(Decoding, "advance", Decoding.advance)  # put back what is watched
    setup = Setup(demo_model, 1)
    engines = {"editd": editd.open_engine(setup), "transformers": transformers.open_engine(setup)}
    rows = choose_rows("transformers/lookup,transformers/plain")

    def ask(row, question):
        return measure(engines[row.peer.name], row.mode.settings, question)

    results = run(rows, [case], ask, repeats=1)
    assert results.failures == {}
    assert len(results.measurements) == len(rows)
    assert {m.first_difference for m in results.measurements} == {None}
    rounds = {m.row: m.rounds for m in results.measurements}
    (facts,) = results.cases
    assert rounds["editd/plain"] == facts.output_tokens
    # How much is drafted follows what a round costs here and now: fewer rounds are not always sooner.
    for drafted in ("editd/buffer", "transformers/lookup"):
        assert rounds[drafted] < rounds["transformers/plain"]
    for m in results.measurements:
        assert 0 < m.first_seconds < m.seconds


def test_no_answer_is_helped_by_an_earlier_one(demo_model, case, monkeypatch):
    from benchmarks.compare.peers import editd
    from editd.decode.speculative import Decoding

    monkeypatch.setattr(Decoding, "advance", Decoding.advance)
    engine = editd.open_engine(Setup(demo_model, 1))
    for _ in range(2):
        measure(engine, {}, Question(asdict(case)))
        (decoding,) = engine._watched.decodings
        assert decoding.stats.cached_tokens == 0


SERVER = """\
    #!{python}
    import json, sys
    from http.server import BaseHTTPRequestHandler, HTTPServer

    arguments = dict(zip(sys.argv[1:], sys.argv[2:]))
    decodes = 0
    if arguments["--spec-type"] == "broken":
        sys.exit("unknown speculation type")

    class Handler(BaseHTTPRequestHandler):
        def say(self, text):
            self.send_response(200)
            self.end_headers()
            self.wfile.write(text.encode())
        def do_GET(self):
            self.say("{{}}" if self.path == "/health" else f"llamacpp:n_decode_total {{decodes}}\\n")
        def do_POST(self):
            global decodes
            body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            assert body["cache_prompt"] is False and body["temperature"] == 0
            decodes += 3
            answer = {{"tokens": body["prompt"][: body["n_predict"]], "timings": {{"prompt_ms": 1, "predicted_ms": 3}}}}
            self.say(json.dumps(answer))
        def log_message(self, *_):
            pass

    HTTPServer(("127.0.0.1", int(arguments["--port"])), Handler).serve_forever()
"""


@pytest.fixture
def server(tmp_path, monkeypatch):
    """A program called llama-server that says the prompt again."""
    import sys

    program = tmp_path / "llama-server"
    program.write_text(textwrap.dedent(SERVER).format(python=sys.executable))
    program.chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}{os.pathsep}{os.environ['PATH']}")
    monkeypatch.setattr(llama_server, "gguf_of", lambda *_: "model.gguf")
    engine = llama_server.open_engine(Setup(tmp_path, 1))
    yield engine
    engine.close()


def test_a_server_is_asked_once_and_ended(server):
    reply = measure(server, {"spec_type": "ngram-mod"}, Question({}, [7, 8, 9, 4], [9], 3))
    assert reply.answer.token_ids == [7, 8, 9]
    assert reply.answer.rounds == 3
    assert reply.first_seconds <= reply.seconds
    first = server._server
    measure(server, {"spec_type": "ngram-mod"}, Question({}, [7], [9], 3))
    assert first.poll() is not None  # what it learned went with it
    second = server._server
    server.close()
    assert second.poll() is not None


def test_a_server_that_does_not_start_is_reported(server):
    with pytest.raises(RuntimeError, match="ended with status 1"):
        measure(server, {"spec_type": "broken"}, Question({}, [7], [9], 3))
