"""The kinds of edits that the embedded model is taught, and what their instructions look like.

Only what a rule needs that knows no model: the generators of examples are in ``training/families``,
under the same names.
"""

from __future__ import annotations

from dataclasses import dataclass

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
                "rename:? (EVERY )?(KIND )?NAME( ?(to|as|into|->|=>|→|=) ?)NAME(WHERE)?",
                "(change|refactor) (the )?name of (KIND )?NAME (to|into) NAME(WHERE)?",
                "(change|replace) (EVERY )?(the )?(KIND )NAME (to|with|by|into) NAME(WHERE)?",
                "(change|replace) (EVERY )NAME (to|with|by|into) NAME(WHERE)?",
                "(KIND )?NAME (should|must) be (called|named|renamed to) NAME(WHERE)?",
                "(KIND )?NAME ?(->|=>|→) ?NAME(WHERE)?",
                "call (KIND )?NAME NAME( instead)?(WHERE)?",
                "use (the (new )?(name|identifier) )NAME (instead of|for|in place of) (KIND )?NAME(WHERE)?",
                "(i want|i'd like) (KIND )?NAME (to be )?(renamed|called)( to)? NAME(WHERE)?",
                "give (KIND )?NAME the (new )?name NAME(WHERE)?",
            ),
        ),
        Family(
            name="replace-string",
            title="replace a string",
            patterns=(
                (
                    "(replace|change|swap|turn|update|set) (EVERY )?(STRING )?QUOTED (with|to|by|into|for) "
                    "(STRING )?QUOTED(WHERE)?"
                ),
                "use (STRING )?QUOTED (instead of|in place of) (STRING )?QUOTED(WHERE)?",
                "(EVERY )?STRING QUOTED (should|must) (be|read|say) QUOTED(WHERE)?",
            ),
        ),
        Family(
            name="replace-number",
            title="replace a number",
            patterns=(
                (
                    "(replace|change|swap|turn|update|set) (EVERY )?(the )?((number|value|constant) )?NUMBER "
                    "(with|to|by|into|for) (the number )?NUMBER(WHERE)?"
                ),
                "use (the number |the value )?NUMBER (instead of|in place of) (the number )?NUMBER(WHERE)?",
                "(the )?(number|value) NUMBER (should|must) be NUMBER(WHERE)?",
                (
                    "(set|change|update|make) (the )?(value of )?(KIND )?NAME (to |= ?)?NUMBER"
                    "( instead of NUMBER)?(WHERE)?"
                ),
                "(change|update) (the )?(value of )?(KIND )?NAME from NUMBER to NUMBER(WHERE)?",
                "(the )?(value of )?(KIND )?NAME (should|must) be NUMBER(WHERE)?",
            ),
        ),
        Family(
            name="delete-comments",
            title="delete the comments",
            patterns=(
                "DELETE (EVERY |the )?(code |inline )?comments?(WHERE)?",
                "i (don't|do not) want (any )?comments(WHERE)?",
            ),
        ),
        Family(
            name="delete-prints",
            title="delete the print statements",
            patterns=(
                (
                    "DELETE (out )?(EVERY |the )?(the )?(debug(ging)? )?(print|console\\.log|println|printf)s?"
                    "( ?(calls?|statements?|lines?))?(WHERE)?"
                ),
            ),
        ),
        Family(
            name="delete-lines",
            title="delete the lines that contain a text",
            patterns=(
                (
                    "DELETE (EVERY |the )?lines? (with|containing|mentioning|(that |which )"
                    "(contains?|mentions?|has|have)) (QUOTED|NAME)( in (it|them))?(WHERE)?"
                ),
            ),
        ),
        Family(
            name="delete-function",
            title="delete a function, method or class",
            patterns=(
                "DELETE (the )?(whole |entire |unused )?((KIND) )?NAME(WHERE)?",
                "i (don't|do not) need (the )?((KIND) )?NAME (any ?more|any longer), ?DELETE it",
            ),
            languages=_PYTHON,
        ),
        Family(
            name="add-import",
            title="add an import",
            patterns=(
                "(ADD )?(the |an )?import( of| for)? (the module )?(NAME from )?NAME(TOP)?",
                "(ADD )?(the )?from NAME import NAME(TOP)?",
                "ADD `(import NAME|from NAME import NAME)`(TOP)?",
                "ADD (the |an )?NAME import(TOP)?",
            ),
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
                "(KIND )?NAME needs (a|the) docstring(:? QUOTED)?",
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
                "(ADD|give) (a |the )?annotation NAME: ?TYPE to (KIND )?NAME",
                "(annotate|type|hint) (KIND )?NAME (of|in) (KIND )?NAME as TYPE",
                "(annotate|type|hint) (KIND )?NAME as TYPE (of|in) (KIND )?NAME",
                "(KIND )?NAME in (KIND )?NAME is TYPE, ?add the (type hint|annotation)",
                "give (KIND )?NAME (of|in) (KIND )?NAME the type TYPE",
                "(the )?(return )?type of (KIND )?NAME( in (KIND )?NAME)? is TYPE, ?annotate it",
                "ADD (a |the )?return (type|annotation)( hint)? TYPE (to|on|for) (KIND )?NAME",
                "annotate the return (value|type) of (KIND )?NAME as TYPE",
                "set the return type of (KIND )?NAME to TYPE",
                "ADD -> ?TYPE to (KIND )?NAME",
                "annotate (KIND )?NAME as returning TYPE",
                "(KIND )?NAME returns TYPE, ?add the (type hint|annotation)",
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
                "log (at level LEVEL |(a|an) LEVEL message )?when (KIND )?NAME is called",
                "log (every |all )?calls? (to|of) (KIND )?NAME",
            ),
            languages=_PYTHON,
        ),
        Family(
            name="wrap-try",
            title="wrap a function's body in try/except",
            patterns=(
                (
                    "(wrap|put|surround|enclose) (the )?(whole )?(body of )?(KIND )?NAME (in|with|inside) "
                    "(an? )?try(/| and |-|\\.\\.\\.)?(except|catch)?( block)?( for)?( ERROR)?( and return VALUE)?"
                ),
                "ADD (an? )?try/except( block)?( for)?( ERROR)? to (KIND )?NAME( and return VALUE)?",
                "ADD (error|exception) handling to (KIND )?NAME with (an? )?try/except",
                "catch ERROR in (KIND )?NAME( and return VALUE)?",
                "(KIND )?NAME should return VALUE on ERROR",
                "on ERROR in (KIND )?NAME return VALUE",
            ),
            languages=_PYTHON,
        ),
        Family(
            name="f-strings",
            title="convert string formatting to f-strings",
            patterns=(
                (
                    "(use|convert to|switch to|turn into) f-?strings?( instead of (\\.?format|%|% and \\.?format))?"
                    "( for (string )?formatting)?(WHERE)?"
                ),
                (
                    "(convert|change|turn|rewrite|replace) (EVERY |the )?((string )?formatting|% and \\.?format|"
                    "\\.?format( calls?)?|% ?formatting) (to|into|with|by|as) f-?strings?(WHERE)?"
                ),
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
                "(don't|do not) change anything",
            ),
        ),
    )
}
"""In the order in which ``recognise`` asks them: the more particular first."""
