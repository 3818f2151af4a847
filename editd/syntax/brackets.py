"""Containers in brackets, with their members: objects, rules, structs, enums, classes, groups of imports, named arguments.

One reader for some thirty languages, whole texts and fragments alike, since what a paste shows does not parse. It
knows strings, comments and brackets, what separates two members, and by the words before a bracket whether that
opens members, statements or a list.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from editd.syntax.containers import Container, Member
from editd.syntax.dialects import Dialect, dialect_of
from editd.syntax.imports import IMPORT_WORDS
from editd.turns import yield_point

_MANY = 5_000  # tokens that are read without a pause
_DEEPEST = 60  # brackets within brackets; deeper ones hold no members

# What stands for a string and for brackets with all that they hold, where words are looked at.
_STRING, _ROUND, _SQUARE, _CURLY = "\x01", "\x02", "\x03", "\x04"
_SIGNS = {"(": _ROUND, "[": _SQUARE, "{": _CURLY}
_BRACKET = f"[{_ROUND}{_SQUARE}{_CURLY}]"

# A type by the words before its bracket; the members of ``_BODIES`` are never parted by commas.
_TYPE = re.compile(
    r"(?<![\w.$])(?P<kind>(?:enum\s+)?class|interface|struct|enum|record|trait|impl|union|extension|protocol|module|"
    r"mod|namespace|object|actor|message|service|contract|mixin)(?![\w$:?(.,;])(?P<rest>[^=]*)$",
    re.DOTALL,
)
_SCOPES = ("namespace", "module", "mod")
_BODIES = (*_SCOPES, "class", "impl", "trait", "extension", "protocol", "actor", "object")
# What opens statements.
_CONTROL = re.compile(
    r"[\s}]*(?:if|else|for|foreach|while|until|unless|do|switch|match|with|try|catch|finally|loop|unsafe|defer|guard|"
    r"select|synchronized|using|lock|fixed|init|deinit|static|get|set|when|repeat|begin|async)\b(?!\s*[:=])"
)
_FUNCTION = re.compile(
    r"(?<![\w.$])(?:def|fun(?!\s+interface\b)|func|fn|function|constructor|import|use)(?![\w:$]|\s*[=:])"
)
# What opens an object: a sign before the bracket, or a type's name behind one.
_OBJECT = re.compile(
    rf"(?:^|=|:|\(|\[|,|\?|\|\||&&|\breturn|\bdefault|(?:=|:|\breturn|\bnew)\s*[&*]?[\w.:{_SQUARE}*]+{_ROUND}?)\s*$"
)
_VALUE = re.compile(
    rf"(?P<bracket>{_BRACKET})(?:\s*(?:as const|satisfies [^\x01-\x04]+|as [\w<>.]+|!)|\s+\w+)?\s*$"
)
# What stands before a member's name.
_DECORATORS = re.compile(rf"(?:@[\w.:]+\s*{_ROUND}?\s+|#!?\s*{_SQUARE}\s*)+")
_DECORATOR = re.compile(rf"(?:@[\w.:]+\s*{_ROUND}?|#!?\s*{_SQUARE})")
_ATTRIBUTES = re.compile(rf"(?:{_SQUARE}\s*)+(?=\w)")  # of C#
_ACCESS = re.compile(
    r"(?:(?:public|protected|private|signals|(?:public |private )?slots)\s*:(?!:)\s*)+"
)
# A member's name.
_QUOTED = re.compile(rf"{_STRING}\s*(?:=>|=(?!=)|:(?!:))")
_CALLABLE = re.compile(
    rf"(?P<left>(?:[^=:{_STRING}{_CURLY}{_SQUARE}{_ROUND}]|::)*?)(?P<name>[\w$~#?!]+)\s*{_ROUND}"
)
_ASSIGNED = re.compile(
    rf"(?P<left>[^=:{_STRING}{_CURLY}{_ROUND}]*?)(?P<name>[\w$@.*/#-]+)\s*{_SQUARE}*[?!]?\s*"
    r"(?:=(?![=~>])|:(?!:)|:=|=>)"
)
_DECLARED = re.compile(rf"[^{_ROUND}{_CURLY}{_STRING}=]*[\s*&]([\w$]+)\s*{_SQUARE}*\s*{_CURLY}?")
_CONSTANT = re.compile(r"(?:case\s+)?(?P<name>[\w$]+)")
_SHORTHAND = re.compile(r"(?:\.\.\.|\*\*)?[\w$.]+")
_INDEX = re.compile(rf"{_SQUARE}\s*[:=?]")  # an index signature, a key of Lua
_IMPORT = re.compile(rf"(?:package|{'|'.join(IMPORT_WORDS)})\b(?!\s*[=:(])")
_BARE = re.compile(rf"{_STRING}|{_BRACKET}|[\d.+-]+")  # an element of a list
_WORD = re.compile(r"[^\s:\"'`(),;={}]+")
_SIGNED = re.compile(r"""(?:"[^"\n]*"|'[^'\n]*'|[\w.$:-]+)\s*(?:=>|=(?!=)|:(?!:))""")
# Go and SQL.
_RECEIVED = re.compile(rf"func (?P<receiver>{_ROUND} )?(?P<name>\w+)")
_IMPORTED = re.compile(rf"(?:import )?(?:[\w.]+ )?{_STRING}")
_GROUP = re.compile(r"import|const|var|type|require|replace|exclude|retract|use")
_TABLE = re.compile(r"[/\s]*create\b.*\b(?:table|type)\b", re.IGNORECASE | re.DOTALL)
_CREATED = re.compile(
    r"(?:create(?:\s+or\s+replace)?|alter)\s+\w+(?:\s+if\s+not\s+exists)?\s+[\w.\"`]+",
    re.IGNORECASE,
)
_CLAUSE = re.compile(
    r"(?:primary|foreign|unique|constraint|check|index|key|create|insert|alter|drop|select|update|delete)\b",
    re.IGNORECASE,
)
# Whether a line goes on in the next one.
_GOES_ON = re.compile(r"[&|+={,]|\??\.\w|\? |: ")
_BLOCK_GOES_ON = re.compile(r"(?:else|catch|finally)\b|\??\.\w")


def read_brackets(
    text: str, language: str, start: int = 0, end: int | None = None
) -> Container | None:
    """Text ``start .. end`` (offsets; to its end by default) as a container, which may be without members.

    ``None`` if its brackets do not match, or the language is none that this package reads by brackets. If the text
    is nothing but one bracketed value without a name, and that holds members, as JSON is, the container of that
    value.
    """
    dialect = dialect_of(language)
    if dialect is None:
        return None
    reader = BracketReader(text, language, dialect, start, end)
    if not reader.is_whole:
        return None
    root = reader.container(
        0, len(reader.tokens), is_scope=dialect.is_code, has_directives=not dialect.is_json
    )
    first = root.members[0] if len(root.members) == 1 else None
    if first is not None and first.inner is not None and not first.key:
        return first.inner  # all of JSON, for example
    return root


@dataclass(frozen=True, slots=True)
class _Item:
    """Tokens between two separators.

    flat: their text, with one sign for each string and bracket. strings: the text of each. opened: the number of
    each bracket's token. offsets: of the text, by place in ``flat``.
    """

    flat: str
    strings: Sequence[str]
    opened: Sequence[int]
    offsets: dict[int, int]

    def token_of(self, place: int) -> int:
        """The number of the token of the bracket whose sign stands at ``place``."""
        return self.opened[len(re.findall(_BRACKET, self.flat[:place]))]


class BracketReader:
    """The tokens of text ``start .. end``, and which bracket closes which. is_whole: whether all brackets match.

    A token is its kind (a group of ``Dialect.tokens``, or the separator itself) and its offsets.
    """

    def __init__(
        self, text: str, language: str, dialect: Dialect, start: int = 0, end: int | None = None
    ) -> None:
        self.text, self.language, self.dialect = text, language, dialect
        self.start, self.end = start, len(text) if end is None else end
        self.tokens: list[tuple[str, int, int]] = []
        self.closing: dict[int, int] = {}
        self.is_whole = True
        self._depth = 0
        self._has_directives = False
        opened: list[int] = []
        for number, found in enumerate(dialect.tokens.finditer(text, self.start, self.end)):
            if number % _MANY == 0:
                yield_point()
            kind = found.lastgroup or ""
            if kind == "w" and found[0].isspace():
                continue
            at = len(self.tokens)
            self.tokens.append((found[0] if kind == "p" else kind, found.start(), found.end()))
            if kind == "o":
                opened.append(at)
            elif kind == "e":
                first = opened.pop() if opened else at
                if text[self.tokens[first][1]] + found[0] not in ("()", "[]", "{}"):
                    self.is_whole = False
                    return
                self.closing[first] = at
        self.is_whole = not opened

    def outer(self, low: int, high: int) -> Iterator[int]:
        """The numbers of the tokens ``low .. high`` (exclusive) that stand in no bracket among
        these; an opening bracket counts, its content and its closing bracket do not.
        """
        at = low
        while at < high:
            yield at
            at = self.closing.get(at, at) + 1

    def end_of(self, at: int) -> int:
        """The offset behind a token and all that it opens."""
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
        """The tokens ``low .. high`` (numbers, exclusive) as a container with its members.

        is_object, is_enum: commas separate the members, if any stand between them; an enum with a ``case`` is read
        as statements. is_body: commas never separate them. is_scope: a text may show its members without the
        others; goes into the container. has_directives: a member without a name, such as ``listen 80``, gets its
        first word as key and all its words as ``words``; holds for this level alone.
        """
        is_enum = is_enum and not any(
            self.text.startswith("case ", self.tokens[at][1]) for at in self.outer(low, high)
        )
        parting = self._parting(low, high, is_list=is_object or is_enum, is_enum=is_enum)
        parting = "" if is_body and parting == "," else parting
        outside, self._has_directives = self._has_directives, has_directives
        self._depth += 1
        members = self._members(low, high, parting, is_enum=is_enum)
        self._depth -= 1
        self._has_directives = outside
        start = self.tokens[low - 1][2] if low else self.start
        end = self.tokens[high][1] if high < len(self.tokens) else self.end
        return Container(start, end, members, parting, is_scope)

    def _parting(self, low: int, high: int, *, is_list: bool, is_enum: bool) -> str:
        """The separator of the members: ``,``, ``;``, or empty if a line's end alone parts them.

        Always ``,`` in JSON, and ``;`` in style sheets but for lists (is_list). ``;`` if one stands outside inner
        brackets, except in an enum. Commas count in a list, where all is on one line, or if most of them stand at a
        line's beginning or end; in Go in lists alone. Comments do not count.
        """
        if self.dialect.is_json:
            return ","
        if self.dialect.is_style and not is_list:
            return ";"
        kinds = [self.tokens[at][0] for at in self.outer(low, high)]
        kinds = [kind for kind in kinds if kind != "c"]
        if ";" in kinds and not is_enum:
            return ";"
        commas = [n for n, kind in enumerate(kinds) if kind == ","]
        beside = [{*kinds[max(0, n - 1) : n], *(kinds[n + 1 : n + 2] or ["\n"])} for n in commas]
        at_end = sum("\n" in pair for pair in beside)
        is_short = "\n" not in kinds[1:-1]
        if not commas or (self.language == "go" and not is_list):
            return ""
        return "," if is_list or is_short or 2 * at_end > len(commas) else ""

    def _members(self, low: int, high: int, parting: str, *, is_enum: bool) -> tuple[Member, ...]:
        """The tokens ``low .. high`` (exclusive) cut into members, in order: at each ``;``, at a comma where
        ``parting`` is one or a curly bracket has just closed, at line ends where the language ends members by them,
        and after a block in curly brackets.

        Comments above a member without a blank line between belong to it, as does one on its last line; other
        comments belong to none. After the first ``;`` of an enum the rest is read as statements.
        """
        found: list[Member] = []
        item: list[int] = []
        top: int | None = None  # where the comments above begin
        newlines = 0  # since the last comment or member
        remark = 0  # where a comment behind the last token ends

        def finish(after: int = 0) -> None:
            """Append the member that ``item`` is, if any, and begin the next."""
            nonlocal top, newlines
            if item:
                first = self.tokens[item[0]][1] if top is None else top
                last = max(after, remark, self.end_of(item[-1]))
                found.append(self.member(item, first, last, parting, is_enum=is_enum))
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
                    top, newlines = start if top is None else top, 0
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
                is_beside = "\n" not in self.text[self.end_of(item[-1]) : start]
                remark = end if is_beside else remark
            else:
                item.append(at)
                remark = 0
                if self.text[start] == "{" and parting != "," and self._ends_block(at, high):
                    finish()
        finish()
        return tuple(found)

    def _following(self, at: int, high: int) -> tuple[bool, str]:
        """Whether a line end or the end (``high``) comes between token ``at``, with all that it
        opens, and the next code; and the first ten characters of that code, empty at the end.
        Comments are passed over.
        """
        newline = False
        for number in range(self.closing.get(at, at) + 1, high):
            kind, start, _ = self.tokens[number]
            if kind == "\n":
                newline = True
            elif kind != "c":
                return newline, self.text[start : start + 10]
        return True, ""

    def _is_complete(self, item: Sequence[int], at: int, high: int) -> bool:
        """Whether a member ends at the line end that is token ``at``.

        Not after an operator, comma or backslash, not if the next code goes on (``.x``, ``&&``,
        ``{`` …), and not if the tokens ``item`` are a decorator or attribute alone. high: where the
        next code is no longer looked for.
        """
        start, end = self.tokens[item[0]][1], self.end_of(item[-1])
        if self.text[end - 1] in "=,+&|\\" or self.text.endswith(("=>", "->"), start, end):
            return False
        if _GOES_ON.match(self._following(at, high)[1]):
            return False
        return self.text[start] not in "@#[" or not _DECORATOR.fullmatch(self._item(item).flat)

    def _ends_block(self, at: int, high: int) -> bool:
        """Whether a member ends with the curly bracket that token ``at`` opens.

        Not if ``;``, ``,``, ``)`` or ``=`` follows it; in code, not without a line end behind it or
        before ``else``, ``catch``, ``finally`` and a call with a dot.
        """
        newline, below = self._following(at, high)
        if below[:1] in (";", ",", ")", "="):
            return False
        return not self.dialect.is_code or (newline and not _BLOCK_GOES_ON.match(below))

    # --- members ---

    def member(
        self, item: Sequence[int], top: int, after: int, parting: str, *, is_enum: bool = False
    ) -> Member:
        """The member that the tokens ``item`` (their numbers) are. Lets other work run meanwhile.

        Its ``start`` is behind its decorators, attributes and ``public:``. top, after: the member's own offsets of
        these names. Its key is as ``_key`` says, else the words before its bracket if that holds members, else,
        where directives are read, its first word. Below ``_DEEPEST`` levels nothing is looked for inside.
        """
        yield_point()
        words = self._item(item)
        cut = 0
        for pattern, applies in (
            (_DECORATORS, not self.dialect.is_style),
            (_ATTRIBUTES, self.language == "csharp"),
            (_ACCESS, self.language in ("c", "cpp")),
        ):
            found = pattern.match(words.flat, cut) if applies else None
            cut = found.end() if found is not None and found.end() < len(words.flat) else cut
        start, end = words.offsets.get(cut, self.tokens[item[0]][1]), self.end_of(item[-1])
        value = _VALUE.search(words.flat, cut)
        inner, head = None, ""
        if value is not None:
            at = words.token_of(value.start())
            head = " ".join(self.text[start : self.tokens[at][1]].split())
            if self._depth <= _DEEPEST:
                inner = self._inner(words.flat[cut : value.start()].rstrip(), at)
        is_block = value is not None and value["bracket"] == _CURLY
        key = self._key(words, cut, head if is_block else "", is_enum=is_enum, parting=parting)
        directive: tuple[str, ...] = ()
        if not key and inner is not None:
            key = head
        elif not key and self._has_directives and not _BARE.fullmatch(words.flat, cut):
            directive = tuple(_WORD.findall(self.text, start, end)) or (self.text[start:end],)
            key = directive[0]
        kind = directive[0] if directive else ""
        return Member(key, top, start, end, after, inner, directive, kind=kind)

    def _item(self, item: Sequence[int]) -> _Item:
        """The tokens of a member as one text, in which a single sign stands for each string and for each bracket
        with its content; parameters of types (``<T>``) are left out, blanks between tokens become one. With it the
        strings, the brackets' token numbers, and the offsets of the tokens.
        """
        flat: list[str] = []
        strings: list[str] = []
        opened: list[int] = []
        offsets: dict[int, int] = {}
        place, last = 0, self.tokens[item[0]][1]
        for at in item:
            kind, start, end = self.tokens[at]
            sign = self.text[start:end]
            if kind == "o":
                sign = _SIGNS[sign]
                opened.append(at)
            elif kind == "s":
                strings.append(sign)
                sign = _STRING
            elif kind == "g":
                sign = ""
            blank = " " if start > last else ""
            offsets[place + len(blank)] = start
            flat.append(blank + sign)
            place += len(flat[-1])
            last = self.end_of(at)
        return _Item("".join(flat), strings, opened, offsets)

    # --- what a member is compared by ---

    def _key(self, words: _Item, cut: int, head: str, *, is_enum: bool, parting: str) -> str:
        """The key by which a member is compared: its name, with ``()`` for a function where no commas part members,
        with its keyword for a type (``class Cart``); a string before ``:`` or ``=`` without its quotes; in style
        sheets and settings the words before its curly bracket or its sign. Empty for an element of a list, an
        import, a statement and a directive.

        cut: where the member begins in ``words.flat``. head: what stands before a curly bracket that it ends in,
        else empty.
        """
        bare, code = words.flat[cut:], self.dialect.is_code
        if _QUOTED.match(bare):
            return words.strings[words.flat.count(_STRING, 0, cut)][1:-1]
        if self.dialect.is_style:
            left, sign, _ = bare.partition(":")
            return head or (left.strip() if sign and not bare.startswith("@") else "")
        if (is_enum or bare.startswith("case ")) and (found := _CONSTANT.match(bare)):
            return found["name"]
        if self.dialect.is_name_first:
            return self._first_name(words, bare, head)
        if not code:
            return self._name_of_setting(bare, head)
        if _IMPORT.match(bare):
            return ""
        if named := _type_in(bare):
            return named
        if self.language == "rust":
            bare = re.sub(rf"^pub\s*{_ROUND}?\s*", "", bare)
        if (found := _CALLABLE.match(bare)) and not found["left"].startswith("return"):
            is_call = self.language in ("kotlin", "groovy") and not _FUNCTION.search(found["left"])
            return "" if is_call else found["name"] if parting == "," else f"{found['name']}()"
        if found := _ASSIGNED.match(bare.lstrip(":")):
            return found["name"]
        if _INDEX.match(bare):
            at = words.token_of(cut)
            return self.text[self.tokens[at][1] : self.end_of(at)]
        if parting == "," and _SHORTHAND.fullmatch(bare):
            return bare
        declared = _DECLARED.match(bare) if self.language not in ("kotlin", "groovy") else None
        return declared[1] if declared is not None and declared[1] != "default" else ""

    def _name_of_setting(self, bare: str, head: str) -> str:
        """The name of a block or a value in a language that is no code.

        head: the words before its curly bracket; they are the name without ``=`` and ``:`` if there
        are any. Else the only word before ``=`` or ``:`` (in protobuf the last), or a lone word
        where no directives are read; empty for all else.
        """
        if head:
            return head.rstrip(" =:")
        found = _ASSIGNED.match(bare)
        is_field = self.language in ("protobuf", "proto")
        if found is not None and (is_field or not found["left"].strip()):
            return found["name"]
        return bare if _SHORTHAND.fullmatch(bare) and not self._has_directives else ""

    def _first_name(self, words: _Item, bare: str, head: str) -> str:
        """The name of a member whose first word it is: in Go, go.mod, SQL, GraphQL and Prisma.

        A function is ``f()``, a method ``Type.f()``, an import of Go its path, a statement of SQL that creates or
        alters something its lower-case head, all other members that end in a curly bracket, but in Go, the words
        before it (head). Else the first word, behind ``const``, ``var`` or ``type``, with ``*`` before it. Empty
        for other statements and constraints of SQL, and if no name stands at the beginning.
        """
        if found := _RECEIVED.match(bare):
            at = words.opened[0] if found["receiver"] else -1
            holder = self.text[self.tokens[at][2] : self.end_of(at) - 1] if at >= 0 else ""
            names = re.findall(r"\w+", holder.partition("[")[0])
            return ".".join((*names[-1:], f"{found['name']}()"))
        if self.language == "go" and _IMPORTED.fullmatch(bare):
            return words.strings[0][1:-1]
        if self.language == "sql" and _CLAUSE.match(bare.lstrip("/ ")):
            created = _CREATED.match(bare.lstrip("/ "))
            return " ".join(created[0].lower().split()) if created else ""
        if head and self.language != "go":
            return head
        bare = re.sub(r"^(?:const|var|type)\s+(?=\w)", "", bare)
        named = re.match(r"[*&]?[\w./-]+", bare)
        return named[0] if named else ""

    # --- what a member holds ---

    def _inner(self, before: str, at: int) -> Container | None:
        """The container that the bracket of token ``at`` opens; ``None`` if it holds no members.

        Curly and round ones by the words ``before`` the bracket (``_in_curly``, ``_in_round``). Square ones as
        keyed members in PHP, Swift, Elixir and Groovy, if all have a key with its sign; else as a list, if an
        element holds members, and ``None`` if none does.
        """
        low, high = at + 1, self.closing[at]
        bracket = self.text[self.tokens[at][1]]
        if bracket == "{":
            return self._in_curly(before, low, high)
        if bracket == "(":
            return self._in_round(before, low, high)
        if self.language in ("php", "swift", "elixir", "groovy"):
            keyed = self._if_keyed(low, high, is_signed=True)
            if keyed is not None:
                return keyed
        elements = self.container(low, high, is_object=True)
        holds = any(member.inner is not None for member in elements.members)
        return replace(elements, is_list=True) if holds else None

    def _in_curly(self, before: str, low: int, high: int) -> Container | None:
        """Tokens ``low .. high`` in curly brackets as members. Always in JSON; in settings and style sheets unless
        it is a function's body.

        In code only for a type's body, a block after a lone word in Kotlin and Groovy, and, but in Kotlin, Swift
        and Scala, an object whose members all have keys, behind ``=``, ``:``, ``return`` or the like. ``None`` for
        all others: statements, lambdas. before: the words before the bracket.
        """
        if self.dialect.is_json:
            return self.container(low, high)
        if not self.dialect.is_code:
            is_body = before.endswith(_ROUND) and not self.dialect.is_style
            if is_body or before.startswith("@function"):
                return None
            return self.container(low, high, has_directives=True)
        if before.endswith(("=>", "->")) or _CONTROL.match(before) or _FUNCTION.search(before):
            return None
        if found := _TYPE.search(before):
            is_enum = re.search(r"\benum\b", before) is not None
            is_body, is_scope = found["kind"] in _BODIES, found["kind"] in _SCOPES
            return self.container(low, high, is_enum=is_enum, is_scope=is_scope, is_body=is_body)
        if self.language in ("kotlin", "groovy") and re.fullmatch(rf"[\w.]+\s*{_ROUND}?", before):
            return self.container(low, high, has_directives=True)
        if self.language in ("kotlin", "swift", "scala") or _CALLABLE.match(before):
            return None
        return self._if_keyed(low, high) if _OBJECT.search(before) else None

    def _in_round(self, before: str, low: int, high: int) -> Container | None:
        """Tokens ``low .. high`` in round brackets as members: groups of Go, columns of an SQL table, maps of style
        sheets, fields in a type's head, and arguments.

        Of a call the object that is its last argument, else (in Python, Kotlin, Swift and an unknown language) its
        arguments, if all are given by name. ``None`` for all other brackets, and, but in Go and SQL, if a member
        has no key. before: the words before the bracket.
        """
        if self.language in ("go", "go.mod") and _GROUP.fullmatch(before):
            return self.container(low, high)
        if self.language == "sql":
            is_table = _TABLE.match(before) is not None
            return (
                self.container(low, high, is_object=True, has_directives=True) if is_table else None
            )
        if self.dialect.is_style:
            is_map = re.fullmatch(r"\$[\w-]+\s*:", before)
            return self._if_keyed(low, high, is_signed=True) if is_map else None
        if self.dialect.is_code and _TYPE.search(before):
            return self._if_keyed(low, high)  # fields in the head of a class
        if not re.search(r"[\w$]$", before) or _FUNCTION.search(before) or _CONTROL.match(before):
            return None
        if (last := self._last_argument(low, high)) is not None:
            return last
        if self.language in ("python", "kotlin", "swift", ""):
            return self._if_keyed(low, high, is_signed=True)
        return None

    def _last_argument(self, low: int, high: int) -> Container | None:
        """The members of the object that is a call's last argument, as in ``defineConfig({ … })``;
        ``None`` without one, or if one of its members has no key. In PHP the argument may be in
        square brackets.
        """
        tokens = [at for at in self.outer(low, high) if self.tokens[at][0] not in ("\n", "c")]
        if tokens and self.tokens[tokens[-1]][0] == ",":
            del tokens[-1]
        if not tokens or self.tokens[tokens[-1]][0] != "o":
            return None
        at = tokens[-1]
        is_alone = len(tokens) == 1 or self.tokens[tokens[-2]][0] == ","
        brackets = "{[" if self.language == "php" else "{"
        if not is_alone or self.text[self.tokens[at][1]] not in brackets:
            return None
        return self._if_keyed(at + 1, self.closing[at])

    def _if_keyed(self, low: int, high: int, *, is_signed: bool = False) -> Container | None:
        """The tokens ``low .. high`` as members that commas separate; ``None`` if one has no key.

        is_signed: also ``None`` without members, or if one has no sign (``=``, ``:``, ``=>``)
        behind its key.
        """
        found = self.container(low, high, is_object=True)
        if is_signed and not found.members:
            return None
        for member in found.members:
            if not member.key:
                return None
            if is_signed and not _SIGNED.match(self.text, member.start, member.end):
                return None
        return found


def _type_in(bare: str) -> str:
    """The keyword and name of a type that a member declares, as ``class Cart``; of an ``impl`` all words before its
    bracket, of a type without a name there the words behind the bracket (``typedef struct { … } Cart``). Empty if
    the member does not end in a bracket, or no keyword of a type stands before it.

    bare: the member's text with signs for strings and brackets.
    """
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
