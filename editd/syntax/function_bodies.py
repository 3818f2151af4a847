"""The functions of a text with their parameters and the place where their first statement stands, in Python and in braces."""

from __future__ import annotations

import ast
import re
from dataclasses import dataclass

from editd.syntax.code import Code
from editd.syntax.language import SCRIPTS
from editd.syntax.python_places import parameter_names
from editd.syntax.python_text import Function, docstring_of
from editd.syntax.trees import Node, Tree, nodes_in

_FUNCTIONS = (
    "function_declaration", "method_definition", "method_declaration", "function_item", "function_definition",
    "constructor_declaration", "arrow_function", "function_expression", "generator_function_declaration",
)  # fmt: skip
_NAMED_LAST = ("java", "c", "cpp", "csharp")  # the type stands before the name


@dataclass(frozen=True, slots=True)
class FunctionBody:
    """A function called ``name``, or ``owner.name``.

    parameters: their names and types (empty where none stands there). line: the number (0-based) of the line above which a
    statement comes first, below the docstring; indent: its indentation; depth: the function's. body: its text. head: the
    text before it. result: the type of its result; empty where none stands there.
    """

    name: str
    owner: str
    parameters: tuple[tuple[str, str], ...]
    line: int
    indent: str
    depth: str
    head: str
    body: str
    result: str = ""

    @property
    def names(self) -> tuple[str, ...]:
        """The names of its parameters."""
        return tuple(name for name, _ in self.parameters)


def function_bodies(code: Code) -> list[FunctionBody]:
    """The functions of a text that parses, those left out whose body stands on the line of its head."""
    if code.python is not None:
        return _in_python(code)
    tree = code.tree
    if tree is None:
        return []
    found = (_of_node(node, tree, code) for node in tree.nodes(*_FUNCTIONS))
    return [body for body in found if body is not None]


def body_of(name: str, code: Code) -> FunctionBody | None:
    """The one function that is called ``name`` or ``owner.name``; ``None`` if there are none or several."""
    owner, _, last = name.rpartition(".")
    found = [
        body
        for body in function_bodies(code)
        if body.name == last and owner in ("", body.owner, body.owner.rpartition(".")[2])
    ]
    return found[0] if len(found) == 1 else None


def _in_python(code: Code) -> list[FunctionBody]:
    """The functions of a Python text."""
    python = code.python
    if python is None:
        return []
    owners = {
        id(child): node.name
        for node in ast.walk(python.tree)
        if isinstance(node, ast.ClassDef)
        for child in node.body
    }
    found = []
    for node in python.definitions():
        if not isinstance(node, Function) or not python.is_alone(node.body[0]):
            continue
        line = python.first(node.body[0])
        indent = python.indent(line)
        first, last = python.span(node)
        if docstring_of(node) is not None:
            line = python.last(node.body[0]) + 1
        arguments = node.args
        types = {
            x.arg: ast.unparse(x.annotation)
            for x in (*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs)
            if x.annotation is not None
        }
        names = parameter_names(node)
        found.append(
            FunctionBody(
                node.name,
                owners.get(id(node), ""),
                tuple((name, types.get(name, "")) for name in names),
                line,
                indent,
                python.indent(python.first(node)),
                code.text[first : code.line_starts[line]],
                code.text[code.line_starts[line] : last],
                ast.unparse(node.returns) if node.returns else "",
            )
        )
    return found


def _of_node(node: Node, tree: Tree, code: Code) -> FunctionBody | None:
    """The function of a node; ``None`` without a name, or a body on lines of its own."""
    body = node.child_by_field_name("body")
    label = node.child_by_field_name("name")
    if label is None and node.parent is not None and node.parent.type == "variable_declarator":
        label = node.parent.child_by_field_name("name")
    if label is None and (declarator := node.child_by_field_name("declarator")) is not None:
        label = next(nodes_in(declarator, "identifier"), None)
    if body is None or label is None or not tree.code(body).startswith("{"):
        return None
    start, end = tree.span(body)
    line = code.text.count("\n", 0, start) + 1
    rest = code.text[start + 1 :].split("\n", 1)[0].strip()
    if (
        (rest and not rest.startswith("//"))
        or line >= len(code.lines)
        or end <= code.line_starts[line]
    ):
        return None
    first = next((x for x in code.lines[line:] if x.strip()), "")
    head_line = code.lines[code.text.count("\n", 0, tree.span(node)[0])]
    depth = head_line[: len(head_line) - len(head_line.lstrip())]
    indent = first[: len(first) - len(first.lstrip())]
    if len(indent) <= len(depth):
        return None
    result = node.child_by_field_name("return_type") or node.child_by_field_name("result")
    if code.language in _NAMED_LAST:
        result = node.child_by_field_name("type")
    return FunctionBody(
        tree.code(label),
        _owner(node, tree),
        tuple(_parameters(node, tree, code.language)),
        line,
        indent,
        depth,
        code.text[tree.span(node)[0] : start],
        code.text[start + 1 : end - 1],
        tree.code(result).lstrip(": ") if result else "",
    )


def _owner(node: Node, tree: Tree) -> str:
    """The name of the class, type or ``impl`` around a method; of Go's the receiver's type; empty for a function."""
    if receiver := node.child_by_field_name("receiver"):
        named = re.search(r"(\w+)(?:\[.*\])?\)$", tree.code(receiver))
        return named[1] if named else ""
    parent = node.parent
    while parent is not None:
        if re.search(r"class|interface|impl_item|record|enum|trait", parent.type):
            name = parent.child_by_field_name("name") or parent.child_by_field_name("type")
            if name is not None:
                return tree.code(name)
        parent = parent.parent
    return ""


def _parameters(node: Node, tree: Tree, language: str) -> list[tuple[str, str]]:
    """The names and types of a function's parameters; those without a plain name are left out."""
    listed = node.child_by_field_name("parameters")
    if listed is None and (declarator := node.child_by_field_name("declarator")) is not None:
        listed = next(nodes_in(declarator, "parameter_list"), None)
    if listed is None:
        single = node.child_by_field_name("parameter")
        return [(tree.code(single), "")] if single is not None else []
    found = []
    for child in listed.named_children:
        text = re.sub(r"\s*=[^>].*$", "", tree.code(child), flags=re.DOTALL).strip()
        if language == "go":
            *names, last = re.split(r",\s*", text)
            name, _, kind = last.partition(" ")
            found += [(x, kind.strip()) for x in (*names, name)]
        elif language in _NAMED_LAST:
            if match := re.fullmatch(r"(?s)(.*[\s*&>\]])(\w+)((?:\[\w*\])*)", text):
                found.append((match[2], match[1].strip().removeprefix("final ") + match[3]))
        elif language in SCRIPTS or language == "rust":
            pattern = (
                r"(?s)(?:(?:public|private|protected|readonly|mut) )*([\w$]+)\??(?:\s*:\s*(.*))?"
            )
            if match := re.fullmatch(pattern, text):
                found.append((match[1], match[2] or ""))
    return found
