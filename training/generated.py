"""Source texts written by code, for languages that no installed package brings.

Not programs: statements that are spelled as their language spells them, of random names, strings
and numbers. They teach copying and whole-word edits in other syntaxes, nothing about meaning.
"""

from __future__ import annotations

from collections.abc import Callable
from random import Random

from training.families.wording import WORDS, some_number, some_text

LANGUAGES = {
    "javascript": "js",
    "typescript": "ts",
    "go": "go",
    "rust": "rs",
    "c": "c",
    "toml": "toml",
    "yaml": "yaml",
    "json": "json",
    "ini": "ini",
}
"""With the ending of its files."""


def write_file(language: str, rng: Random) -> str:
    """A file of a few to a few dozen definitions."""
    if language in _CONFIGS:
        return _CONFIGS[language](rng)
    code = _Code(language, rng)
    parts = [code.head(), *(code.definition() for _ in range(rng.randint(3, 14)))]
    return "\n\n".join(parts) + "\n"


class _Code:
    """Braces, one dialect. Names of the file come back in it, as in real code."""

    def __init__(self, language: str, rng: Random) -> None:
        self.language = language
        self.rng = rng
        camel = language in ("javascript", "typescript", "go") or rng.random() < 0.1
        self.names = [_name(rng, camel=camel) for _ in range(rng.randint(8, 24))]
        self.types = [_name(rng, camel=True, capital=True) for _ in range(rng.randint(2, 5))]
        self.indent = "\t" if language == "go" else rng.choice(("  ", "    ", "    "))
        self.end = "" if language == "go" or rng.random() < 0.1 else ";"
        if language in ("c", "rust"):
            self.end = ";"

    def head(self) -> str:
        word = self.rng.choice(WORDS)
        name = self.rng.choice(self.names)
        match self.language:
            case "go":
                return f'package {word}\n\nimport (\n\t"fmt"\n\t"strings"\n)'
            case "rust":
                return f"use std::collections::HashMap;\nuse crate::{word}::{self.types[0]};"
            case "c":
                return f'#include <stdio.h>\n#include "{word}.h"\n\n#define {name.upper()} {self.number()}'
            case _:
                return f'import {{ {name} }} from "./{word}.js"{self.end}'

    def definition(self) -> str:
        kind = self.rng.random()
        comment = f"// {self.sentence()}\n" if self.rng.random() < 0.4 else ""
        if kind < 0.2:
            return comment + self.record()
        if kind < 0.35:
            return comment + "\n".join(self.constant() for _ in range(self.rng.randint(1, 4)))
        body = "\n".join(self.block(1, self.rng.randint(2, 6)))
        return f"{comment}{self.function_head()} {{\n{body}\n}}"

    def record(self) -> str:
        fields = [(self.rng.choice(self.names), self.type()) for _ in range(self.rng.randint(2, 6))]
        name, pad = self.rng.choice(self.types), self.indent
        match self.language:
            case "go":
                lines = [f"{pad}{field} {kind}" for field, kind in fields]
                return f"type {name} struct {{\n" + "\n".join(lines) + "\n}"
            case "rust":
                lines = [f"{pad}pub {field}: {kind}," for field, kind in fields]
                return f"#[derive(Debug, Clone)]\npub struct {name} {{\n" + "\n".join(lines) + "\n}"
            case "c":
                lines = [f"{pad}{kind} {field};" for field, kind in fields]
                return f"typedef struct {name} {{\n" + "\n".join(lines) + f"\n}} {name};"
            case "typescript":
                lines = [f"{pad}{field}: {kind}{self.end}" for field, kind in fields]
                return f"export interface {name} {{\n" + "\n".join(lines) + "\n}"
            case _:
                lines = [f"{pad}{field}: {self.value()}," for field, _ in fields]
                return (
                    f"const {self.rng.choice(self.names)} = {{\n"
                    + "\n".join(lines)
                    + f"\n}}{self.end}"
                )

    def constant(self) -> str:
        name, value = self.rng.choice(self.names), self.value()
        match self.language:
            case "go":
                return f"var {name} = {value}"
            case "rust":
                return f"const {name.upper()}: usize = {self.number()};"
            case "c":
                return f"static const int {name} = {self.number()};"
            case _:
                return f"{self.rng.choice(('const', 'let', 'export const'))} {name} = {value}{self.end}"

    def function_head(self) -> str:
        name = self.rng.choice(self.names)
        given = [(self.rng.choice(self.names), self.type()) for _ in range(self.rng.randint(0, 3))]
        match self.language:
            case "go":
                parameters = ", ".join(f"{item} {kind}" for item, kind in given)
                return (
                    f"func {name}({parameters}) {self.rng.choice(('error', 'int', self.types[0]))}"
                )
            case "rust":
                parameters = ", ".join(f"{item}: {kind}" for item, kind in given)
                return f"{self.rng.choice(('fn', 'pub fn'))} {name}({parameters}) -> {self.type()}"
            case "c":
                parameters = ", ".join(f"{kind} {item}" for item, kind in given) or "void"
                return f"{self.rng.choice(('static ', ''))}{self.type()} {name}({parameters})"
            case "typescript":
                parameters = ", ".join(f"{item}: {kind}" for item, kind in given)
                return f"{self.rng.choice(('', 'export '))}function {name}({parameters}): {self.type()}"
            case _:
                parameters = ", ".join(item for item, _ in given)
                return f"{self.rng.choice(('', 'export ', 'async '))}function {name}({parameters})"

    def block(self, depth: int, count: int) -> list[str]:
        lines = []
        for _ in range(count):
            pad = self.indent * depth
            if self.rng.random() < 0.1:
                lines.append(f"{pad}// {self.sentence()}")
            if depth < 3 and self.rng.random() < 0.22:
                inner = self.block(depth + 1, self.rng.randint(1, 3))
                lines += [f"{pad}{self.condition()} {{", *inner, f"{pad}}}"]
            else:
                remark = f" // {self.sentence()}" if self.rng.random() < 0.06 else ""
                lines.append(f"{pad}{self.statement()}{self.end}{remark}")
        return lines

    def condition(self) -> str:
        left, right = self.rng.choice(self.names), self.value()
        sign = self.rng.choice(("==", "!=", "<", ">", "<="))
        bare = self.language in ("go", "rust")
        test = f"{left} {sign} {right}" if bare else f"({left} {sign} {right})"
        if self.rng.random() < 0.6:
            return f"if {test}"
        if self.language == "go":
            return f"for {left} := 0; {left} < {self.number()}; {left}++"
        if self.language == "rust":
            return f"for {left} in 0..{self.number()}"
        return f"while {test}"

    def statement(self) -> str:
        name, other = self.rng.choice(self.names), self.rng.choice(self.names)
        kind = self.rng.random()
        if kind < 0.3:
            word = {"go": "", "rust": "let ", "c": "int "}.get(self.language, "const ")
            sign = ":=" if self.language == "go" else "="
            return f"{word}{name} {sign} {self.expression()}"
        if kind < 0.5:
            return f"{name} {self.rng.choice(('=', '+=', '-='))} {self.expression()}"
        if kind < 0.8:
            dot = "->" if self.language == "c" else "."
            called = f"{other}{dot}{name}" if self.rng.random() < 0.5 else name
            return f"{called}({self.expression()}, {self.value()})"
        return f"return {self.expression()}"

    def expression(self) -> str:
        left = self.rng.choice((self.rng.choice(self.names), self.value()))
        if self.rng.random() < 0.5:
            return left
        return f"{left} {self.rng.choice('+-*/')} {self.rng.choice(self.names)}"

    def value(self) -> str:
        kind = self.rng.random()
        if kind < 0.35:
            mark = "'" if self.language in ("javascript", "typescript") and kind < 0.15 else '"'
            return f"{mark}{some_text(self.rng)}{mark}"
        return self.number() if kind < 0.7 else self.rng.choice(self.names)

    def number(self) -> str:
        return some_number(self.rng)

    def type(self) -> str:
        basic = {
            "go": ("int", "string", "bool", "[]byte"),
            "rust": ("u32", "String", "bool", "Vec<u8>", "&str"),
            "c": ("int", "char *", "size_t", "double"),
            "typescript": ("number", "string", "boolean", "string[]"),
        }.get(self.language, ("number",))
        return self.rng.choice((*basic, self.rng.choice(self.types)))

    def sentence(self) -> str:
        return " ".join(self.rng.choice(WORDS) for _ in range(self.rng.randint(2, 7)))


def _name(rng: Random, *, camel: bool, capital: bool = False) -> str:
    first, *rest = [rng.choice(WORDS) for _ in range(rng.choice((1, 1, 2, 2, 3)))]
    if not camel:
        return "_".join((first, *rest))
    return (first.capitalize() if capital else first) + "".join(word.capitalize() for word in rest)


def _sections(rng: Random, line: Callable[[], str]) -> str:
    parts = []
    for _ in range(rng.randint(2, 7)):
        remark = f"# {rng.choice(WORDS)} {rng.choice(WORDS)}\n" if rng.random() < 0.3 else ""
        lines = "\n".join(line() for _ in range(rng.randint(2, 7)))
        parts.append(f"{remark}[{_name(rng, camel=False)}]\n{lines}")
    return "\n\n".join(parts) + "\n"


def _toml(rng: Random) -> str:
    return _sections(rng, lambda: f"{_name(rng, camel=False)} = {_scalar(rng)}")


def _ini(rng: Random) -> str:
    return _sections(rng, lambda: f"{_name(rng, camel=False)} = {_scalar(rng).strip(chr(34))}")


def _yaml(rng: Random) -> str:
    lines: list[str] = []
    for _ in range(rng.randint(2, 7)):
        lines += [f"{_name(rng, camel=False)}:"]
        for _ in range(rng.randint(1, 6)):
            remark = f"  # {rng.choice(WORDS)}" if rng.random() < 0.15 else ""
            lines.append(f"  {_name(rng, camel=False)}: {_scalar(rng)}{remark}")
        lines.append("")
    return "\n".join(lines)


def _json(rng: Random) -> str:
    sections = []
    for _ in range(rng.randint(2, 6)):
        inner = [
            f'    "{_name(rng, camel=True)}": {_scalar(rng)}' for _ in range(rng.randint(1, 6))
        ]
        sections.append(f'  "{_name(rng, camel=True)}": {{\n' + ",\n".join(inner) + "\n  }")
    return "{\n" + ",\n".join(sections) + "\n}\n"


def _scalar(rng: Random) -> str:
    kind = rng.random()
    if kind < 0.45:
        return f'"{some_text(rng)}"'
    return some_number(rng) if kind < 0.85 else rng.choice(("true", "false"))


_CONFIGS = {"toml": _toml, "yaml": _yaml, "json": _json, "ini": _ini}
