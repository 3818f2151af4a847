"""A name exchanged for another, by syntax where there is a parser.

The name is this file's: what another module, another object or another function calls so stays. A name that is
imported gets an alias, since the module that it comes from calls it as before.
"""

from __future__ import annotations

import ast
import builtins
import io
import re
import symtable
from collections.abc import Collection, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from editd.instruction import Instruction
from editd.instruction.meanings import Rename
from editd.instruction.places import Place, is_declared, is_own, place_of
from editd.instruction.source import (
    SCRIPTS,
    Function,
    Literal,
    PythonText,
    Spans,
    Token,
    Tree,
    as_word,
    mentions_in,
    read_python,
    split,
    symbols_of,
    that_stays,
    tokens_of,
    tree_of,
    with_spans,
)
from editd.prompts.outline import outline

if TYPE_CHECKING:
    from tree_sitter import Node

_HARDLY_ENGLISH = re.compile(r"[_\d]|[a-z][A-Z]|^[B-HJ-Z]$")


def renamed(meaning: Rename, instruction: Instruction, text: str, language: str) -> Literal | None:
    """``None`` where what it is said to be of, or in, is not there."""
    old, new = meaning.old, meaning.new
    everywhere = as_word(old).sub(lambda _: new, text)
    python = read_python(text) if language == "python" else None
    tokens = python.tokens if python else tokens_of(text, language)
    place = place_of(meaning.place, text, language) if meaning.place and tokens else None
    if meaning.place and place is None:
        return None
    of_class: set[int] | None = None
    if meaning.owner or (meaning.kind in _OF_CLASSES and place is not None):
        of_class = _of_class(meaning, tokens or [], text, language)
        if of_class is None:
            return None
        place = None
    if everywhere == text:  # what only resembles it may be meant
        return Literal(
            (text,), is_single=tokens is not None and old.casefold() not in text.casefold()
        )
    if tokens is None:
        return Literal((everywhere,))
    callees = _callees(old, python.tree) if python else _Callees()
    imports = _imports(old, python, None if python else tree_of(text, language))
    own = [t for t in tokens if t.text == old and t.kind in _NAMES]
    is_member = of_class is not None or _is_member(old, own, text, language)
    rest: list[Token] = []
    if of_class is not None:
        rest = [t for t in own if t.start not in of_class]
        own = [t for t in own if t.start in of_class]
    is_single = (
        not (python and not of_class and _is_builtin(old, python))
        and not (is_member and _may_be_anothers(old, own, text, language))
        and (not place or is_own(old, place, tokens, text, language, is_member=is_member))
    )
    if place:
        called = _called_in(place, text, language)
        tokens = [one for one in tokens if _is_in(one, place, called)]
        own = [one for one in own if _is_in(one, place, called)]
    asked = [t for t in own if t.start in imports.asked]
    own = [t for t in own if t.start not in imports.asked]
    keywords = [t for t in own if t.kind == "argument" and not callees.take(t.of)]
    members = [t for t in own if t.kind in ("member", "key") and not is_member]
    foreign = {*keywords, *members}
    # What asks for a name under that name does so under another: "as", and "key: value" for both in one.
    both = [(t.end, t.end, f" as {new}") for t in asked if t.start in imports.unnamed]
    both += [(t.end, t.end, f": {new}") for t in members if t.of == "shorthand"]
    names = _spans([t for t in own if t not in foreign], new)
    spans = [*names, *both]
    others = _spans([*keywords, *members, *rest], new)
    told = mentions_in([t for t in tokens if t.kind in ("comment", "docstring")], old, new)
    if language == "python":
        spans += _exported([t for t in tokens if t.kind == "string"], old, new, text)
        spans += _quoted_types(old, new, tokens, python) if python else []
    done = {*spans, *others}  # a field of a string is both
    strings = mentions_in([t for t in tokens if t.kind == "string"], old, new)
    strings = [span for span in strings if span not in done]
    told = [span for span in told if span not in done]
    # "sum" in a comment is an English word, "max_size" is that name.
    every = instruction.means_comments or bool(_HARDLY_ENGLISH.search(old))
    stays = that_stays(
        text,
        ("names that other modules give", _spans(asked, new)),
        ("comments", [] if every else told),
        ("strings", strings),
        ("keywords of other calls", _spans(keywords, new)),
        ("members of other objects", _spans(members, new)),
        ("other names", _spans(rest, new)),
    )
    wide = [*(span for span in spans if span not in both), *_spans(asked, new)]
    readings = (
        with_spans(text, spans + (told if every else [])),
        with_spans(text, spans),
        with_spans(text, wide + _spans([t for t in members if t.of == "shorthand"], new)),
        with_spans(text, wide + others),
        with_spans(text, wide + told),
        with_spans(text, wide + told + others),
        *(() if place else (everywhere,)),
    )
    is_taken = (not of_class and any(t.text == new and t.kind == "name" for t in tokens)) or (
        is_member and _is_member(new, [t for t in tokens if t.text == new], text, language)
    )
    is_name = re.fullmatch(r"[^\W\d]\w*", new) and re.fullmatch(r"[^\W\d]\w*", old)
    is_shared = is_member and any(
        t.kind == "key" and not _is_declared_in(t.of, own, text, language) for t in own
    )
    return Literal(
        tuple(dict.fromkeys(readings)),
        bool(is_single and spans and is_name) and not (is_taken or is_shared or imports.is_unsure),
        stays,
        with_spans(text, wide + told + strings + others) if stays else None,
    )


_OF_CLASSES = ("method", "attribute", "field", "property", "member")
_ITSELF = ("self", "this", "cls")


def _of_class(meaning: Rename, tokens: list[Token], text: str, language: str) -> set[int] | None:
    """Where a member of the one class that has it stands; ``None`` where another may have it, too."""
    if language != "python" and language not in SCRIPTS:
        return None
    old, owner = meaning.old, meaning.owner or meaning.place
    defined = outline(split(text), language)
    owners = {one.owner for one in defined if one.name == old and one.owner}
    classes = {one.owner for one in defined if one.owner} if owner in _ITSELF else {owner}
    members = [t for t in tokens if t.text == old and t.kind == "member"]
    own = [token.start for token in members if token.of in _ITSELF]
    places = [place for name in classes if (place := place_of(name, text, language))]
    places = [one for one in places if all(one.first <= start < one.last for start in own)]
    if len(places) != 1 or not owners <= {places[0].name} or not (owners or own):
        return None
    place = places[0]
    heads = _declared_in(place, old, text) if language == "python" else []
    heads += [t.start for t in tokens if t.text == old and t.of == "declared"]
    if not all(place.first <= start < place.last for start in heads):
        return None
    return {*heads, *(token.start for token in members)}


def _may_be_anothers(old: str, members: Collection[Token], text: str, language: str) -> bool:
    """Whether a member is perhaps one of a list, a string or the like: ``seen.add(x)``."""
    common = _METHODS if language == "python" else _METHODS_ELSEWHERE
    if old.lower() not in common:
        return False
    classes = "|".join(
        {re.escape(one.owner) for one in outline(split(text), language) if one.owner}
    )
    if not classes:
        return any(token.kind == "member" and token.of not in _ITSELF for token in members)
    made = rf"\b(?:{{0}})\b[\s:=&*]*(?:new\s+)?(?:{classes})\b|\b(?:{classes})\b[\s&*]+(?:{{0}})\b"
    return not all(
        token.of in _ITSELF
        or re.fullmatch(classes, token.of, re.IGNORECASE)
        or (token.of and re.search(made.format(re.escape(token.of)), text))
        for token in members
        if token.kind == "member"
    )


_METHODS = frozenset(
    name
    for kind in (str, bytes, list, dict, set, io.TextIOWrapper, Path, re.Match)
    for name in dir(kind)
)
_METHODS_ELSEWHERE = frozenset(
    """
    add addall append at catch clear clone close collect concat contains delete drop emit entries equals error every
    fill filter find findindex flat flatmap foreach format get has hash includes indexof insert is_empty isempty iter
    join keys len length lines lock map match name new next on parse pop push put read reduce remove replace reverse
    run send set shift size slice some sort splice split start startswith endswith stop string substring test then
    to_string tostring trim unlock unshift unwrap value values wait write
    """.split()  # noqa: SIM905 - in lower case
)


def _declared_in(place: Place, name: str, text: str) -> list[int]:
    """Where a Python class gives its body's own things this name."""
    python = read_python(text)
    if python is None:
        return []
    found = []
    for node in python.definitions(place.name):
        for one in node.body if isinstance(node, ast.ClassDef) else ():
            start, end = python.span(one)
            if isinstance(one, Function) and one.name == name:
                head = re.compile(r"(?:async\s+)?def\s+").match(text, start)
                found += [head.end()] if head else []
            elif isinstance(one, ast.Assign | ast.AnnAssign) and text.startswith(name, start):
                found += [start] if as_word(name).match(text, start, end) else []
    return found


def is_named(old: str, text: str, language: str) -> bool:
    """Whether the text gives something this name, and mentions it nowhere but in code."""
    tokens = tokens_of(text, language)
    if tokens is None or mentions_in(
        [t for t in tokens if t.kind in ("string", "comment", "docstring")], old, ""
    ):
        return False
    if any(one.name == old for one in outline(split(text), language)):
        return True
    if python := read_python(text) if language == "python" else None:
        return any(
            (isinstance(node, ast.arg) and node.arg == old)
            or (isinstance(node, ast.Name) and node.id == old and isinstance(node.ctx, ast.Store))
            for node in ast.walk(python.tree)
        )
    return is_declared(old, text, language)


_NAMES = ("name", "member", "argument", "key")


def _spans(tokens: Collection[Token], new: str) -> Spans:
    return [(one.start, one.end, new) for one in tokens]


def _is_builtin(old: str, python: PythonText) -> bool:
    """Whether it is Python's somewhere, which a file cannot rename."""
    if re.fullmatch("__.*__", old):
        return True
    if python.is_part or old not in dir(builtins):
        return False
    module = symbols_of(python.text)
    if module is None:
        return True
    given = old in module.get_identifiers() and module.lookup(old)
    if given and (given.is_assigned() or given.is_imported()):
        return False
    return any(
        one.is_referenced() and (one.is_global() or one is given) for one in _uses(old, module)
    ) or any(
        isinstance(x, ast.Name) and x.id == old for hint in _hints(python) for x in ast.walk(hint)
    )


def _hints(python: PythonText) -> Iterator[ast.expr]:
    """The types that are written down."""
    for node in ast.walk(python.tree):
        for name in ("annotation", "returns"):
            if (hint := getattr(node, name, None)) is not None:
                yield hint


def _uses(name: str, table: symtable.SymbolTable) -> Iterator[symtable.Symbol]:
    if name in table.get_identifiers():
        yield table.lookup(name)
    for child in table.get_children():
        yield from _uses(name, child)


def _is_member(old: str, own: Collection[Token], text: str, language: str) -> bool:
    """Whether a member of that name is declared here."""
    return any(one.name == old and one.owner for one in outline(split(text), language)) or any(
        (token.kind == "member" and token.of in (*_ITSELF, "Self"))
        or (token.kind == "name" and token.of == "declared")
        for token in own
    )


def _quoted_types(old: str, new: str, tokens: list[Token], python: PythonText) -> Spans:
    """The name where an annotation in quotes has it: ``-> "Cart"``."""
    starts = {
        python.span(one)[0]
        for hint in _hints(python)
        if "Literal" not in ast.unparse(hint)
        for one in ast.walk(hint)
        if isinstance(one, ast.Constant) and isinstance(one.value, str)
    }
    quoted = [one for one in tokens if one.kind == "string" and one.start in starts]
    return [span for span in mentions_in(quoted, old, new) if python.text[span[0] - 1] != "."]


def _is_declared_in(struct: str, own: Collection[Token], text: str, language: str) -> bool:
    """Whether the struct of this file has a member of that name."""
    lines = split(text)
    heads = [text.count("\n", 0, token.start) for token in own if token.of == "declared"]
    blocks = [one for one in outline(lines, language) if one.is_block and one.name == struct]
    return struct == "Self" or any(one.start <= at < one.end for one in blocks for at in heads)


def _exported(strings: list[Token], old: str, new: str, text: str) -> Spans:
    """The name where a string is it: in ``__all__``, ``__slots__`` and what pytest gives a test."""
    listed = [at.span() for at in _ALL.finditer(text)]
    return [
        span
        for token in strings
        if any(a <= token.start < b for a, b in listed)
        for span in mentions_in([token], old, new)
    ]


_ALL = re.compile(
    r"(?ms)^\s*__(?:all|slots|match_args)__\b[^\n=]*\+?=\s*[\[(].*?[\])]"
    r"|\bparametrize\(\s*(?:[\[(][^\])]*[\])]|(?=[\"'])[^\n]{0,200}?[\"'],\s)"
)


# In one place


def _called_in(place: Place, text: str, language: str) -> frozenset[str]:
    """The functions whose parameters are the place's, by the names by which they are called."""
    inside = [
        one
        for one in outline(split(text), language)
        if place.start <= one.start and one.end <= place.end
    ]
    names = {one.name for one in inside}
    return frozenset(names | {one.owner for one in inside if one.name in ("__init__", "__new__")})


def _is_in(token: Token, place: Place, called: Collection[str]) -> bool:
    """A keyword is where the function is that it is for, wherever that is called."""
    if token.kind == "argument":
        return token.of.rpartition(".")[2] in called
    return place.first <= token.start < place.last


# Keywords


@dataclass(frozen=True, slots=True)
class _Callees:
    """What takes the name as a parameter: functions and classes by their names, and methods."""

    functions: frozenset[str] = frozenset()
    methods: tuple[str, ...] = ()

    def take(self, called: str) -> bool:
        """``called``: with the last word before its dot."""
        owner, _, name = called.rpartition(".")
        if owner == "super()":  # that of the class itself is not meant
            return self.methods.count(name) > 1
        return name in (self.methods if owner else self.functions)


def _callees(old: str, tree: ast.Module) -> _Callees:
    classes = {node.name: node for node in ast.walk(tree) if isinstance(node, ast.ClassDef)}
    inside = [one for node in classes.values() for one in node.body if isinstance(one, Function)]
    functions = {
        node.name
        for node in ast.walk(tree)
        if isinstance(node, Function) and node not in inside and _takes(node, old)
    }
    for name in classes:
        if any(_makes(one, old) for one in _bases(classes, name)):
            functions.add(name)
    return _Callees(frozenset(functions), tuple(one.name for one in inside if _takes(one, old)))


def _takes(function: Function, name: str) -> bool:
    given = function.args
    return any(one.arg == name for one in (*given.posonlyargs, *given.args, *given.kwonlyargs))


def _makes(node: ast.ClassDef, name: str) -> bool:
    """Whether objects of the class are made with ``name``: by its ``__init__``, or as a field of a dataclass."""
    return any(
        (isinstance(one, Function) and one.name in ("__init__", "__new__") and _takes(one, name))
        or (
            isinstance(one, ast.AnnAssign)
            and isinstance(one.target, ast.Name)
            and one.target.id == name
        )
        for one in node.body
    )


def _bases(classes: dict[str, ast.ClassDef], name: str) -> Iterator[ast.ClassDef]:
    """The class and those of this file that it inherits from."""
    waiting, known = [name], set[str]()
    while waiting:
        one = waiting.pop()
        if one in classes and one not in known:
            known.add(one)
            yield classes[one]
            waiting += [base.id for base in classes[one].bases if isinstance(base, ast.Name)]


# Imports


@dataclass(frozen=True, slots=True)
class _Imports:
    """Where a name is asked of another module.

    asked: starts of what that module calls so. unnamed: those of them that are called the same here, so that an
    alias keeps both. is_unsure: no alias can.
    """

    asked: set[int] = field(default_factory=set)
    unnamed: set[int] = field(default_factory=set)
    is_unsure: bool = False


def _imports(old: str, python: PythonText | None, tree: Tree | None) -> _Imports:
    if python is not None:
        return _python_imports(old, python)
    asked, unnamed, is_unsure = set(), set(), False
    for node in tree.nodes(*_IDENTIFIERS) if tree else ():
        if tree is None or tree.code(node) != old:
            continue
        use = _use_of(node)
        if use in ("asked", "unnamed"):
            asked.add(tree.offset(node.start_byte))
        if use == "unnamed":
            unnamed.add(tree.offset(node.start_byte))
        is_unsure |= use == "unsure"
    return _Imports(asked, unnamed, is_unsure)


def _python_imports(old: str, python: PythonText) -> _Imports:
    asked, unnamed, is_unsure = set(), set(), False
    for node in ast.walk(python.tree):
        if not isinstance(node, ast.Import | ast.ImportFrom):
            continue
        start, end = python.span(node)
        asked |= {start + at.start() for at in as_word(old).finditer(python.text[start:end])}
        for one in node.names:
            first, last = python.span(one)
            if one.asname == old:
                asked.discard(last - len(old))
            elif one.name == old and one.asname is None:
                unnamed.add(first)
            is_unsure |= one.asname is None and one.name.startswith(f"{old}.")
    return _Imports(asked, unnamed, is_unsure)


_IDENTIFIERS = ("identifier", "type_identifier")


def _use_of(node: Node) -> str:
    """Of an identifier in an import: ``asked``, ``unnamed``, ``unsure``, or ``""`` for a name of this file."""
    parent = node.parent
    if parent is None:
        return ""
    if parent.type in ("import_specifier", "export_specifier", "use_as_clause"):
        statement = parent
        while statement.parent is not None and not statement.type.endswith(
            ("statement", "declaration")
        ):
            statement = statement.parent
        if statement.type == "export_statement" and not statement.child_by_field_name("source"):
            return ""
        alias = parent.child_by_field_name("alias")
        if alias == node:
            return ""
        return "unnamed" if alias is None and parent.type == "import_specifier" else "asked"
    if parent.type == "use_list":
        return "unnamed"
    last = node
    while last.parent is not None and last.parent.type.startswith("scoped_"):
        last = last.parent
    top = last
    while top.parent is not None and top.type in ("use_list", "use_as_clause", *_SCOPED):
        top = top.parent
    if top.type == "use_declaration":
        is_last = parent.child_by_field_name("name") == node and last == parent
        return (
            "unnamed"
            if is_last and last.parent is not None and last.parent.type != "use_as_clause"
            else "asked"
        )
    return "unsure" if top.type == "import_declaration" and last != node else ""


_SCOPED = ("scoped_identifier", "scoped_use_list")
