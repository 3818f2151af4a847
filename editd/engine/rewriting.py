"""Turns the text of one region's answer into hunks.

Knows texts and hunks; ``edit_job`` and ``region_answer`` handle tokens.
"""

from __future__ import annotations

from collections.abc import Sequence

from editd.diff.document import Document, asks_for_final_newline
from editd.diff.hunk import Op
from editd.diff.streaming import StreamingDiff
from editd.engine.hesitation import Hesitation
from editd.engine.provenance import Provenance, Said, Source
from editd.instruction import read
from editd.prompts.base import Region


class Rewriting:
    """Takes text and returns diff operations; done hunks have their origins, and
    notes where the model hesitated.

    spacing: a sketch changes white space, so that a change of nothing else is not undone. start: the first
    line that is rewritten. num_restored: as in ``StreamingDiff``.
    """

    def __init__(
        self,
        document: Document,
        region: Region,
        instruction: str,
        first_id: int = 1,
        *,
        spacing: bool = False,
    ) -> None:
        self._diff = StreamingDiff(
            document,
            region.start,
            region.end,
            first_id=first_id,
            final_newline=asks_for_final_newline(instruction),
            keeps_spacing=not (spacing or read(instruction).is_about_spacing),
        )
        self.start = self._diff.start
        given = document.model_lines[self._diff.start : region.start]
        self._origins = Provenance([line + "\n" for line in given], at_start=region.start == 0)

    @property
    def num_restored(self) -> int:
        return self._diff.num_restored

    def push(
        self,
        text: str,
        said: Sequence[Said] = (),
        sources: Sequence[Source] = (),
        unsure: Sequence[Hesitation | None] = (),
    ) -> list[Op]:
        """Take the text of a round. said, sources, unsure: of each of its tokens, for the origins."""
        self._origins.add(said, sources, unsure)
        return self._attached(self._diff.push(text))

    def abandon(self) -> list[Op]:
        """Discard the rest of the answer: lines that are not settled stay unchanged."""
        return self._attached(self._diff.abandon())

    def finish(self, text: str, said: Sequence[Said] = ()) -> list[Op]:
        """The answer is complete with ``text``."""
        ops = [*self._diff.push(text), *self._diff.finish()]
        self._origins.finish(said)
        return self._attached(ops)

    def _attached(self, ops: list[Op]) -> list[Op]:
        return self._origins.attach(ops, self._diff.first_line)
