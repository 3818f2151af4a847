"""The only lines that an instruction can concern, where rewriting all of a buffer takes too long.

``named_lines`` says what may be rewritten where not everything can be. Here everything could be, so a part
is taken only if the words leave no doubt that the rest stays: a text that is replaced wherever it is
mentioned, definitions that are named, the imports. Knows lines and words; seconds are ``scope``'s.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from editd.breathing import breathe
from editd.instruction import read
from editd.instruction.meanings import AddImport, DeleteDefinition, SetValue
from editd.prompts.named_lines import Fits, Named, Parts, defined, without_overlaps
from editd.prompts.outline import outline

_AROUND = 2  # lines on each side of a mention that are rewritten with it
_NEAR = 4  # lines between two parts that take no longer than a second prompt
_LINES_A_PIECE = 2000


def lines_concerned(
    lines: Sequence[str], instruction: str, language: str, fits: Fits
) -> tuple[Named, ...]:
    """Parts beside which nothing can change, in order; empty where that is not certain.

    fits: as in ``ranges_named``.
    """
    said = read(instruction)
    if said.is_about_spacing or said.is_about_style:
        return ()
    meaning = said.meaning
    definitions = outline(lines, language)
    parts = Parts(lines, (), definitions, fits)
    breathe()
    modules: list[str] = []
    if said.exchanged:
        concerned = mentions_of(said.exchanged, instruction, parts)
        modules = [new.split(".")[0] for _, new in said.renames if "." in new]
    elif isinstance(meaning, AddImport):
        concerned = parts.imports()
    elif not isinstance(meaning, DeleteDefinition) and (
        said.renames or said.is_everywhere or _OF_ALL.search(instruction)
    ):
        return ()
    else:
        names = (meaning.name,) if isinstance(meaning, DeleteDefinition) else said.names
        found = defined(definitions, names) or defined(definitions, said.objects)
        concerned = [Named(one.start, one.end, one.qualified) for one in found]
        if found and _OF_MENTIONS.search(instruction):
            mentions = parts.lines_with({one.name for one in found})
            concerned += around(mentions, len(lines))
        elif not found and isinstance(meaning, SetValue):
            concerned = around(parts.lines_with([meaning.name]), len(lines))
        modules = [name.split(".")[0] for name in names if "." in name]
        if not found and said.is_about_imports:
            concerned = parts.imports()
    breathe()
    for module in modules if concerned else ():
        if not parts.lines_with([module]):
            concerned += parts.imports()
            break
    return joined(concerned)


def mentions_of(texts: Sequence[str], instruction: str, parts: Parts) -> list[Named]:
    """The lines that mention one of ``texts``, each with some around it."""
    numbers = parts.lines_with(texts)
    if not _OF_LITERALS.search(instruction):
        numbers = sorted({*numbers, *_alike(parts.lines, texts)})
    return around(numbers, len(parts.lines))


def _alike(lines: Sequence[str], texts: Sequence[str]) -> list[int]:
    """Numbers of the lines that have one of ``texts`` in them, in whatever case and spelling.

    Who renames ``pool_limits`` may mean ``PoolLimits`` and ``pool-limits``, too.
    """
    sought = [folded for text in texts if len(folded := _folded(text)) > _SHORT]
    found = []
    for number, line in enumerate(lines):
        if any(text in _folded(line) for text in sought):
            found.append(number)
        if number % _LINES_A_PIECE == _LINES_A_PIECE - 1:
            breathe()
    return found


def _folded(text: str) -> str:
    return text.lower().replace("_", "").replace("-", "")


def around(numbers: Iterable[int], total: int) -> list[Named]:
    """The lines with these numbers, each with some around it; total: how many there are."""
    return [Named(max(0, at - _AROUND), min(total, at + 1 + _AROUND)) for at in numbers]


def joined(found: Iterable[Named]) -> tuple[Named, ...]:
    """Without overlaps and small gaps."""
    kept: list[Named] = []
    for part in without_overlaps(found):
        if kept and part.start - kept[-1].end <= _NEAR:
            kept[-1] = Named(kept[-1].start, part.end)
        else:
            kept.append(part)
    return tuple(kept)


_SHORT = 3  # characters of a text that may be part of any word
# Words that reach beyond what is named.
_OF_ALL = re.compile(
    r"\b(?:all|every\w*|each|whole|entire|throughout|rest|others?|else(?:where)?|files?|modules?|project"
    r"|globally|mov(?:e|es|ing)|sort\w*|(?:re)?order\w*|swap|merg\w+|inlin\w+|combin\w+|consistent\w*"
    r"|tests?|usages?|uses|users|too|also|same|like|similar\w*"
    r"|and(?!\s+(?:re-?)?(?:return|raise|log|ignor|continu|pass|print)))\b",
    re.IGNORECASE,
)
# What a caller has to know of a function, what leaves callers behind, and what may be said of a word
# rather than of the definition that is called so.
_OF_MENTIONS = re.compile(
    r"(?<![\w.])(?:param\w*|arg\w*|signature|keyword|async\w*|await\w*|static\w*|property|calls?|callers?|called"
    r"|delet\w+|remov\w+|drop\w*|eras\w+|get rid|throw|cut|kill|take (?:out|away)|clear out|leave out|no"
    r"|without|unused|needs?|can go|(?:must|should|has to) (?:go|disappear)"
    r"|(?:re)?nam\w+|(?:re)?label\w*|identifier|replac\w+|substitut\w+|swap\w*|place of|wherever|put|say|says"
    r"|reads?|strings?|texts?|literals?|lines?)\b",
    re.IGNORECASE,
)
# Texts that are meant as they stand.
_OF_LITERALS = re.compile(r"\b(?:strings?|literals?|numbers?|texts?|lines?)\b", re.IGNORECASE)
