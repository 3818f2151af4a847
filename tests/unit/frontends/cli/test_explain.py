"""`editd explain`: in a terminal and as JSON, from a trace made by hand."""

import io
import json

import pytest
from rich.console import Console

from editd.daemon.framing import pack, unpack
from editd.diff.hunk import Hunk, Origin, Span
from editd.frontends.cli import explain as command
from editd.frontends.cli.explain import lines, time_split
from editd.messages import Explained
from editd.messages.reports import Stats, Trace, TracePiece, TraceRound, TraceSummary

EVIL = "</pre><script>alert(1)</script>&\"'\x1b[2J\u202e"


def one(accepted=(), rejected=(), own="n", start=0.0):
    """A round; ``accepted`` and ``rejected``: pairs of source and text, a token a character."""
    pieces = [TracePiece(text, *source.partition(" ")[::2], len(text)) for source, text in accepted]
    vain = [TracePiece(text, *source.partition(" ")[::2], len(text)) for source, text in rejected]
    count = sum(p.num_tokens for p in pieces)
    return TraceRound(
        start, 0.001, 0.02, 0, count + sum(p.num_tokens for p in vain), count,
        (*pieces, TracePiece(own, "new", "", 1)),
    )  # fmt: skip


ROUNDS = (
    one([("buffer", "copied text"), ("substitution", "new name")]),
    one([], [("buffer", "wrong")]),
    one([], [("buffer", "wrong")]),
    one([], [("project lib/a.py:3", "wrong")]),
    one(
        [("project lib/a.py:4", "from next door"), ("output", "again"), ("sketch", "pasted")],
        start=0.1,
    ),
    one([], []),
    one([("draft-model", EVIL)], [("buffer", EVIL)]),
)
HUNK = Hunk(
    1,
    3,
    0,
    (f"{EVIL}\n",),
    suspect=f"wrong {EVIL}",
    note=f"odd {EVIL}",
    note_spans=(Span(0, 0, 3, f"here {EVIL}"),),
    origins=(Origin(0, 0, 3, "buffer"), Origin(0, 3, 99, "project", EVIL)),
)
TRACE = Trace(
    "7", 1e9, f"{EVIL}.py", f"do {EVIL}", "demo", "stop",
    Stats(output_tokens=60, rounds=7, drafted=90, accepted=53, tokens_per_round=8.6, load_seconds=1.0,
          total_seconds=2.0, drafter="buffer", restored_lines=2),
    0.5, ROUNDS, (HUNK,),
)  # fmt: skip
EMPTY = Trace("8", 1e9, "", "", "m", "cancelled", Stats(), 0.0, ())


def test_the_messages_come_through():
    message = Explained("r", TRACE, (TraceSummary("7", 1e9, "p", "i", "stop", 7, 60),))
    assert unpack(pack(message)) == message


def test_the_time_is_split_without_rest():
    split = dict(time_split(TRACE))
    assert sum(split.values()) == pytest.approx(TRACE.stats.total_seconds)
    assert split["loading"] == 1.0
    assert split["verifying"] == pytest.approx(0.14)
    assert time_split(EMPTY) == []


def told(trace, **options):
    out = io.StringIO()
    console = Console(file=out, width=90, highlight=False, soft_wrap=True, **options)
    for line in lines(trace):
        console.print(line)
    return out.getvalue()


def test_what_a_terminal_says():
    plain = told(TRACE, no_color=True)
    assert "\x1b" not in plain
    assert (
        "buffer 12%  substitution 9%  output 6%  sketch 7%  project 16%  draft-model 43%" in plain
    )
    assert "time  2.00 s: loading 1.00 s, reading 500 ms" in plain
    assert "lib/a.py" not in plain  # not in a hunk
    for mark in ("suspect: wrong", "note: odd", "note: here"):
        assert f"\n  {mark} " in plain
    assert "white space of 2 lines kept" in " ".join(plain.split())
    coloured = told(TRACE, force_terminal=True, color_system="standard")
    assert "\x1b[" in coloured
    assert "\x1b[2J" not in coloured
    assert "edit 8" in told(EMPTY)


def run(editd, monkeypatch, *arguments, known=True):
    summary = TraceSummary("7", 1e9, TRACE.path, TRACE.instruction, "stop", 7, 60)

    class Daemon:
        async def explain(self, trace_id):
            found = TRACE if known and trace_id in ("", "7") else None
            return Explained("r", found, (summary,) if known else ())

    monkeypatch.setattr(command, "ask", lambda question: question(Daemon()))
    return editd("explain", *arguments)


def test_the_command(editd, monkeypatch):
    assert "edit 7" in run(editd, monkeypatch).text
    assert "edit 7" in run(editd, monkeypatch, "7").text
    listed = run(editd, monkeypatch, "--list").text
    assert listed.startswith("   7  ")
    assert "\x1b" not in listed
    told = json.loads(run(editd, monkeypatch, "--json").out)
    assert told["id"] == "7"
    assert len(told["rounds"]) == len(ROUNDS)
    assert told["hunks"][0]["origins"][0]["source"] == "buffer"


@pytest.mark.parametrize(
    ("arguments", "known", "words"),
    [
        (("9",), True, "no edit 9 to explain: the daemon remembers 7 to 7"),
        ((), False, "finished no edit yet"),
    ],
)
def test_what_cannot_be_explained_is_said(editd, monkeypatch, arguments, known, words):
    done = run(editd, monkeypatch, *arguments, known=known)
    assert done.code == 2
    assert words in done.err


def test_without_a_daemon_it_says_so(editd, monkeypatch, tmp_path):
    monkeypatch.setenv("EDITD_RUNTIME_DIR", str(tmp_path / "run"))
    done = editd("explain")
    assert done.code == 3
    assert "No editd daemon is running" in done.err
