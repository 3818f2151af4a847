"""The only lines that an instruction can concern, where rewriting all of a buffer takes too long.

``named_lines`` says what may be rewritten where not everything can be. Here everything could be, so a part
is taken only if the words leave no doubt that the rest stays: a text that is replaced wherever it is
mentioned, definitions that are named, the imports. Knows lines and words; seconds are ``scope``'s.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from editd.instruction.mentions import (
    is_about_imports,
    is_about_spacing,
    is_everywhere,
    names_in,
    rename_in,
)
from editd.instruction.sentences import (
    asks_for_import,
    deleted_definition_in,
    deleted_lines_in,
    renamed_in,
    valued_in,
)
from editd.instruction.wording import FUNCTION_WORDS, KINDS, LABELS, QUANTIFIERS, tokens_of
from editd.pieces import Pieces
from editd.prompts.named_lines import Fits, Named, Parts, defined, without_overlaps
from editd.prompts.outline import outline

_AROUND = 2  # lines on each side of a mention that are rewritten with it
_NEAR = 4  # lines between two parts that take no longer than a second prompt
_LINES_A_PIECE = 2000


def lines_concerned(
    lines: Sequence[str], instruction: str, language: str, fits: Fits
) -> Pieces[tuple[Named, ...]]:
    """Parts beside which nothing can change, in order; empty where that is not certain.

    fits: as in ``ranges_named``.
    """
    if is_about_spacing(instruction):
        return ()
    names, pairs = names_in(instruction), rename_in(instruction)
    deleted = deleted_definition_in(instruction)
    definitions = yield from outline(lines, language)
    parts = Parts(lines, (), definitions, fits)
    yield
    modules: list[str] = []
    if texts := exchanged_in(instruction):
        concerned = yield from mentions_of(texts, instruction, parts)
        modules = [new.split(".")[0] for _, new in pairs if "." in new]
    elif asks_for_import(instruction):
        concerned = yield from parts.imports()
    elif not deleted and (pairs or is_everywhere(instruction) or _OF_ALL.search(instruction)):
        return ()
    else:
        names = (deleted,) if deleted else names
        found = defined(definitions, names) or defined(definitions, objects_in(instruction))
        concerned = [Named(one.start, one.end, one.qualified) for one in found]
        if found and _OF_MENTIONS.search(instruction):
            mentions = yield from parts.lines_with({one.name for one in found})
            concerned += around(mentions, len(lines))
        valued = None if found else valued_in(instruction)
        if valued is not None:
            concerned = around((yield from parts.lines_with([valued])), len(lines))
        modules = [name.split(".")[0] for name in names if "." in name]
        if not found and is_about_imports(instruction):
            concerned = yield from parts.imports()
    yield
    for module in modules if concerned else ():
        if not (yield from parts.lines_with([module])):
            concerned += yield from parts.imports()
            break
    return joined(concerned)


def mentions_of(texts: Sequence[str], instruction: str, parts: Parts) -> Pieces[list[Named]]:
    """The lines that mention one of ``texts``, each with some around it."""
    numbers = yield from parts.lines_with(texts)
    if not _OF_LITERALS.search(instruction):
        numbers = sorted({*numbers, *(yield from _alike(parts.lines, texts))})
    return around(numbers, len(parts.lines))


def exchanged_in(instruction: str) -> list[str]:
    """What the instruction is about, if it says only what becomes of every mention of it."""
    said = renamed_in(instruction)
    if said is not None:
        return [said[0]]
    deleted = deleted_lines_in(instruction)
    if deleted is not None:
        return [deleted]
    pairs = rename_in(instruction)
    named = {word for text in sum(pairs, ()) for word in _WORD.findall(text.lower())}
    words = {token.word for token in tokens_of(instruction) if token.word}
    others = words - named - FUNCTION_WORDS - KINDS - LABELS - QUANTIFIERS - _RENAMING - {"file"}
    is_plain = not any(word.strip("-.0123456789") for word in others)
    return [old for old, _ in pairs] if is_plain else []


def _alike(lines: Sequence[str], texts: Sequence[str]) -> Pieces[list[int]]:
    """Numbers of the lines that have one of ``texts`` in them, in whatever case and spelling.

    Who renames ``pool_limits`` may mean ``PoolLimits`` and ``pool-limits``, too.
    """
    sought = [folded for text in texts if len(folded := _folded(text)) > _SHORT]
    found = []
    for number, line in enumerate(lines):
        if any(text in _folded(line) for text in sought):
            found.append(number)
        if number % _LINES_A_PIECE == _LINES_A_PIECE - 1:
            yield
    return found


def _folded(text: str) -> str:
    return text.lower().replace("_", "").replace("-", "")


def objects_in(instruction: str) -> list[str]:
    """Bare words where the name of a function is expected: "document parse", "a retry to save"."""
    found = (first or second for first, second in _OBJECT.findall(instruction))
    return [word for word in found if word.lower() not in FUNCTION_WORDS]


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


_WORD = re.compile(r"\w+")
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
_RENAMING = frozenset(
    """
    rename renamed renames renaming replace replaced replacing substitute change changed changing turn
    turned convert switch set update give call called name named should identifier identifiers use
    """.split()  # noqa: SIM905
)
_OBJECT = re.compile(
    r"\b(?:in|inside|within|of|to|into|from)\s+(?:the\s+)?([^\W\d]\w{2,})\b(?![.(]\w)"
    r"|^\s*(?:please\s+)?\w+\s+(?:the\s+)?([^\W\d]\w{2,})\b(?!\.\w)",
    re.IGNORECASE,
)
