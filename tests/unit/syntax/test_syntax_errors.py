"""Errors of data formats; texts that a parser cannot judge have none."""

import pytest

from editd.syntax.syntax_errors import find_error


@pytest.mark.parametrize(
    ("language", "text", "line"),
    [
        ("json", '{"a": 1}', None),
        ("json", '{\n"a": 1,\n}', 2),
        ("json", "[" * 100_000, None),  # nested too deeply
        ("json", f'{{"a": {"9" * 5_000}}}', None),  # Python reads no number of so many digits
        ("toml", f"a = {'9' * 5_000}\n", None),
    ],
)
def test_the_line_of_the_find_error(language: str, text: str, line: int | None) -> None:
    found = find_error(text, language)
    assert (None if found is None else found[0]) == line
