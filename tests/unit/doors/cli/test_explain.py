"""`editd explain`: the picture in a terminal and as a page, from a trace made by hand."""

import html.parser
import io
import json
import re

import pytest
from rich.console import Console

from editd.daemon.framing import pack, unpack
from editd.diff.hunk import Hunk, Origin, Span
from editd.doors.cli import explain as command
from editd.doors.cli.explain import tell
from editd.doors.cli.explain_facts import SOURCES, rows, time_split, tokens_by_source
from editd.doors.cli.explain_page import page
from editd.messages import Explained, Stats, Trace, TracePiece, TraceRound, TraceSummary

EVIL = "</pre><script>alert(1)</script>&\"'\x1b[2J\u202e"


def one(accepted=(), rejected=(), own="n", start=0.0):
    """A round; ``accepted`` and ``rejected``: pairs of source and text, a token a character."""
    pieces = [TracePiece(text, *source.partition(" ")[::2], len(text)) for source, text in accepted]
    vain = [TracePiece(text, *source.partition(" ")[::2], len(text)) for source, text in rejected]
    count = sum(p.num_tokens for p in pieces)
    return TraceRound(
        start, 0.001, 0.02, 0, 16, 100, count + sum(p.num_tokens for p in vain), count,
        (*pieces, TracePiece(own, "new", "", 1)), tuple(vain),
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


def test_rounds_of_one_token_are_one_row_where_there_are_many():
    made = rows(TRACE)
    assert [(row.first, row.last) for row in made] == [(1, 1), (2, 4), (5, 5), (6, 6), (7, 7)]
    assert [row.rejected for row in made] == [0, 15, 0, 0, len(EVIL)]
    assert made[1].tokens == (("new", 3),)
    assert sum(row.brought for row in made) == sum(n for _, n in tokens_by_source(TRACE))
    assert rows(EMPTY) == []


def test_the_time_is_split_without_rest():
    split = dict(time_split(TRACE))
    assert sum(split.values()) == pytest.approx(TRACE.stats.total_seconds)
    assert split["loading"] == 1.0
    assert split["verifying"] == pytest.approx(0.14)
    assert time_split(EMPTY) == []


def told(trace, **options):
    out = io.StringIO()
    tell(trace, Console(file=out, width=90, highlight=False, soft_wrap=True, **options))
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


class Reader(html.parser.HTMLParser):
    """Tags, attributes and text of a page."""

    def __init__(self, text):
        super().__init__()
        self.tags, self.attributes, self.text = [], [], []
        self.feed(text)

    def handle_starttag(self, tag, attrs):
        self.tags.append(tag)
        self.attributes += attrs

    def handle_data(self, data):
        self.text.append(data)


def test_the_page_stands_alone_and_escapes_everything():
    text = page(TRACE)
    read = Reader(text)
    assert "script" not in read.tags
    assert {"link", "img", "iframe", "object", "form", "base"}.isdisjoint(read.tags)
    assert not [
        name for name, _ in read.attributes if name.startswith("on") or name in ("src", "href")
    ]
    assert "default-src 'none'" in dict(read.attributes)["content"] or "default-src 'none'" in text
    assert not re.search(r"https?:|//[a-z]|@import|url\((?!#)", text)
    assert "\x1b" not in text
    assert "\u202e" not in text
    assert "alert(1)" in "".join(read.text)  # as text, where it belongs
    assert text.count('class="round"') == len(ROUNDS)
    for source in SOURCES:
        assert f'class="{source}"' in text
    assert "lib/a.py:4" in text
    assert "note: odd" in text
    assert "; here " in text
    assert Reader(page(EMPTY)).tags[0] == "html"


def run(editd, monkeypatch, *arguments, known=True):
    summary = TraceSummary("7", 1e9, TRACE.path, TRACE.instruction, "stop", 7, 60)

    class Daemon:
        async def explain(self, trace_id):
            found = TRACE if known and trace_id in ("", "7") else None
            return Explained("r", found, (summary,) if known else ())

    monkeypatch.setattr(command, "ask", lambda question: question(Daemon()))
    return editd("explain", *arguments)


def test_the_command(editd, monkeypatch, tmp_path):
    assert "edit 7" in run(editd, monkeypatch).text
    assert "edit 7" in run(editd, monkeypatch, "7").text
    listed = run(editd, monkeypatch, "--list").text
    assert listed.startswith("   7  ")
    assert "\x1b" not in listed
    done = run(editd, monkeypatch, "--html", "a.html", "--json", "a.json")
    assert done.out == b""
    assert "open it in a browser" in done.err
    assert (tmp_path / "a.html").read_text() == page(TRACE)
    assert (
        json.loads((tmp_path / "a.json").read_text())["hunks"][0]["origins"][0]["source"]
        == "buffer"
    )
    assert json.loads(run(editd, monkeypatch, "--json", "-").out)["id"] == "7"


@pytest.mark.parametrize(
    ("arguments", "known", "words"),
    [
        (("9",), True, "no edit 9 to explain: the daemon remembers 7 to 7"),
        ((), False, "finished no edit yet"),
        (("--html", "no/such/folder/a.html"), True, "cannot be written"),
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
