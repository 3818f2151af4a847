"""Frames of words: those around what is to go or to become a comment, and "in load" behind what stands in a function."""

from __future__ import annotations

import re

from editd.intent.english import QUOTED, plain_name

_DELETE = (
    r"(?:delete|remove|rm|drop|erase|strip(?: out)?|kill|get rid of|throw (?:out|away)|cut(?: out)?|take (?:out|away)|nuke|scrap|purge"
    r"|eliminate|ditch|rip out|kick out|toss(?: out)?|pull(?: out)?|do away with|trash|lose|zap|prune|uninstall|unset)"
)
_UNWANTED = (
    r"(?:unused|not used|never (?:used|called|needed)|dead(?: code)?|not needed|no longer (?:needed|used|wanted)|obsolete|outdated|useless"
    r"|unnecessary|redundant|superfluous|deprecated|legacy|stale)"
)
_MODAL = r"(?:can|could|should|must|may|has to|have to|needs to|need to|ought to)"
_GONE = r"(?:go(?: away)?|disappear|leave|be (?:deleted|removed|dropped|erased|gone|taken out|thrown (?:out|away)|cut))"
_NOT = r"(?:isn't|aren't|is not|are not|is never|are never|wasn't|was never|is no longer|are no longer)"
_USED = r"(?:used|needed|called|required|wanted|necessary|useful|referenced)"
_LATELY = (
    r"(?: (?:any ?more|any longer|anywhere|at all|by anything|by anyone|by anybody|now|here))*"
)
_PLACE = r"(?P<place> (?:from|out of|in|under|of) .+?)?"
_IT = r"(?:it|them|that|this|those|both(?: of them| (?:functions|methods|classes|tests|lines|entries|settings|helpers))?|all of them|(?:the|that|this|its|their|these|those) (?:(?:whole|entire) )?(?P<noun>[\w-]+))(?: (?:out|away))?(?P<place2> (?:from|out of|in|under|of) .+?)?(?: (?:out|away))?"
_DROP_IT = rf"(?:{_DELETE}|away with|out with|bin|take|throw|pull|rip|kick|strip|leave)(?: {_IT})?"
_THEN = r" ?(?:[,;:.]| [-–—]+| ?(?:->|=>|→)|\band\b|\bso\b)+ ?(?:(?:so|and|then|please|just|pls|therefore|let's|you can|feel free to) )*"
_FRAMES = tuple(
    re.compile(frame, re.IGNORECASE | re.DOTALL)
    for frame in (
        rf"(?:{_DELETE}) (?P<what>\S+) as an? (?P<noun>dependency|import|setting|option|script)",
        rf"(?:{_DELETE}) (?P<what>.+?)(?: (?:out|away))?",
        r"(?:take|pull|rip|kick|throw|cut|strip|leave|get|move) (?P<what>.+?) (?:out|away)(?P<place> (?:of|from) .+)?",
        rf"(?P<what>.+?) {_MODAL} (?:now )?{_GONE}{_PLACE}",
        rf"(?P<what>.+?) (?:is|are|isn't|aren't) {_UNWANTED}{_LATELY},? (?:so )?(?:please )?{_DELETE} (?:it|them|that|those)",
        rf"(?P<what>.+?) (?:(?:is|are) (?:now |also |completely |just |private and |static and )?{_UNWANTED}|{_NOT} (?:even |really |actually )?{_USED}){_LATELY}{_PLACE}(?:{_THEN}{_DROP_IT})?",
        rf"(?:nobody|nothing|no one|no code) (?:ever )?(?:uses|calls|needs|wants|reads|references) (?P<what>.+?){_LATELY}{_THEN}{_DROP_IT}",
        rf"(?:we|i) (?:(?:don't|do not|no longer|never)(?: really| actually| ever)?) (?:need|want|use|call) (?P<what>.+?){_LATELY}(?:{_THEN}{_DROP_IT})?",
        rf"no (?:more |need for |use for |longer any )?(?P<what>.+?){_LATELY}(?:{_THEN}{_DROP_IT})",
        r"no (?:more|longer) (?P<what>.+?)",
        rf"(?P<within>[\w.-]+) (?:doesn't|does not|no longer|never) (?:needs?|uses?|calls?|wants?) (?P<what>.+?){_LATELY}{_THEN}{_DROP_IT}",
        rf"(?:someone|somebody|i|we|they|he|she) (?:forgot|left|forgot to (?:remove|delete))(?: in)? (?P<what>.+?)(?: (?:in|behind|there|here))?{_THEN}{_DROP_IT}",
        rf"there(?:'s| is| are) (?:still )?(?P<what>.+?)(?: left| still)?{_PLACE}{_THEN}{_DROP_IT}",
        rf"(?P<what>.+?) {_NOT} an? (?:dependency|requirement|service|setting|option|member|part of (?:it|this)){_LATELY}{_THEN}{_DROP_IT}",
        rf"(?P<what>.+?) (?:(?:has |have |was |were )?(?:moved|went|gone|migrated) (?:to|into) (?:another|a different|the other|its own|their own) (?:file|module|package|class|repo|place)){_THEN}{_DROP_IT}",
        rf"(?P<short>[\w$]+)(?:\(\))? (?:(?:is|are) {_UNWANTED}|{_NOT} {_USED}){_LATELY}{_THEN}{_DELETE} (?P<what>(?:[\w$]+(?:\.|::|#))+(?P=short)(?:\(\))?)",
        rf"(?:skip|no need for|forget) (?P<what>.+?){_THEN}{_DROP_IT}",
        r"(?:i want|i'd like|we want) (?P<what>.+?) (?:gone|removed|deleted|out|to go|to be (?:removed|deleted|gone))",
        r"(?P<what>.+?) (?:out|gone|away)(?P<place> (?:of|from) .+)?",
        rf"(?P<what>(?:the|that|this|those|both|our|my) [^,;]+?) (?:is|are|was|were|isn't|has been|says|looks) (?:[\w'-]+ ){{0,3}}[\w'-]+{_THEN}{_DROP_IT}",
    )
)
_MARK = r"(?:#|//|--|/\*|<!--|hash(?:tag)?|pound|hash sign|pound sign|double slash|(?:two )?slashes|comment (?:sign|mark|character)|semicolon)(?: (?:sign|mark|character))?"
_WITH_COMMENT = (
    rf"(?:with|by|using) (?:an? )?(?:{_MARK}|comments?(?:ing)?(?: (?:it|them|that|this))?)(?: out)?"
)
_COMMENT = tuple(
    re.compile(frame, re.IGNORECASE | re.DOTALL)
    for frame in (
        r"comment out (?P<what>(?:the |those |these )?(?:two|three|four|five) [^()]+?) \((?!(?:not|no|only|but|except|without|keep|leave|if|when|unless|in|inside|all)\b)[^()]+\)",  # the number decides
        r"comment out (?P<what>.+)",
        r"(?:disable|deactivate|switch off|turn off|silence|mute|stop) [^:;]+[:;] comment out (?P<what>.+)",
        r"comment (?P<what>.+?) (?:out|away)",
        r"(?:turn|make|put|convert|change) (?P<what>.+?) (?:into|in|to)? ?(?:a comment|comments)",
        r"make (?:a )?comments? (?:out )?of (?P<what>.+)",
        rf"(?:disable|deactivate|switch off|turn off|silence|mute) (?P<what>.+?)(?: for now| temporarily)? {_WITH_COMMENT}",
        rf"(?P<what>.+?) {_MODAL} be commented(?: out)?",
        r"(?:i want|i'd like|we want|i need|i'd want|have|get) (?P<what>.+?) (?:to be )?commented(?: out)?",
        rf"(?:put|add|insert|place|stick|prepend|write) (?:an? |the )?{_MARK} (?:in front of|before|at the (?:start|beginning) of|to|on|ahead of) (?P<what>.+)",
        rf"(?:{_MARK}|outcomment|out-comment|comment-out|commentout) out (?P<what>.+)",
        r"(?:outcomment|out-comment|comment-out|commentout) (?P<what>.+)",
        rf"(?P<owner>\S+) (?:shouldn't|should not|must not|mustn't|needn't) (?:call|run|use|invoke|execute) (?P<what>\S+)(?: for now)?{_THEN}comment (?:it|that|this|(?:that|the|this) (?:line|call|statement))(?: out)?",
    )
)
# In a program "comment the loop" may ask for an explanation.
_COMMENT_ALONE = re.compile(
    r"comment (?P<what>(?!on\b|about\b|that\b|in\b|it\b|this\b).+)", re.IGNORECASE
)
_CORRECTED = re.compile(
    r"(?P<verb>\w+(?: out)?) .+?(?:\.\.\.|…|[,;.]| [-–—]) ?(?:(?:no|oh|wait|sorry|hm+),? )*"
    r"(?:actually|i mean|i meant|rather|make that),? (?:only |just )?(?P<rest>.+)",
    re.IGNORECASE,
)
"""A request that corrects itself: its last words count."""
_OTHERS_STAY = re.compile(
    r",? ?[,;(–—-] ?(?:and |but )?(?:leave|keep) (?:the |all the )?(?:imports?|requires?|definitions?|declarations?|functions?|rest"
    r"|others?|other ones|everything else|calls?)(?: (?:alone|as (?:it|they) (?:is|are)|as is|untouched|there|in place|in))?\)?$",
    re.IGNORECASE,
)
"""Of one thing that goes, what else stays stays anyway."""
_ONLY = re.compile(
    r"[,;(–—-]* ?(?:just|only) (?:that|this|the) (?:one )?(?:line|call|entry|statement|one)\)?$",
    re.IGNORECASE,
)
_FOR_NOW = re.compile(
    r",? ?(?:\b|(?=\())(?:anyway|anyhow|regardless|nevertheless|nonetheless|all the same|even (?:though|if) (?:it|they|this|that)(?:'s|'re| is| are) (?:still )?(?:used|needed)(?: \w+){0,3}|for now|temporarily|for the moment|for (?:the|this) (?:release|demo|test|build|deploy(?:ment)?|moment)|for the time being|for a while|for testing|entirely|completely|as well|too|here|\((?:all|both)(?: of the)? (?:\w+ )?lines\))$",
    re.IGNORECASE,
)
_NOUN = (
    r"(?:function|method|class|test|line|setting|option|key|script|field|call|import|service|rule|constant|variable|endpoint"
    r"|route|volume|statement|handler|helper|package|item|value)"
)
_IN_FUNCTION = re.compile(
    r"(?P<what>.+) (?:in|inside|of) (?:the )?(?:function |method )?(?P<name>`?[^\W\d][\w.]*(?:\(\))?`?)",
    re.IGNORECASE,
)


def deleted_in(text: str) -> str:
    """The words for what is to go in a request to delete; empty for another request.

    What a second sentence says of it stands behind: "x endpoint from app" of "x isn't used, drop that endpoint from app".
    """
    return _framed(_FRAMES, text)


def commented_in(text: str) -> str:
    """The words for what is to become a comment; empty for another request."""
    return _framed(_COMMENT, text)


def commented_alone_in(text: str) -> str:
    """The words behind a mere "comment", which may also ask for an explanation; empty for another request."""
    found = _COMMENT_ALONE.fullmatch(_plain(text))
    return found["what"] if found else ""


def parts_of(what: str) -> tuple[str, ...]:
    """The words for each thing of a list in ``what``, in order, each with the list's noun in the singular and the
    list's place: "the a and b entries in c" are "the a entry in c" and "the b entry in c". A single thing, or lines by
    number, alone.
    """
    if re.search(r"\blines? \d", what):
        return (what,)
    hidden = re.sub(QUOTED + r"|\([^()]*\)", lambda at: "\0" * len(at[0]), what)
    both = re.match(r"(?:both (?:the |of )?|(?:all )?(?:the )?(?:two|three|four|five) )", hidden)
    start = both.end() if both else 0
    place = re.search(r" (?:from|out of|in|under|inside|within) [^,]+$", hidden[start:])
    end = start + place.start() if place else len(what)
    cuts = list(re.finditer(r",? (?:and|&|plus|as well as) (?:the )?|, ", hidden[start:end]))
    if not cuts:
        return (what,)
    borders = [start, *(start + x for cut in cuts for x in cut.span()), end]
    parts = [what[a:b].strip() for a, b in zip(borders[::2], borders[1::2], strict=True)]
    first = re.match(rf"(?:the )?(?P<noun>{_NOUN})s (?=\S)", parts[0])
    last = re.search(rf" (?P<noun>{_NOUN})s$", parts[-1])
    if first:
        parts[0] = parts[0][first.end() :]
        parts = [f"the {first['noun']} {part}" for part in parts]
    elif last:
        parts[-1] = parts[-1][: last.start()]
        parts = [f"{part} {last['noun']}" for part in parts]
    behind = what[end:]
    return tuple(f"{part}{behind}" for part in parts)


def cut_function(what: str) -> tuple[str, str]:
    """The words for a statement, and the function behind them: ``the loop`` and ``load`` for "the loop in load".

    The words unchanged and an empty name if no function stands there.
    """
    found = _IN_FUNCTION.fullmatch(what)
    return (found["what"], plain_name(found["name"])) if found else (what, "")


def _framed(frames: tuple[re.Pattern[str], ...], text: str) -> str:
    """The words for what is meant, out of the first frame that fits ``text`` as a whole, with the noun and the place
    that stand elsewhere in it behind them; empty if none fits.
    """
    text = _plain(text)
    for frame in frames:
        if (found := frame.fullmatch(text)) is None:
            continue
        parts = {role: words for role, words in found.groupdict().items() if words}
        what = parts["what"].rstrip(" ,;:-–—")
        if (noun := parts.get("noun", "")) and not re.search(rf"\b{noun}\b", what):
            what = f"{re.sub(r'^(?:the|that|this) ', '', what)} {noun}"
        place = re.sub(
            r"^ (?:out )?of ", " from ", parts.get("place2", "") or parts.get("place", "")
        )
        if "within" in parts and not re.search(r" (?:in|from|under) ", what):
            place = f" from {parts['within']}"
        if "owner" in parts:
            what, place = f"the {what} call", f" in {parts['owner']}"
        return f"{re.sub(r'^(?:just|only) (?=the |that |this )', '', what)}{place}"
    return ""


def _plain(text: str) -> str:
    """The request without "for now", "completely" and the like at its end, without words that everything else stays or
    that only this line goes; of a request that corrects itself ("delete a, no, I mean b") the verb and what comes last.
    """
    if found := _CORRECTED.fullmatch(text):
        text = f"{found['verb']} {found['rest']}"
    text = re.sub(r"^temporarily ", "", _FOR_NOW.sub("", text), flags=re.IGNORECASE)
    return _ONLY.sub("", _OTHERS_STAY.sub("", text)).rstrip(" ,;(-–—")
