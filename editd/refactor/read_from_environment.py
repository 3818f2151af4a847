"""Reads a value from an environment variable, with what the code has as its default.

a.py, "read PORT and DEBUG from environment variables"::

    PORT = 8080
    DEBUG = True

becomes::

    import os

    PORT = int(os.environ.get("PORT", "8080"))
    DEBUG = os.environ.get("DEBUG", "true").lower() in ("1", "true", "yes")
"""

from __future__ import annotations

import re

from editd.intent.intents import AddImport, ReadFromEnvironment
from editd.refactor.add_import import add_import
from editd.refactor.candidates import Candidates, with_spans
from editd.refactor.literals import stems_of
from editd.refactor.values import Value, values_of
from editd.syntax.code import Code, read_code
from editd.syntax.words import words_in_name

_NUMBER = re.compile(r"-?\d[\d_]*(?P<fraction>\.\d+)?")
_TRUTH = re.compile(r"(?i:true|false)")
_SECRET = re.compile(
    r"(?:^|_)(?:SECRET|PASSWORD|PASSWD|PWD|TOKEN|CREDENTIALS?|API_?KEY|SECRET_KEY|PRIVATE_KEY|ACCESS_KEY)(?:$|_)"
)
_READS_ALREADY = re.compile(r"\b(?:environ|getenv|process\.env|Getenv|GetEnvironmentVariable)\b")
_FORMS = {
    "python": {
        "secret": 'os.environ["{name}"]',
        "string": 'os.environ.get("{name}", {literal})',
        "int": 'int(os.environ.get("{name}", "{value}"))',
        "float": 'float(os.environ.get("{name}", "{value}"))',
        "true": 'os.environ.get("{name}", "true").lower() in ("1", "true", "yes")',
        "false": 'os.environ.get("{name}", "false").lower() in ("1", "true", "yes")',
    },
    "javascript": {
        "secret": "process.env.{name}",
        "string": "process.env.{name} {or_} {literal}",
        "int": "Number(process.env.{name} {or_} {value})",
        "float": "Number(process.env.{name} {or_} {value})",
        "true": 'process.env.{name} !== "false"',
        "false": 'process.env.{name} === "true"',
    },
    "java": {
        "secret": 'System.getenv("{name}")',
        "string": 'System.getenv().getOrDefault("{name}", {literal})',
        "int": 'Integer.parseInt(System.getenv().getOrDefault("{name}", "{value}"))',
        "true": 'Boolean.parseBoolean(System.getenv().getOrDefault("{name}", "true"))',
        "false": 'Boolean.parseBoolean(System.getenv().getOrDefault("{name}", "false"))',
    },
    "bash": {
        "secret": '"${{{name}:?}}"',
        "string": '"${{{name}:-{value}}}"',
        "int": '"${{{name}:-{value}}}"',
    },
}
_FORMS["typescript"] = {x: y for x, y in _FORMS["javascript"].items() if x != "secret"}


def read_from_environment(intent: ReadFromEnvironment, code: Code) -> Candidates | None:
    """The text in which each named value comes from the environment variable of its name, converted to the kind of the value that it
    has, which is the default, and with the import that this takes; a certain candidate. A secret gets no default, as it should stand
    in no file.

    ``None`` in other languages, if not exactly one value is called so, or it is none of these kinds, or comes from the environment already.
    """
    forms = _FORMS.get(code.language)
    if forms is None:
        return None
    spans = []
    for name in intent.names:
        value = _value_called(name, code)
        if value is None:
            return None
        literal = code.text[value.start : value.end]
        written = _written(intent, _variable(intent, value), literal, forms, code)
        if written is None:
            return None
        spans.append((value.start, value.end, written))
    text = with_spans(code.text, spans)
    if code.language == "python" and not re.search(r"(?m)^import os\b", text):
        found = add_import(AddImport("os"), read_code(text, "python"))
        if found is None or found.problem:
            return None
        text = found.texts[0]
    return Candidates((text,), is_certain=True)


def _value_called(name: str, code: Code) -> Value | None:
    """The one value that has a name, else the one in whose name all words stand; ``None`` for none or several."""
    values = [x for x in values_of(code) if _may_be_read(x, code)]
    found = [x for x in values if x.name == name]
    if not found:
        stems = stems_of(name.replace(" ", "_"))
        found = [x for x in values if stems_of(x.name) == stems]
        found = found or [x for x in values if stems <= stems_of(x.name)]
    return found[0] if len(found) == 1 else None


def _may_be_read(value: Value, code: Code) -> bool:
    """Whether a value stands outside of a parameter list and of another reading of the environment, in Java outside of methods."""
    line = code.lines[code.text.count("\n", 0, value.start)]
    is_parameter = re.match(r"\s*(?:async )?(?:def|function|class|interface|type|enum)\b", line)
    is_key = re.match(r"\s*(?:\"[^\"]*\"|'[^']*')\s*:", line)
    return not (is_parameter or is_key or _READS_ALREADY.search(line))


def _variable(intent: ReadFromEnvironment, value: Value) -> str:
    """The name of the environment variable: as it is said, else that of the value in capitals."""
    return intent.variable or "_".join(words_in_name(value.name)).upper()


def _written(
    intent: ReadFromEnvironment, name: str, literal: str, forms: dict[str, str], code: Code
) -> str | None:
    """The expression that reads the variable; ``None`` for a kind of value that the language has no form for."""
    default = intent.default.strip("\"'") or literal.strip("\"'")
    quoted = re.fullmatch(r"([\"'])[^\"'\\{}$\n]*\1", literal)
    number = _NUMBER.fullmatch(literal)
    if _TRUTH.fullmatch(literal):
        kind = default.lower()
    elif number:
        kind = "float" if number["fraction"] else "int"
    elif quoted or code.language == "bash":
        kind = "secret" if _SECRET.search(name) and not intent.default else "string"
    else:
        return None
    if kind not in forms or (number and not _NUMBER.fullmatch(default)):
        return None
    if code.language == "bash" and re.search(r"[\"'$`\\]", default):
        return None
    quote = quoted[1] if quoted else '"'
    or_ = "??" if "??" in code.text else "||"
    return forms[kind].format(name=name, literal=f"{quote}{default}{quote}", value=default, or_=or_)
