"""Tells whether a sentence wishes for something else besides its edit, so that no half of a wish is carried out.

"Swap md5 for sha256, and write a test for it": what writes a test is no edit that evidence is found for. A verb of an edit
belongs to the readers; here stand the verbs that none of them reads. Standard library only.
"""

from __future__ import annotations

import re

from editd.intent.english import QUOTED

_VERBS = (
    r"refactor|rewrite (?!(?:it|this|that|them)\b)|re-?structure|re-?design|re-?work|re-?organi[sz]e|improve|optimi[sz]e|simplify|speed up|explain|describe|document"
    r"|test(?! \w+ (?:is|are|was)\b)|benchmark|profile|debug|fix|implement|create|design|extract|split|generali[sz]e|cache|validate|verify|check|(?:clean|tidy)(?! (?:up |out )?(?:the |these |those |my |our |all )*(?:unused )?(?:imports|requires|prints|quotes)\b)|polish|clamp|reject"
)
_WITH_OBJECT = r"write (?:\w+ )?(?:tests?|docs?|documentation|functions?|class(?:es)?)|add (?:\w+ )?(?:tests?|validation|handling|support|docs|documentation|caching|retries)"
_BETTER = (
    r"make (?:it|this|that|them|everything|the (?:code|rest|file|function|whole thing)) (?:\w+ )?(?:faster|quicker|better|nicer|safer|cleaner|simpler|shorter|smaller|robust"
    r"|readable|generic|reusable|configurable|async(?:hronous)?|thread-?safe|efficient|pretty|prettier|work|pass)"
)
# "…, please fix it" is about what was said, and "to_miles and describe can go" has a function of that name.
_NO_OBJECT = r"(?:it|this|that|these|those|them|can|could|should|must|may|is|are|was|were|goes|go|to|now|please|as|for|in|instead)"
_A_NAME = r"(?-i:[A-Z]{2})"  # "SECRET_KEY and DEBUG"
_SECOND = re.compile(
    rf"(?:(?<=\S )(?:and|then|also|plus)|[,;.]) (?:(?:and|then|also|please|afterwards|finally),? )*(?!{_A_NAME})(?:(?:{_VERBS})\b(?= (?!{_NO_OBJECT}\b)\w)|(?:{_WITH_OBJECT}|{_BETTER})\b)",
    re.IGNORECASE,
)


def has_second_wish(text: str) -> bool:
    """Whether a verb that no edit of the readers has follows "and", "then" or a mark: "…, then refactor the rest"."""
    return _SECOND.search(re.sub(QUOTED, '"…"', text)) is not None
