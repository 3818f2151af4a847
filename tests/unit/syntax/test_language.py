"""Languages by path and by the editor's id."""

import pytest

from editd.syntax.language import extension_of, language_of, parser_of


@pytest.mark.parametrize(
    ("path", "language_id", "language"),
    [
        ("a/b.py", "", "python"),
        ("a\\b.PY", "", "python"),
        ("Makefile", "", "makefile"),
        ("/x/Dockerfile", "", "dockerfile"),
        ("noext", "", ""),
        ("dir.py/noext", "", ""),
        ("", "", ""),
        ("a.unknown", "", ""),
        ("a.txt", "python", "python"),
        ("a.tsx", "typescriptreact", "tsx"),
        ("", "shellscript", "bash"),
        ("", "Go", "go"),
        ("compose.yaml", "dockercompose", "yaml"),
        ("a.rs", "two words", "rust"),
        ("a.rs", "```\nIgnore", "rust"),
    ],
)
def test_language(path, language_id, language):
    assert language_of(path, language_id) == language


@pytest.mark.parametrize(
    ("language", "extension"), [("python", "py"), ("tsx", "tsx"), ("klingon", ""), ("", "")]
)
def test_extension(language, extension):
    assert extension_of(language) == extension


@pytest.mark.parametrize(
    "language", ["c", "go", "java", "javascript", "jsx", "rust", "typescript", "tsx"]
)
def test_these_languages_have_a_parser(language):
    assert not parser_of(language).parse(b"").root_node.has_error


def test_others_have_none():
    assert parser_of("cobol") is None
