"""``python -m benchmarks.sentences``: how many plain sentences the embedded model's rule takes, and for what.

``tests.fixtures.sentences`` reads and counts them.
"""

from __future__ import annotations

from tests.fixtures.sentences import OFFERED, counted


def main() -> None:
    """Print a table of Markdown."""
    meant, right, wrong = counted()
    print("| kind | sentences | taken |\n|---|--:|--:|")
    for name in OFFERED:
        print(f"| {name} | {meant[name]} | {right[name]} |")
    offered = sum(meant[name] for name in OFFERED)
    print(f"| **offered** | {offered} | {sum(right.values())} |")
    print(f"\n{wrong} of {meant.total()} are taken for a wrong kind.")


if __name__ == "__main__":
    main()
