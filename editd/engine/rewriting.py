"""One region's answer on its way from text to hunks: what the model may not change is kept, and what
goes round in circles is ended.

Knows texts and hunks; the tokens that the text is made of are ``edit``'s and ``answer``'s matter.
"""

from __future__ import annotations

from collections.abc import Sequence

from editd.checks.loops import LoopWatch
from editd.diff.document import Document, asks_for_final_newline
from editd.diff.hunk import Op
from editd.diff.streaming import StreamingDiff
from editd.engine.provenance import Provenance, Said, Source
from editd.prompts.base import Region
from editd.prompts.instruction import asks_for_repetition, is_about_spacing


class Rewriting:
    """Text in, operations of the walk out, done hunks with their origins.

    start: the first line that is walked over. repeats: quotes what the answer repeats, once it
    does; all that was not settled by then stays as it was. num_restored: as in ``StreamingDiff``.
    """

    def __init__(
        self, document: Document, region: Region, instruction: str, first_id: int = 1
    ) -> None:
        self._diff = StreamingDiff(
            document,
            region.start,
            region.end,
            first_id=first_id,
            final_newline=asks_for_final_newline(instruction),
            keeps_spacing=not is_about_spacing(instruction),
        )
        self.start = self._diff.start
        self.repeats = ""
        given = document.model_lines[self._diff.start : region.start]
        self._origins = Provenance([line + "\n" for line in given], at_start=region.start == 0)
        lines = document.model_lines[region.start : region.end]
        self._loops = None if asks_for_repetition(instruction) else LoopWatch("".join(lines))

    @property
    def num_restored(self) -> int:
        return self._diff.num_restored

    def push(
        self, text: str, said: Sequence[Said] = (), sources: Sequence[Source] = ()
    ) -> list[Op]:
        """Take the text of a round. said, sources: of each of its tokens, for the origins."""
        self._origins.add(said, sources)
        if self._loops is not None:
            text = text[: self._loops.feed(text)]
            self.repeats = self._loops.found
        ops = self._diff.push(text)
        return self._attached([*ops, *self._diff.abandon()] if self.repeats else ops)

    def finish(self, text: str, said: Sequence[Said] = ()) -> list[Op]:
        """The answer is complete with ``text``."""
        ops = [*self._diff.push(text), *self._diff.finish()]
        self._origins.finish(said)
        return self._attached(ops)

    def _attached(self, ops: list[Op]) -> list[Op]:
        return self._origins.attach(ops, self._diff.first_line)
