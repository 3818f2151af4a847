"""What a quantised load really takes: peak of anonymous memory, and the time of a pass.

    python -m tests.loading_memory int8 float32

makes a Llama of 190 million random weights in a temporary folder (bfloat16, 362 MiB), loads it as
asked, and prints MiB above what the process had before, and CPU milliseconds of passes of 1 and of
64 rows (medians of 7). Linux only.
"""

import shutil
import statistics
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path

import torch

SHAPE = {
    "hidden_size": 1024,
    "intermediate_size": 4096,
    "num_hidden_layers": 12,
    "num_attention_heads": 8,
    "num_key_value_heads": 4,
    "head_dim": 128,
}


def main():
    kind, dtype = sys.argv[1], sys.argv[2]
    if len(sys.argv) > 3:  # the child: loads and measures
        measure(kind, dtype, sys.argv[3])
        return
    with tempfile.TemporaryDirectory() as folder:
        make(Path(folder) / "model")
        # A process of its own, in which nothing was ever allocated and freed.
        command = [sys.executable, "-m", "tests.loading_memory", kind, dtype, f"{folder}/model"]
        subprocess.run(command, check=True)


def make(folder):
    from transformers import LlamaConfig, LlamaForCausalLM

    from tests import tiny

    shutil.copytree(tiny.checkpoint("llama", dtype="float32"), folder)
    (folder / "model.safetensors").unlink()
    torch.manual_seed(0)
    torch.set_default_dtype(torch.bfloat16)
    LlamaForCausalLM(LlamaConfig(**{**tiny._BASE, **SHAPE})).save_pretrained(folder)


def measure(kind, dtype, folder):
    from editd.models.model import ModelSpec
    from editd.models.torch.loading import load_model
    from editd.models.torch.quantize import loading_arguments

    loading_arguments(kind, tied=False)  # imports count as before
    before, peak, done = anonymous(), [0.0], threading.Event()

    def watch():
        while not done.wait(0.005):
            peak[0] = max(peak[0], anonymous())

    watcher = threading.Thread(target=watch)
    watcher.start()
    model = load_model(ModelSpec(folder, device="cpu", threads=1, dtype=dtype, quantize=kind))
    done.set()
    watcher.join()
    figures = {
        "weights": model.weights_bytes / 2**20,
        "peak": peak[0] - before,
        "after": anonymous() - before,
    }
    print(kind, dtype, *(f"{name} {value:.0f} MiB" for name, value in figures.items()))
    print(*(f"t({rows}) {milliseconds(model.target.model, rows):.0f} ms" for rows in (1, 64)))


@torch.inference_mode()
def milliseconds(network, rows):
    ids, times = torch.arange(rows)[None] % 500, []
    for _ in range(8):
        started = time.process_time()
        network(input_ids=ids, use_cache=False)
        times.append(1000 * (time.process_time() - started))
    return statistics.median(times[1:])


def anonymous():
    """MiB of memory that is no file's."""
    lines = Path("/proc/self/status").read_text(encoding="ascii").splitlines()
    return next(int(line.split()[1]) for line in lines if line.startswith("RssAnon")) / 1024


if __name__ == "__main__":
    main()
