"""Delete docstrings: how people ask that they go."""

from __future__ import annotations

from editd.intent.intents import DeleteDocstrings
from editd.intent.rules.rule import Rule
from editd.intent.rules.templates import FUNCTION

_DOCSTRINGS = (
    "((EVERY|THE|any)? (of)? (the|these|those)? (docstrings|doc strings)|(every|each) docstring"
    f"|(the)? (class|function|method)? (docstring|doc string|doc-string) (of|in|from|on|for) {FUNCTION})"
)


DELETE_DOCSTRINGS = Rule(
    "delete-docstrings",
    paraphrases=(
        # "No docstrings" may complain that there are none.
        f"DELETE (out)? {_DOCSTRINGS} (out|away)? WHERE?",
        f"DELETE (out)? {_DOCSTRINGS} (out|away)?, (including|also|even)? (the (module docstring|one of the (module|file)|module's (docstring)?)|the one at the top (of the file)?) (included|too|as well)?",
        f"{_DOCSTRINGS} (MODAL|can|could) (be (deleted|removed|dropped)|go (away)?|disappear) WHERE?",
        f"(i|we) (don't|do not|no longer) (want|need) {_DOCSTRINGS} ANYMORE? WHERE?, (so)? (DELETE (it|them))?",
    ),
    intent=lambda slots: DeleteDocstrings(slots.get("name", "").removesuffix("()")),
    takes_location=True,
    examples=(
        ("delete the docstrings", DeleteDocstrings()),
        ("we don't need docstrings any more", DeleteDocstrings()),
        ("get rid of every docstring", DeleteDocstrings()),
        ("strip all docstrings, the one of the module included", DeleteDocstrings()),
        ("remove load's docstring", DeleteDocstrings("load")),
        ("the docstring of load can go", DeleteDocstrings("load")),
    ),
)
