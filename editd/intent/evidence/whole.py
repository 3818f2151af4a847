"""Evidence for edits that name no text: which kind is a cue, where is a definition that the buffer has, and the rest may say why.

"take_damage: return first thing if already dead, then flatten the rest" needs no more: one function, one ``if`` that can be turned.
What narrows such an edit ("except", "only", a number, a quoted text, another name of the buffer) leaves it unread. Standard library
only.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace

from editd.intent.english import QUOTED
from editd.intent.evidence.buffer_facts import BufferFacts
from editd.intent.evidence.reading import Reading
from editd.intent.intents import (
    ChangeQuotes,
    Located,
    PrintsToLogging,
    RemoveUnusedImports,
    ReturnEarly,
    Several,
    SortImports,
    UseFStrings,
    UseTemplateLiterals,
    UseWithOpen,
)


def _pattern(text: str) -> re.Pattern[str]:
    """The compiled pattern, which ignores case and in which white space counts for nothing: ``_`` is a blank."""
    return re.compile(re.sub(r"\s+", "", text).replace("_", " "), re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class _Cue:
    """What speaks for one kind of edit.

    words: the edit as a plain sentence. says: found in a request for it. against: found in one for something else. makes: the
    intent, of the request and the buffer's facts; ``None`` if it is none after all.
    """

    words: str
    says: re.Pattern[str]
    makes: Callable[[str, BufferFacts], Located | None]
    against: re.Pattern[str] | None = None


_NARROWS = _pattern(
    r"""\b(?:except(?!_\w*Error)|excepting|only|solely|but_(?:not|keep|leave|the)|other_than|apart_from|besides|unless|don't|do_not|not_(?:in|the|this|that)|never_(?:touch|mind)|keep|leave|skip
    |first_(?!thing)(?:one|two|\w+)|second|third|last|half|some_of|one_of|neither|either)\b|\?"""
)
_HARMLESS = _pattern(
    r"\bkeep_(?:the_zero_padding|things?|it_(?:simple|short))\b|\bkeep_imports_sorted\b"
)
_COUNTED = _pattern(r"\b(?:both|two|three|four|five|six|all_\d+)\b")


def _without_text(quoted: re.Match[str]) -> str:
    """A quoted name as it is, and of another quoted text only its quotes."""
    return quoted[0] if re.fullmatch(r"[`'\"][\w.()]+[`'\"]", quoted[0]) else '"…"'


def _return_early(text: str, facts: BufferFacts) -> ReturnEarly | None:
    """The turned ``if`` of the one function that is named."""
    return ReturnEarly() if len(facts.places_in(text)) == 1 else None


_LEVEL = _pattern(r"\b(?:log\w*\.)?(?P<level>debug|info|warn|warning|error|critical)\b(?:_level)?")
_LOGGER = re.compile(r"\b(?P<name>\w+)\.(?:debug|info|warn|warning|error|critical)\b")


def _prints_to_logging(text: str) -> PrintsToLogging | None:
    """The level that is named, and the logger; ``None`` for several levels."""
    levels = {x["level"].lower() for x in _LEVEL.finditer(text)}
    loggers = {x["name"] for x in _LOGGER.finditer(text)}
    if len(levels) > 1 or len(loggers) > 1:
        return None
    logger = next(iter(loggers), "")
    return PrintsToLogging(next(iter(levels), ""), "" if logger == "logging" else logger)


def _quotes(text: str) -> ChangeQuotes | None:
    """The kind of quotes to write; ``None`` if both kinds are named."""
    kinds = {x.lower() for x in re.findall(r"(double|single)[- ]quot", text, re.IGNORECASE)}
    return ChangeQuotes('"' if kinds == {"double"} else "'") if len(kinds) == 1 else None


def _imported(text: str, facts: BufferFacts) -> tuple[str, ...]:
    """The names that are said to be unused."""
    return tuple(
        dict.fromkeys(
            x
            for x in re.findall(r"[\w.]+", text)
            if x in facts.names and x.lower() not in ("import", "imports")
        )
    )


_CUES = (
    _Cue(
        "use a context manager",
        _pattern(
            r"""\bcontext[-_]?managers?\b|\bwith[-_](?:open|statements?|blocks?|clauses?)\b|\bwith_with\b|\b(?:use|using|via|by|in)_[`'"]?with[`'"]?(?=[,.;!)]|$|_(?:for|in|here|instead)\b)
            |[`'"]with[`'"]|\btry-with(?:-resources?)?\b"""
        ),
        lambda _, facts: UseWithOpen() if facts.language in ("python", "java") else None,
    ),
    _Cue(
        "use f-strings or template literals",
        _pattern(
            r"\bf-?strings?\b|\bf-string_it\b|\btemplate[-_](?:strings?|literals?)\b|\bstring_interpolation\b|\binterpolat(?:e|ed|ion)\b"
        ),
        lambda _, facts: UseFStrings() if facts.language == "python" else UseTemplateLiterals(),
    ),
    _Cue(
        "return early",
        _pattern(
            r"""\bearly_(?:return|exit|out|continue)s?\b|\b(?:return|exit|bail|leave|get)s?_(?:out_)?(?:early|right_away|straight_away|up_front|first|at_once|immediately)\b|\bguard[-_]?(?:clause|style|statement)?s?\b
            |\b(?:invert|flip|reverse|negate|turn_around)\b[^.;]*\b(?:if|check|condition|test)\b|\bbail(?:s|ing)?_out\b
            |\b(?:return|raise|continue)\b.*\b(?:un-?indent\w*|dedent\w*|no_nesting|un-?nest\w*|flatten\w*|without_the_indent\w*|no_else|one_level)"""
        ),
        _return_early,
        _pattern(r"\b(?:except|catch|try|log|print)\b"),
    ),
    _Cue(
        "remove the unused imports",
        _pattern(
            r"""\b(?:unused|unneeded|leftover|superfluous|dead|useless|unnecessary)_(?:imports?|requires?|includes?|usings?|uses?)\b
            |\bimports?\b.*\b(?:unused|leftovers?|for_nothing|nobody_uses|not_used|never_used|aren't_used|isn't_used|no_longer_(?:used|needed))\b
            |\b(?:unused|leftover|for_nothing)\b.*\bimport(?:s|ed)?\b"""
        ),
        lambda text, facts: RemoveUnusedImports(_imported(text, facts)),
        _pattern(r"\b(?:add|sort|order)\b"),
    ),
    _Cue(
        "sort the imports",
        _pattern(
            r"""\b(?:sort|order|alphabeti[sz]e|reorder|isort|re-?arrange|tidy)(?:ed|s|ing)?\b.*\b(?:imports?|requires?|includes?|usings?|uses)\b
            |\b(?:imports?|requires?|includes?|usings?|uses|import_block)\b.*\b(?:sorted|sort|in_order|alphabetic(?:al|ally)?|a(?:-|_to_)z|abc(?:_order)?|gofmt(?:-style)?(?:_order)?|isort|ordered)\b
            |\b(?:alphabetical|abc|gofmt(?:-style)?)_order\b.*\bimports?\b"""
        ),
        lambda _, __: SortImports(),
        _pattern(
            r"\blength\b|\bdescending\b|\breverse\b|\bunused\b|\bfile_name\b|\bby_module_name\b"
        ),
    ),
    _Cue(
        "log instead of printing",
        _pattern(
            r"""\b(?:prints?(?:_(?:calls?|statements?))?|print\(\)|console\.log\w*|system\.out(?:\.println)?|println!?|stdout)\b.*\b(?:log(?:ging|ger|s)?(?:\.\w+)?)\b
            |\blog(?:ging|ger)?(?:\.\w+)?(?:\(\))?\b.*\b(?:instead_of|rather_than|not|no|over|why)_(?:the_|a_|plain_)?(?:print|console|system\.out|println)"""
        ),
        lambda text, _: _prints_to_logging(text),
        _pattern(r"\bremove\b|\bdelete\b|\bdrop\b"),
    ),
    _Cue(
        "change the quotes",
        _pattern(r"\b(?:double|single)[-_]quot\w+"),
        lambda text, _: _quotes(text),
        _pattern(r"\btriple\b|\bdocstrings?\b"),
    ),
)


def read_whole(text: str, facts: BufferFacts) -> Iterator[Reading]:
    """Yield the one edit for which a cue of ``text`` speaks, at each definition that it names; nothing if no or several cues do,
    or a word narrows it.
    """
    bare = re.sub(QUOTED, _without_text, text)
    speaking = [
        cue
        for cue in _CUES
        if cue.says.search(bare) and not (cue.against and cue.against.search(bare))
    ]
    if len(speaking) != 1 or _NARROWS.search(_HARMLESS.sub("", bare)):
        return
    intent = speaking[0].makes(bare, facts)
    if intent is None:
        return
    places = facts.places_in(text)
    each = tuple(replace(intent, location=place) for place in places)
    where = f" in {' and '.join(places)}" if places else ""
    yield Reading(
        Several(each) if len(each) > 1 else each[0] if each else intent, speaking[0].words + where
    )
