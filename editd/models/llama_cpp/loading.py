"""Loads a GGUF file: find the library, check, load, test exactness, measure memory."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from time import perf_counter, thread_time

from editd.decode.costs import GPU_SHAPE, QUANTISED_CPU_SHAPE
from editd.errors import OutOfMemory
from editd.models.llama_cpp.header import described_folder, end_candidates, quality_notice
from editd.models.llama_cpp.library import load_library
from editd.models.llama_cpp.own_tokenizer import codec_in
from editd.models.llama_cpp.placement import placement_of
from editd.models.llama_cpp.target import LlamaTarget
from editd.models.llama_cpp.weights import Weights, check_file
from editd.models.loaded_model import LoadedModel, prefix_cache_limit
from editd.models.machine import FreeCores, usable_cores
from editd.models.model import ModelSpec, Progress, Timing
from editd.models.model_folder import edit_format, read_manifest
from editd.models.text.chat_template import load_chat, turn_end_ids
from editd.stores.hub import expand_home


@dataclass(eq=False)
class LlamaModel(LoadedModel):
    """A GGUF file in memory."""

    target: LlamaTarget
    threads: int
    file: Path

    @property
    def timing(self) -> Timing:
        """The clock (the computing thread's own if a single CPU thread computes, else the wall's),
        the first guess of costs, and the key of stored ones: build, file, size, device and threads.
        """
        alone = self.device == "cpu" and self.threads == 1
        key = (self.target.runs, str(self.file), self.weights_bytes, self.device, self.threads)
        shape = QUANTISED_CPU_SHAPE if self.device == "cpu" else GPU_SHAPE
        return Timing(thread_time if alone else perf_counter, shape, key)

    def interrupt(self) -> None:
        """End the pass that is running; it raises ``EditCancelled``. From any thread."""
        self.target.cancel()


def load(
    spec: ModelSpec, progress: Progress | None = None, *, most_bytes: int | None = None
) -> LlamaModel:
    """Load a ``.gguf`` file onto llama.cpp; parameters and exceptions as in ``model.Backend.load``.

    Checks the file, the library and the memory first; in ``bitwise`` exactness proves it with
    passes of the model, which may raise ``ConfigError``. Raises ``EditCancelled`` once ``progress``
    returns ``False``; the weights are freed then.
    """
    report: Progress = progress or (lambda _fraction: None)
    report(0.0)
    file = expand_home(spec.name)
    # 1. Look before loading.
    check_file(file)
    library = load_library()
    plan = placement_of(file, spec.device, most_bytes=most_bytes)
    if refusal := plan.refusal():
        raise OutOfMemory(refusal)
    # 2. The tokenizer first: it is quick, and may be what is wrong.
    folder = described_folder(file)
    report(0.1)
    # Chat templates take transformers, whose import takes as long as llama.cpp takes for the file.
    with ThreadPoolExecutor(1) as executor:
        chat = executor.submit(load_chat, folder)
        weights = Weights(
            library,
            file,
            layers_on_gpu=plan.layers_on_gpu,
            devices=[device.handle for device in plan.devices],
            repack=spec.exactness != "bitwise",
            progress=lambda done: report(0.1 + 0.8 * done),
        )
    threads = spec.threads or usable_cores()
    is_fixed = bool(spec.threads or plan.layers_on_gpu or spec.exactness == "bitwise")
    limit = 0 if most_bytes is None else max(1, most_bytes - weights.nbytes)
    try:
        codec = codec_in(folder, vocab_size=weights.vocab_size)
        target = LlamaTarget(
            weights,
            max_context=min(spec.max_context or plan.longest, plan.longest),
            threads=threads,
            free_cores=None if is_fixed else FreeCores(),
            cache_bytes=prefix_cache_limit(plan.free_bytes),
            kv_limit_bytes=limit,
            bitwise=spec.exactness == "bitwise",
            progress=lambda done: report(0.9 + 0.1 * done),
        )
    except BaseException:
        weights.close()
        raise
    render_chat, end_ids, control = chat.result(), weights.stop_ids(), end_candidates(folder)
    manifest = read_manifest(file.parent)
    has_template = render_chat is not None or edit_format(manifest) is not None
    report(1.0)
    return LlamaModel(
        name=spec.name,
        target=target,
        codec=codec,
        # Some files type their end as plain text; the template knows better.
        stop_ids=(end_ids & control) | turn_end_ids(render_chat, codec.id_of, end_ids | control),
        render_chat=render_chat,
        tokenizer_folder=folder,
        dtype=weights.describe(),
        device=plan.location,
        threads=threads,
        weights_bytes=weights.nbytes,
        parameters=weights.parameters,
        file=file,
        manifest=manifest,
        notice=quality_notice(folder, file.name, has_template=has_template),
    )
