"""Why a name cannot be renamed as the words say: the new one is no name of the language, or it is taken.

A name is taken if something of that name would become the same thing: in the same scope of Python or one around it, in
the same class, in the innermost definition of other languages. Elsewhere a second thing of that name does not matter.
"""

from __future__ import annotations

from collections.abc import Collection

from editd.intent.intents import Rename
from editd.syntax.code import read_code
from editd.syntax.keywords import keywords_of
from editd.syntax.lines import line_starts, split
from editd.syntax.outline import outline
from editd.syntax.places import Place
from editd.syntax.python_scopes import share_a_class, share_a_scope
from editd.syntax.python_text import PythonText
from editd.syntax.tokens import Token


def why_name_is_unfit(intent: Rename, text: str, renamed: str, language: str) -> str:
    """The sentence that says why the new name is none in this language: it is a keyword, or the text parsed and the
    renamed one does not any more. Empty if neither is so.

    renamed: the text with the new name.
    """
    new = intent.new
    if new in keywords_of(language):
        return f"“{new}” is a keyword and cannot be a name; choose another one."
    if read_code(text, language).parses and read_code(renamed, language).parses is False:
        return f"“{new}” cannot stand where “{intent.old}” does; choose another name."
    return ""


def why_name_is_taken(
    intent: Rename,
    tokens: Collection[Token],
    python: PythonText | None,
    text: str,
    language: str,
    place: Place | None = None,
) -> str:
    """The sentence that says that the new name is taken, and on which line it stands first; empty if it is free.

    Python's is taken if a scope or class has both names; another language's if both are mentioned, not as members, in
    the same innermost definition. tokens: those of the text, or of ``place`` if the name is renamed there alone;
    outside of them no name is taken. python: the text's syntax; ``None`` for another language.
    """
    old, new = intent.old, intent.new
    uses = [token.start for token in tokens if token.text == new]
    if python is None:
        uses = _sharing_a_definition(old, new, tokens, text, language)
    elif not (share_a_scope(old, new, python, place) or share_a_class(old, new, python)):
        uses = []
    if not uses:
        return ""
    line = text.count("\n", 0, min(uses)) + 1
    return (
        f"“{new}” is taken (line {line}), and “{old}” would become the same; choose another name."
    )


def is_free_in_python(old: str, new: str, python: PythonText, place: Place | None) -> bool:
    """Whether a whole Python file has nothing that becomes the same as ``old``, or is hidden, once that is ``new``."""
    return not python.is_part and not (
        share_a_scope(old, new, python, place) or share_a_class(old, new, python)
    )


def _sharing_a_definition(
    old: str, new: str, tokens: Collection[Token], text: str, language: str
) -> list[int]:
    """Offsets of the mentions of ``new`` whose innermost definition (or else the whole text) is also that of some
    mention of ``old``; in order. Members (``x.new``) do not count.
    """
    lines = split(text)
    starts = line_starts(lines)
    blocks = [
        (starts[definition.start], starts[definition.end])
        for definition in outline(lines, language)
        if definition.is_block
    ]

    def home(token: Token) -> tuple[int, int]:
        around = [block for block in blocks if block[0] <= token.start < block[1]]
        return min(around, key=lambda block: block[1] - block[0], default=(0, len(text)))

    names = [token for token in tokens if token.kind == "name" and not token.of]
    homes = {home(token) for token in names if token.text == old}
    return [token.start for token in names if token.text == new and home(token) in homes]
