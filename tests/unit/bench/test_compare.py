"""The side-by-side benchmark: whose turn it is, what is computed, and that nothing is hidden."""

import itertools
import json
import os
import textwrap
from pathlib import Path

import pytest
from typer.testing import CliRunner

from benchmarks.app import app
from benchmarks.compare import page, peers
from benchmarks.compare.cases import default_cases, default_edits, read_cases
from benchmarks.compare.command import _command
from benchmarks.compare.figures import figures_of, reading_seconds, summarise
from benchmarks.compare.peer import Answer, Mode, Question, Setup
from benchmarks.compare.peers import PEERS, Peer, Row, choose_rows
from benchmarks.compare.process import PeerFailed, PeerProcess, Reply
from benchmarks.compare.runner import Measurement, Reading, first_difference, run, turns
from editd.errors import UsageError
from tests.conversions import conversion_key, converted

STOP = 9
REFERENCE, OURS = "editd/plain", "editd/buffer"


def row(name, editd="editd"):
    peer, _, mode = name.partition("/")
    return Row(Peer(peer, peer, "no.module", editd=editd), Mode(mode, mode, {"of": mode}))


ROWS = [row(REFERENCE), row(OURS), row("a/x"), row("b/y")]
CASES = default_cases()[:3]


def answer(token_ids, cpu=1.0, is_reference=False):
    question = {"prompt_ids": [5, 6], "stop_ids": [STOP]} if is_reference else {}
    return Reply(Answer(token_ids, 1, **question), 2 * cpu, cpu, 0.25, 0.2)


def fake(replies, asked=None):
    """An ``Ask`` that answers by row; a string is what an engine failed with."""

    def ask(asked_row, question):
        if asked is not None:
            asked.append((asked_row.name, question))
        reply = replies.get(asked_row.name, [1, 2, STOP])
        if isinstance(reply, str):
            raise PeerFailed(reply)
        if isinstance(reply, Reply):
            return reply
        return answer(reply, is_reference=asked_row.is_reference)

    return ask


# Turns


def test_every_row_answers_every_case_in_every_repeat():
    for repeat in range(3):
        order = [(case.name, one.name) for case, one in turns(ROWS, CASES, repeat)]
        assert sorted(order) == sorted(
            itertools.product([c.name for c in CASES], [r.name for r in ROWS])
        )
        # case by case: nobody answers the next one before all have answered this one
        assert [name for name, _ in itertools.groupby(order, lambda pair: pair[0])] == [
            case.name for case in CASES
        ]


def test_nobody_is_always_first():
    firsts = set()
    for repeat in range(1, 5):
        for _, group in itertools.groupby(turns(ROWS, CASES, repeat), lambda pair: pair[0]):
            firsts.add(next(group)[1].name)
    assert firsts == {one.name for one in ROWS}


def test_the_reference_opens_each_case_of_the_first_repeat():
    for _, group in itertools.groupby(turns(ROWS, CASES, 0), lambda pair: pair[0]):
        assert next(group)[1].name == REFERENCE


# A run


def test_questions_are_made_of_what_plain_decoding_said():
    asked = []
    results = run(ROWS, CASES, fake({}, asked), repeats=2)
    others = [question for name, question in asked if name != REFERENCE and question.request]
    assert all((q.prompt_ids, q.stop_ids, q.max_new_tokens) == ([5, 6], [STOP], 3) for q in others)
    assert len(results.measurements) == 2 * len(ROWS) * len(CASES)
    assert all(m.first_difference is None for m in results.measurements)
    assert [case.output_tokens for case in results.cases] == [3, 3, 3]


def test_every_engine_reads_what_it_wrote_as_a_prompt():
    asked = []
    results = run(ROWS, CASES[:1], fake({}, asked), repeats=2)
    read = [(name, question) for name, question in asked if not question.request]
    assert sorted(name for name, _ in read) == sorted(2 * [REFERENCE, "a/x", "b/y"])
    assert all((q.prompt_ids, q.max_new_tokens) == ([5, 6, 1, 2, STOP], 1) for _, q in read)
    assert {(one.peer, one.repeat) for one in results.readings} == {
        (peer, repeat) for peer in ("editd", "a", "b") for repeat in (0, 1)
    }


def test_other_weights_are_compared_with_their_own_plain_decoding():
    quantised = [row("q/plain", editd="q"), row("q/buffer", editd="q"), row("c/x", editd="q")]
    replies = {"q/plain": [7, STOP], "q/buffer": [7, STOP], "c/x": [7, STOP], "a/x": [7, STOP]}
    results = run([*ROWS, *quantised], CASES[:1], fake(replies), repeats=1)
    differing = {m.row for m in results.measurements if m.first_difference is not None}
    assert differing == {"a/x"}
    assert len(results.cases) == 1
    assert quantised[2].ours == "q/buffer"
    assert figures_of(results)["c/x"].ratio == 1.0


def test_another_text_is_reported_with_its_first_difference():
    results = run(ROWS, CASES[:1], fake({"a/x": [1, 7, STOP], "b/y": [1, 2]}), repeats=1)
    differences = {m.row: m.first_difference for m in results.measurements}
    assert differences == {REFERENCE: None, OURS: None, "a/x": 1, "b/y": None}


def test_a_row_that_fails_is_kept_with_its_words_and_not_asked_again():
    asked = []
    results = run(ROWS, CASES, fake({"a/x": "RuntimeError: no kernel"}, asked), repeats=2)
    assert results.failures == {"a/x": f"{CASES[0].name}: RuntimeError: no kernel"}
    assert [name for name, _ in asked].count("a/x") == 1
    (line,) = [line for line in page.section_of(results, ABOUT, []).splitlines() if "| a |" in line]
    assert "failed" in line
    assert "no kernel" in line


def test_every_other_row_is_warmed_up_on_a_few_tokens():
    asked = []
    long = answer([1] * 500, is_reference=True)
    run(ROWS, CASES[:1], fake({one.name: long for one in ROWS}, asked), repeats=1)
    lengths = {}
    for name, question in asked:
        if question.request:
            lengths.setdefault(name, []).append(question.max_new_tokens)
    assert all(lengths[one.name] == [16, 500] for one in ROWS if one.name != REFERENCE)


def test_a_case_that_editd_cannot_decode_is_left_out_and_said():
    def ask(asked_row, question):
        if question.request.get("name") == CASES[0].name:
            raise PeerFailed("cut off")
        return fake({})(asked_row, question)

    results = run(ROWS, CASES, ask, repeats=2)
    assert results.left_out == {CASES[0].name: "cut off"}
    assert results.failures == {}
    assert {m.case for m in results.measurements} == {case.name for case in CASES[1:]}


def test_a_failing_reference_ends_the_run():
    with pytest.raises(PeerFailed, match="no weights"):
        run(ROWS, CASES, fake({REFERENCE: "no weights"}), repeats=1)


def test_a_time_limit_ends_after_a_whole_repeat(monkeypatch):
    clock = itertools.count(0, 45)
    monkeypatch.setattr("benchmarks.compare.runner.time.monotonic", lambda: float(next(clock)))
    results = run(ROWS, CASES[:1], fake({}), repeats=9, minutes=2)
    assert results.repeats == 1
    assert len(results.measurements) == len(ROWS)


@pytest.mark.parametrize(
    ("token_ids", "reference", "expected"),
    [
        ([1, 2, STOP], [1, 2, STOP], None),
        ([1, 2], [1, 2, STOP], None),  # some engines do not tell the stop token
        ([1, 2, STOP], [1, 2], None),
        ([1, 3, STOP], [1, 2, STOP], 1),
        ([1], [1, 2, STOP], 1),  # ended early
        ([1, 2, 3], [1, 2, STOP], 2),  # went on
        ([], [], None),
    ],
)
def test_first_difference(token_ids, reference, expected):
    assert first_difference(token_ids, reference, [STOP]) == expected


# Figures

ABOUT = {
    "date": "2026-01-02",
    "checkpoint": "a checkpoint",
    "threads": 1,
    "command": "python -m benchmarks compare --repeats 2",
    "processor": "a processor",
    "python": "3.11",
    "versions": {"editd": "1"},
}


def measured(name, case, repeat, cpu, tokens=100, rounds=10, first_tokens=1):
    first = 0.1 * (repeat + 1)
    return Measurement(
        name, case, repeat, tokens, 2 * cpu, cpu, first, 0.5, rounds, None, first_tokens
    )


def test_figures_by_hand():
    figures = summarise(
        [
            *(measured(OURS, "one", n, cpu) for n, cpu in enumerate((1.0, 1.0, 5.0))),
            *(measured(OURS, "two", n, 2.0) for n in range(3)),
            *(measured("a/x", "one", n, cpu) for n, cpu in enumerate((2.0, 2.0, 10.0))),
            *(measured("a/x", "two", n, cpu) for n, cpu in enumerate((16.0, 16.0, 4.0))),
        ],
        "a/x",
        OURS,
    )
    assert figures.by_case == {"one": 2.0, "two": 8.0}  # medians of three
    assert figures.ratio == pytest.approx(4.0)
    assert (figures.low, figures.high) == (pytest.approx(2.0), pytest.approx(4.0))
    assert figures.tokens_per_cpu_second == pytest.approx(200 / 18)
    assert figures.tokens_per_second == pytest.approx(200 / 36)
    assert figures.after_median == pytest.approx((1.5 / 0.5 + 15.5 / 1.5) / 2)
    assert figures.after_tenth == pytest.approx(0.9 * 1.5 / 0.5 + 0.1 * 15.5 / 1.5)
    assert figures.first_ms == pytest.approx(200)
    assert figures.rounds == 20


def test_the_price_of_writing_by_hand():
    plain = measured("a/plain", "one", 0, 10.4, rounds=100)
    drafted = measured("a/x", "one", 0, 4.6, rounds=8)
    at_once = measured("a/y", "one", 0, 0.5 + 4.1 / 2, rounds=4, first_tokens=50.5)
    every, readings = [plain, drafted, at_once], [Reading("a", "one", 0, 2.5)]  # 2 s without prompt
    seconds = reading_seconds(every, readings, "a", "a/plain")
    assert seconds == {"one": pytest.approx(2.0)}
    for name in ("a/x", "a/y"):
        assert summarise(every, name, "a/plain", seconds).price == pytest.approx(4.1 / 2.0)
    assert summarise(every, "a/x", "a/plain").price is None


def test_a_row_is_measured_on_the_cases_it_answered():
    both = [measured(OURS, "one", 0, 1.0), measured(OURS, "two", 0, 1.0)]
    figures = summarise([*both, measured("a/x", "two", 0, 3.0)], "a/x", OURS)
    assert (figures.num_cases, figures.ratio) == (1, pytest.approx(3.0))
    assert summarise(both, "a/x", OURS) is None


# Rows and peers


def test_all_peers_can_be_listed_where_none_is_installed():
    rows = choose_rows("all")
    assert [one.name for one in rows[:2]] == [REFERENCE, OURS]
    assert all(one.reference in [other.name for other in rows] for one in rows)
    assert {one.peer.name for one in rows} == set(PEERS)
    assert len({one.name for one in rows}) == len(rows)


def test_a_mode_can_be_chosen_and_editd_is_always_there():
    assert [one.name for one in choose_rows("openvino/lookup")] == [
        REFERENCE,
        OURS,
        "openvino/lookup",
    ]
    assert [one.name for one in choose_rows("llama-server-q8/ngram-mod")] == [
        "editd-q8/plain",
        "editd-q8/buffer",
        "llama-server-q8/ngram-mod",
    ]
    with pytest.raises(UsageError, match="no peer called 'ollama'"):
        choose_rows("ollama")


def test_a_gguf_file_is_for_those_who_read_it():
    rows = choose_rows("all", stored=True)
    on_llama_cpp = {"editd-gguf", "llama-server"}
    assert {one.peer.name for one in rows} == {*on_llama_cpp, "editd-openvino-q4"}
    assert {one.peer.weights for one in rows} == {"stored"}
    with pytest.raises(UsageError, match="no peer called 'openvino' for this model"):
        choose_rows("openvino", stored=True)


def test_a_peer_that_is_not_installed_is_one_line_with_what_to_type(monkeypatch):
    monkeypatch.setattr(peers, "find_spec", lambda _name: None)
    line = PEERS["openvino"].missing()
    assert "pip install openvino-genai" in line
    assert "\n" not in line
    monkeypatch.setattr(peers, "find_spec", lambda name: name)
    monkeypatch.setenv("PATH", "")
    assert "llama-server on the PATH" in PEERS["llama-server"].missing()


# Processes

ENGINE = """
    import os, sys
    from benchmarks.compare.peer import Answer

    class Engine:
        def prepare(self, settings, question):
            if settings.get("broken"):
                raise ValueError("this mode is broken\\nmore of it")
        def decode(self, settings, question, first):
            print("chatter that is no answer")
            os.write(1, b"chatter of native code\\n")
            if settings.get("dies"):
                print("out of registers", file=sys.stderr, flush=True)
                os._exit(3)
            if settings.get("hangs"):
                import time; time.sleep(60)
            first()
            sum(range(300_000))
            return Answer([*question.prompt_ids, os.getpid()], 7)
        def close(self):
            pass

    def open_engine(setup):
        if setup.weights == "none":
            raise OSError("there are no weights")
        return Engine()
"""


@pytest.fixture
def process(tmp_path, monkeypatch):
    """Start real processes of an engine written for the test."""
    (tmp_path / "an_engine.py").write_text(textwrap.dedent(ENGINE))
    monkeypatch.syspath_prepend(tmp_path)
    opened = []

    def start(weights="float32", limit=60.0):
        setup = Setup(tmp_path, 1, weights=weights)
        opened.append(PeerProcess("an_engine", setup, tmp_path / "log", limit))
        return opened[-1]

    yield start
    for one in opened:
        one.close()


def test_an_engine_answers_from_its_own_process(process):
    reply = process().ask({}, Question({}, [4, 5]))
    *prompt_ids, pid = reply.answer.token_ids
    assert prompt_ids == [4, 5]
    assert pid != os.getpid()
    assert reply.answer.rounds == 7
    assert 0 <= reply.first_seconds <= reply.seconds
    assert 0 < reply.cpu_seconds < 30


def test_failures_are_told_in_the_engine_s_own_words(process):
    engine = process()
    with pytest.raises(PeerFailed, match=r"^ValueError: this mode is broken$"):
        engine.ask({"broken": True}, Question({}))
    first = engine.ask({}, Question({})).answer.token_ids
    with pytest.raises(PeerFailed, match="status 3: out of registers"):
        engine.ask({"dies": True}, Question({}))
    assert engine.ask({}, Question({})).answer.token_ids != first  # another process by now
    with pytest.raises(PeerFailed, match="OSError: there are no weights"):
        process(weights="none").ask({}, Question({}))


def test_an_engine_that_hangs_is_ended(process):
    engine = process(limit=15.0)
    engine.ask({}, Question({}))
    engine._limit = 0.5
    with pytest.raises(PeerFailed, match="stopped after"):
        engine.ask({"hangs": True}, Question({}))


# Conversions


@pytest.fixture
def checkpoint(tmp_path):
    folder = tmp_path / "checkpoint"
    folder.mkdir()
    (folder / "config.json").write_text('{"a": 1}')
    (folder / "model.safetensors").write_bytes(b"weights")
    return folder


def test_the_key_is_of_the_contents_and_the_recipe(checkpoint, tmp_path):
    key = conversion_key(checkpoint, "f32")
    copy = tmp_path / "elsewhere"
    checkpoint.rename(copy)
    assert conversion_key(copy, "f32") == key
    assert conversion_key(copy, "q8") != key
    (copy / "notes.md").write_text("not read by any conversion")
    assert conversion_key(copy, "f32") == key
    (copy / "model.safetensors").write_bytes(b"weighty")
    assert conversion_key(copy, "f32") != key


def test_a_conversion_is_made_once_and_never_left_half_done(checkpoint, tmp_path, monkeypatch):
    monkeypatch.setenv("EDITD_CACHE_DIR", str(tmp_path / "cache"))
    built = []

    def build(folder):
        built.append(folder)
        (folder / "model").write_text("converted")
        if len(built) == 1:
            raise OSError("disk full")

    with pytest.raises(OSError, match="disk full"):
        converted(checkpoint, "gguf", "r", build)
    assert not list((tmp_path / "cache").rglob("model"))
    first = converted(checkpoint, "gguf", "r", build)
    assert converted(checkpoint, "gguf", "r", build) == first
    assert (first / "model").read_text() == "converted"
    assert len(built) == 2


# Cases


def test_a_dozen_edits_some_in_files_of_more_than_400_lines():
    cases = default_cases()
    assert len(cases) == 12
    assert sum(case.num_lines > 400 for case in cases) >= 2
    known = {(edit.instruction, edit.before) for edit in default_edits()}
    for case in cases:
        first, last = case.lines or (1, case.num_lines)
        region = "".join(case.text.splitlines(keepends=True)[first - 1 : last])
        assert (case.instruction, region) in known


def test_cases_of_a_file(tmp_path):
    file = tmp_path / "cases.jsonl"
    records = [
        {"id": "x", "instruction": "do", "before": "a\nb\n", "after": "c\n", "lines": [2, 2]},
        {"instruction": "do", "before": "a\n", "path": "a.py"},
    ]
    file.write_text("\n".join(json.dumps(record) for record in records) + "\n")
    one, two = read_cases(file)
    assert (one.name, one.lines, two.name, two.path) == ("x", (2, 2), "line 2", "a.py")
    file.write_text('{"instruction": "do"}\n')
    with pytest.raises(UsageError, match="line 1: not a case"):
        read_cases(file)


# Report and page


def some_results():
    replies = {"a/x": answer([1, 2, STOP], 0.5), "b/y": [1, 7, STOP]}
    return run(ROWS, CASES, fake(replies), repeats=2)


def test_the_page_says_who_is_faster_who_differs_and_what_is_missing(tmp_path):
    file = tmp_path / "docs" / "page.md"
    file.parent.mkdir()
    file.write_text(f"# Title\n\n{page.BEGIN}\nold\n{page.END}\n\nThe rest.\n")
    section = page.section_of(some_results(), ABOUT, ["gguf is not installed: pip install gguf"])
    page.write_page(file, section, tmp_path / "images" / "plot.svg")
    text = file.read_text()
    assert text.startswith("# Title\n")
    assert text.endswith("\n\nThe rest.\n")
    assert "old" not in text
    assert "**a, x, f32** needs 0.50 of editd's CPU time overall" in text
    assert f"no: {CASES[0].name}, token 1" in text
    assert "pip install gguf" in text
    assert "](../images/plot.svg)" in text
    page.write_page(file, section, None)  # again: nothing accumulates
    assert file.read_text().count("Case by case") == 1


def test_a_page_without_markers_is_left_alone(tmp_path):
    file = tmp_path / "page.md"
    file.write_text("prose")
    with pytest.raises(UsageError, match="has no lines"):
        page.write_page(file, "", None)
    assert file.read_text() == "prose"


def test_the_plot_is_the_same_for_the_same_figures(tmp_path):
    pytest.importorskip("matplotlib")
    one, two = tmp_path / "one.svg", tmp_path / "two.svg"
    page.draw(some_results(), one)
    page.draw(some_results(), two)
    assert one.read_bytes() == two.read_bytes()


def test_wrong_options_are_one_sentence(tmp_path):
    file = tmp_path / "cases.jsonl"
    file.write_text('{"instruction": "do", "before": "a"}\n')
    for arguments, said in (
        (["--peers", "ollama"], "no peer called"),
        (["--cases", str(file)], "add --model"),
        (["--cases", str(tmp_path / "none")], "cannot be read"),
        (["--model", str(tmp_path / "none")], "none"),
    ):
        result = CliRunner().invoke(app, ["compare", *arguments])
        assert result.exit_code in (2, 4), result.output
        assert said in result.output
        assert "Traceback" not in result.output


@pytest.mark.parametrize(
    ("arguments", "command"),
    [
        (["compare", "--repeats", "2", "--json", "out.json", "--plot=p.svg"], "compare --repeats 2"),
        (["compare", "--model", "/home/me/a.gguf", "--peers", "a/x,b"], "compare --model a.gguf --peers a/x,b"),
    ],
)  # fmt: skip
def test_the_command_of_a_page_names_no_folder(arguments, command):
    assert _command(arguments) == f"python -m benchmarks {command}"


def test_the_page_names_every_engine_and_mode():
    text = (Path(__file__).parents[3] / "docs" / "explanation" / "performance.md").read_text()
    table = {
        name.strip(" `"): modes
        for line in text.splitlines()
        if line.startswith("| `")
        for names, modes in [line.strip("|").split("|")[:2]]
        for name in names.split(",")
    }
    for peer in PEERS.values():
        if peer.name == "editd":
            continue
        modes = [mode.strip(" `") for mode in table[peer.name].split(",")]
        assert modes == [mode.name for mode in peer.file.MODES]
