"""What a sentence can ask for that needs no model to understand: one class per kind of request.

Below them, how one is made of what stands in the slots of a row of the table: a maker gets what was said by role,
such as ``old`` and ``new``, and gives ``Open`` where the words leave more to say.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from editd.intent.english import A_NAME, cut_owner


class Meaning:
    """What is asked for."""

    __slots__ = ()


@dataclass(frozen=True, slots=True)
class Open(Meaning):
    """Anything else: it takes understanding, or says more than one thing."""


@dataclass(frozen=True, slots=True)
class Placed(Meaning):
    """What can be asked for in one definition alone: its ``place``."""

    place: str = field(default="", kw_only=True)


@dataclass(frozen=True, slots=True)
class Exchange(Placed):
    """A text or a name that becomes another; only: ``comments``, ``docstrings``, ``strings`` or ``code``, in which alone."""

    only: str = field(default="", kw_only=True)


class OfPython(Meaning):
    """What is only known how to do in Python."""

    __slots__ = ()


@dataclass(frozen=True, slots=True)
class Rename(Exchange):
    """A name becomes another wherever it stands; owner: the class or module it is said to be of.

    kind: what it is said to name.
    """

    old: str
    new: str
    owner: str = ""
    kind: str = ""


@dataclass(frozen=True, slots=True)
class Replace(Exchange):
    """A text or a number becomes another; is_number: then only where it stands as a number.

    is_one: of one thing that it says more about ("the port 80").
    """

    old: str
    new: str
    is_number: bool = False
    is_one: bool = False


@dataclass(frozen=True, slots=True)
class SetValue(Placed):
    """What is called ``name`` gets the value ``new``: a number, or with is_any another one of the kind that it has."""

    name: str
    new: str
    is_any: bool = False


@dataclass(frozen=True, slots=True)
class ReplaceWord(Placed):
    """A word becomes another where it is none of the program's names: in prose, or in strings or comments alone."""

    old: str
    new: str


@dataclass(frozen=True, slots=True)
class DeleteLines(Placed):
    """Lines that contain ``text`` go."""

    text: str


@dataclass(frozen=True, slots=True)
class DeleteDefinition(Meaning):
    """A function, class, method or variable goes; owner: as in ``Rename``."""

    name: str
    kind: str = ""
    owner: str = ""


@dataclass(frozen=True, slots=True)
class DeletePrints(Placed):
    """Calls that print go."""


@dataclass(frozen=True, slots=True)
class DeleteComments(Placed):
    """Comments go; docstrings are none."""


@dataclass(frozen=True, slots=True)
class DeleteDocstrings(Placed, OfPython):
    """Docstrings go, or only that of the function or class ``name``."""

    name: str = ""


@dataclass(frozen=True, slots=True)
class AddImport(OfPython):
    """``module`` is imported, or ``item`` from it."""

    module: str
    item: str = ""


@dataclass(frozen=True, slots=True)
class Tidy(Placed):
    """A chore that needs no more words: ``sort-imports``, ``unused-imports``, ``single-quotes``,
    ``double-quotes``, ``with-open``, ``f-strings`` or ``logging``.
    """

    chore: str


@dataclass(frozen=True, slots=True)
class CommentOut(Meaning):
    """Code becomes a comment, or with is_undone code again: what has ``text`` in its line, the
    definition ``name``, or without both what is selected.
    """

    text: str = ""
    name: str = ""
    is_undone: bool = False


@dataclass(frozen=True, slots=True)
class ReturnEarly(Meaning):
    """A function's last ``if`` becomes its contrary with a return; name: empty for the only one."""

    name: str = ""


@dataclass(frozen=True, slots=True)
class SortFunctions(Meaning):
    """Functions stand in the order of their names; are_methods: those of a class, of ``owner`` if it is named."""

    owner: str = ""
    are_methods: bool = False


@dataclass(frozen=True, slots=True)
class Annotate(OfPython):
    """A parameter of a function gets a type, or without one its result."""

    function: str
    hint: str
    parameter: str = ""


@dataclass(frozen=True, slots=True)
class AddParameter(OfPython):
    """A function gets a parameter, which its calls of ``callee`` pass on if there is one."""

    function: str
    name: str
    default: str
    callee: str = ""


@dataclass(frozen=True, slots=True)
class Document(OfPython):
    """A function gets this docstring."""

    function: str
    text: str


@dataclass(frozen=True, slots=True)
class Guard(OfPython):
    """A function's body goes in ``try``; on ``error`` it returns ``value``."""

    function: str
    error: str
    value: str


@dataclass(frozen=True, slots=True)
class Likely(Meaning):
    """Meant if the buffer has what it names; else the next of ``others`` may be, or the words are English."""

    meaning: Rename | DeleteDefinition | CommentOut | SetValue | ReplaceWord
    others: tuple[SetValue | ReplaceWord, ...] = ()


# Made of what was said


Said = Mapping[str, str]


def renamed(said: Said) -> Meaning:
    """Of a member with what it is a member of; "rename a.b to c.d" is of no one name."""
    owner, old = cut_owner(said["old"])
    new = said["new"].removesuffix("()")
    short = new.removeprefix(owner)
    if owner and not short.isidentifier():
        return Rename(owner + old, new)
    return Rename(old, short, owner.rstrip(".:#"), said.get("kind", ""))


TYPES = frozenset(
    """
    int integer str string bool boolean dict dictionary list tuple set float double bytes bytearray char date
    datetime time timedelta json async asyncio http https
    """.split()  # noqa: SIM905
)


def likely(meant: Callable[[Said], Meaning]) -> Callable[[Said], Meaning]:
    """What a maker makes, as likely."""

    def made(said: Said) -> Meaning:
        meaning = meant(said)
        match meaning:
            case Rename() | DeleteDefinition():
                return Likely(meaning)
            case CommentOut(name=name) if name.replace(".", "_").isidentifier():
                return Likely(meaning)
        return Open()

    return made


def exchanged_word(said: Said) -> Meaning:
    """What is to be replaced: a name if the buffer defines one, else a word."""
    old, new = said["old"], said["new"]
    word = ReplaceWord(old, new)
    name = renamed(said) if A_NAME.fullmatch(old) else None
    return Likely(name, (word,)) if isinstance(name, Rename) else Likely(word)


def changed_word(said: Said) -> Meaning:
    """What is to be changed: a name, the value of what is called so, or a word."""
    old, new = said["old"], said["new"]
    others = (SetValue(old, new, is_any=True), ReplaceWord(old, new))
    name = renamed(said) if A_NAME.fullmatch(old) else None
    return Likely(name, others) if isinstance(name, Rename) else Likely(others[0], others[1:])


def set_value(said: Said) -> Meaning:
    """Of what the buffer has once, and of the kind that it has."""
    return Likely(SetValue(said["old"], said["new"], is_any=True))


def defined(said: Said) -> Meaning:
    """Of a method with its class, where that is said."""
    owner, name = cut_owner(said["old"])
    return DeleteDefinition(
        name, said.get("kind", ""), owner.rstrip(".:#") or said.get("owner", "")
    )


def documented(said: Said) -> Meaning:
    """Only where the docstring is given."""
    if "quoted" not in said:
        return Open()
    return Document(said["name"].removesuffix("()"), said["quoted"])


def annotated(said: Said) -> Meaning:
    """Only what is a type in Python, of a function that is named."""
    if "name" not in said or said["type"].lower() in _NO_TYPES:
        return Open()
    hint = _TYPES_IN_ENGLISH.get(said["type"].lower(), said["type"])
    return Annotate(said["name"].removesuffix("()"), hint, said.get("parameter", ""))


def guarded(said: Said) -> Meaning:
    """Only with an error, and a value that is one for sure."""
    value = said.get("value", "?").replace(" ", "") or '""'
    if not _AN_ERROR.fullmatch(said.get("error", "")) or not _A_VALUE.fullmatch(value):
        return Open()
    return Guard(said["name"].removesuffix("()"), said["error"], value)


def parameter(said: Said) -> Meaning:
    """Only with a default that is a value for sure; a text in quotes may be code."""
    function, callee = (said.get(role, "").removesuffix("()") for role in ("name", "owner"))
    default = said.get("value", "")
    if not said["parameter"].isidentifier() or not _A_CONSTANT.fullmatch(default):
        return Open()
    return AddParameter(function, said["parameter"], default, callee)


# In English a type, in Python none.
_TYPES_IN_ENGLISH = {
    "string": "str", "integer": "int", "boolean": "bool", "dictionary": "dict", "nothing": "None",
}  # fmt: skip
_NO_TYPES = {"number", "array", "text", "optional"}
_AN_ERROR = re.compile(r"[\w.]*(?:Error|Exception|StopIteration)")
_A_CONSTANT = re.compile(r"None|True|False|-?\d[\d_]*(?:\.\d+)?")
_A_VALUE = re.compile(r"None|True|False|-?\d[\d.]*|\[\]|\{\}|\(\)|\"\"")


def imported(said: Said) -> Meaning:
    """``pathlib.Path`` is no module, though people say that it is imported."""
    module, item = said["module"], said.get("item", "")
    path, _, last = module.rpartition(".")
    is_of_python = path.partition(".")[0] in sys.stdlib_module_names and path != "xml.etree"
    if is_of_python and not item and re.fullmatch(r"[A-Z]+[a-z]\w*(?: as \w+)?", last):
        return AddImport(path, last)
    return AddImport(module, item)


def tidy(chore: str) -> Callable[[Said], Meaning]:
    """A chore that needs no more words."""
    return lambda _: Tidy(chore)


def commented(*, is_undone: bool) -> Callable[[Said], Meaning]:
    """A definition, or without a name what is selected."""
    return lambda said: CommentOut(
        name=said.get("name", "").removesuffix("()"), is_undone=is_undone
    )


def commented_lines(*, is_undone: bool) -> Callable[[Said], Meaning]:
    """The lines that contain a text."""
    return lambda said: CommentOut(text=said.get("quoted") or said["name"], is_undone=is_undone)


def commented_code(*, is_undone: bool) -> Callable[[Said], Meaning]:
    """Code in its own words: where a name is defined, else the lines with it."""

    def meant(said: Said) -> Meaning:
        name = said["quoted"].removesuffix("()")
        if name.isidentifier():  # where it is defined, not where it is used
            return CommentOut(name=name, is_undone=is_undone)
        if re.fullmatch(r"[\w.]+", said["quoted"]):  # a definition, or what it is used for?
            return Open()
        return CommentOut(text=said["quoted"], is_undone=is_undone)

    return meant
