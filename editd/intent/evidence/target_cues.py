"""The cues of edits of a described target: which clause of a request asks that something goes, becomes a comment, or code again.

Standard library only.
"""

from __future__ import annotations

import re
from dataclasses import dataclass


def _any(words: str) -> str:
    """A pattern for one of these words, which are parted by blanks; ``_`` is a blank in a word."""
    return "(?:" + "|".join(words.split()).replace("_", "[ ]") + ")"


_LEAD = rf"""(?:{_any("please pls plz so and then just now also hi hey hello ok okay well but let's let_us kindly better go_ahead_and feel_free_to time_to to safe_to therefore thus temporarily quickly simply for_now")}[,]?[ ]
    |(?:can|could|would|will)[ ](?:you|we|someone|u)[ ]|(?:you|we)[ ](?:can|could|should|may|must|need[ ]to|have[ ]to|want[ ]to)[ ]
    |i(?:[ ]?'d)?[ ](?:want|like|need|would[ ]like)(?:[ ]you)?[ ]to[ ]|(?:need|want)[ ]to[ ])*"""


def _begins(words: str) -> re.Pattern[str]:
    """A pattern for a clause that begins with one of these, after words that ask."""
    return re.compile(rf"^{_LEAD}(?P<cue>(?:{words}))(?![\w-]|\.\w)", re.IGNORECASE | re.VERBOSE)


_MODAL = r"(?:can|may|must|should|could|might|has[ ]to|have[ ]to|needs[ ]to|need[ ]to|ought[ ]to|is[ ]to|are[ ]to|shall|to)(?:[ ](?:\w+ly|now|all|both|just|please|finally))*"
_DELETED = r"(?:deleted|removed|dropped|killed|stripped|erased|thrown[ ](?:out|away)|taken[ ](?:out|away)|cut|scrapped|purged|nuked|trashed|ditched)"
_TAIL = r"(?:[ ](?:now|please|pls|too|away|as[ ]well|completely|entirely|then|for[ ]good|all|both|from[ ]here|here))*"
_DELETES = (
    _begins(
        r"delete|remove|drop|kill|nuke|erase|lose|ditch|scrap|trash|purge|axe|zap|bin|rm|chuck|toss|strip|cut|clear|get[ ]rid[ ]of"
        r"|(?:away|down|out|off)[ ]with|stop(?=[ ]\w+ing\b)|eliminate|discard"
    ),
    _begins(
        r"(?:throw|take|rip|pull|clean|tear|yank|wipe|get|kick|leave|edit)(?=\b.*\b(?:out|away|off|down)\b)"
    ),
)
_IS_DELETED = (
    re.compile(rf"\b{_MODAL}[ ]be[ ]{_DELETED}\b", re.IGNORECASE),
    re.compile(
        rf"\b{_MODAL}[ ](?:go|disappear|vanish|leave)\b(?:[ ](?:the|this|our)[ ](?:code[ ]?base|file|repo|code))?{_TAIL}$",
        re.IGNORECASE,
    ),
    re.compile(
        rf"(?:^|(?<=\S)[ ])(?:goes|gotta[ ]go|go|out|bye(?:[ -]?bye)?|away|begone|(?:please|pls|plz)[ ](?:remove|delete|drop|kill|erase|nuke))(?:[ ](?:it|this|that|them))?{_TAIL}$",
        re.IGNORECASE,
    ),
)
_IS_NEEDLESS = (
    re.compile(
        r"\b(?:isn't|aren't|wasn't|(?:is|are|was|were)[ ](?:not|no[ ]longer|never|hardly))[ ](?:needed|necessary|required|wanted)\b(?:[ ](?:any[ ]?more|any[ ]longer|now|here))*",
        re.IGNORECASE,
    ),
    re.compile(
        r"\b(?:should[ ]not|shouldn't|must[ ]not|mustn't|does[ ]not|doesn't|do[ ]not|don't)[ ](?:be|belong|stand)[ ](?:there|here|in[ ]there)\b",
        re.IGNORECASE,
    ),
    re.compile(
        r"^(?:we |i )?(?:don't|do not|no longer|doesn't|does not) (?:really )?(?:need|have any use for)(?= )",
        re.IGNORECASE,
    ),
    re.compile(
        r" (?:is|are)(?: just| only| pure| mere| total)? (?:noise|superfluous|useless|redundant|pointless|clutter|needless|unnecessary|unneeded)$",
        re.IGNORECASE,
    ),
    re.compile(r"^no[ ](?=.*\b(?:needed|necessary|required)\b)", re.IGNORECASE),
)
_COMMENTS_OUT = (
    _begins(
        r"comment(?=\b.*\bout\b)|comment-out|out-comment|comment(?=[ ](?:that|this|it|these|both)\b)|comment(?=[ ]the\b.*\b(?:lines?|calls?|steps?|statement)\b)"
        r"|(?:put|turn|make|change)(?=\b.*\bcomments?\b)"
    ),
    re.compile(
        rf"\b(?:{_MODAL}[ ]be|needs|wants)[ ](?:commented|commenting)(?:[ ]out)?\b", re.IGNORECASE
    ),
)
_DISABLES = _begins(
    r"disable|deactivate|silence|mute|skip|park|(?:turn|switch)(?=\b.*\boff\b)|hide|exclude|neutrali[sz]e"
)
_UNCOMMENTS = (
    _begins(
        r"un-?comments?|decomment|de-comment|comment(?=\b.*\b(?:back[ ]in|in[ ]again)\b|\b[^,]*[ ]in$)"
    ),
    re.compile(rf"\b{_MODAL}[ ]be[ ](?:un-?commented|commented[ ](?:back[ ])?in)\b", re.IGNORECASE),
    re.compile(r"(?:^|(?<=\S)[ ])un-?comment(?:[ ](?:it|them|this|that))?$", re.IGNORECASE),
)
_ENABLES = (
    _begins(
        r"re-?enable|re-?activate|re-?add|activate|enable|restore|revive|reinstate|resurrect|unhash|bring(?=\b.*\bback\b)|(?:turn|switch)(?=\b.*\b(?:on|back)\b)"
        r"|(?:put|get|take)(?=\b.*\b(?:back|again)\b)"
    ),
    re.compile(
        rf"\b{_MODAL}[ ](?:be[ ](?:re-?enabled|re-?activated|(?:enabled|activated|active|live|on)[ ]again|(?:turned|switched)[ ](?:back[ ])?on(?:[ ]again)?|back)|come[ ]back)\b",
        re.IGNORECASE,
    ),
)
ASKS_ANOTHER = _begins(
    r"rename|replace|change|swap|switch|turn|update|set|convert|use|make|add|insert|put|append|write|wrap|sort|move|extract|inline|split|merge|return|raise|bump"
)
"""Begins a request of another kind."""
_CUTS = re.compile(
    r"\s*(?:[,;?…]+(?=\s|$)|(?<!print)(?<!println)(?<!dbg)!+(?=\s|$)|\.(?=\s|$)|\.\.\.|\s[-–—]{1,2}(?=\s)|[–—]|→|(?<=\s)->(?=\s)|=>|(?<!\w)\(|(?<!\()\)(?=\W|$)|\n)\s*"
    r"|\s+(?=(?:and|then) (?:then |also |please )*(?:delete|remove|drop|kill|rename|replace|change|add|insert|move|sort|use|make|set|turn|convert|wrap|comment|un-?comment)\b)|\s+(?=(?:but|and) (?:please )?(?:keep|leave)\b)|\s+(?=so (?:please |just |we can )?(?:remove|delete|drop|kill|comment|un-?comment|take|throw|get rid)\b)|\s+(?=and (?:so )?(?:can|should|must|may|has to|needs to)\b)|\s+(?=(?:because|since|until|till|while|as long as|now that|as it|as we|so that|so it|so i|so we|so you|so they|in order to|before we|when we|when i|for now|for the moment|for the time being|once)\b)"
    r"|(?<=[\w)`'\"])\s*[:](?=\s)\s*",
    re.IGNORECASE,
)
_BEGINS_A_REASON = re.compile(
    r"\s*(?:the|it|it's|its|this|that|we|they|no|not|nobody|i|there|because|he|she|you|only|was|is|all|every|someone|somebody|please)\b",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class AskingClause:
    """A clause of a request. action: that it asks for; empty for none. rest: its words without those that ask. is_weak: it
    only says that something is needless.
    """

    action: str
    rest: str
    is_weak: bool = False


def clauses_of(text: str) -> list[str]:
    """The clauses of a request, in order; a colon ends one where a request or a reason follows."""
    clauses = []
    start = 0
    for cut in _CUTS.finditer(text):
        if ":" in cut[0] and not (
            _BEGINS_A_REASON.match(text, cut.end())
            or asking_clause(
                text[cut.end() :].split(",", maxsplit=1)[0], speaks_of_comments=True
            ).action
        ):
            continue
        clauses.append(text[start : cut.start()])
        start = cut.end()
    clauses.append(text[start:])
    return [clause.strip(" .,;:!?") for clause in clauses if clause.strip(" .,;:!?")]


def asking_clause(clause: str, *, speaks_of_comments: bool) -> AskingClause:
    """A clause with what it asks for, if anything. speaks_of_comments: the request does, so that "disable" may mean to comment out."""
    for action, cues in (("uncomment", _UNCOMMENTS), ("comment", _COMMENTS_OUT)):
        for cue in cues:
            if found := cue.search(clause):
                return AskingClause(action, _without(clause, found))
    if speaks_of_comments and (found := _DISABLES.search(clause)):
        return AskingClause("comment", _without(clause, found))
    for cue in _ENABLES:
        if found := cue.search(clause):
            return AskingClause("uncomment", _without(clause, found))
    for cue in (*_IS_DELETED[:2], *_DELETES, _IS_DELETED[2]):
        if found := cue.search(clause):
            return AskingClause("delete", _without(clause, found))
    for cue in _IS_NEEDLESS:
        if found := cue.search(clause):
            rest = re.sub(r"\b(?:needed|necessary|required)\b", " ", _without(clause, found))
            return AskingClause("delete", rest, is_weak=True)
    return AskingClause("", clause)


def _without(clause: str, found: re.Match[str]) -> str:
    """A clause without the words that ask; of words that end it, what stands before stays."""
    return f"{clause[: found.start()]} {clause[found.end() :]}".strip()
