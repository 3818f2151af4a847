"""Delete the statements that print: ``print`` in Python and its kin elsewhere."""

from __future__ import annotations

import ast
import re
from random import Random

from editd.syntax.python_text import docstring_of
from training.families.edit import Edit, Generator, Span, edit_of
from training.families.source import Source
from training.families.wording import WORDS, Phrasings

PHRASINGS = Phrasings(
    training=(
        "[remove|delete|drop|erase|strip|get rid of|throw out] [|all |the |all the ][print calls|prints|print statements][| here| in this file| from this file| everywhere]",
        "[remove|delete|drop|erase] [|the |all ]debug [prints|print calls|print statements]",
        "[strip|take] out the [prints|debug prints|print calls]",
        "I [don't|do not] want [any prints|any print statements|the prints][| here]",
        "there [should|must] be no [prints|print calls][| here| in this file]",
        "the [prints|print statements] were for debugging, [remove|delete|drop] them",
        "[remove|delete] every print[| call| statement]",
    ),
    held_out=(
        "the prints can go",
        "clear out the print statements",
        "I want this without print calls",
    ),
)

_CALLS = {
    "javascript": ("console.log({})", ";"),
    "typescript": ("console.log({})", ";"),
    "go": ("fmt.Println({})", ""),
    "rust": ('println!("{{:?}}", {})', ";"),
    "c": ('printf("%d\\n", {})', ";"),
}
_PRINTS = re.compile(
    r"^[ \t]*(?:console\.log|fmt\.Print(?:ln|f)?|e?println!|e?print!|printf)\([^\n]*\);?[ \t]*(?:\n|$)",
    re.MULTILINE,
)


def propose(source: Source, rng: Random, *, held_out: bool = False) -> Edit | None:
    """Prints are mostly put in first, since few files have any."""
    if source.is_python and (rng.random() < 0.7 or not print_spans(source)):
        source = _with_prints(source, rng)
    elif not source.is_python and not print_spans(source):
        source = _with_kin(source, rng)
    spans = print_spans(source)
    if not spans:
        return None
    return edit_of(source, PHRASINGS.say(rng, held_out=held_out), spans)


def print_spans(source: Source) -> list[Span]:
    """The lines of every statement that is only a call of print; none where a body would be empty."""
    if not source.is_python:
        return [Span(match.start(), match.end()) for match in _PRINTS.finditer(source.text)]
    spans = []
    for node in source.nodes:
        for field in ("body", "orelse", "finalbody"):
            body = getattr(node, field, None)
            if not isinstance(body, list):
                continue
            prints = [statement for statement in body if _is_print(statement)]
            if prints and len(prints) == len(body):
                return []
            for statement in prints:
                end = (statement.end_lineno or statement.lineno) + 1
                spans.append(Span(source.line_start(statement.lineno), source.line_start(end)))
    return spans


def _is_print(node: ast.AST) -> bool:
    return (
        isinstance(node, ast.Expr)
        and isinstance(node.value, ast.Call)
        and isinstance(node.value.func, ast.Name)
        and node.value.func.id == "print"
    )


def _with_prints(source: Source, rng: Random) -> Source:
    docstrings = {docstring_of(node) for node in source.nodes}
    places = sorted(
        source.first_line_of(node)
        for node in source.nodes
        if isinstance(node, ast.stmt) and node not in docstrings and node.lineno > 1
    )
    lines = list(source.lines)
    shift = 1 if source.text[:1] in (" ", "\t") else 0
    chosen = rng.sample(places, min(len(places), rng.randint(1, 3)))
    for place in sorted(set(chosen), reverse=True):
        index = place - 1 - shift
        if index < 0:
            continue
        indent = lines[index][: len(lines[index]) - len(lines[index].lstrip())]
        lines.insert(index, indent + _some_print(source, rng))
    printing = Source("\n".join(lines), source.path)
    return printing if printing.is_valid else source


def _some_print(source: Source, rng: Random) -> str:
    names = sorted({node.id for node in source.nodes if isinstance(node, ast.Name)} or {"value"})
    name, word = rng.choice(names), rng.choice(WORDS)
    return rng.choice(
        (
            f"print({name})",
            f'print("{word}")',
            f'print("{word}:", {name})',
            f'print(f"{name}={{{name}}}")',
            f"print('{word}', {name}, file=sys.stderr)",
        )
    )


def _with_kin(source: Source, rng: Random) -> Source:
    call, end = _CALLS.get(source.language, ("", ""))
    lines = source.text.split("\n")
    # After a statement in some block: there another statement may stand.
    places = [
        index
        for index, line in enumerate(lines[:-1])
        if line[:1] in (" ", "\t") and line.rstrip().endswith((";", ")"))
    ]
    if not call or not places:
        return source
    for place in sorted(rng.sample(places, min(len(places), rng.randint(1, 3))), reverse=True):
        indent = lines[place][: len(lines[place]) - len(lines[place].lstrip())]
        value = rng.choice((rng.choice(WORDS), f'"{rng.choice(WORDS)}"'))
        lines.insert(place + 1, f"{indent}{call.format(value)}{end}")
    return Source("\n".join(lines), source.path)


GENERATOR = Generator(
    name="delete-prints",
    phrasings=(PHRASINGS,),
    propose=propose,
)
