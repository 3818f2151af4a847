"""The dialect of rows: what its words in capitals stand for.

A row is written in words. Brackets, ``|``, ``?`` and ``*`` are those of regular expressions, ``,`` is any mark or none,
``;`` any mark, and words in capitals stand for others (``PHRASES``) or for a slot (``SLOTS``), whose contents a request
names. ``OLD…`` is what is in the buffer, ``NEW…`` what it becomes. ``matching`` compiles the rows.
"""

from __future__ import annotations

PHRASES = {
    "THE": "the|this|that|our|my|its|those|these",
    "EVERY": "(all|every|each) (the|occurrences? of|of the|uses? of)?",
    "STRING": "(the)? (strings?|texts?|literals?|string literals?)",
    "CHANGE": "replace|change|swap|turn|update|set|exchange|bump|switch|convert|correct|fix|point|alter|modify|migrate"
    "|reduce|increase|raise|lower|decrease|make|edit|translate|adjust|go",
    "TO": "to|with|by|into|for|->|out for",
    "MODAL": "(should|must|ought to|needs to|need to|has to|have to|is to|are to|shall) "
    "(now|just|really|better|rather|simply|all|always|from now on)?",
    "NEEDS": "needs|deserves|wants|could use|should (get|have)|must have|gets|has",
    "SHOULD": "MODAL (be|become|read|say)",
    "ISNOW": "BECOMES|MODAL (use|have|contain|point to|go (up|down)? to|be (changed|set|raised|lowered|increased|reduced|updated|corrected) (up|down)? to)",
    "BECOMES": "SHOULD|becomes?|is now|are now|turns into|reads now|(is|are) (now)? (called|named)|will be|->"
    "|(has|have) (moved|changed|become) (to)?|moved to|changed to",
    "INSTEAD": "instead of|in place of|rather than|not|and not|over|(and)? no longer|it was|was|used to be|previously"
    "|formerly|currently|still|(it's|it is) (still|currently|now)?|is (still|currently)|at the moment",
    "SAY": "use|write|say|put|take|prefer|make it|make that|it (should|must) (be|say|read)|better"
    "|change (it|that) to|set it to",
    "ANYMORE": "any more|any longer|anymore",
    "DELETE": "delete|remove|rm|take away|drop|erase|strip|kill|get rid of|throw out|throw away|cut|take|take out|clear out|nuke"
    "|scrap|strike|purge|eliminate|ditch|clean out|clean up|clear|rip out|kick out|toss|pull out|strip out|cut out|do away with|trash|wipe|filter out",
    "UNWANTED": "unused|not used|dead code|not needed|no longer (needed|used)|obsolete|outdated|useless|noise"
    "|for debugging|unnecessary|redundant|dead",
    "ADD": "add|insert|put|append",
    "WRITE": "add|insert|put|append|include|write|create|provide|generate|supply|need|want",
    "TOP": "(at|to) the (top|start|beginning|imports) (of (the|this) (file|module))?|(along|together)? (with|below|after|among|next to|beside) the (other imports|existing imports|others) (at the top)?",
    "LEFT": "(that are|which are)? (left|left over|still there|still in here)",
    "WHERE": "everywhere|throughout|here|please|(everywhere)? (in|from|throughout|out of|of) (this|the|the whole"
    "|the entire|all of the) (file|code|module|buffer|text|function|class|selection|program|script)",
    "DOC": "((a|the|an|any|some|its) QUALITIES|missing|short|brief|proper|good)? (docstrings?|doc strings?|doc-strings?|doc comment|documentation string)",
    "HINT": "(an?|the|some)? (type|typing)? (hints?|annotations?|type)",
    "LOG": "(an?|some|the)? (LEVEL|debug|simple)? (logging|log|logger) (call|messages?|statement|line|entry|output)?",
    "TRY": "(an?)? (try|try/except|try-except|try/catch|try except|try and except|try...except|try-catch|try catch) "
    "(block|statement|clause)?",
    "FORMATTING": "(string)? formatting|% formats?|% and .?format|.?format (calls?)?|.?format() (calls?)?|% formatting"
    "|%-formatting|percent formatting|(the)? old (style)? (string)? formatting|(the)? old-style (string)? formatting|str.format (calls?)?|str.format() (calls?)?",
    "FSTRINGS": "(an)? (f-strings?|fstrings?|f strings?)",
}
"""The words that a word in capitals stands for."""

_ANY = r"[a-z`\"]\S+ "
# A word that says neither when nor what else, and is no code.
_BARE = (
    r"(?!.(?:if|when|unless|while|only|except|but|and|or|not|no|without|before|after|until|because|so|then|than|between) )"
    r"(?:[abefklqsuw]\S+|c[a-z]+) "
)
_AN_ERROR = (
    r"(?:[a-z](?:[\w.]*error|[\w.]*exception|stopiteration|keyboardinterrupt)"
    r"|[cm]\w+(?:\.\w+)+|`\d+) "
)
_ITEM = rf"{_ANY}(?:eas {_ANY})?"
SLOTS = {
    **dict.fromkeys(
        ("NAME", "PARAMETERNAME", "OLDNAME", "NEWNAME", "OWNERNAME", "ALIASNAME", "FROMNAME"), _ANY
    ),
    **dict.fromkeys(("NAMEPLAIN", "OLDPLAIN", "NEWPLAIN"), r"[m`]\S+ "),
    **dict.fromkeys(("PLACENAME", "OLDCODE", "NEWCODE"), r"[cm`]\S+ "),
    **dict.fromkeys(("OLDBARE", "NEWBARE"), r"[a-z`]\S+ "),
    "OLDTOKEN": r"[a-qs-z\"`]\S+ ",  # no address
    "NEWTOKEN": r"[a-z\"`]\S+ ",
    "NEWVALUE": r"(?:\S(?:true|false|on|off|yes|no|none|null|nil) |[nc]\d\S* |\"\d+ )",
    "NEWNUMERAL": r"[nc]\d\S* ",
    **dict.fromkeys(("OLDTEXT", "NEWTEXT"), r"[\"`r]\S+ "),
    **dict.fromkeys(("OLDNUMBER", "NEWNUMBER", "NUMBER"), r"[n\"`]\S+ "),
    "OLDLINE": r"[\"`cmr]\S+ ",
    "MODULENAME": _ITEM,
    "ITEMNAME": rf"{_ITEM}(?:,, {_ITEM})*",
    "QUOTED": r"[\"`]\d+ ",
    "QUOTEDCODE": r"[cr]\S+ ",
    "WORDS": r"(?:[aklqw]\S+ |bof ){0,5}",
    "LEAD": rf"(?:{_BARE}){{0,8}}",
    "QUALITIES": r"(?:w(?!google|numpy|sphinx|style)\S+ |c(?!google|numpy)[a-z]+-[a-z]+ ){0,2}",
    "ADJECTIVE": r"[a-z]\S+ ",
    "OPENED": r",\( ",
    "CLOSED": r"(?:,\) )?",
    "UNIT": r"(?:[wkl]\S+ )?",
    "ANYTHING": r"(?:\S+ )+",
    "VALUE": r"(?:\S(?:none|true|false|\[\]|\{\}) |[n\"`]\S+ |,\[ ,\] |,\{ ,\} )",
    "TYPE": r"[a-z`\"]\S+ (?:,, [a-z]\S+ ,\] |\S\| [a-z]\S+ )*",
    "ERROR": r"(?:[a-z](?:[a-z]*error|[a-z]*exception|stopiteration)|[`\"]\d+) ",
    "IMPORTED": r"(?:,[(:] )?(?:[a-z\"`]\S+ (?:,, )?(?:.and )?){1,8}(?:,\) )?",
    "ERRORS": rf"{_AN_ERROR}(?:(?:.and |.or |,, )+{_AN_ERROR})*",
    "HANDLER": r"(?:\S+ )+",
    "ANCHOR": r"(?:(?!.and )[a-z\"`]\S+ ){1,6}",
    "CODE": r"[\"`]\d+ ",
    "OLDMARK": r"\S(?:todo|fixme|xxx|hack)s? ",
    "TEST": r"(?:[a-z\"`]\S+ ){1,4}",
    "TESTQUOTED": r"[\"`]\d+ ",
    "LOGCALL": r"\Slogg?(?:ing|er)?\.(?:debug|info|warning|error|critical) ",
    "PRINTCALL": r"\S(?:print|println|printf|console\.log|system\.out\.println)(?:\(\.*\))?s? (?:\S! )?",
    "LEVELCALL": r"\S(?:[\w]+\.)+(?:debug|info|warning|warn|error|critical)(?:\(\))? ",
    "LEVEL": r"\S(?:debug|info|warning|error|critical) ",
}
"""The slots that the others stand for, as patterns of a tagged line: the tag before a word says of what sort it is."""

BEFORE_KIND = r"(?:a\S+ |fthis |wmy |wour )?(?:\S(?:local|global|unused|old|loop|inner|private|helper|base|abstract|exception|utility|instance|whole|entire) )?"
A_KIND = r"(?:k\S+ |lnames? |\S(?:test|case) )+"
"""``KIND``: what is said before it, and itself."""
