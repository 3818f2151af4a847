"""A GGUF file's weights: loaded by llama.cpp with progress, or refused in one sentence.

The tokenizer and the chat template are read by ``header``.
"""

from __future__ import annotations

import ctypes
import os
import re
import sys
from collections.abc import Sequence
from pathlib import Path

from editd.errors import EditCancelled, ModelDamaged, ModelNotFound, ModelUnsupported, OutOfMemory
from editd.models.llama_cpp.layouts import set_known
from editd.models.llama_cpp.library import PROGRESS, Library
from editd.models.model import Progress
from editd.models.model_folder import check_regular

_MAGIC = b"GGUF"
_VERSIONS = (2, 3)
_SPLIT = re.compile(r"-(\d{5})-of-(\d{5})\.gguf$")
_MMAP = 1  # LLAMA_LOAD_MODE_MMAP: pages come in as they are used and can be given back


class Weights:
    """A loaded file.

    layers_on_gpu: how many of its layers go to ``devices``, llama.cpp's handles.
    repack: weights may be laid out anew for a CPU's fastest kernels, which round otherwise.

    Raises ``ModelNotFound``, ``ModelDamaged``, ``ModelUnsupported``, ``OutOfMemory``, or ``EditCancelled`` once
    ``progress`` returns ``False``.
    """

    def __init__(
        self,
        library: Library,
        file: Path,
        *,
        layers_on_gpu: int = 0,
        devices: Sequence[int] = (),
        repack: bool = True,
        progress: Progress = lambda _fraction: None,
    ) -> None:
        check_file(file)
        self.library, self.file, self.layers_on_gpu = library, file, layers_on_gpu
        library.take_errors()

        cancelled = False

        def tell(fraction: float, _: object) -> bool:
            nonlocal cancelled
            cancelled = cancelled or progress(fraction) is False
            return not cancelled

        callback = PROGRESS(tell)
        ends_in_null = (ctypes.c_void_p * (len(devices) + 1))(*devices)
        params = library.llama_model_default_params()
        set_known(
            params,
            {
                "devices": ctypes.addressof(ends_in_null),
                "n_gpu_layers": layers_on_gpu,
                "load_mode": _MMAP,
                "use_extra_bufts": repack,
                "progress_callback": ctypes.cast(callback, ctypes.c_void_p),
            },
        )
        self.handle = library.llama_model_load_from_file(os.fsencode(file), params)
        if not self.handle:
            if cancelled:
                raise EditCancelled("The edit was cancelled while its model was loading.")
            raise _load_error(file, library.take_errors())
        if library.llama_model_has_encoder(self.handle) or library.llama_model_is_diffusion(
            self.handle
        ):
            self.close()
            raise ModelUnsupported(
                f"{file.name} does not write text from left to right: choose a causal model."
            )
        self.vocab_size: int = library.llama_vocab_n_tokens(
            library.llama_model_get_vocab(self.handle)
        )
        self.context_length: int = library.llama_model_n_ctx_train(self.handle)
        self.nbytes: int = library.llama_model_size(self.handle)
        self.parameters: int = library.llama_model_n_params(self.handle)
        # Tokens that a layer with a sliding window sees; 0: every layer sees all.
        self.window: int = max(library.llama_model_n_swa(self.handle), 0)
        # Whether some layers keep a state that each token changes, beside keys and values or alone.
        self.is_recurrent: bool = library.llama_model_is_recurrent(
            self.handle
        ) or library.llama_model_is_hybrid(self.handle)

    def stop_ids(self) -> frozenset[int]:
        """The tokens that llama.cpp takes for ends, some by their word alone, even if they are
        plain text (``header.end_candidates``).
        """
        vocab = self.library.llama_model_get_vocab(self.handle)
        ends = self.library.llama_vocab_is_eog
        return frozenset(i for i in range(self.vocab_size) if ends(vocab, i))

    def describe(self) -> str:
        """Architecture, size and quantisation in llama.cpp's words, such as ``qwen2 1B Q4_K``."""
        buffer = ctypes.create_string_buffer(256)
        self.library.llama_model_desc(self.handle, buffer, len(buffer))
        return buffer.value.decode(errors="replace")

    def close(self) -> None:
        """Free the weights, after all contexts on them were closed. Safe to call twice."""
        if self.handle:
            self.library.llama_model_free(self.handle)
        self.handle = None


def check_file(file: Path) -> None:
    """Raise an error if ``file``, or a part of a split model, cannot be a GGUF file; reads only its
    first eight bytes.

    ``ModelNotFound`` if it cannot be opened, is not the first part, or a part is missing;
    ``ModelDamaged`` for another kind of file, a pipe or a device; ``ModelUnsupported`` for an
    unknown version of GGUF.
    """
    check_regular(*parts_of(file))
    try:
        with file.open("rb") as opened:
            magic, version = opened.read(len(_MAGIC)), opened.read(4)
    except OSError as error:
        reason = error.strerror or "cannot be read"
        raise ModelNotFound(f"{file}: {reason}; check the path, or see `editd models`.") from error
    if magic != _MAGIC:
        raise ModelDamaged(f"{file} is not a GGUF file: choose another, or download it again.")
    if len(version) == 4 and int.from_bytes(version, sys.byteorder) not in _VERSIONS:
        raise ModelUnsupported(
            f"{file} has GGUF version {int.from_bytes(version, sys.byteorder)}, and editd reads "
            f"{_VERSIONS[-1]}: install a newer editd, or download another copy."
        )
    parts = parts_of(file)
    if file != parts[0]:
        raise ModelNotFound(
            f"{file.name} is one part of {len(parts)}: name the first, {parts[0].name}."
        )
    if missing := [part for part in parts if not part.is_file()]:
        raise ModelNotFound(
            f"{file.name} has {len(parts)} parts and {missing[0].name} is missing: put it beside the "
            "others."
        )


def parts_of(file: Path) -> list[Path]:
    """The files of a split model, the first of them first, by the name of any part; ``[file]`` if
    the name is not that of a part. No file is looked at.
    """
    part = _SPLIT.search(file.name)
    if part is None:
        return [file]
    stem, count = file.name[: part.start()], int(part[2])
    return [file.with_name(f"{stem}-{n:05}-of-{count:05}.gguf") for n in range(1, count + 1)]


def _load_error(file: Path, log: str) -> Exception:
    """The exception for messages that llama.cpp logged while it failed to load ``file``; returned,
    not raised.

    ``ModelUnsupported`` for an unknown architecture or tokenizer, ``OutOfMemory`` for a failed
    allocation, else ``ModelDamaged``.
    """
    if re.search(r"unknown model architecture|unknown (pre-)?tokenizer|unsupported", log):
        return ModelUnsupported(
            f"This llama.cpp cannot run {file.name} ({_first_message(log)}): install a newer one."
        )
    if re.search(r"alloc|memory", log) and not re.search(r"bounds|truncat|magic", log):
        return OutOfMemory(f"There is no room for {file.name}: choose a smaller quantisation.")
    return ModelDamaged(
        f"llama.cpp cannot read {file.name} ({_first_message(log) or 'no reason given'}): "
        "download it again, or install a newer llama.cpp."
    )


def _first_message(log: str) -> str:
    """The first of several messages, without the name of the function that logged it."""
    return re.sub(r"^\w+: ", "", log.split("; ", maxsplit=1)[0])[:200]
