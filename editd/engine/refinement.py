"""The conversation that a refinement continues: the earlier prompt, its answer, and the lines to write once more.

So the model sees what the new words are about, only these lines are rewritten, and what the earlier edit read is not read
again. How a scope is chosen is left to ``prompts.scope``; how turns are written to ``prompts.formats``.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from editd.diff.earlier_answer import EarlierAnswer
from editd.errors import EditdError
from editd.messages import EditRequest
from editd.prompts.base import EarlierTurn, Region, Scope
from editd.prompts.scope import parts_of

ScopeOf = Callable[[str, int | None, int | None], Scope]
"""The scope of an instruction within selected lines. Raises an ``EditdError`` where there is none."""


@dataclass(frozen=True, slots=True)
class Refinement:
    """The turn before, and the scope of the next: a single region within the region of that turn."""

    turn: EarlierTurn
    scope: Scope


def find_refinement(
    request: EditRequest,
    answer: EarlierAnswer,
    lines: Sequence[str],
    scope_of: ScopeOf,
    fields: dict[str, Any],
) -> Refinement | None:
    """The conversation of a refinement: the earlier prompt and its answer, and the region to write once more. The
    earlier scope is chosen anew by the earlier instruction.

    The region is that of the earlier turn, or, of a turn that rewrote all of the buffer but blank lines, the lines
    that ``request`` selects. ``None`` if the request does not say what it refines, its lines or the earlier answer's
    changes are not all in one region of the earlier scope, or that scope is refused. lines: the buffer's. fields: of
    ``PromptParts``, for all turns.
    """
    first = request.earlier
    if first is None:
        return None
    try:
        scope = scope_of(first.instruction, first.start_line, first.end_line)
    except EditdError:
        return None  # the buffer has changed since, or a limit: the refinement finds its own scope
    start = request.start_line or 0
    end = len(lines) if request.end_line is None else request.end_line
    around = [n for n, x in enumerate(scope.regions) if x.start <= start <= end <= x.end]
    if not around:
        return None
    region = scope.regions[around[0]]
    if not answer.differs_only_in(region.start, region.end):
        return None
    parts = parts_of(scope, around[0], lines, **{**fields, "instruction": first.instruction})
    turn = EarlierTurn(parts, answer.part(region.start, region.end))
    is_all = not any(map(str.strip, [*lines[: region.start], *lines[region.end :]]))
    part = Region(start, end) if is_all else region
    return Refinement(turn, Scope((part,), ((part.start, part.end),), scope.notice))
