"""Where an import is recognised, in every language: by how a line begins, and by what a parser calls it.

Each way to write one is a row of ``_FORMS``, and whoever asks about imports asks here. Whether an import is used, and where a
new one goes, is left to others.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any

from editd.syntax.language import SCRIPTS
from editd.syntax.lines import line_starts, split
from editd.syntax.python_text import PythonText
from editd.syntax.trees import Node, Tree

PYTHON_IMPORTS = (ast.Import, ast.ImportFrom)
_PATHS = ("source", "path", "argument")  # fields of a node


@dataclass(frozen=True, slots=True)
class _Form:
    """A way to write an import.

    word: the word that says so. begins: a pattern for the beginning of its first line, after the indentation. whole: a
    pattern for a statement of one line; empty if such a line may well stand twice. source: a pattern, with a group, for
    the module from which a line takes names; empty if it takes modules as a whole. nodes: by language, what tree-sitter
    calls the statement. members: the same for each import of a group in one statement.
    """

    word: str
    begins: str
    whole: str = ""
    source: str = ""
    nodes: dict[str, str] = field(default_factory=dict)
    members: dict[str, str] = field(default_factory=dict)


_FORMS = (
    _Form(
        "import",
        begins=r"import\b",
        whole=r"import\b(?!.*[({,]$).+",
        source=r"[}*\w]\s+from\s+(['\"].+?['\"])",
        nodes={
            "javascript": "import_statement",
            "go": "import_declaration",
            "java": "import_declaration",
        },
        members={"go": "import_spec"},
    ),
    _Form(
        "from",
        begins=r"from\s+\S+\s+import\b",
        whole=r"from\s+\S+\s+import\b(?!.*[(,\\]$).+",
        source=r"^from\s+(\S+)\s+import",
    ),
    _Form(
        "include", begins=r"#\s*include\b", whole=r"#include\b.+", nodes={"c": "preproc_include"}
    ),
    _Form("use", begins=r"use\s", whole=r"use\s+[^{]+;", nodes={"rust": "use_declaration"}),
    _Form("using", begins=r"using\s", whole=r"using\s+[\w.:]+;"),
    _Form("require", begins=r"require\b"),
    _Form(
        "require",
        begins=r"(?:const|let|var|local)\s.*\brequire\s*\(",
        whole=r"(?:const|let|var)\s.*\brequire\(.+\);?",
        source=r"\brequire\(\s*(['\"].+?['\"])",
    ),
)
_BEGINS = "|".join(form.begins for form in _FORMS)

IMPORT_WORDS = tuple(dict.fromkeys(form.word for form in _FORMS))
IMPORT_LINE = re.compile(rf"\s*(?:{_BEGINS})")
"""The beginning of a line that begins an import."""
HEAD_LINE = re.compile(rf"\s*(?:{_BEGINS}|package\s)|.*\brequire\(")
"""A line that stands at the head of a file: an import, a package, a call of ``require`` in any statement."""
WHOLE_IMPORT = re.compile(rf"(?:{'|'.join(form.whole for form in _FORMS if form.whole)})\n?$")
"""A line without indentation that is a whole import, and of which there should be one."""
_BY_WORD = "|".join(form.begins for form in _FORMS if form.word in ("import", "from"))
IMPORT_BY_WORD = re.compile(rf"^(?:{_BY_WORD})")
"""The beginning of a line without indentation that imports by the word ``import``."""
IMPORT_NODES = frozenset(kind for form in _FORMS for kind in form.nodes.values())
"""Names of import statements in the trees of tree-sitter, of all languages."""
_SOURCE = re.compile("|".join(form.source for form in _FORMS if form.source))
_PYTHON_PACKAGE = re.compile(r"(?:from|import) (\w*)[\w.]*(?: import| as|,|$)")
_MEMBERS = frozenset(kind for form in _FORMS for kind in form.members.values())


@dataclass(frozen=True, slots=True)
class Import:
    """An import: a statement, or one of a group in a statement.

    start, end: its offsets. line, end_line: its first line and the line after its last, from 0. text: as written. module:
    what is imported, or where names are imported from, as written; Python's relative ones with their dots. is_alone:
    nothing but comments stands on its lines beside it. has_attribute: a Rust attribute above is about it. node: the
    parser's own.
    """

    start: int
    end: int
    line: int
    end_line: int
    text: str
    module: str
    is_alone: bool
    has_attribute: bool
    node: Any = field(repr=False, compare=False)


def python_runs(python: PythonText) -> Iterator[list[Import]]:
    """Yield the imports of a Python text in runs of those that stand one below the other in one
    block with nothing but comments between; blocks inside functions and classes count, the outer
    ones first.
    """
    for body in python.bodies():
        run: list[Import] = []
        for node in [*body, None]:
            if isinstance(node, PYTHON_IMPORTS):
                run.append(_of_python(node, python))
            elif run:
                yield run
                run = []


def imports_below(python: PythonText, docstring: ast.stmt | None) -> Iterator[Import]:
    """Yield the imports at the top of a Python file, before and below ``docstring`` if it has one,
    up to the first other statement.
    """
    for node in python.tree.body:
        if isinstance(node, PYTHON_IMPORTS):
            yield _of_python(node, python)
        elif node is not docstring:
            return


def tree_runs(tree: Tree, language: str) -> Iterator[list[Import]]:
    """Yield the imports of a text in runs of those that follow each other with nothing but comments between;
    nothing for a language whose imports are not known. Each group in brackets has runs of its own, and an attribute
    (Rust) ends one.
    """
    starts = line_starts(split(tree.text))
    nodes = list(_import_nodes(tree, language))
    own = {node.id for node in nodes}
    parents = {parent.id: parent for node in nodes if (parent := node.parent) is not None}
    for parent in parents.values():
        run: list[Import] = []
        before = None
        for node in parent.children:
            if "comment" in node.type:
                continue
            if node.id in own:
                is_held = before is not None and before.type == "attribute_item"
                run.append(_of_tree(node, tree, starts, has_attribute=is_held))
            elif run:
                yield run
                run = []
            before = node
        if run:
            yield run


def source_of(line: str) -> str:
    """The module from which an import on a line takes names, in its quotes; empty if it takes a module as a whole."""
    found = _SOURCE.search(line)
    return next(filter(None, found.groups()), "") if found else ""


def python_package(line: str) -> str | None:
    """The first part of the module of a Python import on a line, empty if it is relative; ``None`` for another line."""
    found = _PYTHON_PACKAGE.match(line)
    return None if found is None else found[1]


def import_in(lines: Iterable[str]) -> bool:
    """Whether one of the lines begins an import."""
    return any(map(IMPORT_LINE.match, lines))


def _of_python(node: ast.Import | ast.ImportFrom, python: PythonText) -> Import:
    """The import that a statement is. Its module is ``a`` for ``import a, b``, and ``..a`` for ``from ..a import
    b``.
    """
    start, end = python.span(node)
    if isinstance(node, ast.ImportFrom):
        module = "." * node.level + (node.module or "")
    else:
        module = node.names[0].name
    return Import(
        start,
        end,
        python.first(node),
        python.last(node) + 1,
        python.text[start:end],
        module,
        python.is_alone(node),
        has_attribute=False,
        node=node,
    )


def _import_nodes(tree: Tree, language: str) -> Iterator[Node]:
    """Yield the nodes of all imports in order: of a statement with a single import the statement,
    of a group its members. None for a language without a row in ``_FORMS``.
    """
    language = "javascript" if language in SCRIPTS else language
    statements = {form.nodes[language] for form in _FORMS if language in form.nodes}
    members = {form.members[language] for form in _FORMS if language in form.members}
    kinds = members or statements
    for node in tree.nodes(*kinds) if kinds else ():
        parent = node.parent
        is_single = parent is not None and parent.type in statements
        yield parent if is_single and parent is not None else node


def _of_tree(node: Node, tree: Tree, starts: list[int], *, has_attribute: bool) -> Import:
    """The import that a node is. starts: the offset of each line. has_attribute: of the import, as
    it is known. Blanks, comments and semicolons beside it do not count as code on its lines.
    """
    start, end = tree.span(node)
    line = node.start_point[0]
    end_line = line + tree.text.count("\n", start, end) + 1
    around = tree.text[starts[line] : start] + tree.text[end : starts[end_line]]
    return Import(
        start,
        end,
        line,
        end_line,
        tree.text[start:end],
        _module(node, tree),
        not re.sub(r"//.*|/\*.*?\*/|;", "", around).strip(),
        has_attribute,
        node,
    )


def _module(node: Node, tree: Tree) -> str:
    """The path that an import names, without quotes: a field of the node, else that of the first of a group, else
    all that follows the keywords, without blanks.
    """
    for name in _PATHS:
        if (path := node.child_by_field_name(name)) is not None:
            return tree.code(path).strip("\"'`<>")
    members = [child for child in node.named_children if child.type in _MEMBERS]
    if members:
        return _module(members[0], tree)
    return re.sub(r"^(?:[a-z]+\s+)+(?=\w)|\s*;$|\s", "", tree.code(node))
