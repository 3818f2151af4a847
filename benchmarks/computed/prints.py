"""Prints put in, which must go again; prints that become log calls."""

from __future__ import annotations

import ast
import re
from random import Random

from benchmarks.computed.posing import Posed, words_of

_PRINTED = {
    "python": "print('seen', 1)",
    "javascript": "console.log('seen', 1);",
    "typescript": "console.log('seen', 1);",
    "go": 'fmt.Println("seen", 1)',
    "rust": 'println!("seen {}", 1);',
    "java": 'System.out.println("seen");',
    "c": 'printf("seen %d\\n", 1);',
}


def prints(text: str, language: str, rng: Random) -> Posed | None:
    """Prints put behind statements of a text that has none: they go again."""
    if re.search(r"\bprint|console\.|puts\b", text, re.IGNORECASE):
        return None
    lines = text.split("\n")
    end = ")" if language in ("python", "go") else ";"
    places = [
        at
        for at, line in enumerate(lines)
        if line[:1].isspace()
        and line.endswith(end)
        and not re.search(r"//|\b(?:fn|type|use|const|mod|abstract|native|pub|import)\b", line)
    ]
    for at in sorted(rng.sample(places, min(3, len(places))), reverse=True):
        indent = lines[at][: len(lines[at]) - len(lines[at].lstrip())]
        lines.insert(at + 1, indent + _PRINTED[language])
    before = "\n".join(lines)
    printed = [word for _, word in words_of(before, language) or [] if re.match(r"['\"]seen", word)]
    if not printed or len(printed) < min(3, len(places)):
        return None  # one of them stands in a comment or a string
    return before, "delete the print statements", lambda new: new == text


def logged(text: str, language: str, _rng: Random) -> Posed | None:
    """A file that prints: apart from an import, log calls of the same words are the same tree."""
    if language != "python" or not re.search(r"^\s*print\(", text, re.MULTILINE):
        return None
    return text, "replace print with logging", lambda new: _logs_the_same(text, new)


def _logs_the_same(text: str, new: str) -> bool:
    """Whether it is the old tree but for an import, and for calls that log what was printed."""
    try:
        old, changed = ast.parse(text), ast.parse(new)
    except SyntaxError:
        return False
    if len(changed.body) == len(old.body) + 1:
        at = next(n for n, node in enumerate(changed.body) if ast.unparse(node) == "import logging")
        del changed.body[at]
    return ast.dump(_AsPrint().visit(changed)) == ast.dump(_Joined().visit(old))


class _AsPrint(ast.NodeTransformer):
    """``logging.info("a %s", x)`` as a print of its pieces."""

    def visit_Call(self, node: ast.Call) -> ast.AST:
        self.generic_visit(node)
        match node:
            case ast.Call(func=ast.Attribute(value=ast.Name(), attr="info"), args=[message, *rest]):
                values = iter(rest)
                if rest and isinstance(message, ast.Constant):
                    parts: list[ast.expr] = []
                    for piece in re.split(r"(?<!%)(?:%%)*(%s)", str(message.value)):
                        bare = piece.replace("%%", "%").strip(" ")
                        if piece == "%s":
                            parts.append(next(values))
                        elif bare:
                            parts.append(ast.Constant(bare))
                    return _print_of(parts)
                return _print_of([message])
        return node


class _Joined(ast.NodeTransformer):
    """Texts in a print, as the words that they are with a blank between."""

    def visit_Call(self, node: ast.Call) -> ast.AST:
        self.generic_visit(node)
        match node:
            case ast.Call(func=ast.Name(id="print"), args=[_, *_], keywords=[]):
                return _print_of(node.args)
            case ast.Call(func=ast.Attribute(value=ast.Name(), attr="info"), args=[_, *_]):
                return _AsPrint().visit_Call(node)
        return node


def _print_of(parts: list[ast.expr]) -> ast.Call:
    joined: list[ast.expr] = []
    for part in parts:
        value, is_text = "", False
        if len(parts) > 1 and isinstance(part, ast.Constant) and isinstance(part.value, str):
            value, is_text = part.value.strip(" "), True
        last = joined[-1] if joined else None
        if is_text and isinstance(last, ast.Constant) and isinstance(last.value, str):
            joined[-1] = ast.Constant(f"{last.value} {value}".strip())
        elif not is_text or value:
            joined.append(ast.Constant(value) if is_text else part)
    return ast.Call(ast.Name("print", ast.Load()), joined, [])
