"""The only lines that an instruction can concern, where rewriting all of a buffer takes too long, or is too much.

``named_lines`` says what may be rewritten where not everything can be. ``lines_concerned`` is for models that
could rewrite everything, so a part is taken only if the words leave no doubt that the rest stays: a text that is
replaced wherever it is mentioned, definitions that are named, the imports.

``short_parts`` is for a model trained on short texts and a few kinds of edits. It does only what the instruction
says: deleting a function leaves its callers as they are. So a part is what the instruction names and the few
lines that locate it, and an edit of all comments is made in parts of the trained length. Knows lines and words;
seconds are ``scope``'s.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from itertools import pairwise

from editd.intent import Parsed
from editd.intent.intents import AddImport, DeleteDefinition, SetValue
from editd.prompts.named_lines import (
    Fits,
    Named,
    Parts,
    after_docstring,
    defined,
    lines_where,
    without_overlaps,
)
from editd.syntax.definition import Definition
from editd.syntax.outline import outline
from editd.turns import yield_point

_AROUND = 2  # lines on each side of what is named that are rewritten with it
_NEAR = 4  # lines between two parts that take no longer than a second prompt


def lines_concerned(
    lines: Sequence[str], parsed: Parsed, language: str, fits: Fits
) -> tuple[Named, ...]:
    """Parts beside which nothing can change, in order; empty where that is not certain.

    fits: as in ``ranges_named``.
    """
    if parsed.is_about_spacing or parsed.is_about_style:
        return ()
    meaning = parsed.intent
    definitions = outline(lines, language)
    parts = Parts(lines, (), definitions, fits)
    yield_point()
    modules: list[str] = []
    if parsed.replaced_everywhere:
        concerned = mentions_of(parsed.replaced_everywhere, parsed.text, parts)
        modules = [new.split(".")[0] for _, new in parsed.renames if "." in new]
    elif isinstance(meaning, AddImport):
        concerned = parts.imports()
    elif not isinstance(meaning, DeleteDefinition) and (
        parsed.renames or parsed.is_everywhere or _OF_ALL.search(parsed.text)
    ):
        return ()
    else:
        names = (meaning.name,) if isinstance(meaning, DeleteDefinition) else parsed.names
        found = defined(definitions, names) or defined(definitions, parsed.objects)
        concerned = [Named(one.start, one.end, one.qualified) for one in found]
        if found and _OF_MENTIONS.search(parsed.text):
            mentions = parts.lines_with({one.name for one in found})
            concerned += around(mentions, len(lines))
        elif not found and isinstance(meaning, SetValue):
            concerned = around(parts.lines_with([meaning.name]), len(lines))
        modules = [name.split(".")[0] for name in names if "." in name]
        if not found and parsed.is_about_imports:
            concerned = parts.imports()
    yield_point()
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


def _alike(lines: Sequence[str], texts: Sequence[str]) -> Sequence[int]:
    """Numbers of the lines that have one of ``texts`` in them, in whatever case and spelling.

    Who renames ``pool_limits`` may mean ``PoolLimits`` and ``pool-limits``, too.
    """
    sought = [folded for text in texts if len(folded := _folded(text)) > _SHORT]
    return lines_where(lines, lambda line: any(text in _folded(line) for text in sought))


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


def short_parts(
    lines: Sequence[str], parsed: Parsed, language: str, is_short: Fits
) -> tuple[Named, ...]:
    """What is rewritten, in order; empty if the instruction names nothing in ``lines``.

    is_short: whether lines ``start .. end`` are as short as what the model was taught.
    """
    parts = Parts.of(lines, language, is_short)
    definitions = parts.definitions
    if parsed.replaced_everywhere:
        found = mentions_of(parsed.replaced_everywhere, parsed.text, parts)
    elif isinstance(parsed.intent, AddImport):
        imports = _run(_lines_matching(lines, [_IMPORT]), len(lines))
        found = imports or parts.imports()
    elif isinstance(parsed.intent, DeleteDefinition) and (
        deleted := defined(definitions, [parsed.intent.name])
    ):
        found = [_with_neighbours(one, lines) for one in deleted]
    elif not _OF_NAMES.search(parsed.nameless) and (
        named := (
            defined(definitions, parsed.names)
            or defined(definitions, parsed.objects)
            or ([] if parsed.is_everywhere else defined(definitions, parsed.bare_words))
        )
    ):
        is_head = _is_about_heads(parsed)
        found = [_head(one, lines) if is_head else _whole(one) for one in named]
    elif parsed.is_everywhere:
        signs = [sign for words, sign in _SIGNS if words.search(parsed.text)] or [_ANYTHING]
        return tuple(parts.around(_lines_matching(lines, signs)))
    else:
        words = [*parsed.names, *parsed.bare_words]
        numbers: Sequence[int] = []
        if words and _NUMBER.search(parsed.text):
            numbers = _lines_matching(lines, [_assignment(words)])
        found = around(numbers or parts.lines_with(words), len(lines))
    return joined(found)


def _lines_matching(lines: Sequence[str], patterns: Sequence[re.Pattern[str]]) -> Sequence[int]:
    """Numbers of the lines in which one of ``patterns`` is found."""
    return lines_where(lines, lambda line: any(pattern.search(line) for pattern in patterns))


def _whole(one: Definition) -> Named:
    return Named(one.start, one.end, one.qualified)


def _run(numbers: Sequence[int], total: int) -> list[Named]:
    """The first of these lines and those near it, with some around them."""
    if not numbers:
        return []
    last = next((one for one, after in pairwise(numbers) if after - one > _NEAR), numbers[-1])
    return [Named(max(0, numbers[0] - _AROUND), min(total, last + 1 + _AROUND), "the imports")]


def _assignment(names: Sequence[str]) -> re.Pattern[str]:
    """Gives one of ``names`` a number."""
    either = "|".join(map(re.escape, names))
    return re.compile(rf"\b(?:{either})\b[\"']?\s*(?::[^=\n]{{0,80}})?[:=]\s*[-+]?\d")


def _is_about_heads(parsed: Parsed) -> bool:
    return bool(_OF_HEADS.search(parsed.nameless)) and not _OF_BODIES.search(parsed.nameless)


def _head(part: Definition, lines: Sequence[str]) -> Named:
    """A definition's signature and docstring and the lines after them."""
    end = part.start
    while end < part.end and not lines[end].split("#")[0].rstrip().endswith((":", "{")):
        end += 1
    end += 1
    end = after_docstring(lines, end)
    return Named(part.start, min(part.end, end + 2 * _AROUND), part.qualified)


def _with_neighbours(part: Definition, lines: Sequence[str]) -> Named:
    """``part`` with the next lines above and below it that are not blank."""
    start, end = part.start, part.end
    for _ in range(_AROUND):
        start = next((at for at in range(start - 1, -1, -1) if lines[at].strip()), start)
        end = next((at + 1 for at in range(end, len(lines)) if lines[at].strip()), end)
    return Named(start, end, part.qualified)


# What a line has in it, whatever the language, that an edit of every such thing may change.
_SIGNS = (
    (re.compile(r"\bcomments?\b", re.IGNORECASE), re.compile(r"#|//|/\*|\*/|--|<!--|^\s*[*;%]")),
    (
        re.compile(r"\bprints?\b|\bconsole\.log", re.IGNORECASE),
        re.compile(r"print|console\.log|puts|echo"),
    ),
    (re.compile(r"\bf-?strings?\b", re.IGNORECASE), re.compile(r"%|\.format\b")),
)
_ANYTHING = re.compile("")
_IMPORT = re.compile(r"^(?:import\b|from\s+\S+\s+import\b)")
# What is done to the first lines of a definition, however long it is; and what is done to all of it.
_OF_HEADS = re.compile(
    r"\b(?:docstring|document\w*|describ\w+|hints?|annotat\w+|typed?|declare|returns?|log\w*)\b",
    re.IGNORECASE,
)
# What is said of a word wherever it stands, rather than of the definition that is called so.
_OF_NAMES = re.compile(
    r"\b(?:rename\w*|name|relabel\w*|replace\w*|substitut\w*|swap|exchange|place of)\b",
    re.IGNORECASE,
)
_NUMBER = re.compile(r"\b\d")
_OF_BODIES = re.compile(r"\b(?:try|except|catch|handle|guard|on|raised)\b", re.IGNORECASE)
