"""Deletes the comments that are code; what is prose stays.

a.py, "remove the commented-out code"::

    def f(x):
        # twice is enough
        # x = x * 3
        # print(x)
        return x * 2

becomes::

    def f(x):
        # twice is enough
        return x * 2
"""

from __future__ import annotations

import re

from editd.refactor.candidates import Candidates
from editd.refactor.delete_lines import drop_lines
from editd.syntax.code import Code
from editd.syntax.language import SCRIPTS
from editd.syntax.python_statements import are_statements
from editd.syntax.tool_comments import staying

_BRACES = (*SCRIPTS, "java", "go", "rust", "c", "cpp", "csharp", "php")
_LONGEST = 60  # lines of a statement in comments
_NOTES = ("TODO", "FIXME", "NOTE", "XXX", "HACK", "BUG")
_STRONG = re.compile(
    r"(?:const|let|var|return|import|export|throw|if|for|while|else if|switch|case|defer|go|use|pub|fn|func|public|private|static|int|String)\b.*(?:[;{(=]|=>)"
    r"|(?:await |new )?[\w$]+(?:(?:\.|->|::)[\w$]+!?)*!?\(.*\)\s*[;,]?(?:\s*//.*)?$|[\w$.\[\]]+ (?:=|:=|\+=|-=) .+|.*;$|[\w.]+\(\)?[({\[]$",
)
_WEAK = re.compile(r"[)}\]]+[;,]?|(?:\} )?else \{|break;?|continue;?|return;?|\.\w+\(.*")
_PROSE = re.compile(
    r"[A-Za-z']+ [a-z']+ [a-z']+ |^(?:eg|e\.g\.|see|usage|example)\b", re.IGNORECASE
)


def delete_commented_code(code: Code) -> Candidates | None:
    """The text without the whole-line comments that are code, as a certain candidate; comments that tools read stay, and
    examples below a line that ends with a colon.

    ``None`` if there are none, or the language is neither Python nor one with braces.
    """
    numbers = commented_code(code)
    if not numbers:
        return None
    taken = set(numbers)
    lines = code.lines
    for number in numbers:  # a blank line that would double goes, too
        after = number + 1
        if after in taken or after >= len(lines) or lines[after].strip():
            continue
        before = number
        while before in taken:
            before -= 1
        is_blank_above = (
            before < 0 or not lines[before].strip() or lines[before].rstrip().endswith(("{", ":"))
        )
        if is_blank_above:
            taken.add(after)
    return Candidates((drop_lines(lines, taken),), is_certain=True)


def commented_code(code: Code) -> list[int]:
    """The numbers of the lines that are commented-out code; none if the language is neither Python nor one with braces."""
    sign = "#" if code.language == "python" else "//" if code.language in _BRACES else ""
    return [n for run in _runs(sign, code) for n in _code_in(run, sign, code)] if sign else []


def _runs(sign: str, code: Code) -> list[list[int]]:
    """The numbers of the lines of each run of comments that stand alone on theirs, at one depth; those of tools and of
    documentation left out.
    """
    comments = {
        code.text.count("\n", 0, token.start): token
        for token in code.tokens_of("comment")
        if token.text.startswith(sign)
    }
    found = sorted((token.start, token.text) for token in comments.values())
    stays = staying(found, code.text, code.language)
    runs: list[list[int]] = []
    for number, token in sorted(comments.items()):
        line = code.lines[number]
        is_plain = line.lstrip().startswith(sign) and not re.match(r"///|//!|#!|#:", token.text)
        if not is_plain or token.start in stays:
            continue
        depth = len(line) - len(line.lstrip())
        last = runs[-1][-1] if runs else -2
        same = last >= 0 and len(code.lines[last]) - len(code.lines[last].lstrip()) == depth
        if last == number - 1 and same:
            runs[-1].append(number)
        else:
            runs.append([number])
    return runs


def _code_in(run: list[int], sign: str, code: Code) -> list[int]:
    """The numbers of the lines of a run that are code."""
    texts = [re.sub(rf"^\s*{re.escape(sign)} ?", "", code.lines[number]).rstrip() for number in run]
    if code.language != "python":
        return _braces(run, texts)
    found: list[int] = []
    at = 0
    while at < len(texts):
        size = next(
            (
                n
                for n in range(min(_LONGEST, len(texts) - at), 0, -1)
                if are_statements(texts[at : at + n])
            ),
            0,
        )
        is_example = at and texts[at - 1].rstrip().endswith(":") and run[at - 1] not in found
        found += [] if is_example else run[at : at + size]
        at += size or 1
    return found


def _braces(run: list[int], texts: list[str]) -> list[int]:
    """The numbers of the lines of a run that are code in a language with braces: those with the signs of a statement, and
    what closes beside them.
    """
    strong = [
        bool(_STRONG.fullmatch(x.strip()))
        and not (_PROSE.match(x.strip()) and not x.rstrip().endswith((";", "{")))
        and not x.strip().startswith(_NOTES)
        for x in texts
    ]
    found = []
    for number, text in enumerate(texts):
        is_example = False
        above = number - 1
        while above >= 0 and strong[above]:
            above -= 1
        if above >= 0 and texts[above].rstrip().endswith(":"):
            is_example = True
        beside = (number and (strong[number - 1] or run[number - 1] in found)) or (
            number + 1 < len(texts) and strong[number + 1]
        )
        is_weak = bool(_WEAK.fullmatch(text.strip())) and beside
        if (strong[number] or is_weak) and not is_example:
            found.append(run[number])
    return found
