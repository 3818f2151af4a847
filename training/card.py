"""The model card: words that stay, and figures that only ``training.evaluate`` writes."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from editd.embedded.families import FAMILIES

Figures = Mapping[str, Mapping[str, tuple[int, int]]]
"""By row (a family, or a language) and length: how many answers were right, of how many."""

_BEGIN, _END = "<!-- figures: written by training.evaluate -->", "<!-- end of figures -->"
_LEAST_SHARE = 0.8  # of a family that the model may be asked for, up to 512 tokens


def write_card(folder: Path, parameters: int, trained: Mapping[str, Any]) -> None:
    """``MODEL_CARD.md`` without figures."""
    edits = "\n".join(f"- {family.title} (`{family.name}`)" for family in FAMILIES.values())
    history = (
        f"{trained['steps']:,} steps, {trained['tokens'] / 1e6:,.0f} million tokens, "
        f"{trained['seconds'] / 60:.1f} minutes"
        if "steps" in trained
        else "not trained"
    )
    text = f"""# editd's embedded model

A Llama of {parameters / 1e6:.1f} million parameters that rewrites a short file or a region of one after
an instruction of one of these kinds, and can do nothing else:

{edits}

Python first; renaming, replacing and deleting comments or prints also in other languages. It knows
no world and understands no free text: editd turns other instructions away. MIT licence. Training:
{history} (`python -m training.train`) on examples made by code from the packages listed in
`corpus.json`, each under its own permissive licence.

## Figures

Whole answers that are right to the last token under greedy decoding, on files and phrasings that no
training example was made of. Lengths are tokens of prompt and answer together.

{_BEGIN}
Not evaluated yet.
{_END}
"""
    (folder / "MODEL_CARD.md").write_text(text, encoding="utf-8")


def write_figures(folder: Path, families: Figures, languages: Figures, told: str) -> None:
    """Replace the figures in the folder's card."""
    path = folder / "MODEL_CARD.md"
    text = path.read_text(encoding="utf-8")
    before, rest = text.split(_BEGIN, 1)
    after = rest.split(_END, 1)[1]
    left_out = [name for name in families if name not in learned(families)]
    parts = [
        told,
        "### Python, by family",
        _table("family", families),
        (
            f"Left out of the model's list (under {_LEAST_SHARE:.0%} up to 512 tokens): "
            f"{', '.join(left_out) or 'none'}."
        ),
        "### Other languages, by language",
        _table("language", languages),
    ]
    written = "\n\n".join(parts)
    path.write_text(f"{before}{_BEGIN}\n{written}\n{_END}{after}", encoding="utf-8")


def learned(families: Figures) -> list[str]:
    """The families that the model may be asked for."""
    kept = []
    for name, lengths in families.items():
        right = sum(lengths[key][0] for key in ("256", "512") if key in lengths)
        whole = sum(lengths[key][1] for key in ("256", "512") if key in lengths)
        if whole and right >= _LEAST_SHARE * whole:
            kept.append(name)
    return kept


def _table(title: str, figures: Figures) -> str:
    lengths = sorted({length for row in figures.values() for length in row}, key=int)
    lines = [f"| {title} | {' | '.join(lengths)} |", f"|---|{'---:|' * len(lengths)}"]
    for name, row in figures.items():
        cells = [_cell(row.get(length, (0, 0))) for length in lengths]
        lines.append(f"| {name} | {' | '.join(cells)} |")
    return "\n".join(lines)


def _cell(counted: tuple[int, int]) -> str:
    right, whole = counted
    return f"{right / whole:.1%} ({whole})" if whole else "–"
