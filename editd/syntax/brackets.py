"""Containers in brackets: objects, rules, structs, enums, classes, groups of imports, named arguments.

One reader for some thirty languages, whole texts and fragments alike, since what a paste shows does not parse. It
knows strings, comments and brackets, what separates two members, and by the words before a bracket whether that
opens members, statements or a list.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from editd.breathing import breathe
from editd.syntax.containers import Container, Member
from editd.syntax.dialects import Dialect, dialect_of

_MANY = 5_000  # tokens that are read without a pause
_DEEPEST = 60  # brackets within brackets; deeper ones hold no members

# What stands for a string and for brackets with all that they hold, where words are looked at.
_STRING, _ROUND, _SQUARE, _CURLY = "\x01", "\x02", "\x03", "\x04"
_SIGNS = {"(": _ROUND, "[": _SQUARE, "{": _CURLY}
_ANY = f"[{_ROUND}{_SQUARE}{_CURLY}]"

_TYPE = re.compile(
    r"(?<![\w.$])(?P<kind>(?:enum\s+)?class|interface|struct|enum|record|trait|impl|union|extension|protocol|module|mod|"
    r"namespace|object|actor|message|service|contract|mixin)(?![\w$:?(.,;])(?P<rest>[^=]*)$",
    re.DOTALL,
)
_BODIES = ("class", "impl", "trait", "extension", "protocol", "actor", "object")
_CONTROL = re.compile(
    r"[\s}]*(?:if|else|for|foreach|while|until|unless|do|switch|match|with|try|catch|finally|loop|unsafe|defer|guard|"
    r"select|synchronized|using|lock|fixed|init|deinit|static|get|set|when|repeat|begin|async)\b(?!\s*[:=])"
)
_DECORATORS = re.compile(rf"(?:@[\w.:]+\s*{_ROUND}?\s+|#!?\s*{_SQUARE}\s*)+")
_LABELS = re.compile(r"(?:(?:public|protected|private|signals|(?:public |private )?slots)\s*:(?!:)\s*)+")
_ATTRIBUTES = re.compile(rf"(?:{_SQUARE}\s*)+(?=\w)")  # of C#
_DECORATOR = re.compile(rf"(?:@[\w.:]+\s*{_ROUND}?|#!?\s*{_SQUARE})")
_CALLABLE = re.compile(
    rf"(?P<left>(?:[^=:{_STRING}{_CURLY}{_SQUARE}{_ROUND}]|::)*?)(?P<name>[\w$~#?!]+)\s*{_ROUND}"
)
_ASSIGNED = re.compile(
    rf"(?P<left>[^=:{_STRING}{_CURLY}{_ROUND}]*?)(?P<name>[\w$@.*/#-]+)\s*{_SQUARE}*[?!]?\s*"
    r"(?:=(?![=~>])|:(?!:)|:=|=>)"
)
_QUOTED = re.compile(rf"{_STRING}\s*(?:=>|=(?!=)|:(?!:))")
_CONSTANT = re.compile(r"(?:case\s+)?(?P<name>[\w$]+)")
_VALUE = re.compile(
    rf"(?P<bracket>{_ANY})(?:\s*(?:as const|satisfies [^\x01-\x04]+|as [\w<>.]+|!)|\s+\w+)?\s*$"
)
_OBJECT = re.compile(
    rf"(?:^|=|:|\(|\[|,|\?|\|\||&&|\breturn|\bdefault|(?:=|:|\breturn|\bnew)\s*[&*]?[\w.:{_SQUARE}*]+{_ROUND}?)\s*$"
)
_NAMED = re.compile(r"""(?:"[^"\n]*"|'[^'\n]*'|[\w.$:-]+)\s*(?:=>|=(?!=)|:(?!:))""")
_GROUP = re.compile(r"import|const|var|type|require|replace|exclude|retract|use")
_TABLE = re.compile(r"[/\s]*create\b.*\b(?:table|type)\b", re.IGNORECASE | re.DOTALL)
_CREATED = re.compile(r"(?:create(?:\s+or\s+replace)?|alter)\s+\w+(?:\s+if\s+not\s+exists)?\s+[\w.\"`]+", re.IGNORECASE)
_CONSTRAINT = re.compile(
    r"(?:primary|foreign|unique|constraint|check|index|key|create|insert|alter|drop|select|update|delete)\b",
    re.IGNORECASE,
)
_FUNCTION = re.compile(r"(?<![\w.$])(?:def|fun(?!\s+interface\b)|func|fn|function|constructor|import|use)(?![\w:$]|\s*[=:])")
_IMPORT = re.compile(r"(?:import|package|using|use|from|require|include|@?import)\b(?!\s*[=:(])")
_WORD = re.compile(r"[^\s:\"'`(),;={}]+")
_GOES_ON = re.compile(r"[&|+={,]|\??\.\w|\? |: ")


def read_brackets(text: str, language: str) -> Container | None:
    """The text as a container; ``None`` if its brackets do not match, or the language has others."""
    dialect = dialect_of(language)
    reader = Reader(text, language, dialect) if dialect is not None else None
    if reader is None or not reader.is_whole:
        return None
    code, data = reader.dialect.is_code, reader.dialect.is_json
    root = reader.container(0, len(reader.tokens), is_scope=code, has_directives=not data)
    first = root.members[0] if len(root.members) == 1 else None
    if first is not None and first.inner is not None and not first.key:
        return first.inner  # all of JSON, for example
    return root


@dataclass(frozen=True, slots=True)
class _Item:
    """Tokens between two separators. flat: their text, with a sign for each string and bracket.

    strings: the text of each. opened: the number of each bracket's token. offsets: of the text, by place in ``flat``.
    """

    flat: str
    strings: Sequence[str]
    opened: Sequence[int]
    offsets: dict[int, int]

    def opened_at(self, place: int) -> int:
        """The token of the bracket whose sign stands at ``place``."""
        return self.opened[len(re.findall(_ANY, self.flat[:place]))]


class Reader:
    """A text's tokens, and which bracket closes which. is_whole: whether all brackets match."""

    def __init__(self, text: str, language: str, dialect: Dialect) -> None:
        self.text, self.language, self.dialect = text, language, dialect
        self.tokens: list[tuple[str, int, int]] = []
        self.closing: dict[int, int] = {}
        self.is_whole = True
        self._depth = 0
        self._has_directives = False
        opened: list[int] = []
        for number, found in enumerate(dialect.tokens.finditer(text)):
            if number % _MANY == 0:
                breathe()
            kind = found.lastgroup or ""
            if kind == "w" and found[0].isspace():
                continue
            at = len(self.tokens)
            self.tokens.append((found[0] if kind == "p" else kind, found.start(), found.end()))
            if kind == "o":
                opened.append(at)
            elif kind == "e":
                start = opened.pop() if opened else at
                if text[self.tokens[start][1]] + found[0] not in ("()", "[]", "{}"):
                    self.is_whole = False
                    return
                self.closing[start] = at
        self.is_whole = not opened

    def outer(self, low: int, high: int) -> Iterator[int]:
        """The tokens ``low .. high`` that stand in no bracket there."""
        at = low
        while at < high:
            yield at
            at = self.closing.get(at, at) + 1

    def end_of(self, at: int) -> int:
        """The offset after a token and all that it opens."""
        return self.tokens[self.closing.get(at, at)][2]

    # --- containers ---

    def container(
        self,
        low: int,
        high: int,
        *,
        is_object: bool = False,
        is_enum: bool = False,
        is_scope: bool = False,
        is_body: bool = False,
        has_directives: bool = False,
    ) -> Container:
        """The tokens ``low .. high`` as members. is_object, is_enum: commas separate them; is_body: they never do.

        has_directives: what has no name is compared by its words.
        """
        is_enum = is_enum and not any(
            self.text.startswith("case ", self.tokens[at][1]) for at in self.outer(low, high)
        )
        parting = self._parting(low, high, is_list=is_object or is_enum, is_enum=is_enum)
        parting = "" if is_body and parting == "," else parting
        before, self._has_directives = self._has_directives, has_directives
        self._depth += 1
        members = self._members(low, high, parting, is_enum=is_enum)
        self._depth -= 1
        self._has_directives = before
        start = self.tokens[low - 1][2] if low else 0
        end = self.tokens[high][1] if high < len(self.tokens) else len(self.text)
        return Container(start, end, members, parting, is_scope)

    def _parting(self, low: int, high: int, *, is_list: bool, is_enum: bool) -> str:
        """What separates the members: ``,``, ``;`` or nothing but a line's end."""
        if self.dialect.is_json:
            return ","
        if self.dialect.is_style and not is_list:
            return ";"
        kinds = [self.tokens[at][0] for at in self.outer(low, high)]
        kinds = [kind for kind in kinds if kind != "c"]
        if ";" in kinds and not is_enum:
            return ";"
        commas = [n for n, kind in enumerate(kinds) if kind == ","]
        around = [{*kinds[max(0, n - 1) : n], *(kinds[n + 1 : n + 2] or ["\n"])} for n in commas]
        is_short = "\n" not in kinds[1:-1]
        at_end = sum("\n" in pair for pair in around)
        if self.language == "go" and not is_list:
            return ""
        return "," if commas and (is_list or is_short or 2 * at_end > len(commas)) else ""

    def _members(self, low: int, high: int, parting: str, *, is_enum: bool) -> tuple[Member, ...]:
        found: list[Member] = []
        item: list[int] = []
        top: int | None = None  # where the comments above begin
        newlines = 0  # since the last comment or member
        remark = 0  # where a comment behind the last token ends

        def finish(after: int = 0) -> None:
            nonlocal top, newlines
            if item:
                start = self.tokens[item[0]][1] if top is None else top
                after = max(after, remark, self.end_of(item[-1]))
                found.append(self.member(item, start, after, parting, is_enum=is_enum))
            item.clear()
            top, newlines = None, 0

        by_lines = parting != "," and (
            self.dialect.by_lines or (not parting and not self.dialect.is_code)
        )
        for at in self.outer(low, high):
            kind, start, end = self.tokens[at]
            if kind == "c" and not item:
                if found and top is None and not newlines:
                    found[-1] = replace(found[-1], after=end)
                else:
                    top = start if top is None else top
                    newlines = 0
            elif kind == "\n":
                newlines += 1
                if not item and newlines > 1:
                    top = None
                elif item and by_lines and self._is_complete(item, at, high):
                    finish()
                    newlines = 1
            elif kind == ";" or (kind == "," and parting == ","):
                finish(end)
                if kind == ";" and is_enum:  # what follows the constants
                    rest = self._parting(at + 1, high, is_list=False, is_enum=False)
                    return (*found, *self._members(at + 1, high, rest, is_enum=False))
            elif kind == "," and item and self.text[self.end_of(item[-1]) - 1] == "}":
                finish(end)
            elif kind == "c":
                beside = "\n" not in self.text[self.end_of(item[-1]) : start]
                remark = end if beside else remark
            else:
                item.append(at)
                remark = 0
                if self.text[start] == "{" and parting != "," and self._ends_block(at, high):
                    finish()
        finish()
        return tuple(found)

    def _following(self, at: int, high: int) -> tuple[bool, str]:
        """Whether the line ends after a token, and the beginning of what follows."""
        newline = False
        for kind, start, _ in self.tokens[self.closing.get(at, at) + 1 : high]:
            if kind == "\n":
                newline = True
            elif kind != "c":
                return newline, self.text[start : start + 10]
        return True, ""

    def _is_complete(self, item: Sequence[int], at: int, high: int) -> bool:
        """Whether a member ends at the end of its line."""
        start, end = self.tokens[item[0]][1], self.end_of(item[-1])
        _, below = self._following(at, high)
        if self.text[end - 1] in "=,+&|\\" or self.text.endswith(("=>", "->"), start, end):
            return False
        return not _GOES_ON.match(below) and not _DECORATOR.fullmatch(self._item(item).flat)

    def _ends_block(self, at: int, high: int) -> bool:
        """Whether a member ends with what a curly bracket closes."""
        newline, below = self._following(at, high)
        if below[:1] in (";", ",", ")", "="):
            return False
        goes_on = re.match(r"(?:else|catch|finally)\b|\??\.\w", below) is not None
        return not self.dialect.is_code or (newline and not goes_on)

    # --- members ---

    def member(
        self, item: Sequence[int], top: int, after: int, parting: str, *, is_enum: bool = False
    ) -> Member:
        """The member that some tokens are. Decorators stand above it, like comments."""
        told = self._item(item)
        cut = 0
        for pattern, applies in (
            (_DECORATORS, not self.dialect.is_style),
            (_ATTRIBUTES, self.language == "csharp"),
            (_LABELS, self.language in ("c", "cpp")),
        ):
            found = pattern.match(told.flat, cut) if applies else None
            cut = found.end() if found is not None and found.end() < len(told.flat) else cut
        start, end = told.offsets.get(cut, self.tokens[item[0]][1]), self.end_of(item[-1])
        bare = told.flat[cut:]
        value = _VALUE.search(told.flat, cut)
        at = told.opened_at(value.start()) if value is not None else -1
        inner = None
        if value is not None and self._depth <= _DEEPEST:
            inner = self._inner(told.flat[cut : value.start()].rstrip(), at)
        before = " ".join(self.text[start : self.tokens[at][1]].split()) if value else ""
        is_block = value is not None and value["bracket"] == _CURLY
        key = self._key(told, cut, before if is_block else "", is_enum=is_enum, parting=parting)
        words: tuple[str, ...] = ()
        if not key and inner is not None:
            key = before
        elif not key and self._has_directives and not re.fullmatch(rf"{_STRING}|{_ANY}|[\d.+-]+", bare):
            words = tuple(_WORD.findall(self.text[start:end])) or (self.text[start:end],)
            key = words[0]
        return Member(key, top, start, end, after, inner, words, kind=words[0] if words else "")

    def _item(self, item: Sequence[int]) -> _Item:
        flat = ""
        strings: list[str] = []
        opened: list[int] = []
        offsets: dict[int, int] = {}
        last = self.tokens[item[0]][1]
        for at in item:
            kind, start, end = self.tokens[at]
            flat += " " if start > last else ""
            offsets[len(flat)] = start
            if kind == "o":
                flat += _SIGNS[self.text[start]]
                opened.append(at)
            elif kind == "s":
                flat += _STRING
                strings.append(self.text[start:end])
            elif kind != "g":
                flat += self.text[start:end]
            last = self.end_of(at)
        return _Item(flat, strings, opened, offsets)

    # --- what a member is compared by ---

    def _key(self, told: _Item, cut: int, head: str, *, is_enum: bool, parting: str) -> str:
        """Its name, or what stands before its value; empty for an element of a list and a directive.

        cut: where it begins in ``told.flat``. head: what stands before a curly bracket that it ends in.
        """
        bare, code = told.flat[cut:], self.dialect.is_code
        if _QUOTED.match(bare):
            return told.strings[told.flat.count(_STRING, 0, cut)][1:-1]
        if self.dialect.is_style:
            left, sign, _ = bare.partition(":")
            return head or (left.strip() if sign and not bare.startswith("@") else "")
        if (is_enum or bare.startswith("case ")) and (found := _CONSTANT.match(bare)):
            return found["name"]
        if self.dialect.names == "first":
            return self._first_name(told, bare, head)
        if not code and head:
            return head.rstrip(" =:")
        if code and _IMPORT.match(bare):
            return ""
        if code and (named := _type_in(bare)):
            return named
        if self.language == "rust":
            bare = re.sub(rf"^pub\s*{_ROUND}?\s*", "", bare)
        if code and (found := _CALLABLE.match(bare)) and not found["left"].startswith("return"):
            is_call = self.language in ("kotlin", "groovy") and not _FUNCTION.search(found["left"])
            return "" if is_call else found["name"] if parting == "," else f"{found['name']}()"
        if found := _ASSIGNED.match(bare.lstrip(":")):
            if code or not found["left"].strip() or self.language in ("protobuf", "proto"):
                return found["name"]
        if re.match(rf"{_SQUARE}\s*[:=?]", bare):  # an index signature, a key of Lua
            at = told.opened_at(cut)
            return self.text[self.tokens[at][1] : self.end_of(at)]
        if parting == "," and re.fullmatch(r"(?:\.\.\.|\*\*)?[\w$.]+", bare):
            return bare  # a shorthand
        declared = re.match(rf"[^{_ROUND}{_CURLY}{_STRING}=]*[\s*&]([\w$]+)\s*{_SQUARE}*\s*{_CURLY}?", bare)
        if code and declared and self.language not in ("kotlin", "groovy"):
            return declared[1]
        return ""

    def _first_name(self, told: _Item, bare: str, head: str) -> str:
        """Where names stand first: in Go, columns of SQL, fields of GraphQL and Prisma."""
        if found := re.match(rf"func (?P<receiver>{_ROUND} )?(?P<name>\w+)", bare):
            at = told.opened[0] if found["receiver"] else -1
            holder = self.text[self.tokens[at][2] : self.end_of(at) - 1] if at >= 0 else ""
            words = re.findall(r"\w+", holder.partition("[")[0])
            return ".".join((*words[-1:], f"{found['name']}()"))
        if re.fullmatch(rf"(?:import )?(?:[\w.]+ )?{_STRING}", bare) and self.language == "go":
            return told.strings[0][1:-1]
        if self.language == "sql" and _CONSTRAINT.match(bare.lstrip("/ ")):
            named = _CREATED.match(bare.lstrip("/ "))
            return " ".join(named[0].lower().split()) if named else ""
        if head and self.language != "go":
            return head
        bare = re.sub(r"^(?:const|var|type)\s+(?=\w)", "", bare)
        named = re.match(r"[*&]?[\w./-]+", bare)
        return named[0] if named else ""

    # --- what a member holds ---

    def _inner(self, pre: str, at: int) -> Container | None:
        """What the bracket of token ``at`` holds, if it is a container. pre: what stands before it."""
        low, high = at + 1, self.closing[at]
        bracket = self.text[self.tokens[at][1]]
        if bracket == "{":
            return self._in_curly(pre, low, high)
        if bracket == "(":
            return self._in_round(pre, low, high)
        if self.language in ("php", "swift", "elixir", "groovy"):
            found = self._if_keyed(low, high, is_named=True)
            if found is not None:
                return found
        found = self.container(low, high, is_object=True)
        is_list = any(one.inner is not None for one in found.members)
        return replace(found, is_list=True) if is_list else None

    def _in_curly(self, pre: str, low: int, high: int) -> Container | None:
        if self.dialect.is_json:
            return self.container(low, high)
        if not self.dialect.is_code:
            is_body = pre.startswith("@function") or (pre.endswith(_ROUND) and not self.dialect.is_style)
            return None if is_body else self.container(low, high, has_directives=True)
        if pre.endswith(("=>", "->")) or _CONTROL.match(pre) or _FUNCTION.search(pre):
            return None
        if found := _TYPE.search(pre):
            is_enum = re.search(r"\benum\b", pre) is not None
            is_scope = found["kind"] in ("namespace", "module", "mod")
            is_body = is_scope or found["kind"] in _BODIES
            return self.container(low, high, is_enum=is_enum, is_scope=is_scope, is_body=is_body)
        if self.language in ("kotlin", "groovy") and re.fullmatch(rf"[\w.]+\s*{_ROUND}?", pre):
            return self.container(low, high, has_directives=True)
        if self.language in ("kotlin", "swift", "scala") or _CALLABLE.match(pre):
            return None  # a block of code
        return self._if_keyed(low, high) if _OBJECT.search(pre) else None

    def _in_round(self, pre: str, low: int, high: int) -> Container | None:
        if self.language in ("go", "go.mod") and _GROUP.fullmatch(pre):
            return self.container(low, high)
        if self.language == "sql":
            is_table = _TABLE.match(pre) is not None
            return self.container(low, high, is_object=True, has_directives=True) if is_table else None
        if self.dialect.is_style:
            is_map = re.fullmatch(r"\$[\w-]+\s*:", pre)
            return self._if_keyed(low, high, is_named=True) if is_map else None
        if _TYPE.search(pre) and self.dialect.is_code:
            return self._if_keyed(low, high)  # fields in the head of a class
        if not re.search(r"[\w$]$", pre) or _FUNCTION.search(pre) or _CONTROL.match(pre):
            return None
        last = [at for at in self.outer(low, high) if self.tokens[at][0] not in ("\n", "c")]
        if last[-1:] and self.tokens[last[-1]][0] == ",":
            del last[-1]
        if last and self.tokens[last[-1]][0] == "o":
            alone = len(last) == 1 or self.tokens[last[-2]][0] == ","
            bracket = self.text[self.tokens[last[-1]][1]]
            if alone and (bracket == "{" or (bracket == "[" and self.language == "php")):
                return self._if_keyed(last[-1] + 1, self.closing[last[-1]])
        if self.language in ("python", "kotlin", "swift", ""):
            return self._if_keyed(low, high, is_named=True)
        return None

    def _if_keyed(self, low: int, high: int, *, is_named: bool = False) -> Container | None:
        """A container if all members have keys. is_named: each followed by a sign; there is one at least."""
        found = self.container(low, high, is_object=True)
        if is_named and not found.members:
            return None
        for one in found.members:
            if not one.key or (is_named and not _NAMED.match(self.text, one.start, one.end)):
                return None
        return found


def _type_in(bare: str) -> str:
    """The kind and name of a type that a member declares, or an empty string."""
    value = _VALUE.search(bare)
    found = _TYPE.search(bare[: value.start()]) if value is not None else None
    if value is None or found is None:
        return ""
    rest = re.sub(rf"[{_STRING}{_ROUND}]", " ", found["rest"])
    named = re.match(r"\s*([\w$.]*)", rest)
    name = named[1] if named else ""
    if found["kind"] == "impl":
        name = " ".join(rest.split())
    return f"{found['kind']} {name or bare[value.end('bracket') :].strip()}"
