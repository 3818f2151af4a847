"""Tells whether a sentence asks for its edit now: a report, a refusal, a question or a plan has the words of a request as
well.

Looks at how the sentence begins and ends, quoted texts aside. Questions that are polite requests ("could you …?") ask.
Knows no buffer. Standard library only. The frames of each kind stand in a table, one a line, with an example.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

from editd.intent.english import QUOTED


def _any_of(frames: str | Iterable[str]) -> str:
    """A pattern for one of the frames; of a text, for one of its words."""
    return f"(?:{'|'.join(frames.split() if isinstance(frames, str) else frames)})"


_VERB = _any_of(
    "rename set delete remove drop comment uncomment replace sort add change convert wrap switch move strip turn"
)
_OTHER_VERB = _any_of(
    "kill nuke throw get take put bump call give make wrap merge log write annotate document import disable enable touch do"
)
_PAST = _any_of(
    "renamed set deleted removed dropped commented replaced sorted added changed converted wrapped switched moved stripped turned"
)
_GERUND = _any_of(
    "renaming setting deleting removing dropping commenting replacing sorting adding changing converting wrapping switching moving"
)
_MODAL = _any_of("must should shall can could would will may do")
_NOT = r"(?: not|n['’]t)"

_REFUSALS = (  # behind any words without a mark between
    rf"{_MODAL}{_NOT} (?:(?!forget|hesitate)\w+ to )?{_VERB}",  # we must not rename …
    rf"(?:cannot|can['’]t|never|rather not|refuse to) {_VERB}",  # I'd rather not rename …
    rf"(?:do|does){_NOT} (?:want|need|have|like)(?: \w+)? to {_VERB}",  # you don't need to rename …
    rf"(?:not|no) (?:supposed|allowed|going|meant|necessary|needed|need|reason|point|wise|ready) to {_VERB}",  # no need to rename …
    rf"(?:wrong|too early|too late|forbidden|a bad idea|a mistake|no sense|risky|dangerous) to {_VERB}",  # it was wrong to rename …
    r"(?:refrain\w*|desist\w*|abstain\w*) from",  # please refrain from renaming …
    r"(?:decided|voted|advised) against",  # we decided against renaming …
)
_REFUSING_BEGINNINGS = (
    r"(?:do not|don['’]t|never) (?:guard|bail|invert|flip|reverse|negate|flatten|dedent|un-?indent|un-?nest|surround|enclose|protect|rewrite|emit|insert|return early)\b",  # don't invert the condition …
    r"(?:do not|don['’]t|never) use (?:an? |the )?(?:context manager|with|guard|early return|try)\b",  # don't use a context manager in …
    rf"(?:do not|don['’]t|never) {_OTHER_VERB}\b(?! with\b)",  # please do not do this: rename …; don't kill …
    rf"(?:nobody|no one) (?:should|wants to|must|may|can|is to) {_VERB}\b",  # nobody should rename …
    rf"(?:avoid|forget about|instead of|stop|without|rather than) {_GERUND}\b[^,;:]*$",  # avoid renaming …
    rf"(?:i|we|they|he|she) (?:always|usually|often|sometimes|normally|mostly) (?:{_VERB}|{_OTHER_VERB})\b",  # I always delete …
    rf"(?:i|we|they|he|she) (?:wanted|tried|meant|hoped|planned|used|was going|were going) to (?:{_VERB}|{_OTHER_VERB})\b",  # I wanted to remove …
    r"(?:unless|had (?:we|you|they|i)|having|should you ever)\b",  # had we renamed …, it would work
    r"(?:later|tomorrow|maybe|perhaps|next time|in the next)\b",  # later, rename …
    r"(?:undo|revert|explain|check whether|think about|wait before|ask me)\b",  # explain how to rename …
)
_REFUSES = re.compile(
    rf"(?:please |well |no )?(?:[^,;:.!?]*\b{_any_of(_REFUSALS)}\b|{_any_of(_REFUSING_BEGINNINGS)})",
    re.IGNORECASE,
)

_TOOL = r"the (?:last )?(?:script|commit|linter|tool|patch|merge)"
_WHO = rf"(?:i|we|you|they|he|she|it|somebody|someone|whoever|{_TOOL})"
_SINCE_WHEN = r"(?:['’](?:ve|d|s)|,? have| had| has| just| already| never| only)*"
_OUTCOME = r"(?:broke|breaks|fails?|failed|helped|would|is (?:not|no)|isn['’]t|was)"
_WHOLE_REPORTS = (
    rf"{_WHO}{_SINCE_WHEN} {_PAST}\b(?:(?!->|=>|→)[^,;:])*",  # we've already renamed …
    rf"{_GERUND}\b[^,;:–—]*\b{_OUTCOME}\b(?:(?! --? )[^,;:–—])*",  # renaming … broke the build
)
_REPORTS = re.compile(_any_of(_WHOLE_REPORTS), re.IGNORECASE)

_QUESTION_BEGINNINGS = (
    r"who|whose|when|where|which|why|what if",  # who renamed …?
    r"was|were|has|have|had|did|does",  # did we rename …?
    r"do (?!you mind)|are (?!you able)|is (?!it (?:possible|ok|okay|alright))",  # is it wise to rename …?
    r"shall (?:i|we)|may i|should (?:i|we)",  # should we rename …?
    r"any (?:reason|objection)|ok to|remember",  # any reason to rename …?
)
_QUESTIONS = (
    rf"{_any_of(_QUESTION_BEGINNINGS)}\b.*\?",
    r"what if\b.*",  # what if we renamed …
    r".*\bor not\??",  # rename … or not?
)
_ASKS = re.compile(_any_of(_QUESTIONS), re.IGNORECASE | re.DOTALL)

_AGAIN_A_REQUEST = rf"(?:(?:and|then|please|also) )*{_VERB}\b"
_OF_THE_SAME = r"\b(?:comments?|docstrings?|strings?|calls?|callers?|uses|usages?|places|lines?|imports?|types?|return|results?|please)\b"
_AFTERTHOUGHTS = (  # behind a mark, at the end
    r"(?:it|this|that)(?: did not| didn['’]t) (?:work|help)",  # rename …; that didn't help
    r"(?:we|i) tried (?:that|it)(?: already)?",
    r"it was tried\b.*",
    r"this is what broke it",
    r"(?:it|this|that)(?: was| is|['’]s) (?:wrong|a mistake|nonsense)",
    rf"(?:i|we|he|she|they)(?: will|['’]ll| would|['’]d| am going to|['’]m going to| should| can) {_VERB} (?:it|this|that|them)(?: myself| ourselves)?",  # it is dead, I will delete it
    r"already done|done already",
    r"not (?:now|yet|today)(?: though)?",  # rename …, not now though
    r"i(?: am|['’]m) not sure(?: though)?",
    r"just kidding|never mind|no,? wait",
    r"(?:undo|revert) (?:it|this|that)|.*\b(?:was wrong|was a mistake),? (?:so )?(?:undo|revert) (?:it|this|that)",
    r"actually,? (?:do not|don['’]t|no)\b.*",
    r"is that right\?|or would that be wrong\?|what do you think\?",
    r"it and what depends on it",  # another object than before
    rf"(?!{_AGAIN_A_REQUEST})(?!.*{_OF_THE_SAME})[^,;.]* (?:too|as well)",  # rename …, its tests too
    rf"(?!{_AGAIN_A_REQUEST})(?!.*{_OF_THE_SAME})(?:its|the) \w+ included",  # rename …, its tests included
)
# "Delete the function later" means a function of that name: a name stands behind these words.
_BEFORE_A_NAME = (
    "it them function method class variable constant to delete remove drop called named of in the"
)
_NO_NAME = "".join(rf"(?<!\b{word})" for word in _BEFORE_A_NAME.split())
_PUT_OFF = r"(?:later|when i say so|some day|if you must)"  # rename … later
_TAKES_BACK = re.compile(
    rf"(?:[,;.!—–-]\s+(?:but )?{_any_of(_AFTERTHOUGHTS)}|{_NO_NAME}\s{_PUT_OFF})[.!]?\s*$",
    re.IGNORECASE,
)
# What the speaker does later: ", i'll wire it up later".
_OWN_WORK = re.compile(
    r"[,;.(–—-]+\s*(?:and |but )?(?:(?:the )?rest|i|we)(?:['’]ll| will| can|['’]m going to| (?!(?:want|need|should|must|may)\b))[^,;.]*\blater(?: on)?\s*[.!)]*\s*$",
    re.IGNORECASE,
)


_CALLS = re.compile(
    r"\b(?:called|invoked|run) (?:(?:too|so|very|quite|way|far|much|more|less|just|at most|at least|only|always|never) )*"
    r"(?:often|rarely|seldom|frequently|once|twice|thrice|again|late|later|early|earlier|directly|everywhere|nowhere|\w+ times|\w{3,}ly"
    r"|(?:too|so|very) (?:many|much|few|little|soon)|(?:by|from(?! now on)|in|inside|on|at|with|without|before|after|when|while|until|via|through|for))(?![\w(])"
    r"|(?<!\bwe )(?<!\byou )(?<!\bi )(?<!\bthey )\b(?:should|must|shall|has to|needs to|could|can|will|would)(?: (?:also|just|then|rather|only))? call"
    r" (?!(?:it|this|that|them|ours)\b)(?:the )?[`'\"]?[\w.]+(?:\(\))?[`'\"]?(?=[.,;!]|$| (?:instead|first|then|before|after|with|in|at|on|too|again|when|for|and)\b)",
    re.IGNORECASE,
)


def tells_of_calls(text: str) -> bool:
    """Whether a sentence tells how often, when or by whom something is called, or what it should call, not what it is called: "notify is
    called too often", "prune should call cut".
    """
    return _CALLS.search(text) is not None


def is_asked_for(text: str) -> bool:
    """Whether the sentence asks for its edit now. False for what was or must not be done, for questions about it, for what is put
    off, and where the end takes it back or adds an object that the beginning does not have ("…, its tests too").
    """
    bare = _OWN_WORK.sub("", re.sub(QUOTED, '"…"', text).strip())
    is_reported = _REPORTS.fullmatch(bare.rstrip(".!")) is not None
    return not (
        is_reported or _REFUSES.match(bare) or _ASKS.fullmatch(bare) or _TAKES_BACK.search(bare)
    )
