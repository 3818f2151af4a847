"""Strings in other quotes or as f-strings, comments taken out, code commented out and back."""

from __future__ import annotations

import ast
import re
from collections import Counter
from random import Random
from typing import cast

from benchmarks.computed.posing import ENDINGS, Posed, same_tree, words_of
from editd.messages import EditRequest
from editd.refactor.computed import compute_edit
from editd.syntax.outline import outline


def quotes(text: str, language: str, rng: Random) -> Posed | None:
    """Strings keep their values, and none is left in the other quotes but for what stands in it."""
    if language not in ("python", "javascript", "typescript"):
        return None
    old, new_quote = rng.choice((("'", '"'), ('"', "'")))
    name = "double" if new_quote == '"' else "single"

    def judge(new: str) -> bool:
        if language == "python":
            is_same = same_tree(text, new)
        else:
            pair = [
                [_value(word) for _, word in words_of(source, language) or []]
                for source in (text, new)
            ]
            is_same = pair[0] == pair[1]
        left = [
            word
            for _, word in words_of(new, language) or []
            if re.fullmatch(rf"(?s)[a-zA-Z]*{old}(?!{old}).+{old}", word) and new_quote not in word
        ]
        return is_same and (not left or "jsx" in language)

    return text, f"use {name} quotes", judge


def _value(word: str) -> str:
    """A string without its quotes and the escapes of quotes."""
    if word[:1] in "'\"":
        return re.sub(r"\\(['\"])|(\\.)", r"\1\2", word[1:-1], flags=re.DOTALL)
    return word


def uncommented(text: str, language: str, _rng: Random) -> Posed | None:
    """Delete the comments alone; and of these what programs read, and a head that speaks of a licence."""
    words = words_of(text, language)
    if words is None or not any(kind for kind, _ in words):
        return None
    others = [word for kind, word in words if not kind]

    def judge(new: str) -> bool:
        left = words_of(new, language)
        if left is None or [word for kind, word in left if not kind] != others:
            return False
        head = next((at for at, (kind, _) in enumerate(left) if not kind), len(left))
        is_licensed = any(_LICENCE.search(word) for _, word in left[:head])
        return all(
            _READ.search(word) or (is_licensed and at < head)
            for at, (kind, word) in enumerate(left)
            if kind
        )

    return text, "remove all comments", judge


_LICENCE = re.compile(r"copyright|licen[cs]e|all rights reserved|public domain", re.IGNORECASE)
_READ = re.compile(
    r"^#!|coding[:=]|noqa|type: ?ignore|pragma|pylint|mypy|fmt:|isort|nosec|pyright|@generated|DO NOT|[Dd]o [Nn][Oo][Tt] (?:edit|modify)|SPDX|eslint|@ts-"
    r"|prettier|istanbul|sourceMapping|go:|\+build|nolint|NOLINT|clang-format|[Ff]all.?[Tt]hr|SAFETY|^///|^//!|^/\*[*!]|vim?:|region|%%"
    r"|[Oo]utput:|# ?type:|-\*-|codespell|global|exported|CHECKSTYLE|NOSONAR|NON-NLS|lint"
)


def comment_out(text: str, language: str, rng: Random) -> Posed | None:
    """A function becomes a comment: without its lines everything is as before."""
    lines = re.findall(r"[^\n]*\n|[^\n]+", text)
    found = [
        definition
        for definition in outline(lines, language)
        if definition.is_block and definition.end - definition.start < 60
    ]
    names = Counter(definition.name for definition in found)
    found = [
        definition
        for definition in found
        if names[definition.name] == 1 and re.fullmatch(r"\w+", definition.name)
    ]
    if not found:
        return None
    definition = rng.choice(found)
    start = definition.start
    while language != "rust" and lines[start].lstrip().startswith(("# ", "//", "/*", "*")):
        start += 1

    def judge(new: str) -> bool:
        after = re.findall(r"[^\n]*\n|[^\n]+", new)
        outside = after[: definition.start] + after[definition.end :]
        inside = [line for line in after[definition.start : definition.end] if line.strip()]
        are_comments = all(line.lstrip().startswith(("#", "//", "/*", "*")) for line in inside)
        back = compute_edit(EditRequest("1", new, "uncomment this", path=f"a{ENDINGS[language][0]}",
                                    start_line=start, end_line=definition.end))  # fmt: skip
        is_back = back is not None and words_of(back.text or "", language) == words_of(
            text, language
        )
        return (
            outside == lines[: definition.start] + lines[definition.end :]
            and are_comments
            and is_back
        )

    return text, f"comment out the function {definition.name}", judge


def f_strings(text: str, language: str, _rng: Random) -> Posed | None:
    """A file that formats: each new f-string writes the same."""
    if language != "python" or not re.search(r"['\"] % |['\"]\.format\(", text):
        return None
    return text, "use f-strings", lambda new: _formats_the_same(text, new)


def _formats_the_same(text: str, new: str) -> bool:
    """Whether each f-string that is new writes what the formatting at its place wrote, for several values."""
    try:
        return _equal(ast.parse(text), ast.parse(new))
    except SyntaxError:
        return False


def _equal(old: ast.AST, new: ast.AST) -> bool:
    """The same tree, or formatting that gives the same text."""
    if isinstance(new, ast.JoinedStr) and not isinstance(old, ast.JoinedStr):
        return isinstance(old, ast.expr) and _writes_the_same(old, new)
    if type(old) is not type(new):
        return False
    for field in old._fields:
        old_value, new_value = getattr(old, field, None), getattr(new, field, None)
        if isinstance(old_value, ast.AST) and isinstance(new_value, ast.AST):
            if not _equal(old_value, new_value):
                return False
        elif isinstance(old_value, list) and isinstance(new_value, list):
            if len(old_value) != len(new_value):
                return False
            for a, b in zip(old_value, new_value, strict=True):
                if isinstance(a, ast.AST) and isinstance(b, ast.AST):
                    if not _equal(a, b):
                        return False
                elif a != b:
                    return False
        elif old_value != new_value:
            return False
    return True


def _writes_the_same(old: ast.expr, new: ast.JoinedStr) -> bool:
    """Evaluates both with every value in them replaced by a number or a text."""
    values = [ast.dump(part.value) for part in new.values if isinstance(part, ast.FormattedValue)]
    for given in (3.25, "text", 7):
        names = {dumped: f"v{number}" for number, dumped in enumerate(dict.fromkeys(values))}
        space = {name: f"{given}{name}" if isinstance(given, str) else given + number
                 for number, name in enumerate(names.values())}  # fmt: skip
        results = []
        for node in (old, new):
            parsed = ast.parse(ast.unparse(node), mode="eval")
            expression = ast.fix_missing_locations(_Named(names).visit(parsed))
            try:
                code = compile(cast("ast.Expression", expression), "a", "eval")
                results.append(eval(code, {}, dict(space)))  # noqa: S307
            except (ValueError, TypeError):
                results.append("an error")
        if results[0] != results[1]:
            return False
    return True


class _Named(ast.NodeTransformer):
    """The expressions, each as a name."""

    def __init__(self, names: dict[str, str]) -> None:
        self._names = names

    def visit(self, node: ast.AST) -> ast.AST:
        name = self._names.get(ast.dump(node))
        if name is not None and not isinstance(node, ast.JoinedStr):
            return ast.Name(name, ast.Load())
        result: ast.AST = self.generic_visit(node)
        return result
