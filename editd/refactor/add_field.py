"""Adds a field, property or column with its type at the end of a class, struct, interface or table.

a.py, "add phone: str | None = None to Customer"::

    @dataclass
    class Customer:
        name: str
        tags: tuple[str, ...] = ()

        def show(self):
            print(self.name)

becomes::

    @dataclass
    class Customer:
        name: str
        tags: tuple[str, ...] = ()
        phone: str | None = None

        def show(self):
            print(self.name)

a.sql, "add a created_at timestamp column to orders, not null"::

    CREATE TABLE orders (
        id SERIAL PRIMARY KEY,
        status TEXT NOT NULL
    );

becomes::

    CREATE TABLE orders (
        id SERIAL PRIMARY KEY,
        status TEXT NOT NULL,
        created_at TIMESTAMP NOT NULL
    );
"""

from __future__ import annotations

import re

from editd.intent.intents import AddField, AddImport, AddImportLine, AddToImport
from editd.intent.rules.import_words import GO_PACKAGES
from editd.refactor.add_import import add_import
from editd.refactor.add_import_line import add_import_line
from editd.refactor.add_to_import import add_to_import
from editd.refactor.candidates import Candidates, with_spans
from editd.refactor.masked import closing_of, masked, parts_between
from editd.syntax.code import Code, read_code
from editd.syntax.python_fields import field_in

_IMPORTS = {
    "datetime": "datetime", "date": "datetime", "timedelta": "datetime", "Decimal": "decimal", "Path": "pathlib", "UUID": "uuid",
    "Any": "typing", "Optional": "typing", "Literal": "typing", "Callable": "collections.abc",
}  # fmt: skip
_HEADS = {
    "typescript": r"\b(?:interface|class)\s+{name}\b[^{{;]*\{{|\btype\s+{name}\b[^={{;]*=[^;{{(]*\{{",
    "go": r"(?m)^(?:type)?\s*{name}(?:\[[^\]]*\])?\s+struct\s*\{{",
    "rust": r"\bstruct\s+{name}(?:<[^{{;]*>)?[^{{;(]*\{{",
    "java": r"\bclass\s+{name}\b[^{{;]*\{{",
    "csharp": r"\b(?:class|struct|record)\s+{name}\b[^{{;(]*\{{",
    "c": r"\bstruct\s+{name}\s*\{{",
}
_HEADS |= {"tsx": _HEADS["typescript"], "cpp": _HEADS["c"]}
_MODIFIERS = r"(?:(?:public|private|protected|internal|static|final|readonly|volatile|transient|abstract|override|declare|required|pub(?:\([\w ]+\))?) )*"
_FIELDS = {
    "typescript": rf"{_MODIFIERS}[\w$#'\"-]+[?!]?\s*:\s*.+",
    "go": r"(?!//)[\w*.,\s\[\]{}()<-]+(?:`[^`]*`)?\s*(?://.*)?",
    "rust": r"(?:pub(?:\([\w ]+\))? )?\w+: .+",
    "java": rf"{_MODIFIERS}[\w.<>\[\], ?]+ \w+(?:\s*=[^(]*.*)?;.*",
    "csharp": rf"{_MODIFIERS}[\w.<>\[\], ?]+ \w+\s*(?:\{{ get;.*\}}.*|(?:=.*)?;.*)",
    "c": r"(?:const |unsigned |struct )*\w+[ *]+\w+(?:\[\w*\])*;.*",
}
_FIELDS |= {"tsx": _FIELDS["typescript"], "cpp": _FIELDS["c"]}
_SQL_WORDS = re.compile(
    r"\b(?:not null|null|default|unique|primary key|references|timestamp(?:tz)?|varchar|text|integer|int|bigint|boolean|date|numeric|serial|uuid|jsonb?|char|decimal|check|on delete cascade)\b",
    re.IGNORECASE,
)
_SQL_TYPE = re.compile(
    r"(?:(?:big|small|tiny|medium)?int(?:eger)?\d?|(?:big|small)?serial|text|(?:var|n|nvar)?char(?:acter)?|bool(?:ean)?|date(?:time)?|time(?:stamp)?(?:tz)?"
    r"|numeric|decimal|real|double|float\d?|uuid|jsonb?|blob|bytea|interval|enum|money|citext|inet)\b",
    re.IGNORECASE,
)
_CONSTRAINTS = re.compile(
    r"(?:PRIMARY|FOREIGN|CONSTRAINT|UNIQUE|CHECK|INDEX|KEY|EXCLUDE)\b", re.IGNORECASE
)
_SQL_NOW = re.compile(r"default (?:now\(\)|current_timestamp)", re.IGNORECASE)
_TYPES = {
    "python": {"string": "str", "boolean": "bool", "integer": "int", "text": "str", "number": "float"},
    "typescript": {"str": "string", "bool": "boolean", "int": "number", "integer": "number", "float": "number"},
    "go": {"str": "string", "boolean": "bool", "integer": "int", "float": "float64"},
    "rust": {"str": "String", "string": "String", "boolean": "bool"},
    "java": {"str": "String", "string": "String", "bool": "boolean", "integer": "int"},
    "csharp": {"str": "string", "boolean": "bool", "integer": "int", "String": "string"},
    "sql": {"string": "TEXT", "str": "TEXT", "bool": "BOOLEAN", "int": "INTEGER"},
}  # fmt: skip


def add_field(intent: AddField, code: Code) -> Candidates | None:
    """The text with the field behind the others, as a certain candidate; in a Python class whose fields have defaults one
    without before those; with the import that its type needs, where that is known. The text itself, with
    ``nothing_to_do``, if there is such a field.

    ``None`` if not exactly one class or the like has the name, or it has no fields; if the declaration is none of the
    language; if its type has a name that the text lacks; if it would have to be set where a Rust struct is made; and for a
    default that all objects would share.
    """
    if code.language == "python":
        return _in_python(intent, code)
    if code.language == "sql":
        return _in_sql(intent, code)
    return _in_braces(intent, code) if code.language in _HEADS else None


def _exists(name: str, owner: str, code: Code) -> Candidates:
    """The text as it is, since it has the field."""
    return Candidates((code.text,), is_certain=True, nothing_to_do=f"{owner} already has “{name}”")


def _hint(intent: AddField, language: str) -> str:
    """The type that is said in words, as the language calls it."""
    names = _TYPES.get("typescript" if language == "tsx" else language, {})
    return names.get(intent.hint, names.get(intent.hint.lower(), intent.hint))


# Python


def _in_python(intent: AddField, code: Code) -> Candidates | None:
    """As ``add_field``, for Python."""
    declaration = intent.declaration
    if not declaration:
        hint, default = _hint(intent, "python"), intent.default
        if intent.is_optional:
            hint, default = f"{hint} | None", default or "None"
        declaration = f"{intent.name}: {hint}" + (f" = {default}" if default else "")
    elif intent.is_optional:
        return None
    field = field_in(intent.owner, declaration, code.python) if code.python else None
    if field is None:
        return None
    if field.exists:
        return _exists(field.name, intent.owner, code)
    lines = code.lines
    text = "".join([*lines[: field.line], f"{field.indent}{declaration}\n", *lines[field.line :]])
    for unknown in field.unknown:
        if unknown not in _IMPORTS:
            return None
        current = read_code(text, "python")
        found = add_to_import(AddToImport(_IMPORTS[unknown], (unknown,)), current)
        found = found or add_import(AddImport(_IMPORTS[unknown], unknown), current)
        if found is None or found.problem:
            return None
        text = found.texts[0]
    return Candidates((text,), is_certain=True)


# SQL


def _in_sql(intent: AddField, code: Code) -> Candidates | None:
    """As ``add_field``, for a column of ``CREATE TABLE``: before the constraints of the table."""
    text = masked(code)
    heads = list(
        re.finditer(
            rf"\bCREATE\s+(?:TEMP(?:ORARY)?\s+)?TABLE\s+(?:IF\s+NOT\s+EXISTS\s+)?(?:[\w\"`]+\.)?[\"`]?{re.escape(intent.owner)}[\"`]?\s*\(",
            text,
            re.IGNORECASE,
        )
    )
    if len(heads) != 1:
        return None
    start = heads[0].end()
    closing = closing_of(start - 1, text)
    parts = parts_between(start, closing, text) if closing > 0 else []
    columns = [x for x in parts if not _CONSTRAINTS.match(text[x[0] : x[1]])]
    if not columns:
        return None
    declaration = intent.declaration or f"{intent.name} {_hint(intent, 'sql')}" + (
        f" DEFAULT {intent.default}" if intent.default else ""
    )
    name, _, rest = declaration.partition(" ")
    if any(code.text[a:b].split()[0].strip('"`').lower() == name.lower() for a, b in columns):
        return _exists(name, intent.owner, code)
    if re.match(r"(?:not|null|default|unique)\b", rest, re.IGNORECASE):
        if not _SQL_NOW.search(rest):
            return None  # no type
        rest = f"TIMESTAMP {rest}"
    elif not _SQL_TYPE.match(rest) or _CONSTRAINTS.match(name):
        return None
    if re.search(r"\bNOT NULL\b|\bPRIMARY KEY\b|\b(?:INTEGER|TEXT|VARCHAR|SERIAL)\b", text):
        rest = _SQL_WORDS.sub(lambda at: at[0].upper(), rest)
    end = columns[-1][1]
    line = code.text.rfind("\n", 0, columns[-1][0]) + 1
    lead = code.text[line : columns[-1][0]]
    if lead.strip():
        return Candidates(
            (with_spans(code.text, [(end, end, f", {name} {rest}")]),), is_certain=True
        )
    comma = re.compile(r"\s*,").match(text, end)
    line_end = code.text.find("\n", end)
    if line_end < 0:
        return None
    if comma:
        spans = [(line_end, line_end, f"\n{lead}{name} {rest},")]
    else:
        between = code.text[end:line_end]
        spans = [(end, line_end, f",{between}\n{lead}{name} {rest}")]
    return Candidates((with_spans(code.text, spans),), is_certain=True)


# Languages with braces


def _in_braces(intent: AddField, code: Code) -> Candidates | None:
    """As ``add_field``, for languages with braces."""
    language, text = code.language, masked(code)
    heads = list(re.compile(_HEADS[language].format(name=re.escape(intent.owner))).finditer(text))
    if len(heads) != 1:
        return None
    start, closing = heads[0].end() - 1, closing_of(heads[0].end() - 1, text)
    name, declaration = _declaration(intent, language)
    if closing < 0 or not declaration:
        return None
    inside = text[start + 1 : closing]
    if "\n" not in inside:
        return _in_one_line(name, declaration, (start, closing), intent, code)
    fields = _field_lines(start, closing, text, code)
    if any(
        re.search(rf"(?<![\w.]){re.escape(name)}(?![\w(])", text.split("\n")[n].split("=")[0])
        for n in fields
    ):
        return _exists(name, intent.owner, code)
    if not fields:
        return None
    if language == "rust" and _is_made(intent.owner, heads[0].start(), text):
        return None
    is_class = re.match(r"\s*class\b", text[heads[0].start() :]) is not None
    at = fields[-1] + 1
    if not is_class and language not in ("java", "csharp", "cpp"):
        last = text.count("\n", 0, closing)
        at = max(n for n in range(fields[0], last) if text.split("\n")[n].strip()) + 1
    neighbours = [code.lines[n].strip() for n in fields]
    indent = code.lines[fields[-1]][
        : len(code.lines[fields[-1]]) - len(code.lines[fields[-1]].lstrip())
    ]
    written = _in_style(declaration, neighbours, language)
    if written is None:
        return None
    lines = [*code.lines[:at], f"{indent}{written}\n", *code.lines[at:]]
    if language == "rust" and not lines[at - 1].rstrip().endswith(","):
        lines[at - 1] = f"{lines[at - 1].rstrip()},\n"
    if language == "go":
        aligned = _aligned(lines, at)
        if aligned is None:
            return None
        lines = aligned
    new = "".join(lines)
    if language == "go" and (package := re.search(r"\b(\w+)\.[A-Z]", declaration)):
        return _with_go_import(package[1], new, code)
    return Candidates((new,), is_certain=True)


def _declaration(intent: AddField, language: str) -> tuple[str, str]:
    """The name of the field, and its declaration without a sign at its end; both empty if it is none of the language."""
    text, hint = intent.declaration, _hint(intent, language)
    if language in ("typescript", "tsx"):
        if not text:
            text = f"{intent.name}{'?' if intent.is_optional else ''}: {hint}" + (
                f" = {intent.default}" if intent.default else ""
            )
        found = re.fullmatch(
            rf"{_MODIFIERS}(?P<name>[\w$#]+)(?P<mark>[?!]?)\s*:\s*(?P<type>\S.*)", text
        )
        if found and intent.is_optional and not found["mark"]:
            text = f"{text[: found.end('name')]}?{text[found.end('name') :]}"
    elif intent.is_optional:
        return "", ""
    elif language == "go":
        text = text or f"{intent.name} {hint}"
        found = re.fullmatch(
            r"(?P<name>[^\W\d]\w*)\s+(?P<type>[\w.*\[\]]+(?:\{\}|\([^)]*\).*)?)(?P<tag>\s+`[^`]*`)?",
            text,
        )
    elif language == "rust":
        text = text or f"{intent.name}: {hint}"
        found = re.fullmatch(r"(?:pub(?:\([\w ]+\))? )?(?P<name>\w+): (?P<type>\S.*)", text)
    else:
        text = text or f"{hint} {intent.name}" + (f" = {intent.default}" if intent.default else "")
        found = re.fullmatch(
            rf"{_MODIFIERS}(?P<type>[\w.]+(?:<[\w., <>?]*>)?[\[\]?*]*) \*?(?P<name>\w+)(?:\s*=.+|\s*\{{ get;.*\}})?",
            text,
        )
        ordinary = ("field", "of", "type", "called", "named", "the")
        if found and (found["type"].lower() in ordinary or found["name"].lower() in ordinary):
            return "", ""
    return (found["name"], text) if found else ("", "")


def _field_lines(start: int, closing: int, text: str, code: Code) -> list[int]:
    """The numbers of the lines right inside the braces that hold a field each."""
    pattern = re.compile(_FIELDS[code.language])
    first, last = text.count("\n", 0, start), text.count("\n", 0, closing)
    found, depth = [], 0
    lines = text.split("\n")
    for number in range(first + 1, last):
        line = lines[number]
        raw = code.lines[number].strip()
        change = sum(line.count(x) for x in "([{") - sum(line.count(x) for x in ")]}")
        if (
            depth == 0
            and change == 0
            and line.strip()
            and pattern.fullmatch(raw)
            and not re.match(r"return\b|@", raw)
        ):
            found.append(number)
        depth += change
    return found


def _in_style(declaration: str, neighbours: list[str], language: str) -> str | None:
    """The declaration with the sign at its end and the modifier that all its neighbours have; of C# as a property if they
    are such.
    """
    last = re.sub(r"\s*//.*$", "", neighbours[-1])
    if language in ("typescript", "tsx"):
        return declaration + (last[-1] if last[-1] in ";," else "")
    if language == "go":
        return declaration
    has_modifier = re.match(r"(?:public|private|protected|internal|pub)\b", declaration)
    modifiers = {
        found[1]
        if (found := re.match(r"(public|private|protected|internal|pub(?:\([\w ]+\))?) ", x))
        else ""
        for x in neighbours
    }
    if not has_modifier and len(modifiers) == 1:
        declaration = f"{modifiers.pop()} {declaration}".strip()
    if language == "rust":
        return f"{declaration},"
    if (
        language == "csharp"
        and "{ get;" not in declaration
        and all("{ get;" in x for x in neighbours)
    ):
        accessors = re.search(r"\{ get;.*?\}", neighbours[-1])
        head, _, default = declaration.partition(" = ")
        shown = accessors[0] if accessors else "{ get; set; }"
        return f"{head} {shown}" + (f" = {default};" if default else "")
    return declaration if declaration.endswith("}") else f"{declaration};"


def _in_one_line(
    name: str, declaration: str, braces: tuple[int, int], intent: AddField, code: Code
) -> Candidates | None:
    """The text with the member behind the others of a type of TypeScript that stands on one line."""
    if code.language not in ("typescript", "tsx"):
        return None
    inside = code.text[braces[0] + 1 : braces[1]]
    if re.search(rf"(?<![\w$]){re.escape(name)}\??\s*:", inside):
        return _exists(name, intent.owner, code)
    if not inside.strip():
        return None
    sign = "," if "," in inside and ";" not in inside else ";"
    body = inside.rstrip()
    behind = sign if body.endswith((";", ",")) else ""
    body = body.rstrip(";,")
    new = f"{body}{sign} {declaration}{behind}{inside[len(inside.rstrip()) :]}"
    return Candidates((with_spans(code.text, [(braces[0] + 1, braces[1], new)]),), is_certain=True)


def _is_made(owner: str, head: int, text: str) -> bool:
    """Whether a value of a Rust struct is written out, with all its fields, in the text."""
    made = [
        at
        for at in re.finditer(rf"(?<![\w:])(?:{re.escape(owner)}|Self)\s*\{{", text)
        if at.start() > head or at.start() < head - 1
    ]
    heads = r"(?:struct|impl|for|trait|enum|union|->|where)\s+(?:\w+::)*$"
    return any(not re.search(heads, text[max(0, at.start() - 40) : at.start()]) for at in made)


_GO_FIELD = re.compile(
    r"(?P<indent>\s*)(?P<name>\w+(?:, \w+)*)\s+(?P<type>[^`\n/]+?)(?:\s+(?P<tag>`[^`]*`))?(?:\s+(?P<comment>//[^\n]*))?\n?"
)


def _aligned(lines: list[str], at: int) -> list[str] | None:
    """The lines with those of the fields around the new one in columns, as gofmt has them; ``None`` where all others have
    a tag and the new one none, or a line is none of a field.
    """
    first = last = at
    while (
        first
        and _GO_FIELD.fullmatch(lines[first - 1])
        and not lines[first - 1].rstrip().endswith("{")
    ):
        first -= 1
    found = [_GO_FIELD.fullmatch(x) for x in lines[first : last + 1]]
    fields = [x for x in found if x is not None]
    if len(fields) != len(found):
        return None
    tags = [x["tag"] for x in fields[:-1]]
    if tags and all(tags) and not fields[-1]["tag"]:
        return None
    names = max(len(x["name"]) for x in fields)
    types = max(len(x["type"]) for x in fields)
    tag_width = max(len(x["tag"] or "") for x in fields)
    new = []
    for x in fields:
        line = f"{x['indent']}{x['name'].ljust(names)} {x['type']}"
        if x["tag"]:
            line = f"{x['indent']}{x['name'].ljust(names)} {x['type'].ljust(types)} {x['tag']}"
        if x["comment"]:
            width = len(x["indent"]) + names + 1 + types + (tag_width + 1 if tag_width else 0)
            line = f"{line.ljust(width)} {x['comment']}"
        new.append(f"{line}\n")
    return [*lines[:first], *new, *lines[last + 1 :]]


def _with_go_import(package: str, text: str, code: Code) -> Candidates | None:
    """The text with the import of a package of Go that a type needs; ``None`` for one that is neither there nor known."""
    if re.search(rf"\"(?:[\w./-]+/)?{package}\"", code.text):
        return Candidates((text,), is_certain=True)
    known = [x for x in GO_PACKAGES if x.rpartition("/")[2] == package]
    if len(known) != 1:
        return None
    found = add_import_line(AddImportLine(f'"{known[0]}"'), read_code(text, "go"))
    return found if found is not None and found.is_certain and not found.problem else None
