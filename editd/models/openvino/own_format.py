"""A model in OpenVINO's own format, as hubs have it: ``openvino_model.xml`` and ``.bin``, with its tokenizer.

Nothing is converted: OpenVINO maps the weights from the file. The graph is changed in one way: the head computes the
wanted rows alone, as in ``graph``.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from math import prod
from pathlib import Path
from typing import Any

from editd.errors import ModelDamaged, ModelUnsupported, first_line
from editd.models.model_folder import check_regular, read_json
from editd.models.openvino.weights import Graph, Sizes, stamped_name

GRAPH, NUMBERS, TOKENIZER = "openvino_model.xml", "openvino_model.bin", "tokenizer.json"
_INPUTS = {"input_ids", "attention_mask", "position_ids", "beam_idx"}
_AFTER_HEAD = {
    "Convert",
    "Multiply",
    "Divide",
    "Tanh",
    "Add",
}  # a type, a scale, a soft cap, a bias
_CODES = {"i8", "u8", "i4", "u4", "nf4"}


def is_graph_folder(path: Path) -> bool:
    """Whether ``path`` is a folder that has ``openvino_model.xml``; its other files are not looked
    at.
    """
    try:
        return (path / GRAPH).is_file()
    except (OSError, ValueError):  # no file can be called so
        return False


@dataclass(frozen=True, slots=True)
class GraphFolder:
    """A folder that has all its files. Used as ``converting.Conversion``. known_sizes: by ``config.json``."""

    source: Path
    known_sizes: Sizes

    @property
    def name(self) -> str:
        """A name for the folder, by its files' sizes and times."""
        return stamped_name(self.source, [self.source / GRAPH, self.source / NUMBERS])

    def sizes(self) -> Sizes:
        """The sizes of the network."""
        return self.known_sizes

    def open_graph(self, tell: Callable[[float], Any]) -> Graph:  # noqa: ARG002  nothing is converted
        """Read the network. Raises ``ModelDamaged``, or ``ModelUnsupported`` if it is no causal model."""
        return _read_graph(self.source, self.known_sizes)


def open_folder(path: Path) -> GraphFolder:
    """The folder ``path``, checked, with the network's sizes by its ``config.json``; the graph is
    not read.

    Raises ``ModelDamaged`` for a missing file, a pipe or device among them, or a ``config.json``
    that does not say the sizes.
    """
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
        sizes = Sizes(
            context=int(config["max_position_embeddings"]),
            token_bytes=int(config["num_hidden_layers"]) * kv_heads * width * 2 * 2,
            nbytes=(path / NUMBERS).stat().st_size,
        )
    except (KeyError, TypeError, ValueError, ZeroDivisionError) as error:
        raise ModelDamaged(
            f"The config.json of {path} does not say which shape it has: pull or copy the model again."
        ) from error
    return GraphFolder(path, sizes)


def _read_graph(path: Path, sizes: Sizes) -> Graph:
    """Read the network in ``path`` and have its head compute wanted rows alone; the weights stay in
    the file, mapped. sizes: put into the result.

    Raises ``ModelDamaged`` if OpenVINO cannot read it, ``ModelUnsupported`` if it is no causal
    model with its cache as a state, or its last layer is unknown.
    """
    import openvino as ov

    try:
        model = ov.Core().read_model(path / GRAPH)
    except RuntimeError as error:
        raise ModelDamaged(
            f"OpenVINO cannot read {path / GRAPH} ({first_line(error)}): pull or copy the model "
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
            f"{path} is no causal language model with its cache as a state, as `optimum-cli export "
            "openvino` makes it: choose another model."
        )
    vocab_size = _limit_head_to_wanted_rows(model, path)
    constants = Counter[str]()
    for node in model.get_ops():
        if node.get_type_name() == "Constant":
            kind = node.get_output_element_type(0).get_type_name()
            constants[kind] += prod(node.get_output_shape(0))
    coded = Counter({kind: count for kind, count in constants.items() if kind in _CODES})
    coded = coded or constants
    kinds = [kind for kind, _ in coded.most_common(1)]
    return Graph(model, vocab_size, sizes, coded.total(), kinds)


def _limit_head_to_wanted_rows(model: Any, path: Path) -> int:
    """Change ``model``: a new input ``wanted_rows`` names the rows whose logits are computed;
    returns the size of the vocabulary.

    path: of the model, for the error. Raises ``ModelUnsupported`` for a last layer that is no
    matrix product of known width.
    """
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
    wanted_rows = ops.parameter(ov.PartialShape([-1]), np.int64, name="wanted_rows")
    wanted_rows.output(0).get_tensor().set_names({"wanted_rows"})
    head = node.input(0)
    width = head.get_partial_shape()[-1].get_length()
    rows = ops.reshape(
        head.get_source_output(), ops.constant(np.array([-1, width])), special_zero=False
    )
    head.replace_source_output(ops.gather(rows, wanted_rows, ops.constant(np.int64(0))).output(0))
    model.add_parameters([wanted_rows])
    model.validate_nodes_and_infer_types()
    return int(words.get_length())
