"""Names that a text uses and that nothing in it declares or imports, in languages whose trees tree-sitter makes.

A name that is built in, or that another file of the package defines, counts as well: only a request tells it from one whose import is
missing. Changes no text.
"""

from __future__ import annotations

from collections.abc import Iterator

from editd.syntax.language import SCRIPTS
from editd.syntax.trees import Node, Tree

_NAMES = frozenset(
    [
        "identifier",
        "type_identifier",
        "shorthand_property_identifier_pattern",
        "package_identifier",
        "shorthand_property_identifier",
    ]
)
# Fields in which a node has what it declares.
_DECLARING = {
    "variable_declarator": ("name", "declarator"), "function_declaration": ("name",), "class_declaration": ("name",), "abstract_class_declaration": ("name",),
    "interface_declaration": ("name",), "type_alias_declaration": ("name",), "enum_declaration": ("name",), "generator_function_declaration": ("name",),
    "required_parameter": ("pattern",), "optional_parameter": ("pattern",), "catch_clause": ("parameter",), "for_in_statement": ("left",),
    "arrow_function": ("parameter",), "type_parameter": ("name",), "namespace_import": ("",), "import_clause": ("",), "import_specifier": ("alias", "name"),
    "formal_parameter": ("name",), "catch_formal_parameter": ("name",), "enhanced_for_statement": ("name",), "record_declaration": ("name",),
    "method_declaration": ("name",), "constructor_declaration": ("name",), "field_declaration": ("name",), "enum_constant": ("name",),
    "short_var_declaration": ("left",), "range_clause": ("left",), "var_spec": ("name",), "const_spec": ("name",), "parameter_declaration": ("name", "declarator"),
    "type_spec": ("name",), "type_alias": ("name",),
    "function_item": ("name",), "struct_item": ("name",), "enum_item": ("name",), "trait_item": ("name",), "type_item": ("name",), "const_item": ("name",),
    "static_item": ("name",), "mod_item": ("name",), "let_declaration": ("pattern",), "parameter": ("pattern", "name"), "use_declaration": ("argument",),
    "enum_variant": ("name",), "for_expression": ("pattern",), "closure_parameters": ("",), "macro_definition": ("name",),
    "function_definition": ("declarator",), "declaration": ("declarator",), "init_declarator": ("declarator",), "preproc_def": ("name",),
    "preproc_function_def": ("name",), "struct_specifier": ("name",), "type_definition": ("declarator",),
}  # fmt: skip
_LANGUAGES = (*SCRIPTS, "go", "java", "rust", "c", "cpp")


def undeclared_names(tree: Tree, language: str) -> frozenset[str]:
    """The names that a text uses and that nothing in it declares; in Go only what stands before a dot. Empty for other languages."""
    if language not in _LANGUAGES:
        return frozenset()
    used: set[str] = set()
    declared: set[str] = set()
    for node in tree.nodes():
        if node.type in _NAMES and _is_used(node, language):
            used.add(tree.code(node))
        if node.type in ("import_spec", "import_declaration") and language in ("go", "java"):
            declared.update(_imported(node, tree))
        for field in _DECLARING.get(node.type, ()):
            for child in node.children_by_field_name(field) if field else [node]:
                declared.update(_inside(child, tree))
    return frozenset(used - declared)


def _is_used(node: Node, language: str) -> bool:
    """Whether a name is used for what it stands for, and is no member, key or label."""
    parent = node.parent
    if parent is None or parent.type in (
        "import_specifier",
        "import_clause",
        "namespace_import",
        "labeled_statement",
        "import_declaration",
    ):
        return False
    if language == "go":
        return (
            parent.type in ("selector_expression", "qualified_type") and parent.children[0] == node
        )
    if parent.type in ("scoped_identifier", "scoped_type_identifier"):
        return parent.children[0] == node and language != "java"
    if parent.type in ("field_access", "method_invocation") and language == "java":
        return parent.child_by_field_name("object") == node
    return True


def _imported(node: Node, tree: Tree) -> Iterator[str]:
    """Yield the name that an import of Go or Java gives."""
    text = tree.code(node).strip("; \n")
    path = text.rpartition(" ")[2].strip('"`')
    yield (
        text.split()[0]
        if " " in text and node.type == "import_spec"
        else path.replace("/", ".").rpartition(".")[2]
    )


def _inside(node: Node, tree: Tree) -> Iterator[str]:
    """Yield the names in a declared pattern."""
    waiting = [node]
    while waiting:
        inner = waiting.pop()
        if inner.type in _NAMES:
            yield tree.code(inner)
        waiting += [
            x
            for x in inner.children
            if x.type not in ("type_annotation", "statement_block", "block")
        ]
