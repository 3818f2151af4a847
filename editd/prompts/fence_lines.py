"""Fence lines: the lines that open or close a block of an answer, told from the block's text.

Knows single lines, and the lines of one block; the parts of an answer are left to ``fenced``. A block's own text may
have fences, too: shorter or indented ones (a docstring's), and in Markdown whole blocks.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from typing import Literal

from editd.prompts.prose import introduces
from editd.syntax.language import language_named

LineKind = Literal["text", "closing", "perhaps"]
_ALIKE, _COMPARED = 0.6, 200  # of difflib, over so many characters of two lines
_FORMAT = re.compile("[\ufeff\u200b-\u200f\u2060\u00ad]")

_OPENING = re.compile(
    r"(?P<before>[\s\ufeff\u200b-\u200f\u2060\u00ad\u00a0]*(?:>[ ]?)*(?:(?:[-*+•]|\d{1,3}[.)])[ \t]+)?|(?P<words>[^`~]*[:.!>\]*][ \t]*))"
    r"(?:(?P<run>`{3,})(?P<info>[^`]*)|(?P<tildes>~{3,})(?P<any_info>.*))"
)

_FENCE = re.compile(r"(?P<before>[ \t]*)(?P<run>`{3,}|~{3,})")
_GLUED = re.compile(r"(?P<text>(?:(?!```|~~~).)*[^\s`~])(?P<run>`{3,}|~{3,})")
_COMMENT_SIGNS = " \t/*#-;%!<>\"'"
_LANGUAGE = re.compile(r"[a-z][\w+#.-]*[\w+#]")
_ROLES = frozenset({"assistant", "user", "system", "model", "final", "end", "done"})
_NAMED = "title|file(?:name)?|path|name|lines?|start(?:line)?|linenums|hl_lines|caption|id|class|label|lang(?:uage)?|mode"
_ATTRIBUTE = rf"(?:\{{[^{{}}]*\}}|(?:{_NAMED})=(?:\"[^\"]*\"|'[^']*'|[\w./-]+)|\w[\w./\\-]*\.\w+|[\d,-]+|\"[^\"]*\")"

_INFO = re.compile(
    rf"(?:(?P<word>[A-Za-z][\w+#.-]*)(?:[:=]\S+)?(?={_ATTRIBUTE}|\s|\Z)|{_ATTRIBUTE})(?:\s*{_ATTRIBUTE})*",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class FenceLine:
    """A fence line.

    run: backticks or tildes. info: the words after them. indent: columns before them, a list's sign included.
    """

    run: str
    info: str = ""
    indent: int = 0


def opening_of(line: str) -> FenceLine | None:
    """The fence (three backticks or tildes, or more) that ``line`` opens; ``None`` if it opens
    none.

    Blanks, format characters, and the sign of a list or a quotation may precede it, and so may the
    end of a sentence: "Here it is: ```python".
    """
    found = _OPENING.fullmatch(line.rstrip()) if _has_run(line) else None
    if found is None:
        return None
    before = "" if found["words"] else _FORMAT.sub("", found["before"])
    info = found["info"] or found["any_info"] or ""
    return FenceLine(found["run"] or found["tildes"], info.strip(), _width(before))


def fence_of(line: str) -> FenceLine | None:
    """The fence that ``line`` begins with, after blanks alone, whatever follows it; ``None`` if there is none."""
    found = _FENCE.match(line)
    return found and FenceLine(found["run"], line[found.end() :].strip(), _width(found["before"]))


def run_after(line: str, run: str) -> str:
    """The run (its signs) of the fence that is open after ``line``, if that of ``run`` was open
    before it; empty for none.

    An open fence is closed by one as long without the name of a language or file.
    """
    if not run:
        opening = opening_of(line)
        return opening.run if opening else ""
    fence = fence_of(line)
    return "" if fence and fence.run.startswith(run) and not is_info(fence.info) else run


def leaves_fence(line: str) -> bool:
    """Whether a line of a finished text looks like a fence that was left in it: a run of backticks
    or tildes at its beginning (format characters aside), or at its end.
    """
    if not _has_run(line):
        return False
    is_glued = glued_fence(line, "```") or glued_fence(line, "~~~")
    return bool(is_glued) or fence_of(_FORMAT.sub("", line)) is not None


def is_info(words: str) -> bool:
    """Whether ``words`` after a fence name a language or a file, or give its attributes, so that
    the fence opens a block. False for no words and for roles such as "assistant".
    """
    found = _INFO.fullmatch(words)
    if found is None:
        return False
    word = found["word"] or ""
    is_language = bool(language_named(word)) or bool(_LANGUAGE.fullmatch(word))
    return not word or (is_language and word not in _ROLES)


def text_in_info(info: str, region: Sequence[str]) -> str:
    """The first line of an answer that its model put on the line of the fence, behind a language or
    not; ``""`` if ``info`` is none.

    region: the lines that the answer replaces. Such a line must be one of them or be like the
    first; empty without any.
    """
    if not info or is_info(info) or not region:
        return ""
    _, _, rest = info.partition(" ")
    for text in (info, rest.strip()):
        if text and (
            text in region
            or SequenceMatcher(None, text[:_COMPARED], region[0][:_COMPARED]).ratio() >= _ALIKE
        ):
            return text
    return ""


def glued_fence(line: str, run: str) -> str:
    """The fence of at least ``run``'s signs at the end of a line of text; empty if there is none,
    or two, or nothing before it but signs of a comment.
    """
    found = _GLUED.fullmatch(line.rstrip()) if _has_run(line) else None
    if found is None or not found["text"].strip(_COMMENT_SIGNS):
        return ""
    return found["run"] if found["run"].startswith(run) else ""


def follows_block(line: str) -> bool:
    """Whether a line can hardly be text after a fence at the end of a line: it is another fence, or announces one."""
    return opening_of(line) is not None or introduces(line)


class FencedBlockReader:
    """Decides, line by line, which lines of a block are text and which closes the block.

    "perhaps": a fence that closes the block if no more text follows; if text does, call ``go_on``, and the fence is
    text. opening: the fence that opened it. region: the lines that the block replaces; its fences may recur.
    """

    def __init__(self, opening: FenceLine, region: Sequence[str]) -> None:
        self._run = opening.run
        self._region = {line.strip() for line in region}
        # A blank before the opening fence may be a slip; a closing fence then stands at the margin.
        self._indents = {0, opening.indent}
        self._depth = 0  # of blocks inside it, with fences that could close it
        self._above = ""  # the last line that is not blank
        self._opening_below = Counter(self._bare_openings(region))
        others = [fence for fence in map(fence_of, region) if fence and not self._may_close(fence)]
        # Inside a block of the text's own, whose fence cannot close this one; a part may begin in there.
        self._in_other = len(others) % 2 == 1 and not others[0].info
        self._opens_other = False  # the line that perhaps closes the block, if text follows

    def kind_of(self, line: str) -> LineKind:
        """Read the next line of the block; returns whether it is text, closes the block, or closes
        it only if no text follows ("perhaps": then call ``go_on`` if text does).

        Fences of blocks inside the block are counted, so lines must come once and in order.
        """
        fence = fence_of(line)
        above, self._above = self._above, line.strip() or self._above
        if fence is None:
            is_free = not (self._depth or self._in_other or line.strip() in self._region)
            return "perhaps" if is_free and glued_fence(line, self._run) else "text"
        if self._may_close(fence):
            return self._read_own(fence, above)
        if self._in_other:
            self._in_other = bool(fence.info)
        elif fence.info:
            self._in_other = is_info(fence.info)
        else:
            self._opens_other = True
            return "perhaps"
        return "text"

    def go_on(self) -> None:
        """Take the fence that perhaps closed the block for text: more text follows."""
        self._in_other |= self._opens_other
        self._opens_other = False

    @staticmethod
    def may_be_fence(begun: str) -> bool:
        """Whether a line that begins with ``begun`` may be a fence, so that its end must be awaited."""
        bare = begun.lstrip(" \t")
        return not bare.strip("`~") or bare.startswith(("```", "~~~"))

    def _read_own(self, fence: FenceLine, above: str) -> LineKind:
        """The kind of a fence that could close the block; counts the blocks inside it.

        "perhaps" for a fence with the name of a language: it opens a block inside, or ends this one. "text" for one
        that closes a block inside, and for a bare one that opens a block inside, since in the region, too, a bare
        fence that opens one follows the line ``above``. Else "closing". above: the last line before the fence that
        is not blank.
        """
        if fence.info and is_info(fence.info):
            self._depth += 1
            return "perhaps"
        if self._depth:
            self._depth -= 1
            return "text"
        if not fence.info and self._opening_below[above]:
            self._opening_below[above] -= 1
            self._depth += 1
            return "text"
        return "closing"

    def _may_close(self, fence: FenceLine) -> bool:
        """Whether a fence is long enough, and indented so that it may close the block."""
        return fence.run.startswith(self._run) and fence.indent in self._indents

    def _bare_openings(self, region: Sequence[str]) -> list[str]:
        """Of the fences of the region that could close this block (others count for nothing): for each that opens a block
        there without naming a language, the last filled line above it, stripped, be it a fence or not; empty if there is none.
        """
        above, is_open, found = "", False, []
        for line in region:
            fence = fence_of(line)
            if fence is not None and self._may_close(fence):
                if not is_open and not fence.info:
                    found.append(above)
                is_open = not is_open
            above = line.strip() or above
        return found


def _has_run(line: str) -> bool:
    """Whether a line has three backticks or tildes."""
    return "```" in line or "~~~" in line


def _width(blanks: str) -> int:
    """The columns of blanks and tabs."""
    return len(blanks.expandtabs(4))
