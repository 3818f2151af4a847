"""Cues of edits of statements that print: they go, or log. Standard library only."""

from __future__ import annotations

import re

from editd.intent.evidence.buffer_facts import BufferFacts
from editd.intent.evidence.cue import Cue, Words, one_of, words_like
from editd.intent.intents import DeletePrints, PrintsToLogging

_PRINT = (
    r"(?:prints?(?:[ -]?outs?)?(?:\(\))?|printing|printed|(?:fmt\.)?println!?s?(?:\(\))?|printf!?s?|dbg!?s?|console\.logs?(?:\(\))?|console\.log-"
    r"|system\.outs?(?:\.println)?s?(?:\(\))?|sysouts?|stdout|echos?|echoes)"
)
"""A pattern of the names of statements that print."""
_TERMINAL = r"(?:the |my |our |a |his |every )?(?:whole )?(?:console|terminal|screen|stdout|standard output|shell|command line|cron (?:mails?|logs?)|ci logs?|logs?)"
_DEBUG_LINES = r"(?:debug|debugging|log|trace|console)_(?:outputs?|lines?|statements?|calls?|messages?|logging|noise)".replace(
    "_", "[ -]"
)
_LEVELS = r"(?:trace|debug|info|warn|warning|error|critical)"
_LOG = (
    rf"(?:logging(?:\.\w+)?|\w*logger(?:\.\w+)?|(?<![.\w])_*log\.\w+|\b_log|(?<!console\.)(?<![-\w])log(?![-\w(])|logged|electron-log"
    rf"|console\.(?!log\b){_LEVELS}(?:\(\))?|(?:\w+::)?\b{_LEVELS}!)"
)
"""A pattern of the names of loggers, their methods and macros."""
_LEVEL = re.compile(
    rf"(?<![\w.])(?:\w*log\w*\.|console\.|\w+::)?(?P<level>{_LEVELS})\b(?: level)?", re.IGNORECASE
)
_LOGGER = re.compile(rf"\b(?P<name>\w+)\.(?:{_LEVELS}\b|Print(?:ln|f)?\b)")
_NEW_LOGGER = re.compile(r"\b(?:(?:name|call) it|named|called) (?P<name>\w+)", re.IGNORECASE)
_NEW_OF_MODULE = re.compile(r"\bmodule[- ]level logger\b|getLogger", re.IGNORECASE)
_CHECK = r"(?:if|check|condition|guard)(?:[ -](?:statement|block|clause|check))?s?"
_CHECK_AROUND = one_of(
    rf"\b(?:and |with |including |together with |plus |as well as )*(?:the |its |their |that |whole )+{_CHECK}(?: \w+)? (?:around|above|before|surrounding|wrapping|guarding|over) (?:it|them|that)\b",
    rf"\b(?:and |with |including |together with |plus )+(?:its|their|the (?:surrounding|enclosing|wrapping)) {_CHECK}\b",
)
"""The words that say that the ``if`` around a print goes as well."""
_IS_ABOUT_PRINTS = one_of(_PRINT, _DEBUG_LINES)


def _prints_to_logging(
    request: str, words: Words, _: Words, __: BufferFacts
) -> PrintsToLogging | None:
    """The level that is named, and the logger; ``None`` for several levels or loggers, or if neither prints nor one of them are named."""
    levels = {x["level"].lower() for x in _LEVEL.finditer(request)}
    loggers = {x["name"] for x in _LOGGER.finditer(request)} - {"fmt"}
    loggers |= {x["name"] for x in _NEW_LOGGER.finditer(request)}
    if len(levels) > 1 or len(loggers) > 1 or not (words or _IS_ABOUT_PRINTS.search(request)):
        return None
    logger = next(iter(loggers), "logger" if _NEW_OF_MODULE.search(request) else "")
    return PrintsToLogging(next(iter(levels), ""), "" if logger == "logging" else logger)


def _delete_prints(request: str, words: Words, _: Words, __: BufferFacts) -> DeletePrints | None:
    """Statements that print, all of them; ``None`` if neither prints nor one of them are named."""
    is_about_prints = words or _IS_ABOUT_PRINTS.search(request)
    with_check = _CHECK_AROUND.search(request) is not None
    return DeletePrints(with_check=with_check) if is_about_prints else None


LOG = Cue(
    "log instead of printing",
    one_of(
        rf"\b{_PRINT}(?!\w)(.*?)(?<!\w){_LOG}(?!\w)",  # the prints should go through our log
        rf"(?<!\w){_LOG}(?!\w)(.*?)\b{_PRINT}(?!\w)",  # log.info instead of print
        rf"(?:->|=>|→) ?(?:an? )?{_LOG}(?!\w)",  # the dup message -> logger.debug
        # the dup message should be a log.info
        rf"\b(?:(?:should|must|ought to|has to|have to|wants? to|goes?|go|move[ds]?|make|turn(?:ed)?|downgraded?|convert(?:ed)?)(?: only| also| just)? )?(?:be|become|becomes|to|into|in|at|through|via|with|use|using|as|make it|take|prefer|rather have|(?:dup )?be logged at)"
        rf" (?:an? |the |our |my |this |that |a proper |proper )?(?:{_LEVELS} )?{_LOG}(?: (?:messages?|calls?|level))?(?!\w)",
        r"\b(?:should|must|ought to|has to|have to|is to|are to|wants to|to)(?: only| just)? be logged\b",  # the dup message should be logged
        rf"(?:^|[,;] |\b(?:please|just) )(?:{_LOG}) (?:it|them|that|this)\b",  # …, logging.debug it
    ),
    one_of(
        rf"\b{_PRINT}(?!\w)",
        rf"(?<!\w){_LOG}(?!\w)",
        rf"\b{_LEVELS}(?!\w)",
        rf"(?:on|to|in) {_TERMINAL}",
        words_like(
            r"""log\w*(?:\.\w+)? consoles? level messages? calls? statements? module(?:_level)? go goes through collector via to_be outputs? objects? own why instead_of reach\w* plain nor
            not(?=_(?:an?_)?print) (?:and_)?not(?=__|$) imports? imported importing needs? needed top stdout use move[ds]? downgraded? shown? shows? saying tells? texts?"""
        ),
    ),
    _prints_to_logging,
    nouns=r"message|print|println!?|console\.log|line|call|log message|output|text",
    choosing=one_of(r"\b(?:dbg|debug(?= (?:prints?|messages?|output)))\b"),
    harmless=one_of(
        r"\b(?:like|as in) [^,.;:]*",
        r"\b(?:so )?why (?:do we |still |is it )?print\w*\??",
        r"\bso why (?:the |not |do we |still )?[^,.;?]*\?",
        r"\bnot on (?:the |my )?(?:screen|console|terminal|stdout)",
        rf"\bnot (?:a |an )?{_PRINT}(?!\w)",
        r"\bonly be(?= logged)",
    ),
    against=one_of(
        r"\b(?:remove|delete|drop|kill|get rid of)\b",
        r"\b(?:add|insert)\b(?! (?:the |an? )?(?:logging )?imports?\b)",
        r"\btimestamps? (?:to|for|in)\b",
        r"\b(?:to|into) (?:a |the )?file\b(?! on)",
        rf"(?<!\w){_LOG}(?<!getLogger)\([^)]",  # a call with its text is code to insert
    ),
)
_STOPS_PRINTING = (
    r"\b(?:should|must|may|need|needs|do|does|did|can|shall)(?:n't| not) (?:be )?(?:print|printed|printing|dump|dumped|echo|echoed|output|logged to)\b(.*)",  # f should not print
    r"\b(?:stop|stops|quit|no more|enough) (?:it |this |that |them )?(?:from )?(?:printing|dumping|echoing|spamming)\b(.*)",  # stop printing the batch accuracy
    r"\bnothing (?:should|must|may|is to|has to) be (?:printed|dumped|echoed|output|logged)\b",
    rf"\b(?:no|no more|without|zero)\b(.*?)\b(?:{_PRINT}|{_DEBUG_LINES}|(?:console|terminal) (?:output|noise|logging|spam|messages))(?!\w)",  # no prints in here
)
_PRINTS_OR_LINES = rf"(?:{_PRINT}|{_DEBUG_LINES})(?!\w)"
DELETE_PRINTS = Cue(
    "delete the prints",
    one_of(
        rf"(?<!the )(?<!a )\b(?:remove|delete|drop|kill|strip|get rid of|take|throw|clean|rip|nuke)\b(.*?)\b{_PRINTS_OR_LINES}",
        rf"\b{_PRINTS_OR_LINES}(.*?)\b(?:be (?:removed|deleted|dropped)|remove|delete|drop|kill|out|go(?:es)?(?! (?:to|through|via|into))|away|take (?:it|them) out|get rid of)\b",
        r"(?<![.\w])log\b(?!\.)(.*?)\b(?:remove|delete|drop) it\b",
        r"[\"'`]¤+[\"'`](.*)\b(?:remove|delete|drop) it\b",
        *_STOPS_PRINTING,
    ),
    one_of(
        _CHECK_AROUND.pattern,
        rf"\b{_PRINT}(?!\w)",
        rf"(?:on|to|in|from) {_TERMINAL}",
        rf"\b(?:spam|flood|clutter|pollute|fill|litter)(?:s|ed|ing)?(?: up)? {_TERMINAL}",
        words_like(
            r"""logs? logging lines? calls? statements? messages? outputs? outs? debug\w* dbg trace noise noisy spam\w* left[-_]?over leftovers? forgot\w* remove[ds]? delete[ds]? deleting removing
            drop(?:ped)? kill strip take throw clean out away get_rid_of gone must prod(?:uction)? code in_here forgotten costs? system temporary progress anything nothing anymore any_more
            begin(?:s|ning)?_with start(?:s|ing)?_with saying just testing tested quiet silent"""
        ),
    ),
    _delete_prints,
    nouns=r"print|println!?|console\.log|echo|log|line|call|statement|message|printf|output|dbg!?",
    choosing=one_of(r"\b(?:debug|dbg|debugging|trace)\b"),
    harmless=one_of(
        r"\bnot (?:needed|used|wanted|necessary|useful)\b",
        r"\bno longer \w+",
        r"\bonly (?:for|to|while) (?:test|debug|me)\w*",
    ),
    against=one_of(
        words_like(
            r"use using switch convert turn replace become instead add insert comment rename logger should_be (?<!not_be_)logged log_it log_them"
        ),
        rf"(?<!\w)(?:logging\.\w+|\w*log\.(?!log\b)\w+|{_LEVELS}!|console\.{_LEVELS})(?<!console\.log)(?!\w)",
        r"->|=>|→",
    ),
    things=one_of(rf"\b{_PRINTS_OR_LINES}", rf"\b(?:on|to|in) {_TERMINAL}"),
    deletes=True,
)
