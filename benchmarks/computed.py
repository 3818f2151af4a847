"""How often a computed chore is right on files that nobody wrote for it; no model is asked.

``python -m benchmarks.computed FOLDER`` draws files of each language (Python's also from the standard library and
the installed packages), asks for a chore in each, and judges the answer by other means than editd's own:
ruff and rustfmt, ``ast`` and ``tokenize``, and for the others tree-sitter's tokens. A chore is counted right, refused
(left to a model) or wrong.
"""

from __future__ import annotations

import ast
import re
import subprocess
import sysconfig
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from random import Random
from typing import Annotated, cast

import typer

from editd.instruction.answering import by_words
from editd.instruction.source import parses, tokens_of
from editd.messages import EditRequest
from editd.prompts.outline import outline

_MOST = 60_000  # characters of a file
_ENDINGS = {
    "python": (".py",),
    "javascript": (".js", ".mjs"),
    "typescript": (".ts",),
    "go": (".go",),
    "rust": (".rs",),
    "java": (".java",),
    "c": (".c", ".h"),
}
Judge = Callable[[str], bool]
"""Whether a new text is the right one."""
Posed = tuple[str, str, Judge]
"""A text, what is asked of it, and who judges the answer."""


def main(
    folder: Annotated[Path, typer.Argument(help="Holds packages' source files.")],
    kinds: Annotated[str, typer.Option(help="Comma-separated; empty: all.")] = "",
    languages: Annotated[str, typer.Option(help="Comma-separated.")] = ",".join(_ENDINGS),
    count: Annotated[int, typer.Option(help="Edits of each kind and language.")] = 100,
    seed: Annotated[int, typer.Option(help="Draws the files.")] = 0,
    *,
    show: Annotated[bool, typer.Option(help="Name the files of wrong answers.")] = False,
) -> None:
    """A row for each kind and language."""
    print("| chore | language | edits | right | refused | wrong |\n|---|---|--:|--:|--:|--:|")
    for kind in kinds.split(",") if kinds else _POSERS:
        for language in languages.split(","):
            files = list(_files(folder, language))
            row: Counter[str] = Counter()
            rng = Random(f"{kind} {language} {seed}")
            rng.shuffle(files)
            for file in files:
                if row.total() >= count:
                    break
                text = _read(file)
                if text is None or parses(text, language) is False:
                    continue
                posed = _POSERS[kind](text, language, rng)
                if posed is None:
                    continue
                verdict = _verdict(file, *posed)
                row[verdict] += 1
                if show and verdict == "wrong":
                    print(f"{kind} {language}: {file}: {posed[1]}")
            if row:
                cells = (row[verdict] for verdict in ("right", "refused", "wrong"))
                print(
                    f"| {kind} | {language} | {row.total()} | {' | '.join(map(str, cells))} |",
                    flush=True,
                )


def _files(folder: Path, language: str) -> Iterator[Path]:
    roots = [folder]
    if language == "python":
        roots += [Path(sysconfig.get_path("stdlib")), Path(sysconfig.get_path("purelib"))]
    for root in roots:
        for path in sorted(root.rglob("*")):
            if path.suffix in _ENDINGS[language] and ".min." not in path.name and path.is_file():
                yield path


def _read(file: Path) -> str | None:
    try:
        text = file.read_bytes().decode()
    except (OSError, UnicodeDecodeError):
        return None
    return text if 200 < len(text) <= _MOST and "\r" not in text else None


def _verdict(file: Path, text: str, instruction: str, judge: Judge) -> str:
    # A file's own header stays first, which a shuffled text no longer shows.
    name = "a.c" if file.suffix in _ENDINGS["c"] else file.name
    result = by_words(EditRequest("1", text, instruction, path=name))
    if result is None or result.text is None:
        return "refused"
    return "right" if judge(result.text) else "wrong"


# Imports


_IMPORT_LINES = {
    "python": r"(?:import|from) [\w. ,]+(?: import [\w, ]+)?",
    "javascript": r"import [^'\"]+ from ['\"][^'\"]+['\"];?",
    "typescript": r"import [^'\"]+ from ['\"][^'\"]+['\"];?",
    "go": r"\t(?:\w+ )?\"[^\"]+\"",
    "rust": r"(?:pub )?use [^{}]*(?:\{[^{}]*\})?;",
    "java": r"import [\w.]+;",
    "c": r"#include [<\"][^<>\"]+[>\"]",
}


def _groups(text: str, language: str) -> list[tuple[int, int]]:
    """Lines ``start .. end`` that are imports of one line each, two or more."""
    pattern = re.compile(_IMPORT_LINES[language])
    lines = text.split("\n")
    found: list[tuple[int, int]] = []
    start = None
    for at, line in enumerate([*lines, ""]):
        if at < len(lines) and pattern.fullmatch(line):
            start = at if start is None else start
        elif start is not None:
            is_held = start > 0 and lines[start - 1].startswith("#[")  # by an attribute
            if at - start > 1 and not is_held:
                found.append((start, at))
            start = None
    return found


def _plain_key(line: str, language: str) -> tuple[object, ...]:
    if language in ("javascript", "typescript"):
        path = re.split(r"['\"]", line)[-2]
        return path.startswith("."), path.lower()
    if language == "go":
        return (re.split(r"\"", line)[1],)
    return (line.rstrip(";").removeprefix("import "),)


def _is_in_order(text: str, language: str) -> bool:
    """By the language's own tool, or where it has none here, by the characters."""
    if language == "python":
        command = ["ruff", "check", "--isolated", "--select", "I001", "--no-cache", "-q", "-"]
    elif language == "rust":
        command = ["rustfmt", "--check", "--edition", "2021", "--config", "max_width=100"]
    else:
        lines = text.split("\n")
        for start, end in _groups(text, language):
            keys = [_plain_key(line, language) for line in lines[start:end]]
            if keys != sorted(keys) or len(set(map(str, keys))) < len(keys):
                return False
            listed = [re.findall(r"\w+", found[1]) for line in lines[start:end]
                      if (found := re.search(r"\{(.*)\}", line))]  # fmt: skip
            if any(names != sorted(names, key=str.lower) for names in listed):
                return False
        return True
    return not subprocess.run(
        command, input=text, text=True, capture_output=True, check=False
    ).returncode


def _sort(text: str, language: str, rng: Random) -> Posed | None:
    """A file in order, its imports shuffled: it must come back."""
    groups = _groups(text, language)
    if not groups or not _is_in_order(text, language):
        return None
    lines = text.split("\n")
    for start, end in groups:
        block = lines[start:end]
        if language == "c":  # a header of its own name, or a configuration, is first for a reason
            block = [line for line in block if "config" not in line and "windows" not in line]
            if len(block) < end - start:
                return None
        if any("__future__" in line for line in block):
            continue
        rng.shuffle(block)
        lines[start:end] = block
    shuffled = "\n".join(lines)
    return None if shuffled == text else (shuffled, "sort the imports", lambda new: new == text)


_UNUSED = {
    "python": ("import quopri_", "from zlib_ import zeta_"),
    "javascript": ("import zeta_ from 'zeta';", "import { zeta_ } from 'zeta';"),
    "typescript": ("import zeta_ from 'zeta';", "import type { Zeta_ } from 'zeta';"),
    "go": ('\t"encoding/ascii85"', '\tzeta_ "x.org/zeta"'),
    "rust": ("use std::collections::BinaryHeap;", "use crate::zeta_;"),
    "java": ("import zeta.Zeta_;", "import static zeta.Zeta.zeta_;"),
}


def _unused(text: str, language: str, rng: Random) -> Posed | None:
    """An import that nothing uses, put among the others: just this one goes."""
    if language not in _UNUSED or not (groups := _groups(text, language)):
        return None
    lines = text.split("\n")
    start, end = rng.choice(groups)
    if lines[start][:1] != rng.choice(_UNUSED[language])[:1]:
        return None
    added = rng.choice(_UNUSED[language])
    if re.split(r"[\W]+", added.rstrip(";'\" "))[-1] in text or lines[start].startswith(
        "from __future"
    ):
        return None
    lines.insert(rng.randint(start + 1, end), added)
    before = "\n".join(lines)
    if language == "python":
        return before, "remove the unused imports", lambda new: _same_tree(new, _by_ruff(before))

    def judge(new: str) -> bool:
        """Just that one, and others only if their names stand nowhere else."""
        gone = Counter(re.findall(r"\w+", text)) - Counter(re.findall(r"\w+", new))
        names = [word for word in gone if word not in ("import", "type", "from", "as", "use")]
        return added not in new.split("\n") and all(
            len(re.findall(rf"\b{word}\b", text)) == gone[word] for word in names
        )

    return before, "remove the unused imports", judge


def _by_ruff(text: str) -> str:
    command = ["ruff", "check", "--isolated", "--select", "F401", "--fix", "--no-cache", "-q", "-"]
    return subprocess.run(command, input=text, text=True, capture_output=True, check=False).stdout


def _same_tree(one: str, other: str) -> bool:
    try:
        return ast.dump(ast.parse(one)) == ast.dump(ast.parse(other))
    except (SyntaxError, ValueError):
        return False


# Strings and comments


def _words(text: str, language: str) -> list[tuple[str, str]] | None:
    found = tokens_of(text, language)
    if found is None:
        return None
    return [("comment" if t.kind == "comment" else "", t.text) for t in found]


def _quotes(text: str, language: str, rng: Random) -> Posed | None:
    if language not in ("python", "javascript", "typescript"):
        return None
    old, wanted = rng.choice((("'", '"'), ('"', "'")))
    name = "double" if wanted == '"' else "single"

    def judge(new: str) -> bool:
        if language == "python":
            is_same = _same_tree(text, new)
        else:
            pair = [
                [_value(word) for _, word in _words(one, language) or []] for one in (text, new)
            ]
            is_same = pair[0] == pair[1]
        left = [
            word
            for _, word in _words(new, language) or []
            if re.fullmatch(rf"(?s)[a-zA-Z]*{old}(?!{old}).+{old}", word) and wanted not in word
        ]
        return is_same and (not left or "jsx" in language)

    return text, f"use {name} quotes", judge


def _value(word: str) -> str:
    """A string without its quotes and the escapes of quotes."""
    if word[:1] in "'\"":
        return re.sub(r"\\(['\"])|(\\.)", r"\1\2", word[1:-1], flags=re.DOTALL)
    return word


def _uncommented(text: str, language: str, _rng: Random) -> Posed | None:
    words = _words(text, language)
    if words is None or not any(kind for kind, _ in words):
        return None
    kept = [word for kind, word in words if not kind]

    def judge(new: str) -> bool:
        left = _words(new, language)
        return (
            left is not None and [word for kind, word in left if not word.startswith("#!")] == kept
        )

    return text, "remove all comments", judge


def _comment_out(text: str, language: str, rng: Random) -> Posed | None:
    """A function becomes a comment: without its lines everything is as before."""
    lines = re.findall(r"[^\n]*\n|[^\n]+", text)
    found = [one for one in outline(lines, language) if one.is_block and one.end - one.start < 60]
    names = Counter(one.name for one in found)
    found = [one for one in found if names[one.name] == 1 and re.fullmatch(r"\w+", one.name)]
    if not found:
        return None
    one = rng.choice(found)
    start = one.start
    while language != "rust" and lines[start].lstrip().startswith(("# ", "//", "/*", "*")):
        start += 1

    def judge(new: str) -> bool:
        after = re.findall(r"[^\n]*\n|[^\n]+", new)
        outside = after[: one.start] + after[one.end :]
        inside = [line for line in after[one.start : one.end] if line.strip()]
        are_comments = all(line.lstrip().startswith(("#", "//", "/*", "*")) for line in inside)
        back = by_words(EditRequest("1", new, "uncomment this", path=f"a{_ENDINGS[language][0]}",
                                    start_line=start, end_line=one.end))  # fmt: skip
        is_back = back is not None and _words(back.text or "", language) == _words(text, language)
        return outside == lines[: one.start] + lines[one.end :] and are_comments and is_back

    return text, f"comment out the function {one.name}", judge


# Prints


_PRINTS = {
    "python": r"print\(.*\)",
    "javascript": r"console\.log\(.*\);?",
    "typescript": r"console\.log\(.*\);?",
    "go": r"fmt\.Print(?:ln|f)?\(.*\)",
    "rust": r"e?print(?:ln)?!\(.*\);",
    "java": r"System\.out\.print(?:ln|f)?\(.*\);",
    "c": r"(?:printf|puts)\(.*\);",
}
_PRINTED = {
    "python": "print('seen', 1)",
    "javascript": "console.log('seen', 1);",
    "typescript": "console.log('seen', 1);",
    "go": 'fmt.Println("seen", 1)',
    "rust": 'println!("seen {}", 1);',
    "java": 'System.out.println("seen");',
    "c": 'printf("seen %d\\n", 1);',
}


def _prints(text: str, language: str, rng: Random) -> Posed | None:
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
    said = [word for _, word in _words(before, language) or [] if re.match(r"['\"]seen", word)]
    if not said or len(said) < min(3, len(places)):
        return None  # one of them stands in a comment or a string
    return before, "delete the print statements", lambda new: new == text


def _logging(text: str, language: str, _rng: Random) -> Posed | None:
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
            case ast.Call(func=ast.Attribute(value=ast.Name(), attr="info"), args=[said, *rest]):
                values = iter(rest)
                if rest and isinstance(said, ast.Constant):
                    parts: list[ast.expr] = []
                    for piece in re.split(r"(?<!%)(?:%%)*(%s)", str(said.value)):
                        bare = piece.replace("%%", "%").strip(" ")
                        if piece == "%s":
                            parts.append(next(values))
                        elif bare:
                            parts.append(ast.Constant(bare))
                    return _print_of(parts)
                return _print_of([said])
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


# Shapes


def _with(text: str, language: str, _rng: Random) -> Posed | None:
    if language != "python" or not re.search(
        r"^\s*(\w+) = open\((?s:.*?)^\s*\1\.close\(\)", text, re.MULTILINE
    ):
        return None

    def judge(new: str) -> bool:
        try:
            return ast.dump(_Unwith(_withs(text)).visit(ast.parse(new))) == ast.dump(
                ast.parse(text)
            )
        except SyntaxError:
            return False

    return text, "use with open", judge


def _withs(text: str) -> Counter[str]:
    return Counter(
        ast.dump(n.items[0]) for n in ast.walk(ast.parse(text)) if isinstance(n, ast.With)
    )


class _Unwith(ast.NodeTransformer):
    """A ``with open`` that was not in the old text, as assignment and close."""

    def __init__(self, known: Counter[str]) -> None:
        self._known = known

    def visit_With(self, node: ast.With) -> ast.AST | list[ast.stmt]:
        self.generic_visit(node)
        if self._known[ast.dump(node.items[0])] > 0:
            self._known[ast.dump(node.items[0])] -= 1
            return node
        name = node.items[0].optional_vars
        if not isinstance(name, ast.Name):
            return node
        close = ast.Attribute(ast.Name(name.id, ast.Load()), "close", ast.Load())
        return [
            ast.Assign([name], node.items[0].context_expr),
            *node.body,
            ast.Expr(ast.Call(close, [], [])),
        ]


def _f_strings(text: str, language: str, _rng: Random) -> Posed | None:
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
        one, other = getattr(old, field, None), getattr(new, field, None)
        if isinstance(one, ast.AST) and isinstance(other, ast.AST):
            if not _equal(one, other):
                return False
        elif isinstance(one, list) and isinstance(other, list):
            if len(one) != len(other):
                return False
            for a, b in zip(one, other, strict=True):
                if isinstance(a, ast.AST) and isinstance(b, ast.AST):
                    if not _equal(a, b):
                        return False
                elif a != b:
                    return False
        elif one != other:
            return False
    return True


def _writes_the_same(old: ast.expr, new: ast.JoinedStr) -> bool:
    """Evaluates both with every value in them replaced by a number or a text."""
    values = [ast.dump(part.value) for part in new.values if isinstance(part, ast.FormattedValue)]
    for given in (3.25, "text", 7):
        names = {dumped: f"v{number}" for number, dumped in enumerate(dict.fromkeys(values))}
        space = {name: f"{given}{name}" if isinstance(given, str) else given + number
                 for number, name in enumerate(names.values())}  # fmt: skip
        told = []
        for node in (old, new):
            parsed = ast.parse(ast.unparse(node), mode="eval")
            expression = ast.fix_missing_locations(_Named(names).visit(parsed))
            try:
                code = compile(cast("ast.Expression", expression), "a", "eval")
                told.append(eval(code, {}, dict(space)))  # noqa: S307
            except (ValueError, TypeError):
                told.append("an error")
        if told[0] != told[1]:
            return False
    return True


class _Named(ast.NodeTransformer):
    """Each of these expressions as a name."""

    def __init__(self, names: dict[str, str]) -> None:
        self._names = names

    def visit(self, node: ast.AST) -> ast.AST:
        name = self._names.get(ast.dump(node))
        if name is not None and not isinstance(node, ast.JoinedStr):
            return ast.Name(name, ast.Load())
        result: ast.AST = self.generic_visit(node)
        return result


def _early(text: str, language: str, _rng: Random) -> Posed | None:
    """One function that ends in an ``if``: outside of it nothing changes, inside only what turns it round."""
    lines = re.findall(r"[^\n]*\n|[^\n]+", text)
    found = [
        one for one in outline(lines, language) if one.is_block and 4 < one.end - one.start < 60
    ]
    names = Counter(one.name for one in found)
    for one in found:
        body = "".join(lines[one.start : one.end])
        last = re.search(r"^([ \t]+)if\b(?!.*\n\1(?! |\t)(?!}|\)).*)(?s:.*)", body, re.MULTILINE)
        if (
            names[one.name] == 1
            and last
            and re.fullmatch(r"\w+", one.name)
            and "else" not in last[0]
        ):
            break
    else:
        return None
    if (
        by_words(
            EditRequest(
                "1", text, f"use an early return in {one.name}", path=f"a{_ENDINGS[language][0]}"
            )
        )
        is None
    ):
        return None  # the shape is mostly another

    def judge(new: str) -> bool:
        if language == "python":
            return ast.dump(_Late(one.name).visit(ast.parse(new))) == ast.dump(
                _Late(one.name).visit(ast.parse(text))
            )
        pair = [sorted(re.findall(r"\w+", each)) for each in (text, new)]
        added = Counter(pair[1]) - Counter(pair[0])
        return added == Counter(["return"]) and not Counter(pair[0]) - Counter(pair[1])

    return text, f"use an early return in {one.name}", judge


class _Late(ast.NodeTransformer):
    """A function's early return as an ``if`` around the rest, its condition without negations."""

    def __init__(self, name: str) -> None:
        self._name = name

    def visit_FunctionDef(self, node: ast.FunctionDef) -> ast.AST:
        self.generic_visit(node)
        if node.name != self._name:
            return node
        for at, statement in enumerate(node.body):
            match statement:
                case ast.If(test=test, body=[ast.Return(value=None)], orelse=[]) if node.body[
                    at + 1 :
                ]:
                    contrary = ast.UnaryOp(ast.Not(), test)
                    node.body[at:] = [ast.If(_positive(contrary), node.body[at + 1 :], [])]
                    break
        last = node.body[-1]
        if isinstance(last, ast.If):
            last.test = _positive(last.test)
        return node

    visit_AsyncFunctionDef = visit_FunctionDef  # type: ignore[assignment]  # noqa: N815


_OPPOSITE: dict[type[ast.cmpop], type[ast.cmpop]] = {
    ast.Eq: ast.NotEq, ast.NotEq: ast.Eq, ast.Is: ast.IsNot, ast.IsNot: ast.Is, ast.In: ast.NotIn,
    ast.NotIn: ast.In,
}  # fmt: skip


def _positive(test: ast.expr) -> ast.expr:
    """Without ``not not``, and ``not a == b`` as ``a != b``."""
    match test:
        case ast.UnaryOp(op=ast.Not(), operand=ast.UnaryOp(op=ast.Not(), operand=inner)):
            return _positive(inner)
        case ast.UnaryOp(
            op=ast.Not(), operand=ast.Compare(left=left, ops=[op], comparators=[right])
        ) if type(op) in _OPPOSITE:
            return ast.Compare(left, [_OPPOSITE[type(op)]()], [right])
    return test


_POSERS: dict[str, Callable[[str, str, Random], Posed | None]] = {
    "sort imports": _sort,
    "unused imports": _unused,
    "quotes": _quotes,
    "delete comments": _uncommented,
    "comment out and back": _comment_out,
    "delete prints": _prints,
    "print to logging": _logging,
    "with open": _with,
    "f-strings": _f_strings,
    "early return": _early,
}


if __name__ == "__main__":
    typer.run(main)
