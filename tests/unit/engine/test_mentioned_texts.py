"""Texts that an instruction mentions are shown as far as they fit, and each is named in a sentence."""

from dataclasses import dataclass

import pytest

from editd.engine.edit_prompts import _context_to_show
from editd.messages import ContextItem, EditRequest
from editd.prompts.formats import EmbeddedFormat, PlainFormat


@dataclass
class Budget:
    """A token a character."""

    max_context: int
    count_tokens = staticmethod(len)


SMALL = ContextItem("mention", "a\nb\n", "small.py", 0, 2)
LARGE = ContextItem("mention", "c" * 60, "src/large.py", 0, 1)
NOTE = ContextItem("note", "n" * 500)


@pytest.mark.parametrize(
    ("context", "room", "shown", "notices"),
    [
        ((SMALL, LARGE), 200, (SMALL, LARGE), ("With small.py (2 lines).", "With src/large.py (1 line).")),
        (
            (LARGE, NOTE, SMALL),
            100,
            (NOTE, SMALL),
            ("src/large.py (1 line) did not fit the model's context and was left out.", "With small.py (2 lines)."),
        ),
        ((NOTE,), 1, (NOTE,), ()),
    ],
)  # fmt: skip
def test_what_fits_is_shown(context, room, shown, notices):
    request = EditRequest("1", "x = 1\n", "y", context=context)
    assert _context_to_show(request, PlainFormat(), Budget(room + 12)) == (shown, notices)


def test_a_model_that_sees_no_other_text_says_so():
    request = EditRequest("1", "x = 1\n", "y", context=(SMALL,))
    shown, (notice,) = _context_to_show(request, EmbeddedFormat(), Budget(1000))
    assert (shown, notice) == (
        (),
        "This model is not shown other texts, so small.py (2 lines) was left out.",
    )
