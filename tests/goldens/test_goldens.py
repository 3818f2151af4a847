"""Behaviour is what was recorded; see ``record``."""

import json

import pytest

from tests.goldens import record


def recorded(name):
    return json.loads((record.HERE / f"{name}.json").read_text(encoding="utf-8"))


@pytest.mark.parametrize("name", record.RECORDED)
def test_transcripts_and_replays_are_as_they_were_recorded(name):
    found = json.loads(json.dumps(record.RECORDED[name]()))
    assert found == recorded(name)


def test_demo_edits_are_token_for_token_what_they_were(demo_model):
    assert record.demo_edits(demo_model) == recorded("edits")
