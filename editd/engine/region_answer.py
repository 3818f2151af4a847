"""A model's answer for one region while it is written: its end and its hunks.

Knows texts and hunks; rounds and token ids are left to the text source.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

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

_NO_TEXT = (
    "The model answered with a diff and not with the new text, and it does not fit the old one: try again, or use "
    "another model."
)
_MOVING = re.compile(
    r"\b(?:mov\w*|extract\w*|pull\w*|hoist\w*|lift\w*|out of|outside|unnest\w*|flatten\w*|(?:module|top)[- ]level|stand-?alone"
    r"|free function|global)\b",
    re.IGNORECASE,
)
_MANY = 2000  # lines that are compared in one piece: a millisecond or two


class RegionAnswer:
    """Turns an answer's text into diff operations; at the end its hunks get origins, and notes where the model hesitated.

    The answer ends at its closing fence, and where ``loops`` finds that it repeats itself; the text source handles all
    other ends.

    parts: what the prompt is made of. thinks: the model is known to think before it answers. spacing: a sketch changes
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
        self._round: list[TokenText] = []  # the pieces since the last round
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
        """The number of lines whose white space was restored, as counted by ``StreamingDiff``."""
        return self._diff.num_restored

    @property
    def refusal(self) -> str:
        """After ``finish``: a sentence on why there is no text to use; empty if there is."""
        return self._refusal or self._reader.refusal

    @property
    def doubt(self) -> str:
        """After ``finish``: a sentence on why the answer may be wrong as a whole; empty if nothing suggests that."""
        return self._reader.doubt

    @property
    def is_whole(self) -> bool:
        """After ``finish``: whether the answer's own end was read, so that a limit did not cut it off."""
        return self._reader.is_whole

    @property
    def repeats(self) -> str:
        """The repeated text, quoted, if the answer was ended because of it; else empty."""
        return self._loops.found if self._loops is not None else ""

    def on_text(self, text: str, cut: bool) -> bool:  # noqa: FBT001  as ``text_source.OnText``
        """Take the next piece, a token's text (cut: it ends inside a character); returns whether the answer is
        complete with it: its end was read, or, outside of thoughts, it repeats itself where that is watched.
        """
        self._round.append(TokenText(text, self._reader.feed(text), cut=cut))
        if self._reader.closed or self._loops is None:
            return self._reader.closed
        if not self._reader.thinking:
            self._loops.feed(text)  # a thought may well repeat itself
        return bool(self._loops.found)

    def end_round(
        self, sources: Sequence[TokenOrigin], hesitations: Sequence[Hesitation | None] = ()
    ) -> list[Op]:
        """Turn the pieces that ``on_text`` took since the last call into operations, for lines that are certain;
        empty if there are none yet.

        sources, hesitations: of each piece, for the hunks' origins and notes; no hesitations: none is known.
        """
        pieces, self._round = self._round, []
        self._origins.add(pieces, sources, hesitations)
        return self._diff.push("".join(piece.body for piece in pieces))

    def abandon(self) -> list[Op]:
        """Discard what is not settled yet: those lines stay unchanged. Returns the last operations."""
        return self._diff.abandon()

    def finish(self, rest: str = "") -> list[Op]:
        """End the answer with ``rest``, the text that the model's tokens left over, and return the last operations.
        An answer in the form of a diff is merged into the region, or sets ``refusal`` if it does not fit.
        """
        body = self._reader.feed(rest) + self._reader.finish()
        if self._reader.diff:
            body = self._merged(self._reader.diff)
        self._origins.finish([TokenText(rest, body)])
        return [*self._diff.push(body), *self._diff.finish()]

    @property
    def guesses(self) -> dict[int, str]:
        """After ``hunks``: by the id of a hunk, the token that the model guessed in it (``provenance.guess``)."""
        return self._origins.guesses

    def hunks(self) -> list[Hunk]:
        """The answer's hunks with their origins and notes, once it has ended."""
        return self._origins.named(self._diff.hunks, self._diff.first_line)

    def _merged(self, diff: str) -> str:
        """The new text that a diff makes of the region; empty, setting ``refusal``, if it does not
        fit or is a sketch.
        """
        merged = merge(self._parts.region, diff, path=self._parts.path)
        if isinstance(merged, Merged) and merged.form != "sketch":
            return merged.text
        self._refusal = _NO_TEXT
        return ""
