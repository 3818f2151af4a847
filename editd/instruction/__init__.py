"""What an instruction says: read from its words alone, before any buffer is looked at.

``read`` makes one value of a sentence, ``Instruction``, and everybody asks that. ``table`` has the sentences
that are one plain request (``meanings``); ``frames`` takes off what surrounds it, ``sentences`` matches it.
``phrases`` reads what stands anywhere in a text. What the lines of a
buffer have to do with it is ``prompts``' business. Standard library only.
"""

from editd.instruction.meanings import (
    AddImport,
    Annotate,
    CommentOut,
    DeleteComments,
    DeleteDefinition,
    DeleteLines,
    DeletePrints,
    Document,
    Guard,
    Meaning,
    Open,
    Rename,
    Replace,
    ReturnEarly,
    SetValue,
    Tidy,
)
from editd.instruction.reading import Instruction, read

__all__ = [
    "AddImport",
    "Annotate",
    "CommentOut",
    "DeleteComments",
    "DeleteDefinition",
    "DeleteLines",
    "DeletePrints",
    "Document",
    "Guard",
    "Instruction",
    "Meaning",
    "Open",
    "Rename",
    "Replace",
    "ReturnEarly",
    "SetValue",
    "Tidy",
    "read",
]
