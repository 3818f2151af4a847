"""llama.cpp's shared library: the places to find it, the functions that are used, and the check of its build.

Knows C functions and struct layouts, nothing of tokens or models. The library is found, never compiled or downloaded:
a path set by the user, a build that the user fetched (``builds``), the ``xllamacpp`` package (editd's extra
``llama``), ``llama-cpp-python``, or a library installed by Homebrew or the system, in this order. Its layout is
checked before anything else is called (``layouts``).
"""

from __future__ import annotations

import ctypes
import ctypes.util
import importlib.util
import os
import sys
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

from editd.errors import ModelUnsupported
from editd.installed import with_extra
from editd.models.llama_cpp import builds, layouts

PATH_VARIABLE = "EDITD_LLAMA_CPP"

_PACKAGES = ("xllamacpp", "llama_cpp")

_INT, _BOOL, _SIZE = ctypes.c_int32, ctypes.c_bool, ctypes.c_size_t
_P, _TEXT, _LONG = ctypes.c_void_p, ctypes.c_char_p, ctypes.c_uint64
_GPU, _IGPU = 1, 2  # ggml_backend_dev_type

# (level, text, user data) -> None; llama.cpp logs prompts and file names to stderr otherwise.
LOG = ctypes.CFUNCTYPE(None, ctypes.c_int, _TEXT, _P)

PROGRESS = ctypes.CFUNCTYPE(_BOOL, ctypes.c_float, _P)


class Device(NamedTuple):
    """An accelerator.

    name: llama.cpp's, such as ``CUDA0``.
    handle: ``ggml_backend_dev_t``.
    free, total: bytes of its memory.
    description: its maker's name for it.
    shared: its memory is the processor's.
    largest: bytes of the largest tensor there (at a larger one llama.cpp ends the process); 0 if unknown.
    """

    name: str
    handle: int
    free: int
    total: int = 0
    description: str = ""
    shared: bool = False
    largest: int = 0


class Batch(ctypes.Structure):
    """``llama_batch``: the rows of one pass."""

    _fields_ = (
        ("n_tokens", _INT),
        ("token", ctypes.POINTER(_INT)),
        ("embd", _P),
        ("pos", ctypes.POINTER(_INT)),
        ("n_seq_id", ctypes.POINTER(_INT)),
        ("seq_id", ctypes.POINTER(ctypes.POINTER(_INT))),
        ("logits", ctypes.POINTER(ctypes.c_int8)),
    )


# name: (result, arguments); ``None`` is void. A build that lacks any of these is refused.
_FUNCTIONS: dict[str, tuple[Any, tuple[Any, ...]]] = {
    "llama_backend_init": (None, ()),
    "llama_log_set": (None, (_P, _P)),
    "llama_model_free": (None, (_P,)),
    "llama_free": (None, (_P,)),
    "llama_get_memory": (_P, (_P,)),
    "llama_model_get_vocab": (_P, (_P,)),
    "llama_vocab_n_tokens": (_INT, (_P,)),
    "llama_vocab_is_eog": (_BOOL, (_P, _INT)),
    "llama_vocab_is_control": (_BOOL, (_P, _INT)),
    "llama_vocab_type": (ctypes.c_int, (_P,)),
    "llama_vocab_bos": (_INT, (_P,)),
    "llama_vocab_get_add_bos": (_BOOL, (_P,)),
    "llama_vocab_get_text": (_TEXT, (_P, _INT)),
    "llama_tokenize": (_INT, (_P, _TEXT, _INT, _P, _INT, _BOOL, _BOOL)),
    "llama_token_to_piece": (_INT, (_P, _INT, _P, _INT, _INT, _BOOL)),
    "llama_model_n_ctx_train": (_INT, (_P,)),
    "llama_model_size": (_LONG, (_P,)),
    "llama_model_n_params": (_LONG, (_P,)),
    "llama_model_desc": (_INT, (_P, _TEXT, _SIZE)),
    "llama_model_n_swa": (_INT, (_P,)),
    "llama_model_is_recurrent": (_BOOL, (_P,)),
    "llama_model_is_hybrid": (_BOOL, (_P,)),
    "llama_model_is_diffusion": (_BOOL, (_P,)),
    "llama_model_has_encoder": (_BOOL, (_P,)),
    "llama_decode": (_INT, (_P, Batch)),
    "llama_get_logits": (ctypes.POINTER(ctypes.c_float), (_P,)),
    "llama_set_abort_callback": (None, (_P, _P, _P)),
    "llama_set_n_threads": (None, (_P, _INT, _INT)),
    "llama_memory_clear": (None, (_P, _BOOL)),
    "llama_memory_seq_rm": (_BOOL, (_P, _INT, _INT, _INT)),
    "llama_memory_seq_pos_min": (_INT, (_P, _INT)),
    "llama_memory_seq_cp": (None, (_P, _INT, _INT, _INT, _INT)),
    "llama_state_get_size": (_SIZE, (_P,)),
    "llama_state_get_data": (_SIZE, (_P, _P, _SIZE)),
    "llama_state_set_data": (_SIZE, (_P, _P, _SIZE)),
    "llama_state_seq_get_size": (_SIZE, (_P, _INT)),
    "llama_state_seq_get_size_ext": (_SIZE, (_P, _INT, ctypes.c_uint32)),
    "llama_state_seq_get_data_ext": (_SIZE, (_P, _P, _SIZE, _INT, ctypes.c_uint32)),
    "llama_state_seq_set_data_ext": (_SIZE, (_P, _P, _SIZE, _INT, ctypes.c_uint32)),
    "llama_state_seq_get_data": (_SIZE, (_P, _P, _SIZE, _INT)),
    "llama_state_seq_set_data": (_SIZE, (_P, _P, _SIZE, _INT)),
    "ggml_backend_dev_count": (_SIZE, ()),
    "ggml_backend_dev_get": (_P, (_SIZE,)),
    "ggml_backend_dev_name": (_TEXT, (_P,)),
    "ggml_backend_dev_description": (_TEXT, (_P,)),
    "ggml_backend_dev_type": (ctypes.c_int, (_P,)),
    "ggml_backend_dev_memory": (None, (_P, ctypes.POINTER(_SIZE), ctypes.POINTER(_SIZE))),
    "ggml_backend_dev_buffer_type": (_P, (_P,)),
    "ggml_backend_buft_get_max_size": (_SIZE, (_P,)),
    "ggml_backend_load_all_from_path": (None, (_TEXT,)),
}


class Library:
    """A loaded library; functions are its attributes, with their C names.

    errors: messages that it logged as errors since the last ``take_errors``, oldest first. Raises
    ``ModelUnsupported`` if it cannot be loaded, or its build is unknown.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self.errors: list[str] = []
        # Else an assertion of its own has a debugger print the whole stack before the process ends.
        os.environ.setdefault("GGML_NO_BACKTRACE", "1")
        try:
            self._library = ctypes.CDLL(str(path))
        except OSError as error:
            raise ModelUnsupported(
                f"{path} cannot be loaded as llama.cpp's library ({error}): {self._remedy()}."
            ) from error
        self._bind()
        self._logger = LOG(self._log)  # kept alive as long as the library may call it
        self.llama_log_set(ctypes.cast(self._logger, _P), None)
        self.llama_backend_init()
        if not self.ggml_backend_dev_count():  # its devices are plug-ins that lie beside it
            self.ggml_backend_load_all_from_path(os.fsencode(path.parent))

    def __getattr__(self, name: str) -> Any:
        return getattr(self._library, name)

    def _bind(self) -> None:
        """Set the result and argument types of all functions that are used, by the layout of this
        build.

        Raises ``ModelUnsupported`` for a missing function or an unknown layout.
        """
        lacking = [name for name in _FUNCTIONS if not hasattr(self._library, name)]
        if lacking:
            raise ModelUnsupported(
                f"{self.path} is not a llama.cpp library that editd supports ({lacking[0]} is "
                f"missing): {self._remedy()}."
            )
        for name, (result, arguments) in _FUNCTIONS.items():
            function = getattr(self._library, name)
            function.restype, function.argtypes = result, list(arguments)
        library = self._library
        try:
            model = layouts.model_params(library.llama_model_default_params)
            context = layouts.context_params(library.llama_context_default_params)
        except (layouts.UnknownLayout, AttributeError) as error:
            raise ModelUnsupported(
                f"{self.path} was built from a version of llama.cpp that editd does not support: "
                f"{self._remedy()}."
            ) from error
        library.llama_model_load_from_file.restype = _P
        library.llama_model_load_from_file.argtypes = [_TEXT, model]
        library.llama_init_from_model.restype = _P
        library.llama_init_from_model.argtypes = [_P, context]

    def _log(self, level: int, text: bytes | None, _: object) -> None:
        """Add a message to ``errors`` if its level is that of errors; the last 20 stay. llama.cpp's
        log callback.
        """
        if level == 4 and text:  # GGML_LOG_LEVEL_ERROR
            self.errors = [*self.errors[-19:], text.decode(errors="replace").strip()]

    def _remedy(self) -> str:
        """A remedy for this library, as the end of a sentence: remove it or fetch it again if editd
        fetched it, else install another.
        """
        if self.path.parent.parent == builds.builds_folder():
            return (
                f"remove {self.path.parent}, or fetch it again (`editd models pull {builds.NAME}`)"
            )
        return _remedy()

    def take_errors(self) -> str:
        """The errors logged since the last call, joined by ``; ``, empty if there were none;
        forgets them.
        """
        messages, self.errors = "; ".join(self.errors), []
        return messages

    def devices(self) -> list[Device]:
        """The library's GPUs, discrete and integrated, with their free memory at this moment; empty
        if it sees none.
        """
        found = []
        for index in range(self.ggml_backend_dev_count()):
            device = self.ggml_backend_dev_get(index)
            kind = self.ggml_backend_dev_type(device)
            if kind in (_GPU, _IGPU):
                free, total = ctypes.c_size_t(), ctypes.c_size_t()
                self.ggml_backend_dev_memory(device, ctypes.byref(free), ctypes.byref(total))
                name = self.ggml_backend_dev_name(device).decode(errors="replace")
                about = self.ggml_backend_dev_description(device).decode(errors="replace")
                shared = kind == _IGPU
                largest = self.ggml_backend_buft_get_max_size(
                    self.ggml_backend_dev_buffer_type(device)
                )
                found.append(Device(name, device, free.value, total.value, about, shared, largest))
        return found

    @property
    def title(self) -> str:
        """The library's build, for a person: the folder of a fetched build, the Python package,
        else the path.
        """
        if self.path.parent.parent == builds.builds_folder():
            return f"llama.cpp {self.path.parent.name}"
        package = next((part for part in self.path.parts if part in _PACKAGES), "")
        return f"llama.cpp of {package}" if package else f"llama.cpp at {self.path}"


@cache
def load_library(path: str = "") -> Library:
    """Load the library at ``path``, or else the first that is found; once per process and path.

    Raises ``ModelUnsupported`` with a remedy if there is none, it cannot be loaded, or its build is
    unknown: no other is tried then.
    """
    for candidate in [Path(path)] if path else _candidates():
        return Library(candidate)
    raise ModelUnsupported(f"GGUF files run on llama.cpp, which is not installed: {_remedy()}.")


def is_library_installed() -> bool:
    """Whether ``load_library`` would find a library, known or not."""
    return next(_candidates(), None) is not None


def _candidates() -> Iterator[Path]:
    """Paths of libraries on this machine, most preferred first: ``EDITD_LLAMA_CPP`` alone if it is
    set (existing or not), else those that exist of a fetched build, Python packages, Homebrew and
    the system, in this order.
    """
    if user_path := os.environ.get(PATH_VARIABLE):
        yield Path(user_path)
        return
    if installed := builds.installed_library():
        yield installed
    suffix = "dylib" if sys.platform == "darwin" else "so"
    yield from _in_package("xllamacpp", f"xllamacpp*.{suffix}", "xllamacpp*.so")
    yield from _in_package("llama_cpp", f"lib/libllama.{suffix}")
    for folder in ("/opt/homebrew/lib", "/usr/local/lib"):
        if (found := Path(folder) / f"libllama.{suffix}").is_file():
            yield found
    if system := ctypes.util.find_library("llama"):
        yield Path(system)


def _in_package(name: str, *patterns: str) -> Iterator[Path]:
    """Files that match ``patterns`` in the folder of an installed package, whose code is not run;
    none if it is not installed.
    """
    spec = importlib.util.find_spec(name)
    for folder in (spec and spec.submodule_search_locations) or ():
        for pattern in patterns:
            yield from sorted(Path(folder).glob(pattern))


def _remedy() -> str:
    """The remedy for a missing library, as the end of a sentence."""
    return f"install it with {with_extra('llama')}, or name another in {PATH_VARIABLE}"
