"""Delete code: how people describe a statement, an entry or lines that are to go."""

from __future__ import annotations

from editd.intent.description import Description, description_of
from editd.intent.intents import DeleteCode, Intent, Several
from editd.intent.rules.frames import deleted_in
from editd.intent.rules.guess import Guess, of_each


def _deleted(text: str) -> Intent | None:
    """The intent of a request that something described goes, or several things; ``None`` for another request."""
    return of_each(deleted_in(text), _of_one)


def _of_one(what: str) -> DeleteCode | None:
    """The intent for one thing; ``None`` if the words describe nothing."""
    found = description_of(what)
    return None if found is None else DeleteCode(found[0], within=found[1])


DELETE_CODE = Guess(
    "delete-code",
    reads=_deleted,
    examples=(
        ("delete git pull", DeleteCode(Description("git pull", is_bare=True))),
        ("remove the lint script", DeleteCode(Description("lint", "script"))),
        (
            "drop pandas from the dependencies",
            DeleteCode(Description("pandas", is_bare=True), within="dependencies"),
        ),
        ("delete the line with the --debug option", DeleteCode(Description("--debug", "line"))),
        ("delete lines 3 to 5", DeleteCode(Description(count=0, first=3, last=5))),
        (
            "lodash isn't used anymore, take it out of dependencies",
            DeleteCode(Description("lodash", is_bare=True), within="dependencies"),
        ),
        (
            "MAIL_HOST and MAIL_PORT are not needed, delete them",
            Several((DeleteCode(Description("MAIL_HOST")), DeleteCode(Description("MAIL_PORT")))),
        ),
        (
            "someone forgot a debugger statement, take it out",
            DeleteCode(Description("debugger", "statement")),
        ),
        (
            "drop the LABEL with the maintainer",
            DeleteCode(Description("LABEL", "line", "maintainer")),
        ),
        (
            "the mode entry in the dict that summary returns isn't needed",
            DeleteCode(Description("mode", "entry"), within="summary"),
        ),
        ('remove the "done" println', DeleteCode(Description("println", "println", "done"))),
    ),
    near_misses=(
        "delete the comments",
        "delete the second loop",
        "delete the lines but keep the first",
        "delete it",
    ),
)
"""Code that the buffer has as often as the words say."""
