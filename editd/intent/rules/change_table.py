"""Change a table: how people ask for an index on columns, or that a column be unique or not null."""

from __future__ import annotations

import re

from editd.intent.english import FUNCTION_WORDS
from editd.intent.intents import AddIndex, ConstrainColumn
from editd.intent.rules.guess import Guess

_NAME = r"[`'\"]?[^\W\d]\w*[`'\"]?"
_INDEX = r"(?:add|create) (?:an? |another )?(?P<unique>unique )?ind(?:ex|ices|exes)"
_COLUMNS = rf"(?P<columns>{_NAME}(?:(?:, ?| and ){_NAME})*)"
_INDEXES = tuple(
    re.compile(form, re.IGNORECASE)
    for form in (
        rf"{_INDEX}(?: on| for| to) (?:the )?(?P<table>{_NAME})\.(?P<columns>{_NAME})(?: column)?",
        rf"{_INDEX}(?: on| for| to) (?:the )?(?P<table>{_NAME}) ?\({_COLUMNS}\)",
        rf"{_INDEX}(?: on| for) (?:the )?{_COLUMNS}(?: columns?)? (?:of|in|on|to) (?:the )?(?P<table>{_NAME})(?: table)?",
        rf"{_INDEX} to (?:the )?(?P<table>{_NAME})(?: table)? (?:on|for) (?:the )?{_COLUMNS}(?: columns?)?",
        rf"(?:please )?index (?:the )?(?P<table>{_NAME})\.(?P<columns>{_NAME})",
    )
)
_WHAT = r"(?P<what>unique|not null|non-null|required|not nullable|mandatory)"
_CONSTRAINTS = tuple(
    re.compile(form, re.IGNORECASE)
    for form in (
        rf"make (?:the )?(?P<table>{_NAME})\.(?P<column>{_NAME})(?: column)? {_WHAT}",
        rf"make (?:the )?(?P<column>{_NAME})(?: column)? (?:of|in|on) (?:the )?(?P<table>{_NAME})(?: table)? {_WHAT}",
        rf"make (?:the )?(?P<table>{_NAME})(?:'s)? (?P<column>{_NAME})(?: column)? {_WHAT}",
        rf"(?:the )?(?P<table>{_NAME})\.(?P<column>{_NAME}) (?:should|must) be {_WHAT}",
        rf"(?:the )?(?P<table>{_NAME})(?:'s)? (?P<column>{_NAME}) (?:should|must) be {_WHAT}",
        rf"(?:the )?(?P<column>{_NAME}) (?:of|in) (?:the )?(?P<table>{_NAME})(?: table)? (?:should|must) be {_WHAT}",
    )
)


def _indexed(text: str) -> AddIndex | None:
    """The intent of a request for an index that names table and columns; ``None`` for another one."""
    for form in _INDEXES:
        if found := form.fullmatch(text):
            columns = re.split(r", ?| and ", found["columns"])
            names = [x.strip("`'\"") for x in (found["table"], *columns)]
            if {x.lower() for x in names} & FUNCTION_WORDS:
                continue
            is_unique = bool(found.groupdict().get("unique"))
            return AddIndex(names[0], tuple(names[1:]), is_unique)
    return None


def _constrained(text: str) -> ConstrainColumn | None:
    """The intent of a request that a column be unique or not null; ``None`` for another one."""
    for form in _CONSTRAINTS:
        if found := form.fullmatch(text):
            names = [found[x].strip("`'\"") for x in ("table", "column")]
            if {x.lower() for x in names} & FUNCTION_WORDS:
                continue
            what = "UNIQUE" if found["what"].lower() == "unique" else "NOT NULL"
            return ConstrainColumn(names[0], names[1], what)
    return None


ADD_INDEX = Guess(
    "add-index",
    reads=_indexed,
    examples=(
        ("add an index on loans.member_id", AddIndex("loans", ("member_id",))),
        ("create an index on books (title)", AddIndex("books", ("title",))),
        (
            "add a unique index for the email column of users",
            AddIndex("users", ("email",), is_unique=True),
        ),
    ),
    near_misses=("add an index", "add an index page", "create an index of the chapters"),
    reads_all_words=True,
)
"""An index of a table."""

CONSTRAIN_COLUMN = Guess(
    "constrain-column",
    reads=_constrained,
    examples=(
        ("make the member email unique", ConstrainColumn("member", "email", "UNIQUE")),
        ("make users.name not null", ConstrainColumn("users", "name", "NOT NULL")),
        (
            "the isbn of books should be required",
            ConstrainColumn("books", "isbn", "NOT NULL"),
        ),
    ),
    near_misses=("make the email unique", "make it required", "make the names unique in the list"),
    reads_all_words=True,
)
"""A constraint of a column."""
