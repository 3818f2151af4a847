"""Words around a ``try`` that say it without its name: what fails, where errors come from, what must not happen. Standard library only."""

from __future__ import annotations

import re

from editd.intent.evidence.try_actions import ERROR_NAME


def _pattern(*texts: str) -> re.Pattern[str]:
    """The compiled pattern for one of the texts, which ignores case."""
    return re.compile("|".join(texts), re.IGNORECASE)


TARGET_END = r"(?=\s*(?:$|[,;:]|[.!?](?:\s|$)|\s-+\s|\(|\b(?:in|with|into|inside|within|by|of|from|and|so|for|there|because|(?:should|can|may|must|is|are|does)(?:n['’]t)?|needs?|on|when|if|once|that|which)\b))"
"""Ends the words for what goes in ``try``."""
IMPLIED = _pattern(
    r"\b(?:instead of|rather than|not) (?:an? )?(?:crash|blow|dy|rais|throw|fail|explod|die|traceback|stack ?trace)\w*",
    r"\b(?:must|should|may|can|could|shall)(?:n['’]t| not| never)?\b[^.;:]*? (?:surviv|crash|blow|break|die|kill|abort|stop|fall over|explode|(?:take|bring)[^.;:]* down)\w*",
    r"\b(?:swallow|surviv)\w*",
    r"\bturn(?:ed|s)?\b.*\binto\b",
    r"\([\w.]*(?:Error|Exception)\)",
    r"\binstead of (?:an? )?(?:bare |plain )?\w*(?:Error|Exception)\b",
    r"(?:->|=>|→|: ?)[^:]*\b(?:return|ignore|pass|continue)\b",
    r"\b(?:on|for|if|when) (?:an? )?(?:[\w.]*(?:Error|Exception)\b|(?-i:[a-z]\w*\.[A-Z]\w+))",
    r"\b(?:may|might|can|could|sometimes|occasionally) (?:raise|throw|hit|get|fail|run into|die)\b",
    r"\b(?-i:[A-Z]\w*(?:Error|Exception)) (?:gives|means|becomes)\b",
    r"(?-i:(?:Error|Exception)) (?:->|=>|→)",
    r"(?:->|=>|→) ?(?-i:[\w.]*(?:Error|Exception))\b",
)
"""Asks for a ``try`` if an error is named."""
OTHER_KIND = _pattern(
    r"\b(?:doc|docs|docstrings?|document\w*|comments?|rename\w*|tests?|parameters?|imports?|constants?)\b",
    r'"""',
    "'{3}",
)
"""Speaks of another edit, in which errors may be named, too."""
IN_A_HANDLER = _pattern(
    r"\b(?:in|inside|into|to|of|at the (?:top|start|end) of) (?:the |its )?(?:(?!an? )\w+(?:['’]s)? )?(?:catch|except)(?: ?(?:block|clause|branch|part|handler))?\b(?= (?:of|in)\b|[,;:.]|$| with\b)"
)
"""A place in a ``try`` that the buffer has."""
FAILURE = _pattern(
    r"\b(?:if|when|whenever|in case|once|as|because)\b (?:[^,;:]*? )?(?:(?:(?:is|are|was)(?:n['’]t| not| already)?|\w+['’]s(?: not| already)?) (?:there|missing|gone|broken|invalid|down|full|empty|unreachable|found|known|available|set|malformed|corrupt)"
    r"|(?:does|do|did)(?:n['’]t| not) (?:exist|parse|work|answer|respond|match|fit|have)|(?:can|could)(?:n['’]t|not| not) be \w+)\b(?: (?:yet|any ?more))?"
)
"""Says when the error comes."""
SKIPPED = _pattern(r"^(?:please )?skip [^,;:.]+(?=[,;:])")
"""Says what a ``continue`` is for."""
PURPOSE = _pattern(
    r"\b(?:must|should|may|can|shall|do|does)(?:n['’]t| not|not| never)\b (?:\w+ )?(?:stop|break|kill|abort|crash|end|take down|bring down|interrupt|block|fail|ruin)\b"
    r"(?: (?:the|all|my|our|any|whole|entire|other|others|rest|everything|run|loop|program|app|application|script|job|batch|server|of|it|us|down|me))*"
)
"""Says what the error must not do: "shouldn't stop the others"."""
IF_IT_FAILS = _pattern(r"\b(?:if|when) [^,;:]+? (?:fails|throws|rejects|errors)\b")
"""Says that something is done on an error, whatever that is."""
CODE_NAMED = _pattern(r"(?<![\w.])(?!(?:i\.e|e\.g)\b)[^\W\d]\w*(?:\.[^\W\d]\w*)+")
"""A dotted name."""
KNOWN_ERROR = _pattern(
    r"\b(?:catch|catches|except|on|upon|raises?|throws?|against|handle|swallow|with|turn an?|instead of(?: an?| a bare| a plain)?) (?P<names>(?-i:[A-Z]\w*[a-z]\w*))(?![\w(])"
)
"""An error whose name does not say so: ``NotFound``."""
ANY_ERROR = _pattern(
    r"\b(?:any|all|every) (?:exceptions?|errors?)\b",
    r"\bwhatever (?:it )?(?:throws|raises)\b",
)
SOURCE = _pattern(
    rf"(?:{ERROR_NAME}s?|\b(?:errors?|exceptions?|failures?)) (?:(?:coming |thrown |raised )?(?:from|of|in|around|by))(?: (?:the|our|that|a|an))? (?P<target>[^,;:]+?){TARGET_END}"
)
PUT_IN_TRY = _pattern(
    r"(?:^|[,;:.] )(?:the )?(?P<target>(?:(?![.!?] )[^;:])+?) (?:needs?|wants?|should (?:be|go|get)|must (?:be|go|get)|has to (?:be|go)|belongs|goes|in(?:to)?|inside|lacks|(?:(?:should|must|has to|needs to) be )?(?:wrapped|caught|guarded|surrounded|enclosed)(?: by| with)?)(?: in| into| inside)?(?: an?)? (?:try|except)\b"
)
_NO_SUBJECT = r"(?!(?:should|must|shall|instead|wrap|try|catch|return|returns|when|if|not|and|then|it|that|this|they)\b)"
SUBJECT = rf"(?:{_NO_SUBJECT}[^,;:\s]+ ){{0,5}}?{_NO_SUBJECT}[^,;:\s]+?"
"""The words for what fails: a few, without a further verb."""
FAILS = _pattern(
    rf"(?:^|[,;:.!] |\bin [\w.]+(?:\(\))?,? |\b(?:if|when|because|since|and|then) )(?:(?:the|an?|one|and|then|if|when|sometimes|since|any) )*(?P<target>{SUBJECT}) (?:call )?(?:(?:in|of|inside) (?:the )?`?[\w.]+(?:\(\))?`? )?"
    r"(?:(?:can|may|might|could|will|sometimes|does|occasionally|often) )?(?:(?:must|should|may)(?:n['’]t| not) (?:stop|kill|break|abort|crash)|raises?|throws?|hits?|runs? into|fails?|explodes?|crash(?:es)?|blows? up|dies|die|rejects?|errors?|chokes?|barfs?|times? out|hangs?|is flaky|is unreliable|go(?:es)? wrong)\b"
)
IN_THE_LOOP = _pattern(
    r"\b(?:in|inside|within) (?:the |its )?(?:for[ -]|while[ -])?loop(?: body)?\b",
    r"\b(?:body|contents?|inside) of (?:the |its )?(?:\w+ )?loop\b",
)
NAMES_CODE = _pattern(
    r"\b(?:call|line|statement|loop|block|around|surround|wrap)\b(?! (?:it|this|that|the (?:body|function|whole))\b)"
)
"""Speaks of a part of a function."""
