"""Stop on errors: how people ask that a shell script end with the first command that fails."""

from __future__ import annotations

import re

from editd.intent.intents import InsertLine
from editd.intent.rules.guess import Guess

_SCRIPT = r"(?:the |this |my )?(?:(?:bash |shell |whole |entire )?script|it|everything)"
_ENDS = r"(?:stop|fail|exit|abort|quit|die|bail(?: out)?|halt|terminate|end)s?(?: immediately| right away| early)?"
_FAILS = r"(?:(?:if|when|as soon as|whenever|once) (?:any|a|one|some)(?: single)? ?(?:command|step|one|thing|line)s? (?:in it )?(?:fails?|goes wrong|errors(?: out)?|returns an error|exits with an error)|(?:on|at|upon|after) (?:the first |an? |any |all |every )?(?:errors?|failures?|failing commands?|failed commands?)|(?:if|when|as soon as) (?:something|anything) (?:fails|goes wrong)|at the first error)"
_UNSET = r"(?P<unset> (?:and|or)(?: on| if)? (?:unset|undefined|undeclared|missing) variables?(?: (?:is|are) used)?)?"
_FORMS = tuple(
    re.compile(form, re.IGNORECASE)
    for form in (
        rf"(?:(?:make|let|have) {_SCRIPT} )?{_ENDS} {_FAILS}{_UNSET}",
        rf"(?:stop|abort|exit|end|quit|terminate) {_SCRIPT} {_FAILS}{_UNSET}",
        rf"{_SCRIPT} (?:should|must|has to|needs to) {_ENDS} {_FAILS}{_UNSET}",
        rf"{_FAILS}{_UNSET},? {_SCRIPT} (?:should|must|has to) {_ENDS}",
        rf"fail fast(?: {_FAILS})?",
    )
)


def _stopped(text: str) -> InsertLine | None:
    """The line that a shell script gets, for a request that it end with the first error; ``None`` for another one."""
    for form in _FORMS:
        if found := form.fullmatch(text):
            unset = found.groupdict().get("unset")
            return InsertLine("set -eu" if unset else "set -e", "")
    return None


STOP_ON_ERRORS = Guess(
    "stop-on-errors",
    reads=_stopped,
    examples=(
        ("stop the script if any command fails", InsertLine("set -e", "")),
        ("make the script fail on errors", InsertLine("set -e", "")),
        ("exit on errors and unset variables", InsertLine("set -eu", "")),
        ("the script should abort when a command fails", InsertLine("set -e", "")),
    ),
    near_misses=(
        "stop the server if the port is taken",
        "make the script faster",
        "exit with 1 on errors",
        "print an error if a command fails",
    ),
    reads_all_words=True,
)
"""``set -e`` in a shell script."""
