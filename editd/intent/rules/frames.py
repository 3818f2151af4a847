"""Frames of words: those around what is to go or to become a comment, and "in load" behind what stands in a function."""

from __future__ import annotations

import re

from editd.intent.english import plain_name

_DELETE = (
    r"(?:delete|remove|rm|drop|erase|strip(?: out)?|kill|get rid of|throw (?:out|away)|cut(?: out)?|take (?:out|away)|nuke|scrap|purge"
    r"|eliminate|ditch|rip out|kick out|toss(?: out)?|pull(?: out)?|do away with|trash|lose|zap|prune|uninstall|unset)"
)
_UNWANTED = (
    r"(?:unused|not used|never (?:used|called|needed)|dead(?: code)?|not needed|no longer (?:needed|used|wanted)|obsolete|outdated|useless"
    r"|unnecessary|redundant|superfluous)"
)
_FRAMES = tuple(
    re.compile(frame, re.IGNORECASE | re.DOTALL)
    for frame in (
        rf"(?:{_DELETE}) (?P<what>.+?)(?: (?:out|away))?",
        (
            r"(?P<what>.+?) (?:can|could|should|must|may|has to|have to|needs to|need to|ought to) (?:now )?"
            r"(?:go(?: away)?|disappear|leave|be (?:deleted|removed|dropped|erased|gone|taken out))"
        ),
        rf"(?P<what>.+?) (?:is|are|isn't|aren't) {_UNWANTED}(?: anymore)?,? (?:so )?(?:please )?{_DELETE} (?:it|them|that|those)",
        r"(?:we|i) (?:don't|do not|no longer) (?:need|want|use) (?P<what>.+?)(?: (?:any ?more|any longer))?",
        r"(?:i want|i'd like|we want) (?P<what>.+?) (?:gone|removed|deleted|out|to go|to be (?:removed|deleted|gone))",
    )
)
_COMMENT = tuple(
    re.compile(frame, re.IGNORECASE | re.DOTALL)
    for frame in (
        r"comment out (?P<what>.+)",
        r"comment (?P<what>.+?) (?:out|away)",
        r"(?:turn|make|put) (?P<what>.+?) (?:into|in)? ?(?:a comment|comments)",
        r"(?:disable|deactivate|switch off) (?P<what>.+?) (?:with|by|using) (?:a )?comments?(?:ing it out)?",
        r"(?P<what>.+?) (?:should|must|has to|needs to|can) be commented(?: out)?",
    )
)
_FOR_NOW = re.compile(
    r",? (?:for now|temporarily|for the moment|for the time being|for a while|for testing|entirely|completely|as well|too)$",
    re.IGNORECASE,
)
_IN_FUNCTION = re.compile(
    r"(?P<what>.+) (?:in|inside|of) (?:the )?(?:function |method )?(?P<name>`?[^\W\d][\w.]*(?:\(\))?`?)",
    re.IGNORECASE,
)


def deleted_in(text: str) -> str:
    """The words for what is to go in a request to delete; empty for another request."""
    return _framed(_FRAMES, text)


def commented_in(text: str) -> str:
    """The words for what is to become a comment; empty for another request."""
    return _framed(_COMMENT, text)


def cut_function(what: str) -> tuple[str, str]:
    """The words for a statement, and the function behind them: ``the loop`` and ``load`` for "the loop in load".

    The words unchanged and an empty name if no function stands there.
    """
    found = _IN_FUNCTION.fullmatch(what)
    return (found["what"], plain_name(found["name"])) if found else (what, "")


def _framed(frames: tuple[re.Pattern[str], ...], text: str) -> str:
    """The contents of the slot of the first frame that fits ``text`` as a whole; empty if none fits."""
    text = _FOR_NOW.sub("", text)
    return next((found["what"] for frame in frames if (found := frame.fullmatch(text))), "")
