"""The keys by which members in brackets are compared, read from the words of each.

``bracket_tokens`` gives the words as a flat text; ``brackets`` cuts a container into members, and asks for their keys.
"""

from __future__ import annotations

import re

from editd.syntax.bracket_tokens import (
    BRACKET,
    CURLY,
    ROUND,
    SQUARE,
    STRING,
    BracketTokens,
    FlatText,
)
from editd.syntax.imports import IMPORT_WORDS

# A type and a function, by the words before a bracket.
TYPE = re.compile(
    r"(?<![\w.$])(?P<kind>(?:enum\s+)?class|interface|struct|enum|record|trait|impl|union|extension|protocol|module|"
    r"mod|namespace|object|actor|message|service|contract|mixin)(?![\w$:?(.,;])(?P<rest>[^=]*)$",
    re.DOTALL,
)
FUNCTION = re.compile(
    r"(?<![\w.$])(?:def|fun(?!\s+interface\b)|func|fn|function|constructor|import|use)(?![\w:$]|\s*[=:])"
)
# The bracket that a member ends in.
VALUE = re.compile(
    rf"(?P<bracket>{BRACKET})(?:\s*(?:as const|satisfies [^\x01-\x04]+|as [\w<>.]+|!)|\s+\w+)?\s*$"
)
# A member's name.
_QUOTED = re.compile(rf"{STRING}\s*(?:=>|=(?!=)|:(?!:))")
CALLABLE = re.compile(
    rf"(?P<left>(?:[^=:{STRING}{CURLY}{SQUARE}{ROUND}]|::)*?)(?P<name>[\w$~#?!]+)\s*{ROUND}"
)
_ASSIGNED = re.compile(
    rf"(?P<left>[^=:{STRING}{CURLY}{ROUND}]*?)(?P<name>[\w$@.*/#-]+)\s*{SQUARE}*[?!]?\s*"
    r"(?:=(?![=~>])|:(?!:)|:=|=>)"
)
_DECLARED = re.compile(rf"[^{ROUND}{CURLY}{STRING}=]*[\s*&]([\w$]+)\s*{SQUARE}*\s*{CURLY}?")
_CONSTANT = re.compile(r"(?:case\s+)?(?P<name>[\w$]+)")
_SHORTHAND = re.compile(r"(?:\.\.\.|\*\*)?[\w$.]+")
_INDEX = re.compile(rf"{SQUARE}\s*[:=?]")  # an index signature, a key of Lua
_IMPORT = re.compile(rf"(?:package|{'|'.join(IMPORT_WORDS)})\b(?!\s*[=:(])")
# Go and SQL.
_RECEIVED = re.compile(rf"func (?P<receiver>{ROUND} )?(?P<name>\w+)")
_IMPORTED = re.compile(rf"(?:import )?(?:[\w.]+ )?{STRING}")
_CREATED = re.compile(
    r"(?:create(?:\s+or\s+replace)?|alter)\s+\w+(?:\s+if\s+not\s+exists)?\s+[\w.\"`]+",
    re.IGNORECASE,
)
_CLAUSE = re.compile(
    r"(?:primary|foreign|unique|constraint|check|index|key|create|insert|alter|drop|select|update|delete)\b",
    re.IGNORECASE,
)


def key_of(
    words: FlatText,
    cut: int,
    head: str,
    source: BracketTokens,
    *,
    is_enum: bool,
    parting: str,
    has_directives: bool,
) -> str:
    """The key by which a member is compared: its name, with ``()`` for a function where no commas part members,
    with its keyword for a type (``class Cart``); a string before ``:`` or ``=`` without its quotes; in style
    sheets and settings the words before its curly bracket or its sign. Empty for an element of a list, an
    import, a statement and a directive.

    words: the member's tokens. cut: where it begins in ``words.flat``. head: what stands before a curly bracket that it
    ends in, else empty. source: the whole text. is_enum: it is one of an enum. parting: what parts members.
    has_directives: it may be a directive, which has no name of its own.
    """
    bare, code = words.flat[cut:], source.dialect.is_code
    if _QUOTED.match(bare):
        return words.strings[words.flat.count(STRING, 0, cut)][1:-1]
    if source.dialect.is_style:
        left, sign, _ = bare.partition(":")
        return head or (left.strip() if sign and not bare.startswith("@") else "")
    if (is_enum or bare.startswith("case ")) and (found := _CONSTANT.match(bare)):
        return found["name"]
    if source.dialect.is_name_first:
        return _first_name(words, bare, head, source)
    if not code:
        return _name_of_setting(bare, head, source.language, has_directives=has_directives)
    if _IMPORT.match(bare):
        return ""
    if named := _type_in(bare):
        return named
    if source.language == "rust":
        bare = re.sub(rf"^pub\s*{ROUND}?\s*", "", bare)
    if (found := CALLABLE.match(bare)) and not found["left"].startswith("return"):
        is_call = source.language in ("kotlin", "groovy") and not FUNCTION.search(found["left"])
        return "" if is_call else found["name"] if parting == "," else f"{found['name']}()"
    if found := _ASSIGNED.match(bare.lstrip(":")):
        return found["name"]
    if _INDEX.match(bare):
        at = words.token_of(cut)
        return source.text[source.tokens[at][1] : source.end_of(at)]
    if parting == "," and _SHORTHAND.fullmatch(bare):
        return bare
    declared = _DECLARED.match(bare) if source.language not in ("kotlin", "groovy") else None
    return declared[1] if declared is not None and declared[1] != "default" else ""


def _name_of_setting(bare: str, head: str, language: str, *, has_directives: bool) -> str:
    """The name of a block or a value in a language that is no code.

    head: the words before its curly bracket; they are the name without ``=`` and ``:`` if there
    are any. Else the only word before ``=`` or ``:`` (in protobuf the last), or a lone word
    where no directives are read; empty for all else.
    """
    if head:
        return head.rstrip(" =:")
    found = _ASSIGNED.match(bare)
    is_field = language in ("protobuf", "proto")
    if found is not None and (is_field or not found["left"].strip()):
        return found["name"]
    return bare if _SHORTHAND.fullmatch(bare) and not has_directives else ""


def _first_name(words: FlatText, bare: str, head: str, source: BracketTokens) -> str:
    """The name of a member whose first word it is: in Go, go.mod, SQL, GraphQL and Prisma.

    A function is ``f()``, a method ``Type.f()``, an import of Go its path, a statement of SQL that creates or
    alters something its lower-case head, all other members that end in a curly bracket, but in Go, the words
    before it (head). Else the first word, behind ``const``, ``var`` or ``type``, with ``*`` before it. Empty
    for other statements and constraints of SQL, and if no name stands at the beginning.
    """
    if found := _RECEIVED.match(bare):
        at = words.opened[0] if found["receiver"] else -1
        holder = source.text[source.tokens[at][2] : source.end_of(at) - 1] if at >= 0 else ""
        names = re.findall(r"\w+", holder.partition("[")[0])
        return ".".join((*names[-1:], f"{found['name']}()"))
    if source.language == "go" and _IMPORTED.fullmatch(bare):
        return words.strings[0][1:-1]
    if source.language == "sql" and _CLAUSE.match(bare.lstrip("/ ")):
        created = _CREATED.match(bare.lstrip("/ "))
        return " ".join(created[0].lower().split()) if created else ""
    if head and source.language != "go":
        return head
    bare = re.sub(r"^(?:const|var|type)\s+(?=\w)", "", bare)
    named = re.match(r"[*&]?[\w./-]+", bare)
    return named[0] if named else ""


def _type_in(bare: str) -> str:
    """The keyword and name of a type that a member declares, as ``class Cart``; of an ``impl`` all words before its
    bracket, of a type without a name there the words behind the bracket (``typedef struct { … } Cart``). Empty if
    the member does not end in a bracket, or no keyword of a type stands before it.

    bare: the member's text with signs for strings and brackets.
    """
    value = VALUE.search(bare)
    found = TYPE.search(bare[: value.start()]) if value is not None else None
    if value is None or found is None:
        return ""
    rest = re.sub(rf"[{STRING}{ROUND}]", " ", found["rest"])
    named = re.match(r"\s*([\w$.]*)", rest)
    name = named[1] if named else ""
    if found["kind"] == "impl":
        name = " ".join(rest.split())
    return f"{found['kind']} {name or bare[value.end('bracket') :].strip()}"
