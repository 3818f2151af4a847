"""Prints to logging: how people ask that a program log what it prints."""

from __future__ import annotations

from editd.intent.intents import PrintsToLogging
from editd.intent.rules.rule import Rule
from editd.intent.rules.templates import ALL

_PRINTS = f"{ALL} (debug|debugging)? (print|print()|prints|print()s|console.log|console.log()|console.logs|printing) (calls?|statements?|lines?)?"
_LOGGER = (
    "(the|a|proper|real|python's)? (logging|loggers?|log|logging module|log (calls?|messages?|statements?|lines?)"
    "|logging (calls?|statements?|messages?)|logger calls?|logging.info|logging.info()|logger.info|logger.info()|calls (of|to) (a|the)? (logger|logging))"
)


PRINTS_TO_LOGGING = Rule(
    "print-to-logging",
    paraphrases=(
        f"(use|switch to|i want|i'd like|prefer|call) {_LOGGER} (instead of|rather than|not|and not|in place of|for|over) {_PRINTS} WHERE?",
        f"(replace|convert|change|turn|switch|exchange|swap|migrate|move|rewrite|substitute) {_PRINTS} (with|by|to|into|for|as|to use|using|out for) {_LOGGER} WHERE?",
        f"{_PRINTS} -> {_LOGGER}",
        f"(no|no more) {_PRINTS} WHERE?, (but)? (use)? {_LOGGER} (instead)?",
    ),
    intent=lambda _: PrintsToLogging(),
    takes_location=True,
    examples=(
        ("replace print with logging", PrintsToLogging()),
        ("no prints, use logging instead", PrintsToLogging()),
    ),
    near_misses=("replace the first print with logging",),
)
