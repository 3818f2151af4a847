"""The cues of edits that need no target, kind by kind: the words that speak for an edit, those that go with it, those against it.

Standard library only.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass

from editd.intent.evidence.buffer_facts import BufferFacts
from editd.intent.intents import (
    ChangeQuotes,
    Located,
    PrintsToLogging,
    RemoveUnusedImports,
    ReturnEarly,
    SortImports,
    UseFStrings,
    UseTemplateLiterals,
    UseWithOpen,
)


def pattern(text: str) -> re.Pattern[str]:
    """The compiled pattern, which ignores case and in which white space counts for nothing: ``_`` is a blank."""
    return re.compile(re.sub(r"\s+", "", text).replace("_", " "), re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Cue:
    """The words that speak for one kind of edit.

    words: the edit as a plain sentence. says: found in a request for it; its groups are the gaps between its words. about: words
    that go with it and say no more. makes: the intent, of the request and the buffer's facts; ``None`` if it is none after all.
    against: found in a request for something else.
    """

    words: str
    says: re.Pattern[str]
    about: re.Pattern[str]
    makes: Callable[[str, BufferFacts], Located | None]
    against: re.Pattern[str] | None = None


def _return_early(text: str, facts: BufferFacts) -> ReturnEarly | None:
    """The turned ``if`` of the one function that is named."""
    return ReturnEarly() if len(facts.places_in(text)) == 1 else None


_LEVEL = pattern(r"\b(?:log\w*\.)?(?P<level>debug|info|warn|warning|error|critical)\b(?:_level)?")
_LOGGER = re.compile(r"\b(?P<name>\w+)\.(?:debug|info|warn|warning|error|critical)\b")


def _prints_to_logging(text: str, _: BufferFacts) -> PrintsToLogging | None:
    """The level that is named, and the logger; ``None`` for several levels."""
    levels = {x["level"].lower() for x in _LEVEL.finditer(text)}
    loggers = {x["name"] for x in _LOGGER.finditer(text)}
    if len(levels) > 1 or len(loggers) > 1:
        return None
    logger = next(iter(loggers), "")
    return PrintsToLogging(next(iter(levels), ""), "" if logger == "logging" else logger)


def _quotes(text: str, _: BufferFacts) -> ChangeQuotes | None:
    """The kind of quotes to write; ``None`` if both kinds are named."""
    kinds = {x.lower() for x in re.findall(r"(double|single)[- ]quot", text, re.IGNORECASE)}
    return ChangeQuotes('"' if kinds == {"double"} else "'") if len(kinds) == 1 else None


def _unused_imports(text: str, facts: BufferFacts) -> RemoveUnusedImports:
    """The imports that are said to be unused; all of them for none."""
    words = re.findall(r"[\w.]+", text)
    names = (x for x in words if x in facts.names and x.lower() not in ("import", "imports"))
    return RemoveUnusedImports(tuple(dict.fromkeys(names)))


USE_WITH = Cue(
    "use a context manager",
    pattern(
        r"""\bcontext[-_]?managers?\b|\bwith[-_](?:open|statements?|blocks?|clauses?)\b|\bwith_with\b|\b(?:use|using|via|by|in)_[`'"]?with[`'"]?(?=[,.;!)]|$|_(?:for|in|here|instead)\b)
        |[`'"]with[`'"]|\btry-with(?:-resources?)?\b"""
    ),
    pattern(r"\b(?:open\w*|clos\w+|files?|handles?|leak\w*|drop_the_explicit_close)\b"),
    lambda _, facts: UseWithOpen() if facts.language in ("python", "java") else None,
)
USE_F_STRINGS = Cue(
    "use f-strings or template literals",
    pattern(
        r"\bf-?strings?\b|\bf-string_it\b|\btemplate[-_](?:strings?|literals?)\b|\bstring_interpolation\b|\binterpolat(?:e|ed|ion)\b"
    ),
    pattern(
        r"""\b(?:strings?|formatt?\w*|concat\w*|percent|plus|signs?|messages?|texts?|literals?|glu\w+|operators?|\w*%\w*)\b"""
    ),
    lambda _, facts: UseFStrings() if facts.language == "python" else UseTemplateLiterals(),
)
RETURN_EARLY = Cue(
    "return early",
    pattern(
        r"""\bearly_(?:return|exit|out|continue)s?\b|\b(?:return|exit|bail|leave|get)s?_(?:out_)?(?:early|right_away|straight_away|up_front|first|at_once|immediately)\b|\bguard[-_]?(?:clause|style|statement)?s?\b
        |\b(?:invert|flip|reverse|negate|turn_around)\b([^.;]*?)\b(?:if|check|condition|test)\b|\bbail(?:s|ing)?_out\b
        |\b(?:return|raise|continue)\b(.*)\b(?:un-?indent\w*|dedent\w*|no_nesting|un-?nest\w*|flatten\w*|without_the_indent\w*|no_else|one_level)"""
    ),
    pattern(
        r"\b(?:nest\w*|indent\w*|wrap\w*|bod(?:y|ies)|else|if|block|level|happy_path|returns?|at_the_top|rest)\b"
    ),
    _return_early,
    pattern(r"\b(?:except|catch|try|log|print)\b"),
)
REMOVE_UNUSED_IMPORTS = Cue(
    "remove the unused imports",
    pattern(
        r"""\b(?:unused|unneeded|leftover|superfluous|dead|useless|unnecessary)_(?:imports?|requires?|includes?|usings?|uses?)\b
        |\bimports?\b(.*)\b(?:unused|leftovers?|for_nothing|nobody_uses|not_used|never_used|aren't_used|isn't_used|no_longer_(?:used|needed))\b
        |\b(?:unused|leftover|for_nothing)\b(.*)\bimport(?:s|ed)?\b"""
    ),
    pattern(
        r"\b(?:remove|delete|drop|out|away|kill|clean|imports?|imported|compile|warn\w*|complain\w*)\b"
    ),
    _unused_imports,
    pattern(r"\b(?:add|sort|order)\b"),
)
SORT_IMPORTS = Cue(
    "sort the imports",
    pattern(
        r"""\b(?:sort|order|alphabeti[sz]e|reorder|isort|re-?arrange|tidy)(?:ed|s|ing)?\b(.*)\b(?:imports?|requires?|includes?|usings?|uses)\b
        |\b(?:imports?|requires?|includes?|usings?|uses|import_block)\b(.*)\b(?:sorted|sort|in_order|alphabetic(?:al|ally)?|a(?:-|_to_)z|abc(?:_order)?|gofmt(?:-style)?(?:_order)?|isort|ordered)\b
        |\b(?:alphabetical|abc|gofmt(?:-style)?)_order\b(.*)\bimports?\b"""
    ),
    pattern(
        r"\b(?:imports?|stdlib|standard_library|order|sort\w*|random|alphabet\w*|block|java\.util)\b"
    ),
    lambda _, __: SortImports(),
    pattern(r"\blength\b|\bdescending\b|\breverse\b|\bunused\b|\bfile_name\b|\bby_module_name\b"),
)
LOG = Cue(
    "log instead of printing",
    pattern(
        r"""\b(?:prints?(?:_(?:calls?|statements?))?|print\(\)|console\.log\w*|system\.out(?:\.println)?|println!?|stdout)\b(.*)\b(?:log(?:ging|ger|s)?(?:\.\w+)?)\b
        |\blog(?:ging|ger)?(?:\.\w+)?(?:\(\))?\b(.*)\b(?:instead_of|rather_than|not|no|over|why)_(?:the_|a_|plain_)?(?:print|console|system\.out|println)"""
    ),
    pattern(
        r"""\b(?:print\w*|log\w*(?:\.\w+)?|console|level|info|debug|warning|error|messages?|calls?|statements?)\b"""
    ),
    _prints_to_logging,
    pattern(r"\bremove\b|\bdelete\b|\bdrop\b|\bkill\b"),
)
CHANGE_QUOTES = Cue(
    "change the quotes",
    pattern(r"\b(?:double|single)[-_]quot\w+"),
    pattern(r"\b(?:strings?|quot\w+|single|double)\b"),
    _quotes,
    pattern(r"\btriple\b|\bdocstrings?\b"),
)

CUES = (
    USE_WITH,
    USE_F_STRINGS,
    RETURN_EARLY,
    REMOVE_UNUSED_IMPORTS,
    SORT_IMPORTS,
    LOG,
    CHANGE_QUOTES,
)
