"""The options that only drafters with a model read."""

import pytest

from editd.messages import EditOptions


@pytest.fixture
def file(tmp_path):
    path = tmp_path / "a.py"
    path.write_text("one\n")
    return path


@pytest.mark.parametrize(
    ("given", "options"),
    [
        ([], EditOptions()),
        (["--acceptance", "coupled"], EditOptions(acceptance="coupled")),
    ],
)
def test_they_travel_with_the_request(editd, file, given, options):
    outcome = editd("edit", file, "-i", "x", *given)
    assert outcome.code == 0, outcome.err
    assert outcome.client.requests[0].options == options


@pytest.mark.parametrize(
    ("given", "word"),
    [
        (["--acceptance", "always"], "rejection or coupled"),
    ],
)
def test_wrong_ones_are_refused_before_anything_is_asked(editd, file, given, word):
    outcome = editd("edit", file, "-i", "x", *given)
    assert outcome.code == 2
    assert word in outcome.err
    assert outcome.client.requests == []
