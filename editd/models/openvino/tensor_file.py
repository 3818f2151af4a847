"""A safetensors file as numpy arrays: read through a memory map, written row by row.

The format is https://huggingface.co/docs/safetensors: eight bytes of length, a JSON header with offsets, data.
Neither way holds more than some rows in memory.
"""

from __future__ import annotations

import json
import mmap
import struct
from collections.abc import Mapping
from pathlib import Path
from typing import IO, Any

import numpy as np
from numpy.typing import NDArray

_DTYPES = {"F32": np.float32, "F16": np.float16, "BF16": np.uint16, "I8": np.int8, "U8": np.uint8}
_NAMES = {np.dtype(kind): name for name, kind in _DTYPES.items() if name != "BF16"}


class TensorFile:
    """A file to read, which is known to be whole (``weight_files.read_weights``). shapes: by name.

    Arrays share the map's memory, which stays until the last of them is gone.
    """

    def __init__(self, path: Path) -> None:
        with path.open("rb") as file:
            (length,) = struct.unpack("<Q", file.read(8))
            self._entries: dict[str, Any] = json.loads(file.read(length))
            self._entries.pop("__metadata__", None)
            # Nobody writes; OpenVINO shares only what could be written to.
            self._map = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_COPY)
        self._start = 8 + length
        self.shapes = {name: tuple(entry["shape"]) for name, entry in self._entries.items()}

    def kind(self, name: str) -> str:
        """The name of its numbers, such as ``BF16``, whose arrays hold their bits."""
        return str(self._entries[name]["dtype"])

    def array(self, name: str) -> NDArray[Any]:
        """One tensor. Raises ``KeyError``, or ``ValueError`` for numbers that are not known."""
        entry = self._entries[name]
        if (dtype := _DTYPES.get(entry["dtype"])) is None:
            raise ValueError(f"{name} has numbers of the kind {entry['dtype']}")
        first, last = entry["data_offsets"]
        data = memoryview(self._map)[self._start + first : self._start + last]
        return np.frombuffer(data, dtype).reshape(entry["shape"])

    def forget_pages(self) -> None:
        """Give the memory of what was read back; it is read again where it is needed."""
        self._map.madvise(mmap.MADV_DONTNEED)


class TensorWriter:
    """A file to write: tensors of these dtypes and shapes, in any order of rows."""

    def __init__(self, file: IO[bytes], tensors: Mapping[str, tuple[Any, tuple[int, ...]]]) -> None:
        self._file = file
        entries, self._places, end = {}, {}, 0
        # The widest numbers first, so that each lies where a processor likes to read it.
        order = sorted(tensors, key=lambda name: -np.dtype(tensors[name][0]).itemsize)
        for name in order:
            dtype, shape = np.dtype(tensors[name][0]), tensors[name][1]
            row = dtype.itemsize * int(np.prod(shape[1:], dtype=np.int64))
            self._places[name] = (end, row)
            size = row * shape[0]
            entries[name] = {
                "dtype": _NAMES[dtype],
                "shape": list(shape),
                "data_offsets": [end, end + size],
            }
            end += size
        header = json.dumps(entries).encode()
        header += b" " * (-len(header) % 64)
        file.write(struct.pack("<Q", len(header)) + header)
        self._start = file.tell()

    def put(self, name: str, first: int, rows: NDArray[Any]) -> None:
        """Write ``rows``, the first of which has this number. Raises ``OSError``."""
        offset, row = self._places[name]
        self._file.seek(self._start + offset + first * row)
        self._file.write(np.ascontiguousarray(rows).data)
