"""The text that an instruction's words say, computed; and how sure it is that nothing else is meant.

Several readings are kept where people differ: whether a name in a comment is renamed, where an import
goes. Texts are the model's: LF, no BOM.
"""

from __future__ import annotations

from editd.breathing import breathe
from editd.instruction import (
    AddImport,
    DeleteComments,
    DeleteDefinition,
    DeleteLines,
    DeletePrints,
    Instruction,
    Rename,
    Replace,
    SetValue,
)
from editd.instruction.deleting import undefined, without_comments, without_lines, without_prints
from editd.instruction.exchanging import renamed, renumbered, replaced, valued
from editd.instruction.importing import imported
from editd.instruction.meant import Literal, within
from editd.instruction.source import parses

MOST = 200_000  # characters of a text that is looked at


def literal(instruction: Instruction, text: str, language: str) -> Literal | None:
    """What the words say of ``text``; ``None`` where they have no literal meaning.

    The reading is ``text`` itself where nothing in it is meant.
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
            found = without_prints(instruction, text, language)
        case DeleteComments():
            found = without_comments(text, language)
        case AddImport() as meaning:
            found = imported(meaning, text) if language == "python" else None
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
