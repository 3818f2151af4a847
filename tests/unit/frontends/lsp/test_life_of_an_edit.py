"""docs/explanation/life-of-an-edit.md counts the forms of an edit: here one is followed, and they are counted too.

A form is a class of editd of which a value holds the edit's own words: its instruction, or lines of its text
or its answer. What only holds another form (a ticket, the state of a job) is none.
"""

from __future__ import annotations

import dataclasses
import inspect
import re
import sys
from pathlib import Path

import pytest

import editd
from editd.config import Config
from tests.fakes import Script, scripted
from tests.in_process import InProcessEngineClient
from tests.unit.frontends.lsp.client import connected

PACKAGE = Path(editd.__file__).parent
PAGE = Path(__file__).parents[4] / "docs" / "explanation" / "life-of-an-edit.md"
MOST = 9
OLD, NEW, INSTRUCTION = "three\n", "THREE\n", "shout it"
WORDS = tuple(word.encode() for word in (OLD, NEW, INSTRUCTION))


def holds_words(value):
    """Whether a text, some bytes, or an array of them has words of the edit."""
    if isinstance(value, str):
        value = value.encode("utf-8", "surrogatepass")
    if isinstance(value, bytes | bytearray):
        return any(word in value for word in WORDS)
    return isinstance(value, tuple | list) and any(map(holds_words, value))


@pytest.fixture
def forms(monkeypatch):
    """The forms of the edit, in the order in which a first value of each was made."""
    made = []

    def watched(cls, init):
        def make(self, *args, **kwargs):
            init(self, *args, **kwargs)
            values = (getattr(self, field.name, None) for field in dataclasses.fields(self))
            if type(self) is cls and cls not in made and any(map(holds_words, values)):
                made.append(cls)

        return make

    for name, module in list(sys.modules.items()):
        for cls in list(vars(module).values()) if name.startswith("editd.") else ():
            if isinstance(cls, type) and dataclasses.is_dataclass(cls) and cls.__module__ == name:
                monkeypatch.setattr(cls, "__init__", watched(cls, cls.__init__))
    return made


async def test_the_page_names_the_forms_of_a_real_edit_and_they_are_few(forms):
    """From the editor's request over the daemon's queue to the engine's job, and back."""
    engine = InProcessEngineClient(Config(), scripted(Script()))
    async with connected(engine) as client:
        await client.initialize()
        await client.open(f"one\n{OLD}")
        await client.settle()
        forms.clear()  # what the editor opened is a document; the edit begins here
        params = {
            "editToken": 1,
            "textDocument": {"uri": "file:///w/a.py"},
            "instruction": INSTRUCTION,
        }
        answer = await client.request("editd/edit", params)
        assert answer["hunks"][-1]["newLines"] == [NEW]
        accepted = await client.request("editd/accept", {"editToken": 1, "apply": False})
        assert accepted["hunkIds"]
    text = PAGE.read_text("utf-8").partition("## Its forms")[2]
    told = re.findall(r"^\| `(\w+)` \| `([\w/]+\.py)` \|", text, re.MULTILINE)
    found = [
        (cls.__name__, Path(inspect.getfile(cls)).relative_to(PACKAGE).as_posix()) for cls in forms
    ]
    assert told == found
    assert len(found) <= MOST
    assert f"These {len(found)} forms" in text
