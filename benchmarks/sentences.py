"""``python -m benchmarks.sentences``: how many plain sentences the embedded model's rule takes, and for what.

``tests.fixtures.sentences`` reads and counts them.
"""

from __future__ import annotations

from tests.fixtures.sentences import OFFERED, counted


def main() -> None:
    """Print a table of Markdown."""
    of_kind, right, wrong = counted()
    print("| kind | sentences | taken |\n|---|--:|--:|")
    for name in OFFERED:
        print(f"| {name} | {of_kind[name]} | {right[name]} |")
    offered = sum(of_kind[name] for name in OFFERED)
    print(f"| **offered** | {offered} | {sum(right.values())} |")
    print(f"\n{wrong} of {of_kind.total()} are taken for a wrong kind.")


if __name__ == "__main__":
    main()
