"""Prints to logging: how people ask that a program log what it prints."""

from __future__ import annotations

import re

from editd.intent.intents import PrintsToLogging
from editd.intent.lexicon import words_of
from editd.intent.rules.delete_prints import PRINTS
from editd.intent.rules.guess import Guess
from editd.intent.rules.rule import Rule, Slots
from editd.intent.rules.templates import ALL
from editd.intent.slots import UnreadText

_SHORT = {"warn": "warning"}
_PRINTS = f"{ALL} (debug|debugging)? (print|print()|prints|print()s|console.log|console.log()|console.logs|printing) (calls?|statements?|lines?)?"
_LOGGER = (
    "(the|a|proper|real|python's)? (logging|loggers?|log|logging module|log (calls?|messages?|statements?|lines?)"
    "|logging (calls?|statements?|messages?)|logger calls?|calls (of|to) (a|the)? (logger|logging))"
)


_INSTEAD_OF = "(instead of|rather than|not|and not|in place of|for|over)"
_INTO = "(with|by|to|into|for|as|to use|using|out for)"
_CALLS = "(calls?|messages?|statements?|lines?|level|logs?|logging|log calls?|logging calls?|log messages?)"
_AT_LEVEL = f"(THE|a)? (LEVELCALL {_CALLS}?|LEVEL {_CALLS}|(log|logging|logger) (calls?|messages?)? (at|with) (the)? (level)? LEVEL (level)?)"


def _logged(slots: Slots) -> PrintsToLogging:
    """``PrintsToLogging`` with the logger and the level that are named."""
    logger, _, level = slots.get("level", "").removesuffix("()").rpartition(".")
    return PrintsToLogging(_SHORT.get(level.lower(), level.lower()), logger)


PRINTS_TO_LOGGING = Rule(
    "print-to-logging",
    paraphrases=(
        f"(use|switch to|i want|i'd like|prefer|call) {_LOGGER} {_INSTEAD_OF} {_PRINTS} WHERE?",
        f"(replace|convert|change|turn|switch|exchange|swap|migrate|move|rewrite|substitute) {_PRINTS} {_INTO} {_LOGGER} WHERE?",
        f"{_PRINTS} -> {_LOGGER}",
        f"(use|switch to|i want|i'd like|prefer|call|make it) {_AT_LEVEL} {_INSTEAD_OF} {_PRINTS} WHERE?",
        f"(replace|convert|change|turn|switch|exchange|swap|migrate|move|rewrite|substitute|make) {_PRINTS} {_INTO}? {_AT_LEVEL} WHERE?",
        f"{_PRINTS} -> {_AT_LEVEL}",
        f"{_PRINTS} (should|must) (be|become|use) {_AT_LEVEL} WHERE?",
        f"(no|no more) {_PRINTS} WHERE?, (but)? (use)? {_AT_LEVEL} (instead)?",
        f"(no|no more) {_PRINTS} WHERE?, (but)? (use)? {_LOGGER} (instead)?",
    ),
    intent=_logged,
    takes_location=True,
    examples=(
        ("replace print with logging", PrintsToLogging()),
        ("no prints, use logging instead", PrintsToLogging()),
        ("replace the prints with logger.debug calls", PrintsToLogging("debug", "logger")),
        ("turn the prints into warning messages", PrintsToLogging("warning")),
    ),
    near_misses=("replace the first print with logging",),
)
_LOG = re.compile(
    r"(?:\b(?:a|an|the|our|proper|real|python's|module|module-level) )*(?<![\w.])`?(?:(?P<logger>log|logger|logging|_log|LOG|LOGGER)(?:\.(?P<level>debug|info|warning|warn|error|critical))?(?:\(\))?(?![\w.])"
    r"|(?P<level2>debug|info|warning|error)(?=(?:-level)? (?:log|logging|calls?|messages?|level|logs)\b))`?(?:-level)?(?: (?:module|calls?|statements?|messages?|lines?|logger|logging|log|level|logs))*"
    r"(?:,? (?:at|on|with|using) (?:the )?(?:level )?(?P<level3>debug|info|warning|error)(?: level)?)?",
    re.IGNORECASE,
)
_TO = re.compile(
    r"->|=>|→|\b(?:to|with|by|into|become|becomes|should|must|use|through|via|log|as|for|using|in favou?r of|instead|need to be|ought to be)\b",
    re.IGNORECASE,
)
_NOT = re.compile(r"\b(?:instead of|rather than|in place of|not)\b", re.IGNORECASE)
_FOR = re.compile(
    r"\b(?:instead of|rather than|in place of|not|over|for|replaces?|replacing|where(?:ver)?)(?!\w)",
    re.IGNORECASE,
)
_KNOWN = words_of(
    """
    change changed convert converted turn turned switch replace replaced rewrite swap exchange migrate move prefer go become
    becomes instead rather than place over not no more through via calls call statements level favor favour every all each
    both everywhere here there goes out still where wherever now log logged -> => → print printing
    """
)


# Said of a logger that is there, or set up elsewhere.
_REASONS = re.compile(
    r"^(?:we|you|i|it) (?:already )?(?:has|have|got) an? (?:logger|logging)(?:,| and)?(?: so)?,? "
    r"|[,;.] ?(?:the )?(?:logging|logger|it) (?:is|gets|will be) (?:set up|configured|initiali[sz]ed) (?:elsewhere|already|in \w+)(?:,? so (?:only )?the import is (?:needed|enough|missing))?$"
    r"|[,;.] ?(?:it|the file) only needs the import$",
    re.IGNORECASE,
)


def _to_logging(text: str) -> PrintsToLogging | None:
    """The intent of a request that prints become log calls, in a function if one is named, at the level and with the
    logger that it names; ``None`` for another request, the other way round, or if words are left that are not known.
    """
    text = _REASONS.sub("", text)
    prints, log = PRINTS.search(text), _LOG.search(PRINTS.sub(lambda at: " " * len(at[0]), text))
    if prints is None or log is None:
        return None
    if prints.start() < log.start():
        between = text[prints.end() : log.start() + 1]
        is_so = bool(_TO.search(between)) and not _NOT.search(between)
    else:
        is_so = bool(_FOR.search(text, log.end(), prints.start()))
    unread = UnreadText(text)
    unread.take(PRINTS)
    unread.take(_LOG)
    location = unread.take_function(_KNOWN)
    if not is_so or not unread.says_only(_KNOWN):
        return None
    level = (log["level"] or log["level2"] or log["level3"] or "").lower()
    logger = log["logger"] or ""
    return PrintsToLogging(
        _SHORT.get(level, level),
        logger if log["level"] else "",
        location=location,
    )


LOGGING_FOR_PRINTS = Guess(
    "print-to-logging",
    reads=_to_logging,
    examples=(
        ("prints -> logging.info, whole file", PrintsToLogging("info", "logging")),
        (
            "in send the print should go through logger.debug",
            PrintsToLogging("debug", "logger", location="send"),
        ),
        (
            "send still prints; it should use log.info for that",
            PrintsToLogging("info", "log", location="send"),
        ),
        (
            "we have a logger, so use logger.info where console.log is used now",
            PrintsToLogging("info", "logger"),
        ),
    ),
    near_misses=(
        "use print instead of logging in send",
        "replace the prints with logging except in main",
        "turn the first print in send into logging",
    ),
    is_of_one=False,
    reads_all_words=True,
)
"""In a function."""
