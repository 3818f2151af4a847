"""Words around the acts of a request: those before a command, and those for duties and wishes. Standard library only."""

from __future__ import annotations

import re


def any_of(words: str) -> str:
    """A pattern for one of these words, which are parted by blanks; ``_`` is a blank in a word."""
    return "(?:" + "|".join(words.split()).replace("_", "[ ]") + ")"


_POLITE = any_of(
    "please pls plz kindly so and then just now also hi hey hello ok okay well but let's lets let_us better go_ahead_and go_on_and feel_free_to time_to to safe_to"
    " therefore thus hence temporarily quickly simply finally for_now be_so_kind_and be_so_kind_to be_so_nice_and do_the_needful_and kindly_do_the_needful_and do_me_a_favour_and"
    " do_me_a_favor_and why_don't_you why_don't_we how_about would_you_mind do_you_mind would_be_nice_to it_would_be_nice_to it'd_be_nice_to would_be_great_to it's_time_to high_time_to"
)
_LEAD = rf"""(?:{_POLITE}[,]?[ ]|(?:can|could|would|will)[ ](?:you|we|someone|somebody|u)[ ]
    |(?:you|we|one)[ ](?:can|could|should|may|must|need[ ]to|have[ ]to|want[ ]to|wanna|better|want)[ ]
    |i(?:[ ]?'d)?[ ](?:want|like|need|would[ ]like|wish|love)(?:[ ]you)?[ ]to[ ]|(?:need|want|wish)[ ]to[ ])*"""


def begins(words: str) -> re.Pattern[str]:
    """A pattern for a clause that begins with one of these words, after words that ask."""
    return re.compile(rf"^{_LEAD}(?P<cue>(?:{words}))(?![\w-]|\.\w)", re.IGNORECASE | re.VERBOSE)


MODAL = r"(?:can|may|must|should|could|might|shall|ought[ ]to|(?:has|have|had|needs?|wants?|is|are|likes?)[ ]to|gotta|to)(?:[ ](?:\w+ly|now|all|both|just|please|pls))*"
"""Verbs of duty and permission: "must", "has to", "is to"."""
TAIL = r"(?:[ ,]+(?:now|please|pls|plz|too|away|as[ ]well|completely|entirely|altogether|then|for[ ]good|all|both|from[ ]here|here|thanks|thx|asap|today|finally|again))*"
"""Words behind an act at the end of a clause."""
