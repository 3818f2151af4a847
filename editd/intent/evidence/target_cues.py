"""The cues of edits of a described target: which clause of a request asks that something goes, becomes a comment, or code again.

Standard library only.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache

from editd.intent.evidence.acts import MODAL, begins
from editd.intent.evidence.deleting import IS_DELETED, act_of_deleting

_COMMENTS_OUT = (
    re.compile(
        r"(?:^|\b(?:by|and|just|please)[ ])put(?:ting)?[ ](?:an?[ ]|some[ ]|the[ ])?(?:#|//|--|hash(?:es)?|slashes|comment[ ]signs?)[ ](?:before|in[ ]front[ ]of|at[ ]the[ ]start[ ]of)(?:[ ](?:it|them|this|that)\b)?",
        re.IGNORECASE,
    ),
    begins(
        r"comment(?=\b.*\bout\b)|comment-out|out-comment|comment(?=[ ](?:that|this|it|these|both)\b)|comment(?=[ ](?:the|that|this|our)\b.*\b(?:lines?|calls?|steps?|statement|prints?|printlns?|logs?|logging|echo|output|option|entry|port|listener|import)\b)"
        r"|(?:put|turn|make|change)(?=\b.*\bcomments?\b)"
    ),
    re.compile(
        r"^(?:please[ ])?(?:(?:a )?comment|(?:#|//|--|/\*(?:[ ]?\*/)?)(?:[ ](?:it|this|that|them))?)(?:[ ]please)?$",
        re.IGNORECASE,
    ),
    re.compile(
        rf"\b(?:{MODAL}[ ]be|needs|wants)[ ](?:commented|commenting)(?:[ ]out)?\b", re.IGNORECASE
    ),
)
_DISABLES = begins(
    r"disable|deactivate|silence|mute|skip|park|(?:turn|switch)(?=\b.*\boff\b)|hide|exclude|neutrali[sz]e"
)
_UNCOMMENTS = (
    begins(
        r"(?:take|get|bring|pull|free)(?=\b.*\b(?:out[ ]of|from|off)[ ](?:its|the|that|their)[ ]comments?\b)"
        r"|(?:remove|delete|drop|strip|take[ ](?:away|off))[ ](?:the[ ])?(?:leading[ ])?(?:slashes|double[ ]slash|hash(?:es)?|pound[ ]sign|comment[ ](?:marks?|signs?|characters?)|[#]|//|--)[ ](?:before|from|off|in[ ]front[ ]of|at)"
    ),
    begins(
        r"un-?comments?|decomment|de-comment|comment(?=\b.*\b(?:back[ ]in|in[ ]again)\b|\b[^,]*[ ]in$)"
    ),
    re.compile(rf"\b{MODAL}[ ]be[ ](?:un-?commented|commented[ ](?:back[ ])?in)\b", re.IGNORECASE),
    re.compile(r"(?:^|(?<=\S)[ ])un-?comment(?:[ ](?:it|them|this|that))?$", re.IGNORECASE),
)
_ENABLES = (
    re.compile(
        r"^(?:please[ ])?(?:we|i|you)(?:'d[ ]like|[ ](?:want|need|would[ ]like))[ ](?=.*[ ](?:back|again|back[ ]again|active[ ]again)$)",
        re.IGNORECASE,
    ),
    begins(
        r"re-?enable|re-?activate|re-?add|activate|enable|restore|revive|reinstate|resurrect|unhash|bring(?=\b.*\b(?:back|to[ ]life)\b)|(?:turn|switch)(?=\b.*\b(?:on|back)\b)"
        r"|(?:put|get|take)(?=\b.*\b(?:back|again)\b)"
    ),
    re.compile(
        rf"\b{MODAL}[ ](?:be[ ](?:re-?enabled|re-?activated|(?:enabled|activated|active|live|on)[ ]again|(?:turned|switched)[ ](?:back[ ])?on(?:[ ]again)?|back)|come[ ]back)\b",
        re.IGNORECASE,
    ),
)
_NOTHING_ELSE = re.compile(
    r"(?:(?:and|so|please|pls|it|this|that|them|these|those|one|line|all|both|the|now)\b[ ]?)*",
    re.IGNORECASE,
)
"""Words of a command that say nothing of its thing."""
_IS_ACTIVE = re.compile(
    rf"\b{MODAL}[ ]be[ ](?:active|activated|enabled|live)(?:[ ]again)?$", re.IGNORECASE
)
"""A wish that something which is a comment is code."""
_AS_COMMENT = re.compile(
    r"\b(?:out of|from|off|in(?:to)?|to|as|with|by|behind)[ ](?:a[ ]|the[ ]|its[ ]|that[ ]|their[ ])?comment(?:s|ing)?(?:[ ](?:it|them)(?:[ ]out)?)?\b",
    re.IGNORECASE,
)
"""Words of what becomes, or was, a comment."""
_TO_LIFE = re.compile(r"\bto life\b", re.IGNORECASE)
ASKS_ANOTHER = begins(
    r"rename|replace|change|swap|switch|turn|update|set|convert|use|make|add|insert|put|append|write|wrap|sort|move|extract|inline|split|merge|return|raise|bump"
    r"|(?:call|fix|handle|log|print|test|check|implement|wire|hook|pass|load|save|fetch|show)(?=[ ](?:it|them|this|that)\b)"
)
"""Begins a request of another kind."""
_CUTS = re.compile(
    r"\s*(?:[,;?…]+(?=\s|$)|(?<!print)(?<!println)(?<!dbg)!+(?=\s|$)|\.(?=\s|$)|\.\.\.|\s[-–—]{1,2}(?=\s)|[–—]|→|(?<=\s)->(?=\s)|=>|(?<!\w)\(|(?<!\()\)(?=\W|$)|\n)\s*"
    r"|\s+(?=(?:and|then) (?:then |also |please )*(?:delete|remove|drop|kill|rename|replace|change|add|insert|move|sort|use|make|set|turn|convert|wrap|comment|un-?comment)\b)|\s+(?=(?:but|and) (?:please )?(?:keep|leave)\b)|\s+(?=so (?:please |just |we can )?(?:remove|delete|drop|kill|comment|un-?comment|take|throw|get rid)\b)|\s+(?=so (?:this|that|these|those|the|all)\b)|\s+(?=and (?:so )?(?:can|should|must|may|has to|needs to)\b)|\s+(?=(?:rather than|instead of|and not|not) (?:to )?(?:delet|remov|drop)\w*)|\s+(?=as (?:discussed|agreed|planned|promised|mentioned|said|requested|usual)\b)|\s+(?=(?:because|since|until|till|while|as long as|now that|as it|as we|so that|so it|so i|so we|so you|so they|in order to|before we|when we|when i|for now|for the moment|for the time being|once)\b)"
    r"|(?<=[\w)`'\"])\s*[:](?=\s)\s*",
    re.IGNORECASE,
)
_THAT_IS = re.compile(r"\b(?:i\.e\.|that is),? ", re.IGNORECASE)
_BEGINS_A_REASON = re.compile(
    r"\s*(?:the|it|it's|its|this|that|we|they|no|not|nobody|i|there|because|he|she|you|only|was|is|both|all|every|someone|somebody|please)\b",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class AskingClause:
    """A clause of a request. action: that it asks for; empty for none. rest: its words without those that ask. is_weak: it
    only says that something is needless, or should be active.
    """

    action: str
    rest: str
    is_weak: bool = False


def clauses_of(text: str) -> list[str]:
    """The clauses of a request, in order; a colon ends one where a request or a reason follows."""
    clauses = []
    start = 0
    text = _THAT_IS.sub("", text)
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
                return AskingClause(action, _AS_COMMENT.sub(" ", _without(clause, found)))
    if speaks_of_comments and (found := _DISABLES.search(clause)):
        return AskingClause("comment", _AS_COMMENT.sub(" ", _without(clause, found)))
    for cue in _ENABLES:
        if found := cue.search(clause):
            return AskingClause("uncomment", _TO_LIFE.sub(" ", _without(clause, found)))
    if found := _IS_ACTIVE.search(clause):
        return AskingClause("uncomment", _without(clause, found), is_weak=True)
    if act := act_of_deleting(clause):
        return AskingClause("delete", act.rest, is_weak=act.is_implied)
    return AskingClause("", clause)


def speaks_of_deleting(text: str) -> bool:
    """Whether a clause of a request says that something goes, or should."""
    return any(act_of_deleting(clause) for clause in clauses_of(text))


def only_implies_deletion(text: str) -> bool:
    """Whether clauses of a request say that something is needless or in the way, and none commands an edit."""
    clauses = [asking_clause(x, speaks_of_comments=False) for x in clauses_of(text)]
    acts = [x for x in clauses if x.action]
    are_weak = bool(acts) and all(x.action == "delete" and x.is_weak for x in acts)
    return are_weak and not any(ASKS_ANOTHER.match(x.rest) for x in clauses)


def only_says_unused(text: str) -> bool:
    """Whether a request only says that nothing uses a thing, so that it must not go if something does."""
    acts = (act_of_deleting(clause) for clause in clauses_of(text))
    return only_implies_deletion(text) and any(act is not None and act.is_unused for act in acts)


def asks_whether_needless(text: str) -> bool:
    """Whether a request only asks whether something is needless: "is dead code?"."""
    return text.rstrip().endswith("?") and only_implies_deletion(text)


@lru_cache(maxsize=4)
def commands_target_edit(text: str) -> bool:
    """Whether a clause of a request speaks of making code a comment or the reverse, only commands that something goes ("toss it"), or says in
    the passive that it must, so that no other edit can be meant.
    """
    for clause in clauses_of(text):
        act = asking_clause(clause, speaks_of_comments=False)
        if (
            act.action in ("comment", "uncomment")
            and not act.is_weak
            and "comment" in clause.lower()
        ):
            return True
        if not act.action or act.is_weak or re.search(r"\d|\bto\b", act.rest):
            continue
        if _NOTHING_ELSE.fullmatch(act.rest.strip(" .,;:!?")) or IS_DELETED.search(clause):
            return True
    return False


def _without(clause: str, found: re.Match[str]) -> str:
    """A clause without the words that ask; of words that end it, what stands before stays."""
    return f"{clause[: found.start()]} {clause[found.end() :]}".strip()
