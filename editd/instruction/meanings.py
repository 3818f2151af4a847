"""What a sentence can ask for that needs no model to understand: one class per kind of request.

Values only. ``sentences`` finds them, whoever asks for an ``Instruction`` reads them.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Rename:
    """A name becomes another wherever it stands; owner: the class or module it is said to be of.

    kind: what it is said to name. place: the definition in which alone.
    """

    old: str
    new: str
    owner: str = ""
    kind: str = ""
    place: str = ""


@dataclass(frozen=True, slots=True)
class Replace:
    """A text or a number becomes another; is_number: then only where it stands as a number.

    place: the definition in which alone. is_one: of one thing that it says more about ("the port 80").
    """

    old: str
    new: str
    is_number: bool = False
    place: str = ""
    is_one: bool = False


@dataclass(frozen=True, slots=True)
class SetValue:
    """What is called ``name`` gets the number ``new``."""

    name: str
    new: str


@dataclass(frozen=True, slots=True)
class DeleteLines:
    """Lines that contain ``text`` go."""

    text: str


@dataclass(frozen=True, slots=True)
class DeleteDefinition:
    """A function, class, method or variable goes; owner: as in ``Rename``."""

    name: str
    kind: str = ""
    owner: str = ""


@dataclass(frozen=True, slots=True)
class DeletePrints:
    """Calls that print go."""


@dataclass(frozen=True, slots=True)
class DeleteComments:
    """Comments go; docstrings are none."""


@dataclass(frozen=True, slots=True)
class AddImport:
    """``module`` is imported, or ``item`` from it."""

    module: str
    item: str = ""


@dataclass(frozen=True, slots=True)
class Tidy:
    """A chore that needs no more words: ``sort-imports``, ``unused-imports``, ``single-quotes``,
    ``double-quotes``, ``with-open``, ``f-strings`` or ``logging``.
    """

    chore: str


@dataclass(frozen=True, slots=True)
class CommentOut:
    """Code becomes a comment, or with is_undone code again: what has ``text`` in its line, the
    definition ``name``, or without both what is selected.
    """

    text: str = ""
    name: str = ""
    is_undone: bool = False


@dataclass(frozen=True, slots=True)
class ReturnEarly:
    """A function's last ``if`` becomes its contrary with a return; name: empty for the only one."""

    name: str = ""


@dataclass(frozen=True, slots=True)
class Annotate:
    """A parameter of a function gets a type, or without one its result."""

    function: str
    hint: str
    parameter: str = ""


@dataclass(frozen=True, slots=True)
class Document:
    """A function gets this docstring."""

    function: str
    text: str


@dataclass(frozen=True, slots=True)
class Guard:
    """A function's body goes in ``try``; on ``error`` it returns ``value``."""

    function: str
    error: str
    value: str


@dataclass(frozen=True, slots=True)
class Open:
    """Anything else: it takes understanding, or says more than one thing."""


Meaning = (
    Rename
    | Replace
    | SetValue
    | DeleteLines
    | DeleteDefinition
    | DeletePrints
    | DeleteComments
    | AddImport
    | Tidy
    | CommentOut
    | ReturnEarly
    | Annotate
    | Document
    | Guard
    | Open
)
