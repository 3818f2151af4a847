"""Tokens of languages without a parser, by a few rules for each."""

from random import Random

import pytest

from editd.syntax.code import read_code

LANGUAGES = "sql clojure kotlin swift csharp cpp php ruby lua bash makefile css scss nix json yaml toml ini dockerfile elixir html vue".split()  # noqa: SIM905


@pytest.mark.parametrize("seed", range(3))
def test_tokens_are_what_stands_there_in_whatever_text(seed):
    rng = Random(seed)
    parts = [
        "total",
        " ",
        "\n",
        '"',
        "'",
        "#",
        "//",
        "/*",
        "*/",
        "{{",
        "}}",
        "<a b=",
        ">",
        "$x",
        ": ",
        "=",
        "-",
        "\\",
        "é",
        "1.5",
        "(",
        ")",
        ".",
    ]
    for _ in range(300):
        text = "".join(rng.choice(parts) for _ in range(40))
        for language in LANGUAGES:
            tokens = read_code(text, language).tokens or []
            assert all(text[token.start : token.end] == token.text for token in tokens)
