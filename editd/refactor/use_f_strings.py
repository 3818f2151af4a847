"""Writes Python's ``%`` and ``.format`` as f-strings, where they format the same.

``"%s" % x`` is taken to format ``x`` itself, not a tuple of one item, and ``%d`` a whole number; users are told. Each new
f-string is parsed, and its parts compared to the old ones.

a.py, "use f-strings"::

    a = "%s of %s" % (x, y)
    b = "{} {:>5}".format(x, y)

becomes::

    a = f"{x} of {y}"
    b = f"{x} {y:>5}"
"""

from __future__ import annotations

import ast
import re
import string
from collections.abc import Sequence

from editd.intent.intents import UseFStrings
from editd.refactor.candidates import Candidates, Spans, mentions_by_kind, with_spans
from editd.syntax.code import Code
from editd.syntax.places import place_of
from editd.syntax.python_text import PythonText

_PERCENT = re.compile(
    r"%(?P<spec>%|[sra]|(?P<sign>-?)(?P<width>\d*)(?P<kind>[sdi])|0?\d*(?:\.\d+)?[efgxX]|0\d+d)|%"
)


# How format() aligns what % does, by the sign and whether it is a text.
_ALIGNED = {("", True): ">", ("-", True): "<", ("", False): "", ("-", False): "<"}


def use_f_strings(intent: UseFStrings, code: Code) -> Candidates | None:
    """The text with f-strings in the place of ``%`` and ``format``, as a certain candidate; if it has neither, or the intent says so, with
    sums of strings and other values as f-strings, unchanged if there are none. Only in the definition
    ``intent.location``, if exactly one is called so.

    Formatting that cannot be written so, or goes over several lines, stays and is named as left alone; that a value
    behind ``%`` is no tuple, or for ``%d`` a whole number, is named as assumed. ``None`` if the text does not parse, or
    has formatting and none of it can be written so.
    """
    text = code.text
    python = code.python
    if python is None:
        return None
    spans: Spans = []
    stays: Spans = []
    single: Spans = []
    whole: Spans = []
    place = place_of(intent.location, text, code.language) if intent.location else None
    places = [
        node
        for node in ast.walk(python.tree)
        if place is None
        or (isinstance(node, ast.expr) and place.first <= python.span(node)[0] < place.last)
    ]
    for node in places:
        value: ast.expr | None = None
        match node:
            case ast.BinOp(left=ast.Constant(value=str()) as template, op=ast.Mod(), right=right):
                given = right.elts if isinstance(right, ast.Tuple) else [right]
                value = right
                found = (
                    None if isinstance(right, ast.Dict) else _of_percent(python, template, given)
                )
            case ast.Call(
                func=ast.Attribute(value=ast.Constant(value=str()) as template, attr="format")
            ):
                found = _of_format(python, template, node)
            case _:
                continue
        start, end = python.span(node)
        if found is None or "\n" in text[start:end]:
            stays.append((start, end, ""))
        else:
            spans.append((start, end, found))
            if value is not None and re.search(r"(?<!%)(?:%%)*%-?\d*[di]", str(template.value)):
                whole.append(spans[-1])
            single += [spans[-1]] if value is not None and _may_be_tuple(value) else []
    if intent.with_sums or not (spans or stays):
        spans += _joined(python, places)
    if stays and not spans:
        return None
    what = mentions_by_kind(text, ("formatting that says more", stays))
    return Candidates(
        (with_spans(text, spans),),
        is_certain=True,
        left_alone=what,
        assumptions=mentions_by_kind(
            text,
            ("that what stands behind % is no tuple", single),
            ("that %d formats a whole number", whole),
        ),
    )


def _joined(python: PythonText, nodes: Sequence[ast.AST]) -> Spans:
    """Spans that write sums of strings and other values among ``nodes`` as f-strings, each sum as a whole; sums over
    several lines, or with anything that cannot be written so, stay.
    """
    sums = [x for x in nodes if isinstance(x, ast.BinOp) and isinstance(x.op, ast.Add)]
    inner = {id(x.left) for x in sums}
    spans: Spans = []
    for node in sums:
        terms = [] if id(node) in inner else _terms(node)
        literals = [x for x in terms if _text_of(x) is not None]
        if not literals or len(literals) == len(terms) or "\n" in python.code(node):
            continue
        first = _plain_literal(python, literals[0])
        found = None if first is None else _of_sum(python, terms, first[1])
        if found is not None:
            spans.append((*python.span(node), found))
    return spans


def _terms(node: ast.expr) -> list[ast.expr]:
    """The values that a sum adds, in order; the node itself if it is no sum. A sum in brackets on the right is one
    value.
    """
    match node:
        case ast.BinOp(left=left, op=ast.Add(), right=right):
            return [*_terms(left), right]
    return [node]


def _text_of(node: ast.expr) -> str | None:
    """The text of a string literal; ``None`` for anything else."""
    match node:
        case ast.Constant(value=str() as text):
            return text
    return None


def _of_sum(python: PythonText, terms: Sequence[ast.expr], mark: str) -> str | None:
    """The f-string in the quotes ``mark`` for a sum; of ``str(x)`` the ``x``. ``None`` for a literal with other quotes
    or a prefix, for other values than names, members, items and calls, and for code that cannot stand in a field.
    """
    pieces: list[str] = []
    values: list[ast.expr] = []
    for term in terms:
        if isinstance(term, ast.Constant):
            literal = _plain_literal(python, term)
            if literal is None or literal[:2] != ("", mark):
                return None
            pieces.append(_braced(literal[2]))
            continue
        match term:
            case ast.Call(func=ast.Name(id="str"), args=[argument], keywords=[]):
                value = argument  # an f-string calls str itself
            case ast.Name() | ast.Attribute() | ast.Subscript() | ast.Call():
                value = term
            case _:
                return None
        field = _field(python, value, "", mark)
        if field is None:
            return None
        pieces.append(field)
        values.append(value)
    return _f_string("", mark, "".join(pieces), values)


def _may_be_tuple(value: ast.expr) -> bool:
    """Whether the value behind ``%`` may be a tuple: a name, a member, an item, a choice, or a call
    of anything but a few builtins.
    """
    if isinstance(value, ast.Call):
        called = value.func.id if isinstance(value.func, ast.Name) else ""
        return called not in ("str", "repr", "len", "int", "float", "sum", "type", "id", "hex")
    return isinstance(value, ast.Name | ast.Attribute | ast.Subscript | ast.IfExp | ast.BoolOp)


def _of_percent(python: PythonText, template: ast.Constant, given: list[ast.expr]) -> str | None:
    """The f-string for ``template % given``; ``None`` for a template that is no plain literal in one line, for formats
    with flags (other than ``-``), a name, or a width from outside, for another number of values, for code that cannot
    stand in a field, or if none stays a field.
    """
    literal = _plain_literal(python, template)
    if literal is None:
        return None
    prefix, mark, template_text = literal
    pieces: list[str] = []
    values: list[ast.expr] = []
    done = number = 0
    for hole in _PERCENT.finditer(template_text):
        spec = hole["spec"]
        pieces.append(_braced(template_text[done : hole.start()]))
        done = hole.end()
        if spec == "%":
            pieces.append("%")
            continue
        if spec is None or number == len(given):
            return None
        value = given[number]
        number += 1
        ending = {"s": "", "r": "!r", "a": "!a", "d": "", "i": ""}.get(spec, f":{spec}")
        if hole["width"]:
            ending = f":{_ALIGNED[hole['sign'], hole['kind'] == 's']}{hole['width']}"
            ending += "" if hole["kind"] == "s" else "d"
        if not ending and (text := _plain_text(value, mark)) is not None:
            pieces.append(text)
            continue
        field = _field(python, value, ending, mark)
        if field is None:
            return None
        values.append(value)
        pieces.append(field)
    pieces.append(_braced(template_text[done:]))
    if number != len(given) or not values:
        return None
    return _f_string(prefix, mark, "".join(pieces), values)


def _of_format(python: PythonText, template: ast.Constant, call: ast.Call) -> str | None:
    """The f-string for ``template.format(…)``.

    ``None`` if the template is no single literal in one line, or malformed; for starred, missing or unused values, none
    that stays a field, nested fields, members or items of a value (``{0.x}``), an order of values that changes the
    order of calls, or code that cannot stand in a field.
    """
    literal = _plain_literal(python, template)
    named = {x.arg: x.value for x in call.keywords if x.arg}
    if literal is None or any(isinstance(x, ast.Starred) for x in call.args):
        return None
    if len(named) != len(call.keywords) or "\\N" in literal[2]:
        return None
    prefix, mark, template_text = literal
    pieces: list[str] = []
    values: list[ast.expr] = []
    used: list[ast.expr] = []
    try:
        parts = list(string.Formatter().parse(template_text))
    except ValueError:
        return None
    for before, name, spec, conversion in parts:
        pieces.append(_braced(before))
        if name is None:
            continue
        if name == "" or (name.isdigit() and int(name) < len(call.args)):
            at = len(used) if name == "" else int(name)
            value = call.args[at] if at < len(call.args) else None
        else:
            value = named.get(name)
        ending = (f"!{conversion}" if conversion else "") + (f":{spec}" if spec else "")
        if value is None:
            return None
        used.append(value)
        if not ending and (text := _plain_text(value, mark)) is not None:
            pieces.append(text)
            continue
        field = _field(python, value, ending, mark)
        if field is None or "{" in (spec or "") or "\\" in (spec or ""):
            return None
        values.append(value)
        pieces.append(field)
    everything = [*call.args, *named.values()]
    in_order = used == everything or all(map(_is_plain, everything))
    if not values or not in_order or any(x not in used for x in everything):
        return None
    return _f_string(prefix, mark, "".join(pieces), values)


def _plain_text(value: ast.expr, mark: str) -> str | None:
    """A string value as text inside a string with the quotes ``mark``; ``None`` for any other value, or if it needs escapes."""
    match value:
        case ast.Constant(value=str() as text) if text.isprintable() and not {*"\\'\""} & {*text}:
            return _braced(text) if mark not in text else None
    return None


def _is_plain(value: ast.expr) -> bool:
    """Whether a value may be read twice, and in any order."""
    return isinstance(value, ast.Name | ast.Constant) or (
        isinstance(value, ast.Attribute) and _is_plain(value.value)
    )


def _plain_literal(python: PythonText, template: ast.expr) -> tuple[str, str, str] | None:
    """Prefix, quotes and inside of a string that is one literal in one line, without ``b`` or
    ``f``; ``None`` for any other.
    """
    found = re.fullmatch(r"([rRuU]?)(\"\"\"|'''|\"|')(.*)\2", python.code(template))
    if found is None or re.search(rf"(?<!\\){found[2]}", found[3]):
        return None
    return found[1].strip("uU"), found[2], found[3]


def _braced(text: str) -> str:
    """``text`` with its braces doubled."""
    return text.replace("{", "{{").replace("}", "}}")


def _requoted(code: str, mark: str) -> str:
    """Code with the other quotes around its plain strings, where these have the quotes ``mark`` of
    the string that it goes into; unchanged if it has both kinds or a backslash.
    """
    other = "'" if mark[0] == '"' else '"'
    if other in code or "\\" in code:
        return code
    return re.sub(rf"{mark[0]}([^{mark[0]}\n]*){mark[0]}", rf"{other}\1{other}", code)


def _field(python: PythonText, value: ast.expr, ending: str, mark: str) -> str | None:
    """``{value}`` with its conversion or format ``ending``, its plain strings with the other quotes
    than ``mark``.

    ``None`` if the code cannot stand between braces there: it still has these quotes, a backslash,
    a line end or a comment, or it is a lambda, an assignment, a star, a bare tuple, ``yield`` or
    ``await``.
    """
    code = _requoted(python.code(value), mark)
    if set(code) & set(f"{mark[0]}\\\n#") or "lambda" in code or ":=" in code:
        return None
    if isinstance(value, ast.Starred | ast.Yield | ast.Await):
        return None
    if isinstance(value, ast.Tuple) and not code.startswith("("):
        return None
    return f"{{{' ' if code.startswith('{') else ''}{code}{ending}}}"


def _f_string(prefix: str, mark: str, inside: str, values: list[ast.expr]) -> str | None:
    """The f-string with this prefix, these quotes (``mark``) and this inside; ``None`` unless it parses and formats
    exactly these values, in their order.
    """
    written = f"f{prefix}{mark}{inside}{mark}"
    try:
        parsed = ast.parse(written, mode="eval").body
    except (SyntaxError, ValueError):
        return None
    parts = parsed.values if isinstance(parsed, ast.JoinedStr) else []
    fields = [part.value for part in parts if isinstance(part, ast.FormattedValue)]
    return written if list(map(ast.dump, fields)) == list(map(ast.dump, values)) else None
