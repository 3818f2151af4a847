"""Writes a condition at the top of a function, below its docstring, where it returns a value or raises an error.

stats.py, "mean should return 0 if the list is empty"::

    def mean(values):
        \"\"\"The average.\"\"\"
        return sum(values) / len(values)

becomes::

    def mean(values):
        \"\"\"The average.\"\"\"
        if not values:
            return 0
        return sum(values) / len(values)

a.ts, "in draw, throw a RangeError with "too few" if n < 3"::

    function draw(n: number) {
      return n * 2;
    }

becomes::

    function draw(n: number) {
      if (n < 3) {
        throw new RangeError("too few");
      }
      return n * 2;
    }
"""

from __future__ import annotations

import re

from editd.intent.intents import AddGuard
from editd.refactor.candidates import Candidates
from editd.syntax.code import Code
from editd.syntax.function_bodies import FunctionBody, body_of, function_bodies
from editd.syntax.language import SCRIPTS
from editd.syntax.python_tree import parse_expression

_NULLS = {"python": "None", "go": "nil", "java": "null"}
_ARRAYS = re.compile(r"(?m)^\s*(?:import|from) (?:numpy|pandas|polars|torch)\b")
_HOLDING = re.compile(
    r"list|array|sequence|iterable|collection|set|tuple|dict|map|slice|vec|str|\[\]|\[|&\[",
    re.IGNORECASE,
)
_GENERAL = frozenset(
    """
    list array sequence input string dict dictionary map slice set collection argument parameter value values items
    data tuple text
    """.split()  # noqa: SIM905
)


def add_guard(intent: AddGuard, code: Code) -> Candidates | None:
    """The text with the condition and what is done then as the first statement of the one function that is named, or the
    only one with the parameter, as a certain candidate.

    ``None`` if not exactly one function is meant or its body shares the line of its head; if the condition is about no
    parameter of it, or is tested in it already; if "is empty" is said of what holds nothing; if the value is no expression
    in the language, or has a name that the text lacks; if it is a generator, or returns several values (Go); or if no value
    is said and it returns some.
    """
    body = _function(intent, code)
    if body is None or not code.text.endswith("\n"):
        return None
    subject = _subject(intent, body)
    test = _test(subject, intent.test, body, code) if subject else None
    action = _action(intent, body, code, subject)
    if not test or action is None or _is_tested(subject, intent.test, test, body):
        return None
    if re.search(r"\byield\b", body.body) and not intent.raises:
        return None
    if re.match(r"\s*super\(", body.body):
        return None
    step = body.indent.removeprefix(body.depth)
    if code.language == "python":
        lines = f"{body.indent}if {test}:\n{body.indent}{step}{action}\n"
    else:
        head = f"if {test}" if code.language in ("go", "rust") else f"if ({test})"
        one_line = len(re.findall(r"(?m)^\s*if \([^\n]*\) (?:return|throw)\b", code.text))
        braces = len(re.findall(r"(?m)^\s*if \([^\n]*\{$", code.text))
        if one_line > braces and code.language in SCRIPTS:
            lines = f"{body.indent}{head} {action}\n"
        else:
            lines = f"{body.indent}{head} {{\n{body.indent}{step}{action}\n{body.indent}}}\n"
    new = "".join([*code.lines[: body.line], lines, *code.lines[body.line :]])
    return Candidates((new,), is_certain=True, is_one_of_many=True)


def _function(intent: AddGuard, code: Code) -> FunctionBody | None:
    """The one function that is named, without a name the only one that has the parameter."""
    if name := intent.function or intent.location:
        return body_of(name, code)
    found = [body for body in function_bodies(code) if intent.subject in body.names]
    return found[0] if len(found) == 1 else None


def _subject(intent: AddGuard, body: FunctionBody) -> str:
    """The code that the condition is about: a parameter, or a member of one; for "the list" the only one that holds
    something. Empty if there is no such one, or several.
    """
    subject = intent.subject.removeprefix("the ")
    called = re.fullmatch(r"len\(([\w.]+)\)", subject)
    root = (called[1] if called else subject).split(".")[0]
    if root in (*body.names, "self", "this") and (root in body.names or "." in subject):
        return subject
    if not intent.subject.startswith("the ") or subject.lower() not in _GENERAL:
        return ""
    if len(body.names) == 1:
        return body.names[0]
    kinds = {"list": "list|sequence|\\[", "array": "array|\\[", "string": "str", "dict": "dict", "map": "map", "set": "set", "slice": "\\["}  # fmt: skip
    pattern = kinds.get(subject.lower())
    typed = [
        name
        for name, kind in body.parameters
        if pattern and re.search(pattern, kind, re.IGNORECASE)
    ]
    return typed[0] if len(typed) == 1 else ""


def _test(subject: str, test: str, body: FunctionBody, code: Code) -> str | None:
    """The condition in the language's words; ``None`` if it has none, or the subject holds nothing that could be empty."""
    language = code.language
    kind = dict(body.parameters).get(subject, "")
    if test == "empty":
        return _empty(subject, kind, body, code)
    if test == "false":
        if language == "python":
            return f"not {subject}"
        if language in SCRIPTS or kind in ("bool", "boolean"):
            return f"!{subject}"
        return None
    if test in ("none", "null", "nil", "undefined", "null or undefined"):
        return _null(subject, test, language)
    sign, _, value = test.partition(" ")
    if language == "python" and (
        sign not in ("<", ">", "<=", ">=", "==", "!=") or parse_expression(value) is None
    ):
        return None
    if sign in ("===", "!==") and language not in SCRIPTS:
        return None
    if re.fullmatch(r"[^\W\d]\w*", value) and value not in (
        *body.names,
        *code.names,
        "True",
        "False",
        "true",
        "false",
    ):
        return None
    if language in SCRIPTS and sign in ("==", "!="):
        sign += "="
    if language == "java" and sign in ("==", "!=") and value[:1] == '"':
        return f"{'!' if sign == '!=' else ''}{subject}.equals({value})"
    return f"{subject} {sign} {value}"


def _null(subject: str, test: str, language: str) -> str | None:
    """The condition that there is no value, as the language has it; ``None`` for another language's word."""
    if language in SCRIPTS:
        signs = {"null": "=== null", "undefined": "=== undefined", "null or undefined": "== null"}
        return f"{subject} {signs[test]}" if test in signs else None
    if language == "python":
        return f"{subject} is None" if test in ("none", "null", "nil") else None
    if language == "rust":
        return f"{subject}.is_none()" if test == "none" else None
    name = _NULLS.get(language)
    return f"{subject} == {name}" if name and test in ("null", "nil", "none") else None


def _empty(subject: str, kind: str, body: FunctionBody, code: Code) -> str | None:
    """The condition that something is empty; ``None`` if neither its type nor its use in the function shows that it holds
    something.
    """
    name = re.escape(subject)
    used = re.search(
        rf"\b(?:len|sum|max|min|sorted|list|range|enumerate|any|all|tuple|set)\({name}\b|(?:\bin|\bof|range) {name}\b|(?<!\w){name}\[|{name}\.(?:length|size|len|map|filter|reduce|"
        rf"forEach|join|split|items|keys|values|get|strip|iter|append|isEmpty|stream|trim|sort\w*|startswith|lower|find)\b|:\s*{name}\)|\.\.\.{name}\b",
        body.body,
    )
    if not used and not (kind and _HOLDING.search(kind)):
        return None
    language = code.language
    if language == "python":
        return f"len({subject}) == 0" if _ARRAYS.search(code.text) else f"not {subject}"
    if language in SCRIPTS:
        has_size = re.search(rf"{name}\.size\b", body.body) or re.match(
            r"(?:Readonly)?(?:Set|Map)\b", kind
        )
        return f"{subject}.{'size' if has_size else 'length'} === 0"
    if language == "go":
        return f"len({subject}) == 0"
    if language == "rust":
        return f"{subject}.is_empty()"
    if language == "java":
        return f"{subject}.length == 0" if kind.endswith("[]") else f"{subject}.isEmpty()"
    return None


def _is_tested(subject: str, kind: str, test: str, body: FunctionBody) -> bool:
    """Whether the function has an ``if`` with this condition, or one of the same kind about the same thing."""
    flat = re.sub(r"\s+", "", body.body)
    if (
        f"if{re.sub(chr(92) + 's+', '', test)}" in flat
        or f"if({re.sub(chr(92) + 's+', '', test)}" in flat
    ):
        return True
    name = re.escape(subject)
    alike = {
        "empty": rf"if\s*\(?{name}\s*[:){{]|if\s*\(?(?:not |!)\s*(?:len\()?{name}\b|(?:len\({name}\)|{name}\.(?:length|size|len\(\)))\s*[=<]|{name}\.is_?[eE]mpty",
        "false": rf"if\s*\(?(?:not |!)?\s*{name}\b",
    }.get(kind, rf"if\s*\(?(?:not |!)?{name}\s*[:){{]|if\s*\(?{name}\s*(?:is (?:not )?None|[=!]=)")
    return kind in ("empty", "false", "none", "null", "nil", "undefined") and bool(
        re.search(alike, body.body)
    )


def _action(intent: AddGuard, body: FunctionBody, code: Code, subject: str) -> str | None:
    """The statement that returns or raises; ``None`` if the language has none such, or the value has an unknown name."""
    language = code.language
    end = (
        ";" if language in ("java", "rust") or (language in SCRIPTS and ";\n" in code.text) else ""
    )
    if intent.raises:
        return _raised(intent, code, subject, end)
    value = intent.value
    returns = re.search(r"\breturn[ \t]+[^\s;]", body.body) is not None
    if not value:
        return (
            None
            if returns or (body.result and body.result not in ("None", "void", "()"))
            else f"return{end}"
        )
    if value in ("None", "null", "nil", "undefined"):
        word = {"python": "None", "go": "nil", "java": "null", "rust": "None"}.get(language, value)
        if language in SCRIPTS and value not in ("null", "undefined"):
            return None
        value = word
    elif re.fullmatch(r"[Tt]rue|[Ff]alse", value):
        value = value.capitalize() if language == "python" else value.lower()
    elif value[0] in "\"'" and value[-1] == value[0] and len(value) > 1:
        if value[0] == "'" and language in ("go", "java", "rust", "c"):
            value = f'"{value[1:-1]}"'
        if language == "rust":
            return None
    elif value in ("[]", "{}", "()"):
        if language not in ("python", *SCRIPTS) or (value == "()" and language != "python"):
            return None
    elif not re.fullmatch(r"-?\d[\d._]*", value):
        roots = set(re.findall(r"(?<![\w.\"'])[^\W\d]\w*", value))
        if not roots <= {*code.names, *body.names, "self", "this"} or not roots:
            return None
        if language == "python" and parse_expression(value) is None:
            return None
    if language == "go" and (
        (body.result.startswith("(") and "," in body.result) != ("," in value)
    ):
        return None
    if body.result in ("void", "None") or (not body.result and language in ("go", "rust")):
        return None
    return f"return {value}{end}"


def _raised(intent: AddGuard, code: Code, subject: str, end: str) -> str | None:
    """The statement that raises the error with its message, by default the condition in the request's words."""
    found = re.fullmatch(r"([A-Z]\w*(?:\.\w+)*)(\(.*\))?", intent.value)
    if found is None or (code.language not in ("python", "java", *SCRIPTS)):
        return None
    if found[2]:
        arguments = found[2]
    else:
        words = intent.message
        if not words:
            words = (
                re.sub(r"^(?:the|an?|its) \w+", subject, intent.condition)
                if intent.subject.startswith("the ")
                else intent.condition
            )
        marks = [token.text[0] for token in code.tokens_of("string")]
        quote = "'" if marks.count("'") > marks.count('"') and code.language != "java" else '"'
        if quote in words or "\\" in words:
            return None
        arguments = f"({quote}{words}{quote})"
    word = "raise" if code.language == "python" else "throw new"
    return f"{word} {found[1]}{arguments}{end}"
