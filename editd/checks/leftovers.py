"""Control words, thoughts and fences that a model wrote around its answer and that became text.

The last check of all, in every language: most garbage in a file still parses, or no parser knows the file. Doubted is
what the rewritten lines did not have and the instruction does not name. Exceptions are elements in markup that look
like control words, and fences where they belong: in Markdown, and inside comments and strings.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence

from editd.checks.rewrite import Rewrite, Suspicion, quoted
from editd.diff.document import with_lf
from editd.prompts.answer_forms import OF_JSON, holds_text
from editd.prompts.control_words import any_signed_word, is_named, is_ordinary
from editd.prompts.fence_lines import fence_of, leaves_fence
from editd.syntax.code import Code
from editd.syntax.language import MARKDOWN, MARKUP
from editd.turns import yield_point

_FENCES_BELONG = MARKDOWN | {"asciidoc", "typst", "djot"}
_ASKS_FOR_FENCES = re.compile(
    r"```|~~~|\bfence|\bcode ?blocks?\b|\bbackticks?\b|\bmarkdown\b", re.IGNORECASE
)
_STRIPPED = "assistantfinal"  # of a server that leaves the names of control words


def suspicions(rewrite: Rewrite) -> list[Suspicion]:
    """A suspicion for each hunk with words or fences that a model leaves around its answer, or, in JSON, with a whole
    text as a string; fences are not looked for if the instruction speaks of them. Calls ``yield_point`` once.
    """
    old = "".join(rewrite.model_text(start, end) for start, end in rewrite.regions)
    found = [*_control_words(rewrite, old.lower())]
    if rewrite.language in OF_JSON:
        found += _texts_in_json(rewrite, old)
    yield_point()
    if not _ASKS_FOR_FENCES.search(rewrite.instruction):
        found += (
            _open_blocks(rewrite) if rewrite.language in _FENCES_BELONG else _fences(rewrite, old)
        )
    return found


def _control_words(rewrite: Rewrite, old: str) -> Iterator[Suspicion]:
    """A suspicion for each hunk with a control word of models that neither the rewritten text (``old``, in small
    letters) nor the instruction has; about the first such line of a hunk.
    """
    for hunk, start in zip(rewrite.hunks, rewrite.new_starts, strict=True):
        lines = with_lf(hunk.new_lines)
        text = "".join(lines).lower()
        for number, line in enumerate(lines, start + 1):
            left = [
                word
                for word in _words_in(line)
                if word.lower() not in old and not _is_excused(word, line, text, rewrite)
            ]
            if left:
                what = quoted(left[0])
                reason = f"Line {number} has {what}, which models write around their answers."
                yield Suspicion(reason, (hunk.id,))
                break


def _words_in(line: str) -> Iterator[str]:
    """Yield the control words of models in a line (``<|im_end|>``, ``[INST]``) in order, then ``assistantfinal`` if the
    line has it.
    """
    yield from (found[0] for found in any_signed_word().finditer(line))
    if _STRIPPED in line:
        yield _STRIPPED


def _is_excused(word: str, line: str, text: str, rewrite: Rewrite) -> bool:
    """Whether a control word may be the text's own: the instruction names it; it is a word in square brackets with
    small letters (a section, a link); or it is a tag that people write as well (``<answer>``): in markup an opening
    one, or one that the hunk opens as often as it closes it; elsewhere one that its line closes as well, or an opening
    one with other text beside it (a type).

    line: in which it stands. text: of its hunk, in small letters.
    """
    if is_named(word, rewrite.instruction.lower()):
        return True
    if word[0] == "[" and word[1] not in "/|":
        return not word.isupper()  # a section, or the text of a link
    if not is_ordinary(word):
        return False
    name, is_opening = word.lower().strip("</>"), word[1] != "/"
    scope = text if rewrite.language in MARKUP else line.lower()
    opened, closed = scope.count(f"<{name}>"), scope.count(f"</{name}>")
    if rewrite.language in MARKUP:
        return is_opening or opened >= closed
    return opened == closed or (is_opening and line.strip() != word)  # a type in brackets


def _texts_in_json(rewrite: Rewrite, old: str) -> Iterator[Suspicion]:
    """A suspicion for each hunk with a whole text as a string of JSON, which neither the rewritten text ``old`` nor the
    instruction has; about the first such line of a hunk.
    """
    for hunk, start in zip(rewrite.hunks, rewrite.new_starts, strict=True):
        for number, line in enumerate(hunk.new_lines, start + 1):
            if holds_text(line, old + rewrite.instruction):
                reason = (
                    f"Line {number} has a whole text as a string: it may be the answer's own form."
                )
                yield Suspicion(reason, (hunk.id,))
                break


def _fences(rewrite: Rewrite, old: str) -> Iterator[Suspicion]:
    """A suspicion for each hunk with a fence line, outside of comments and strings, that the whole rewritten text now
    has more often than ``old``; about the first such line of a hunk.
    """
    if not any(leaves_fence(line) for hunk in rewrite.hunks for line in hunk.new_lines):
        return
    had = Counter(map(str.strip, filter(leaves_fence, old.split("\n"))))
    have = Counter(had)
    for hunk in rewrite.hunks:
        replaced = rewrite.model_text(hunk.start, hunk.start + hunk.old_count).split("\n")
        have.subtract(map(str.strip, filter(leaves_fence, replaced)))
        have.update(map(str.strip, filter(leaves_fence, with_lf(hunk.new_lines))))
    more = have - had
    if not more:
        return
    text = rewrite.new_text(0, len(rewrite.old_lines))
    inside = Code(text, rewrite.language).quoted_lines
    for hunk, start in zip(rewrite.hunks, rewrite.new_starts, strict=True):
        for number, line in enumerate(hunk.new_lines, start):
            if more[line.strip()] > 0 and number not in inside:
                reason = f"Line {number + 1} is a code fence, which the text did not have: {quoted(line)}."
                yield Suspicion(reason, (hunk.id,))
                break


def _open_blocks(rewrite: Rewrite) -> Iterator[Suspicion]:
    """A suspicion about the last hunk with a fence, if a code block is left open and none was before; else about the
    first hunk, if the text now begins with a fence marked ``md`` or ``markdown`` and began with no fence before. None
    if no hunk has a fence.
    """
    with_fence = [
        hunk
        for hunk in rewrite.hunks
        if any(
            map(
                fence_of,
                (*hunk.new_lines, *rewrite.old_lines[hunk.start : hunk.start + hunk.old_count]),
            )
        )
    ]
    if not with_fence:
        return
    total = len(rewrite.old_lines)
    old, new = rewrite.model_text(0, total).split("\n"), rewrite.new_text(0, total).split("\n")
    if _is_left_open(new) and not _is_left_open(old):
        reason = "A code block is opened and not closed, or closed and not opened."
        yield Suspicion(reason, (with_fence[-1].id,))
        return
    first = fence_of(new[0])
    if first and first.info.lower() in ("md", "markdown") and not fence_of(old[0]):
        yield Suspicion("The whole text is put into a code block.", (rewrite.hunks[0].id,))


def _is_left_open(lines: Sequence[str]) -> bool:
    """Whether a code block of Markdown in the lines has no end: a fence without a word, of as many signs or more,
    closes it.
    """
    run = ""
    for line in lines:
        fence = fence_of(line)
        if fence is None:
            continue
        if not run:
            run = fence.run
        elif fence.run.startswith(run) and not fence.info:
            run = ""
    return bool(run)
