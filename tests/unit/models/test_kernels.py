"""The Triton kernels without a GPU: interpreted on the CPU, and compiled for cards that are not here.

Both need Triton, which CPU builds of torch do not bring: `pip install triton==3.7.1`.
"""

import os
import subprocess
import sys
from pathlib import Path

import pytest

HERE = Path(__file__).parent
ROOT = HERE.parents[2]

pytest.importorskip("triton", reason="the kernels need Triton: pip install triton==3.7.1")


@pytest.mark.timeout(600)
def test_interpreted_kernels():
    done = _run([sys.executable, "-m", "pytest", "-q", "-x", str(HERE / "interpreted_kernels.py")])
    assert done.returncode == 0, done.stdout[-4000:]
    assert "skipped" not in done.stdout


# Bytes of shared memory that a program may have on every card since Ampere (8.6 and 8.9 have least).
MOST_SHARED = 99 << 10


def check_build(capability, width, **kind):
    """A kernel for half precision compiles, fits and keeps its numbers in registers."""
    done = _run(
        [sys.executable, "-m", "tests.build_kernels", str(capability), str(width)]
        + [f"{name}={value}" for name, value in kind.items()],
        TRITON_INTERPRET="0",
    )
    assert done.returncode == 0, done.stderr[-4000:]
    for line in done.stdout.splitlines():
        _name, registers, spilled, shared = line.split()
        assert int(registers) <= 255
        assert int(shared) <= MOST_SHARED, line
        # Trees look at more masks than registers hold, in the few blocks of the new rows.
        most = 2048 if "tree" in kind or width == 256 else 64
        assert int(spilled) <= most, line


def test_the_plain_chain_compiles_for_hopper():
    check_build(90, 128)


@pytest.mark.slow
@pytest.mark.timeout(600)
@pytest.mark.parametrize("capability", [80, 89, 90])
@pytest.mark.parametrize("width", [64, 80, 96, 128, 256])
@pytest.mark.parametrize("kind", [{}, {"window": 128}, {"tree": 1}, {"tree": 1, "window": 128}])
def test_every_kind_compiles(capability, width, kind):
    check_build(capability, width, **kind)


def _run(command, **environment):
    environment = {**os.environ, "TRITON_INTERPRET": "1", "OMP_NUM_THREADS": "1", **environment}
    return subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True)
