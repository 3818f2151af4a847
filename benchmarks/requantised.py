"""A GGUF file's weights in other blocks: ``python -m benchmarks.requantised IN.gguf OUT.gguf KIND``.

KIND is f32, f16, or a kind of blocks for every matrix (q8_0, q4_0, …). Weights are made float by the ``gguf``
package and quantised by llama.cpp's library; everything else in the file is copied. To measure engines on
the same weights (docs/explanation/backends.md).
"""

from __future__ import annotations

import argparse
from pathlib import Path

import gguf
import numpy as np
from gguf.scripts.gguf_new_metadata import copy_with_new_metadata
from numpy.typing import NDArray

from tests.gguf_writer import quantised


def requantise(source: Path, path: Path, kind: str) -> None:
    """Write ``source`` to ``path`` with its matrices in ``kind``; vectors stay in float32."""
    reader = gguf.GGUFReader(source)
    wanted = gguf.GGMLQuantizationType[kind.upper()]
    for index, tensor in enumerate(reader.tensors):
        numbers = gguf.quants.dequantize(tensor.data, tensor.tensor_type)
        if numbers.ndim == 2:
            blocks = _in_kind(numbers, wanted)
            reader.tensors[index] = tensor._replace(
                data=blocks, tensor_type=wanted, n_bytes=blocks.nbytes
            )
    name = reader.fields[gguf.Keys.General.ARCHITECTURE].contents()
    writer = gguf.GGUFWriter(path, name)
    copy_with_new_metadata(reader, writer, {}, [])


def _in_kind(numbers: NDArray[np.float32], kind: gguf.GGMLQuantizationType) -> NDArray[np.generic]:
    if kind == gguf.GGMLQuantizationType.F32:
        return numbers
    if kind == gguf.GGMLQuantizationType.F16:
        return numbers.astype(np.float16)
    blocks: NDArray[np.generic] = quantised(numbers, kind)
    return blocks


def main() -> None:
    """Read the arguments and write the file."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("source", type=Path, metavar="IN.gguf")
    parser.add_argument("path", type=Path, metavar="OUT.gguf")
    parser.add_argument("kind", metavar="KIND")
    given = parser.parse_args()
    requantise(given.source, given.path, given.kind)


if __name__ == "__main__":
    main()
