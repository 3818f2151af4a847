"""Every malformed answer of the corpus, through the whole engine: what reaches the user.

The model is scripted (bytes as tokens, so that healing and half characters are everyday); all else
is the product's own: format, healing, rounds, reader, diff, checks.
"""

import json
from dataclasses import replace
from pathlib import Path

import pytest

from editd.config import Config
from editd.diff.edits import apply
from editd.diff.hunk import Hunk, Keep
from editd.engine.edit_job import EditJob
from editd.messages import Delta, EditRequest
from editd.messages.options import EditOptions
from editd.models.model import ModelSpec
from editd.models.torch.loading import TorchModel
from editd.prompts import formats
from editd.prompts.base import Prompt
from tests.scripted import ScriptedTarget

STOP = 256
CASES = [
    case
    for file in sorted((Path(__file__).parents[2] / "fixtures" / "answers").glob("*.json"))
    for case in json.loads(file.read_text(encoding="utf-8"))["cases"]
]


class Bytes:
    """One token a byte, and one that ends the answer."""

    vocab_size = 257

    def encode(self, text, after=""):
        return list(text.encode())

    def decode(self, token_ids):
        return bytes(t for t in token_ids if t < STOP).decode(errors="replace")

    def token_bytes(self, token_id):
        return b"" if token_id == STOP else bytes([token_id])

    def heal(self, segments):
        """The last line is taken back, as a tokenizer with long tokens might."""
        text = "".join(piece for piece, _ in segments)
        head, newline, _ = text.removesuffix("\n").rpartition("\n")
        required = text[len(head + newline) :]
        return list((head + newline).encode()), required.encode()

    def ids_with_prefix(self, prefix):
        return [prefix[0]]


class Told:
    """A format that says what the case says."""

    name = "told"
    case = None

    def prompt(self, parts):
        opening = self.case["opening"]
        return Prompt.of(
            [(parts.region, False), ("\nEdit it.\n", False), (opening, False)],
            opening=opening,
            fence=self.case["fence"],
        )

    def refuse(self, parts):
        return None


class OneModel:
    """A pool that holds one scripted model."""

    def __init__(self, case):
        codec = Bytes()

        def choose(ids):
            written = bytes(ids).split(b"\nEdit it.\n", 1)[-1]
            answer = (case["opening"] + case["answer"]).encode()
            return answer[len(written)] if len(written) < len(answer) else STOP

        self.model = TorchModel(
            name="scripted",
            tokenizer_folder=Path(),
            target=ScriptedTarget(choose, vocab_size=257),
            codec=codec,
            stop_ids=frozenset([STOP]),
            render_chat=None,
            device="cpu",
            dtype="float32",
            parameters=0,
            weights_bytes=1 << 40,  # nobody measures what a round of it costs
            context_length=100_000,
            manifest={"format": "told"},
        )

    def spec(self, model):
        return ModelSpec("scripted")

    def draft_spec(self, model):
        return None

    def ready(self, spec):
        return True

    def acquire(self, spec):
        return self.model, ""

    def release(self, spec):
        pass


def edited(case, monkeypatch, drafter="buffer"):
    monkeypatch.setattr(Told, "case", case)
    monkeypatch.setitem(formats._FORMATS, "told", lambda _render: Told())
    request = EditRequest(
        "1",
        case["buffer"],
        case["instruction"],
        path=case["path"],
        options=EditOptions(drafter=drafter, window=40, way="whole"),  # as the answers were written
    )
    job = EditJob(OneModel(case), Config(), request)
    told = []
    while not job.finished:
        told += job.advance()
    return told[-1], told[:-1]


@pytest.mark.parametrize("case", CASES, ids=lambda case: case["name"])
def test_what_becomes_of_a_malformed_answer(case, monkeypatch):
    result, told = edited(case, monkeypatch)
    if "refusal" in case:
        assert result.finish_reason == "refused"
        assert case["refusal"] in result.error.message
        assert result.text is None
        return
    if "ended" in case:
        assert result.finish_reason == "length"
        assert f"repeated “{case['ended']}" in result.error.message.replace('"""', "")
        assert result.text is None
        ops = [op for message in told if isinstance(message, Delta) for op in message.ops]
        kept = sum(op.count for op in ops if isinstance(op, Keep))
        assert kept == len(case["buffer"].splitlines())
        return
    assert result.finish_reason == "stop", result.error
    expected = case.get("text", case.get("body"))
    if expected is not None:
        assert result.text == expected
    assert apply(result.hunks, case["buffer"]) == result.text
    for words in case.get("suspects", []):
        assert any(words in doubt for doubt in result.suspects), result.suspects
    if not case.get("suspects"):
        assert not result.suspects
        assert all(hunk.suspect is None for hunk in result.hunks)
    done = [
        op for m in told if isinstance(m, Delta) for op in m.ops if isinstance(op, Hunk) and op.done
    ]
    assert [hunk.id for hunk in done] == [hunk.id for hunk in result.hunks]


def bare(hunks):
    """Without who drafted them."""
    return [replace(hunk, origins=()) for hunk in hunks]


ENDED = [case for case in CASES if "ended" in case]


@pytest.mark.parametrize("case", [*CASES[::9], *ENDED], ids=lambda case: case["name"])
def test_plain_decoding_says_the_same(case, monkeypatch):
    drafted, _ = edited(case, monkeypatch)
    plain, _ = edited(case, monkeypatch, drafter="none")
    assert (plain.text, bare(plain.hunks), plain.suspects) == (
        drafted.text,
        bare(drafted.hunks),
        drafted.suspects,
    )
    assert drafted.stats.rounds <= plain.stats.rounds


def test_white_space_that_stays_is_counted(monkeypatch):
    case = {
        "opening": "```\n",
        "fence": "```",
        "buffer": "a = 1  \nb = 2\nc = 3\t\n",
        "instruction": "set b to 5",
        "answer": "a = 1\nb = 5\nc = 3\n```\n",
        "path": "a.py",
    }
    result, _ = edited(case, monkeypatch)
    assert result.text == "a = 1  \nb = 5\nc = 3\t\n"
    assert result.stats.restored_lines == 2


@pytest.mark.parametrize(
    ("answer", "summary", "suspects", "notes", "ways"),
    [
        ("def surface():\n    return surface\n", "Exactly what the words say.", (), [None], ["again"]),
        ("def surface():\n    return area\n", "",
         ("The words alone would change line 2; this answer leaves it.",), [None], ["words", "again"]),
        ("def surface():\n    return surface + 1\n", "", (),
         ["The words do not name this change."], ["words", "again"]),
        ("def area():\n    return area\n", "Nothing changed; the words mean lines 1 and 2.", (), [],
         ["words", "again"]),
    ],
)  # fmt: skip
def test_an_answer_is_held_beside_the_words(answer, summary, suspects, notes, ways, monkeypatch):
    case = {
        "path": "shapes.py",
        "instruction": "Rename area to surface",
        "opening": "```python\n",
        "fence": "```",
        "buffer": "def area():\n    return area\n",
        "answer": f"{answer}```\n",
    }
    result, _ = edited(case, monkeypatch)
    assert (result.summary, result.suspects) == (summary, suspects)
    assert [hunk.note for hunk in result.hunks] == notes
    assert [way.name for way in result.ways] == ways
