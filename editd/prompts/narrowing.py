"""The only lines that an instruction can concern, for a buffer of which rewriting all takes too long, or is too much.

``named_lines`` finds the parts that may be rewritten if not everything can be. ``lines_concerned`` is for models that
could rewrite everything, so a part is taken only if the words leave no doubt that the rest stays: a text that is
replaced wherever it is mentioned, definitions that are named, the imports.

``short_parts`` is for a model trained on short texts and a few kinds of edits. It does exactly as the instruction
says: deleting a function leaves its callers as they are. So a part is the named lines and the few that locate them,
and an edit of all comments is made in parts of the trained length. Knows lines and words; seconds are ``scope``'s.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from itertools import pairwise

from editd.intent import Parsed
from editd.intent.intents import AddImport, DeleteDefinition, SetValue
from editd.prompts.named_lines import (
    Fits,
    NamedLines,
    Parts,
    after_docstring,
    definitions_named,
    lines_where,
    without_overlaps,
)
from editd.syntax.definition import Definition
from editd.syntax.imports import IMPORT_BY_WORD
from editd.syntax.outline import outline
from editd.turns import yield_point

_AROUND = 2  # lines on each side of what is named that are rewritten with it
_NEAR = 4  # lines between two parts that take no longer than a second prompt

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


def lines_concerned(
    lines: Sequence[str], parsed: Parsed, language: str, fits: Fits
) -> tuple[NamedLines, ...]:
    """Parts outside which nothing can change, in order; empty if that is not certain, as for spacing, style and
    words such as "all". Lets other work run meanwhile.

    Certain are a text replaced wherever it stands, an added import, a variable that gets a value, named
    definitions, with their mentions where the words reach these, and the imports if nothing else is named; a new
    module adds the imports. fits: whether lines ``start .. end`` can be rewritten in one go; cuts the imports.
    """
    if parsed.is_about_spacing or parsed.is_about_style:
        return ()
    intent = parsed.intent
    definitions = outline(lines, language)
    parts = Parts(lines, (), definitions, fits)
    yield_point()
    modules: list[str] = []
    if parsed.replaced_everywhere:
        concerned = parts_mentioning(parsed.replaced_everywhere, parsed.text, parts)
        modules = [new.split(".")[0] for _, new in parsed.renames if "." in new]
    elif isinstance(intent, AddImport):
        concerned = parts.imports()
    elif not isinstance(intent, DeleteDefinition) and (
        parsed.renames or parsed.is_everywhere or _OF_ALL.search(parsed.text)
    ):
        return ()
    else:
        names = (intent.name,) if isinstance(intent, DeleteDefinition) else parsed.names
        found = definitions_named(definitions, names) or definitions_named(
            definitions, parsed.objects
        )
        concerned = [
            NamedLines(definition.start, definition.end, definition.qualified)
            for definition in found
        ]
        if found and _OF_MENTIONS.search(parsed.text):
            mentions = parts.lines_with({definition.name for definition in found})
            concerned += lines_around(mentions, len(lines))
        elif not found and isinstance(intent, SetValue):
            concerned = lines_around(parts.lines_with([intent.name]), len(lines))
        modules = [name.split(".")[0] for name in names if "." in name]
        if not found and parsed.is_about_imports:
            concerned = parts.imports()
    yield_point()
    for module in modules if concerned else ():
        if not parts.lines_with([module]):
            concerned += parts.imports()
            break
    return joined(concerned)


def parts_mentioning(texts: Sequence[str], instruction: str, parts: Parts) -> list[NamedLines]:
    """The lines that mention one of ``texts`` as a word, each with two on each side. Unless the
    instruction speaks of a literal text, lines that are written alike count too.
    """
    numbers = parts.lines_with(texts)
    if not _OF_LITERALS.search(instruction):
        numbers = sorted({*numbers, *_lines_alike(parts.lines, texts)})
    return lines_around(numbers, len(parts.lines))


def _lines_alike(lines: Sequence[str], texts: Sequence[str]) -> Sequence[int]:
    """Numbers of the lines that contain one of ``texts``, in whatever case and spelling.

    Whoever renames ``pool_limits`` may mean ``PoolLimits`` and ``pool-limits``, too.
    """
    sought = [folded for text in texts if len(folded := _folded(text)) > _SHORT]
    return lines_where(lines, lambda line: any(text in _folded(line) for text in sought))


def _folded(text: str) -> str:
    """``text`` without case, underscores and hyphens."""
    return text.lower().replace("_", "").replace("-", "")


def lines_around(numbers: Iterable[int], total: int) -> list[NamedLines]:
    """The lines with these numbers, each with some around it. total: the number of all lines."""
    return [NamedLines(max(0, at - _AROUND), min(total, at + 1 + _AROUND)) for at in numbers]


def joined(found: Iterable[NamedLines]) -> tuple[NamedLines, ...]:
    """The parts in order; those that overlap or have at most four lines between them are one,
    without a name.
    """
    merged: list[NamedLines] = []
    for part in without_overlaps(found):
        if merged and part.start - merged[-1].end <= _NEAR:
            merged[-1] = NamedLines(merged[-1].start, part.end)
        else:
            merged.append(part)
    return tuple(merged)


def short_parts(
    lines: Sequence[str], parsed: Parsed, language: str, is_short: Fits
) -> tuple[NamedLines, ...]:
    """The parts to rewrite, in order; empty if the instruction names nothing in ``lines``.

    The first of these that the instruction is about: a text replaced everywhere, the imports, a definition to
    delete with its neighbours, named definitions or their heads, all lines of a kind, mentions of its names and
    words (if it has a number, only values given to these, if there are any). is_short: whether lines ``start ..
    end`` are as short as the model's training texts; parts of all lines are cut to that, others come whole.
    """
    parts = Parts.of(lines, language, is_short)
    definitions = parts.definitions
    if parsed.replaced_everywhere:
        found = parts_mentioning(parsed.replaced_everywhere, parsed.text, parts)
    elif isinstance(parsed.intent, AddImport):
        imports = _first_run(_lines_matching(lines, [IMPORT_BY_WORD]), len(lines))
        found = imports or parts.imports()
    elif isinstance(parsed.intent, DeleteDefinition) and (
        deleted := definitions_named(definitions, [parsed.intent.name])
    ):
        found = [_with_neighbours(definition, lines) for definition in deleted]
    elif not _OF_NAMES.search(parsed.nameless) and (
        definitions_found := (
            definitions_named(definitions, parsed.names)
            or definitions_named(definitions, parsed.objects)
            or ([] if parsed.is_everywhere else definitions_named(definitions, parsed.bare_words))
        )
    ):
        is_head = _is_about_heads(parsed)
        found = [
            _head(definition, lines) if is_head else _whole(definition)
            for definition in definitions_found
        ]
    elif parsed.is_everywhere:
        signs = [sign for words, sign in _SIGNS if words.search(parsed.text)] or [_ANYTHING]
        return tuple(parts.tiles_around(_lines_matching(lines, signs)))
    else:
        words = [*parsed.names, *parsed.bare_words]
        numbers: Sequence[int] = []
        if words and _NUMBER.search(parsed.text):
            numbers = _lines_matching(lines, [_assignment(words)])
        found = lines_around(numbers or parts.lines_with(words), len(lines))
    return joined(found)


def _lines_matching(lines: Sequence[str], patterns: Sequence[re.Pattern[str]]) -> Sequence[int]:
    """Numbers of the lines in which one of ``patterns`` is found."""
    return lines_where(lines, lambda line: any(pattern.search(line) for pattern in patterns))


def _whole(definition: Definition) -> NamedLines:
    """A definition as a part."""
    return NamedLines(definition.start, definition.end, definition.qualified)


def _first_run(numbers: Sequence[int], total: int) -> list[NamedLines]:
    """The first of these lines (numbers, in order) and those at most four apart, as one part with
    two lines on each side; empty if there are none. total: lines of the buffer.
    """
    if not numbers:
        return []
    last = next(
        (number for number, after in pairwise(numbers) if after - number > _NEAR), numbers[-1]
    )
    return [NamedLines(max(0, numbers[0] - _AROUND), min(total, last + 1 + _AROUND), "the imports")]


def _assignment(names: Sequence[str]) -> re.Pattern[str]:
    """A pattern for the assignment of a number to one of ``names``."""
    either = "|".join(map(re.escape, names))
    return re.compile(rf"\b(?:{either})\b[\"']?\s*(?::[^=\n]{{0,80}})?[:=]\s*[-+]?\d")


def _is_about_heads(parsed: Parsed) -> bool:
    """Whether the instruction is about the first lines of a definition, however long it is."""
    return bool(_OF_HEADS.search(parsed.nameless)) and not _OF_BODIES.search(parsed.nameless)


def _head(part: Definition, lines: Sequence[str]) -> NamedLines:
    """A definition from its first line to the first that ends in ``:`` or ``{`` (comments after ``#`` aside), its
    docstring and four lines after them, at most to its end.
    """
    end = part.start
    while end < part.end and not lines[end].split("#")[0].rstrip().endswith((":", "{")):
        end += 1
    end += 1
    end = after_docstring(lines, end)
    return NamedLines(part.start, min(part.end, end + 2 * _AROUND), part.qualified)


def _with_neighbours(part: Definition, lines: Sequence[str]) -> NamedLines:
    """``part`` with the next two filled lines above it and below it, and the blank ones between."""
    start, end = part.start, part.end
    for _ in range(_AROUND):
        start = next((at for at in range(start - 1, -1, -1) if lines[at].strip()), start)
        end = next((at + 1 for at in range(end, len(lines)) if lines[at].strip()), end)
    return NamedLines(start, end, part.qualified)
