"""Closes what a Java method opens by ``try (…)``, where it is opened and closed in one block.

A.java, "use try-with-resources"::

    class A {
        void f() {
            Reader in = open(p);
            read(in);
            in.close();
        }
    }

becomes::

    class A {
        void f() {
            try (Reader in = open(p)) {
                read(in);
            }
        }
    }
"""

from __future__ import annotations

import re
from itertools import pairwise

from editd.refactor.candidates import Candidates
from editd.syntax.code import Code
from editd.syntax.trees import Node, Tree


def use_try_with_resources(code: Code) -> Candidates | None:
    """The Java text with each local resource that its block closes by a plain ``close()`` in a ``try``, as a certain
    candidate; ``None`` if there is none, or two overlap. One that is used after it is closed, or assigned again, stays
    as it is.
    """
    tree = code.tree
    if tree is None:
        return None
    lines = code.lines
    spans: list[tuple[int, int, list[str]]] = []
    for block in tree.nodes("block"):
        statements = [x for x in block.named_children if "comment" not in x.type]
        found = (_in_try(tree, statements, at, lines) for at in range(len(statements)))
        spans += [span for span in found if span is not None]
    spans.sort()
    overlaps = any(a[1] > b[0] for a, b in pairwise(spans))
    if not spans or overlaps:
        return None
    new = list(lines)
    for start, end, written in reversed(spans):
        new[start:end] = written
    return Candidates(("".join(new),), is_certain=True)


def _in_try(
    tree: Tree, statements: list[Node], at: int, lines: list[str]
) -> tuple[int, int, list[str]] | None:
    """The lines (0-based, end exclusive) from the declaration of a resource at ``at`` to its ``close()``, and the new
    ones.

    ``None`` if the statement declares no variable on a line, it is not closed exactly once in the block, or right away;
    if it, or a variable that is declared between, is used after that; or if it is assigned again.
    """
    node = statements[at]
    declared = re.fullmatch(r"(?:final )?[\w<>\[\], .]+ (\w+) = ((?:.|\n)+);", tree.code(node))
    if node.type != "local_variable_declaration" or declared is None:
        return None
    name = declared[1]
    closing = [
        n for n in range(at + 1, len(statements)) if tree.code(statements[n]) == f"{name}.close();"
    ]
    if len(closing) != 1 or closing[0] == at + 1:
        return None
    inner, after = statements[at + 1 : closing[0]], statements[closing[0] + 1 :]
    made = {
        found[1]
        for x in inner
        if x.type == "local_variable_declaration"
        and (found := re.match(r"[\w<>\[\], .]+ (\w+)(?: =|;)", tree.code(x)))
    }
    names = "|".join([name, *made])
    if any(re.search(rf"(?<![\w.])(?:{names})(?!\w)", tree.code(x)) for x in after):
        return None
    if any(re.search(rf"\b{name} =[^=]", tree.code(x)) for x in inner):
        return None
    start, last = node.start_point[0], statements[closing[0]].start_point[0]
    if node.end_point[0] != start:
        return None
    indent = lines[start][: -len(lines[start].lstrip())]
    unit = "\t" if indent.startswith("\t") else "    " if len(indent) % 4 == 0 else "  "
    body = [unit + line if line.strip() else line for line in lines[start + 1 : last]]
    while body and not body[-1].strip():
        body.pop()
    head = f"{indent}try ({tree.code(node).rstrip(';')}) {{\n"
    return start, last + 1, [head, *body, f"{indent}}}\n"]
