"""Fast reading of a GGUF file's header: the ``gguf`` package's reader, except for long arrays.

That reader makes several numpy views of each word of a vocabulary: 150,000 words and their merges take
ten seconds. Here a long array is read at once.
"""

from __future__ import annotations

import struct
from functools import cache
from pathlib import Path
from typing import Any

from editd.models.model_folder import check_regular

_LONG = 64  # elements; what describes a model's shape is shorter


def read_header(file: Path) -> dict[str, Any]:
    """All values by name. A damaged file can raise any exception."""
    return {name: _value(field) for name, field in open_file(file).fields.items()}


def open_file(file: Path) -> Any:
    """The ``gguf`` package's reader of ``file``, whose tensors are mapped into memory."""
    check_regular(file)
    return _quick_reader()(file)


def _value(field: Any) -> Any:
    values = field.parts[-1]
    return values if isinstance(values, list) else field.contents()


@cache
def _quick_reader() -> Any:
    from gguf import GGUFReader, GGUFValueType

    class QuickReader(GGUFReader):
        """Leaves the values of a long array as a list in the field's parts, and its data empty."""

        def _get_field_parts(self, orig_offs: int, raw_type: int) -> Any:
            plainly = super()._get_field_parts
            if raw_type != GGUFValueType.ARRAY or self.byte_order != "I":
                return plainly(orig_offs, raw_type)
            data: Any = self.data
            blob = memoryview(data)
            kind, count = struct.unpack_from("=IQ", blob, orig_offs)
            start = orig_offs + 12
            scalar = self.gguf_scalar_to_np.get(kind)
            if count < _LONG or (scalar is None and kind != GGUFValueType.STRING):
                return plainly(orig_offs, raw_type)
            if scalar is not None:
                array = self._get(start, scalar, count)
                values, end = array.tolist(), start + array.nbytes
                if len(values) != count:
                    raise ValueError("an array is cut short")
            else:
                values, end = _strings(blob, start, count)
            return end - orig_offs, [values], [], [GGUFValueType.ARRAY, GGUFValueType(kind)]

    return QuickReader


def _strings(blob: memoryview, start: int, count: int) -> tuple[list[str], int]:
    """``count`` strings, each behind its length in eight bytes, and where they end."""
    strings, position = [], start
    read_length = struct.Struct("=Q").unpack_from
    for _ in range(count):
        (length,) = read_length(blob, position)
        position += 8 + length
        strings.append(str(blob[position - length : position], "utf-8"))
    if position > len(blob):
        raise ValueError("a string is cut short")
    return strings, position
