"""With editd-vllm a server writes what it writes without, token for token, in every mode of vLLM's."""

import gc

import pytest

pytest.importorskip("vllm", reason="`make test-vllm` sets up an environment with it")

from tests.vllm.engine import CODEC, EDITD, asked_edits, close, decode, engine

ASKED = asked_edits()
SHORT, LONG = ASKED[:6], ASKED[-3:]
BLOCK = 128  # tokens, on a CPU


@pytest.fixture(scope="module")
def made():
    """Makes engines; all are ended at the end: in one process they share what the first one closes."""
    engines = []

    def make(speculation, **options):
        engines.append(engine(speculation, **options))
        return engines[-1]

    yield make
    for llm in engines:
        close(llm)


@pytest.fixture(scope="module")
def plain(made):
    return made(None, max_num_seqs=64, enable_prefix_caching=False)


@pytest.fixture(scope="module")
def drafting(made):
    """Chunked prefill and the prefix cache are on, as they are by default."""
    return made(EDITD, max_num_seqs=64)


def check(plain, drafting, requests, *, times=0.0):
    """The same tokens, in at most a ``times``-th of the steps."""
    expected, plain_steps = decode(plain, requests)
    got, steps = decode(drafting, requests)
    assert got == expected
    assert steps * times <= plain_steps
    return steps, plain_steps


def test_a_whole_edit_with_a_prediction(plain, drafting):
    one = SHORT[0]
    request = (one.prompt_ids, one.greedily(max_tokens=1500))
    check(plain, drafting, [request], times=2)
    ((ids,),), _ = decode(drafting, [request])
    assert CODEC.decode(ids) == one.after


@pytest.mark.parametrize("extra", [None, {}, {"drafter": "suffix"}, {"drafter": "buffer+suffix"}])
def test_without_a_prediction(plain, drafting, extra):
    check(plain, drafting, [(SHORT[0].prompt_ids, SHORT[0].greedily(extra_args=extra))], times=2)


@pytest.mark.parametrize(
    "extra",
    [
        {"prediction": "There is no such text here.\n" * 40},
        {"prediction": LONG[0].prediction},
        {"prediction": 7},
        {"prediction": "", "drafter": "no such drafter"},
        {"drafter": "none"},
        {
            "prediction": SHORT[0].prediction,
            "prediction_opening": "```\n",
            "prediction_closing": "```",
        },
        {"prediction": SHORT[0].prediction[::-1], "instruction": "Rename a to b."},
    ],
)
def test_wrong_predictions_and_wrong_fields(plain, drafting, extra):
    check(plain, drafting, [(SHORT[0].prompt_ids, SHORT[0].greedily(extra_args=extra))])


def test_a_batch_of_64_mixed_requests(plain, drafting):
    mixed = [
        lambda one: one.greedily(max_tokens=64),
        lambda one: one.greedily(max_tokens=48, extra_args=None),
        lambda one: one.greedily(max_tokens=32, extra_args={"prediction": "nothing like it " * 60}),
        lambda one: one.greedily(max_tokens=16, extra_args={"drafter": "none"}),
    ]
    requests = [(ASKED[i % 6].prompt_ids, mixed[i % 4](ASKED[i % 6])) for i in range(64)]
    check(plain, drafting, requests)


def test_drafters_are_freed_with_their_requests(drafting):
    decode(drafting, [(one.prompt_ids, one.greedily(max_tokens=24)) for one in SHORT])
    decode(drafting, [(SHORT[0].prompt_ids, SHORT[0].greedily(max_tokens=4))])
    gc.collect()
    from editd_vllm.edit import Edit

    assert sum(isinstance(found, Edit) for found in gc.get_objects()) <= 1


def test_the_prefix_cache_serves_drafted_requests(plain, drafting):
    """Twice the same long prompt: the second time most of it is cached, and the text is the same."""
    for _ in range(2):
        check(plain, drafting, [(LONG[0].prompt_ids, LONG[0].greedily())])


@pytest.mark.parametrize(
    "more",
    [
        {"stop": ["return"]},
        {"stop": ["(self", "\n\n"], "include_stop_str_in_output": True},
        {"stop_token_ids": [CODEC.encode("=")[0], CODEC.encode("\n")[0]]},
        {"max_tokens": 1},
        {"max_tokens": 2},
        {"ignore_eos": True, "max_tokens": 130},
        {"min_tokens": 20},
        {"logprobs": 2},
        {"repetition_penalty": 1.05},
        {"frequency_penalty": 0.1, "presence_penalty": 0.1},
        {"n": 3, "temperature": 0.001},  # n needs a temperature; the model's margins are far larger
        {"bad_words": ["def"]},
    ],
    ids=",".join,
)
def test_sampling_parameters(plain, drafting, more):
    check(plain, drafting, [(one.prompt_ids, one.greedily(**more)) for one in SHORT[:2]])


@pytest.mark.parametrize(
    "structure", [{"regex": r"[\s\S]*"}, {"regex": r"[a-z \n]+"}, {"json": {"type": "object"}}]
)
def test_structured_output(plain, drafting, structure):
    from vllm.sampling_params import StructuredOutputsParams

    def requests():
        return [
            (
                one.prompt_ids,
                one.greedily(
                    max_tokens=48, structured_outputs=StructuredOutputsParams(**structure)
                ),
            )
            for one in SHORT[:2]
        ]

    expected, _ = decode(plain, requests())
    got, _ = decode(drafting, requests())
    assert got == expected


def test_preemption_and_resumption(made, plain):
    """A cache that holds two of six requests: vLLM takes some out and reads them again later."""
    tokens = max(len(one.prompt_ids) for one in SHORT) + 100
    # One block is vLLM's own; a request of the greatest length has to fit.
    llm = made(EDITD, num_gpu_blocks_override=1 + 2 * tokens // BLOCK, max_model_len=tokens)
    scheduler = llm.llm_engine.engine_core.engine_core.scheduler
    preempted, preempt = [], scheduler._preempt_request

    def watched(request, *more, **named):
        preempted.append(request.request_id)
        return preempt(request, *more, **named)

    scheduler._preempt_request = watched
    check(plain, llm, [(one.prompt_ids, one.greedily(max_tokens=100)) for one in SHORT])
    assert preempted


@pytest.mark.parametrize("spare", [40, 65])
def test_to_the_end_of_the_context(made, plain, spare):
    llm = made(EDITD, max_model_len=len(SHORT[0].prompt_ids) + spare)
    check(plain, llm, [(SHORT[0].prompt_ids, SHORT[0].greedily(max_tokens=spare, ignore_eos=True))])


def test_tensor_parallel_2(made, plain):
    llm = made(EDITD, tensor_parallel_size=2, max_num_seqs=4)
    check(plain, llm, [(one.prompt_ids, one.greedily()) for one in SHORT[:3]], times=2)
