"""The text that an answer replaces, as far as it helps to tell the new text from a model's own words.

A line that stands in both is text; the old text itself, once more and unchanged, is a quotation. Knows lines; fences
only as far as the old text has some.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import cached_property

from editd.prompts.fence_lines import fence_of
from editd.prompts.prose import is_prose, is_talk, reads_like_prose
from editd.turns import yield_point

_MANY = 1000  # lines that are looked at in one piece: a millisecond or two


class OldText:
    """The text that an answer replaces, as far as it helps to tell text from talk.

    document: the whole file, of which a model may quote all. may_have_fences: whether it is Markdown, or may be.
    keeps_blanks: blank lines at an answer's two ends are its text, although the old one has fewer:
    ``num_blank_first`` and ``num_blank_last``.
    """

    def __init__(
        self,
        region: str,
        document: str = "",
        *,
        may_have_fences: bool = False,
        keeps_blanks: bool = False,
    ) -> None:
        self.lines = region.split("\n")
        has_run = "```" in region or "~~~" in region
        self.has_fences = has_run and any(map(fence_of, self.lines))
        self.may_have_fences = may_have_fences or self.has_fences
        self.keeps_blanks = keeps_blanks or not region.strip()
        self.num_blank_first = len(region) - len(region.lstrip("\n"))
        self.num_blank_last = max(0, len(region) - len(region.rstrip("\n")) - 1)
        self._texts = {region, document}
        self._stripped = frozenset(map(str.strip, self.lines))
        yield_point()
        self._expects_prose = not region or is_prose(region)
        yield_point()

    @cached_property
    def quotable(self) -> list[list[str]]:
        """The lines of the texts that count as quoted when the model repeats them."""
        return [bare_lines(text.split("\n")) for text in self._texts if text.strip()]

    @cached_property
    def num_telling(self) -> int:
        """The number of different lines of the old text with a letter or digit."""
        return self.count(self._stripped)

    def count(self, lines: Iterable[str]) -> int:
        """The number of ``lines``, repeated ones too, with a letter or digit that the old text has. Lets other work
        run meanwhile.
        """
        count = 0
        for number, line in enumerate(lines):
            count += self.has(line)
            if number % _MANY == 0:
                yield_point()
        return count

    def has(self, line: str) -> bool:
        """Whether a line has a letter or digit, and stands in the old text."""
        return any(map(str.isalnum, line)) and line.strip() in self._stripped

    def is_talk(self, line: str) -> bool:
        """Whether a line is the model's, and not the new text's: it is none of the region's, and a
        phrase of chat models or, where no prose is expected, any sentence.
        """
        if line.strip() in self._stripped:
            return False
        return is_talk(line) or (not self._expects_prose and reads_like_prose(line))

    def is_all_talk(self, lines: Iterable[str]) -> bool:
        """Whether each line that is not blank is the model's; false if there is none."""
        texts = [line for line in lines if line.strip()]
        return bool(texts) and all(map(self.is_talk, texts))

    def trimmed(self, lines: list[str]) -> list[str]:
        """``lines`` without more blank ones at their two ends than the old text has there;
        unchanged if all are blank or the edit is about spacing.
        """
        inked = [at for at, line in enumerate(lines) if line.strip()]
        if self.keeps_blanks or not inked:
            return lines
        first, last = inked[0] - self.num_blank_first, inked[-1] + self.num_blank_last
        return lines[max(0, first) : last + 1]

    def is_quoted_in(self, lines: Sequence[str]) -> bool:
        """Whether ``lines`` are the old text, unchanged."""
        return bare_lines(lines) in self.quotable

    def ends_like(self, lines: Sequence[str]) -> bool:
        """Whether ``lines`` end with the old text's last line."""
        return bare_lines(lines)[-1:] == bare_lines(self.lines)[-1:]


def bare_lines(lines: Sequence[str]) -> list[str]:
    """The lines without white space at their right ends, from the first to the last that is not
    blank; empty if all are.
    """
    bare = [line.rstrip() for line in lines]
    inked = [at for at, line in enumerate(bare) if line]
    return bare[inked[0] : inked[-1] + 1] if inked else []


def with_ends(text: str) -> list[str]:
    """The lines of ``text``, each with its LF but for an unfinished last one."""
    *ended, rest = text.split("\n")
    return [*(f"{line}\n" for line in ended), *([rest] if rest else [])]
