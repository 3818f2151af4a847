"""The kinds of edits that the embedded model is taught, and what their instructions look like.

Only what a rule needs that knows no model: the generators of examples are in ``training/families``,
under the same names. Sentences that name what is replaced or deleted are in ``editd.instruction.sentences``.
"""

from __future__ import annotations

from dataclasses import dataclass

from editd.instruction.sentences import (
    COMMENTS,
    DEFINITIONS,
    IMPORTS,
    LINES,
    NAMINGS,
    NUMBERS,
    PRINTS,
    TEXTS,
    VALUES,
)

_PYTHON = frozenset({"python"})


@dataclass(frozen=True, slots=True)
class Family:
    """One kind of edit.

    name: in ``editd.json`` and on the command line. title: what it does, for a user. patterns: what
    such an instruction looks like (``recognise`` expands the words in capitals). languages: where
    it is offered, empty for all.
    """

    name: str
    title: str
    patterns: tuple[str, ...]
    languages: frozenset[str] = frozenset()


FAMILIES: dict[str, Family] = {
    family.name: family
    for family in (
        Family(
            name="rename",
            title="rename a variable, function, class or attribute everywhere",
            patterns=(
                *NAMINGS,
                "(change|replace) (EVERY )?(the )?(KIND )NAME (to|with|by|into) NAME(WHERE)?",
                "(change|replace) (EVERY )NAME (to|with|by|into) NAME(WHERE)?",
                "(KIND )?NAME ?(->|=>|→) ?NAME(WHERE)?",
                "call (KIND )?NAME NAME(WHERE)?",
            ),
        ),
        Family(
            name="replace-string",
            title="replace a string",
            patterns=TEXTS,
        ),
        Family(
            name="replace-number",
            title="replace a number",
            patterns=(*NUMBERS, *VALUES),
        ),
        Family(
            name="delete-comments",
            title="delete the comments",
            patterns=COMMENTS,
        ),
        Family(
            name="delete-prints",
            title="delete the print statements",
            patterns=PRINTS,
        ),
        Family(
            name="delete-lines",
            title="delete the lines that contain a text",
            patterns=LINES,
        ),
        Family(
            name="delete-function",
            title="delete a function, method or class",
            patterns=(
                *DEFINITIONS,
                "DELETE NAME(WHERE)?",  # not "delete the cache", which need not mean code
            ),
            languages=_PYTHON,
        ),
        Family(
            name="add-import",
            title="add an import",
            patterns=IMPORTS,
            languages=_PYTHON,
        ),
        Family(
            name="add-docstring",
            title="add a docstring to a function",
            patterns=(
                "ADD (a |the )?docstring (QUOTED )?(to|for|in|into) (KIND )?NAME(:? QUOTED)?",
                "document (KIND )?NAME( with QUOTED)?",
                "write (a |the )?docstring (for|to) (KIND )?NAME(:? QUOTED)?",
                "give (KIND )?NAME (a|the) docstring(:? QUOTED)?",
                "(KIND )?NAME (needs|has no|lacks|should have) (a |the )?docstring(:? QUOTED|, ?(ADD|write) one)?",
                "the docstring of (KIND )?NAME (should|must) be QUOTED",
                "use QUOTED as the docstring of (KIND )?NAME",
                "let QUOTED be the docstring of (KIND )?NAME",
                "describe (KIND )?NAME (in a docstring|with the docstring QUOTED)",
                "document what (KIND )?NAME does",
                "(i want|i'd like) (KIND )?NAME documented",
            ),
            languages=_PYTHON,
        ),
        Family(
            name="add-type-hint",
            title="add a type hint to a parameter",
            patterns=(
                (
                    "(ADD|give) (a |the )?(type ?(hint|annotation)?|annotation|hint) TYPE (to|on|for) (KIND )?NAME "
                    "(of|in) (KIND )?NAME"
                ),
                "(ADD|give) (an? |the )?annotation NAME: ?TYPE to (KIND )?NAME",
                "(annotate|type|hint|declare) (KIND )?NAME (of|in) (KIND )?NAME as TYPE",
                "(annotate|type|hint|declare) (KIND )?NAME as TYPE (of|in) (KIND )?NAME",
                "(KIND )?NAME in (KIND )?NAME is TYPE, ?add the (type hint|annotation)",
                "give (KIND )?NAME (of|in) (KIND )?NAME the type (hint )?TYPE",
                "(KIND )?NAME (of|in) (KIND )?NAME (should|must) (be|be annotated as|have the type) TYPE",
                "in (KIND )?NAME, ?annotate (KIND )?NAME as TYPE",
                "in (KIND )?NAME, ?(KIND )?NAME is of type TYPE: ?say so",
                "let (KIND )?NAME (of|in) (KIND )?NAME have the type TYPE",
                "(the )?(return )?type of (KIND )?NAME( in (KIND )?NAME)? is TYPE, ?annotate it",
                "ADD (a |the )?return (type|annotation)( hint)? TYPE (to|on|for) (KIND )?NAME",
                "annotate the return (value|type) of (KIND )?NAME as TYPE",
                "set the return type of (KIND )?NAME to TYPE",
                "(let )?the return type of (KIND )?NAME (should |must )?be TYPE",
                "ADD -> ?TYPE to (KIND )?NAME",
                "annotate (KIND )?NAME as returning TYPE",
                "(KIND )?NAME returns TYPE, ?add the (type hint|annotation)",
                "(KIND )?NAME should return TYPE, ?annotate it",
                "declare that (KIND )?NAME returns TYPE",
                "give (KIND )?NAME the return type TYPE",
            ),
            languages=_PYTHON,
        ),
        Family(
            name="add-logging",
            title="add a logging call to a function",
            patterns=(
                (
                    "ADD (a |an )?(logging|log)(\\.LEVEL| LEVEL)?( (call|message|statement|line))? "
                    "(to|in|into|at the (start|top|beginning) of) (KIND )?NAME"
                ),
                "ADD logging (to|in) (KIND )?NAME",
                "log ((at|with) level LEVEL |(a|an) LEVEL message )?when (KIND )?NAME is called",
                "log (every |all )?calls? (to|of) (KIND )?NAME( (at|with) level LEVEL)?",
                "(KIND )?NAME should log( its calls| when it is called| (at|with) level LEVEL| an? LEVEL message)?",
                "(KIND )?NAME needs an? (log|logging) (call|message|statement|line)",
                "i want to (see|know) in the log when (KIND )?NAME is called",
                "make (KIND )?NAME log (at level LEVEL )?when it is called",
                "each call to (KIND )?NAME (has to|should|must) be logged( at level LEVEL)?",
                "let (KIND )?NAME write a log message",
            ),
            languages=_PYTHON,
        ),
        Family(
            name="wrap-try",
            title="wrap a function's body in try/except",
            patterns=(
                (
                    "(wrap|put|surround|enclose|guard) (the )?(whole )?(body of )?(KIND )?NAME (in|with|inside) "
                    "TRY( for)?( ERROR)?( and return VALUE)?"
                ),
                (
                    "ADD TRY( for)?( ERROR)? (to|in|into|around) (the body of )?(KIND )?NAME"
                    "( and return VALUE)?"
                ),
                "ADD (error|exception) handling to (KIND )?NAME with TRY",
                "the body of (KIND )?NAME (should|must) be in TRY",
                "let TRY enclose the body of (KIND )?NAME",
                "(KIND )?NAME needs TRY( around its body)?( for ERROR)?",
                "(catch|handle) ERROR in (KIND )?NAME( and return VALUE)?",
                "(KIND )?NAME should (catch|handle) ERROR( and return VALUE)?",
                "guard (KIND )?NAME against ERROR( and return VALUE)?",
                "let (KIND )?NAME catch ERROR( and return VALUE)?",
                "(KIND )?NAME should return VALUE on ERROR",
                "on ERROR in (KIND )?NAME return VALUE",
                "return VALUE (from|in) (KIND )?NAME on ERROR",
                "let (KIND )?NAME return VALUE when ERROR is raised",
                "if ERROR is raised in (KIND )?NAME, ?return VALUE",
            ),
            languages=_PYTHON,
        ),
        Family(
            name="f-strings",
            title="convert string formatting to f-strings",
            patterns=(
                (
                    "(use|convert to|switch to|change to|turn into|i want) f-?strings?"
                    "( instead of (\\.?format|%|% and \\.?format))?( for (string )?formatting)?(WHERE)?"
                ),
                (
                    "(convert|change|turn|rewrite|replace|moderni[sz]e) (EVERY |the )?FORMATTING "
                    "(to|into|with|by|as) f-?strings?(WHERE)?"
                ),
                "(EVERY |the )?FORMATTING should be f-?strings?(WHERE)?",
                "(the )?strings should be formatted with f-?strings",
                "format (the )?strings with f-?strings( only)?",
            ),
            languages=_PYTHON,
        ),
        Family(
            name="no-change",
            title="change nothing when there is nothing to do",
            patterns=(
                "(do|change|edit) nothing",
                "no changes?( (is |are )?needed)?",
                (
                    "(leave|keep) (it|this|everything|the (code|file|text)|all) "
                    "(as it is|as is|unchanged|alone|the same)"
                ),
                "make no (changes|edits)",
                "(don't|do not) (change|edit|touch) anything",
                "this is (fine|good|right) as it is",
                "it can stay as it is",
                "nothing needs to be done",
                "let everything be as it is",
            ),
        ),
    )
}
"""In the order in which ``recognise`` asks them: the more particular first."""
