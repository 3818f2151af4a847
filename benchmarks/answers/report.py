"""Outcomes counted: a row for each kind, and one for all."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Sequence
from dataclasses import asdict
from pathlib import Path
from statistics import median

from benchmarks.answers.judge import Outcome
from tests.fixtures.proposed_edits import Case

_COLUMNS: dict[str, Callable[[Outcome], bool]] = {
    "exact": lambda o: o.exact,
    "computed": lambda o: o.computed,
    "computed, exact": lambda o: o.computed and o.exact,
    "parses": lambda o: o.parses,
    "untouched kept": lambda o: o.untouched == 1.0,
    "suspect, rightly": lambda o: o.suspect and not o.exact,
    "suspect, wrongly": lambda o: o.suspect and o.exact,
    "wrong, unnoticed": lambda o: not (o.exact or o.suspect or o.unchanged) and o.text is not None,
    "wrong, with a note alone": lambda o: o.noted and not (o.exact or o.suspect or o.unchanged),
    "right, with a note": lambda o: o.noted and o.exact,
    "nothing changed": lambda o: o.unchanged,
    "refused": lambda o: o.refused,
    "did not end": lambda o: not o.ended,
}


def table(outcomes: Sequence[Outcome]) -> str:
    """A Markdown table of counts, a row for each kind; the last column: the median size of the change by the right one's."""
    rows = [["kind", "edits", *_COLUMNS, "size of the change"]]
    kinds = list(dict.fromkeys(o.case.kind for o in outcomes))
    rows += [_row(kind, [o for o in outcomes if o.case.kind == kind]) for kind in kinds]
    if len(kinds) > 1:
        rows.append(_row("all", outcomes))
    head, *rest = (f"| {' | '.join(row)} |" for row in rows)
    return "\n".join([head, "|---" * len(rows[0]) + "|", *rest])


def _row(kind: str, outcomes: Sequence[Outcome]) -> list[str]:
    counts = (str(sum(map(holds, outcomes))) for holds in _COLUMNS.values())
    return [kind, str(len(outcomes)), *counts, f"{median(o.change for o in outcomes):.2f}"]


def save(outcomes: Iterable[Outcome], path: Path) -> None:
    """Append an outcome a line, so that a run that is ended keeps its outcomes."""
    with path.open("a", encoding="utf-8") as out:
        out.writelines(json.dumps(asdict(o), ensure_ascii=False) + "\n" for o in outcomes)


def saved(path: Path) -> list[Outcome]:
    """The outcomes that ``save`` has written to ``path`` so far; none if there is no file."""
    if not path.exists():
        return []
    with path.open(encoding="utf-8") as lines:
        records = [json.loads(line) for line in lines]
    return [
        Outcome(
            **{
                **{_RENAMED.get(name, name): value for name, value in record.items()},
                "case": Case(**record["case"]),
                "suspects": tuple(record["suspects"]),
                "pieces": tuple(map(tuple, record.get("pieces") or record.get("said", ()))),
                "hunks": tuple(map(tuple, record.get("hunks", ()))),
                "regions": tuple(map(tuple, record.get("regions", ()))),
            }
        )
        for record in records
    ]


_RENAMED = {"kept": "untouched", "said": "pieces"}
"""Fields of outcomes that earlier runs wrote under another name."""
