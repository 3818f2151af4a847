"""Tells whether a sentence asks for its edit now: a report, a refusal, a question or a plan has the words of a request as well.

Looks at how the sentence begins and ends, quoted texts aside. Questions that are polite requests ("could you …?") ask. Knows no
buffer. Standard library only.
"""

from __future__ import annotations

import re

from editd.intent.english import QUOTED

_VERBS = (
    "rename set delete remove drop comment uncomment replace sort add change convert wrap switch move strip turn"
).replace(" ", "|")
_PAST = (
    "renamed set deleted removed dropped commented replaced sorted added changed converted wrapped switched moved stripped turned"
).replace(" ", "|")
_GERUND = (
    "renaming setting deleting removing dropping commenting replacing sorting adding changing converting wrapping switching moving"
).replace(" ", "|")
_REFUSES = re.compile(
    rf"(?:please |well |no )?(?:[^,;:.!?]*\b(?:must|should|shall|can|could|would|will|may|do)(?: not|n['’]t) (?:(?!forget|hesitate)\w+ to )?(?:{_VERBS})\b"
    rf"|[^,;:.!?]*\b(?:cannot|can['’]t|never|rather not|refuse to) (?:{_VERBS})\b"
    rf"|[^,;:.!?]*\b(?:do not|don['’]t|does not|doesn['’]t) (?:want|need|have|like)(?: \w+)? to (?:{_VERBS})\b"
    rf"|[^,;:.!?]*\b(?:not|no) (?:supposed|allowed|going|meant|necessary|needed|need|reason|point|wise|ready) to (?:{_VERBS})\b"
    rf"|[^,;:.!?]*\b(?:wrong|too early|too late|forbidden|a bad idea|a mistake|no sense|risky|dangerous) to (?:{_VERBS})\b"
    rf"|(?:nobody|no one) (?:should|wants to|must|may|can|is to) (?:{_VERBS})\b"
    rf"|[^,;:.!?]*\b(?:refrain\w*|desist\w*|abstain\w*) from\b|[^,;:.!?]*\b(?:decided|voted|advised) against\b"
    rf"|(?:avoid|forget about|instead of|stop|without|rather than) (?:{_GERUND})\b[^,;:]*$"
    rf"|(?:unless|had (?:we|you|they|i)|having|later|tomorrow|maybe|perhaps|next time|in the next|undo|revert|explain|check whether"
    rf"|think about|wait before|ask me|should you ever)\b)",
    re.IGNORECASE,
)
_REPORTS = re.compile(
    rf"(?:i|we|you|they|he|she|it|somebody|someone|whoever|the (?:last )?(?:script|commit|linter|tool|patch|merge))(?:['’](?:ve|d|s)|,? have| had| has| just"
    rf"| already| never| only)* (?:{_PAST})\b[^,;:]*"
    rf"|(?:{_GERUND})\b[^,;:]*\b(?:broke|breaks|fails?|failed|helped|would|is (?:not|no)|isn['’]t|was)\b[^,;:]*",
    re.IGNORECASE,
)
_ASKS = re.compile(
    r"(?:who|whose|when|where|which|was|were|has|have|had|did|does|do (?!you mind)|are (?!you able)|is (?!it (?:possible|ok|okay|alright))|why|what if|any (?:reason|objection)|ok to"
    r"|remember|shall (?:i|we)|may i|should (?:i|we))\b.*\?|what if\b.*|.*\bor not\?",
    re.IGNORECASE | re.DOTALL,
)
# A name behind these: "delete the function later" means a function of that name.
_NAMES_NOTHING = "".join(
    rf"(?<!\b{word})"
    for word in [
        "it",
        "them",
        "function",
        "method",
        "class",
        "variable",
        "constant",
        "to",
        "delete",
        "remove",
        "drop",
        "called",
        "named",
        "of",
        "in",
        "the",
    ]
)
_TAKES_BACK = re.compile(
    r"(?:[,;.!—–-]\s+(?:but )?(?:(?:it|this|that)(?: did not| didn['’]t) (?:work|help)|not (?:now|yet|today)(?: though)?|i(?: am|['’]m) not sure(?: though)?"
    r"|(?:we|i) tried (?:that|it)(?: already)?|it was tried\b.*|this is what broke it|(?:it|this|that) was (?:wrong|a mistake)|(?:already done|done already|just kidding)"
    r"|never mind|no,? wait|actually,? (?:do not|don['’]t|no)\b.*|is that right\?|or would that be wrong\?|what do you think\?|it and what depends on it"
    r"|(?!(?:(?:and|then|please|also) )*(?:"
    + _VERBS
    + r")\b)(?!.*\b(?:comments?|docstrings?|strings?|calls?|callers?|uses|usages?|places|lines?|imports?|types?|return|results?|please)\b)(?:[^,;.]* (?:too|as well)|(?:its|the) \w+ included))"
    r"|" + _NAMES_NOTHING + r"\s(?:later|when i say so|some day|if you must))[.!]?\s*$",
    re.IGNORECASE,
)
# What the speaker does later: ", i'll wire it up later".
_OWN_WORK = re.compile(
    r"[,;.(–—-]+\s*(?:and |but )?(?:(?:the )?rest|i|we)(?:['’]ll| will| can|['’]m going to| (?!(?:want|need|should|must|may)\b))[^,;.]*\blater(?: on)?\s*[.!)]*\s*$",
    re.IGNORECASE,
)


def is_asked_for(text: str) -> bool:
    """Whether the sentence asks for its edit now. False for what was or must not be done, for questions about it, for what is put
    off, and where the end takes it back or adds an object that the beginning does not have ("…, its tests too").
    """
    bare = _OWN_WORK.sub("", re.sub(QUOTED, '"…"', text).strip())
    is_reported = _REPORTS.fullmatch(bare.rstrip(".!")) is not None
    return not (
        is_reported or _REFUSES.match(bare) or _ASKS.fullmatch(bare) or _TAKES_BACK.search(bare)
    )
