"""A scripted target around one drafter: what the tests of all drafters share."""

from __future__ import annotations

from editd.decode.drafters import DraftTask, make_drafter
from editd.decode.speculative import Decoding
from editd.decode.window import FixedWindow
from tests.model_free_codec import PseudoCodec
from tests.replay.scripted_target import ScriptedTarget

END = -2


def task(codec, before, *, instruction="", closing="", **options):
    opening = "```\n"
    prompt = codec.encode(f"```\n{before}```\n{instruction}\n{opening}")
    return DraftTask(
        prompt_ids=prompt,
        prediction=before,
        answer_opening=opening,
        answer_closing=closing,
        codec=codec,
        **options,
    )


def decode(spec, before, after, *, window=64, drafter=None, **options):
    """Decode ``after`` with a drafter that knows ``before``; the rounds, checked for losslessness."""
    codec = PseudoCodec()
    drafting = task(codec, before, **options)
    answer = [*codec.encode(after, "```\n"), END]
    decoding = Decoding(
        ScriptedTarget(drafting.prompt_ids, answer, seed=1),
        drafting.prompt_ids,
        drafter or make_drafter(spec, drafting),
        ends_answer=lambda token_id: token_id == END,
        max_new_tokens=len(answer) + 8,
        window=FixedWindow(window),
    )
    rounds = []
    while decoding.finish_reason is None:
        done = decoding.advance()
        if done is not None:
            rounds.append(done)
    assert decoding.output_ids == answer
    assert codec.decode(decoding.output_ids[:-1]) == after
    return rounds
