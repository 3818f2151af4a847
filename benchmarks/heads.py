"""``python -m benchmarks.heads``: heads of functions for a reader who has never seen the code.

Prints module line, class, signature and docstring of functions of ``editd``, drawn by a seed, each room by its share. A
reader says of each what it does, its effects and special results; then ``--bodies`` prints the same ones with their code, and
he marks himself: right, in part, or wrong. Functions of less than three statements, dunder methods and nested ones are left
out.
"""

from __future__ import annotations

import argparse
import ast
import random
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).parents[1]


@dataclass(frozen=True, slots=True)
class Head:
    """A function: its file, and what a reader is shown of it."""

    file: str
    module_line: str
    class_name: str
    node: ast.FunctionDef | ast.AsyncFunctionDef

    def text(self, number: int, *, with_body: bool) -> str:
        """The head as the reader gets it, or all of the function."""
        owner = f"class {self.class_name}\n" if self.class_name else ""
        shown = (
            ast.unparse(self.node)
            if with_body
            else f"{_signature(self.node)}\n    {_docstring(self.node)}"
        )
        return f"--- {number}\n{self.file}: {self.module_line}\n{owner}{shown}\n"


def heads(package: str) -> Iterator[Head]:
    """The functions of a folder that have something to say."""
    for path in sorted((ROOT / package).rglob("*.py")):
        tree = ast.parse(path.read_text(encoding="utf-8"))
        line = (ast.get_docstring(tree) or "").partition("\n")[0]
        for class_name, node in _functions(tree):
            is_long = len([part for part in ast.walk(node) if isinstance(part, ast.stmt)]) > 4
            if is_long and not node.name.startswith("__"):
                yield Head(path.relative_to(ROOT).as_posix(), line, class_name, node)


def _functions(tree: ast.Module) -> Iterator[tuple[str, ast.FunctionDef | ast.AsyncFunctionDef]]:
    for node in tree.body:
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            yield "", node
        elif isinstance(node, ast.ClassDef):
            for child in node.body:
                if isinstance(child, ast.FunctionDef | ast.AsyncFunctionDef):
                    yield node.name, child


def _signature(node: ast.FunctionDef | ast.AsyncFunctionDef) -> str:
    returns = f" -> {ast.unparse(node.returns)}" if node.returns else ""
    decorators = "".join(f"@{ast.unparse(name)}\n" for name in node.decorator_list)
    keyword = "async def" if isinstance(node, ast.AsyncFunctionDef) else "def"
    return f"{decorators}{keyword} {node.name}({ast.unparse(node.args)}){returns}:"


def _docstring(node: ast.FunctionDef | ast.AsyncFunctionDef) -> str:
    docstring = ast.get_docstring(node)
    return "(no docstring)" if docstring is None else docstring.replace("\n", "\n    ")


def main() -> None:
    """Print the heads, or the functions."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--number", type=int, default=80)
    parser.add_argument("--package", default="editd", help="a folder of the checkout")
    parser.add_argument("--bodies", action="store_true", help="with their code")
    args = parser.parse_args()
    every = list(heads(args.package))
    chosen = random.Random(args.seed).sample(every, min(args.number, len(every)))
    for number, head in enumerate(sorted(chosen, key=lambda head: head.file), 1):
        print(head.text(number, with_body=args.bodies))


if __name__ == "__main__":
    main()
