"""The text that an instruction's words say, computed; and how sure it is that nothing else is meant.

Several readings are kept where people differ: whether a name in a comment is renamed, where an import
goes. Texts are the model's: LF, no BOM.
"""

from __future__ import annotations

from editd.breathing import breathe
from editd.instruction import (
    AddImport,
    Annotate,
    CommentOut,
    DeleteComments,
    DeleteDefinition,
    DeleteLines,
    DeletePrints,
    Document,
    Guard,
    Instruction,
    Rename,
    Replace,
    ReturnEarly,
    SetValue,
    Tidy,
)
from editd.instruction.annotating import annotated, documented, guarded
from editd.instruction.commenting import commented
from editd.instruction.deleting import undefined, without_comments, without_lines
from editd.instruction.exchanging import renamed, renumbered, replaced, valued
from editd.instruction.formatting import with_f_strings
from editd.instruction.importing import imported
from editd.instruction.meant import Literal, within
from editd.instruction.printing import logging_prints, without_prints
from editd.instruction.quoting import with_quotes
from editd.instruction.reshaping import with_early_return, with_open
from editd.instruction.sorting import with_sorted_imports
from editd.instruction.source import parses
from editd.instruction.unused import without_unused_imports

MOST = 200_000  # characters of a text that is looked at


def literal(
    instruction: Instruction,
    text: str,
    language: str,
    *,
    path: str = "",
    selected: tuple[int, int] | None = None,
) -> Literal | None:
    """What the words say of ``text``; ``None`` where they have no literal meaning.

    The reading is ``text`` itself where nothing in it is meant. selected: lines ``start .. end`` that "this"
    may mean.
    """
    if len(text) > MOST:
        return None
    breathe()
    match instruction.meaning:
        case Rename() as meaning:
            found = renamed(meaning, instruction, text, language)
        case Replace() as meaning:
            found = (renumbered if meaning.is_number else replaced)(meaning, text, language)
        case SetValue(name, new):
            found = valued(name, new, text, language)
        case DeleteLines(said):
            found = without_lines(said, text)
        case DeleteDefinition() as meaning:
            found = undefined(meaning, text, language)
        case DeletePrints():
            found = without_prints(instruction.text, text, language)
        case DeleteComments():
            found = without_comments(text, language)
        case AddImport() as meaning:
            found = imported(meaning, text) if language == "python" else None
        case Tidy(chore):
            found = _tidied(chore, text, language, path)
        case CommentOut() as meaning:
            found = commented(meaning, text, language, selected)
        case ReturnEarly(name):
            found = with_early_return(name, text, language)
        case Annotate() as meaning:
            found = annotated(meaning, text) if language == "python" else None
        case Document() as meaning:
            found = documented(meaning, text) if language == "python" else None
        case Guard() as meaning:
            found = guarded(meaning, text) if language == "python" else None
        case _:
            found = None
    place = getattr(instruction.meaning, "place", "")
    if found is not None and place:
        found = within(place, found, text, language)
    if found is None:
        return None
    if found.is_single and parses(text, language) and parses(found.readings[0], language) is False:
        return Literal(found.readings)
    return found


def _tidied(chore: str, text: str, language: str, path: str) -> Literal | None:
    match chore:
        case "sort-imports":
            return with_sorted_imports(text, language, path)
        case "unused-imports":
            return without_unused_imports(text, language, path)
        case "single-quotes" | "double-quotes":
            return with_quotes("'" if chore.startswith("single") else '"', text, language)
        case "logging":
            return logging_prints("info", text, language)
        case "with-open" if language == "python":
            return with_open(text)
        case "f-strings" if language == "python":
            return with_f_strings(text)
    return None
