"""Sentences that ask for a chore: more rows of the table, in its dialect.

What the embedded model knows too, such as f-strings, is in ``table``. These come after it.
"""

from __future__ import annotations

from editd.intent import intents as meanings
from editd.intent.intents import DeleteDocstrings, ReturnEarly, SortFunctions
from editd.intent.row_templates import LINES_WITH
from editd.intent.table import FUNCTION, Kind

_ALL = "EVERY? THE?"
_IMPORTS = (
    f"{_ALL} (imports?|import (statements?|lines?|block|section|list)|#?includes?|#?include (directives?|lines?|statements?)"
    "|use (statements|declarations))"
)
_UNUSED = (
    f"{_ALL} (unused|unneeded|unnecessary|unreferenced|dead|superfluous|redundant|needless|useless|stale|leftover) "
    "(imports?|import (statements?|lines?)|#?includes?|#?include (directives?|lines?)|use (statements|declarations)|imported names)"
)
_NOT_USED = (
    "((that|which)? (are|is|were|was|aren't|isn't|weren't) (not|never|no longer)? (used|needed|referenced|required)"
    "|(that|which)? (nobody|nothing|no one|no code) (uses|needs|references)"
    "|(that|which)? (i|we|it|this file|the file|the code) (don't|do not|doesn't|does not|never|no longer) (actually)? (use|uses|need|needs)"
    "|not (used|needed|referenced)|without (any)? (use|uses)) (at all)? (anywhere)? ANYMORE?"
)
_SORTED = "((sorted|ordered|alphabetised|alphabetized|alphabetical|organi[sz]ed|arranged) (properly|alphabetically|by name)?|in (the|a)? (alphabetical|right|correct|proper|sensible)? order)"
_BY_NAME = "(alphabetically|by (their)? names?|in alphabetical order)?"
_OF_CLASS = "((of|in) (the)? (class)? NAME (class)?)"
_STRINGS = f"{_ALL} (string)? (strings|literals|quotes|string literals)"
_QUOTES = "(quotes?|quotation marks|quoted strings|quote marks)"
_ONES = f"({_QUOTES}|quoted|ones)"
_PRINTS = f"{_ALL} (debug|debugging)? (print|print()|prints|print()s|console.log|console.log()|console.logs|printing) (calls?|statements?|lines?)?"
_LOGGER = (
    "(the|a|proper|real|python's)? (logging|loggers?|log|logging module|log (calls?|messages?|statements?|lines?)"
    "|logging (calls?|statements?|messages?)|logger calls?|logging.info|logging.info()|logger.info|logger.info()|calls (of|to) (a|the)? (logger|logging))"
)
_FILES = "(open|open()|opening|files?|file (handling|handles?|opening|access|reading|objects?)|open (and|/) close|open/close|calls? (of|to) open|open() calls?|open calls?)"
_WITH = "(a|the)? (with|with-|with open|with open()|with (statements?|blocks?)|with-(statements?|blocks?)|context managers?) (statements?|blocks?)?"
_SELECTED = (
    "(this|it|that|these|them|(the|this|my|current)* selection|(this|the|these|the selected|selected|those) (selected)? (code|lines?|block|part|region)"
    "|what is selected|what i (have)? selected)"
)
_NAMED = "((the|this|that)? (whole|entire)? (KIND NAME|NAMEPLAIN KIND?|NAME KIND))"
_SETTING = "(value|key|field|option|setting|property|entry|number|flag)"
_LINES = f"{_ALL} {LINES_WITH} (the (word|text|string))? (QUOTED|NAME)"
_COMMENTED = "EVERY? (the|this|that|my)? (commented (out)?|commented-out) (code|lines?|block|part)"
_CODE = (
    "(the)? (lines?|calls?|statements?)? (with)? (QUOTED|QUOTEDCODE) (lines?|calls?|statements?)?"
)
_FOR_NOW = "(for now|temporarily|completely)? WHERE?"
_UNCOMMENT = "(uncomment|comment in|un-comment|comment back in)"
_EARLY = "(an?|some|the)? (early returns?|early-returns?|guard clauses?|guard-clauses?|early exits?|early-exits?|return-early style)"
_DOCSTRINGS = (
    "((EVERY|THE|any)? (of)? (the|these|those)? (docstrings|doc strings)|(every|each) docstring"
    f"|(the)? (class|function|method)? (docstring|doc string|doc-string) (of|in|from|on|for) {FUNCTION})"
)
_IS_PARAMETER = "((keyword)? (parameter|argument|param|arg)|keyword)"
_PARAMETER = f"(an?|the)? (new|optional|extra|additional)? ({_IS_PARAMETER} PARAMETERNAME|PARAMETERNAME {_IS_PARAMETER})"
_DEFAULT = (
    ", (= VALUE|((that|which)? defaults to|defaulting to) VALUE"
    "|(with)? (an?|the|its)? default (value)? (is|of|=|:)? VALUE) CLOSED"
)
_PASSED = "(, (and)? (then)? (pass|forward|hand|give) it (on|along|down|through)? (to|in|into) (EVERY|the)? (calls? (to|of))? OWNERNAME)?"


def _quotes(wanted: str, other: str) -> tuple[str, ...]:
    """For quotes like ``wanted``, which are now like ``other``."""
    return (
        f"(use|prefer|switch to|convert to|change to|go for|put|i want|i'd like|i prefer|write|make)* {wanted} {_QUOTES} ((for|in|around|on|everywhere in)? {_STRINGS})? (only|consistently)? WHERE?",
        f"(change|convert|turn|replace|make|switch|swap|rewrite) {_ALL} {other} {_QUOTES} (to|into|with|by|for) {wanted} {_ONES}? WHERE?",
        f"(change|convert|turn|make|switch|rewrite|normali[sz]e) {_STRINGS} (quotes)? (to|into|in|from {other} (quotes)? to)? (use)? {wanted} {_ONES}? WHERE?",
        f"(use|put|prefer|i want|i'd like|i prefer|we use|write)* {wanted} {_QUOTES} (instead of|rather than|not|and not|in place of|over) {other} {_ONES}? ((for|in|around|on) {_STRINGS})? WHERE?",
        f"{_STRINGS} (should|must|have to|need to) (all)? (be|have|use|be in|be put in|be written with) {wanted} {_ONES}? WHERE?",
        f"(no|no more|there (should|must) be no) {other} {_QUOTES}, (use)? {wanted} {_ONES}?",
        f"(switch|change|go|move|convert) from {other} {_ONES}? to {wanted} {_QUOTES} WHERE?",
        f"(put|write|wrap) {_STRINGS} (in|with|into|using) {wanted} {_QUOTES} WHERE?",
        f"({wanted}-quote|{wanted} quote) {_STRINGS} WHERE?",
        f"{other} {_ONES}? -> {wanted} {_ONES}?",
        f"{other} to {wanted} {_QUOTES}",
        f"(change|convert|turn|replace|make|switch|rewrite) {_ALL} {other}-quoted strings (to|into|with|by)? {wanted}-quoted (strings|ones)? WHERE?",
        f"{_ALL} {other} {_QUOTES} (should|must) (be|become) {wanted} {_ONES}?",
    )


def _commenting(code: str) -> tuple[str, ...]:
    return (
        f"comment out {code} {_FOR_NOW}",
        f"comment {code} (out|away) {_FOR_NOW}",
        f"{code} (should|must) be commented out {_FOR_NOW}",
        f"(turn|make|put) {code} (into|in)? (a comment|comments)",
        f"(put|add) (a|the)? (#|//) (in front of|before) {code}",
        f"(disable|deactivate) {code} (by commenting (it|them) out|(by|with) (a comment|comments))",
    )


def _uncommenting(code: str) -> tuple[str, ...]:
    return (
        f"{_UNCOMMENT} {code} (again)? WHERE?",
        f"{code} (should|must) be uncommented WHERE?",
        f"comment {code} (back)? in (again)?",
        f"(bring back|re-enable|reactivate|restore) (the)? commented (out)? {code}",
    )


CHORES = (
    Kind(
        "sort-imports",
        also=(
            f"(sort|order|reorder|re-order|alphabeti[sz]e|arrange|rearrange|tidy|organi[sz]e|reorgani[sz]e) (up)? {_IMPORTS} (up)? (alphabetically|properly|by name|in alphabetical order)? TOP? WHERE?, ((the)? (stdlib|standard library) first)?",
            f"(put|bring|get|place|have|i want|i'd like|i need) {_IMPORTS} (in|into)? (to be)? {_SORTED} WHERE?",
            f"{_IMPORTS} (should|must|need to|needs to|have to|ought to) be {_SORTED} WHERE?",
            f"{_IMPORTS} (are not|aren't|are un|are out of|not|unsorted|are unsorted|are in the wrong|are in no) (sorted|ordered|in order|order)?, (please)? (sort|fix|order) them",
            "(run|apply|do)? isort (on)? (this|the)? (file|module)? (here)?",
            f"(sort|tidy|tidy up|fix|correct|clean up) the order of {_IMPORTS} WHERE?",
            f"make {_IMPORTS} {_SORTED} WHERE?",
            f"(alphabetical|alphabetic) order (for|of|in) {_IMPORTS}",
        ),
        meaning=meanings.tidy("sort-imports"),
    ),
    Kind(
        "sort-functions",
        also=(
            f"(sort|order|reorder|alphabeti[sz]e|arrange) {_ALL} functions {_BY_NAME} WHERE?",
            f"put {_ALL} functions in alphabetical order WHERE?",
        ),
        meaning=lambda _: SortFunctions(),
    ),
    Kind(
        "sort-functions",
        also=(
            f"(sort|order|reorder|alphabeti[sz]e|arrange) {_ALL} methods {_OF_CLASS}? {_BY_NAME} WHERE?",
            f"(sort|order|reorder|alphabeti[sz]e|arrange) {_ALL} methods {_BY_NAME} {_OF_CLASS}",
            f"(sort|order|reorder|alphabeti[sz]e|arrange) NAMEPLAIN methods {_BY_NAME} WHERE?",
            f"put {_ALL} methods {_OF_CLASS}? in alphabetical order WHERE?",
        ),
        meaning=lambda said: SortFunctions(said.get("name", ""), are_methods=True),
    ),
    Kind(
        "remove-unused-imports",
        also=(
            f"(DELETE|prune|trim|tidy up|weed out|sort out) {_UNUSED} (out|away)? TOP? WHERE?",
            f"(DELETE|prune|trim)? (any|all)? (of)? {_IMPORTS} (that|which)? {_NOT_USED}, (DELETE them)?",
            f"(there (should|must) be|i want|i need|we need|no more|no|we can do without|make (this|the) file without) (no)? {_UNUSED} WHERE?",
            f"{_UNUSED} (should|must|can|have to) (be (deleted|removed|dropped)|go (away)?|disappear) WHERE?",
            f"(some|a few|several|many)? (of)? {_IMPORTS} (are|is|aren't|isn't) (never|not|no longer)? (used|unused|needed), (so)? DELETE (it|them|those)",
            f"(this|the) (file|module) (has|imports|contains) {_UNUSED}, (so)? DELETE (it|them)",
            f"there (is|are) (some)? ({_UNUSED}|{_IMPORTS} {_NOT_USED}) WHERE?, (so)? DELETE (it|them) (out)?",
            f"(only)? keep (only)? {_IMPORTS} (that|which)? (are|is)? (actually|really)? (used|needed|in use) WHERE?",
        ),
        meaning=meanings.tidy("unused-imports"),
    ),
    Kind(
        "quotes",
        also=_quotes("double", "single"),
        meaning=meanings.tidy("double-quotes"),
    ),
    Kind(
        "quotes",
        also=_quotes("single", "double"),
        meaning=meanings.tidy("single-quotes"),
    ),
    Kind(
        "with-open",
        also=(
            f"(use|add|i want|i'd like|put|prefer) {_WITH} (for|around|when|to|on) {_ALL} (open|opening)? {_FILES} ((the)? files?)? WHERE?",
            "(use|prefer|i want) ((a|the)? (with open|with open()|context managers?|with-open) (statements?|blocks?)?|(a|the)? with (statements?|blocks?)) (here)? ((instead of|rather than) (open and close|open/close|close|close()|open|open()|closing ANYTHING))? WHERE?",
            f"(use|prefer) {_WITH} (instead of|rather than) (open and close|open/close|close|close()|closing (the|it)? (files?)? (by hand|manually|explicitly)?|manual (close|closing)) WHERE?",
            f"(convert|change|turn|rewrite|make|move) {_ALL} {_FILES} (calls?)? (and close)? (to|into|with|using|use|to use|as) {_WITH} WHERE?",
            f"replace {_ALL} (open/close|open and close|open() and close()) (with|by) {_WITH} WHERE?",
            f"(the)? ADJECTIVE (is|are) (never|not) closed, (so|please)? use {_WITH}",
            f"(open|close|read|handle|manage) {_ALL} files? (in|with|using|by) {_WITH} WHERE?",
            f"{_ALL} files? (should|must) be (opened|closed) (in|with|using|by) {_WITH} WHERE?",
        ),
        meaning=meanings.tidy("with-open"),
    ),
    Kind(
        "print-to-logging",
        also=(
            f"(use|switch to|i want|i'd like|prefer|call) {_LOGGER} (instead of|rather than|not|and not|in place of|for|over) {_PRINTS} WHERE?",
            f"(replace|convert|change|turn|switch|exchange|swap|migrate|move|rewrite|substitute) {_PRINTS} (with|by|to|into|for|as|to use|using|out for) {_LOGGER} WHERE?",
            "log (it|things|messages)? instead of (printing|print) WHERE?",
            f"{_PRINTS} (should|must|has to|have to) (all)? (be|go to|use|become|go through|go into) {_LOGGER} WHERE?",
            f"{_PRINTS} (should|must|has to|have to) (all)? be (logged|replaced (with|by) {_LOGGER}) WHERE?",
            f"(switch|change|move|migrate|go|convert) from {_PRINTS} to {_LOGGER} WHERE?",
            f"{_PRINTS} -> {_LOGGER}",
            f"(no|no more) {_PRINTS} WHERE?, (but)? (use)? {_LOGGER} (instead)?",
            f"make {_PRINTS} (into)? {_LOGGER} WHERE?",
            f"{_LOGGER} (instead of|rather than|not|in place of) {_PRINTS} WHERE?",
            f"(don't|do not|never|stop) (use|using)? {_PRINTS}, (but)? (use|log with)? {_LOGGER} (instead)?",
            f"instead of {_PRINTS}, (use|call) {_LOGGER}",
        ),
        meaning=meanings.tidy("logging"),
    ),
    Kind(
        "comment-out",
        also=(
            *_commenting(_LINES),
            f"comment out {_ALL} QUOTEDCODE (lines|calls|statements) WHERE?",
        ),
        meaning=meanings.commented_lines(is_undone=False),
    ),
    Kind("comment-out", also=_commenting(_CODE), meaning=meanings.commented_code(is_undone=False)),
    Kind(
        "comment-out",
        also=(*_commenting(_NAMED), *_commenting(f"{_SELECTED}?")),
        meaning=meanings.commented(is_undone=False),
    ),
    Kind(
        "comment-out",
        also=_commenting("NAME"),
        meaning=meanings.likely(meanings.commented(is_undone=False)),
    ),
    Kind(
        "uncomment",
        also=_uncommenting("NAME"),
        meaning=meanings.likely(meanings.commented(is_undone=True)),
    ),
    Kind(
        "set-value",
        also=(
            f"(set|bump|configure) THE? (value of)? KIND? OLDTOKEN {_SETTING}? (to|=|be|:) NEWTOKEN WHERE?",
            f"(change|update|switch|turn|make|put|increase|lower|raise|reduce) THE? (value of)? KIND? OLDTOKEN {_SETTING}? (to|=|be|:)? NEWVALUE WHERE?",
            f"(set|change|update|bump|switch) THE? (value of)? KIND? OLDTOKEN {_SETTING}? from NUMBER (to|->) NEWTOKEN WHERE?",
            f"THE? (value of)? KIND? OLDTOKEN {_SETTING}? MODAL be (set to)? NEWVALUE WHERE?",
            "OLDTOKEN (:|=) NEWVALUE",
            "(use|set)? OLDTOKEN NEWNUMERAL",
        ),
        meaning=meanings.set_value,
        names=(),
    ),
    Kind(
        "change-a-word",
        also=("(change|update) THE? OLDTOKEN (to|into) NEWTOKEN WHERE?",),
        meaning=meanings.changed_word,
        names=(),
    ),
    Kind(
        "replace-a-word",
        also=(
            "(replace|substitute|swap|exchange|switch) (the word)? OLDTOKEN (with|by|to|for|into) (the word)? NEWTOKEN WHERE?",
        ),
        meaning=meanings.exchanged_word,
        names=(),
    ),
    Kind(
        "rename-a-word",
        also=(
            "(change|replace|switch|swap) OLDNAME (to|with|by|into|for) NEWNAME WHERE?",
            "OLDNAME -> NEWNAME",
            "(use|write|say) NEWNAME (instead of|rather than) OLDNAME WHERE?",
        ),
        meaning=meanings.likely(meanings.renamed),
        names=("old", "new"),
    ),
    Kind("uncomment", also=_uncommenting(_LINES), meaning=meanings.commented_lines(is_undone=True)),
    Kind("uncomment", also=_uncommenting(_CODE), meaning=meanings.commented_code(is_undone=True)),
    Kind(
        "uncomment",
        also=(
            *_uncommenting(_NAMED),
            *_uncommenting(f"({_SELECTED}|everything|all (of it|this)?)?"),
            f"(bring back|restore|reactivate|re-enable) {_COMMENTED} (again)? WHERE?",
            f"{_COMMENTED} (should|must) be (active|live|code|enabled) again",
            f"DELETE the (#|//|comment) (marks?|signs?)? (in front of|before|from) {_SELECTED}",
        ),
        meaning=meanings.commented(is_undone=True),
    ),
    Kind(
        "delete-docstrings",
        also=(
            # "No docstrings" may complain that there are none.
            f"DELETE (out)? {_DOCSTRINGS} (out|away)? WHERE?",
            f"{_DOCSTRINGS} (MODAL|can|could) (be (deleted|removed|dropped)|go (away)?|disappear) WHERE?",
            f"can {_DOCSTRINGS} be (deleted|removed|dropped) WHERE?",
            f"(i|we) (don't|do not|no longer) (want|need) {_DOCSTRINGS} ANYMORE? WHERE?, (so)? (DELETE (it|them))?",
        ),
        meaning=lambda said: DeleteDocstrings(said.get("name", "").removesuffix("()")),
    ),
    Kind(
        "add-parameter",
        also=(
            f"(WRITE|introduce) {_PARAMETER} {_DEFAULT} (to|for|in) {FUNCTION} {_PASSED}",
            f"(WRITE|introduce) {_PARAMETER} (to|for|in) {FUNCTION} {_DEFAULT} {_PASSED}",
            f"(give|let|make|have) {FUNCTION} (have|take|accept|get)? {_PARAMETER} {_DEFAULT} {_PASSED}",
            f"{FUNCTION} (MODAL (take|accept|have|get)|needs) {_PARAMETER} {_DEFAULT} {_PASSED}",
        ),
        meaning=meanings.parameter,
        names=("name", "parameter", "owner"),
    ),
    Kind(
        "early-return",
        also=(
            f"(use|add|put|i want|write|introduce|have|insert) {_EARLY} (in|into|to|for|inside) {FUNCTION} (instead of ANYTHING)?",
            f"(use|add|i want|prefer) {_EARLY} (here)?",
            f"{_EARLY} (in|for) {FUNCTION}",
            f"return early (in|from) {FUNCTION} (instead of ANYTHING)?",
            "return early (here)? (instead of nesting)?",
            f"(flatten|unnest) the (nested|last|outer)? if (statement|block)? (with|using|by) {_EARLY}",
            f"less nesting, (please)? (use)? {_EARLY}",
            f"(invert|negate|flip) the (last|trailing|only)? (if|condition|if condition) (statement)? (in|of) {FUNCTION} ((and|to|so it)? return early|and use {_EARLY})?",
            f"(invert|negate|flip) the (last|trailing|only)? (if|condition|if condition) (statement)? (and|to) (return early|use {_EARLY})",
            f"{FUNCTION} (should|must|can|could) (return early|use {_EARLY})",
            f"(make|let|have) {FUNCTION} (return early|use {_EARLY})",
            f"(convert|turn|change|rewrite|refactor) {FUNCTION} (to|into|with|to use|using|so it uses|with) {_EARLY}",
            f"(convert|turn|change|rewrite|refactor) {FUNCTION} (to|so (that)? it) (returns?) early",
            f"(replace|turn|change|convert) the (last|trailing|only|nested|outer)? if (statement|block)? (in|of) {FUNCTION} (with|by|into|to) {_EARLY}",
            f"(reduce|remove) (the)? (nesting|indentation) (in|of) {FUNCTION} (with|using|by using) {_EARLY}",
        ),
        meaning=lambda said: ReturnEarly(said.get("name", "").removesuffix("()")),
    ),
)
