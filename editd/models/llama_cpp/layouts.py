"""The parameter structs of llama.cpp, and the layout that a library was built with, told from its defaults.

llama.cpp passes parameters by value and inserts fields between releases, so a wrong layout would write numbers into
the wrong fields. Version numbers do not identify a layout, but the defaults do: a layout is accepted only if every
field of the library's default parameters has the expected value. Each struct ends in spare bytes, in case the
library's struct is larger.
"""

from __future__ import annotations

import ctypes
from collections.abc import Callable, Iterable, Mapping
from typing import Any

_UINT, _INT, _FLOAT, _BOOL = ctypes.c_uint32, ctypes.c_int32, ctypes.c_float, ctypes.c_bool
_POINTER, _SIZE = ctypes.c_void_p, ctypes.c_size_t
_SPARE = 256  # bytes; more than any two builds differ by

Field = tuple[str, type, Any]  # name, C type, the default value (a tuple: any of these)

_MODEL: list[Field] = [
    ("devices", _POINTER, None),
    ("tensor_buft_overrides", _POINTER, None),
    ("n_gpu_layers", _INT, (-1, 0, 999)),
    ("split_mode", _INT, 1),
    ("load_mode", _INT, (-1, 1)),
    ("lazy_mode", _INT, 1),
    ("main_gpu", _INT, 0),
    ("tensor_split", _POINTER, None),
    ("progress_callback", _POINTER, None),
    ("progress_callback_user_data", _POINTER, None),
    ("kv_overrides", _POINTER, None),
    ("vocab_only", _BOOL, False),
    ("use_mmap", _BOOL, True),
    ("use_direct_io", _BOOL, False),
    ("use_mlock", _BOOL, False),
    ("check_tensors", _BOOL, False),
    ("use_extra_bufts", _BOOL, True),
    ("no_host", _BOOL, False),
    ("no_alloc", _BOOL, False),
    ("load_mtp", _BOOL, False),
]
_CONTEXT: list[Field] = [
    ("n_ctx", _UINT, 512),
    ("n_batch", _UINT, 2048),
    ("n_ubatch", _UINT, 512),
    ("n_seq_max", _UINT, 1),
    ("n_rs_seq", _UINT, 0),
    ("n_outputs_max", _UINT, 0),
    ("n_outputs_max_per_seq", _UINT, (0, 1)),
    ("n_threads", _INT, range(1, 1025)),
    ("n_threads_batch", _INT, range(1, 1025)),
    ("ctx_type", _INT, 0),
    ("rope_scaling_type", _INT, -1),
    ("pooling_type", _INT, -1),
    ("attention_type", _INT, -1),
    ("flash_attn_type", _INT, -1),
    ("rope_freq_base", _FLOAT, 0.0),
    ("rope_freq_scale", _FLOAT, 0.0),
    ("yarn_ext_factor", _FLOAT, -1.0),
    ("yarn_attn_factor", _FLOAT, (-1.0, 1.0)),
    ("yarn_beta_fast", _FLOAT, (-1.0, 32.0)),
    ("yarn_beta_slow", _FLOAT, (-1.0, 1.0)),
    ("yarn_orig_ctx", _UINT, 0),
    ("defrag_thold", _FLOAT, -1.0),
    ("cb_eval", _POINTER, None),
    ("cb_eval_user_data", _POINTER, None),
    ("type_k", _INT, 1),
    ("type_v", _INT, 1),
    ("moe_cache_size", _SIZE, 0),
    ("abort_callback", _POINTER, None),
    ("abort_callback_data", _POINTER, None),
    ("embeddings", _BOOL, False),
    ("offload_kqv", _BOOL, True),
    ("no_perf", _BOOL, True),
    ("op_offload", _BOOL, True),
    ("swa_full", _BOOL, True),
    ("kv_unified", _BOOL, False),
    ("samplers", _POINTER, None),
    ("n_samplers", _SIZE, 0),
    ("ctx_other", _POINTER, None),
]

# What each known build lacks of the lists above, newest first: monthly wheels of October 2026,
# the summer of 2026, and the two years before it.
_MMAP_FLAGS = {"use_mmap", "use_direct_io", "use_mlock"}
_MODEL_BUILDS: list[set[str]] = [
    _MMAP_FLAGS,
    {*_MMAP_FLAGS, "load_mtp"},
    {*_MMAP_FLAGS, "lazy_mode", "load_mtp"},
    {"load_mode", "lazy_mode", "load_mtp"},
]
_CONTEXT_BUILDS: list[set[str]] = [
    set(),
    {"moe_cache_size"},
    {"moe_cache_size", "n_outputs_max_per_seq"},
    {"moe_cache_size", "n_outputs_max_per_seq", "ctx_other"},
]


class UnknownLayout(Exception):
    """No known layout fits the library's default parameters."""


def model_params(default: Any) -> type[ctypes.Structure]:
    """The struct that ``default`` (``llama_model_default_params``) returns.

    Raises ``UnknownLayout``; sets its result type.
    """
    return _matching_struct("llama_model_params", _MODEL, _MODEL_BUILDS, default)


def context_params(default: Any) -> type[ctypes.Structure]:
    """The struct that ``default`` (``llama_context_default_params``) returns.

    Raises ``UnknownLayout``; sets its result type.
    """
    return _matching_struct("llama_context_params", _CONTEXT, _CONTEXT_BUILDS, default)


def _matching_struct(
    name: str, fields: list[Field], builds: Iterable[set[str]], default: Callable[[], Any]
) -> type[ctypes.Structure]:
    """The struct of the first build whose layout matches the values that ``default`` returns; sets
    ``default``'s result and argument types.

    builds: for each the names of the ``fields`` that it lacks. Raises ``UnknownLayout`` if none
    matches.
    """
    for lacking in builds:
        present = [field for field in fields if field[0] not in lacking]
        struct = _struct(name, present)
        default.restype, default.argtypes = struct, []  # type: ignore[attr-defined]
        if _as_expected(default(), present):
            return struct
    raise UnknownLayout(name)


def _struct(name: str, fields: list[Field]) -> type[ctypes.Structure]:
    """A new ctypes struct with these fields, and 256 spare bytes at its end; the fields' default
    values are not set.
    """
    members = [(field, kind) for field, kind, _ in fields]
    spare = ("spare", ctypes.c_ubyte * _SPARE)
    return type(name, (ctypes.Structure,), {"_fields_": [*members, spare]})


def _as_expected(values: ctypes.Structure, fields: list[Field]) -> bool:
    """Whether every field has its expected default value (any of several, if its entry is a tuple
    or range), and every boolean is 0 or 1.
    """
    for name, kind, expected in fields:
        raw = getattr(values, name)
        if kind is _BOOL and _byte(values, name) > 1:  # ctypes takes any byte for true
            return False
        allowed = expected if isinstance(expected, tuple | range) else (expected,)
        if raw not in allowed:
            return False
    return True


def _byte(values: ctypes.Structure, name: str) -> int:
    """The first byte of a field."""
    offset: int = getattr(type(values), name).offset
    return bytes(values)[offset]


def set_known(values: ctypes.Structure, settings: Mapping[str, Any]) -> None:
    """Set those of ``settings``, by field name, that this build has fields for; the others are
    ignored.
    """
    known = {name for name, *_ in type(values)._fields_}
    for name, value in settings.items():
        if name in known:
            setattr(values, name, value)
