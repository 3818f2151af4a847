"""The lines that one edit rewrites, and those that it shows: the step between a request and its prompts.

The user's selection, else the whole buffer, else the parts that the instruction names, else a sentence with the
numbers. Where the whole buffer would take too long, only the lines that the instruction can concern. Knows lines,
token counts and modelled seconds; no model, no format. Nothing is ever cut off silently: ``Scope.notice`` names
everything that is left out.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from editd.errors import ScopeTooLarge, UsageError
from editd.intent import Parsed, parse
from editd.messages import ContextItem
from editd.prompts.base import EditFormat, PromptParts, Region, Scope
from editd.prompts.budget import (
    MOST_BYTES_PER_TOKEN,
    LineMeter,
    count_in_pieces,
    expected_answer_tokens,
)
from editd.prompts.named_lines import NamedLines, find_named_lines
from editd.prompts.narrowing import lines_concerned, short_parts
from editd.turns import yield_point

Seconds = Callable[[int, int], float]
"""An estimate of an edit's seconds: tokens of its prompt, tokens of its answer."""

BLOCK = 64  # borders of shown windows are multiples of this many lines
PATIENCE = 5.0  # seconds; below it a part saves too little time
_MOST_SEARCHED = 8 << 20  # characters of a buffer that is searched for what an instruction names


def choose_scope(
    lines: Sequence[str],
    instruction: str,
    *,
    count_tokens: Callable[[str], int],
    max_context: int,
    overhead: int,
    start_line: int | None = None,
    end_line: int | None = None,
    path: str = "",
    language: str = "",
    context_lines: int = 200,
    size: Callable[[int, int], int] | None = None,
    seconds: Seconds | None = None,
    longest: int = 0,
) -> Scope:
    """The regions to rewrite and the lines to show, of ``lines`` (the model's text, each line with its LF).

    start_line, end_line: the user's selection, 0-based, end exclusive. count_tokens: of a text. size: the characters of
    lines ``start .. end``, if that is known without looking at them. max_context: tokens of prompt and answer together.
    overhead: tokens of a prompt that shows nothing (``overhead_tokens``). path: for notices and errors. language: by
    which definitions are found. context_lines: shown on each side of a region if the buffer does not fit. seconds:
    estimates time; ``None``: as much as fits is shown and rewritten, however long it takes. longest: tokens of prompt
    and answer beyond which the model makes mistakes, 0 if that is not known.

    Blank lines at the ends of a region are left out unless the instruction is about spacing. Raises ``UsageError`` for
    lines that do not exist, ``ScopeTooLarge`` if the instruction, the selection or what is named does not fit, or the
    buffer does not, or is longer than ``longest``, and the instruction names nothing in it.
    """
    meter = LineMeter(lines, count_tokens, size)
    page = _Page(lines, meter, max_context, overhead, path, context_lines, seconds, longest)
    page.check_instruction()
    parsed = parse(instruction)
    scope = _scope_of(page, parsed, language, start_line, end_line)
    return scope if parsed.is_about_spacing else _without_blank_ends(scope, lines)


def _scope_of(
    page: _Page, parsed: Parsed, language: str, start_line: int | None, end_line: int | None
) -> Scope:
    """The scope: the selection; named parts of a buffer that is longer than the model was trained on; all of a buffer
    that fits, or less of it if that saves time; else the parts that the instruction names.

    Raises ``UsageError`` for lines that do not exist, ``ScopeTooLarge`` if the selection or what is named does not fit,
    or nothing is named.
    """
    lines = page.lines
    selection = _selection(len(lines), start_line, end_line)
    if selection is not None:
        return _scope_of_selection(page, selection)
    everything = (0, len(lines))
    if page.is_too_long(*everything):
        return _scope_of_short_parts(page, parsed, language)
    if page.fits_alone(*everything):
        narrow = _narrowed_scope(page, parsed, language)
        return narrow or Scope((Region(*everything),), (everything,))
    return _scope_by_names(page, parsed, language)


def _narrowed_scope(page: _Page, parsed: Parsed, language: str) -> Scope | None:
    """The lines that the instruction can concern.

    ``None`` if there are none, if all of the buffer takes less than ``PATIENCE`` seconds, or if
    they take more than half as long as all. Nothing is shown around them: it would have to be read,
    and they would be in the prompt twice.
    """
    total = len(page.lines)
    whole = page.seconds_for((0, total))
    if whole < PATIENCE:
        return None
    found = _grouped(page, lines_concerned(page.lines, parsed, language, page.fits_alone))
    taken = sum(page.seconds_for((part.start, part.end)) for part in found)
    if not found or 2 * taken > whole:
        return None
    return _parts_alone(page, found, f"would take {_duration(whole)} (--way whole)", in_parts=True)


def _grouped(page: _Page, found: Sequence[NamedLines]) -> list[NamedLines]:
    """The parts, with neighbours made one, without a name, where both and the lines between them
    fit and take no longer than two prompts.
    """
    merged: list[NamedLines] = []
    for part in found:
        if merged:
            both = merged[-1].start, part.end
            apart = page.seconds_for((merged[-1].start, merged[-1].end)) + page.seconds_for(
                (part.start, part.end)
            )
            if page.fits_alone(*both) and page.seconds_for(both) <= apart:
                merged[-1] = NamedLines(*both)
                continue
        merged.append(part)
    return merged


def _scope_of_short_parts(page: _Page, parsed: Parsed, language: str) -> Scope:
    """The parts that the instruction names, of a buffer that is longer than the model's training
    texts.

    Raises ``ScopeTooLarge`` if the instruction names none. The whole is not offered: a model spoils a text that is longer
    than those that it learnt from.
    """

    def is_short(start: int, end: int) -> bool:
        return not page.is_too_long(start, end)

    found = short_parts(page.lines, parsed, language, is_short)
    if not found:
        raise ScopeTooLarge(
            f"{page.name} is longer than this model was taught, and the instruction names nothing in it: "
            "name what is to change, select lines with --range START:END (about "
            f"{page.lines_taught(0, len(page.lines)):,} lines), or choose a larger model with --model."
        )
    return _parts_alone(page, found, "is longer than this model was taught", in_parts=False)


def _parts_alone(page: _Page, found: Sequence[NamedLines], why: str, *, in_parts: bool) -> Scope:
    """The scope of parts with nothing shown around them, and a notice that says so. why: the end of
    the notice's sentence. in_parts: as in ``Scope``.
    """
    regions = _regions(found)
    notice = f"Only what the instruction names is rewritten: {_listed(regions)}. All of {page.name} {why}."
    shown = tuple((region.start, region.end) for region in regions)
    return Scope(regions, shown, notice, in_parts=in_parts)


def _without_blank_ends(scope: Scope, lines: Sequence[str]) -> Scope:
    """A copy of ``scope`` without the blank lines at the ends of what is rewritten and of what is
    shown.

    Models drop or add some there; the buffer's own stay. A region of blank lines alone stays too.
    """
    regions = [
        replace(region, start=start, end=end)
        for region in scope.regions
        for start, end in [_without_blank_lines(lines, region.start, region.end)]
    ]
    shown = []
    for region, (first, last) in zip(regions, scope.shown, strict=True):
        start, end = _without_blank_lines(lines, first, last)
        shown.append((min(start, region.start), max(end, region.end)))
    return replace(scope, regions=tuple(regions), shown=tuple(shown))


def _without_blank_lines(lines: Sequence[str], start: int, end: int) -> tuple[int, int]:
    """``start .. end`` without blank lines at both ends; unchanged if all are blank."""
    first, last = start, end
    while last > first and not lines[last - 1].strip():
        last -= 1
    while first < last and not lines[first].strip():
        first += 1
    return (first, last) if first < last else (start, end)


def overhead_tokens(
    edit_format: EditFormat,
    parts: PromptParts,
    count_tokens: Callable[[str], int],
    max_context: int,
) -> int:
    """Tokens of the prompt around the shown text: instruction, sketch, an earlier answer, context items, the
    format's words, and 64 more.

    A quarter of their characters, at least ``max_context``, if these are far too many for the model; no prompt is
    made then. Raises what ``edit_format.prompt`` raises.
    """
    texts = [parts.instruction, parts.sketch or "", parts.based_on or ""]
    texts += [item.text for item in parts.context]
    size = sum(map(len, texts))
    if size > max_context * MOST_BYTES_PER_TOKEN:
        return max(size // 4, max_context)
    bare = replace(parts, before="", region="", after="", first_line=1)
    # The words that name a selection are not in it; they are a line or two.
    return count_in_pieces(edit_format.prompt(bare).text, count_tokens) + 64


def parts_of(
    scope: Scope,
    index: int,
    lines: Sequence[str],
    *,
    path: str,
    language: str,
    instruction: str,
    context: tuple[ContextItem, ...] = (),
    based_on: str | None = None,
) -> PromptParts:
    """The prompt parts of region ``index`` of ``scope``, cut from ``lines``; the other parameters go into them as they
    are.

    ``first_line`` is the region's, 1-based; blank lines at the buffer's beginning that are not shown do not count.
    """
    region, (shown_start, shown_end) = scope.regions[index], scope.shown[index]
    left_out = 0 if any(map(str.strip, lines[:shown_start])) else shown_start
    return PromptParts(
        path=path,
        language=language,
        before="".join(lines[shown_start : region.start]),
        region="".join(lines[region.start : region.end]),
        after="".join(lines[region.end : shown_end]),
        instruction=instruction,
        first_line=region.start - left_out + 1,
        context=context,
        based_on=based_on,
    )


@dataclass(frozen=True, slots=True)
class _Page:
    """A buffer, and the limits for its prompts."""

    lines: Sequence[str]
    meter: LineMeter
    max_context: int
    overhead: int
    path: str
    context_lines: int
    seconds: Seconds | None = None
    longest: int = 0

    @property
    def name(self) -> str:
        """The file's name, for messages."""
        return re.split(r"[\\/]", self.path)[-1] or "The buffer"

    @property
    def budget(self) -> int:
        """Tokens for the shown text and the answer."""
        return self.max_context - self.overhead

    def fits_alone(self, start: int, end: int) -> bool:
        """Whether lines ``start .. end`` can be rewritten with nothing around them."""
        return self.meter.fits((start, end), (start, end), self.budget)

    def is_too_long(self, start: int, end: int) -> bool:
        """Whether prompt and answer have more tokens than the model can be trusted with."""
        return 0 < self.longest < self.overhead + 2 * self.meter.estimate(start, end)

    def seconds_for(self, region: tuple[int, int], shown: tuple[int, int] | None = None) -> float:
        """An estimate of the seconds to rewrite lines ``region``; 0 if time does not matter (no
        ``seconds``). shown: lines in the prompt besides, by default none.
        """
        if self.seconds is None:
            return 0.0
        tokens = prompt = self.meter.estimate(*region)
        if shown is not None and shown != region:
            prompt += self.meter.estimate(*shown)
        return self.seconds(self.overhead + prompt, tokens)

    def worth_reading(self, region: tuple[int, int], shown: tuple[int, int]) -> bool:
        """Whether showing ``shown`` around ``region`` costs little compared to rewriting it."""
        return self.seconds_for(region, shown) <= max(PATIENCE, 2 * self.seconds_for(region))

    def window(self, region: tuple[int, int]) -> tuple[int, int]:
        """The lines shown around ``region``: to borders of blocks of 64 lines, ``context_lines`` on
        each side or half of that, and so on, until they fit and are worth the time; at least the
        region.
        """
        context = self.context_lines
        while True:
            start = max(0, region[0] - context) // BLOCK * BLOCK
            end = min(len(self.lines), -(-(region[1] + context) // BLOCK) * BLOCK)
            if self.meter.fits(region, (start, end), self.budget) and self.worth_reading(
                region, (start, end)
            ):
                return start, end
            if context == 0:
                return region
            context //= 2

    def lines_that_fit(self, start: int, end: int) -> int:
        """About how many lines, as long as ``start .. end`` are on average, an answer can rewrite;
        at least one.
        """
        tokens = max(0, self.budget - 64) * 4 // 9  # t + 5/4 t = budget
        per_line = self.meter.estimate(start, end) / max(1, end - start)
        return max(1, int(tokens / max(per_line, 1)))

    def lines_taught(self, start: int, end: int) -> int:
        """About how many lines of ``start .. end`` are as long as the model can be trusted with."""
        per_line = self.meter.estimate(start, end) / max(1, end - start)
        return max(1, int(max(0, self.longest - self.overhead) / 2 / max(per_line, 1)))

    def check_instruction(self) -> None:
        """Raise ``ScopeTooLarge`` if the instruction and its context leave no room for an answer."""
        if self.budget < expected_answer_tokens(0):
            raise ScopeTooLarge(
                f"The instruction and its context take {self.overhead:,} of the model's "
                f"{self.max_context:,} tokens: shorten them, or choose a model with a longer context."
            )

    def too_large(self, what: str, start: int, end: int, remedy: str) -> ScopeTooLarge:
        """The exception for lines that do not fit. remedy: the middle of its sentence."""
        tokens = self.meter.estimate(start, end)
        return ScopeTooLarge(
            f"{what} (about {tokens:,} tokens) and the rewritten text do not fit the model's "
            f"context of {self.max_context:,} tokens: {remedy} with --range START:END "
            f"(about {self.lines_that_fit(start, end):,} lines fit)."
        )


def _selection(total: int, start_line: int | None, end_line: int | None) -> tuple[int, int] | None:
    """The selected lines; ``None`` if nothing or all is selected. An end beyond the buffer is its end.

    Raises ``UsageError`` for a start that is negative or beyond the buffer's end, or an end before the start.
    """
    if start_line is None and end_line is None:
        return None
    start = 0 if start_line is None else start_line
    end = total if end_line is None else min(end_line, total)
    if not 0 <= start <= total or end < start:
        raise UsageError(
            f"Lines {start + 1} to {end if end_line is None else end_line} were selected, but the "
            f"buffer has {total:,} lines: select lines between 1 and {total:,}."
        )
    return None if (start, end) == (0, total) else (start, end)


def _scope_of_selection(page: _Page, selection: tuple[int, int]) -> Scope:
    """The scope of selected lines: all of the buffer is shown if that fits and is worth the time,
    else a window, with a notice.

    Raises ``ScopeTooLarge`` if the selected lines alone do not fit.
    """
    region = Region(*selection, _label("", *selection))
    everything = (0, len(page.lines))
    fits = page.meter.fits(selection, everything, page.budget)
    if fits and page.worth_reading(selection, everything):
        return Scope((region,), (everything,))
    if not fits and not page.fits_alone(*selection):
        raise page.too_large(_label("", *selection).capitalize(), *selection, "select fewer")
    shown = page.window(selection)
    why = "does not fit its context"
    if fits:
        why = (
            f"would take {_duration(page.seconds_for(selection, everything))} in all (--way whole)"
        )
    return Scope(
        (region,), (shown,), f"The model is shown {_label('', *shown)} only: {page.name} {why}."
    )


def _scope_by_names(page: _Page, parsed: Parsed, language: str) -> Scope:
    """The scope of the parts that the instruction names, each shown with lines around it, and a notice that says
    so.

    Raises ``ScopeTooLarge`` if the instruction names nothing in the buffer, a part does not fit, or the buffer
    exceeds 8 million characters. Lets other work run meanwhile.
    """
    total = len(page.lines)
    if page.meter.size(0, total) > _MOST_SEARCHED:
        remedy = "it is too large to look for what the instruction names, so select lines"
        raise page.too_large(f"{page.name} with its {total:,} lines", 0, total, remedy)
    found = find_named_lines(page.lines, parsed, language, page.fits_alone)
    if not found:
        absent = "".join(f"nothing in it reads {old}; " for old, _ in parsed.renames[:1])
        remedy = f"{absent}name a function in the instruction, or select lines"
        raise page.too_large(f"{page.name} with its {total:,} lines", 0, total, remedy)
    for part in found:
        if not page.fits_alone(part.start, part.end):
            what = part.name or _label("", part.start, part.end).capitalize()
            raise page.too_large(what, part.start, part.end, "select fewer lines")
        yield_point()
    regions = _regions(found)
    shown = []
    for region in regions:
        shown.append(page.window((region.start, region.end)))
        yield_point()
    notice = (
        f"{page.name} (about {page.meter.estimate(0, total):,} tokens) does not fit the model's context "
        f"of {page.max_context:,} tokens, so only what the instruction names is rewritten: "
        f"{_listed(regions)}."
    )
    return Scope(regions, tuple(shown), notice)


def _regions(found: Sequence[NamedLines]) -> tuple[Region, ...]:
    """Parts as regions with labels."""
    return tuple(Region(n.start, n.end, _label(n.name, n.start, n.end)) for n in found)


def _listed(regions: Sequence[Region]) -> str:
    """The labels of regions, at most five."""
    labels = [region.label for region in regions]
    return ", ".join(labels[:5]) + (f" and {len(labels) - 5} more parts" if labels[5:] else "")


def _duration(seconds: float) -> str:
    """Seconds for people."""
    return f"about {seconds / 60:.0f} min" if seconds >= 120 else f"about {seconds:.0f} s"


def _label(name: str, start: int, end: int) -> str:
    """A name and its line numbers, for people."""
    line_range = f"line {end}" if end - start == 1 else f"lines {start + 1} to {end}"
    return f"{name} ({line_range})" if name else line_range
