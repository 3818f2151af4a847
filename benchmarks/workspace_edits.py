"""``python -m benchmarks.workspace_edits ROOT TOKENIZER``: what a project's index brings to edits.

``--inserts N`` takes a function out of each of N files of ROOT; the edit puts it back, and all
other files are the project. ``--cases FILE`` replays recorded edits of other projects, for which
ROOT is of no use. The target is scripted, as in ``python -m benchmarks replay``; no model runs.
"""

from __future__ import annotations

import argparse
import random
import tempfile
from collections.abc import Sequence
from pathlib import Path

from benchmarks.recorded_cases import Case, read_cases
from benchmarks.replay.rounds import replay_case
from benchmarks.replay.transcripts import transcribe
from benchmarks.workspace_index import build_index, index_without, newlines_of
from editd.decode.drafters.base import Codec
from editd.models.text.codec import load_codec
from editd.workspace.index import Index

_SPECS = ("buffer", "buffer+suffix", "buffer+suffix+workspace")
_LONGEST_FILE = 6000  # tokens
_FEWEST_LINES, _MOST_LINES = 4, 40  # of a function that is taken out


def main() -> int:
    """Measure and print."""
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.workspace_edits", description=__doc__
    )
    parser.add_argument("root", type=Path)
    parser.add_argument("tokenizer", type=Path, help="folder with a tokenizer.json")
    parser.add_argument("--inserts", type=int, default=0, metavar="N")
    parser.add_argument("--cases", type=Path, metavar="FILE")
    parser.add_argument("--every", type=int, default=1, metavar="N", help="only every N-th case")
    parser.add_argument("--window", type=int, default=64)
    parser.add_argument("--seed", type=int, default=0)
    parsed = parser.parse_args()
    rng = random.Random(parsed.seed)
    codec = load_codec(parsed.tokenizer)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "workspace" / "measured.index"
        build_index(parsed.root, parsed.tokenizer, path, "build")
        whole = Index.open(path)
    if parsed.inserts:
        cases = _inserts(whole, parsed.root, parsed.inserts, rng)
        index = index_without(whole, {case.id for case in cases}, newlines_of(codec))
        _compare("functions put back", cases, index, codec, parsed.window)
    if parsed.cases:
        cases = read_cases(parsed.cases)[:: parsed.every]
        _compare("edits of other projects", cases, whole, codec, parsed.window)
    return 0


def _inserts(whole: Index, root: Path, count: int, rng: random.Random) -> list[Case]:
    files = [
        f for f in whole.files() if f.path.endswith(".py") and 0 < f.num_tokens < _LONGEST_FILE
    ]
    cases: list[Case] = []
    for file in rng.sample(files, len(files)):
        after = (root / file.path).read_text(encoding="utf-8")
        before = _without_a_function(after, rng)
        if before is not None and len(cases) < count:
            told = "Add the function that is missing."
            cases.append(Case(file.path, "python", "insert", told, before, after))
    return cases


def _without_a_function(text: str, rng: random.Random) -> str | None:
    """``text`` without one of its functions, or ``None`` if there is none to take."""
    lines = text.splitlines(keepends=True)
    found = []
    for start, line in enumerate(lines):
        if line.lstrip().startswith("def ") and (indent := _indent(line)) <= 4:
            end = start + 1
            while end < len(lines) and (not lines[end].strip() or _indent(lines[end]) > indent):
                end += 1
            if _FEWEST_LINES <= end - start <= _MOST_LINES:
                found.append((start, end))
    if not found:
        return None
    start, end = rng.choice(found)
    return "".join(lines[:start] + lines[end:])


def _indent(line: str) -> int:
    return len(line) - len(line.lstrip())


def _compare(name: str, cases: Sequence[Case], index: Index, codec: Codec, window: int) -> None:
    transcripts = [transcribe(case, codec) for case in cases]
    print(f"{name}: {len(cases)} edits, {sum(len(t.answer_ids) for t in transcripts):,} tokens")
    for spec in _SPECS:
        done = [
            replay_case(t, spec, codec, window=window, options={"project": index})
            for t in transcripts
        ]
        rounds = sum(figures.rounds for figures in done)
        tokens = sum(figures.output_tokens for figures in done)
        wasted = sum(figures.rejected for figures in done) / tokens
        drafting = 1e3 * sum(figures.drafter_seconds for figures in done) / rounds
        modelled = [
            f"{sum(f.modelled_seconds[profile] for f in done):.2f}"
            for profile in done[0].modelled_seconds
        ]
        print(
            f"{spec:24} {rounds:6,} rounds, {wasted:.2f} wasted a token, {drafting:.2f} ms a round "
            f"drafting, modelled {', '.join(modelled)} s",
            flush=True,
        )


if __name__ == "__main__":
    raise SystemExit(main())
