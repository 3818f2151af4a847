"""The reference pages say what the program does."""

import importlib.util
import re
from pathlib import Path

import pytest

from editd.messages.reports import Stats
from editd.outcome import DONE, OUTCOMES

DOCS = Path(__file__).parents[4] / "docs"


@pytest.fixture(scope="module")
def generate():
    spec = importlib.util.spec_from_file_location("generate", DOCS / "generate.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_the_generated_parts_are_current(generate):
    for page, text in generate.pages():
        assert page.read_text() == text, f"{page.name} is stale: run python docs/generate.py"


def test_every_option_of_the_command_line_is_there(generate):
    text = generate.commands()
    for option in (
        "--instruction", "--files-from", "--range", "--diff", "--in-place", "--json", "--stream",
        "--check", "--model", "--draft-model", "--prediction", "--drafter", "--window",
        "--temperature", "--top-p", "--top-k", "--seed", "--max-new-tokens", "--timeout",
        "--path", "--no-daemon", "--allow-suspect", "--foreground",
    ):  # fmt: skip
        assert f"`{option}" in text


def test_the_table_of_exit_codes_names_every_error():
    table = (DOCS / "reference" / "cli.md").read_text().partition("## Exit codes")[2]
    documented = {int(code) for code in re.findall(r"^\| (\d+) \|", table, re.MULTILINE)}
    codes = {outcome.exit_code for outcome in (DONE, *OUTCOMES.values())}
    assert documented == codes == {0, 1, 2, 3, 4, 5, 130}


def test_the_page_of_figures_exists_and_knows_them_all():
    page = (DOCS / "reference" / "metrics.md").read_text()
    for name in Stats.__dataclass_fields__:
        assert f"`{name}`" in page, name
