"""One region's answer while it is written: its end and its hunks; and what an earlier answer said there.

Knows texts and hunks; rounds and token ids are the writer's matter.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from editd.breathing import breathe
from editd.checks.loops import LoopWatch
from editd.diff.document import Document, asks_for_final_newline
from editd.diff.hunk import Hunk, Op
from editd.diff.streaming import StreamingDiff
from editd.engine.provenance import Hesitation, Provenance, TokenOrigin, TokenText
from editd.instruction import read
from editd.prompts.answer import AnswerReader
from editd.prompts.base import Prompt, Region


class RegionAnswer:
    """Hears text and returns diff operations; at the end hunks get their origins, and notes where the model
    hesitated.

    Knows where the answer ends: at the closing fence, and where ``loops`` finds that it repeats itself; the
    writer handles all other ends.

    shown: the region as the prompt shows it. spacing: a sketch changes white space, so that a change of
    nothing else is not undone. start: the first line that is rewritten.
    """

    def __init__(
        self,
        document: Document,
        region: Region,
        prompt: Prompt,
        shown: str,
        instruction: str,
        first_id: int = 1,
        *,
        loops: LoopWatch | None = None,
        spacing: bool = False,
    ) -> None:
        self._reader = AnswerReader(prompt.opening, prompt.fence, shown)
        self._loops = loops
        self._heard: list[TokenText] = []  # since the last round
        self._diff = StreamingDiff(
            document,
            region.start,
            region.end,
            first_id=first_id,
            final_newline=asks_for_final_newline(instruction),
            keeps_spacing=not (spacing or read(instruction).is_about_spacing),
            may_move=bool(_MOVING.search(instruction)),
        )
        self.start = self._diff.start
        given = document.model_lines[self._diff.start : region.start]
        self._origins = Provenance([line + "\n" for line in given], at_start=region.start == 0)

    @property
    def num_restored(self) -> int:
        """As in ``StreamingDiff``."""
        return self._diff.num_restored

    @property
    def refusal(self) -> str | None:
        """One sentence when the model wrote prose and no code; known once it has finished."""
        return self._reader.refusal

    @property
    def repeats(self) -> str:
        """Quotes the repeated text, if the answer was ended because of it."""
        return self._loops.found if self._loops is not None else ""

    def on_text(self, text: str, cut: bool) -> bool:  # noqa: FBT001  as ``writer.OnText``
        """Hear the next piece; returns whether the answer is complete."""
        self._heard.append(TokenText(text, self._reader.feed(text), cut=cut))
        if self._reader.closed or self._loops is None:
            return self._reader.closed
        self._loops.feed(text)
        return bool(self._loops.found)

    def end_round(
        self, sources: Sequence[TokenOrigin], unsure: Sequence[Hesitation | None] = ()
    ) -> list[Op]:
        """What was heard in a round, as operations. sources, unsure: of each piece, for the origins."""
        heard, self._heard = self._heard, []
        self._origins.add(heard, sources, unsure)
        return self._diff.push("".join(piece.body for piece in heard))

    def abandon(self) -> list[Op]:
        """Discard the rest of the answer: lines that are not settled stay unchanged."""
        return self._diff.abandon()

    def finish(self, rest: str = "") -> list[Op]:
        """The answer has ended with ``rest``."""
        body = self._reader.feed(rest) + self._reader.finish()
        self._origins.finish([TokenText(rest, body)])
        return [*self._diff.push(body), *self._diff.finish()]

    @property
    def guesses(self) -> dict[int, str]:
        """By the id of a hunk, where the model guessed in it (``provenance.guess``); after ``hunks``."""
        return self._origins.guesses

    def hunks(self) -> list[Hunk]:
        """The answer's hunks with their origins, once it has ended."""
        return self._origins.named(self._diff.hunks, self._diff.first_line)


_MOVING = re.compile(
    r"\b(?:mov\w*|extract\w*|pull\w*|hoist\w*|lift\w*|out of|outside|unnest\w*|flatten\w*|(?:module|top)[- ]level|stand-?alone"
    r"|free function|global)\b",
    re.IGNORECASE,
)
_MANY = 2000  # lines that are compared in one piece: a millisecond or two


@dataclass(frozen=True, slots=True)
class Earlier:
    """A whole new text that an earlier edit of this buffer wrote.

    num_lines: the buffer's. before, after: how many lines at the beginning, and at the end, are
    alike in both.
    """

    document: Document
    num_lines: int
    before: int
    after: int

    @classmethod
    def read(cls, text: str, lines: Sequence[str]) -> Earlier:
        """``lines``: the buffer's, as the model sees them."""
        document = Document.of(text)
        earlier = document.model_lines
        before = _num_alike(zip(earlier, lines, strict=False))
        after = _num_alike(zip(reversed(earlier), reversed(lines), strict=False))
        return cls(document, len(lines), before, after)

    def part(self, start: int, end: int) -> str:
        """The part of the earlier text that corresponds to lines ``start .. end`` of the buffer.

        All of the text where the two differ outside these lines, too: then it is unknown which
        part is meant.
        """
        behind = self.num_lines - end
        stop = len(self.document.lines) - behind
        if stop < start or start > self.before or behind > self.after:
            return self.document.model_text
        return "".join(self.document.model_lines[start:stop])


def _num_alike(pairs: Iterable[tuple[str, str]]) -> int:
    """The number of equal pairs before the first unequal one."""
    count = 0
    for one, other in pairs:
        if one != other:
            break
        count += 1
        if count % _MANY == 0:
            breathe()
    return count
