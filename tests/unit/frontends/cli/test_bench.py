"""`editd bench`: figures and verdict from the engine's own results, and its errors."""

import asyncio

import pytest

from editd.errors import AnswerCutOff, EditRefused
from editd.frontends.cli import bench
from editd.frontends.cli.bench import PLAIN, Figures, measure
from editd.messages import EditRequest, EditResult, ErrorInfo, StatusReport
from editd.messages.reports import ModelStatus, Stats

REQUEST = EditRequest("bench", "a = 1\n", "Rename a to b.")


class Engine:
    """Writes 100 tokens in the seconds that ``seconds`` has for a drafter, and ``texts`` the text that it has."""

    def __init__(self, seconds, texts=None, error=None):
        self.seconds, self.texts, self.error = seconds, texts or {}, error
        self.drafters = []
        self.is_closed = False

    async def ask(self, request):
        options = request.options
        if options.max_new_tokens == 1:
            yield EditResult("bench", "length", error=ErrorInfo(AnswerCutOff.code, "cut"), model="m",
                             stats=Stats(load_seconds=2.0, total_seconds=5.0, prompt_tokens=50))  # fmt: skip
            return
        self.drafters.append(options.drafter)
        stats = Stats(
            output_tokens=100,
            rounds=10,
            decode_seconds=self.seconds[options.drafter],
            first_hunk_ms=500,
            drafter=options.drafter or "buffer",
        )
        yield EditResult("bench", "stop", text=self.texts.get(options.drafter, "b = 1\n"), stats=stats, error=self.error)  # fmt: skip

    async def status(self):
        held = ModelStatus("m", "ready", device="cpu", dtype="int8")
        return StatusReport("s", "idle", "0", 1, 1.0, models=(held,))

    async def aclose(self):
        self.is_closed = True


def measured(engine, repeats=1) -> Figures:
    return asyncio.run(measure(lambda: engine, REQUEST, repeats))


@pytest.mark.parametrize(
    ("plain", "drafted", "gain", "verdict"),
    [
        (10.0, 4.0, 2.5, "Drafting pays here: the edit is written 2.5 times as fast."),
        (10.0, 9.9, 1.01, "Drafting does not pay here"),
        (10.0, 12.5, 0.8, "Drafting does not pay here"),
    ],
)
def test_the_verdict_is_that_of_the_seconds(plain, drafted, gain, verdict):
    figures = measured(Engine({PLAIN: plain, None: drafted}))
    assert figures.gain == pytest.approx(gain, abs=0.01)
    assert figures.verdict.startswith(verdict)
    assert figures.plain_tokens_per_second == pytest.approx(100 / plain)
    assert (figures.load_seconds, figures.prompt_seconds, figures.prompt_tokens) == (2.0, 3.0, 50)
    assert figures.same_text


def test_on_a_busy_machine_the_processor_time_decides(monkeypatch):
    engine = Engine({PLAIN: 10.0, None: 10.0})
    # One token, plain and drafted, each with the clock before and after.
    clock = iter([3.0, 4.0, 4.0, 11.0, 11.0, 14.0])
    monkeypatch.setattr(bench, "_engine_seconds", lambda: next(clock))
    figures = measured(engine)
    assert (figures.plain_cpu_seconds, figures.drafted_cpu_seconds) == (6.0, 2.0)
    assert figures.gain == pytest.approx(3.0)


def test_the_two_take_turns_and_the_engine_is_closed():
    engine = Engine({PLAIN: 1.0, None: 1.0})
    measured(engine, repeats=2)
    assert engine.drafters == [PLAIN, None, PLAIN, None]
    assert engine.is_closed


def test_another_text_is_said():
    assert not measured(Engine({PLAIN: 1.0, None: 1.0}, {PLAIN: "c = 1\n"})).same_text


def test_a_model_that_refuses_ends_it_with_its_sentence():
    engine = Engine({PLAIN: 1.0, None: 1.0}, error=ErrorInfo(EditRefused.code, "Not understood."))
    with pytest.raises(EditRefused, match="Not understood"):
        measured(engine)
    assert engine.is_closed
