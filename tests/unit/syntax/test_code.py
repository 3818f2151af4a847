"""A text as code: what is asked is answered once, and what a parser cannot know is ``None``."""

import ast

import pytest

from editd.syntax.code import Code, read_code


def test_the_answers_about_a_text_are_shared():
    code = read_code("a = 1\n", "python")
    assert read_code("a = " + "1\n", "python") is code
    assert code.python is code.python
    assert read_code("a = 1\n", "text") is not code


def test_python_is_parsed_once(monkeypatch):
    parse, texts = ast.parse, []
    monkeypatch.setattr(ast, "parse", lambda text, *rest: texts.append(text) or parse(text, *rest))
    code = Code("import a\n\n\ndef f():\n    return b\n", "python")
    assert code.parses
    assert code.error is None
    assert code.cut is None
    assert code.undefined_names == {"b": 4}
    assert [x.name for x in code.definitions] == ["f"]
    assert [x.module for x in code.imports] == ["a"]
    assert code.constructs.definitions_named(["f"])
    assert len(texts) == 1


@pytest.mark.parametrize(
    ("language", "text", "parses", "error"),
    [
        ("python", "a = 1\n", True, None),
        ("python", "    a = 1\n", True, (0, "unexpected indent")),
        ("python", "a = (\n", False, (0, "'(' was never closed")),
        ("rust", "fn f() {}\n", True, None),
        ("rust", "fn f() {\n", False, (0, "syntax error")),
        ("c", "int f() { return 1 }\n", False, (0, "missing “;”")),
        ("json", "[1,]\n", None, (0, "Expecting value")),
        ("toml", "a = \n", None, (0, "Invalid value")),
        ("kotlin", "fun f() {\n", None, None),
    ],
)
def test_errors(language, text, parses, error):
    code = read_code(text, language)
    assert code.parses is parses
    assert code.error is None if error is None else code.error[0] == error[0]
    assert code.error is None or error[1] in code.error[1]


@pytest.mark.parametrize(
    ("language", "text", "cut"),
    [
        ("python", "a = 1\ndef f():\n", ("a = 1\n", "def f():\n", "")),
        ("python", "a = 1\nb = (\n", ("a = 1\n", "b = (\n", "")),
        ("python", "a = 1\n", None),
        ("python", "a = )\nb = 1\n", None),
        ("c", "int f() {\n  g();\n  if (x", ("int f() {\n  g();\n", "  if (x", "\n}")),
        ("kotlin", "fun f() {\n", None),
    ],
)
def test_where_a_text_stops(language, text, cut):
    found = read_code(text, language).cut
    assert (found and (found.whole, found.unfinished, found.closing)) == cut
    if found is not None:
        assert found.without_end(text) == found.closed
        assert found.without_end("other") is None


@pytest.mark.parametrize(
    ("language", "text", "lines"),
    [
        ("python", 'a = """\n```\n"""\n', {1}),
        ("python", 'a = """\n```\n', set()),
        ("javascript", "/*\n```\n```\n*/\nf()\n", {1, 2}),
        ("kotlin", "/*\n```\n*/\n", {1}),
        ("text", "/*\n```\n*/\n", set()),
    ],
)
def test_lines_in_comments_and_strings(language, text, lines):
    assert read_code(text, language).quoted_lines == lines


def test_tokens_are_a_parsers_or_by_rules():
    assert read_code("f(a)\n", "c").parsed_tokens == read_code("f(a)\n", "c").tokens
    kotlin = read_code('val a = "b" // c\n', "kotlin")
    assert kotlin.parsed_tokens is None
    assert [x.kind for x in kotlin.tokens] == ["name", "name", "string", "comment"]
    assert kotlin.names == frozenset()
    assert read_code("a.b = c\n", "python").names == {"a", "c"}
