"""One region's answer while it is written: its end and its hunks; and what an earlier answer said there.

Knows texts and hunks; rounds and token ids are the writer's matter.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from editd.apply.merging import merge
from editd.apply.outcome import Merged
from editd.checks.loops import LoopWatch
from editd.diff.document import Document, requested_final_newline
from editd.diff.hunk import Hunk, Op
from editd.diff.streaming import StreamingDiff
from editd.engine.provenance import Provenance, TokenOrigin, TokenText
from editd.intent import parse
from editd.models.text_source import Hesitation
from editd.prompts.answer import AnswerReader
from editd.prompts.base import Prompt, PromptParts, Region
from editd.turns import yield_point

_NO_TEXT = (
    "The model answered with a diff and not with the new text, and it does not fit the old one: try again, or use "
    "another model."
)


class RegionAnswer:
    """Hears text and returns diff operations; at the end hunks get their origins, and notes where the model
    hesitated.

    Knows where the answer ends: at the closing fence, and where ``loops`` finds that it repeats itself; the
    writer handles all other ends.

    parts: what the prompt shows. thinks: the model is known to think before it answers. spacing: a sketch changes
    white space, so that a change of nothing else is not undone. start: the first line that is rewritten.
    """

    def __init__(
        self,
        document: Document,
        region: Region,
        prompt: Prompt,
        parts: PromptParts,
        instruction: str,
        first_id: int = 1,
        *,
        thinks: bool = False,
        loops: LoopWatch | None = None,
        spacing: bool = False,
    ) -> None:
        self._parts = parts
        self._reader = AnswerReader(
            prompt.opening,
            prompt.fence,
            parts.region,
            document=document.model_text,
            language=parts.language,
            instruction=instruction,
            thinks=thinks,
        )
        self._refusal = ""
        self._loops = loops
        self._heard: list[TokenText] = []  # since the last round
        self._diff = StreamingDiff(
            document,
            region.start,
            region.end,
            first_id=first_id,
            final_newline=requested_final_newline(instruction),
            keeps_spacing=not (spacing or parse(instruction).is_about_spacing),
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
    def refusal(self) -> str:
        """After ``finish``: why there is no text to use, in a sentence, else ``""``."""
        return self._refusal or self._reader.refusal

    @property
    def doubt(self) -> str:
        """After ``finish``: why the answer may be wrong as a whole, in a sentence, else ``""``."""
        return self._reader.doubt

    @property
    def is_whole(self) -> bool:
        """After ``finish``: whether the answer's own end was read, so that a limit did not cut it off."""
        return self._reader.is_whole

    @property
    def repeats(self) -> str:
        """Quotes the repeated text, if the answer was ended because of it."""
        return self._loops.found if self._loops is not None else ""

    def on_text(self, text: str, cut: bool) -> bool:  # noqa: FBT001  as ``writer.OnText``
        """Hear the next piece; returns whether the answer is complete."""
        self._heard.append(TokenText(text, self._reader.feed(text), cut=cut))
        if self._reader.closed or self._loops is None:
            return self._reader.closed
        if not self._reader.thinking:
            self._loops.feed(text)  # a thought may well repeat itself
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
        if self._reader.diff:
            body = self._merged(self._reader.diff)
        self._origins.finish([TokenText(rest, body)])
        return [*self._diff.push(body), *self._diff.finish()]

    @property
    def guesses(self) -> dict[int, str]:
        """By the id of a hunk, where the model guessed in it (``provenance.guess``); after ``hunks``."""
        return self._origins.guesses

    def hunks(self) -> list[Hunk]:
        """The answer's hunks with their origins, once it has ended."""
        return self._origins.named(self._diff.hunks, self._diff.first_line)

    def _merged(self, diff: str) -> str:
        """The new text that a diff makes of the old one; without one there is a refusal."""
        merged = merge(self._parts.region, diff, path=self._parts.path)
        if isinstance(merged, Merged) and merged.form != "sketch":
            return merged.text
        self._refusal = _NO_TEXT
        return ""


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
            yield_point()
    return count
