"""A CUDA graph on the CPU: what ran is run again on the same tensors, and no Python with it.

Records every operation with the very tensors it read and wrote. A replay repeats them in order, so
it knows only what lies in buffers: a length that was a number in Python is the number it was.
Reading a value back to Python is refused, as a capturing stream refuses it.
"""

from __future__ import annotations

import torch
from torch.utils._python_dispatch import TorchDispatchMode
from torch.utils._pytree import tree_flatten

_READS_BACK = ("_local_scalar_dense", "item", "is_nonzero", "nonzero", "equal")


class Tape:
    """A ``capture.Recorder`` that tapes."""

    name = "tape"

    def __init__(self):
        self.replays = 0

    def record(self, program):
        program()  # warm up
        with _Recording() as recording:
            output = program()

        def replay():
            self.replays += 1
            recording.replay()
            return output

        return replay


class _Recording(TorchDispatchMode):
    def __init__(self):
        super().__init__()
        self.operations = []

    def __torch_dispatch__(self, func, types, args=(), kwargs=None):
        if func.overloadpacket.__name__ in _READS_BACK:
            raise RuntimeError(f"{func} waits for the device")
        output = func(*args, **(kwargs or {}))
        self.operations.append((func, args, kwargs or {}, output))
        return output

    @torch.inference_mode()
    def replay(self):
        for func, args, kwargs, output in self.operations:
            again = func(*args, **kwargs)
            pairs = zip(tree_flatten(output)[0], tree_flatten(again)[0], strict=True)
            for was, now in pairs:
                if isinstance(was, torch.Tensor) and was.data_ptr() != now.data_ptr():
                    was.copy_(now)  # a fresh result goes where the first one lies
