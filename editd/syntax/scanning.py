"""Names, strings, numbers and comments of languages without a parser, by a few rules for each.

Rules cannot know everything: a text with something that they are not made for (here documents, raw strings, markup between tags) leaves a text
without tokens, so that nothing is decided on them. Standard library only.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator
from dataclasses import dataclass
from functools import cache
from typing import cast

from editd.syntax.tokens import Token, TokenKind

_DOUBLE, _SINGLE, _BACKTICK = r'"(?:[^"\\\n]|\\.)*"', r"'(?:[^'\\\n]|\\.)*'", r"`[^`]*`"
_BLOCK = r"/\*[\s\S]*?\*/"
_KEY = r'"(?P<key_name>[^"\\\n]*)"(?=\s*:)'
_BRACED = r"\$\{?(?P<name>[^\W\d]\w*)"
SIGNED = frozenset(["php", "ruby", "elixir", "less", "scss"])
"""Languages in which a sign may be part of a name."""
_MARKUP = frozenset(["html", "vue", "svelte", "xml"])
_NEAR = 80  # characters before a word that say what it is
_OWNER = re.compile(r"(?<![\w$@])[$@]*(\w*)[)\]]?\s*(?:\?\.|\.|->|::)$")
_FUNCTION = re.compile(r"(?m)^[ \t]*(?:function\s+([\w-]+)|([\w-]+)\s*\(\))")
_DECLARING = re.compile(
    r"\b(?:local|export|readonly|declare|typeset|read|unset|for|getopts)\s+(?:[-\w=]+\s+)*$"
)
# Markup: what stands in tags and in the brackets of templates is code, what stands between them is text.
_BRACKETS = re.compile(
    r"\{\{[\s\S]{0,2000}?\}\}|\{%[\s\S]{0,2000}?%\}|<%[\s\S]{0,2000}?%>|\$\{[^}]{0,2000}\}|\{[#/:@]?[^{}\n]{0,2000}\}"
)
_TEMPLATE = re.compile(
    rf"(?P<comment><!--[\s\S]*?-->|\{{#[\s\S]*?#\}})|(?P<code>{_BRACKETS.pattern})"
    r"|(?P<script><(?:script|style)\b[\s\S]*?</(?:script|style)>)|(?P<open><!--|<%|</?script|</?style|\{[{%#])"
    r"|(?P<tag></?[a-zA-Z](?:\"[^\"]{0,2000}\"|'[^']{0,2000}'|[^<>\"'])*+>)|(?P<text>[^<{$]+|.)",
    re.DOTALL,
)
# Attributes whose values are code: Vue's, Svelte's, Angular's, and what is done on an event.
_ATTRIBUTE = re.compile(r"(?P<name>[\w:@.#*()\[\]-]+)\s*=\s*(?P<value>\"[^\"]*\"|'[^']*')")
_OF_CODE = re.compile(r"[@:#*(\[]|v-|on\w+$|bind:|x-|ng-|let:|use:|class:", re.IGNORECASE)
_HYPHENATED = _MARKUP | frozenset(
    "clojure elisp css scss less nix makefile json jsonc yaml toml ini".split()  # noqa: SIM905
)


def scanned_tokens(text: str, language: str) -> list[Token] | None:
    """The names, literals and comments by a language's rules, in order; ``None`` if the language has none, a string
    or comment does not end, or the text has something that the rules cannot read, such as a heredoc.
    """
    if language == "yaml":
        blocks = list(_block_scalars(text))
        plain = text
        for mark, _, end in blocks:
            body = re.sub(r"[^\n]", " ", text[mark:end])
            plain = f"{plain[:mark]}{body}{plain[end:]}"
        found = _scanned(plain, _RULES["yaml"])
        texts = [Token("string", start, end, text[start:end]) for _, start, end in blocks]
        return None if found is None else sorted([*found, *texts], key=lambda x: x.start)
    if language in _RULES:
        return _scanned(text, _RULES[language])
    return _of_markup(text) if language in _MARKUP else None


@dataclass(frozen=True, slots=True)
class _Rules:
    """Patterns by which the tokens of a language are found.

    comment, text, name: of a whole comment, string and name. inside: of names in a string in double quotes, with a group
    ``name``. key: of a key in quotes, with a group ``key_name`` inside. hidden: of text that these rules cannot read.
    has_members: a name behind a dot is another object's.
    """

    comment: str
    text: str
    name: str = r"[^\W\d]\w*"
    inside: str = ""
    key: str = r"(?!)"
    hidden: str = ""
    has_members: bool = True


_LISP = _Rules(
    r";[^\n]*",
    r'"(?:[^"\\]|\\.)*"|\\.',
    r"[^\s()\[\]{}\"',;`~@^\\#:|]+",
    hidden=r"#\||#_",
    has_members=False,
)
_CURLY = _Rules(rf"//[^\n]*|{_BLOCK}", rf"{_DOUBLE}|{_SINGLE}", hidden=r'"""')
_SHELL = _Rules(
    r"(?:(?<=[\s;&|(])|^)#[^\n]*",
    r'"(?:[^"\\]|\\.)*"' + r"|'[^']*'",
    r"\$\{?[\w]+|[^\s$\"'`;&|()<>{}=+]+(?:(?==)|(?=\+=))|[^\s$\"'`;&|()<>{}=+]+",
    inside=_BRACED,
    hidden=r"<<-?\s*[\"'\\]?\w",
    has_members=False,
)
_STYLE = _Rules(_BLOCK, rf"{_DOUBLE}|{_SINGLE}", r"[\w-]+", has_members=False)
_RULES = {
    "sql": _Rules(rf"--[^\n]*|{_BLOCK}", r"'(?:[^']|'')*'", has_members=False, hidden=r"\$\w*\$"),
    "clojure": _LISP,
    "elisp": _LISP,
    "kotlin": _Rules(_CURLY.comment, _CURLY.text, inside=_BRACED, hidden=r'"""'),
    "dart": _Rules(_CURLY.comment, _CURLY.text, inside=_BRACED, hidden=r"\"\"\"|'''|\br['\"]"),
    "swift": _Rules(_CURLY.comment, _DOUBLE, inside=r"\\\((?P<name>[^\W\d]\w*)", hidden=r'"""|#"'),
    "csharp": _Rules(_CURLY.comment, _CURLY.text, inside=r"\{(?P<name>[^\W\d]\w*)", hidden=r'"""|(?<![\w"@.])@\$?"'),
    "cpp": _Rules(_CURLY.comment, _CURLY.text, hidden=r'R"'),
    "scala": _Rules(_CURLY.comment, _CURLY.text, inside=_BRACED, hidden=r'"""'),
    "zig": _Rules(r"//[^\n]*", rf"{_DOUBLE}|{_SINGLE}", hidden=r"\\\\"),
    "protobuf": _CURLY,
    "php": _Rules(
        rf"(?://|\#(?!\[))[^\n]*|{_BLOCK}", r'"(?:[^"\\]|\\.)*"' + r"|'(?:[^'\\]|\\.)*'", r"\$?[^\W\d]\w*",
        inside=r"(?P<name>\$[^\W\d]\w*)", hidden=r"<<<|\?>",
    ),
    "ruby": _Rules(
        r"(?<![\"'#\w])#(?!\{)[^\n]*", rf"{_DOUBLE}|{_SINGLE}", r"(?:@@?|\$)?[^\W\d]\w*[?!]?", inside=r"#\{(?P<name>@?[^\W\d]\w*)",
        hidden=r"<<[-~]?[A-Z\"']|^=begin|%[wWqQiIr]?[(\[{|!]|(?<=[(,=~ ])/(?![ =])|`",
    ),
    "lua": _Rules(r"--(?!\[\[)[^\n]*", rf"{_DOUBLE}|{_SINGLE}", hidden=r"\[=*\["),
    "bash": _SHELL,
    "zsh": _SHELL,
    "makefile": _Rules(r"#[^\n]*", r"(?!)", r"[\w.-]+", has_members=False),
    "css": _STYLE,
    "scss": _Rules(rf"//[^\n]*|{_BLOCK}", _STYLE.text, r"[$\w-]+", has_members=False),
    "less": _Rules(rf"//[^\n]*|{_BLOCK}", _STYLE.text, r"@?[\w-]+", has_members=False),
    "nix": _Rules(rf"#[^\n]*|{_BLOCK}", _DOUBLE, r"[^\W\d][\w'-]*", inside=r"\$\{(?P<name>[\w'-]+)", hidden=r"''"),
    "r": _Rules(r"#[^\n]*", rf"{_DOUBLE}|{_SINGLE}", r"[^\W\d][\w.]*", has_members=False),
    "julia": _Rules(r"#[^\n]*", _DOUBLE, inside=_BRACED, hidden=r'"""|#='),
    "json": _Rules(r"(?!)", _DOUBLE, r"(?!)", key=_KEY, has_members=False),
    "jsonc": _Rules(_CURLY.comment, _DOUBLE, r"(?!)", key=_KEY, has_members=False),
    "yaml": _Rules(
        r"(?:(?<=\s)|^)#[^\n]*", r'"(?:[^"\\]|\\.)*"' + r"|(?<!\w)'(?:[^']|'')*'", r"(?<![\w./-])[\w./-]++(?=[ \t]*:(?:\s|$))",
        key=_KEY, hidden=r"[|>][-+]?\d?[ \t]*$", has_members=False,
    ),
    "toml": _Rules(
        r"#[^\n]*", rf"{_DOUBLE}|'[^'\n]*'", r"(?<![\w-])[\w-]++(?=[ \t]*(?:=|\.[\w.-]{1,200}[ \t]*=))|(?<=[\[.])[\w-]++(?=[\].])",
        key=r'"(?P<key_name>[^"\\\n]*)"(?=\s*=)', hidden=r"\"\"\"|\'\'\'", has_members=False,
    ),
    "ini": _Rules(r"^[ \t]*[;#][^\n]*", r"(?!)", r"^[ \t]*+[\w.-]++(?=[ \t]*[=:])", has_members=False),
    "dockerfile": _Rules(
        r"^[ \t]*#[^\n]*", r'"(?:[^"\\]|\\.)*"' + r"|'[^']*'", r"\$\{?\w+|(?<=ARG )\w+|(?<=ENV )\w+|(?<!\w)\w++(?==)",
        inside=_BRACED, has_members=False,
    ),
    "elixir": _Rules(r"#(?!\{)[^\n]*", rf"{_DOUBLE}|{_SINGLE}", r"@?[^\W\d]\w*[?!]?", inside=r"#\{(?P<name>[^\W\d]\w*)",
                     hidden=r'"""|~[a-zA-Z]'),
}  # fmt: skip


_SCALAR = re.compile(
    r"(?P<lead> *(?:- +)*)(?:[^#\s][^#\n]*?:(?: +[!&]\S+)* +|- +)?(?<=[: -])(?P<mark>[|>][-+\d]{0,2})[ \t]*(?:#.*)?\n?"
)


def _block_scalars(text: str) -> Iterator[tuple[int, int, int]]:
    """Yield the offset of the sign of each block scalar of a YAML text (``run: |``), and the start and end of its lines, which are indented
    deeper than its key.
    """
    at, lines = 0, text.splitlines(keepends=True)
    number = 0
    while number < len(lines):
        line = lines[number]
        head = _SCALAR.fullmatch(line)
        start = at + len(line)
        at, number = start, number + 1
        if head is None:
            continue
        lead = head["lead"]
        is_bare = not line[head.end("lead") : head.start("mark")].strip()
        depth = lead.rfind("-") if is_bare else len(lead)
        while number < len(lines) and (not lines[number].strip() or _depth(lines[number]) > depth):
            at += len(lines[number])
            number += 1
        if at > start:
            yield start - len(line) + head.start("mark"), start, at


def _depth(line: str) -> int:
    """The number of blanks with which a line begins."""
    return len(line) - len(line.lstrip(" "))


@cache
def _scanner(rules: _Rules) -> re.Pattern[str]:
    return re.compile(
        rf"(?P<comment>{rules.comment})|(?P<key>{rules.key})|(?P<string>{rules.text})|(?P<number>(?<![\w.$-])\d[\w.]*)|(?P<name>{rules.name})"
        r"|(?P<open>[\"']|/\*)",
        re.MULTILINE,
    )


def _scanned(text: str, rules: _Rules) -> list[Token] | None:
    """The tokens by these rules, in order; ``None`` if the text has something that the rules cannot read
    (``hidden``, such as a heredoc), or a string or comment without an end. Names inside a string follow the string.
    """
    if rules.hidden and re.search(rules.hidden, text, re.MULTILINE):
        return None
    found: list[Token] = []
    functions = frozenset(a or b for a, b in _FUNCTION.findall(text)) if rules is _SHELL else ()
    for at in _scanner(rules).finditer(text):
        kind = at.lastgroup
        if kind == "open":
            return None  # a text that does not end
        if kind == "name":
            found.append(_name_token(at, text, rules, functions))
        elif kind == "key":
            found.append(Token("name", *at.span("key_name"), at["key_name"]))
        elif kind in ("comment", "string", "number"):
            found.append(Token(cast("TokenKind", kind), at.start(), at.end(), at[0]))
        if kind == "string" and rules.inside and at[0][0] == '"':
            found += _inside(at, rules)
    return found


def _name_token(at: re.Match[str], text: str, rules: _Rules, functions: Collection[str]) -> Token:
    """The token of a name, without the sign before it where names have no members; a member behind
    ``.``, ``->`` or ``::``, with the word before it as ``of``.

    functions: those of a shell script.
    """
    start, name = at.start(), at[0]
    if rules is _SHELL:
        return _in_shell(start, name, text, functions)
    if sigil := re.match(r"\$\{?|\s+", name) if not rules.has_members else None:
        start += sigil.end() if name[sigil.end() :].isidentifier() else 0
        name = text[start : at.end()]
    if rules.has_members and text.endswith((".", "->", "::"), 0, start):
        before = _OWNER.search(text[max(0, start - _NEAR) : start])
        return Token("member", start, at.end(), name, before[1] if before else "")
    return Token("name", start, at.end(), name)


def _in_shell(start: int, word: str, text: str, functions: Collection[str]) -> Token:
    """The token of a word in a shell: a name behind ``$`` (without it), before ``=`` or ``+=``,
    where it is declared, in ``((…))``, or if it is a function's; else a string.

    start: the word's offset.
    """
    if sigil := re.match(r"\$\{?(?=\w)", word):
        return Token("name", start + sigil.end(), start + len(word), word[sigil.end() :])
    line = text[max(text.rfind("\n", 0, start) + 1, start - _NEAR) : start]
    is_name = (
        re.match(r"\+?=", text[start + len(word) :])
        or _DECLARING.search(line)
        or line.count("((") > line.count("))")
        or word in functions
    )
    return Token("name" if is_name else "string", start, start + len(word), word)


def _inside(at: re.Match[str], rules: _Rules) -> Iterator[Token]:
    """Yield the names inside a string in double quotes, where ``rules.inside`` finds them."""
    for name in re.finditer(rules.inside, at[0]):
        start, end = (at.start() + place for place in name.span("name"))
        yield Token("name", start, end, name["name"])


def _of_markup(text: str) -> list[Token] | None:
    """The tokens of tags and templates, in order: comments, strings (values of attributes that are no code, and
    quoted text in templates), text between tags as a ``docstring``, a word behind a dot as a ``member`` (but behind
    ``this.`` and ``self.``), and all other words as names, of tags and attributes too.

    ``None`` if a comment, tag or template has no end, or a script or style sheet holds a string or comment.
    """
    found: list[Token] = []
    for at in _TEMPLATE.finditer(text):
        kind, start = at.lastgroup, at.start()
        if kind == "open" or (kind == "script" and re.search(r"//|/\*|[\"'`]", at[0])):
            return None
        if kind in ("comment", "text"):
            found.append(
                Token("comment" if kind == "comment" else "docstring", start, at.end(), at[0])
            )
            continue
        code = at[0]
        texts = list(_texts_in_tag(code)) if kind == "tag" else []
        if kind == "code":
            texts = [x.span() for x in re.finditer(rf"{_DOUBLE}|{_SINGLE}", code)]
        found += [Token("string", start + a, start + b, code[a:b]) for a, b in texts]
        found += [
            Token(
                "member" if word["of"] else "name",
                start + word.start("word"),
                start + word.end(),
                word["word"],
            )
            for word in re.finditer(
                r"(?P<of>(?<!this)(?<!self)\.)?(?<![\w-])(?P<word>[^\W\d][\w-]*)", code
            )
            if not any(a <= word.start() < b for a, b in texts)
        ]
    return sorted(found, key=lambda token: token.start)


def _texts_in_tag(tag: str) -> Iterator[tuple[int, int]]:
    """Yield start and end, in the tag, of the values of attributes that are no code, with their
    quotes and cut at templates in them.
    """
    for attribute in _ATTRIBUTE.finditer(tag):
        start, end = attribute.span("value")
        if _OF_CODE.match(attribute["name"]):
            continue
        for code in _BRACKETS.finditer(tag, start, end):
            yield start, code.start()
            start = code.end()
        yield start, end


def with_sigil(name: str, tokens: list[Token]) -> str:
    """The name with the sign that the text writes before it: ``$total`` for "total"; the name
    itself if none is written.

    Empty if the text has it with and without a sign, or with several, or if ``name`` has a sign and
    a member is called so without it: a property and its declaration may be meant.
    """
    if not name[:1].isalpha() and any(
        x.kind == "member" and x.text == name.lstrip("$@") for x in tokens
    ):
        return ""
    found = {token.text for token in tokens if token.kind in ("name", "member")}
    signed = [f"{sign}{name}" for sign in ("$", "@", "@@") if f"{sign}{name}" in found]
    return ("" if name in found or len(signed) > 1 else signed[0]) if signed else name


def name_pattern(language: str) -> str:
    """A pattern, as text, for a whole name of the language: with hyphens in markup, style sheets
    and Lisps, and with signs before and behind (``$a``, ``@a``, ``a?``) where names may have them.
    """
    if language in _HYPHENATED:
        return r"[$@]?[^\W\d][\w-]*[?!]?"
    return r"[$@]{0,2}[^\W\d]\w*[?!]?" if language in SIGNED else r"[^\W\d]\w*"
