"""The reference page shows what the formats write."""

from docs.edit_formats import PAGE, with_examples
from editd.prompts.formats import format_names


def test_the_examples_are_true():
    page = PAGE.read_text("utf-8")
    assert with_examples(page) == page


def test_every_format_has_an_example():
    page = PAGE.read_text("utf-8")
    assert all(f"<!-- example: {name} -->\n~~~~text\n" in page for name in format_names())
