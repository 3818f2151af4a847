"""Cues of edits of statements that print: they go, or log. Standard library only."""

from __future__ import annotations

import re

from editd.intent.evidence.buffer_facts import BufferFacts
from editd.intent.evidence.cue import Cue, Words, pattern
from editd.intent.intents import DeletePrints, PrintsToLogging

_PRINT = r"(?:prints?(?:_?outs?)?(?:\(\))?|printing|printed|(?:fmt\.)?println!?s?(?:\(\))?|printf!?s?|console\.logs?(?:\(\))?|console\.log-|system\.out(?:\.println)?s?(?:\(\))?|stdout|echos?|echoes)"
_LOG = r"(?:logging(?:\.\w+)?|\w*logger(?:\.\w+)?|(?<!console\.)(?<!electron-)\x5f*log\.\w+|\x5flog|(?<!console\.)(?<![-\w])log(?![-\w(])|logged|electron-log)"
_LEVEL = pattern(
    r"\b(?:\w*log\w*\.)?(?P<level>debug|info|warn|warning|error|critical)\b(?:_level)?"
)
_NEW_LOGGER = re.compile(r"\b(?:(?:name|call) it|named|called) (?P<name>\w+)", re.IGNORECASE)
_LOGGER = re.compile(r"\b(?P<name>\w+)\.(?:debug|info|warn|warning|error|critical)\b")


def _prints_to_logging(
    request: str, words: Words, _: Words, __: BufferFacts
) -> PrintsToLogging | None:
    """The level that is named, and the logger; ``None`` for several levels or loggers, or if neither prints nor one of them are named."""
    levels = {x["level"].lower() for x in _LEVEL.finditer(request)}
    loggers = {x["name"] for x in _LOGGER.finditer(request)} - {"console"}
    loggers |= {x["name"] for x in _NEW_LOGGER.finditer(request)}
    is_about_prints = words or re.search(_PRINT, request, re.IGNORECASE)
    if len(levels) > 1 or len(loggers) > 1 or not is_about_prints:
        return None
    logger = next(iter(loggers), "")
    if not logger and re.search(r"\bmodule[- ]level logger\b|getLogger", request, re.IGNORECASE):
        logger = "logger"
    return PrintsToLogging(next(iter(levels), ""), "" if logger == "logging" else logger)


def _delete_prints(request: str, words: Words, _: Words, __: BufferFacts) -> DeletePrints | None:
    """Statements that print, all of them; ``None`` if neither prints nor one of them are named."""
    is_about_prints = words or re.search(_PRINT, request, re.IGNORECASE)
    return DeletePrints() if is_about_prints else None


LOG = Cue(
    "log instead of printing",
    pattern(
        rf"""\b{_PRINT}(?!\w)(.*?)(?<!\w){_LOG}(?!\w)|(?<!\w){_LOG}(?!\w)(.*?)\b{_PRINT}(?!\w)
        |\b(?:(?:should|must)_(?:be|become|go_to|go_through|use)|make_it|becomes?|via|use|as)_(?:a_|an_|the_)?(?:{_LOG}(?:_(?:messages?|calls?))?)(?!\w)|(?:->|=>|→)_?{_LOG}(?!\w)"""
    ),
    pattern(
        rf"""\b(?:{_PRINT}|log\w*(?:\.\w+)?|consoles?|level|info|debug|warn|warning|error|messages?|calls?|statements?|module(?:_level)?|use|go|through|collector|via|to_be|output|object|instead_of|reach\w*|plain|not(?=_(?:an?_)?print)|(?:and_)?not(?=__|$)|nor)(?!\w)|(?<!\w){_LOG}(?!\w)"""
    ),
    _prints_to_logging,
    nouns=r"message|print|println|console\.log|line|call|log message",
    choosing=pattern(r"\b(?:dbg|debug(?=_(?:prints?|messages?|output)))\b"),
    harmless=pattern(
        r"\b(?:like|as_in)_[^,.;:]*|\b(?:so_)?why_(?:do_we_|still_|is_it_)?print\w*\??"
    ),
    against=pattern(
        r"\b(?:remove|delete|drop|kill|get_rid_of|add|insert|timestamps?|(?:to|into)_(?:a_|the_)?file)\b"
    ),
)
DELETE_PRINTS = Cue(
    "delete the prints",
    pattern(
        rf"""(?<!the_)(?<!a_)\b(?:remove|delete|drop|kill|strip|get_rid_of|take|throw|clean|rip|nuke|no)\b(.*?)\b(?:{_PRINT}|debug_(?:output|lines?|statements?)|log_(?:lines?|calls?))(?!\w)
        |\b(?:{_PRINT}|debug_(?:output|lines?|statements?)|log_(?:lines?|calls?))(?!\w)(.*?)\b(?:be_(?:removed|deleted|dropped)|remove|delete|drop|kill|out|go(?:es)?(?!_(?:to|through|via|into))|away|take_(?:it|them)_out|get_rid_of)\b
        |(?<![.\w])log\b(?!\.)(.*?)\b(?:remove|delete|drop)_it\b|[\"'`]¤+[\"'`](.*)\b(?:remove|delete|drop)_it\b"""
    ),
    pattern(
        rf"""\b(?:{_PRINT}|logs?|lines?|calls?|statements?|messages?|outputs?|outs?|debug\w*|dbg|trace|noise|noisy|spam\w*|left[-_]?over|leftovers?|forgot\w*|remove[ds]?|delete[ds]?|deleting|removing|drop(?:ped)?|kill
        |strip|take|throw|clean|out|away|get_rid_of|gone|must|prod(?:uction)?|code|in_here|forgotten|costs?|system|temporary)(?!\w)"""
    ),
    _delete_prints,
    nouns=r"print|println!?|console\.log|echo|log|line|call|statement|message|printf",
    choosing=pattern(r"\b(?:debug|dbg|debugging|trace)\b"),
    harmless=pattern(r"\bnot_(?:needed|used|wanted|necessary|useful)\b|\bno_longer_\w+"),
    against=pattern(
        r"\b(?:use|using|switch|convert|turn|replace|become|instead|add|insert|comment|rename|logging|logger|should_be|(?<!not_be_)logged|log_it|log_them)\b|->|=>|→"
    ),
    deletes=True,
)
