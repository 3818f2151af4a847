"""The table of sentences: each kind of edit that can be asked for in one plain sentence, and how people say it.

In the dialect of ``shared_rows``. ``frames`` takes off what people say around the rows; chores that no model is taught
are in ``chores``.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from editd.intent import intents as meanings
from editd.intent import row_templates as rows
from editd.intent.intents import Meaning


@dataclass(frozen=True, slots=True)
class Kind:
    """How one kind of edit is asked for.

    name: of the embedded model's family, of several entries. taught: in the words that the model was
    taught. also: in others. plain: how these are put to the model; is_put: the taught ones, too. meaning:
    what is asked for, if the words decide it. names, numbers: the slots that these stand in.
    """

    name: str
    taught: tuple[str, ...] = ()
    also: tuple[str, ...] = ()
    plain: str = ""
    is_put: bool = False
    meaning: Callable[[Mapping[str, str]], Meaning] | None = None
    names: tuple[str, ...] = ("name", "name2")
    numbers: tuple[str, ...] = ()


_MODULE = "(the)? (module|package|library)? (ITEMNAME from)? MODULENAME (module|package|library|(from|of) FROMNAME)?"
_IMPORTED = "(import MODULENAME|from MODULENAME import ITEMNAME|import ITEMNAME from MODULENAME)"
FUNCTION = "(the|this)? KIND? NAME KIND?"
_PARAMETER = f"(the|this)? KIND? PARAMETERNAME KIND? ((of|in) {FUNCTION})?"
_BODY = f"(the|everything)? (whole|entire)? (body|contents?|code|calls?)? (of|in|to|inside)? {FUNCTION} (body)?"


TABLE = (
    Kind(
        "rename",
        taught=rows.NAMINGS,
        also=rows.NAMINGS_TOO,
        plain="rename {old} to {new}",
        is_put=True,
        meaning=meanings.renamed,
        names=("old", "new"),
    ),
    Kind(
        "rename",
        taught=(
            "(change|replace) EVERY? (the)? KIND OLDNAME (to|with|by|into) NEWNAME WHERE?",
            "(change|replace) EVERY OLDNAME (to|with|by|into) NEWNAME WHERE?",
            "KIND? OLDBARE -> NEWBARE WHERE?",
            "call KIND? OLDNAME NEWNAME WHERE?",
        ),
        meaning=meanings.likely(meanings.renamed),
        names=("old", "new"),
    ),
    Kind(
        "replace-string",
        taught=rows.replacing("STRING? OLDTEXT", "STRING? NEWTEXT"),
        also=rows.replacing_too("OLDTEXT", "NEWTEXT"),
        plain="replace {old_text} with {new_text}",
        is_put=True,
        meaning=lambda said: meanings.Replace(said["old"], said["new"], is_one="about" in said),
    ),
    Kind(
        "replace-number",
        taught=(
            (
                "(set|change|update|make|bump|let) (the)? (value of)? KIND? OLDNAME (to|=|be)? NEWNUMBER "
                "(instead of NUMBER)? WHERE?"
            ),
            "(change|update) (the)? (value of)? KIND? OLDNAME from NUMBER to NEWNUMBER WHERE?",
            "KIND? OLDNAME = NEWNUMBER (instead of NUMBER)?",
            "KIND? OLDNAME : NEWNUMBER (instead of NUMBER)?",
            "give KIND? OLDNAME the value NEWNUMBER",
            "(the new value of|from now on) KIND? OLDNAME is NEWNUMBER",
        ),
        also=(
            (
                "(set|raise|increase|lower|reduce|decrease|bump|adjust|change) THE? (default)? (value of)? KIND? OLDNAME KIND? (value)? (up|down)? "
                "(from NUMBER)? (to|=|be) NEWNUMBER UNIT"
            ),
            "(i want|i'd like) THE? (default)? KIND? OLDNAME KIND? (to be (set to)?|set to) NEWNUMBER UNIT",
            "(OLDPLAIN|KIND OLDNAME|(set|use|train|run|WORDS) with OLDNAME) (to|->|=) NEWNUMBER",
            "THE? (default|new)? (value of)? KIND? OLDNAME KIND? MODAL be NEWNUMBER",
            "CHANGE THE? (default)? (value of)? KIND? OLDCODE (value)? (from NUMBER)? (to|=|be) NEWNUMBER UNIT",
            "THE? (default)? (value of)? KIND? OLDCODE KIND? (value)? (SHOULD|MODAL (go|be (set|raised|changed|increased|reduced|lowered)) (up|down)? to|is now|becomes) NEWNUMBER UNIT, (INSTEAD NUMBER)?",
        ),
        plain="set {old} to {new}",
        is_put=True,
        meaning=lambda said: meanings.SetValue(said["old"], said["new"]),
        names=("old",),
        numbers=("new",),
    ),
    Kind(
        "replace-number",
        taught=rows.replacing(
            "(the)? (number|value|constant)? OLDNUMBER", "(the (number|value))? NEWNUMBER"
        ),
        also=rows.replacing_too("OLDNUMBER", "NEWNUMBER"),
        plain="replace {old} with {new}",
        is_put=True,
        meaning=lambda said: meanings.Replace(
            said["old"], said["new"], is_number=True, is_one="about" in said
        ),
        names=(),
        numbers=("old", "new"),
    ),
    Kind(
        "delete-comments",
        taught=rows.deleting(rows.COMMENTS),
        also=(
            *rows.deleting(rows.COMMENTS_TOO),
            *rows.deleting_too(rows.COMMENTS_TOO),
            *rows.deleting_all(rows.COMMENTS_TOO),
        ),
        plain="delete all comments",
        meaning=lambda _: meanings.DeleteComments(),
    ),
    Kind(
        "delete-prints",
        taught=rows.deleting(rows.PRINTS),
        also=(
            *rows.deleting(rows.PRINTS_TOO),
            *rows.deleting_too(rows.PRINTS_TOO),
            *rows.deleting_all(rows.PRINTS_TOO),
        ),
        plain="delete all print statements",
        meaning=lambda _: meanings.DeletePrints(),
    ),
    Kind(
        "delete-lines",
        also=(
            *rows.deleting(rows.LINES),
            *rows.deleting_too(rows.LINES),
        ),
        plain="delete the lines that contain {old_text}",
        is_put=True,
        meaning=lambda said: meanings.DeleteLines(said["old"]),
    ),
    Kind(
        "delete-function",
        also=(
            "KIND OLDNAME has no callers, DELETE it",
            *rows.deleting(rows.DEFINED),
            *rows.deleting_too(rows.DEFINED),
        ),
        plain="delete {kind} {old}",
        is_put=True,
        meaning=meanings.defined,
        names=("old", "owner"),
    ),
    Kind(
        "delete-function",
        taught=("DELETE OLDNAME WHERE?",),
        meaning=meanings.likely(meanings.defined),
        names=("old",),
    ),
    Kind(
        "add-import",
        taught=(
            "ADD? (the|an)? import (of|for)? (the module)? (ITEMNAME from)? MODULENAME TOP?",
            "ADD? (the)? from MODULENAME import ITEMNAME TOP?",
            "ADD (the|an)? MODULENAME import TOP?",
            "the import (of|for)? MODULENAME is missing, ADD it",
            "(ITEMNAME from)? MODULENAME is not imported, (import it|ADD the import)",
            "MODULENAME (should|must|has to) be imported",
            "ITEMNAME (should|must|has to) be imported from MODULENAME",
            "we need (ITEMNAME from)? MODULENAME, import it",
            "this file needs (to)? import MODULENAME",
            "bring in (ITEMNAME from)? MODULENAME",
            "i need the module MODULENAME (here)?, (import it)?",
            "load the module MODULENAME",
            "make (the module MODULENAME|ITEMNAME from MODULENAME) available (here)?",
            "(ITEMNAME from)? MODULENAME is used (here|below), (import it|ADD its import)",
            "have MODULENAME imported",
        ),
        also=(
            f"(WRITE|import|forgot)? (the|an|a)? (missing)? (line|statement|import)? {_IMPORTED} (is missing|is needed)? TOP?, (ADD it)?",
            f"(i|we|you) (need|want|forgot|miss) (to)? (the)? (line)? ({_IMPORTED}|ITEMNAME from MODULENAME) (here)? TOP?",
            f"(import|bring in) {_MODULE} TOP?",
            f"(WRITE|import) {_MODULE} (to|in) (the|our|my) (imports?|import (list|block|section|statements)) TOP?",
            f"(WRITE|forgot|(i|we|you) (need|want|forgot|miss|are missing)|we're missing) (the|an|a)? (missing)? import (statement|line)? (of|for|:)? {_MODULE} TOP?",
            f"(the|an|a|there is a|there's a)? (missing import (of|for|:)? {_MODULE}|import (of|for)? {_MODULE} is (missing|needed)) TOP?, (ADD (it|one))?",
            "(WRITE)? (the|an|a)? (missing)? MODULENAME import TOP?",
            f"{_IMPORTED} MODAL be (added|inserted|there) TOP?",
            f"{_MODULE} (isn't|is not|was not|wasn't|never gets|is never) imported (yet|here|ANYMORE)?, (import it|ADD it|ADD (the|an) import)?",
            f"{_MODULE} (MODAL|will)? be imported (here|as ALIASNAME|from FROMNAME)? TOP?",
            f"(make sure|ensure) (that)? ({_MODULE} (is|gets) imported|there is (a|an)? {_IMPORTED}) TOP?",
            f"{_MODULE} needs? (importing|an import) (here)? TOP?",
            f"{_MODULE} is (missing|needed|used) (here)?, (import it|ADD (the|an) import)",
            f"(we|i|you) (use|used) {_MODULE} (without importing it|but (it is|it's) not imported|but never import it), (ADD (it|the import))?",
        ),
        plain="{import_} {module}",
        meaning=meanings.imported,
        names=("module", "item"),
    ),
    Kind(
        "add-docstring",
        taught=(
            "ADD (a|the)? docstring QUOTED? (to|for|in|into) KIND? NAME :? QUOTED?",
            "document KIND? NAME (with QUOTED)?",
            "write (a|the)? docstring (for|to) KIND? NAME :? QUOTED?",
            "give KIND? NAME (a|the) docstring :? QUOTED?",
            "KIND? NAME (needs|has no|lacks|should have) (a|the)? docstring (:? QUOTED|, (ADD|write) one)?",
            "the docstring of KIND? NAME (should|must) be QUOTED",
            "use QUOTED as the docstring of KIND? NAME",
            "let QUOTED be the docstring of KIND? NAME",
            "describe KIND? NAME (in a docstring|with the docstring QUOTED)",
            "document what KIND? NAME does",
            "(i want|i'd like) KIND? NAME documented",
        ),
        also=(
            f"(WRITE|i need|i want|we need)? DOC (to|for|in|into|on|of) {FUNCTION} ((explaining|describing|that|which|saying) ANYTHING)?",
            f"(WRITE|ADD)? DOC (that|which|to)? (explains?|describes?|explaining|describing|about|saying) (what)? {FUNCTION} (does|is for|returns)?",
            f"(let|make) {FUNCTION} (have|get) DOC",
            f"(explain|describe|document|say|state) (what)? {FUNCTION} (does|is for|returns)? (in|with|by|using) DOC",
            f"document {FUNCTION}",
            "(WRITE)? (some|the)? documentation (to|for|of) (the)? KIND? NAMEPLAIN KIND?",
            f"(give|write) {FUNCTION} DOC",
            f"{FUNCTION} (needs|has no|lacks|should have|must have|wants|is missing|misses|doesn't have|could use|deserves|requires) (DOC|documentation) (yet|so far)?, (so)? ((WRITE) (one|it|DOC))?",
            f"{FUNCTION} MODAL be documented (with|by|in)? DOC?",
        ),
        plain="add a docstring to {name}",
        meaning=meanings.documented,
    ),
    Kind(
        "add-type-hint",
        taught=(
            "ADD (a|the)? return (type|annotation) (hint)? TYPE (to|on|for) KIND? NAME",
            "annotate the return (value|type) of KIND? NAME as TYPE",
            "set the return type of KIND? NAME to TYPE",
            "(let)? the return type of KIND? NAME (should|must)? be TYPE",
            "ADD -> TYPE to KIND? NAME",
            "annotate KIND? NAME as returning TYPE",
            "KIND? NAME returns TYPE, add the (type hint|annotation)",
            "KIND? NAME should return TYPE, annotate it",
            "declare that KIND? NAME returns TYPE",
            "give KIND? NAME the return type TYPE",
            "(the)? return type of KIND? NAME is TYPE, annotate it",
        ),
        also=(
            f"declare (the)? return type of {FUNCTION} (as|to be) (an?)? TYPE",
            f"(specify|say|declare|annotate|state) (that)? {FUNCTION} (returns|as returning|to return|with return type) (an?)? TYPE",
            f"{FUNCTION} (returns|should return|must return) (an?)? TYPE, (so)? (annotate (it|that)|ADD HINT|ADD (a|the)? return (type|annotation) (hint)?|say so) (in LEAD)?",
            f"{FUNCTION} MODAL (have|get) (a|the)? return (type|annotation) (of)? TYPE",
            f"annotate (the return (type|value) of)? {FUNCTION} with (the)? TYPE (as|for) (its|the)? return type",
            f"(give|ADD) {FUNCTION} (a|the)? return (annotation|type|hint) (of)? TYPE",
            f"ADD (the|a)? return (type|annotation|type hint) (of)? TYPE (to|on|for) {FUNCTION}",
            f"(the)? return (type|value) of {FUNCTION} (is|should be|must be) (annotated (as|with))? (an?)? TYPE, ((ADD|annotate) it)?",
        ),
        meaning=meanings.annotated,
        names=("parameter", "name"),
    ),
    Kind(
        "add-type-hint",
        taught=(
            "(ADD|give) (a|the)? (type (hint|annotation)?|annotation|hint) TYPE (to|on|for) KIND? PARAMETERNAME (of|in) KIND? NAME",
            "(ADD|give) (an?|the)? annotation PARAMETERNAME : TYPE to KIND? NAME",
            "(annotate|type|hint|declare) KIND? PARAMETERNAME (of|in) KIND? NAME as TYPE",
            "(annotate|type|hint|declare) KIND? PARAMETERNAME as TYPE (of|in) KIND? NAME",
            "KIND? PARAMETERNAME in KIND? NAME is TYPE, add the (type hint|annotation)",
            "give KIND? PARAMETERNAME (of|in) KIND? NAME the type (hint)? TYPE",
            "KIND? PARAMETERNAME (of|in) KIND? NAME (should|must) (be|be annotated as|have the type) TYPE",
            "in KIND? NAME, annotate KIND? PARAMETERNAME as TYPE",
            "in KIND? NAME, KIND? PARAMETERNAME is of type TYPE : say so",
            "let KIND? PARAMETERNAME (of|in) KIND? NAME have the type TYPE",
            "(the)? type of KIND? PARAMETERNAME (in KIND? NAME)? is TYPE, annotate it",
        ),
        also=(
            f"(annotate|type|hint|declare|mark) {_PARAMETER} (as|with|to be) (an?)? (type)? TYPE",
            f"{_PARAMETER} (should|must|has to) be (annotated|typed|declared|hinted) (as|with) (an?)? (type)? TYPE",
            f"{_PARAMETER} (is|should be|must be) (always)? (of type|an?)? TYPE, (so)? (annotate (it|that)|ADD HINT|say so|declare it|type it) (in LEAD)?",
            f"ADD HINT (to|on|for) {_PARAMETER}, (it's|it is|it should be) (an?)? TYPE",
            f"(ADD)? (HINT|the type) (of)? TYPE (to|on|for) {_PARAMETER}",
            f"ADD TYPE as (HINT|the type) (to|of|on|for) {_PARAMETER}",
            f"in {FUNCTION}, (the)? KIND? PARAMETERNAME KIND? (is|should be|must be) (always)? (of type|an?)? TYPE, (so)? (annotate (it|that)|ADD HINT|say so)",
            f"set (the)? (HINT|type) (of|for) {_PARAMETER} to TYPE",
            f"(give|let) {_PARAMETER} (have)? (the|an?) (type|TYPE HINT) TYPE",
        ),
        meaning=meanings.annotated,
        names=("parameter", "name"),
    ),
    Kind(
        "add-logging",
        taught=(
            (
                "ADD (an?)? (logging|log|LOGCALL) LEVEL? (call|message|statement|line)? "
                "(to|in|into|at the (start|top|beginning) of) KIND? NAME"
            ),
            "ADD logging (to|in) KIND? NAME",
            "log ((at|with) level LEVEL|an? LEVEL message)? when KIND? NAME is called",
            "log (every|all)? calls? (to|of) KIND? NAME ((at|with) level LEVEL)?",
            "KIND? NAME should log (its calls|when it is called|(at|with) level LEVEL|an? LEVEL message)?",
            "KIND? NAME needs an? (log|logging) (call|message|statement|line)",
            "i want to (see|know) in the log when KIND? NAME is called",
            "make KIND? NAME log (at level LEVEL)? when it is called",
            "each call to KIND? NAME (has to|should|must) be logged (at level LEVEL)?",
            "let KIND? NAME write a log message",
        ),
        also=(
            f"(WRITE|emit) (LOG|(some|debug|LEVEL)? logging|an? LOGCALL (call)?) (at|to|in|into|for|inside|at the (start|top|beginning|entry) of) {FUNCTION}",
            f"log (a message|something|it|an entry)? (when|whenever|every time|each time|as soon as) {FUNCTION} (is called|gets called|runs|starts|is entered|is invoked|is executed)",
            f"(WRITE|emit) LOG (when|whenever|every time|each time) {FUNCTION} (is called|gets called|runs|starts|is entered)",
            f"log (the|every|each|all)? (calls?|invocations?|entry|entering) (to|of|into)? {FUNCTION}",
            f"(the|every|each|all)? (calls?|invocations?) (to|of) {FUNCTION} (should|must|has to|have to) be logged",
            f"{FUNCTION} (should|must|has to) (log|write|emit) (a log message|a message|something|its calls|each call)? (when it is called|when it's called|when called)?",
            f"{FUNCTION} needs (LOG|logging)",
            f"(i want|i'd like|make|let|have) {FUNCTION} (to)? (log|write) (a log message|a message|its calls|each call|something)? (when it's called|when it is called|when called)?",
            f"(the|every|each|all)? (calls?|invocations?) (to|of) {FUNCTION} MODAL (appear|show up|show|be|be recorded|be seen) in (the|a) (log|logs|logfile)",
            f"(make|let|have) {FUNCTION} log (when|whenever|every time|each time|that)? (it is|it's|it was|it gets) (called|invoked|run|executed)",
            f"log (on|at|upon) (the)? (entry|start|beginning|begin|call|entering|calls) (of|to|into)? {FUNCTION}",
            f"log (when|whenever|every time|each time|that) (someone|somebody|anyone|anybody|something) (calls|invokes|runs) {FUNCTION}",
            f"{FUNCTION} MODAL log (that|when|whenever|each time|every time) (it is|it's|it was|it gets) (called|invoked|run)",
            f"(i want|i'd like|show|let me)? (to)? (see|know|read|have)? (it)? in the log (when|whenever|that|if|how often|each time) {FUNCTION} (is called|gets called|runs|starts|was called)",
            f"{FUNCTION} MODAL (write|print|report|say|emit) (something|a message|a line)? (to|in|into) (the|a) (log|logger)",
        ),
        plain="add a log call to {name}",
    ),
    Kind(
        "wrap-try",
        taught=(
            "(wrap|put|surround|enclose|guard) (the)? (whole)? (body of)? KIND? NAME (in|with|inside) TRY (for)? ERROR? (and return VALUE)?",
            "ADD TRY (for)? ERROR? (to|in|into|around) (the body of)? KIND? NAME (and return VALUE)?",
            "ADD (error|exception) handling to KIND? NAME with TRY",
            "the body of KIND? NAME (should|must) be in TRY",
            "let TRY enclose the body of KIND? NAME",
            "KIND? NAME needs TRY (around its body)? (for ERROR)?",
            "(catch|handle) ERROR in KIND? NAME (and return VALUE)?",
            "KIND? NAME should (catch|handle) ERROR (and return VALUE)?",
            "guard KIND? NAME against ERROR (and return VALUE)?",
            "let KIND? NAME catch ERROR (and return VALUE)?",
            "KIND? NAME should return VALUE on ERROR",
            "on ERROR in KIND? NAME return VALUE",
            "return VALUE (from|in) KIND? NAME on ERROR",
            "let KIND? NAME return VALUE when ERROR is raised",
            "if ERROR is raised in KIND? NAME, return VALUE",
        ),
        also=(
            f"(wrap|put|surround|enclose|guard|protect) {_BODY} (in|with|inside|into|by) TRY ((for|with|catching)? ERROR)?",
            f"{_BODY} (should|must|has to) (be|go) (wrapped|put|enclosed|surrounded|guarded)? (in|inside|into|by|with) TRY",
            f"ADD TRY ((for|with|catching)? ERROR)? (to|in|into|around|for|inside) {_BODY}",
            f"return VALUE (in|from) {FUNCTION} (when|if|on) (a|an)? ERROR (occurs|is raised|happens|is thrown)",
            f"in {FUNCTION}, (wrap|put|surround|enclose|guard) (the)? (whole)? (body|code|everything|contents?) (in|with|inside|into) TRY",
            f"{FUNCTION} MODAL return VALUE (on|when|if|for) (a|an)? ERROR (is raised|occurs|happens|is thrown)?",
            f"(handle|catch) (all|any|the)? (errors|exceptions|failures) (in|of|inside) {FUNCTION} (with|using|by) TRY",
            f"{FUNCTION} (needs|should have|must have|lacks|has no) (exception handling|error handling (with|using|by) TRY)",
            f"{FUNCTION} (needs|should have|must have|could use) TRY",
            f"(make|let)? {FUNCTION} (should|must)? (catch|handle) (all|any|its|the)? (errors|exceptions|ERROR)",
            f"ADD (error|exception) handling (to|in|for) {FUNCTION} (with|using) TRY",
            f"(catch|handle) (a|an|the|any)? ERROR (raised|thrown)? (in|inside|by|from) {FUNCTION}",
        ),
        plain="wrap the body of {name} in try/except {error}",
        meaning=meanings.guarded,
    ),
    Kind(
        "f-strings",
        taught=(
            (
                "(use|convert to|switch to|change to|turn into|i want) FSTRINGS (instead of (.format|format|%|% and .?format))? "
                "(for (string)? formatting)? WHERE?"
            ),
            "(convert|change|turn|rewrite|replace|moderni[sz]e) (EVERY|the)? FORMATTING (to|into|with|by|as) FSTRINGS WHERE?",
            "(EVERY|the)? FORMATTING should be FSTRINGS WHERE?",
            "(the)? strings should be formatted with FSTRINGS",
            "format (the)? strings with FSTRINGS (only)?",
        ),
        also=(
            (
                "(use|make use of|convert to|switch to|change to|turn into|i want|i'd like|i prefer|i'd prefer|make|prefer) (python)? FSTRINGS "
                "((instead of|over|rather than|in place of|for|, not)? (EVERY|the)? (FORMATTING|%|strings|string interpolation))?"
            ),
            (
                "(make|convert|change|turn|rewrite|switch) (it|this|these|them|those|EVERY|the|all)? (the)? (strings|messages|formatted strings|string|log messages)? "
                "(to|into|as|with|be)? (use)? FSTRINGS"
            ),
            (
                "(convert|change|turn|rewrite|replace|moderni[sz]e|switch|migrate|port|update) (EVERY|the|all|all the)? FORMATTING WHERE? "
                "(to|into|with|by|as|to use) (python)? FSTRINGS"
            ),
            "(EVERY|the|all|all the)? (FORMATTING|strings|messages) (BECOMES|(should|must|can) (use|become)) FSTRINGS",
            "(DELETE|no|no more) FORMATTING, (use|but|make it|put) FSTRINGS (instead)?",
            "FSTRINGS ((instead of|over|rather than|for|not)? (EVERY|the)? (FORMATTING|%))?",
            "(switch|change|go|move|convert|migrate) from FORMATTING to FSTRINGS",
            "(rewrite|write|format|convert|do) (EVERY|the|all|all the)? (FORMATTING|strings|messages) (using|with|via|as) FSTRINGS",
        ),
        plain="use f-strings",
        meaning=lambda _: meanings.Tidy("f-strings"),
    ),
    Kind(
        "no-change",
        taught=(
            "(do|change|edit) nothing",
            "no changes? ((is|are)? needed)?",
            "(leave|keep) (it|this|everything|the (code|file|text)|all) (as it is|as is|unchanged|alone|the same)",
            "make no (changes|edits)",
            "(don't|do not) (change|edit|touch) anything",
            "this is (fine|good|right) as it is",
            "it can stay as it is",
            "nothing needs to be done",
            "let everything be as it is",
        ),
    ),
)
"""In the order in which they are tried: the more particular first."""
