"""Prints to logging: how people ask that a program log what it prints."""

from __future__ import annotations

from editd.intent.intents import PrintsToLogging
from editd.intent.rules.rule import Rule, Slots
from editd.intent.rules.templates import ALL

_SHORT = {"warn": "warning"}
_PRINTS = f"{ALL} (debug|debugging)? (print|print()|prints|print()s|console.log|console.log()|console.logs|printing) (calls?|statements?|lines?)?"
_LOGGER = (
    "(the|a|proper|real|python's)? (logging|loggers?|log|logging module|log (calls?|messages?|statements?|lines?)"
    "|logging (calls?|statements?|messages?)|logger calls?|calls (of|to) (a|the)? (logger|logging))"
)


_CALLS = "(calls?|messages?|statements?|lines?|level|logs?|logging|log calls?|logging calls?|log messages?)"
_AT_LEVEL = f"(THE|a)? (LEVELCALL {_CALLS}?|LEVEL {_CALLS}|(log|logging|logger) (calls?|messages?)? (at|with) (the)? (level)? LEVEL (level)?)"


def _logged(slots: Slots) -> PrintsToLogging:
    """``PrintsToLogging`` with the logger and the level that are named."""
    logger, _, level = slots.get("level", "").removesuffix("()").rpartition(".")
    return PrintsToLogging(_SHORT.get(level.lower(), level.lower()), logger)


PRINTS_TO_LOGGING = Rule(
    "print-to-logging",
    paraphrases=(
        f"(use|switch to|i want|i'd like|prefer|call) {_LOGGER} (instead of|rather than|not|and not|in place of|for|over) {_PRINTS} WHERE?",
        f"(replace|convert|change|turn|switch|exchange|swap|migrate|move|rewrite|substitute) {_PRINTS} (with|by|to|into|for|as|to use|using|out for) {_LOGGER} WHERE?",
        f"{_PRINTS} -> {_LOGGER}",
        f"(use|switch to|i want|i'd like|prefer|call|make it) {_AT_LEVEL} (instead of|rather than|not|and not|in place of|for|over) {_PRINTS} WHERE?",
        f"(replace|convert|change|turn|switch|exchange|swap|migrate|move|rewrite|substitute|make) {_PRINTS} (with|by|to|into|for|as|to use|using|out for)? {_AT_LEVEL} WHERE?",
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
