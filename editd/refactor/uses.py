"""The mentions of a name in code, by what they name: this file's name, or that of a module, of another call, object or thing."""

from __future__ import annotations

import re
from dataclasses import dataclass

from editd.refactor.declarations import homes_around, homes_of
from editd.refactor.namesakes import NO_OTHERS, Others
from editd.refactor.receivers import Receivers, related_classes
from editd.syntax import imported_names
from editd.syntax.class_members import ITSELF, is_member
from editd.syntax.code import Code
from editd.syntax.imported_names import ImportedNames
from editd.syntax.places import Place
from editd.syntax.python_parameters import Callees, callees
from editd.syntax.tokens import Token

NAMES = ("name", "member", "argument", "key")
_CALL = re.compile(r"\s*(?:<[^>\n]*>)?\(")


@dataclass(frozen=True, slots=True)
class RenameScope:
    """Where the name is looked for.

    place: the definition in which alone. called: names by which the functions in it are called, whose keywords count, too.
    members: offsets of the member of one class, if that alone is meant. others: the things of the same name that are not
    meant.
    """

    place: Place | None = None
    called: frozenset[str] = frozenset()
    members: set[int] | None = None
    others: Others = NO_OTHERS

    def holds(self, token: Token) -> bool:
        """Whether ``token`` is in the place; always if there is none, which means the whole text. A keyword of a call
        is where the function that is called is defined.
        """
        if self.place is None:
            return True
        if token.kind == "argument":
            return token.of.rpartition(".")[2] in self.called
        return self.place.first <= token.start < self.place.last


@dataclass(frozen=True, slots=True)
class Uses:
    """The mentions of a name in code, by what they name.

    names: this file's name. of_modules: names that other modules give. keywords, members, rest, apart: names of other
    calls, of other objects, of other classes, and of other things of the file. is_member: a class of this file has a member of that name. found: all
    candidates, in the place or not. tokens: everything in the place.
    """

    names: list[Token]
    of_modules: list[Token]
    keywords: list[Token]
    members: list[Token]
    rest: list[Token]
    apart: list[Token]
    is_member: bool
    found: list[Token]
    tokens: list[Token]
    imports: ImportedNames

    @property
    def others(self) -> list[Token]:
        """Mentions of the same name that name something else."""
        return [*self.keywords, *self.members, *self.rest, *self.apart]


def uses_of(old: str, code: Code, scope: RenameScope) -> Uses:
    """The mentions of ``old`` in code by what they name: this file's name, or a name of a module,
    call, object or class; with all tokens of the scope and the imports that mention it.
    """
    imports, taking = ImportedNames(), Callees()
    if code.python:
        imports = imported_names.of_python(old, code.python)
        taking = callees(old, code.python.tree)
    elif tree := code.tree:
        imports = imported_names.of_tree(old, tree)
    tokens = code.tokens or []
    found = [t for t in tokens if t.text == old and t.kind in NAMES]
    apart = [t for t in found if t.start in scope.others.starts and scope.holds(t)]
    found = [t for t in found if t.start not in scope.others.starts]
    of_class = scope.members
    has_members = of_class is not None or is_member(old, found, code.text, code.language)
    rest: list[Token] = []
    if of_class is not None:
        rest = [t for t in found if t.start not in of_class]
        found = [t for t in found if t.start in of_class]
    intended = [t for t in found if scope.holds(t)]
    of_modules = [t for t in intended if t.start in imports.foreign]
    intended = [t for t in intended if t.start not in imports.foreign]
    keywords = [t for t in intended if t.kind == "argument" and not taking.take(t.of)]
    modules = _modules_of(code) if has_members else frozenset()
    classes = _classes_with(old, code) if has_members else set()
    receivers = Receivers(classes, code)
    members = [
        t
        for t in intended
        if (t.kind in ("member", "key") and (not has_members or t.of in modules))
        or (t.kind == "member" and classes and _is_of_another(t, receivers, code))
    ]
    foreign = {*keywords, *members}
    return Uses(
        [t for t in intended if t not in foreign],
        of_modules,
        keywords,
        members,
        [*rest, *(t for t in apart if t.kind == "member")],
        [t for t in apart if t.kind != "member"],
        has_members,
        found,
        [t for t in tokens if scope.holds(t)],
        imports,
    )


def _classes_with(name: str, code: Code) -> set[str]:
    """The classes of a text that have a member of that name, by its definition or by ``self.name``, and those that
    inherit from them or that they inherit from.
    """
    owners = {x.owner for x in code.definitions if x.owner and x.name == name}
    own = [t for t in code.tokens or () if t.text == name and t.of in (*ITSELF, "declared")]
    for around in homes_around([t.start for t in own], homes_of(code)):
        owners |= {home.name if home.is_class else home.owner for home in around} - {""}
    return {x for owner in owners for x in related_classes(owner, code.text)}


def _is_of_another(token: Token, receivers: Receivers, code: Code) -> bool:
    """Whether a member belongs to another object than one of the receivers' classes: one that is made or declared as something
    else, or whose method is called and that is not known to be of a class.
    """
    known = receivers.is_of_classes(token)
    is_called = _CALL.match(code.text, token.end) is not None
    return known is False or (known is None and is_called)


def _modules_of(code: Code) -> frozenset[str]:
    """The names by which a text imports modules as a whole, also by ``require``, whose members are no members of its
    classes; of a Python package the first part, of a Go path the last.
    """
    found: set[str] = set()
    for text in (x.text for x in code.imports):
        if code.language == "python" and text.startswith("import "):
            found.update(
                part.split(" as ")[-1].strip().partition(".")[0]
                for part in text.removeprefix("import ").split(",")
            )
        elif code.language == "go":
            found.update(re.findall(r"(\w+)\"", text))
        elif name := re.match(r"import (?:\* as )?([\w$]+)", text):
            found.add(name[1])
    found.update(re.findall(r"(?m)^(?:const|let|var) ([\w$]+) = require\(", code.text))
    return frozenset(found)
