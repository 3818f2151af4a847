"""The rule by chunks is the rule row by row, also where keys repeat, and its bits do not depend on passes."""

import numpy as np
import pytest

pytest.importorskip("openvino", reason="needs pip install -e '.[openvino]'")

import openvino as ov
from openvino import opset15 as ops

from editd.models.openvino.delta_rule import CHUNK, RuleRows, last_state, mixed_rows
from editd.models.openvino.operations import parameter

HEADS, KEYS, VALUES, ROWS = 3, 32, 24, 8 * CHUNK
_SHAPES = {
    "queries": [-1, HEADS, KEYS],
    "keys": [-1, HEADS, KEYS],
    "values": [-1, HEADS, VALUES],
    "decay": [-1, HEADS],
    "beta": [-1, HEADS],
}


@pytest.fixture(scope="module")
def networks():
    """The outputs of rows, and the state after them; compiled, a request each."""
    made = []
    for build in (mixed_rows, last_state):
        inputs = {name: parameter(name, shape, np.float32) for name, shape in _SHAPES.items()}
        state = parameter("state", [1, HEADS, KEYS, VALUES], np.float32)
        result = ops.result(build(RuleRows(**inputs), state))
        if build is last_state:
            del inputs["queries"]
        model = ov.Model([result], [*inputs.values(), state], "rule")
        settings = {"INFERENCE_PRECISION_HINT": "f32", "INFERENCE_NUM_THREADS": 1}
        made.append(ov.Core().compile_model(model, "CPU", settings).create_infer_request())
    return made


def run(request, rows, state):
    for port in request.model_inputs:
        name = port.get_any_name()
        values = state if name == "state" else rows[name]
        request.set_tensor(name, ov.Tensor(np.ascontiguousarray(values)))
    request.infer()
    return request.get_output_tensor(0).data.copy()


def unit(rows):
    return (rows / np.linalg.norm(rows, axis=-1, keepdims=True)).astype(np.float32)


def rows_of(kind):
    """The rule's rows, and a state before them."""
    random = np.random.default_rng(5)

    def normal(*shape):
        return random.standard_normal(shape).astype(np.float32)

    keys = unit(normal(ROWS, HEADS, KEYS))
    decay, beta = -0.1 * np.abs(normal(ROWS, HEADS)), 1 / (1 + np.exp(-normal(ROWS, HEADS)))
    if kind == "one key":  # nothing is forgotten
        keys[:], decay[:], beta[:] = keys[:1], 0.0, 1.0
    elif kind == "nearly one key":
        keys = unit(keys[:1] + 0.05 * keys)
        decay[:], beta[:] = -0.01, 0.9
    elif kind == "all is forgotten":
        decay *= 300
    rows = {
        "queries": unit(normal(ROWS, HEADS, KEYS)) * np.float32(KEYS**-0.5),
        "keys": keys,
        "values": normal(ROWS, HEADS, VALUES),
        "decay": decay,
        "beta": beta,
    }
    return rows, 0.1 * normal(1, HEADS, KEYS, VALUES)


def by_definition(rows, state):
    """Row by row, in double precision."""
    queries, keys, values, decay, beta = (rows[name].astype(np.float64) for name in _SHAPES)
    state, outputs = state[0].astype(np.float64), []
    for now in range(len(keys)):
        state = state * np.exp(decay[now])[:, None, None]
        known = np.einsum("hkv,hk->hv", state, keys[now])
        correction = beta[now][:, None] * (values[now] - known)
        state = state + np.einsum("hk,hv->hkv", keys[now], correction)
        outputs.append(np.einsum("hkv,hk->hv", state, queries[now]))
    return np.array(outputs), state


@pytest.mark.parametrize("kind", ["random", "one key", "nearly one key", "all is forgotten"])
def test_chunks_are_the_rule_row_by_row(networks, kind):
    rows, state = rows_of(kind)
    outputs, last = by_definition(rows, state)
    assert np.abs(run(networks[0], rows, state) - outputs).max() < 1e-5
    assert np.abs(run(networks[1], rows, state)[0] - last).max() < 1e-5


@pytest.mark.parametrize("kind", ["random", "one key", "all is forgotten"])
@pytest.mark.parametrize("chunks", [1, 3])
def test_bits_do_not_depend_on_how_many_chunks_a_pass_has(networks, kind, chunks):
    rows, state = rows_of(kind)
    whole, last = run(networks[0], rows, state), run(networks[1], rows, state)
    parts = []
    for at in range(0, ROWS, chunks * CHUNK):
        part = {name: values[at : at + chunks * CHUNK] for name, values in rows.items()}
        parts.append(run(networks[0], part, state))
        state = run(networks[1], part, state)
    assert np.array_equal(np.concatenate(parts), whole)
    assert np.array_equal(state, last)


@pytest.mark.parametrize("filled", [1, 9, 15])
def test_rows_that_fill_a_chunk_change_no_bit(networks, filled):
    rows, state = rows_of("random")
    whole = run(networks[0], rows, state)
    for name, values in rows.items():  # keys and queries may be anything
        values[-filled:] = 0.0 if name in ("decay", "beta") else 7.0
    assert np.array_equal(run(networks[0], rows, state)[:-filled], whole[:-filled])
