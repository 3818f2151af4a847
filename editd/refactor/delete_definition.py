"""Deletes the one definition of a name, with the smaller gap around it; mentions of it are named, and stay.

a.py, "delete the function load_all"::

    def load_all():
        return 1


    def new():
        return 2

becomes::

    def new():
        return 2
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace

from editd.intent.intents import DeleteDefinition
from editd.refactor.built_names import TITLE, texts_building
from editd.refactor.candidates import Candidates, Mentions, mentions_by_kind
from editd.refactor.delete_lines import drop_lines, drop_statements
from editd.syntax.code import Code, read_code
from editd.syntax.definition import Definition
from editd.syntax.places import place_of
from editd.syntax.words import as_word

_RULER = re.compile(r"[-=*#~_/]{4,}|#region|MARK:", re.IGNORECASE)
_HEADING = 3  # words
_OF_ONE = re.compile(
    r"\b(?:deprecated|legacy|todo|fixme|xxx|hack|unused|obsolete|old|remove|drop|delete|dead|only|this|it|its|returns?|not|never|no)\b",
    re.IGNORECASE,
)


def delete_definition(intent: DeleteDefinition, code: Code) -> Candidates | None:
    """Candidates: without the definition and the comments above it, then with these kept. The smaller gap beside it
    goes; other lines with its name, or with texts of which it may be built, are named as left alone.

    Certain if there are no comments above it, or they are about the definition. ``None`` if not exactly one definition
    has the name, or is the one that an intent without a name describes, or if the text does not parse; in a language
    without a parser, if the definition does not end with its own bracket.
    """
    text, language = code.text, code.language
    lines = code.lines
    name = f"{intent.owner}.{intent.name}" if intent.owner else intent.name
    name = name or _nameless(intent, code)
    definition = place_of(name, text, language) if name else None
    if definition is None:
        return None
    if code.parsed_tokens is None and not _is_closed(
        lines[definition.start : definition.end], code
    ):
        return None
    if lines[definition.start].startswith("#!"):
        definition = replace(definition, start=definition.start + 1)
    head = definition.start
    while head < definition.end and lines[head].lstrip().startswith(("#", "//", "/*", "*")):
        head += 1
    first, last = definition.start, definition.end
    above, below = first, last
    while above and not lines[above - 1].strip():
        above -= 1
    while below < len(lines) and not lines[below].strip():
        below += 1
    if below == len(lines) or 0 < first - above < below - last:
        first = above
    else:
        last = below
    is_certain = is_about(lines[definition.start : head], definition.name)
    if (
        language == "python"
        and not read_code(drop_lines(lines, range(first, last)), language).parses
    ):
        rest = without = drop_statements(code, range(head, definition.end))
    else:
        rest, without = (
            drop_lines(lines, range(first, last)),
            drop_lines(lines, range(head, definition.end)),
        )
    used = [n for n, line in enumerate(lines) if as_word(definition.name).search(line)]
    used = [number for number in used if not first <= number < last]
    stays: Mentions = (("mentions of it", tuple(used)),) if used else ()
    built = [x for x in texts_building(definition.name, code) if _line(x, code) not in used]
    stays += mentions_by_kind(text, (TITLE, built))
    return Candidates(tuple(dict.fromkeys((rest, without))), is_certain, stays)


def _line(span: tuple[int, int, str], code: Code) -> int:
    """The number (0-based) of the line on which a span begins."""
    return code.text.count("\n", 0, span[0])


def _nameless(intent: DeleteDefinition, code: Code) -> str:
    """The full name of the definition that an intent without a name describes: of all definitions of its kind ("class",
    "test", "method", any other word a function or method) the only one that is marked as it says (by a decorator,
    annotation or comment above it), the last one, or both.

    Empty if none or several are so; an intent that says neither has to have the only definition of the kind.
    """
    kind = intent.kind
    found = []
    for definition in code.definitions:
        head = "".join(code.lines[definition.start : definition.end])
        is_class = re.search(r"(?m)^\s*(?:[a-z]+ )*(?:class|struct|enum|interface|trait)\b", head)
        if not definition.is_block or (kind == "class") != bool(is_class):
            continue
        if kind.startswith("test") and not definition.name.lower().startswith("test"):
            continue
        if kind == "method" and not definition.owner:
            continue
        if kind == "function" and definition.owner and code.language == "python":
            continue
        found.append(definition)
    last = max(found, key=lambda definition: definition.end, default=None)
    if intent.marked:
        found = [definition for definition in found if _is_marked(definition, intent.marked, code)]
        if len(found) != 1:
            return ""
    if intent.is_last:
        found = [last] if last is not None and (not intent.marked or found[0] == last) else []
    return found[0].qualified if len(found) == 1 else ""


def _is_marked(definition: Definition, marked: str, code: Code) -> bool:
    """Whether a decorator, an annotation or a comment at the top of a definition has the stem of the word ``marked``
    ("skipped") in it, in any case of letters.
    """
    head = []
    for line in code.lines[definition.start : definition.end]:
        if not line.lstrip().startswith(("@", "#", "//", "/*", "*")):
            break
        head.append(line)
    stem = re.sub(r"(?:(?<=skip)p)?(?:ed|d)$|e$", "", marked).replace("s", "[sz]")
    return re.search(stem, "".join(head), re.IGNORECASE) is not None


def is_about(comments: Sequence[str], name: str) -> bool:
    """Whether the comments directly above a definition are about it, rather than the heading of a section; also if
    there are none.

    A heading is a ruler, or up to three words that neither have the name nor say something of a single definition: "#
    --- helpers ---", "// Public API". A documentation comment (``/**``, ``///``) is about the definition.
    """
    comments = [line for line in comments if not line.lstrip().startswith(("#[", "#!["))]
    texts = [line.strip().strip("#/*!-=~ \t") for line in comments]
    if any(_RULER.search(line) for line in comments):
        return False
    words = " ".join(texts).split()
    is_documentation = bool(comments) and comments[0].lstrip().startswith(("/**", "///"))
    is_sentence = len(words) > _HEADING or bool(_OF_ONE.search(" ".join(texts)))
    return not words or is_documentation or is_sentence or name in words


def _is_closed(lines: Sequence[str], code: Code) -> bool:
    """Whether the lines of a definition, with the comments above it, open as many brackets as they close, and end with
    a line ``}`` or ``end``. ``False`` where tokens are unknown.
    """
    if code.tokens is None or not lines:
        return False
    text = "".join(lines)
    is_even = all(text.count(a) == text.count(b) for a, b in ("{}", "()", "[]"))
    return is_even and (lines[-1].strip() in ("}", "end"))
