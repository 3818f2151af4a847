"""Lines of a text that stand wholly inside a comment or a string, where a sign that means something in code means nothing.

By Python's tokenizer, by tree-sitter where a grammar is installed, else by the signs that open and close comments and
strings of several lines.
"""

from __future__ import annotations

import io
import re
import tokenize
from collections.abc import Iterable, Iterator

from editd.syntax.trees import Node, parse_tree

_MOST = 200_000  # characters of a text that is parsed for its comments and strings
# What opens and closes comments and strings of several lines, and where.
_SIGNS = (
    (r'"""', r'"""', "python julia elixir kotlin scala swift java dart nim groovy csharp gleam"),
    (r"'''", r"'''", "python dart groovy toml nix"),
    (r"/\*", r"\*/", "cpp kotlin scala swift csharp dart php css scss less sql hcl groovy protobuf d objc objcpp vue svelte"),
    (r"<!--", r"-->", "html xml vue svelte"),
    (r"--\[(=*)\[", r"\](=*)\]", "lua"),
    (r"\{-", r"-\}", "haskell elm"),
    (r"\(\*", r"\*\)", "ocaml fsharp"),
    (r"<#", r"#>", "powershell"),
    (r"#=", r"=#", "julia"),
    (r"(?m)^=begin\b", r"(?m)^=end\b", "ruby"),
    (r"(?m)^=\w+", r"(?m)^=cut\b", "perl"),
)  # fmt: skip

Lines = tuple[int, int]
"""Numbers of the first and the last line of a comment or string, from 0."""


def quoted_lines(text: str, language: str) -> set[int]:
    """Numbers (from 0) of the lines inside a comment or string that begins above and ends below them."""
    return set(_between(_comments_and_strings(text, language)))


def _comments_and_strings(text: str, language: str) -> Iterable[Lines]:
    """The first and last line (0-based) of each string of a Python text, by its tokenizer, or of each comment and
    string of three lines or more in another language, by its syntax tree; in no order.

    By ``_SIGNS`` (what opens and closes long ones) alone if the tokenizer fails, the language has no parser, or the
    text exceeds 200,000 characters; empty if these do not know the language either.
    """
    if len(text) <= _MOST:
        if language == "python":
            try:
                return list(_by_tokenizer(text))
            except (tokenize.TokenError, SyntaxError):
                pass
        elif (root := parse_tree(text, language)) is not None:
            return _by_tree(root)
    return _by_signs(text, language)


def _between(places: Iterable[Lines]) -> Iterator[int]:
    for first, last in places:
        yield from range(first + 1, last)


def _by_tokenizer(text: str) -> Iterator[Lines]:
    """Yield the first and last line (0-based) of each string of a Python text; of an f-string those
    of its literal parts. Raises what ``tokenize`` raises.
    """
    kinds = {tokenize.STRING, getattr(tokenize, "FSTRING_MIDDLE", tokenize.STRING)}
    for token in tokenize.generate_tokens(io.StringIO(text).readline):
        if token.type in kinds:
            yield token.start[0] - 1, token.end[0] - 1


def _by_tree(root: Node) -> Iterator[Lines]:
    """Yield the first and last line (0-based) of the outermost comments, strings and templates below a node that
    take three lines or more, in no order.
    """
    pending = [root]
    while pending:
        node = pending.pop()
        if node.start_point.row + 1 >= node.end_point.row:
            continue
        if re.search(r"comment|string|template", node.type):
            yield node.start_point.row, node.end_point.row
        else:
            pending.extend(node.children)


def _by_signs(text: str, language: str) -> Iterator[Lines]:
    """Yield the lines (0-based) of each opening sign of the language in ``_SIGNS`` and of the next
    closing one; none for a sign that never closes.
    """
    for opening, closing, languages in _SIGNS:
        if language not in languages.split():
            continue
        done = 0
        while found := re.compile(opening).search(text, done):
            end = re.compile(closing).search(text, found.end())
            if end is None:
                break
            yield text.count("\n", 0, found.start()), text.count("\n", 0, end.start())
            done = end.end()
