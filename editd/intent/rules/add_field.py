"""Add a field: how people ask for a field, property or column whose type they give."""

from __future__ import annotations

import re

from editd.intent.english import FUNCTION_WORDS
from editd.intent.intents import AddField
from editd.intent.rules.guess import Guess

_KIND = r"(?:fields?|property|properties|props?|attribute|attr|member|column|key)"
_NAME = r"[`'\"]?(?P<name>[^\W\d][\w$]*)[`'\"]?"
_OWNER = r"(?:the |class |struct |table |type |interface )*[`'\"]?(?P<owner>[^\W\d][\w$.]*)[`'\"]?(?: (?:class|struct|interface|type|table|dataclass|model|record|entity|object|props|schema))?"
_ADD = r"(?:add|put|include|create|insert|append)"
_TO = rf"(?:to|in|into|on) {_OWNER}"
_BEFORE = r"(?:(?:the|an?|another) )?(?:new )?"
_DECLARATION = r"(?P<mark>[`'\"]?)(?P<declaration>[^`,]+?(?:\([^`]*?\))?[^`]*?)(?P=mark)"
_TYPE = r"[`'\"]?(?P<hint>[\w.\[\]<>|*? ]+?(?:\(\d+(?:, ?\d+)?\))?)[`'\"]?"
_DEFAULT = r"(?:,? (?:with|and)?(?: an?| the)? ?default(?:s to|ing to)?(?: value)?(?: of| to)? [`]?(?P<default>[^\s,`]+(?:\(\))?)[`]?)?"
_WORDS = tuple(
    re.compile(form, re.IGNORECASE)
    for form in (
        rf"{_ADD} {_BEFORE}(?P<optional>optional )?{_KIND} (?:called |named )?{_NAME} (?:of|with) (?:the )?type {_TYPE}{_DEFAULT} {_TO}{_DEFAULT.replace('default>', 'default2>')}",
        rf"{_ADD} {_BEFORE}(?P<optional>optional )?{_NAME} {_KIND} (?:of|with) (?:the )?type {_TYPE}{_DEFAULT} {_TO}{_DEFAULT.replace('default>', 'default2>')}",
        rf"{_ADD} {_BEFORE}(?P<optional>optional )?{_KIND} (?:called |named )?{_NAME} (?:of|with) (?:the )?type {_TYPE} {_TO}{_DEFAULT}",
        rf"{_ADD} {_BEFORE}(?P<optional>optional )?(?P<hint>bool(?:ean)?|int(?:eger)?|str(?:ing)?|float|double|number|long|uuid|timestamp|text|date) {_KIND} (?:called |named )?{_NAME} {_TO}{_DEFAULT}",
        rf"{_ADD} {_BEFORE}(?P<optional>optional )?(?P<hint>bool(?:ean)?|int(?:eger)?|str(?:ing)?|float|double|number|long|uuid|timestamp|text|date) {_NAME} {_KIND} {_TO}{_DEFAULT}",
    )
)
_TYPED = tuple(
    re.compile(form, re.IGNORECASE)
    for form in (
        rf"{_ADD} {_BEFORE}(?:(?P<optional>optional )?{_KIND}:? (?:called |named )?)?{_DECLARATION} {_TO}(?:, (?P<more>.+))?",
        rf"{_ADD} {_BEFORE}(?P<optional>optional )?{_DECLARATION} {_KIND} {_TO}",
        rf"give {_OWNER} {_BEFORE}(?:(?P<optional>optional )?{_KIND}:? )?{_DECLARATION}",
        rf"{_OWNER} (?:should have|needs|gets|also needs|should get|must have) {_BEFORE}(?:(?P<optional>optional )?{_KIND}:? (?:called |named )?)?{_DECLARATION}",
    )
)
# "a created_at column, not null, default now()": the rest of a column's declaration.
_BRACKETED = tuple(
    re.compile(form, re.IGNORECASE)
    for form in (
        rf"{_ADD} {_BEFORE}(?P<optional>optional )?{_NAME}(?: {_KIND})? \({_TYPE}\) {_TO}{_DEFAULT}",
        rf"{_ADD} {_BEFORE}(?P<optional>optional )?{_KIND} {_NAME} \({_TYPE}\) {_TO}{_DEFAULT}",
        rf"give {_OWNER} {_BEFORE}(?P<optional>optional )?{_NAME}(?: {_KIND})? \({_TYPE}\){_DEFAULT}",
    )
)
_COLUMN = re.compile(
    rf"{_ADD} {_BEFORE}(?P<name>[^\W\d]\w*) (?:(?P<hint>[a-z]+(?:\(\d+(?:, ?\d+)?\))?) )?column {_TO}(?P<rest>(?:, ?| with | )(?:not null|unique|default|null|references).*)?",
    re.IGNORECASE,
)
# What a declaration has and a description has not.
_SIGNS = re.compile(
    r"^(?:(?:pub|readonly|public|private|protected|static|final) )*[\w$#]+\??\s*:\s*\S|^\w+\s*=\s*[\w.]+\(|^(?:[\w$.<>\[\],?*]+ )+[\w$*.<>\[\]]+(?:\(.*\))?",
    re.IGNORECASE,
)


_SAYS_KIND = re.compile(rf"(?<![\w.]){_KIND}(?![\w:?])", re.IGNORECASE)


def _added(text: str) -> AddField | None:
    """The intent of a request for a field with its type, as code or in words; ``None`` for another request."""
    for form in (*_WORDS, *_BRACKETED):
        if found := form.fullmatch(text):
            parts = found.groupdict()
            if {parts["name"], parts["owner"]} & FUNCTION_WORDS:
                continue
            default = parts.get("default") or parts.get("default2") or ""
            return AddField(
                parts["owner"], "", parts["name"], parts["hint"], default, bool(parts["optional"])
            )
    if found := _COLUMN.fullmatch(text):
        rest = re.sub(
            r",? (?:and|with)? ?(?=not null|unique|default|null|references)| ?, ?",
            " ",
            found["rest"] or "",
            flags=re.IGNORECASE,
        )
        words = " ".join(f"{found['hint'] or ''} {rest}".split())
        return AddField(found["owner"], f"{found['name']} {words}".strip()) if words else None
    for form in _TYPED:
        found = form.fullmatch(text)
        if found is None:
            continue
        parts = found.groupdict()
        declaration = parts["declaration"].strip().rstrip(";,")
        if more := parts.get("more"):
            declaration += f" {more.replace(',', '')}"
        first = re.split(r"\W", declaration)[0].lower()
        if first in FUNCTION_WORDS or parts["owner"] in FUNCTION_WORDS:
            continue
        if _SIGNS.match(declaration) and not _SAYS_KIND.search(declaration):
            return AddField(parts["owner"], declaration, is_optional=bool(parts.get("optional")))
    return None


ADD_FIELD = Guess(
    "add-field",
    reads=_added,
    examples=(
        (
            "add phone: str | None = None to Customer",
            AddField("Customer", "phone: str | None = None"),
        ),
        (
            "add a field Timeout time.Duration to the Server struct",
            AddField("Server", "Timeout time.Duration"),
        ),
        ("add disabled?: boolean to ButtonProps", AddField("ButtonProps", "disabled?: boolean")),
        (
            "add created_at TIMESTAMP NOT NULL DEFAULT now() to orders",
            AddField("orders", "created_at TIMESTAMP NOT NULL DEFAULT now()"),
        ),
        (
            "add a note column to the orders table, not null, default ''",
            AddField("orders", "note not null default ''"),
        ),
        (
            "add a phone field of type str to Customer with default None",
            AddField("Customer", "", "phone", "str", "None"),
        ),
        (
            "add an optional string prop label to ButtonProps",
            AddField("ButtonProps", "", "label", "string", is_optional=True),
        ),
        ("Server needs a field Port int", AddField("Server", "Port int")),
        ("give Customer a note field (str)", AddField("Customer", "", "note", "str")),
        ("add an email column (text) to users", AddField("users", "", "email", "text")),
        ("add a filled: bool = False attribute to Box", AddField("Box", "filled: bool = False")),
    ),
    near_misses=(
        "add a phone field to Customer",
        "add an optional phone field to Customer",
        "add a docstring to Customer",
        "add a Timeout field to the Server struct",
    ),
    reads_all_words=True,
)
"""A field that is declared."""
