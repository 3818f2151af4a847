"""What a model wrote around its answer and what became text: control words, thoughts, fences.

The last check of all, in every language: most garbage in a file still parses, or no parser knows the file. Doubted is
what the rewritten lines did not have and the instruction does not name. Exceptions are elements in markup that look
like control words, and fences where they belong: in Markdown, and inside comments and strings.
"""

from __future__ import annotations

import io
import re
import tokenize
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING

from editd.checks.rewrite import Doubt, Rewrite, quoted
from editd.diff.document import with_lf
from editd.prompts.answer_forms import OF_JSON, holds_text
from editd.prompts.control_words import is_named, is_ordinary, signed
from editd.prompts.fence_lines import fence_of, leaves_fence
from editd.syntax.language import MARKDOWN, MARKUP, parser_of
from editd.turns import yield_point

if TYPE_CHECKING:
    from tree_sitter import Node

_FENCES_BELONG = MARKDOWN | {"asciidoc", "typst", "djot"}
_ASKS_FOR_FENCES = re.compile(
    r"```|~~~|\bfence|\bcode ?blocks?\b|\bbackticks?\b|\bmarkdown\b", re.IGNORECASE
)
_STRIPPED = "assistantfinal"  # of a server that leaves the names of control words
_MOST = 200_000  # characters of a text that is parsed for its comments and strings
# What opens and closes comments and strings of several lines, where no grammar is at hand.
_QUOTED = (
    (r'"""', r'"""', "python julia elixir kotlin scala swift java dart nim groovy csharp gleam"),
    (r"'''", r"'''", "python dart groovy toml nix"),
    (r"/\*", r"\*/", "cpp kotlin scala swift csharp dart php css scss less sql hcl groovy protobuf d objc objcpp vue svelte"),
    (r"<!--", r"-->", "html xml vue svelte"),
    (r"--\[(=*)\[", r"\](=*)\]", "lua"),
    (r"\{-", r"-\}", "haskell elm"),
    (r"\(\*", r"\*\)", "ocaml fsharp"),
    (r"<#", r"#>", "powershell"),
    (r"#=", r"=#", "julia"),
    (r"(?m)^=begin\b", r"(?m)^=end\b", "ruby"),
    (r"(?m)^=\w+", r"(?m)^=cut\b", "perl"),
)  # fmt: skip


def doubts(rewrite: Rewrite) -> list[Doubt]:
    """Every hunk with words or fences that a model leaves around its answer."""
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


def _control_words(rewrite: Rewrite, old: str) -> Iterator[Doubt]:
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
                yield Doubt(reason, (hunk.id,))
                break


def _words_in(line: str) -> Iterator[str]:
    yield from (found[0] for found in signed().finditer(line))
    if _STRIPPED in line:
        yield _STRIPPED


def _is_excused(word: str, line: str, text: str, rewrite: Rewrite) -> bool:
    """Whether a control word is the text's own. text: of its hunk, in small letters."""
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


def _texts_in_json(rewrite: Rewrite, old: str) -> Iterator[Doubt]:
    for hunk, start in zip(rewrite.hunks, rewrite.new_starts, strict=True):
        for number, line in enumerate(hunk.new_lines, start + 1):
            if holds_text(line, old + rewrite.instruction):
                reason = (
                    f"Line {number} has a whole text as a string: it may be the answer's own form."
                )
                yield Doubt(reason, (hunk.id,))
                break


def _fences(rewrite: Rewrite, old: str) -> Iterator[Doubt]:
    """Hunks with fence lines, more of the same than the old text has, outside of comments and strings."""
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
    inside = _lines_inside(text, rewrite.language)
    for hunk, start in zip(rewrite.hunks, rewrite.new_starts, strict=True):
        for number, line in enumerate(hunk.new_lines, start):
            if more[line.strip()] > 0 and number not in inside:
                reason = f"Line {number + 1} is a code fence, which the text did not have: {quoted(line)}."
                yield Doubt(reason, (hunk.id,))
                break


def _open_blocks(rewrite: Rewrite) -> Iterator[Doubt]:
    """The last hunk with a fence, if a block of Markdown is left open that was not, or all of it is put into one."""
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
        yield Doubt(reason, (with_fence[-1].id,))
        return
    first = fence_of(new[0])
    if first and first.info.lower() in ("md", "markdown") and not fence_of(old[0]):
        yield Doubt("The whole text is put into a code block.", (rewrite.hunks[0].id,))


def _is_left_open(lines: Sequence[str]) -> bool:
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


def _lines_inside(text: str, language: str) -> set[int]:
    """Lines (0-based) of which all stands inside a comment or a string that begins above and ends below them."""
    if len(text) <= _MOST:
        if language == "python":
            try:
                return set(_between(_python_strings(text)))
            except (tokenize.TokenError, SyntaxError):
                pass
        elif (parser := parser_of(language)) is not None:
            tree = parser.parse(text.encode("utf-8", "replace"))
            return set(_between(_quoting_nodes(tree.root_node)))
    return set(_between(_quoted_by_signs(text, language)))


def _between(spans: Iterable[tuple[int, int]]) -> Iterator[int]:
    for first, last in spans:
        yield from range(first + 1, last)


def _python_strings(text: str) -> Iterator[tuple[int, int]]:
    """First and last line of each string; of an f-string those of its literal parts."""
    kinds = {tokenize.STRING, getattr(tokenize, "FSTRING_MIDDLE", tokenize.STRING)}
    for token in tokenize.generate_tokens(io.StringIO(text).readline):
        if token.type in kinds:
            yield token.start[0] - 1, token.end[0] - 1


def _quoting_nodes(root: Node) -> Iterator[tuple[int, int]]:
    pending = [root]
    while pending:
        node = pending.pop()
        if node.start_point.row + 1 >= node.end_point.row:
            continue
        if re.search(r"comment|string|template", node.type):
            yield node.start_point.row, node.end_point.row
        else:
            pending.extend(node.children)


def _quoted_by_signs(text: str, language: str) -> Iterator[tuple[int, int]]:
    for opening, closing, languages in _QUOTED:
        if language not in languages.split():
            continue
        at = 0
        while found := re.compile(opening).search(text, at):
            end = re.compile(closing).search(text, found.end())
            if end is None:
                break
            yield text.count("\n", 0, found.start()), text.count("\n", 0, end.start())
            at = end.end()
