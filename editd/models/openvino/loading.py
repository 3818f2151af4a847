"""Loads and plans a model on OpenVINO: convert once, build the graph, prove how many rows a pass may have, join."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path
from time import perf_counter, thread_time
from typing import Any

from editd.errors import ConfigError, ModelUnsupported, OutOfMemory
from editd.files.local_cache import keep, recall
from editd.models.llama_cpp.header import described_folder, end_candidates, quality_notice
from editd.models.llama_cpp.own_tokenizer import codec_in
from editd.models.llama_cpp.weights import check_file, parts_of
from editd.models.loaded_model import LoadedModel, prefix_cache_limit
from editd.models.machine import (
    EDIT_TOKENS,
    Report,
    free_memory,
    processor,
    too_little,
    usable_cores,
)
from editd.models.model import ModelSpec, Progress, Timing, watched
from editd.models.model_folder import edit_format, open_checkpoint, read_manifest, weight_files
from editd.models.openvino import require_library
from editd.models.openvino.converting import Conversion, PendingConversion
from editd.models.openvino.own_format import GraphFolder, is_graph_folder, open_folder
from editd.models.openvino.reading import read_file, read_folder
from editd.models.openvino.weights import Graph, Sizes
from editd.models.text.chat_template import RenderChat, load_chat, turn_end_ids
from editd.models.text.codec import ModelCodec, stop_ids
from editd.stores.hub import gigabytes

_WORKSPACE = 256 << 20  # activations, logits and OpenVINO's own
_STATES = 8  # of a sequence: two it goes on from, rows that take as much as three, and some marks
_CONVERTED = "The model was converted for OpenVINO, once: {} in editd's cache (to delete it: editd models clean)."
# Rows of a pass, and its cost: between SmolLM2-135M and Qwen2.5-Coder-0.5B (docs/explanation/backends.md).
_PASS_COSTS = (
    *((1, 1.0), (2, 1.0), (4, 1.1), (8, 1.25), (16, 1.6), (32, 2.3)),
    *((64, 3.9), (128, 7.2), (256, 14.4)),
)
# Words of control tokens that end an answer whatever the header says, as llama.cpp has them.
_END_WORDS = (
    *("<|eot_id|>", "<|eom_id|>", "<|im_end|>", "<|end|>", "<end_of_turn>", "<|endoftext|>"),
    *("<|end_of_text|>", "<EOT>", "_<EOT>", "<|return|>", "<|call|>", "<|fim_pad|>"),
    *("<|repo_name|>", "<|file_sep|>", "</s>"),
)


@dataclass(eq=False)
class OpenVinoModel(LoadedModel):
    """A model in memory that OpenVINO runs. key: of its round costs."""

    threads: int
    key: tuple[Any, ...]

    @property
    def timing(self) -> Timing:
        """The computing thread's clock if a single thread computes, else the wall's."""
        key = ("openvino", version("openvino"), *self.key, self.weights_bytes, self.threads)
        return Timing(thread_time if self.threads == 1 else perf_counter, _PASS_COSTS, key)


@dataclass(frozen=True, slots=True)
class LocatedModel:
    """A model's network, and the folder of its tokenizer; no weights have been read.

    end_candidates: as ``header`` names them.
    """

    network: Conversion | GraphFolder
    tokenizer: Path
    manifest: dict[str, Any]
    end_candidates: frozenset[int] = frozenset()


def load(
    spec: ModelSpec, progress: Progress | None = None, *, most_bytes: int | None = None
) -> OpenVinoModel:
    """Load a ``.gguf`` file, or a folder with safetensors or in OpenVINO's format; parameters and
    exceptions as ``model.Backend.load``.

    Converts the weights if they are not in the cache, and proves the widths of passes once for a
    machine; both are recorded in the user's cache. Raises ``ConfigError`` for a device other than
    the CPU, ``EditCancelled`` once ``progress`` returns ``False``.
    """
    require_library()
    report = watched(progress)
    report(0.0)
    # 1. Look before loading.
    if spec.device not in ("auto", "cpu"):
        raise ConfigError(
            f"model.device is {spec.device}, and editd runs OpenVINO on the CPU: set model.device to cpu, "
            "or model.engine to local."
        )
    found = locate(spec)
    # 2. The weights as OpenVINO reads them: converted the first time, which takes longest.
    graph = found.network.open_graph(lambda done: report(0.1 + 0.5 * done))
    source = found.network.source
    if refusal := too_little(source.name, _needed_bytes(graph.sizes), free_memory(), most_bytes):
        raise OutOfMemory(refusal)
    report(0.6)
    threads = spec.threads or usable_cores()
    with ThreadPoolExecutor(1) as executor:
        chat = executor.submit(load_chat, found.tokenizer)
        codec = codec_in(found.tokenizer, vocab_size=graph.vocab_size)
        # 3. The graph, compiled and proved.
        target = _make_target(spec, graph, found.network, threads, most_bytes)
    render_chat = chat.result()
    report(1.0)
    converted = _CONVERTED.format(gigabytes(graph.sizes.nbytes)) if graph.is_new else ""
    has_template = render_chat is not None or edit_format(found.manifest) is not None
    lacks = quality_notice(found.tokenizer, source.name, has_template=has_template)
    return OpenVinoModel(
        name=spec.name,
        target=target,
        codec=codec,
        stop_ids=_stop_ids(found, codec, render_chat),
        render_chat=render_chat,
        tokenizer_folder=found.tokenizer,
        dtype=" and ".join(graph.kinds[:2]),
        device="cpu",
        threads=threads,
        key=(str(source),),
        weights_bytes=graph.sizes.nbytes,
        parameters=graph.parameters,
        manifest=found.manifest,
        notice=" ".join(filter(None, (converted, lacks))),
    )


def locate(spec: ModelSpec) -> LocatedModel:
    """The network, tokenizer and manifest of the model that ``spec`` names: a GGUF file, a folder
    in OpenVINO's format, or one with safetensors. Reads headers alone.

    Raises ``ModelNotFound``, ``ModelDamaged`` or ``ModelUnsupported``.
    """
    path = Path(spec.name).expanduser()
    if path.suffix.lower() == ".gguf" or path.is_file():
        check_file(path)
        folder = described_folder(path)
        conversion = Conversion(path, parts_of(path), lambda: read_file(path))
        return LocatedModel(conversion, folder, read_manifest(path.parent), end_candidates(folder))
    if is_graph_folder(path):
        path = path.resolve()
        return LocatedModel(open_folder(path), path, read_manifest(path))
    checkpoint = open_checkpoint(spec.name)
    folder = checkpoint.folder
    files = [folder / "config.json", *weight_files(folder)]
    conversion = Conversion(folder, files, lambda: read_folder(folder, checkpoint.config))
    return LocatedModel(conversion, folder, checkpoint.manifest)


def pending_conversion(spec: ModelSpec) -> PendingConversion | None:
    """The conversion that loading ``spec`` would begin with; ``None`` if it is done, or the model comes in OpenVINO's own format.

    Raises as ``locate``.
    """
    network = locate(spec).network
    return network.pending() if isinstance(network, Conversion) else None


def _make_target(
    spec: ModelSpec,
    graph: Graph,
    network: Conversion | GraphFolder,
    threads: int,
    most_bytes: int | None,
) -> Any:
    """Compile the network and prove its widths, unless that is recorded in the cache, where it is
    recorded then; returns the target, warmed up.

    most_bytes: the user's limit for the model with its caches; ``None`` for no limit. Raises
    ``ModelUnsupported`` if no width is exact, or this OpenVINO cannot run the network, and
    ``OutOfMemory``.
    """
    from editd.models.openvino.paged import PagedNetwork, find_exact_widths
    from editd.models.openvino.states import HybridPaging
    from editd.models.openvino.target import OpenVinoTarget

    limit = graph.sizes.context
    context = min(spec.max_context or limit, limit)
    prefix_bytes = prefix_cache_limit(free_memory())
    # Space for an edit, for a second one at the same time, and for caches of closed sequences.
    paging: dict[str, Any] = {
        "threads": threads,
        "tokens": 2 * context,
        "cache_bytes": prefix_bytes,
        "constants": graph.constants,
    }
    if graph.settling is None:
        paged = PagedNetwork(graph.model, **paging)
    else:
        paged = HybridPaging(graph.model, graph.settling, **paging)
    key = f"exact widths on {processor()}, {threads} threads, openvino {version('openvino')}"
    widths = recall(key, network.name)
    if widths is None:
        widths = find_exact_widths(paged, graph.vocab_size)
        keep(key, network.name, widths)
    paged.least, widest = widths
    paged.warm_up()
    if graph.constants is not None:
        graph.constants.forget_pages()  # OpenVINO has laid them out for its kernels
    if not widest:
        paged.close()
        raise ModelUnsupported(
            f"OpenVINO gives the rows of {network.source.name} other bits in passes of other widths on this "
            "processor: set model.engine to llama.cpp."
        )
    return OpenVinoTarget(
        paged,
        graph.vocab_size,
        widest=widest,
        max_context=context,
        cache_bytes=prefix_bytes,
        kv_limit_bytes=0 if most_bytes is None else max(1, most_bytes - graph.sizes.nbytes),
        runs=f"OpenVINO {version('openvino')}",
    )


def plan_on_openvino(name: str, spec: ModelSpec, why: str = "") -> Report:
    """The memory plan of the model that ``spec`` names, from headers, whether it fits or not;
    converts nothing.

    name: for users. why: the reason for this engine, for a person. Raises as ``locate``, and
    ``ModelUnsupported`` for a network that editd does not build.
    """
    sizes = locate(spec).network.sizes()
    limit, token_bytes, size, _ = sizes
    needed, free = _needed_bytes(sizes), free_memory()
    because = f" ({why})" if why else ""
    return Report(
        name=name,
        runs=f"on OpenVINO{because}",
        refusal=too_little(name, needed, free),
        weights_bytes=size,
        needed_bytes=needed,
        context=max(
            0,
            min(
                limit,
                spec.max_context or limit,
                (free - size - _WORKSPACE - _STATES * sizes.state_bytes) // token_bytes,
            ),
        ),
    )


def _needed_bytes(sizes: Sizes) -> int:
    """Bytes of weights, working space, and the keys, values and states of a usual edit."""
    cached = sizes.token_bytes * min(EDIT_TOKENS, sizes.context) + _STATES * sizes.state_bytes
    return sizes.nbytes + cached + _WORKSPACE


def _stop_ids(
    found: LocatedModel, codec: ModelCodec, render_chat: RenderChat | None
) -> frozenset[int]:
    """End tokens named by the model's files, control tokens with an end's word, and the token that
    its chat template ends an answer with.
    """
    by_files = stop_ids(found.tokenizer, codec)
    by_word = {token_id for word in _END_WORDS if (token_id := codec.id_of(word)) is not None}
    in_turns = turn_end_ids(render_chat, codec.id_of, found.end_candidates | by_word)
    return by_files | (found.end_candidates & by_word) | in_turns
