"""A second backend: checkpoints of the Llama kind in numpy alone, with a KV cache, chains and trees.

No mock: it reads safetensors, computes every layer and decodes what torch decodes. It comes in as a
stranger's package would, by an entry point (``installed``), and so proves that nothing above
``backends.model.Model`` knows which library runs a model.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from time import thread_time

import numpy as np
from safetensors.numpy import load_file

from editd.decode.costs import CPU_SHAPE
from editd.decode.target import ANY_WIDTH
from editd.errors import ModelNotFound, ScopeTooLarge
from editd.messages.reports import ModelStatus
from editd.models.model import Timing
from editd.models.sampling import choose, draw
from editd.models.text.codec import load_codec, stop_ids

SCHEME = "numpy-llama"
CHUNK = 128


def installed(folder: Path) -> Path:
    """Make ``folder`` one in which the backend is installed; put it on ``sys.path``."""
    about = folder / "numpy_llama-1.0.dist-info"
    about.mkdir(parents=True)
    (about / "METADATA").write_text("Metadata-Version: 2.1\nName: numpy-llama\nVersion: 1.0\n")
    (about / "entry_points.txt").write_text(f"[editd.backends]\n{SCHEME} = {__name__}\n")
    return folder


def load(spec, progress=None, *, most_bytes=None):
    """As ``backends.model.Backend.load``; the name is a folder."""
    folder = Path(spec.name)
    if not (folder / "config.json").is_file():
        raise ModelNotFound(f"{folder} has no config.json: name a folder with a checkpoint.")
    config = json.loads((folder / "config.json").read_text())
    if progress:
        progress(0.5)
    weights = load_file(folder / "model.safetensors")
    manifest = folder / "editd.json"
    codec = load_codec(folder, vocab_size=config["vocab_size"])
    if progress:
        progress(1.0)
    return NumpyModel(
        name=spec.name,
        folder=folder,
        target=NumpyTarget(config, weights, spec.max_context),
        codec=codec,
        stop_ids=stop_ids(folder, codec),
        manifest=json.loads(manifest.read_text()) if manifest.is_file() else {},
    )


@dataclass(eq=False)
class NumpyModel:
    name: str
    folder: Path
    target: NumpyTarget
    codec: object
    stop_ids: frozenset[int]
    manifest: dict
    render_chat: None = None

    @property
    def edit_format(self):
        return self.manifest.get("format")

    @property
    def tokenizer_folder(self):
        return self.folder

    @property
    def weights_bytes(self):
        return sum(weight.nbytes for weight in self.target.weights.values())

    @property
    def memory_bytes(self):
        kept = self.target.kept
        return self.weights_bytes + (kept[1].nbytes if kept else 0)

    @property
    def timing(self):
        return Timing(thread_time, CPU_SHAPE, ("numpy-llama", np.__version__, str(self.folder)))

    def status(self):
        return ModelStatus(
            self.name, "ready", "cpu", "float32", memory_bytes=self.memory_bytes, exactness="token"
        )

    def idle_work(self):
        return False

    def drop_caches(self):
        self.target.kept = None

    def close(self):
        self.drop_caches()
        self.target.weights = {}


class NumpyTarget:
    """Implements ``decode.target.Target``; weights by their names in the file."""

    prefill_chunk = CHUNK
    rewindable = True
    supports_trees = True
    widest_tree = ANY_WIDTH
    exactness = "token"
    near_tie_margin = 1e-3

    def __init__(self, config, weights, max_context=0):
        self.config, self.weights = config, weights
        own = config["max_position_embeddings"]
        self.max_context = min(max_context, own) if max_context else own
        self.vocab_size = config["vocab_size"]
        self.kept = None  # ids and cache of the sequence that was closed last

    def open(self, prompt_ids):
        if len(prompt_ids) >= self.max_context:
            raise ScopeTooLarge(f"The prompt has {len(prompt_ids)} tokens: edit fewer lines.")
        ids, cache = self.kept or ([], None)
        same = next(
            (i for i, (a, b) in enumerate(zip(ids, prompt_ids, strict=False)) if a != b),
            min(len(ids), len(prompt_ids) - 1),
        )
        same -= same % CHUNK
        if cache is None or not same:
            return NumpySequence(self, [], KVCache(self.config))
        self.kept = None  # it is another's now
        return NumpySequence(self, ids[:same], cache)

    def forward(self, token_ids, positions, cache, base, mask):
        """Logits ``[rows, vocab_size]``; keys and values go into ``cache`` behind ``base``."""
        config, size = self.config, self.config["head_dim"]
        heads, groups = config["num_attention_heads"], config["num_key_value_heads"]
        rows = len(token_ids)
        angle = np.arange(0, size, 2, dtype=np.float32) / size
        angle = np.asarray(positions, np.float32)[:, None] / (
            np.float32(config["rope_parameters"]["rope_theta"]) ** angle
        )
        cos, sin = np.cos(np.tile(angle, 2)), np.sin(np.tile(angle, 2))
        cache.reserve(base + rows)
        x = self.weights["model.embed_tokens.weight"][token_ids]
        for layer in range(config["num_hidden_layers"]):
            name = f"model.layers.{layer}."
            h = self._norm(x, f"{name}input_layernorm")
            q = self._linear(h, f"{name}self_attn.q_proj").reshape(rows, heads, size)
            k = self._linear(h, f"{name}self_attn.k_proj").reshape(rows, groups, size)
            v = self._linear(h, f"{name}self_attn.v_proj").reshape(rows, groups, size)
            keys, values = cache.write(layer, base, _rotated(k, cos, sin), v)
            q = _rotated(q, cos, sin).reshape(rows, groups, heads // groups, size)
            scores = np.einsum("rghd,gkd->ghrk", q, keys, optimize=True) / np.float32(size**0.5)
            scores = np.where(mask, scores, np.float32(-np.inf))
            scores = np.exp(scores - scores.max(-1, keepdims=True))
            scores /= scores.sum(-1, keepdims=True)
            mixed = np.einsum("ghrk,gkd->rghd", scores, values, optimize=True)
            x = x + self._linear(mixed.reshape(rows, heads * size), f"{name}self_attn.o_proj")
            h = self._norm(x, f"{name}post_attention_layernorm")
            gate = self._linear(h, f"{name}mlp.gate_proj")
            gate = gate / (1 + np.exp(-np.clip(gate, -80, None)))
            x = x + self._linear(
                gate * self._linear(h, f"{name}mlp.up_proj"), f"{name}mlp.down_proj"
            )
        head = "model.embed_tokens" if config["tie_word_embeddings"] else "lm_head"
        return self._linear(self._norm(x, "model.norm"), head)

    def _linear(self, x, name):
        bias = self.weights.get(f"{name}.bias")
        product = x @ self.weights[f"{name}.weight"].T
        return product if bias is None else product + bias

    def _norm(self, x, name):
        mean = np.square(x).mean(-1, keepdims=True)
        scale = self.weights[f"{name}.weight"]
        return x / np.sqrt(mean + np.float32(self.config["rms_norm_eps"])) * scale


class KVCache:
    """Keys and values of one sequence, ``[groups, capacity, size]`` a layer."""

    def __init__(self, config):
        self.shape = (config["num_key_value_heads"], config["head_dim"])
        self.layers = [self._empty(0) for _ in range(config["num_hidden_layers"])]

    @property
    def nbytes(self):
        return sum(half.nbytes for layer in self.layers for half in layer)

    def _empty(self, capacity):
        groups, size = self.shape
        return [np.zeros((groups, capacity, size), np.float32) for _ in range(2)]

    def reserve(self, length):
        """Room for so many tokens, by doubling."""
        capacity = self.layers[0][0].shape[1]
        if length > capacity:
            for number, layer in enumerate(self.layers):
                grown = self._empty(max(length, 2 * capacity))
                for old, new in zip(layer, grown, strict=True):
                    new[:, :capacity] = old
                self.layers[number] = grown

    def write(self, layer, base, keys, values):
        """Put rows ``[rows, groups, size]`` at ``base``; all keys and values up to their end."""
        end = base + len(keys)
        for half, new in zip(self.layers[layer], (keys, values), strict=True):
            half[:, base:end] = new.transpose(1, 0, 2)
        return [half[:, :end] for half in self.layers[layer]]

    def gather(self, base, places):
        """Move the rows at ``places`` behind ``base``."""
        for layer in self.layers:
            for half in layer:
                half[:, base : base + len(places)] = half[:, places]


class NumpySequence:
    """Implements ``decode.target.TargetSequence``, and ``draw`` for models that draft."""

    def __init__(self, target, ids, cache):
        self.target, self.ids, self.cache = target, list(ids), cache
        self.cached_tokens = len(self.ids)

    @property
    def length(self):
        return len(self.ids)

    def prefill(self, token_ids):
        self._pass(token_ids)

    def verify(self, token_ids, sampling, *, parents=None, draft_probs=None, allowed=None):
        base = self.length
        depths = _depths(token_ids, parents)
        logits = self._pass(token_ids, parents)
        where = [base + 1 + depth for depth in depths]
        return choose(logits, sampling, where, list(token_ids), draft_probs, allowed, parents)

    def draw(self, token_ids, sampling, *, vocab_size=0, allowed=None, independent=False):
        logits = self._pass(token_ids)[-1:, : vocab_size or None]
        return draw(logits, sampling, self.length, allowed=allowed, independent=independent)

    def crop(self, length):
        del self.ids[length:]

    def keep_branch(self, base, rows):
        places = [base + row for row in rows]
        self.cache.gather(base, places)
        self.ids[base:] = [self.ids[place] for place in places]

    def close(self):
        if self.cache is not None:
            self.target.kept = (self.ids, self.cache)
            self.cache = None

    def _pass(self, token_ids, parents=None):
        base, rows = self.length, len(token_ids)
        mask = np.ones((rows, base + rows), bool)
        mask[:, base:] = _sees(rows, parents)
        positions = [base + depth for depth in _depths(token_ids, parents)]
        logits = self.target.forward(list(token_ids), positions, self.cache, base, mask)
        self.ids += token_ids
        return logits


def _rotated(x, cos, sin):
    half = x.shape[-1] // 2
    turned = np.concatenate([-x[..., half:], x[..., :half]], -1)
    return x * cos[:, None] + turned * sin[:, None]


def _depths(token_ids, parents):
    if parents is None:
        return list(range(len(token_ids)))
    depths = [0]
    for parent in parents:
        depths.append(depths[parent + 1] + 1)
    return depths


def _sees(rows, parents):
    """A matrix of booleans: which of the new rows (columns) each row sees."""
    if parents is None:
        return np.tril(np.ones((rows, rows), bool))
    seen = np.eye(rows, dtype=bool)
    for row, parent in enumerate(parents, start=1):
        seen[row] |= seen[parent + 1]
    return seen
