"""``python -m benchmarks.apply CASES.jsonl …``: sketches of recorded edits, and how many are merged right."""

from __future__ import annotations

import argparse
import sys
import time
from collections import Counter, defaultdict
from pathlib import Path
from random import Random

from benchmarks.apply.pairs import THIRDS, read_pairs, some_hunks
from benchmarks.apply.styles import STYLES, variant
from editd.apply import Merged, merge
from editd.prompts.language import extension_of


def main() -> int:
    """Make the sketches, merge them, and print a table."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.apply")
    parser.add_argument("files", type=Path, nargs="+")
    parser.add_argument("--number", type=int, default=1700)
    parser.add_argument("--third", choices=THIRDS, default="tuning")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--show", choices=("wrong", "doubt"))
    parser.add_argument("--style")
    parser.add_argument("--most", type=int, default=3000)
    args = parser.parse_args()
    pairs = [pair for pair in read_pairs(args.files) if pair.third == args.third]
    counts: dict[str, Counter[str]] = defaultdict(Counter)
    spent = 0.0
    styles = [args.style] if args.style else list(STYLES)
    for number in range(args.number):
        random = Random(f"{args.seed}:{number}")
        style = styles[number % len(styles)]
        pair = some_hunks(random.choice(pairs), random)
        pair = variant(style, pair, random)
        if not pair.hunks:
            continue
        sketch = STYLES[style](pair, random)
        after = pair.after()
        if sketch is None or after == pair.before:
            continue
        text, wanted = "\n".join(pair.before) + "\n", "\n".join(after) + "\n"
        path = (
            pair.id.rpartition(":")[2]
            if style == "unified diff"
            else "x." + extension_of(pair.language)
        )
        began = time.process_time()
        result = merge(text, sketch, path=path)
        spent += time.process_time() - began
        if not isinstance(result, Merged):
            verdict = "doubt"
        else:
            verdict = "right" if result.text == wanted else "wrong"
        counts[style][verdict] += 1
        counts["all"][verdict] += 1
        if verdict == args.show:
            print(f"=== {number} {pair.id} {style}")
            print(sketch[: args.most])
            if isinstance(result, Merged):
                import difflib

                print("--- wanted against merged")
                print(
                    "\n".join(
                        difflib.unified_diff(
                            wanted.split("\n"), result.text.split("\n"), lineterm="", n=1
                        )
                    )
                )
            else:
                print("---", result.reason)
    for style in [*styles, "all"]:
        c = counts[style]
        total = sum(c.values())
        print(
            f"{style:24} {total:5} answered {100 * (c['right'] + c['wrong']) / max(total, 1):5.1f} %  wrong {c['wrong']}"
        )
    print(f"{1000 * spent / max(1, sum(counts['all'].values())):.1f} ms each", file=sys.stderr)
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
