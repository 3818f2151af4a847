"""``python -m benchmarks.workspace_index ROOT TOKENIZER``: the figures of docs/explanation/workspace.md.

Builds the index of ROOT in a process as the daemon does, then looks up tails of it, some of them
broken so that matches of every length occur. ``--replay N`` holds N files out of the index and
counts the rounds in which they would be written with and without it; no model runs.
"""

from __future__ import annotations

import argparse
import json
import random
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Collection, Sequence
from pathlib import Path

import numpy as np
import numpy.typing as npt

from editd.decode.drafters import Drafter, DraftTask, make_drafter
from editd.decode.drafters.base import Codec
from editd.workspace.index import Index
from editd.workspace.index_file import About, FileTokens, index_bytes
from editd.workspace.suffix_array import DEPTH

Newlines = npt.NDArray[np.uint8]

_LOOKUPS = 20_000
_PROMPT, _ANSWER, _WINDOW = 200, 1000, 64  # tokens of a held-out file: known, to be written


def main() -> int:
    """Measure and print."""
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.workspace_index", description=__doc__
    )
    parser.add_argument("root", type=Path)
    parser.add_argument("tokenizer", type=Path, help="folder with a tokenizer.json")
    parser.add_argument("--replay", type=int, default=0, metavar="N", help="files to hold out")
    parser.add_argument("--seed", type=int, default=0)
    parsed = parser.parse_args()
    rng = random.Random(parsed.seed)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "workspace" / "measured.index"
        build_index(parsed.root, parsed.tokenizer, path, "build")
        build_index(parsed.root, parsed.tokenizer, path, "nothing new")
        index = Index.open(path)
        print(f"index         {index.nbytes / index.num_tokens:8.2f} bytes a token")
        _look_up(index, rng)
        if parsed.replay:
            from editd.models.text.codec import load_codec

            _replay(index, load_codec(parsed.tokenizer), parsed.replay, rng)
    return 0


def build_index(root: Path, tokenizer: Path, path: Path, name: str) -> None:
    """Build as the daemon does, in a process, and print what it cost."""
    command = [sys.executable, "-P", "-m", "editd.workspace.builder", "--seconds", "3600"]
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    done = subprocess.run(
        [*command, str(root), str(tokenizer), str(path)], stdout=subprocess.PIPE, check=True
    )
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    built = json.loads(done.stdout)
    print(
        f"{name:13} {built['files']:8,} files, {built['tokens']:,} tokens, "
        f"{built['left_out']:,} files over the limit; "
        f"{built['seconds']:.1f} s, {after.ru_utime - before.ru_utime:.1f} s of processor, "
        f"{after.ru_maxrss / 1024:.0f} MiB at most so far"
    )


def _look_up(index: Index, rng: random.Random) -> None:
    taken: list[float] = []
    for _ in range(_LOOKUPS):
        end = rng.randrange(1, index.num_tokens)
        tail = index.tokens(max(1, end - DEPTH), min(DEPTH, end)).tolist()
        clean = rng.choice([1, 2, 3, 4, 6, 8, 16, DEPTH])
        if clean < len(tail):
            tail[-clean - 1] = 0xFFFFFF
        near = rng.choice([None, rng.randrange(index.num_tokens)])
        started = time.thread_time()
        index.longest_match(tail, DEPTH, near)
        taken.append(1e6 * (time.thread_time() - started))
    middle, most, nearly_all = np.percentile(taken, [50, 99, 99.9])
    print(
        f"look-up       {middle:8.0f} µs, 99 % below {most:.0f}, 99.9 % below {nearly_all:.0f}, "
        f"longest {max(taken):.0f}"
    )


def _replay(whole: Index, codec: Codec, num_held_out: int, rng: random.Random) -> None:
    files = [file for file in whole.files() if file.num_tokens]
    long_ones = [file for file in files if file.num_tokens > _PROMPT + _ANSWER // 2]
    held_out = rng.sample(long_ones, num_held_out)
    names = {file.path for file in held_out}
    index = index_without(whole, names, newlines_of(codec))
    makers: dict[str, Callable[[DraftTask], Drafter]] = {
        "suffix": lambda task: make_drafter("suffix", task),
        "workspace": lambda task: make_drafter("workspace", task),
        "suffix+workspace": lambda task: make_drafter("suffix+workspace", task),
    }
    for name, make in makers.items():
        rounds = tokens = drafted = 0
        seconds = 0.0
        for file in held_out:
            ids = whole.tokens(file.start, file.num_tokens).tolist()
            task = DraftTask(ids[:_PROMPT], "", "", "", codec, _WINDOW, project=index)
            counted = _write(make(task), ids[_PROMPT : _PROMPT + _ANSWER])
            rounds += counted[0]
            tokens += counted[1]
            drafted += counted[2]
            seconds += counted[3]
        print(
            f"{name:16} {tokens / rounds:6.3f} tokens a round, {drafted / tokens:.2f} drafted a "
            f"token, {1e3 * seconds / rounds:.3f} ms a round"
        )


def index_without(whole: Index, left_out: Collection[str], newlines: Newlines) -> Index:
    """The index ``whole`` without some files."""
    kept = [
        FileTokens(f.path, f.stamp, f.digest, whole.tokens(f.start, f.num_tokens))
        for f in whole.files()
        if f.num_tokens and f.path not in left_out
    ]
    return Index(index_bytes(About("", "", 0), kept, newlines))


def newlines_of(codec: Codec) -> Newlines:
    """How many line ends there are in each token."""
    return np.array(
        [min(codec.token_bytes(i).count(b"\n"), 255) for i in range(codec.vocab_size)], np.uint8
    )


def _write(drafter: Drafter, wanted: Sequence[int]) -> tuple[int, int, int, float]:
    """Rounds, tokens, draft tokens and drafter's seconds until ``wanted`` is written."""
    output: list[int] = []
    rounds = drafted = 0
    seconds = 0.0
    while len(output) < len(wanted):
        started = time.thread_time()
        draft = drafter.propose(output, _WINDOW)
        seconds += time.thread_time() - started
        coming = wanted[len(output) :]
        accepted = 0
        for token_id, right in zip(draft.token_ids, coming[:-1], strict=False):
            if token_id != right:
                break
            accepted += 1
        added = coming[: accepted + 1]
        output += added
        drafter.observe(added, added)
        rounds += 1
        drafted += len(draft)
    return rounds, len(output), drafted, seconds


if __name__ == "__main__":
    sys.exit(main())
