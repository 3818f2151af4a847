"""A hybrid that knows two edits by heart: a Granite 4 of the solved model's layers behind one layer of Mamba 2.

No trained hybrid is small enough for tests, and random weights accept no buffer as a draft. Here the first layer is a
Mamba with random weights, which adds what it has read so far to the half of the stream that says what was
read; the layers behind it are solved on top of it (``tests.fixtures.solved.solve``). So what is written depends on the
recurrent state: with a wrong one the answer is nonsense.
"""

from __future__ import annotations

import shutil
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from tempfile import mkdtemp

import gguf
import torch
from torch.nn.functional import conv1d, pad, silu, softplus

from editd.models.text.codec import load_codec
from editd.prompts.formats import END
from tests import gguf_writer as gguf_file
from tests import tiny
from tests.fixtures.solved.checkpoint import CONTROL_TOKENS, build
from tests.fixtures.solved.script import write_scripts
from tests.fixtures.solved.solve import RMS_EPSILON, solve
from tests.unit.solved.tiny_edits import EDITS, TINY

_INNER, _STATE, _HEADS, _KERNEL = 2 * TINY.hidden, 16, 4, 4  # llama.cpp wants the first to be so
_CHANNELS = _INNER + 2 * _STATE
_LOUDNESS = 0.6  # of what is read, against the token itself


@dataclass(frozen=True)
class Mamba:
    """Mamba 2 as llama.cpp computes it, with one group; all tensors in float32.

    entry: ``[inner + channels + heads, hidden]``. kernel: ``[channels, kernel]``. decay: ``[heads]``, negative.
    exit: ``[sketch, inner]``.
    """

    entry: torch.Tensor
    kernel: torch.Tensor
    kernel_bias: torch.Tensor
    step_bias: torch.Tensor
    decay: torch.Tensor
    skip: torch.Tensor
    exit: torch.Tensor

    @classmethod
    def random(cls):
        generator = torch.Generator().manual_seed(3)

        def normal(*size):
            return torch.randn(*size, generator=generator)

        rows = _INNER + _CHANNELS + _HEADS
        entry = normal(rows, TINY.hidden) / TINY.hidden**0.5
        entry[:, TINY.sketch :] = 0.0  # the other half says what comes next
        return cls(
            entry=entry,
            kernel=normal(_CHANNELS, _KERNEL) / _KERNEL**0.5,
            kernel_bias=0.1 * normal(_CHANNELS),
            step_bias=normal(_HEADS) - 1.0,
            decay=-torch.tensor([0.03, 0.1, 0.4, 1.5]),
            skip=normal(_HEADS),
            exit=_LOUDNESS * normal(TINY.sketch, _INNER) / _INNER**0.5,
        )

    def __call__(self, rows):
        """The layer's contribution to a sequence's sketch half; ``rows``: ``[tokens, hidden]``."""
        gate, mixed, step = (rows @ self.entry.T).split([_INNER, _CHANNELS, _HEADS], dim=1)
        history = pad(mixed.T[None], (_KERNEL - 1, 0))
        convolved = conv1d(history, self.kernel[:, None], self.kernel_bias, groups=_CHANNELS)
        inputs, keys, queries = silu(convolved[0].T).split([_INNER, _STATE, _STATE], dim=1)
        step = softplus(step + self.step_bias)  # [tokens, heads]
        state, outputs = torch.zeros(_HEADS, _INNER // _HEADS, _STATE), []
        for now in range(len(rows)):
            own = inputs[now].view(_HEADS, -1, 1)
            kept = torch.exp(step[now] * self.decay).view(_HEADS, 1, 1)
            state = kept * state + step[now].view(_HEADS, 1, 1) * own * keys[now]
            outputs.append((state @ queries[now] + self.skip[:, None] * own[:, :, 0]).flatten())
        gated = torch.stack(outputs) * silu(gate)
        normed = gated * torch.rsqrt(gated.square().mean(dim=1, keepdim=True) + RMS_EPSILON)
        return normed @ self.exit.T

    def tensors(self):
        """Under GGUF's names, of layer 0; its MLP adds nothing."""
        exit_ = torch.cat([self.exit, torch.zeros(TINY.hidden - TINY.sketch, _INNER)])
        return {
            "attn_norm.weight": torch.ones(TINY.hidden),
            "ssm_in.weight": self.entry,
            "ssm_conv1d.weight": self.kernel,
            "ssm_conv1d.bias": self.kernel_bias,
            "ssm_dt.bias": self.step_bias,
            "ssm_a": self.decay[:, None],
            "ssm_d": self.skip[:, None],
            "ssm_norm.weight": torch.ones(1, _INNER),
            "ssm_out.weight": exit_,
            "ffn_norm.weight": torch.ones(TINY.hidden),
            "ffn_gate.weight": torch.zeros(TINY.intermediate, TINY.hidden),
            "ffn_up.weight": torch.zeros(TINY.intermediate, TINY.hidden),
            "ffn_down.weight": torch.zeros(TINY.hidden, TINY.intermediate),
        }


@cache
def solved_hybrid() -> Path:
    """The file, solved once a session in a few seconds, with its manifest beside it."""
    torch.set_num_threads(1)
    folder = Path(mkdtemp(dir=tiny._session_folder()))
    build(folder / "llama", EDITS, TINY, lambda *_: None)  # its words, and its manifest
    shutil.copy(folder / "llama" / "editd.json", folder)
    codec = load_codec(folder / "llama")
    stop_id = CONTROL_TOKENS.index(END)
    mamba = Mamba.random()
    scripts = write_scripts(EDITS, codec, stop_id, TINY.reach)
    solution = solve(scripts, TINY, lambda *_: None, reader=mamba)
    assert min(float(margin.min()) for margin in solution.margins) > 1.0
    _write(folder, mamba, solution.weights, stop_id)
    return folder / "hybrid.gguf"


def _write(folder, mamba, weights, stop_id):
    writer = gguf.GGUFWriter(folder / "hybrid.gguf", "granitehybrid")
    layers = TINY.layers + 1
    writer.add_block_count(layers)
    writer.add_context_length(TINY.max_positions)
    writer.add_embedding_length(TINY.hidden)
    writer.add_feed_forward_length(TINY.intermediate)
    writer.add_head_count(TINY.heads)
    writer.add_head_count_kv([0] + [TINY.kv_heads] * TINY.layers)
    writer.add_key_length(TINY.head_dim)
    writer.add_value_length(TINY.head_dim)
    writer.add_rope_dimension_count(TINY.head_dim)
    writer.add_rope_freq_base(10_000.0)
    writer.add_layer_norm_rms_eps(RMS_EPSILON)
    writer.add_vocab_size(TINY.vocab_size)
    writer.add_attention_scale(TINY.head_dim**-0.5)
    writer.add_embedding_scale(1.0)
    writer.add_residual_scale(1.0)
    writer.add_logit_scale(1.0)
    writer.add_ssm_conv_kernel(_KERNEL)
    writer.add_ssm_inner_size(_INNER)
    writer.add_ssm_state_size(_STATE)
    writer.add_ssm_group_count(1)
    writer.add_ssm_time_step_rank(_HEADS)
    config = {"vocab_size": TINY.vocab_size, "eos_token_id": stop_id}
    gguf_file._write_vocabulary(writer, folder / "llama", config)
    for name, tensor in mamba.tensors().items():
        writer.add_tensor(f"blk.0.{name}", tensor.float().contiguous().numpy())
    names = gguf.get_tensor_name_map(gguf.MODEL_ARCH.LLAMA, layers)
    sizes = {"num_attention_heads": TINY.heads, "num_key_value_heads": TINY.kv_heads}
    for name, tensor in weights.items():
        moved = name
        if name.startswith("model.layers."):  # one layer further up
            layer, rest = name.removeprefix("model.layers.").split(".", 1)
            moved = f"model.layers.{int(layer) + 1}.{rest}"
        if moved.endswith("o_proj.bias"):
            continue  # zeros, and not every build has a place for them
        paired = gguf_file._in_pairs(name, tensor.float().contiguous().numpy(), sizes)
        writer.add_tensor(names.get_name(moved, (".weight", ".bias")), paired)
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()
