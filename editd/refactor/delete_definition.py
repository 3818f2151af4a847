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

from editd.intent.intents import DeleteDefinition
from editd.refactor.candidates import Candidates
from editd.refactor.delete_lines import drop_lines, drop_statements
from editd.syntax.code import Code, read_code
from editd.syntax.places import place_of
from editd.syntax.words import as_word


def delete_definition(intent: DeleteDefinition, code: Code) -> Candidates | None:
    """Candidates: without the definition and the comments above it, then with these kept; certain
    if there are none. The smaller gap beside it goes; other lines with its name are named as left
    alone.

    ``None`` if not exactly one definition has the name, or the text does not parse.
    """
    text, language = code.text, code.language
    lines = code.lines
    name = f"{intent.owner}.{intent.name}" if intent.owner else intent.name
    definition = place_of(name, text, language)
    if definition is None or code.parsed_tokens is None:
        return None
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
    stays = (("mentions of it", tuple(used)),) if used else ()
    return Candidates(tuple(dict.fromkeys((rest, without))), head == definition.start, stays)
