"""A model in OpenVINO's own format, as hubs have it: ``openvino_model.xml`` and ``.bin``, the tokenizer beside.

Nothing is converted: OpenVINO maps the weights from the file. What is added to the graph is that the head
computes the wanted rows alone, as ``graph`` has it.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import prod
from pathlib import Path
from typing import TYPE_CHECKING, Any

from editd.errors import ModelDamaged, ModelUnsupported, first_line
from editd.models.model_folder import check_regular, read_json

if TYPE_CHECKING:
    import openvino as ov

GRAPH, NUMBERS, TOKENIZER = "openvino_model.xml", "openvino_model.bin", "tokenizer.json"
_INPUTS = {"input_ids", "attention_mask", "position_ids", "beam_idx"}
_AFTER_HEAD = {
    "Convert",
    "Multiply",
    "Divide",
    "Tanh",
    "Add",
}  # of a type, a scale, a soft cap, a bias
_CODES = {"i8", "u8", "i4", "u4", "nf4"}


def is_graph_folder(path: Path) -> bool:
    """Whether a model in this format lies in ``path``."""
    try:
        return (path / GRAPH).is_file()
    except (OSError, ValueError):  # no file can be called so
        return False


@dataclass(frozen=True, slots=True)
class Folder:
    """One that has all its files. nbytes: of the weights. token_bytes: of keys and values, by ``config.json``."""

    path: Path
    nbytes: int
    context: int
    token_bytes: int


def open_folder(path: Path) -> Folder:
    """Look at ``path`` without reading its graph. Raises ``ModelDamaged`` for a file that is missing."""
    check_regular(path)
    for name in (NUMBERS, TOKENIZER, "config.json"):
        if not (path / name).is_file():
            raise ModelDamaged(
                f"{path} has {GRAPH} and no {name}: copy it beside, of the same model, or pull the model "
                "again."
            )
    config = read_json(path / "config.json")
    try:
        heads = int(config["num_attention_heads"])
        width = int(config.get("head_dim") or config["hidden_size"] // heads)
        kv_heads = int(config.get("num_key_value_heads") or heads)
        return Folder(
            path=path,
            nbytes=(path / NUMBERS).stat().st_size,
            context=int(config["max_position_embeddings"]),
            token_bytes=int(config["num_hidden_layers"]) * kv_heads * width * 2 * 2,
        )
    except (KeyError, TypeError, ValueError, ZeroDivisionError) as error:
        raise ModelDamaged(
            f"The config.json of {path} does not say which shape it has: pull or copy the model again."
        ) from error


@dataclass(frozen=True, slots=True)
class Graph:
    """model: takes token ids, and gives logits of the rows in ``wanted_rows``. The rest is as in ``weights.CachedWeights``."""

    model: ov.Model
    vocab_size: int
    context: int
    token_bytes: int
    nbytes: int
    parameters: int
    kinds: list[str]
    is_new = False

    def forget_pages(self) -> None:
        """OpenVINO has mapped the file itself."""


def read_graph(folder: Folder) -> Graph:
    """The graph in ``folder``. Raises ``ModelDamaged``, or ``ModelUnsupported`` for one that is no causal model."""
    import openvino as ov

    try:
        model = ov.Core().read_model(folder.path / GRAPH)
    except RuntimeError as error:
        raise ModelDamaged(
            f"OpenVINO cannot read {folder.path / GRAPH} ({first_line(error)}): pull or copy the model "
            "again."
        ) from error
    inputs = {name for port in model.inputs for name in port.get_names()}
    outputs = {name for port in model.outputs for name in port.get_names()}
    if (
        inputs - _INPUTS
        or "input_ids" not in inputs
        or "logits" not in outputs
        or not model.get_sinks()
    ):
        raise ModelUnsupported(
            f"{folder.path} is no causal language model with its cache as a state, as `optimum-cli export "
            "openvino` makes it: choose another model."
        )
    vocab_size = _ask_for_rows(model, folder.path)
    constants: dict[str, int] = {}
    for node in model.get_ops():
        if node.get_type_name() == "Constant":
            kind = node.get_output_element_type(0).get_type_name()
            size = prod(node.get_output_shape(0))
            constants[kind] = constants.get(kind, 0) + size
    coded = {kind: count for kind, count in constants.items() if kind in _CODES} or constants
    return Graph(
        model,
        vocab_size,
        folder.context,
        folder.token_bytes,
        folder.nbytes,
        sum(coded.values()),
        sorted(coded, key=lambda kind: -coded[kind])[:1],
    )


def _ask_for_rows(model: Any, path: Path) -> int:
    """Let the head compute the rows in ``wanted_rows`` alone; returns how many words there are."""
    import numpy as np
    import openvino as ov
    from openvino import opset15 as ops

    logits = model.output("logits")
    words = logits.get_partial_shape()[-1]
    node = logits.get_node()
    while node.get_type_name() in {"Result", *_AFTER_HEAD}:
        node = node.input_value(0).get_node()
    if node.get_type_name() != "MatMul" or words.is_dynamic:
        raise ModelUnsupported(
            f"The last layer of {path} is none that editd knows: choose another model, or a GGUF file of it."
        )
    wanted = ops.parameter(ov.PartialShape([-1]), np.int64, name="wanted_rows")
    wanted.output(0).get_tensor().set_names({"wanted_rows"})
    head = node.input(0)
    width = head.get_partial_shape()[-1].get_length()
    rows = ops.reshape(
        head.get_source_output(), ops.constant(np.array([-1, width])), special_zero=False
    )
    head.replace_source_output(ops.gather(rows, wanted, ops.constant(np.int64(0))).output(0))
    model.add_parameters([wanted])
    model.validate_nodes_and_infer_types()
    return int(words.get_length())
