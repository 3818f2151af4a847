"""The adapter's card: words that stay, and figures that only ``training.evaluate`` writes."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from editd.embedded.base_model import REQUIREMENT
from editd.embedded.families import FAMILIES

Figures = Mapping[str, Mapping[str, tuple[int, int]]]
"""By row (a family, or all other languages) and length: how many answers were right, of how many."""

LEAST_SHARE = 0.6
"""Of a family's answers at the shortest length, below which it is not offered."""


def learned(families: Figures) -> list[str]:
    """The families that the model may be asked for."""
    offered = []
    for name, row in families.items():
        if name not in FAMILIES:
            continue
        right, whole = row[min(row, key=int)]
        if whole and right >= LEAST_SHARE * whole:
            offered.append(name)
    return offered


def overall(families: Figures, length: str) -> tuple[int, int]:
    """Right answers, and all, over all families in Python."""
    cells = [row[length] for name, row in families.items() if name in FAMILIES]
    return sum(right for right, _ in cells), sum(whole for _, whole in cells)


def write_card(
    folder: Path,
    families: Figures,
    progress: Mapping[str, Any],
    packages: Sequence[Mapping[str, Any]],
    dtype: str,
) -> None:
    """``CARD.md``, and ``families.json`` with the list of those that are offered."""
    offered = learned(families)
    left_out = [name for name in FAMILIES if name not in offered]
    lengths = sorted({length for row in families.values() for length in row}, key=int)
    total = {length: overall(families, length) for length in lengths}
    history = (
        f"{progress['step']:,} steps, {progress['seen']:,} tokens in {progress['examples']:,} "
        f"edits, {progress['cpu_seconds'] / 60:,.0f} minutes of one CPU core"
        if progress
        else "not told"
    )
    text = f"""# Card of the embedded model

A low-rank adapter for SmolLM2-135M-Instruct (Apache-2.0, out of the wheel `{REQUIREMENT}`). Together
they rewrite a short text after an instruction of one of these kinds:

{_listed(offered) or "none yet"}

Everything else is refused in one sentence, also these kinds, which are trained but of which fewer
than {LEAST_SHARE:.0%} came out right at up to {lengths[0]} tokens:

{_listed(left_out) or "none"}

The adapter is under editd's own licence (MIT).

## Figures

Share of whole answers that are right to the last token under greedy decoding (in brackets: of how
many), on files of packages and in phrasings that no training example was made of. Lengths are tokens
of prompt and answer together: 256 is a text of about 300 characters; the
first column has none below 128. A row of 16 edits is good to about ±12 points. Judged in {dtype}.
Renames, replacements, and deletions of lines and definitions are put in one wording by a rule before
the model reads them, so there the phrasings test the rule.

{_table("Python, by family", families, total, lengths)}

Written by `python -m training.evaluate`. This is the model alone. A user meets what the words decide first, and
with it 98% up to 310 characters (docs/explanation/embedded-model.md, "With the words first").

## Training

{history} (`python -m training.train`), on edits made by code (`training/families`) of files from
{len(packages)} packages, each under its own permissive licence; those that are held out for the
figures are marked:

{_packages(packages)}
"""
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "CARD.md").write_text(text, encoding="utf-8")
    content = json.dumps({"families": offered}, indent=1)
    (folder / "families.json").write_text(content + "\n", encoding="utf-8")


def _listed(names: Sequence[str]) -> str:
    return "\n".join(f"- {FAMILIES[name].title} (`{name}`)" for name in names)


def _packages(packages: Sequence[Mapping[str, Any]]) -> str:
    return "; ".join(
        f"{package['name']} {package['version']} ({package['licence']}"
        f"{', held out' if package['held_out'] else ''})"
        for package in packages
    )


def _table(
    title: str, figures: Figures, total: Mapping[str, tuple[int, int]], lengths: Sequence[str]
) -> str:
    heads = [f"≤ {length}" for length in lengths]
    lines = [f"| {title} | {' | '.join(heads)} |", f"|---|{'---:|' * len(lengths)}"]
    for name, row in {**figures, "all families, Python": total}.items():
        cells = [_cell(row.get(length, (0, 0))) for length in lengths]
        lines.append(f"| {name} | {' | '.join(cells)} |")
    return "\n".join(lines)


def _cell(counted: tuple[int, int]) -> str:
    right, whole = counted
    return f"{right / whole:.0%} ({whole})" if whole else "–"
