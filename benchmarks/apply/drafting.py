"""``python -m benchmarks.apply.drafting CASES.jsonl``: rounds that a model which merges would need.

Sketches are made as ``python -m benchmarks.apply`` makes them. A scripted target answers each with the
text after the edit, through the real decode loop; what a round may draft is what ``editd apply --merge
model`` drafts. Compared with the copy oracle over buffer and sketch, which knows the answer.
"""

from __future__ import annotations

import argparse
from collections import defaultdict
from pathlib import Path
from random import Random
from time import process_time

from benchmarks.apply.pairs import THIRDS, read_pairs, some_hunks
from benchmarks.apply.styles import STYLES, variant
from editd.apply.best_guess import best_guess
from editd.decode.drafters import make_drafter
from editd.decode.drafters.base import Codec, DraftTask
from editd.decode.speculative import Decoding
from editd.decode.window import FixedWindow
from editd.prompts.formats import sketch_instruction
from editd.syntax.language import extension_of
from tests.model_free_codec import open_codec
from tests.replay.copy_oracle import oracle_runs
from tests.replay.scripted_target import ScriptedTarget

DRAFTERS = ("sketch+suffix", "buffer+suffix", "prompt-lookup:tuned")
ORACLE = "copy oracle"
_END = -2  # the scripted target's end token
_OPENING, _CLOSING = "````\n", "````"


def main() -> int:
    """Make the sketches, decode their answers, and print a table for each window."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.apply.drafting")
    parser.add_argument("files", type=Path, nargs="+")
    parser.add_argument("--number", type=int, default=340)
    parser.add_argument("--third", choices=THIRDS, default="tuning")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--windows", type=int, nargs="+", default=[64, 256])
    parser.add_argument("--drafters", default=",".join(DRAFTERS))
    parser.add_argument("--style")
    parser.add_argument("--tokenizer", type=Path, help="a folder with a tokenizer.json")
    args = parser.parse_args()
    codec = open_codec(args.tokenizer)
    pairs = [pair for pair in read_pairs(args.files) if pair.third == args.third]
    styles = [args.style] if args.style else list(STYLES)
    drafters = args.drafters.split(",")
    tokens: dict[str, int] = defaultdict(int)
    cases: dict[str, int] = defaultdict(int)
    rounds: dict[tuple[str, str, int], int] = defaultdict(int)
    spent: dict[str, float] = defaultdict(float)
    for number in range(args.number):
        random = Random(f"{args.seed}:{number}")
        style = styles[number % len(styles)]
        pair = variant(style, some_hunks(random.choice(pairs), random), random)
        sketch = STYLES[style](pair, random) if pair.hunks else None
        if sketch is None or pair.after() == pair.before:
            continue
        path = f"x.{extension_of(pair.language)}"
        if style == "unified diff":
            path = pair.id.rpartition(":")[2]
        before, after = ("\n".join(side) + "\n" for side in (pair.before, pair.after()))
        task = _task(codec, before, sketch, path)
        answer = [*codec.encode(after + _CLOSING, _OPENING), _END]
        for group in (style, "all"):
            tokens[group] += len(answer)
            cases[group] += 1
        for window in args.windows:
            counted = {ORACLE: len(oracle_runs(task.prompt_ids, answer, window))}
            for name in drafters:
                began = process_time()
                counted[name] = _rounds(name, task, answer, window)
                spent[name] += process_time() - began
            for name, count in counted.items():
                for group in (style, "all"):
                    rounds[name, group, window] += count
    print(f"tokenizer: {codec.name}; {cases['all']} sketches, {tokens['all']} tokens")
    for window in args.windows:
        print(f"\nwindow {window}: tokens a round (rounds; of the oracle's tokens a round)")
        for group in [*styles, "all"]:
            if not tokens[group]:
                continue
            best = rounds[ORACLE, group, window]
            figures = "  ".join(
                f"{name} {tokens[group] / rounds[name, group, window]:.1f} "
                f"({rounds[name, group, window]}; {best / rounds[name, group, window]:.0%})"
                for name in (*drafters, ORACLE)
            )
            print(f"{group:24} {cases[group]:4}  {figures}")
    total = len(args.windows) * cases["all"]
    print("\nCPU ms a case:", {name: round(1000 * spent[name] / total, 1) for name in drafters})
    return 0


def _task(codec: Codec, before: str, sketch: str, path: str) -> DraftTask:
    prompt = (
        f"File: {path}\n\n{_OPENING}{before}{_CLOSING}\n\nRewrite the whole text.\n\n"
        f"Instruction: {sketch_instruction(sketch, '')}\n\n{_OPENING}"
    )
    merge = best_guess(before, sketch, path)
    return DraftTask(
        prompt_ids=codec.encode(prompt),
        prediction=before,
        answer_opening=_OPENING,
        answer_closing=_CLOSING,
        codec=codec,
        merged=merge.segments,
    )


def _rounds(spec: str, task: DraftTask, answer: list[int], window: int) -> int:
    decoding = Decoding(
        ScriptedTarget(task.prompt_ids, answer, seed=1),
        task.prompt_ids,
        make_drafter(spec, task),
        ends_answer=lambda token_id: token_id == _END,
        max_new_tokens=len(answer),
        window=FixedWindow(window),
    )
    rounds = 0
    while decoding.finish_reason is None:
        rounds += decoding.advance() is not None
    if decoding.output_ids != answer:
        raise AssertionError(f"{spec} changed the answer")
    return rounds


if __name__ == "__main__":
    raise SystemExit(main())
