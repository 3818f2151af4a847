"""Convert ``%`` and ``.format`` formatting to f-strings, where that is only a matter of writing."""

from __future__ import annotations

import ast
import re
from random import Random

from training.families.edit import Edit, Generator, Span, edit_of
from training.families.source import Source
from training.families.wording import WORDS, Phrasings

PHRASINGS = Phrasings(
    training=(
        "[use|convert to|switch to|change to] f-strings[| here| in this file| everywhere]",
        "[convert|change|turn|rewrite] [|the |all ][|string ]formatting [to|into|with|as] f-strings",
        "replace [% and format|the format calls|% formatting|.format|all formatting] [with|by] f-strings",
        "use f-strings [instead of format|instead of % and format|for formatting|for string formatting]",
        "[convert|rewrite|turn] [the format calls|all format calls|% formatting|.format calls] [to|as|into] f-strings",
        "[strings|the strings] should be formatted with f-strings",
        "[format|the format calls|% formatting] should be f-strings",
    ),
    held_out=(
        "modernise the string formatting with f-strings",
        "I want f-strings here",
        "format strings with f-strings only",
    ),
)


def propose(source: Source, rng: Random, *, held_out: bool = False) -> Edit | None:
    """The formattings of the text; if none, some are written first."""
    spans = f_string_spans(source)
    if spans == []:
        source = _with_formatting(source, rng)
        spans = f_string_spans(source)
    if not spans or len(spans) > 8:
        return None
    return edit_of(source, PHRASINGS.say(rng, held_out=held_out), spans)


def f_string_spans(source: Source) -> list[Span] | None:
    """``None`` if some formatting cannot be converted simply: then the right answer is unclear."""
    spans = []
    for node in source.nodes:
        match node:
            case ast.BinOp(left=ast.Constant(value=str()) as template, op=ast.Mod()):
                given = node.right.elts if isinstance(node.right, ast.Tuple) else [node.right]
                if isinstance(node.right, ast.Dict):
                    return None
                text = _converted(source, template, given, r"%[sd]", "%")
            case ast.Call(
                func=ast.Attribute(value=ast.Constant(value=str()) as template, attr="format")
            ):
                if node.keywords:
                    return None
                text = _converted(source, template, node.args, r"\{\}", "{")
            case _:
                continue
        if text is None or node.lineno != node.end_lineno:
            return None
        spans.append(Span(*source.span(node), text))
    return spans


def _converted(
    source: Source, template: ast.expr, given: list[ast.expr], hole: str, sign: str
) -> str | None:
    literal = source.code(template)
    values = [source.code(value) for value in given]
    other = "{" if sign == "%" else "%"
    if (
        literal[0] not in "\"'"
        or literal[:3] in ('"""', "'''")
        or template.lineno != template.end_lineno
        or literal.count(sign) != len(values)
        or len(re.findall(hole, literal)) != len(values)
        or (other == "{" and ("{" in literal or "}" in literal))
        or any(isinstance(value, ast.Starred) for value in given)
        or any(set(value) & set(literal[0] + "\\\n{}") for value in values)
    ):
        return None
    filled = iter(values)
    return "f" + re.sub(hole, lambda _: "{" + next(filled) + "}", literal)


def _with_formatting(source: Source, rng: Random) -> Source:
    """``source`` with one to three assignments of formatted strings, between statements that are in bodies."""
    names = sorted({node.id for node in source.nodes if isinstance(node, ast.Name)})
    places = [
        node for node in source.nodes
        if isinstance(node, ast.Assign | ast.Return) and source.text[:1] not in (" ", "\t")
    ]  # fmt: skip
    if not names or not places:
        return source
    lines = list(source.lines)
    chosen = rng.sample(places, min(len(places), rng.randint(1, 3)))
    for node in sorted(chosen, key=lambda node: -node.lineno):
        line = lines[node.lineno - 1]
        indent = line[: len(line) - len(line.lstrip())]
        words = [rng.choice(WORDS) for _ in range(rng.randint(1, 3))]
        given = [rng.choice(names) for _ in range(rng.randint(1, min(3, len(words) + 1)))]
        mark, hole = rng.choice("\"'"), rng.choice(("%s", "%d", "{}"))
        text = " ".join(f"{word} {hole}" for word, _ in zip([*words, "and"], given, strict=False))
        if hole == "{}":
            value = f"{mark}{text}{mark}.format({', '.join(given)})"
        else:
            listed = given[0] if len(given) == 1 else f"({', '.join(given)})"
            value = f"{mark}{text}{mark} % {listed}"
        target = rng.choice(WORDS)
        statement = rng.choice((f"{target} = {value}", f"print({value})", f"log({value})"))
        lines.insert(node.lineno - 1, indent + statement)
    formatted = Source("\n".join(lines), source.path)
    return formatted if formatted.is_valid else source


GENERATOR = Generator(
    name="f-strings",
    phrasings=(PHRASINGS,),
    propose=propose,
)
