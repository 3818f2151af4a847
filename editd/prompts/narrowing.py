"""The only lines that an instruction can concern, where rewriting all of a buffer takes too long.

``named_lines`` says what may be rewritten where not everything can be. Here everything could be, so a part
is taken only if the words leave no doubt that the rest stays: a text that is replaced wherever it is
mentioned, definitions that are named, the imports. Knows lines and words; seconds are ``scope``'s.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from itertools import pairwise

from editd.pieces import Pieces
from editd.prompts.instruction import (
    is_about_imports,
    is_about_spacing,
    is_everywhere,
    names_in,
    rename_in,
    without_names,
    words_in,
)
from editd.prompts.named_lines import Fits, Named, Parts, defined, without_overlaps
from editd.prompts.outline import outline, tiles
from editd.prompts.sentences import (
    asks_for_import,
    deleted_definition_in,
    deleted_lines_in,
    renamed_in,
    valued_in,
)
from editd.prompts.wording import FUNCTION_WORDS, KINDS, LABELS, QUANTIFIERS, tokens_of

_AROUND = 2  # lines on each side of a mention that are rewritten with it
_NEAR = 4  # lines between two parts that take no longer than a second prompt
_LINES_A_PIECE = 2000


def lines_concerned(
    lines: Sequence[str], instruction: str, language: str, fits: Fits, *, is_literal: bool = False
) -> Pieces[tuple[Named, ...]]:
    """Parts beside which nothing can change, in order; empty where that is not certain.

    fits: as in ``ranges_named``. is_literal: the model does what it is told and nothing that follows from
    it: who deletes a function leaves its callers as they are.
    """
    if is_about_spacing(instruction) and not is_literal:
        return ()
    names, pairs = names_in(instruction), rename_in(instruction)
    deleted = deleted_definition_in(instruction)
    definitions = yield from outline(lines, language)
    parts = Parts(lines, (), definitions, fits)
    yield
    texts = _texts(instruction)
    if texts:
        mentions = yield from parts.lines_with(texts)
        if not _OF_LITERALS.search(instruction):
            mentions = sorted({*mentions, *(yield from _alike(lines, texts))})
        concerned = _around(mentions, len(lines))
        modules = [new.split(".")[0] for _, new in pairs if "." in new]
    elif asks_for_import(instruction):
        concerned = yield from parts.imports()
        if is_literal:
            concerned = _first_imports(lines, concerned)
        modules = []
    elif (
        not deleted
        and not is_literal
        and (is_everywhere(instruction) or _OF_ALL.search(instruction))
    ):
        return ()
    else:
        names = (deleted,) if deleted else names
        found = defined(definitions, names) or defined(definitions, _objects(instruction))
        if is_literal:
            found = found or defined(definitions, words_in(instruction))
        concerned = [Named(one.start, one.end, one.qualified) for one in found]
        if is_literal and deleted:  # what it is deleted from has to be seen
            concerned = [_with_neighbours(part, lines) for part in concerned]
        elif is_literal and _is_about_heads(instruction):
            concerned = [_head(part, lines) for part in concerned]
        if found and _OF_MENTIONS.search(instruction) and not is_literal:
            mentions = yield from parts.lines_with({one.name for one in found})
            concerned += _around(mentions, len(lines))
        valued = None if found else valued_in(instruction)
        if valued is not None:
            concerned = _around((yield from parts.lines_with([valued])), len(lines))
        elif is_literal and not found and not is_everywhere(instruction):
            mentions = yield from parts.lines_with([*names, *words_in(instruction)])
            concerned = _around(mentions, len(lines))
        modules = [name.split(".")[0] for name in names if "." in name]
        if not found and is_about_imports(instruction):
            concerned = yield from parts.imports()
    yield
    for module in modules if concerned else ():
        if not (yield from parts.lines_with([module])):
            concerned += yield from parts.imports()
            break
    return _joined(concerned)


def pieces_concerned(
    lines: Sequence[str], instruction: str, language: str, fits: Fits
) -> Pieces[tuple[Named, ...]]:
    """All that an edit of each part by itself can concern, in pieces that fit; empty if it is no such edit.

    "Remove the comments" concerns the functions in which a comment may be, each on its own.
    """
    if not is_everywhere(instruction):
        return ()
    definitions = yield from outline(lines, language)
    borders = yield from tiles(lines, definitions)
    signs = [sign for words, sign in _SIGNS if words.search(instruction)]
    concerned = [
        number
        for number, line in enumerate(lines)
        if not signs or any(sign.search(line) for sign in signs)
    ]
    yield
    return tuple((yield from Parts(lines, borders, definitions, fits).around(concerned)))


def _texts(instruction: str) -> list[str]:
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


def _objects(instruction: str) -> list[str]:
    """Bare words where the name of a function is expected: "document parse", "a retry to save"."""
    found = (first or second for first, second in _OBJECT.findall(instruction))
    return [word for word in found if word.lower() not in FUNCTION_WORDS]


def _around(numbers: Iterable[int], total: int) -> list[Named]:
    return [Named(max(0, at - _AROUND), min(total, at + 1 + _AROUND)) for at in numbers]


def _first_imports(lines: Sequence[str], found: Iterable[Named]) -> list[Named]:
    """Of the top of a file the first imports and what is around them, or its last lines if it has none."""
    for top in found:
        numbers = [at for at in range(top.start, top.end) if _IMPORT.match(lines[at])]
        last = next(
            (a for a, b in pairwise(numbers) if b - a > _NEAR), numbers[-1] if numbers else top.end
        )
        first = numbers[0] if numbers else top.end
        return [Named(max(0, first - _AROUND), min(len(lines), last + 1 + _AROUND), top.name)]
    return []


def _is_about_heads(instruction: str) -> bool:
    said = without_names(instruction)
    return bool(_OF_HEADS.search(said)) and not _OF_BODIES.search(said)


def _head(part: Named, lines: Sequence[str]) -> Named:
    """A definition's signature and docstring and the lines after them."""
    end = part.start
    while end < part.end and not lines[end].split("#")[0].rstrip().endswith((":", "{")):
        end += 1
    end += 1
    quote = _QUOTES.match(lines[end].strip()) if end < part.end else None
    if quote:
        rest = lines[end].strip()[quote.end() :]
        while end + 1 < part.end and quote[1] not in rest:
            end += 1
            rest = lines[end]
        end += 1
    return Named(part.start, min(part.end, end + 2 * _AROUND), part.name)


def _with_neighbours(part: Named, lines: Sequence[str]) -> Named:
    """``part`` with the next lines above and below it that are not blank."""
    start, end = part.start, part.end
    for _ in range(_AROUND):
        start = next((at for at in range(start - 1, -1, -1) if lines[at].strip()), start)
        end = next((at + 1 for at in range(end, len(lines)) if lines[at].strip()), end)
    return Named(start, end, part.name)


def _joined(found: Iterable[Named]) -> tuple[Named, ...]:
    """Without overlaps and small gaps."""
    joined: list[Named] = []
    for part in without_overlaps(found):
        if joined and part.start - joined[-1].end <= _NEAR:
            joined[-1] = Named(joined[-1].start, part.end)
        else:
            joined.append(part)
    return tuple(joined)


_WORD = re.compile(r"\w+")
_IMPORT = re.compile(r"(?:import\b|from\s+\S+\s+import\b)")
_QUOTES = re.compile(r"[rR]?(\"\"\"|''')")
# What is done to the first lines of a definition, however long it is; and what is done to all of it.
_OF_HEADS = re.compile(
    r"\b(?:docstring|document\w*|describ\w+|hints?|annotat\w+|typed?|declare|returns?|log\w*)\b",
    re.IGNORECASE,
)
# What a line has in it, whatever the language, that an edit of every such thing may change.
_SIGNS = (
    (re.compile(r"\bcomments?\b", re.IGNORECASE), re.compile(r"#|//|/\*|\*/|--|<!--|^\s*[*;%]")),
    (
        re.compile(r"\bprints?\b|\bconsole\.log", re.IGNORECASE),
        re.compile(r"print|console\.log|puts|echo"),
    ),
    (re.compile(r"\bf-?strings?\b", re.IGNORECASE), re.compile(r"%|\.format\b")),
)
_SHORT = 3  # characters of a text that may be part of any word
_OF_BODIES = re.compile(r"\b(?:try|except|catch|handle|guard|on|raised)\b", re.IGNORECASE)
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
