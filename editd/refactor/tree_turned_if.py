"""Finds an ``if`` in braces (C, Go, Java, JavaScript, Rust, TypeScript) that can be turned around, for ``return_early``,
and those nested in it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from editd.intent.intents import ReturnEarly
from editd.refactor.brace_function import FUNCTIONS, functions_of
from editd.refactor.turned_if import TurnedIf, leaves, without_indent
from editd.syntax.code import Code
from editd.syntax.conditions import tree_contrary
from editd.syntax.language import SCRIPTS
from editd.syntax.trees import Node, Tree, nodes_in

# What ends a statement, in the languages whose ``if`` is read.
STATEMENT_ENDS = {
    "javascript": ";", "jsx": ";", "typescript": ";", "tsx": ";", "java": ";", "c": ";", "go": "", "rust": ";",
}  # fmt: skip
_PLACE = r"[*&]*(?:mut )?[\w.]+(?:::\w+)*"
_MAKES_NOTHING = re.compile(
    rf"{_PLACE}(?:\.as_(?:deref_)?(?:ref|mut|deref)\(\))?"
    rf"(?:\.\w+)?(?:\((?:{_PLACE}(?:, {_PLACE})*)?\))?(?:\.await)?"
)
_DECLARING = (
    "lexical_declaration", "declaration", "short_var_declaration", "var_declaration", "const_declaration",
    "let_declaration", "local_variable_declaration", "function_declaration", "class_declaration",
    "type_declaration", "function_item", "use_declaration",
)  # fmt: skip
_CASES = ("switch_case", "switch_default")  # of JavaScript and TypeScript
_SCOPES = (
    "arrow_function", "function_expression", "lambda_expression", "closure_expression", "func_literal",
)  # fmt: skip
_LOOPS = (
    "for_statement", "for_in_statement", "enhanced_for_statement", "while_statement", "for_expression",
    "while_expression", "loop_expression",
)  # fmt: skip


def tree_turned_ifs(code: Code, intent: ReturnEarly) -> Iterator[TurnedIf]:
    """Yield what can be turned around in the functions in braces of the intent's name (all if it is empty): the last
    ``if`` of the function; those that end its loops if the intent speaks of loops, or if the function has none, is
    named, and has a single ``if``; nothing where no tree is known.
    """
    tree, language = code.tree, code.language
    if tree is None:
        return
    name = intent.name or intent.location
    mark = "" if language in SCRIPTS and ";\n" not in code.text else STATEMENT_ENDS[language]
    for node in functions_of(name, code):
        body = node.child_by_field_name("body")
        if body is None:
            continue
        inside = list(nodes_in(body))
        turn = None
        if not intent.in_loop:
            leaving = f"return{mark}" if _is_void(tree, node, language) else ""
            turn = _tree_turned_if(
                tree,
                body,
                node,
                leaving,
                language,
                may_repeat=bool(intent.described or intent.test or intent.returned),
            )
        tests = sum(x.type in ("if_statement", "if_expression") for x in inside)
        if turn is not None:
            yield turn
        elif intent.in_loop or (name and tests == 1):
            for loop in inside:
                block = loop.child_by_field_name("body") if loop.type in _LOOPS else None
                if block is not None and (
                    turn := _tree_turned_if(tree, block, node, f"continue{mark}", language)
                ):
                    yield turn


def tree_num_nested(tree: Tree, line: int) -> int:
    """The number of the ``if`` on a line (0-based) and those that each end the body of the one before, with ``else`` or
    without; 0 if no ``if`` is on that line.
    """
    tests = [x for x in tree.nodes("if_statement", "if_expression") if x.start_point[0] == line]
    test = tests[0] if tests else None
    number = 0
    while test is not None:
        number += 1
        block = test.child_by_field_name("consequence")
        inner = _statements(block) if block is not None else []
        test = _test_of(inner[-1]) if inner else None
    return number


def tree_nested_ifs(tree: Tree, line: int) -> list[int]:
    """The lines (0-based) that close the bodies of the ``if`` on ``line`` and of those that each end the body of the one
    before, the outermost first, up to one with ``else`` or an empty body. Empty if no other ``if`` is on that line.
    """
    tests = [x for x in tree.nodes("if_statement", "if_expression") if x.start_point[0] == line]
    test = tests[0] if tests else None
    below = []
    while test is not None and test.child_by_field_name("alternative") is None:
        block = test.child_by_field_name("consequence")
        inner = _statements(block) if block is not None else []
        if block is None or not inner:
            break
        below.append(block.end_point[0])
        test = _test_of(inner[-1])
    return below


def tree_last_if(tree: Tree, name: str) -> tuple[int, int] | None:
    """The lines (0-based) of the last ``if`` at the top of the body of the only function called ``name`` (of
    ``Class.name`` the last word counts), and of the one statement of one line behind it; the first twice if nothing
    follows, or a statement of several lines.

    ``None`` if not exactly one function has the name, it has no ``if`` there, or several statements follow.
    """
    named = [
        block
        for node in tree.nodes(*FUNCTIONS)
        if (label := node.child_by_field_name("name"))
        and tree.code(label) == name.rpartition(".")[2]
        if (block := node.child_by_field_name("body"))
    ]
    statements = _statements(named[0]) if len(named) == 1 else []
    tests = [n for n, node in enumerate(statements) if _test_of(node) is not None]
    if not tests or len(statements) - tests[-1] > 2:
        return None
    first, last = statements[tests[-1]].start_point[0], statements[-1].start_point[0]
    return (first, last) if statements[-1].end_point[0] == last else (first, first)


def _tree_turned_if(
    tree: Tree,
    block: Node,
    function: Node,
    leaving: str,
    language: str,
    *,
    may_repeat: bool = False,
) -> TurnedIf | None:
    """The last ``if`` of a block with braces, with the condition turned around; ``None`` if that cannot be done: it has
    an initializer or an attribute, shares its lines, declares a name that stands elsewhere in ``function``, a string
    goes over several lines, or what comes first would do something else.

    leaving: the statement that comes first where nothing follows the ``if``; empty where no such one would do the same.
    may_repeat: a line that leaves and follows a body that does not may stand twice.
    """
    statements = _statements(block)
    tests = [n for n, node in enumerate(statements) if _test_of(node) is not None]
    if not tests:
        return None
    at = tests[-1]
    node = _test_of(statements[at])
    assert node is not None  # noqa: S101
    before = statements[at - 1] if at else None
    consequence = node.child_by_field_name("consequence")
    condition = node.child_by_field_name("condition")
    if before is not None and before.type == "attribute_item":
        return None  # it would be about the return alone
    if consequence is None or condition is None or node.child_by_field_name("initializer"):
        return None
    opening = _let_else(tree, condition)
    is_block = tree.code(consequence).startswith("{")
    if not is_block or (not opening and condition.type.startswith("let_")):
        return None
    lines = tree.text.split("\n")
    head, last = node.start_point[0], consequence.end_point[0]
    outer = lines[head][: len(lines[head]) - len(lines[head].lstrip())]
    inner = [line for line in lines[head + 1 : last] if line.strip()]
    is_alone = consequence.start_point[0] == head and lines[head].rstrip().endswith("{")
    if node.start_point[1] != len(outer.encode()) or not inner or not is_alone:
        return None
    unit = inner[0][: len(inner[0]) - len(inner[0].lstrip())].removeprefix(outer)
    moved = without_indent(lines[head + 1 : last], outer, unit) if unit else None
    end = statements[-1].end_point[0] + 1
    start, stop = tree.span(node)[0], tree.span(statements[-1])[1]
    rest = statements[at + 1 :]
    found = _tree_first(tree, node, rest, leaving, outer, unit, may_repeat=may_repeat)
    has_own_names = _declares(tree, consequence, function)
    if moved is None or found is None or has_own_names or _has_long_strings(tree, start, stop):
        return None
    if any(line.startswith("#") for line in inner) or lines[last].lstrip()[:1] != "}":
        return None
    inside = _statements(consequence)
    if rest and not (inside and _leaves(tree, inside[-1])):
        moved = (*moved, f"{outer}{found[0].strip()}")  # what follows the body, too
    opening = opening or f"if {tree_contrary(tree, condition, language)} {{"
    closing = "};" if opening.startswith("let ") else "}"
    return TurnedIf(
        head, end, tree.code(condition), f"{outer}{opening}", found, f"{outer}{closing}", moved
    )


def _statements(block: Node) -> list[Node]:
    """The statements of a block, without comments."""
    inner = [x for x in block.named_children if "comment" not in x.type]
    if len(inner) == 1 and inner[0].type == "statement_list":
        inner = [x for x in inner[0].named_children if "comment" not in x.type]
    return inner


def _leaves(tree: Tree, node: Node) -> bool:
    """Whether nothing behind a statement runs; of a ``switch`` each case has to leave, and one has to be the default."""
    if node.type != "switch_statement":
        return leaves(tree.code(node))
    cases = [x for body in node.named_children for x in body.named_children if x.type in _CASES]
    filled = [x for x in cases if len(x.named_children) > (x.type == "switch_case")]
    return (
        bool(filled)
        and filled[-1] == cases[-1]
        and any(x.type == "switch_default" for x in cases)
        and "break" not in tree.code(node)
        and all(leaves(tree.code(x.named_children[-1])) for x in filled)
    )


def _test_of(node: Node) -> Node | None:
    """The ``if`` that a statement is; ``None`` if it is another one."""
    if node.type == "expression_statement" and node.named_children:
        node = node.named_children[0]
    return node if node.type in ("if_statement", "if_expression") else None


def _tree_first(
    tree: Tree,
    node: Node,
    rest: list[Node],
    leaving: str,
    outer: str,
    unit: str,
    *,
    may_repeat: bool,
) -> tuple[str, ...] | None:
    """The lines that come first once ``node`` is turned around, indented: those of its ``else``, those after it, or
    else ``leaving``.

    ``None`` if that would do something else: an ``else`` has to be the last thing in the block, and to leave it at its end or
    (may_repeat) get ``leaving`` there;
    lines after the ``if`` have to be fewer than its own, and both have to leave at their ends, or (may_repeat) a single line that leaves
    follows; ``leaving`` may not be empty. rest: the statements after ``node``. outer, unit: the indentation of ``node``, and one level.
    """
    lines = tree.text.split("\n")
    consequence = node.child_by_field_name("consequence")
    assert consequence is not None  # noqa: S101
    last = consequence.end_point[0]
    inner = _statements(consequence)
    body_leaves = bool(inner) and _leaves(tree, inner[-1])
    leave = f"{outer}{unit}{leaving}"
    if (alternative := node.child_by_field_name("alternative")) is not None:
        block = alternative
        if alternative.type == "else_clause":
            block = alternative.named_children[-1]
        is_block = tree.code(block).startswith("{") and lines[last].strip() == "} else {"
        others = _statements(block) if is_block else []
        if rest or not others or lines[block.end_point[0]].strip() not in ("}", "};"):
            return None
        first = tuple(lines[last + 1 : block.end_point[0]])
        if leaves(tree.code(others[-1])):
            return first
        return (*first, leave) if leaving and may_repeat else None
    if lines[last].strip() not in ("}", "};"):
        return None
    if not rest:
        return (leave,) if leaving else None
    between = lines[last + 1 : rest[-1].end_point[0] + 1]
    while between and not between[0].strip():
        between = between[1:]
    size = last - node.start_point[0] - 1
    is_repeated = may_repeat and not body_leaves and len(between) == 1
    if not (body_leaves or is_repeated) or not leaves(tree.code(rest[-1])):
        return None
    if len(between) >= size + may_repeat:
        return None
    return tuple(unit + line if line.strip() else "" for line in between)


def _let_else(tree: Tree, condition: Node) -> str:
    """``let Some(a) = b else {`` for Rust's ``if let Some(a) = b {``; empty for anything else.

    A temporary value of ``b``, such as a lock, lives until the end of an ``if let``, but not of a ``let``: so a ``b`` that
    makes one gives the empty text, too.
    """
    pattern, value = (condition.child_by_field_name(field) for field in ("pattern", "value"))
    if condition.type != "let_condition" or pattern is None or value is None:
        return ""
    if pattern.type == "or_pattern" or not _MAKES_NOTHING.fullmatch(tree.code(value)):
        return ""
    return f"let {tree.code(pattern)} = {tree.code(value)} else {{"


def _is_void(tree: Tree, function: Node, language: str) -> bool:
    """Whether a bare ``return`` at the end of the function does the same as its end.

    In C and Java its type must be ``void``, in Go and Rust it must have no result type; in JavaScript and TypeScript
    all but generators count, since their declarations do not tell.
    """
    if language in ("java", "c"):
        kind = function.child_by_field_name("type")
        declarator = function.child_by_field_name("declarator")
        is_pointer = declarator is not None and declarator.type == "pointer_declarator"
        return kind is not None and tree.code(kind) == "void" and not is_pointer
    if language == "go":
        return function.child_by_field_name("result") is None
    if language == "rust":
        return function.child_by_field_name("return_type") is None
    code = tree.code(function)
    return not re.match(r"(?:async )?(?:function\s*\*|\*)", code)


def _has_long_strings(tree: Tree, start: int, end: int) -> bool:
    """Whether a string or comment between these offsets goes over line ends."""
    return any(
        node.start_point[0] != node.end_point[0] and start <= tree.offset(node.start_byte) < end
        for node in tree.nodes()
        if ("string" in node.type or "comment" in node.type) and node.type != "string_fragment"
    )


def _declares(tree: Tree, block: Node, function: Node) -> bool:
    """Whether a name that is declared at the top of ``block`` stands in the function outside of it, too, be it as any
    word.
    """
    inner = block.named_children
    if len(inner) == 1 and inner[0].type == "statement_list":
        inner = inner[0].named_children
    own: set[str] = set()
    waiting = [x for x in inner if x.type in _DECLARING]
    while waiting:
        node = waiting.pop()
        if node.type in _SCOPES:
            continue  # its names are its own
        waiting += node.named_children
        if node.type == "binary_expression":
            continue  # its left side is a value
        for field in ("name", "pattern", "left", "declarator"):
            part = node.child_by_field_name(field)
            if part is not None and "=" not in (code := tree.code(part)):
                own.update(re.findall(r"[^\W\d]\w*", code))
    start, end = tree.span(function)
    first, last = tree.span(block)
    outside = tree.text[start:first] + tree.text[last:end]
    return bool(own & set(re.findall(r"[^\W\d]\w*", outside)))
