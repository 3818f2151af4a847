"""Sentences that ask for a chore: what they look like, and what each asks for.

More rows for the tables of ``sentences``, whose words in capitals they use.
"""

from __future__ import annotations

from collections.abc import Callable

from editd.instruction.meanings import (
    Annotate,
    CommentOut,
    Document,
    Guard,
    Meaning,
    ReturnEarly,
    Tidy,
)

_TYPE = r"[^\W\d][\w.]*(?:\[[^\]\n]*\]+)?(?: ?\| ?[^\W\d][\w.]*(?:\[[^\]\n]*\]+)?)*"
SLOTS = {
    "NEWTYPENAME": rf"(?:`{_TYPE}`|{_TYPE})",
    "ITEMVALUENAME": r"`?(?:none|true|false|-?\d+|\[\]|\{\}|\(\)|''|\"\")`?",
    "NEWERRORNAME": r"`?(?:[a-z]*error|exception|[a-z]*exception|stopiteration)`?",
    "QUOTES": r"(?:quotes|quotation marks|quoted strings)",
    "THE": r"(?:(?:all|all of|every) )?(?:the |my |these |those )?",
    "IMPORT": r"(?:imports?(?: statements?| lines?)?|#?includes?(?: directives?| lines?)?|use (?:statements|declarations))",
    "SELECTED": r"(?:this|it|that|these|(?:the |this )?selection|(?:this|the|these|the selected|selected) "
    r"(?:code|lines?|block|part|region)|what is selected)",
    "FORMATTING": r"(?:(?:string )?formatting|% and \.?format|\.?format(?: calls?)?|% ?formatting)",
    "TRYING": r"(?:an? )?try(?:/| and |-|\.\.\.)?(?:except|catch)?(?: block)?",
}
"""What their own words in capitals stand for."""

_LINES = (
    r"(THE)lines? (with|containing|mentioning|including|(that |which )(contains?|mentions?|includes?|has|have)) "
    "(OLDTEXT|OLDNAME)"
)
_UNUSED = "(unused|unneeded|unnecessary|unreferenced|dead|superfluous|redundant|needless)"
_EARLY = "(an )?(early[- ]returns?|guard clauses?|early exits?)"
_HINT = "(type ?(hint|annotation)?|annotation|hint)"

CHORES = {
    "sort-imports": (
        "(sort|order|reorder|alphabeti[sz]e|arrange|tidy|organi[sz]e)( up)? (THE)IMPORT( alphabetically| by name)?(WHERE)?",
        "(put|bring|get) (THE)IMPORT (in|into) (alphabetical |the right |a sensible )?order(WHERE)?",
        "(THE)IMPORT (should|must|need to|have to|ought to) be (sorted|ordered|in (alphabetical )?order|alphabetical)",
        "(run |apply )?isort( on (this|the)( file)?)?",
    ),
    "unused-imports": (
        f"DELETE (THE){_UNUSED} IMPORT(WHERE)?",
        f"(clean up|tidy up|prune|trim) (THE){_UNUSED} IMPORT(WHERE)?",
        "DELETE (THE)IMPORT (that|which) (are|is) (not|never|n't|no longer) (used|needed|referenced)( any ?more)?(WHERE)?",
        "DELETE (THE)IMPORT (that|which) (aren't|isn't|nobody|nothing) (used?|needed|uses|needs)( any ?more)?(WHERE)?",
        "DELETE (THE)IMPORT (i|we|it) (don't|do not|doesn't) (use|need)( any ?more)?",
        f"(there (should|must) be|i want|no more) (no )?{_UNUSED} IMPORT",
        f"no {_UNUSED} IMPORT(, please)?",
    ),
    "double-quotes": (
        "(use|prefer|switch to|convert to|change to|i want) double QUOTES( for| in| around)?( all)?( the)?( strings?)?(WHERE)?",
        "(change|convert|turn|replace|make|switch) (THE)single QUOTES (to|into|with|by) double( QUOTES| ones)?(WHERE)?",
        "(use|put) double QUOTES (instead of|rather than|not|in place of) single( QUOTES| ones)?(WHERE)?",
        "(THE)(strings|quotes) (should|must) (be|have|use|be in) double( QUOTES)?",
        "double-quote (THE)strings(WHERE)?",
    ),
    "single-quotes": (
        "(use|prefer|switch to|convert to|change to|i want) single QUOTES( for| in| around)?( all)?( the)?( strings?)?(WHERE)?",
        "(change|convert|turn|replace|make|switch) (THE)double QUOTES (to|into|with|by) single( QUOTES| ones)?(WHERE)?",
        "(use|put) single QUOTES (instead of|rather than|not|in place of) double( QUOTES| ones)?(WHERE)?",
        "(THE)(strings|quotes) (should|must) (be|have|use|be in) single( QUOTES)?",
        "single-quote (THE)strings(WHERE)?",
    ),
    "with-open": (
        "(use|add|i want) (a |the )?with( |-)?(statements?|blocks?|open)?( statements?)? (for|around|when|to|with) (THE)?(open(ing)?|file|files|calls? (of|to) open)( \\w+)?(WHERE)?",
        "(use|add) (a )?context managers? (for|around|when|to|with) (THE)?(open(ing)?|file|files)( \\w+)?(WHERE)?",
        "(use|prefer) `?with open(\\(.*\\))?`?( statements?| instead of (open and close|open/close|close))?(WHERE)?",
        "(convert|change|turn|rewrite) (THE)?(`?open(\\(\\))?`?( calls?| and close)?|open/close|files?|file handling) (to|into|with|using) (a |the )?(with|context managers?)( open| statements?| blocks?)?(WHERE)?",
        "(open|close) (THE)?files? (in|with|using) (a |the )?(with|context manager)( statements?| blocks?)?(WHERE)?",
    ),
    "f-strings": (
        "(use|convert to|switch to|change to|turn into|i want) f-?strings?( instead of (\\.?format|%|% and \\.?format))?( for (string )?formatting)?(WHERE)?",
        "(convert|change|turn|rewrite|replace|moderni[sz]e) (EVERY |the )?FORMATTING (to|into|with|by|as) f-?strings?(WHERE)?",
        "(EVERY |the )?FORMATTING should be f-?strings?(WHERE)?",
        "(the )?strings should be formatted with f-?strings",
        "format (the )?strings with f-?strings( only)?",
    ),
    "logging": (
        "(use|switch to|i want) (the )?(logging|loggers?|log calls?)( module)?( calls?)? (instead of|rather than|not|in place of|for) (THE)?(print|console\\.log)s?( ?(calls?|statements?))?(WHERE)?",
        "(replace|convert|change|turn|switch|exchange|swap) (THE)?(print|console\\.log)s?( ?(calls?|statements?))? (with|by|to|into|for) (the )?(logging|loggers?|log|log calls?|log messages|calls (of|to) (a |the )?logg(er|ing)|logging calls?)(WHERE)?",
        "log instead of (printing|print)(WHERE)?",
        "(THE)?(print|console\\.log)s?( ?(calls?|statements?))? should (be|go to|use) (the )?(logging|log calls?|logged|logger|log)",
    ),
    "comment-out-lines": (
        f"comment( out)? {_LINES}(WHERE)?",
        f"comment {_LINES} out(WHERE)?",
    ),
    "comment-out": (
        "comment (out )?(the )?(whole |entire )?(KIND )OLDNAME(WHERE)?",
        "comment (the )?(whole |entire )?(KIND )OLDNAME out(WHERE)?",
        "comment out OLDNAME\\(\\)(WHERE)?",
        "comment out SELECTED",
        "comment SELECTED out",
        "(make|turn) SELECTED (into )?a comment",
    ),
    "uncomment-lines": (f"(uncomment|comment in|un-comment) {_LINES}(WHERE)?",),
    "uncomment": (
        "(uncomment|comment in|un-comment) (the )?(whole |entire )?(KIND )OLDNAME(WHERE)?",
        "(uncomment|un-comment|comment in) SELECTED",
    ),
    "early-return": (
        f"(use|add|put|i want) {_EARLY} (in|into|to|for) (KIND )?OLDNAME",
        f"(use|add|i want) {_EARLY}( here)?",
        "return early (in|from) (KIND )?OLDNAME",
        "return early( here)?",
        "invert the (last |trailing |only )?(if|condition)( statement)? (in|of) (KIND )?OLDNAME( (and|to) return early)?",
        f"(KIND )?OLDNAME (should|must) (return early|use {_EARLY})",
        f"(convert|turn|change|rewrite) (KIND )?OLDNAME (to|into|with|to use) {_EARLY}",
        f"replace the (last |trailing |only )?if (in|of) (KIND )?OLDNAME (with|by) {_EARLY}",
    ),
    "parameter-type": (
        f"(ADD|give) (a |the )?{_HINT} NEWTYPENAME (to|on|for) (KIND )?OLDNAME (of|in) (KIND )?ITEMNAME",
        "(ADD|give) (an? |the )?(annotation|hint) OLDNAME: ?NEWTYPENAME to (KIND )?ITEMNAME",
        "(annotate|type|hint|declare) (KIND )?OLDNAME (of|in) (KIND )?ITEMNAME as NEWTYPENAME",
        "(annotate|type|hint|declare) (KIND )?OLDNAME as NEWTYPENAME (of|in) (KIND )?ITEMNAME",
        "(KIND )?OLDNAME in (KIND )?ITEMNAME is NEWTYPENAME, ?add the (type hint|annotation)",
        "give (KIND )?OLDNAME (of|in) (KIND )?ITEMNAME the type (hint )?NEWTYPENAME",
        "(KIND )?OLDNAME (of|in) (KIND )?ITEMNAME (should|must) (be annotated as|have the type) NEWTYPENAME",
        "in (KIND )?ITEMNAME, ?annotate (KIND )?OLDNAME as NEWTYPENAME",
        "in (KIND )?ITEMNAME, ?(KIND )?OLDNAME is of type NEWTYPENAME: ?say so",
        "let (KIND )?OLDNAME (of|in) (KIND )?ITEMNAME have the type NEWTYPENAME",
        "the type of (KIND )?OLDNAME in (KIND )?ITEMNAME is NEWTYPENAME, ?annotate it",
    ),
    "return-type": (
        "ADD (a |the )?return (type|annotation)( hint)? NEWTYPENAME (to|on|for) (KIND )?ITEMNAME",
        "annotate the return (value|type) of (KIND )?ITEMNAME as NEWTYPENAME",
        "set the return type of (KIND )?ITEMNAME to NEWTYPENAME",
        "(let )?the return type of (KIND )?ITEMNAME (should be |must be |is |be )NEWTYPENAME(, ?annotate it)?",
        "ADD -> ?NEWTYPENAME to (KIND )?ITEMNAME",
        "annotate (KIND )?ITEMNAME as returning NEWTYPENAME",
        "(KIND )?ITEMNAME returns NEWTYPENAME, ?add the (type hint|annotation)",
        "(KIND )?ITEMNAME should return NEWTYPENAME, ?annotate it",
        "declare that (KIND )?ITEMNAME returns NEWTYPENAME",
        "give (KIND )?ITEMNAME the return type NEWTYPENAME",
    ),
    "docstring": (
        "ADD (a |the )?docstring NEWTEXT (to|for|in|into) (KIND )?ITEMNAME",
        "ADD (a |the )?docstring (to|for) (KIND )?ITEMNAME: NEWTEXT",
        "(document|describe) (KIND )?ITEMNAME with (the docstring )?NEWTEXT",
        "write (a |the )?docstring (for|to) (KIND )?ITEMNAME: NEWTEXT",
        "give (KIND )?ITEMNAME the docstring NEWTEXT",
        "(KIND )?ITEMNAME needs the docstring NEWTEXT",
        "the docstring of (KIND )?ITEMNAME (should|must) be NEWTEXT",
        "use NEWTEXT as the docstring of (KIND )?ITEMNAME",
        "let NEWTEXT be the docstring of (KIND )?ITEMNAME",
    ),
    "guard": (
        "(wrap|put|surround|enclose|guard) (the )?(whole )?(body of )?(KIND )?OLDNAME (in|with|inside) TRYING( for)? NEWERRORNAME and return ITEMVALUENAME",
        "ADD TRYING( for)? NEWERRORNAME (to|in|into|around) (the body of )?(KIND )?OLDNAME and return ITEMVALUENAME",
        "(catch|handle) NEWERRORNAME in (KIND )?OLDNAME and return ITEMVALUENAME",
        "(KIND )?OLDNAME should (catch|handle) NEWERRORNAME and return ITEMVALUENAME",
        "let (KIND )?OLDNAME catch NEWERRORNAME and return ITEMVALUENAME",
        "(KIND )?OLDNAME should return ITEMVALUENAME on NEWERRORNAME",
        "on NEWERRORNAME in (KIND )?OLDNAME,? return ITEMVALUENAME",
        "return ITEMVALUENAME (from|in) (KIND )?OLDNAME on NEWERRORNAME",
        "let (KIND )?OLDNAME return ITEMVALUENAME when NEWERRORNAME is raised",
        "if NEWERRORNAME is raised in (KIND )?OLDNAME, ?return ITEMVALUENAME",
    ),
}  # fmt: skip
"""By kind; the names of the first ones are those of ``Tidy``."""

_Said = dict[str, str]


def _name(said: _Said, key: str) -> str:
    return said.get(key, "").removesuffix("()")


def _tidy(chore: str) -> Callable[[_Said], Meaning]:
    return lambda _: Tidy(chore)


_TIDY = (
    "sort-imports", "unused-imports", "double-quotes", "single-quotes", "with-open", "f-strings", "logging",
)  # fmt: skip
MEANINGS: dict[str, Callable[[_Said], Meaning]] = {
    **{name: _tidy(name) for name in _TIDY},
    "comment-out-lines": lambda said: CommentOut(text=said["old"]),
    "comment-out": lambda said: CommentOut(name=_name(said, "old")),
    "uncomment-lines": lambda said: CommentOut(text=said["old"], is_undone=True),
    "uncomment": lambda said: CommentOut(name=_name(said, "old"), is_undone=True),
    "early-return": lambda said: ReturnEarly(_name(said, "old")),
    "parameter-type": lambda said: Annotate(_name(said, "item"), said["new"], said["old"]),
    "return-type": lambda said: Annotate(_name(said, "item"), said["new"]),
    "docstring": lambda said: Document(_name(said, "item"), said["new"]),
    "guard": lambda said: Guard(_name(said, "old"), said["new"], said["item"] or '""'),
}  # fmt: skip

CLUES = {
    "sort-imports": "import|include|isort|use ",
    "unused-imports": "import|include|use ",
    "double-quotes": "double",
    "single-quotes": "single",
    "with-open": "open|files?|with",
    "f-strings": "f-?string",
    "logging": "print|console",
    "comment-out-lines": "comment",
    "comment-out": "comment",
    "uncomment-lines": "comment",
    "uncomment": "comment",
    "early-return": "return|exit|guard|invert",
    "parameter-type": "type|hint|annot|declare|is ",
    "return-type": "return",
    "docstring": "docstring|document|describe",
    "guard": "error|exception|stopiteration",
}
"""What one of a kind's sentences must have in it: the others' patterns need not be compiled."""
