"""Containers in brackets, with their members: objects, rules, structs, enums, classes, groups of imports, named arguments.

One reader for some thirty languages, whole texts and fragments alike, since what a paste shows does not parse. It
knows what separates two members, and by the words before a bracket whether that opens members, statements or a list.
Strings, comments and brackets are told apart in ``bracket_tokens``, and members get their keys in ``member_keys``.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace

from editd.syntax.bracket_tokens import BRACKET, CURLY, ROUND, SQUARE, STRING, BracketTokens
from editd.syntax.containers import Container, Member
from editd.syntax.dialects import Dialect, dialect_of
from editd.syntax.member_keys import CALLABLE, FUNCTION, TYPE, VALUE, key_of
from editd.turns import yield_point

_DEEPEST = 60  # brackets within brackets; deeper ones hold no members

# Types in whose bodies no comma parts members.
_SCOPES = ("namespace", "module", "mod")
_BODIES = (*_SCOPES, "class", "impl", "trait", "extension", "protocol", "actor", "object")
# What opens statements.
_CONTROL = re.compile(
    r"[\s}]*(?:if|else|for|foreach|while|until|unless|do|switch|match|with|try|catch|finally|loop|unsafe|defer|guard|"
    r"select|synchronized|using|lock|fixed|init|deinit|static|get|set|when|repeat|begin|async)\b(?!\s*[:=])"
)
# What opens an object: a sign before the bracket, or a type's name behind one.
_OBJECT = re.compile(
    rf"(?:^|=|:|\(|\[|,|\?|\|\||&&|\breturn|\bdefault|(?:=|:|\breturn|\bnew)\s*[&*]?[\w.:{SQUARE}*]+{ROUND}?)\s*$"
)
# What stands before a member's name.
_DECORATORS = re.compile(rf"(?:@[\w.:]+\s*{ROUND}?\s+|#!?\s*{SQUARE}\s*)+")
_DECORATOR = re.compile(rf"(?:@[\w.:]+\s*{ROUND}?|#!?\s*{SQUARE})")
_ATTRIBUTES = re.compile(rf"(?:{SQUARE}\s*)+(?=\w)")  # of C#
_ACCESS = re.compile(
    r"(?:(?:public|protected|private|signals|(?:public |private )?slots)\s*:(?!:)\s*)+"
)
# Words of a member.
_BARE = re.compile(rf"{STRING}|{BRACKET}|[\d.+-]+")  # an element of a list
_WORD = re.compile(r"[^\s:\"'`(),;={}]+")
_SIGNED = re.compile(r"""(?:"[^"\n]*"|'[^'\n]*'|[\w.$:-]+)\s*(?:=>|=(?!=)|:(?!:))""")
# Go and SQL.
_GROUP = re.compile(r"import|const|var|type|require|replace|exclude|retract|use")
_TABLE = re.compile(r"[/\s]*create\b.*\b(?:table|type)\b", re.IGNORECASE | re.DOTALL)
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


class BracketReader(BracketTokens):
    """The tokens of text ``start .. end``, from which containers with their members are read."""

    def __init__(
        self, text: str, language: str, dialect: Dialect, start: int = 0, end: int | None = None
    ) -> None:
        super().__init__(text, language, dialect, start, end)
        self._depth = 0
        self._has_directives = False

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
        return self.text[start] not in "@#[" or not _DECORATOR.fullmatch(self.flat_text(item).flat)

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
        these names. Its key is as ``key_of`` says, else the words before its bracket if that holds members, else,
        where directives are read, its first word. Below ``_DEEPEST`` levels nothing is looked for inside.
        """
        yield_point()
        words = self.flat_text(item)
        cut = 0
        for pattern, applies in (
            (_DECORATORS, not self.dialect.is_style),
            (_ATTRIBUTES, self.language == "csharp"),
            (_ACCESS, self.language in ("c", "cpp")),
        ):
            found = pattern.match(words.flat, cut) if applies else None
            cut = found.end() if found is not None and found.end() < len(words.flat) else cut
        start, end = words.offsets.get(cut, self.tokens[item[0]][1]), self.end_of(item[-1])
        value = VALUE.search(words.flat, cut)
        inner, head = None, ""
        if value is not None:
            at = words.token_of(value.start())
            head = " ".join(self.text[start : self.tokens[at][1]].split())
            if self._depth <= _DEEPEST:
                inner = self._inner(words.flat[cut : value.start()].rstrip(), at)
        is_block = value is not None and value["bracket"] == CURLY
        key = key_of(
            words,
            cut,
            head if is_block else "",
            self,
            is_enum=is_enum,
            parting=parting,
            has_directives=self._has_directives,
        )
        directive: tuple[str, ...] = ()
        if not key and inner is not None:
            key = head
        elif not key and self._has_directives and not _BARE.fullmatch(words.flat, cut):
            directive = tuple(_WORD.findall(self.text, start, end)) or (self.text[start:end],)
            key = directive[0]
        kind = directive[0] if directive else ""
        return Member(key, top, start, end, after, inner, directive, kind=kind)

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
            is_body = before.endswith(ROUND) and not self.dialect.is_style
            if is_body or before.startswith("@function"):
                return None
            return self.container(low, high, has_directives=True)
        if before.endswith(("=>", "->")) or _CONTROL.match(before) or FUNCTION.search(before):
            return None
        if found := TYPE.search(before):
            is_enum = re.search(r"\benum\b", before) is not None
            is_body, is_scope = found["kind"] in _BODIES, found["kind"] in _SCOPES
            return self.container(low, high, is_enum=is_enum, is_scope=is_scope, is_body=is_body)
        if self.language in ("kotlin", "groovy") and re.fullmatch(rf"[\w.]+\s*{ROUND}?", before):
            return self.container(low, high, has_directives=True)
        if self.language in ("kotlin", "swift", "scala") or CALLABLE.match(before):
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
        if self.dialect.is_code and TYPE.search(before):
            return self._if_keyed(low, high)  # fields in the head of a class
        if not re.search(r"[\w$]$", before) or FUNCTION.search(before) or _CONTROL.match(before):
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
