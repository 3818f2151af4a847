"""Devices ``card:0``, ``card:1``, … that compute on the CPU and refuse what several cards would refuse.

A tensor there wraps one on the CPU. Operations give real values, but an operation over tensors of
different devices raises, as on CUDA; only copies, and numbers on the CPU, may cross. So a mask, a
position or a cache that lies on the wrong card fails a test on a machine without any.

After torch's own test of python backends (test/test_privateuseone_python_backend.py).
"""

from __future__ import annotations

import torch
from torch.utils._pytree import tree_leaves, tree_map
from torch.utils.backend_registration import _setup_privateuseone_for_python_backend

_setup_privateuseone_for_python_backend("card")

_aten = torch.ops.aten
_COPIES = (_aten._to_copy.default, _aten.copy_.default)
_library = torch.library.Library("aten", "IMPL")


class CardTensor(torch.Tensor):
    """``inner`` on the CPU, called ``device``."""

    __torch_function__ = torch._C._disabled_torch_function_impl

    @staticmethod
    @torch.inference_mode(
        mode=False
    )  # views of what was made outside of it may be no inference tensors
    def __new__(cls, inner, device):
        return torch.Tensor._make_wrapper_subclass(
            cls,
            inner.shape,
            strides=inner.stride(),
            storage_offset=inner.storage_offset(),
            dtype=inner.dtype,
            device=device,
        )

    def __init__(self, inner, device):
        self.inner = inner

    def tolist(self):
        return self.inner.tolist()

    @classmethod
    @torch.inference_mode(mode=False)
    @torch.no_grad()
    def __torch_dispatch__(cls, operation, types, args=(), kwargs=None):
        kwargs = kwargs or {}
        parts = operation.decompose(*args, **kwargs)
        return _run(operation, args, kwargs) if parts is NotImplemented else parts


def place(module: torch.nn.Module, device: str) -> None:
    """Move all weights and buffers of ``module``, in the modules themselves."""
    for part in module.modules():
        for name, weight in part._parameters.items():
            if weight is not None:
                moved = torch.nn.Parameter(weight.data.to(device), requires_grad=False)
                part._parameters[name] = moved
        for name, buffer in part._buffers.items():
            part._buffers[name] = buffer if buffer is None else buffer.to(device)


def _run(operation, args, kwargs):
    cards = [leaf for leaf in tree_leaves((args, kwargs)) if isinstance(leaf, CardTensor)]
    if operation not in _COPIES:
        _refuse_mixtures(operation, args, kwargs)
    if kwargs.get("device") is not None:
        home = torch.device(kwargs["device"])
        kwargs = {**kwargs, "device": "cpu"}
    else:
        home = args[0].device if operation is _aten.copy_.default else cards[0].device
    args, kwargs = tree_map(lambda x: x.inner if isinstance(x, CardTensor) else x, (args, kwargs))
    result = operation(*args, **kwargs)
    if home.type == "cpu":
        return result
    known = {id(card.inner): card for card in cards}  # an operation in place gives its own tensor

    def wrapped(value):
        if not isinstance(value, torch.Tensor):
            return value
        return known[id(value)] if id(value) in known else CardTensor(value, home)

    return tree_map(wrapped, result)


def _refuse_mixtures(operation, args, kwargs):
    tensors = [leaf for leaf in tree_leaves((args, kwargs)) if isinstance(leaf, torch.Tensor)]
    devices = {str(t.device) for t in tensors if t.dim() or t.device.type != "cpu"}
    if len(devices) > 1:
        raise RuntimeError(f"{operation} over tensors on {sorted(devices)}")


def _made_by(make):
    def made(*args, layout=None, device=None, pin_memory=None, memory_format=None, **options):
        return CardTensor(make(*args, **options), torch.device(device))

    return made


def _copy_from(source, target, non_blocking=False):
    target.inner.copy_(source.inner if isinstance(source, CardTensor) else source)
    return target


_library.impl("empty_strided", _made_by(torch.empty_strided), "PrivateUse1")
_library.impl("empty.memory_format", _made_by(torch.empty), "PrivateUse1")
for _overload in ("arange", "arange.start", "arange.start_step"):
    _library.impl(_overload, _made_by(torch.arange), "PrivateUse1")
_library.impl("_copy_from", _copy_from, "PrivateUse1")
