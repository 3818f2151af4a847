"""Compile the attention kernels for a card that need not be here, and say what they take.

    python -m tests.build_kernels CAPABILITY WIDTH [tree=1] [window=128] [group=7]

prints, one kernel a line: name, registers, spilled bytes, bytes of shared memory. Triton brings the
compiler and the assembler; no GPU is asked for anything.
"""

import inspect
import subprocess
import sys
import tempfile
from pathlib import Path

import torch
import triton
from triton.backends.compiler import GPUTarget
from triton.compiler import ASTSource

from editd.models.torch.gpu import split_kv
from editd.models.torch.gpu.split_kv_kernels import merge_splits, partial_softmax

_TYPES = {
    **dict.fromkeys(("Q", "K", "V", "OUT"), "*bf16"),
    **dict.fromkeys(("LENGTH", "TREE", "DEPTHS"), "*i32"),
    **dict.fromkeys(("SUMS", "PEAKS", "TOTALS"), "*fp32"),
    "unit": "fp32",
}


def main():
    capability, width = int(sys.argv[1]), int(sys.argv[2])
    kind = {name: int(value) for name, value in (word.split("=") for word in sys.argv[3:])}
    tree, window = bool(kind.get("tree")), kind.get("window", 0)
    group = kind.get("group", 7)
    query, value = (torch.empty(1, heads, 1, width, dtype=torch.bfloat16) for heads in (group, 1))
    shape = split_kv.constants(query, value, group, tree, window)
    absent = {"TREE": None} if not tree else {}
    absent |= {"DEPTHS": None} if not (tree and window) else {}
    report(partial_softmax, {**shape, **absent}, split_kv.OPTIONS, capability)
    report(merge_splits, split_kv.merge_constants(shape), {}, capability)


def report(kernel, constants, options, capability):
    names = list(inspect.signature(kernel.fn).parameters)
    kinds = {n: "constexpr" if n in constants else _TYPES.get(n, "i32") for n in names}
    aligned = [i for i, n in enumerate(names) if kinds[n].startswith("*") or n.startswith("stride")]
    source = ASTSource(
        fn=kernel,
        signature=kinds,
        constexprs={(names.index(name),): value for name, value in constants.items()},
        attrs={(index,): [["tt.divisibility", 16]] for index in aligned},
    )
    built = triton.compile(source, target=GPUTarget("cuda", capability, 32), options=options)
    registers, stack = resources(built.asm["cubin"])
    print(kernel.fn.__name__, registers, stack, built.metadata.shared)


def resources(cubin):
    """Registers and bytes of stack, as the assembler's own tool tells them."""
    tool = Path(triton.__file__).parent / "backends" / "nvidia" / "bin" / "cuobjdump"
    with tempfile.NamedTemporaryFile(suffix=".cubin") as file:
        file.write(cubin)
        file.flush()
        told = subprocess.run(
            [tool, "--dump-resource-usage", file.name], capture_output=True, text=True, check=True
        )
    words = next(line for line in told.stdout.splitlines() if "REG:" in line).split()
    figures = dict(word.split(":", 1) for word in words if ":" in word)
    return figures["REG"], figures["STACK"]


if __name__ == "__main__":
    main()
