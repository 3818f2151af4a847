"""``python -m benchmarks.workspace ROOT TOKENIZER``: the figures of docs/explanation/workspace.md.

Reads ROOT as the engine does, then looks up ends of its text, some of them broken so that matches of
every length occur. The rest counts rounds with and without the project; the target is scripted, as in
``python -m benchmarks replay``, and no model runs:

``--new-text N`` holds N files out of the project and writes them.
``--inserts N`` takes a function out of each of N files; the edit puts it back, and all other files are
the project.
``--cases FILE`` replays recorded edits of other projects, for which ROOT is of no use.
"""

from __future__ import annotations

import argparse
import random
import time
from collections.abc import Collection, Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np

from editd.decode.drafters import DraftTask, make_drafter
from editd.decode.drafters.base import Codec
from editd.models.text.codec import load_codec
from editd.workspace.index import LONGEST, FileTokens, Index
from editd.workspace.walk import DEFAULT_LIMITS, find_files, read_files, readable_text
from tests.recorded_cases import Case, read_cases
from tests.replay.rounds import replay_case
from tests.replay.transcripts import transcribe

_LOOKUPS = 20_000
_PROMPT, _ANSWER, _WINDOW = 200, 1000, 64  # tokens of a held-out file: known, to be written
_LONGEST_FILE = 6000  # tokens
_FEWEST_LINES, _MOST_LINES = 4, 40  # of a function that is taken out


def main() -> int:
    """Measure and print."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.workspace", description=__doc__)
    parser.add_argument("root", type=Path)
    parser.add_argument("tokenizer", type=Path, help="folder with a tokenizer.json")
    parser.add_argument(
        "--mib", type=float, default=DEFAULT_LIMITS.total_bytes / (1 << 20), help="files, at most"
    )
    parser.add_argument("--new-text", type=int, default=0, metavar="N")
    parser.add_argument("--inserts", type=int, default=0, metavar="N")
    parser.add_argument("--cases", type=Path, metavar="FILE")
    parser.add_argument("--every", type=int, default=1, metavar="N", help="only every N-th case")
    parser.add_argument("--window", type=int, default=_WINDOW)
    parser.add_argument("--seed", type=int, default=0)
    parsed = parser.parse_args()
    codec = load_codec(parsed.tokenizer)
    files = _read(parsed.root, codec, round(parsed.mib * (1 << 20)))
    started = time.thread_time()
    index = Index(files)
    print(
        f"index         {time.thread_time() - started:.2f} s, "
        f"{index.nbytes / index.num_tokens:.1f} bytes a token"
    )
    _look_up(index, files, random.Random(parsed.seed))
    if parsed.new_text:
        long_ones = [file for file in files if len(file.token_ids) > _PROMPT + _ANSWER // 2]
        held_out = random.Random(parsed.seed).sample(long_ones, parsed.new_text)
        _write(held_out, _without(files, {file.path for file in held_out}), codec)
    if parsed.inserts:
        cases = _inserts(files, parsed.root, parsed.inserts, random.Random(parsed.seed))
        project = _without(files, {case.id for case in cases})
        _compare("functions put back", cases, project, codec, parsed.window)
    if parsed.cases:
        cases = read_cases(parsed.cases)[:: parsed.every]
        _compare("edits of other projects", cases, index, codec, parsed.window)
    return 0


def _read(root: Path, codec: Codec, total_bytes: int) -> list[FileTokens]:
    """The tokens of the files under ``root``, those changed last last, and what that costs."""
    limits = replace(DEFAULT_LIMITS, total_bytes=total_bytes)
    started = time.thread_time()
    found = find_files(root, limits)
    looked = time.thread_time() - started
    files = []
    for file, content in read_files(root, iter(found.files), limits):
        text = readable_text(content)
        if text is not None:
            files.append(FileTokens.of(file.path, codec.encode(text), codec))
    print(
        f"read          {len(files):,} files, {sum(len(f.token_ids) for f in files):,} tokens, "
        f"{found.left_out:,} files over the limit; {looked:.2f} s of looking through, "
        f"{time.thread_time() - started:.1f} s in all"
    )
    return files


def _without(files: Sequence[FileTokens], left_out: Collection[str]) -> Index:
    return Index([file for file in files if file.path not in left_out])


def _look_up(index: Index, files: Sequence[FileTokens], rng: random.Random) -> None:
    taken: list[float] = []
    sizes = [len(file.token_ids) for file in files]
    for file in rng.choices(files, sizes, k=_LOOKUPS):
        end = rng.randrange(len(file.token_ids) + 1)
        tail = file.token_ids[max(0, end - LONGEST) : end].tolist()
        clean = rng.choice([1, 2, 3, 4, 6, 8, 16, LONGEST])
        if clean < len(tail):
            tail[-clean - 1] = 0xFFFFF
        started = time.thread_time()
        index.longest_match(tail, _WINDOW)
        taken.append(1e6 * (time.thread_time() - started))
    middle, most, nearly_all = np.percentile(taken, [50, 99, 99.9])
    print(
        f"look-up       {middle:.0f} µs, 99 % below {most:.0f}, 99.9 % below {nearly_all:.0f}, "
        f"longest {max(taken):.0f}"
    )


def _write(held_out: Sequence[FileTokens], project: Index, codec: Codec) -> None:
    """Write each file with ``suffix``, with and without the other files, and print the rounds."""
    for name, index in (("suffix", None), ("with project", project)):
        rounds = tokens = drafted = 0
        seconds = 0.0
        for file in held_out:
            ids = file.token_ids[: _PROMPT + _ANSWER].tolist()
            task = DraftTask(ids[:_PROMPT], "", "", codec, project=index)
            drafter = make_drafter("suffix", task)
            output: list[int] = []
            while len(output) < len(ids) - _PROMPT:
                started = time.thread_time()
                draft = drafter.propose(output, _WINDOW)
                seconds += time.thread_time() - started
                added = _verified(draft.token_ids, draft.parents, ids[_PROMPT + len(output) :])
                output += added
                drafter.observe(added)
                rounds += 1
                drafted += len(draft)
            tokens += len(output)
        print(
            f"{name:16} {rounds:6,} rounds, {tokens / rounds:6.3f} tokens a round, "
            f"{drafted / tokens:.2f} drafted a token, {1e3 * seconds / rounds:.3f} ms a round"
        )


def _verified(draft: Sequence[int], parents: Sequence[int] | None, coming: list[int]) -> list[int]:
    """What a target that writes ``coming`` adds to the output."""
    parents = range(-1, len(draft) - 1) if parents is None else parents
    node, accepted = -1, 0
    for place, token_id in enumerate(draft):
        if accepted < len(coming) - 1 and (parents[place], token_id) == (node, coming[accepted]):
            node, accepted = place, accepted + 1
    return coming[: accepted + 1]


def _inserts(files: Sequence[FileTokens], root: Path, count: int, rng: random.Random) -> list[Case]:
    files = [f for f in files if f.path.endswith(".py") and len(f.token_ids) < _LONGEST_FILE]
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
    for told, spec, project in (
        ("buffer", "buffer", None),
        ("buffer+suffix", "buffer+suffix", None),
        ("with project", "buffer+suffix", index),
    ):
        done = [
            replay_case(t, spec, codec, window=window, options={"project": project})
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
            f"{told:16} {rounds:6,} rounds, {wasted:.2f} wasted a token, {drafting:.2f} ms a round "
            f"drafting, modelled {', '.join(modelled)} s",
            flush=True,
        )


if __name__ == "__main__":
    raise SystemExit(main())
