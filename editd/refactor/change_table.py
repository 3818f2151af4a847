"""Changes the schema of a database: an index on columns of a table, or a constraint of a column.

a.sql, "add an index on loans.member_id"::

    CREATE TABLE loans (
        id SERIAL PRIMARY KEY,
        member_id INTEGER NOT NULL
    );

becomes::

    CREATE TABLE loans (
        id SERIAL PRIMARY KEY,
        member_id INTEGER NOT NULL
    );

    CREATE INDEX idx_loans_member_id ON loans (member_id);
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from editd.intent.intents import AddIndex, ConstrainColumn
from editd.refactor.candidates import Candidates, with_spans
from editd.refactor.masked import closing_of, masked, parts_between
from editd.syntax.code import Code

_TABLE = re.compile(
    r"\bCREATE\s+TABLE\s+(?:IF\s+NOT\s+EXISTS\s+)?(?:[\w\"`]+\.)?[\"`]?(?P<name>\w+)[\"`]?\s*\(",
    re.IGNORECASE,
)
_CONSTRAINT = re.compile(
    r"(?:PRIMARY|FOREIGN|CONSTRAINT|UNIQUE|CHECK|INDEX|KEY|EXCLUDE)\b", re.IGNORECASE
)
_INDEX = re.compile(
    r"^CREATE\s+(?:UNIQUE\s+)?INDEX\s+(?P<name>\w+)\s+ON\s+(?P<table>\w+)\s*\((?P<columns>[^()]*)\);[ \t]*\n",
    re.IGNORECASE | re.MULTILINE,
)
# Behind which NOT NULL and UNIQUE usually stand, and before which.
_LATER = re.compile(r"\s+(?:DEFAULT|REFERENCES|CHECK|COLLATE|GENERATED|ON)\b", re.IGNORECASE)
_UNIQUE = re.compile(r"\b(?:UNIQUE|PRIMARY\s+KEY)\b", re.IGNORECASE)
_NOT_NULL = re.compile(r"\b(?:NOT\s+NULL|PRIMARY\s+KEY)\b", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class _Table:
    """A table with the spans of its columns by their names; end: of its statement."""

    name: str
    columns: dict[str, tuple[int, int]]
    end: int


def add_index(intent: AddIndex, code: Code) -> Candidates | None:
    """The text with the index as the last of the indexes, at the end of the text without any, as a certain candidate; its name is made as
    that of another index in the text is made, else of table and columns. The text itself, with ``nothing_to_do``, if there is such
    an index.

    ``None`` for other files than SQL, without exactly one such table with these columns, or if the name is taken.
    """
    table = _table(intent.table, code) if code.language == "sql" else None
    if table is None or not all(x.lower() in table.columns for x in intent.columns):
        return None
    text = code.text
    columns = tuple(x.lower() for x in intent.columns)
    indexes = list(_INDEX.finditer(masked(code)))
    for found in indexes:
        own = tuple(x.strip(' "`').lower() for x in found["columns"].split(","))
        if found["table"].lower() == table.name.lower() and own == columns:
            done = f"{table.name} has an index on {', '.join(columns)} already"
            return Candidates((text,), is_certain=True, nothing_to_do=done)
    name = _name_of_index(table.name, columns, indexes)
    if any(x["name"].lower() == name.lower() for x in indexes):
        return None
    unique = "UNIQUE " if intent.is_unique else ""
    statement = f"CREATE {unique}INDEX {name} ON {table.name} ({', '.join(columns)});\n"
    if re.search(r"\bcreate table\b", text):
        statement = re.sub(r"CREATE|UNIQUE|INDEX|ON(?= )", lambda x: x[0].lower(), statement)
    if indexes:
        at = indexes[-1].end()
        return Candidates((with_spans(text, [(at, at, statement)]),), is_certain=True)
    at = len(text)
    lead = "\n" if text.endswith("\n") else "\n\n"
    return Candidates((with_spans(text, [(at, at, f"{lead}{statement}")]),), is_certain=True)


def constrain_column(intent: ConstrainColumn, code: Code) -> Candidates | None:
    """The text in which the column has the constraint, ``NOT NULL`` before ``UNIQUE`` and both before a default and a reference, as a
    certain candidate; the text itself, with ``nothing_to_do``, if it has it already.

    ``None`` for other files than SQL, or without exactly one such table with this column.
    """
    table = _table(intent.table, code) if code.language == "sql" else None
    span = table.columns.get(intent.column.lower()) if table else None
    if table is None or span is None:
        return None
    text = masked(code)
    declared = text[span[0] : span[1]]
    has = _UNIQUE if intent.constraint == "UNIQUE" else _NOT_NULL
    if has.search(declared):
        done = f"{table.name}.{intent.column} is {intent.constraint} already"
        return Candidates((code.text,), is_certain=True, nothing_to_do=done)
    later = _LATER.search(declared)
    unique = re.search(r"\s+UNIQUE\b", declared, re.IGNORECASE)
    if (
        intent.constraint == "NOT NULL"
        and unique
        and not (later and later.start() < unique.start())
    ):
        later = unique
    at = span[0] + (later.start() if later else len(declared.rstrip()))
    is_lower = re.search(r"\b(?:not null|primary key|create table)\b", text) is not None
    word = intent.constraint.lower() if is_lower else intent.constraint
    return Candidates((with_spans(code.text, [(at, at, f" {word}")]),), is_certain=True)


def _table(name: str, code: Code) -> _Table | None:
    """The one table with a name, which may be said in the singular; ``None`` for none or several."""
    text = masked(code)
    forms = {
        name.lower(),
        f"{name.lower()}s",
        f"{name.lower()}es",
        re.sub(r"y$", "ies", name.lower()),
    }
    found = []
    for head in _TABLE.finditer(text):
        closing = closing_of(head.end() - 1, text)
        if head["name"].lower() not in forms or closing < 0:
            continue
        parts = parts_between(head.end(), closing, text)
        columns = {
            code.text[a:b].split()[0].strip('"`').lower(): (a, b)
            for a, b in parts
            if not _CONSTRAINT.match(text[a:b])
        }
        found.append(_Table(head["name"], columns, closing))
    exact = [x for x in found if x.name.lower() == name.lower()]
    tables = exact or found
    return tables[0] if len(tables) == 1 else None


def _name_of_index(table: str, columns: tuple[str, ...], indexes: list[re.Match[str]]) -> str:
    """The name of a new index: with the beginning or the end that another one has, and without ``_id`` if that one leaves it out."""
    stem = "_".join((table, *columns))
    for found in indexes:
        own = [x.strip(' "`') for x in found["columns"].split(",")]
        for parts, short in ((own, False), ([x.removesuffix("_id") for x in own], True)):
            old = "_".join((found["table"], *parts))
            if old in found["name"]:
                named = [x.removesuffix("_id") for x in columns] if short else list(columns)
                return found["name"].replace(old, "_".join((table, *named)))
    return f"idx_{stem}"
