"""Delete lines: how people ask that those with a text go."""

from __future__ import annotations

import re

from editd.intent.intents import DeleteLines
from editd.intent.rules.rule import RowMatch, Rule
from editd.intent.rules.templates import deleting, deleting_too
from editd.intent.rules.word_lists import PRINT_CALL

_LINES = (
    "(EVERY|the|that|any|those)? (of the)? (lines? (OLDTEXT|OLDLINE)|(OLDTEXT|OLDLINE) lines?|lines? ((with|w/|containing|mentioning|including|having|matching|that say|saying|calling|using"
    "|(that|which) (contains?|mentions?|includes?|has|have|match|matches|calls?|says?|uses?)) (the|a)? (word|text|string|words)? "
    "(OLDTEXT|OLDLINE|OLDNAME)|(where|in which) (OLDTEXT|OLDLINE|OLDNAME) (appears|occurs|is used|is mentioned|is called|stands))"
    " (in (it|them))?)"
)


def _are_statements(match: RowMatch) -> bool:
    """Whether the request is for another rule: it means lines by number, or the lines with a print, which are
    statements (unless the print stands in straight quotes).
    """
    if not match.quotes["old"] and re.fullmatch(r"\d+[-–\d]*", match.slots["old"]):
        return True
    is_call = PRINT_CALL.fullmatch(match.slots["old"])
    return bool(is_call) and match.quotes["old"] not in ("'", '"')


DELETE_LINES = Rule(
    "delete-lines",
    paraphrases=(
        *deleting(_LINES),
        *deleting_too(_LINES),
    ),
    plain="delete the lines that contain {old_text}",
    rewrites_canonical=True,
    intent=lambda slots: DeleteLines(slots["old"]),
    excludes=_are_statements,
    takes_location=True,
    examples=(
        ("delete every line that contains 'log.debug'", DeleteLines("log.debug")),
        ("no lines with `TODO`", DeleteLines("TODO")),
        ("any line mentioning 'TODO' should go away", DeleteLines("TODO")),
    ),
    near_misses=("delete the second line", "erase lines 10-12"),
)
