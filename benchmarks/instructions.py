"""``python -m benchmarks.instructions``: how many instructions words alone carry out, and how many of these rightly.

They were written by somebody who had not seen the rules (``tests/fixtures/instructions.py``), which have been mended on them
since. ``--embedded`` asks the embedded model for those that words leave, as ``editd
edit`` does, and counts its answers apart: right, wrong, and refused or without a change. ``--kinds`` names the kinds.
"""

from __future__ import annotations

import argparse
import asyncio
from collections import Counter, defaultdict
from contextlib import aclosing

from editd.config import Config, ModelConfig
from editd.daemon.hosting_client import HostingEngineClient
from editd.errors import EditdError
from editd.frontends.planning_client import PlanningClient
from editd.messages import EditResult
from tests.fixtures.instructions import SETS, Instruction, instructions

OUTCOMES = ("right", "wrong", "unchanged", "left")
EMBEDDED = ("embedded", "embedded: wrong", "embedded: none")


def main() -> None:
    """Print a table of Markdown: by kind of edit, what became of its instructions."""
    parser = argparse.ArgumentParser(description="How many instructions words carry out.")
    parser.add_argument("--embedded", action="store_true")
    parser.add_argument("--kinds", default="")
    parser.add_argument("--set", choices=SETS, default="first", dest="name")
    chosen = parser.parse_args()
    kinds = {kind for kind in chosen.kinds.split(",") if kind}
    found = [x for x in instructions(SETS[chosen.name]) if not kinds or x.kind in kinds]
    counts: defaultdict[str, Counter[str]] = defaultdict(Counter)
    for instruction in found:
        counts[instruction.kind][instruction.outcome()] += 1
    columns: tuple[str, ...] = OUTCOMES
    if chosen.embedded:
        columns += EMBEDDED
        left = [x for x in found if x.kind != "open" and x.outcome() == "left"]
        for kind, outcome in asyncio.run(_answer_of(left)):
            counts[kind][outcome] += 1
    print(f"| kind | {' | '.join(columns)} |\n|---|{'--:|' * len(columns)}")
    for kind, outcomes in sorted(counts.items()):
        print(f"| {kind} | {' | '.join(str(outcomes[column]) for column in columns)} |")
    total = sum(counts.values(), Counter())
    print(f"| **all** | {' | '.join(str(total[column]) for column in columns)} |")


async def _answer_of(left: list[Instruction]) -> list[tuple[str, str]]:
    """The kind of each instruction, and which of ``EMBEDDED`` the embedded model's answer is."""
    config = Config(model=ModelConfig(name="embedded"))

    async def connect() -> HostingEngineClient:
        return HostingEngineClient(config)

    client = PlanningClient(connect)
    try:
        return [(x.kind, await _answered(client, x)) for x in left]
    finally:
        await client.aclose()


async def _answered(client: PlanningClient, instruction: Instruction) -> str:
    """The one of ``EMBEDDED`` that the answer to an instruction is."""
    text = None
    try:
        async with aclosing(client.ask(instruction.request)) as messages:
            async for message in messages:
                if isinstance(message, EditResult):
                    text = message.text
    except EditdError:
        return "embedded: none"
    if text is None or text == instruction.text:
        return "embedded: none"
    return "embedded" if instruction.is_right(text) else "embedded: wrong"


if __name__ == "__main__":
    main()
