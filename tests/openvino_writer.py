"""A checkpoint as OpenVINO's intermediate representation, in float32 or 8 bits, its cache as a state.

transformers' own model is traced once with an empty-handed cache, so any family that transformers
builds should do. What makes it a model for OpenVINO GenAI is the shape that Optimum Intel gives its
exports: ``beam_idx`` gathers the past, the past is a state, and the state begins with no tokens.
(Optimum Intel itself wants an older transformers than editd.)
"""

from __future__ import annotations

import json
import shutil
import warnings
from pathlib import Path
from typing import Any

from tests.conversions import converted

_FOR_EDITD = ("tokenizer.json", "tokenizer_config.json", "chat_template.jinja", "editd.json")


def ir_of(checkpoint: Path, weights: str = "float32") -> Path:
    """The folder for ``checkpoint``, converted now if need be. weights: or ``int8``."""
    from importlib.metadata import version

    releases = [f"{name} {version(name)}" for name in ("openvino", "nncf", "transformers", "torch")]
    recipe = f"{releases} {weights} {Path(__file__).read_text(encoding='utf-8')}"
    kind = f"openvino-{weights}"
    return converted(checkpoint, kind, recipe, lambda folder: write_ir(checkpoint, folder, weights))


def write_ir(checkpoint: Path, folder: Path, weights: str = "float32") -> None:
    """Convert model and tokenizer into ``folder``; GenAI opens none without a tokenizer."""
    import openvino
    from openvino_tokenizers import convert_tokenizer
    from transformers import AutoTokenizer

    model = traced(checkpoint)
    if weights == "int8":  # as Optimum Intel does it: a scale and a zero for each row
        import nncf

        model = nncf.compress_weights(model, mode=nncf.CompressWeightsMode.INT8_ASYM)
    openvino.save_model(model, folder / "openvino_model.xml", compress_to_fp16=False)
    tokenizer = AutoTokenizer.from_pretrained(checkpoint, local_files_only=True)
    encoder, decoder = convert_tokenizer(tokenizer, with_detokenizer=True)
    openvino.save_model(encoder, folder / "openvino_tokenizer.xml")
    openvino.save_model(decoder, folder / "openvino_detokenizer.xml")
    for name in ("config.json", "generation_config.json"):
        if (checkpoint / name).is_file():
            content = json.loads((checkpoint / name).read_text(encoding="utf-8"))
            (folder / name).write_text(json.dumps(content), encoding="utf-8")
    for name in _FOR_EDITD:
        if (checkpoint / name).is_file():
            shutil.copyfile(checkpoint / name, folder / name)


def traced(checkpoint: Path) -> Any:
    """The model with ``input_ids``, ``attention_mask``, ``position_ids``, ``beam_idx`` → ``logits``."""
    import openvino
    import torch
    from transformers import AutoModelForCausalLM

    model: Any = AutoModelForCausalLM.from_pretrained(
        checkpoint, local_files_only=True, dtype=torch.float32, attn_implementation="sdpa"
    )
    model.eval()
    config = model.config.get_text_config(decoder=True)
    layers, heads = config.num_hidden_layers, config.num_key_value_heads
    head_dim = getattr(config, "head_dim", None) or config.hidden_size // config.num_attention_heads
    # Two sequences of three tokens after two: no size of an example may look like a constant.
    example = (
        torch.ones(2, 3, dtype=torch.long),
        torch.ones(2, 5, dtype=torch.long),
        torch.arange(2, 5).expand(2, 3).contiguous(),
        *(torch.zeros(2, heads, 2, head_dim) for _ in range(2 * layers)),
    )
    with torch.no_grad(), warnings.catch_warnings():
        # Asked of sizes that no input changes: how many tokens at once, whether there is a mask.
        warnings.filterwarnings("ignore", message=".*the trace might not generalize")
        traced = torch.jit.trace(  # type: ignore[no-untyped-call]
            _with_past(model), example, strict=False, check_trace=False
        )
    converted_model = openvino.convert_model(traced, example_input=example)
    _name(converted_model, layers, heads, head_dim)
    _make_stateful(converted_model, layers, heads, head_dim)
    return converted_model


def _with_past(model: Any) -> Any:
    """A module whose past goes in and out as tensors, keys and values of each layer in turn."""
    import torch

    class Past:
        """As much of a cache as a model asks of one."""

        is_compileable = False

        def __init__(self, tensors: tuple[Any, ...]) -> None:
            self.keys, self.values = list(tensors[0::2]), list(tensors[1::2])
            self.is_sliding = [False] * len(self.keys)

        def update(self, keys: Any, values: Any, layer_idx: int, *_: Any, **__: Any) -> Any:
            self.keys[layer_idx] = torch.cat([self.keys[layer_idx], keys], dim=-2)
            self.values[layer_idx] = torch.cat([self.values[layer_idx], values], dim=-2)
            return self.keys[layer_idx], self.values[layer_idx]

        def get_seq_length(self, *_: Any) -> Any:
            return self.keys[0].shape[-2]

    class WithPast(torch.nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.model = model

        def forward(
            self, input_ids: Any, attention_mask: Any, position_ids: Any, *tensors: Any
        ) -> Any:
            rows = torch.arange(input_ids.shape[1])[:, None] + tensors[0].shape[-2]
            columns = torch.arange(attention_mask.shape[1])[None]
            mask = (columns <= rows)[None, None] & (attention_mask[:, None, None] > 0)
            past = Past(tensors)
            logits = self.model(
                input_ids=input_ids,
                attention_mask=mask,
                position_ids=position_ids,
                past_key_values=past,
                use_cache=True,
            ).logits
            pairs = zip(past.keys, past.values, strict=True)
            return (logits, *(tensor for pair in pairs for tensor in pair))

    return WithPast()


def _past_names(prefix: str, layers: int) -> list[str]:
    return [f"{prefix}.{layer}.{part}" for layer in range(layers) for part in ("key", "value")]


def _name(model: Any, layers: int, heads: int, head_dim: int) -> None:
    """Give inputs and outputs the names and the free sizes that GenAI looks for."""
    from openvino import PartialShape

    past = _past_names("past_key_values", layers)
    names = ["input_ids", "attention_mask", "position_ids", *past]
    for port, name in zip(model.inputs, names, strict=True):
        port.get_tensor().set_names({name})
        port.get_node().set_friendly_name(name)
        shape = [-1, heads, -1, head_dim] if name in past else [-1, -1]
        port.get_node().set_partial_shape(PartialShape(shape))
    present = ["logits", *_past_names("present", layers)]
    for port, name in zip(model.outputs, present, strict=True):
        port.get_tensor().set_names({name})
    model.validate_nodes_and_infer_types()


def _make_stateful(model: Any, layers: int, heads: int, head_dim: int) -> None:
    """Turn the past into a state: gathered by ``beam_idx``, empty at first."""
    import numpy as np
    from openvino import PartialShape, opset13
    from openvino._offline_transformations import apply_make_stateful_transformation

    beam = opset13.parameter(PartialShape([-1]), np.int32, name="beam_idx")
    beam.output(0).get_tensor().set_names({"beam_idx"})
    model.add_parameters([beam])
    past = _past_names("past_key_values", layers)
    for name in past:
        port = model.input(name)
        readers = port.get_target_inputs()
        gathered = opset13.gather(port, beam, opset13.constant(0))
        for reader in readers:
            reader.replace_source_output(gathered.output(0))
    model.validate_nodes_and_infer_types()
    apply_make_stateful_transformation(
        model, dict(zip(past, _past_names("present", layers), strict=True))
    )
    shape = opset13.shape_of(model.input("input_ids"), output_type="i64")
    batch = opset13.gather(shape, opset13.constant([0]), opset13.constant(0))
    sizes = [opset13.constant(np.array([size], dtype=np.int64)) for size in (heads, 0, head_dim)]
    for node in model.get_ops():
        if node.get_type_name() == "ReadValue":
            empty = opset13.constant(0.0, dtype=node.get_output_element_type(0))
            node.set_arguments([opset13.broadcast(empty, opset13.concat([batch, *sizes], axis=0))])
    model.validate_nodes_and_infer_types()
