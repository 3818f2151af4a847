"""Rows that kinds of edits share: how people say that something goes, becomes another or is called another name.

And the things themselves, as people speak of them; ``table`` puts them together.

A row is written in words. Brackets, ``|``, ``?`` and ``*`` are those of regular expressions, ``,`` is any mark or none,
``;`` any mark, and words in capitals stand for others (``PHRASES``) or for what an instruction names (``SLOTS``).
``OLD…`` is what is in the buffer, ``NEW…`` what it becomes. ``sentences`` matches the rows.
"""

from __future__ import annotations


def deleting(what: str) -> tuple[str, ...]:
    """That something goes, in the words that a model is taught."""
    return (
        f"DELETE (out)? {what} (in (it|them))? WHERE?",
        f"(i|we) (don't|do not) (want|need|use) {what} ANYMORE? WHERE?, (so)? (DELETE (it|them))?",
        f"(i want|make) (this|it) (file|code)? without {what}",
        f"(this|the) (file|code) needs no {what}, (DELETE them)?",
        f"{what} (is|are|was|were) UNWANTED, (so)? DELETE (it|them)",
        f"nobody (calls|uses|needs) {what}, (so)? (DELETE (it|them)|take it away)",
        f"{what} (should|must|can|has to|have to|is to|are to) (be (deleted|removed|dropped|erased)|disappear|go (away)?) WHERE?",
        f"there (should|must) be no {what} WHERE?",
        f"(leave out|no more) {what} WHERE?",
        f"(we|i) can do without {what}",
    )


def deleting_too(what: str) -> tuple[str, ...]:
    """The same in others."""
    away = "(please)? (DELETE (it|them|those)? (all)? (out|away)?|throw (it|them) (away|out)|(it|they) (can|should) go)"
    return (
        f"(DELETE|pull|throw|rip|get|kick) {what} (out|away|off)",
        (
            f"{what} (should|must|can|could|may|need to|needs to|has to|have to|ought to) "
            "(be (deleted|removed|dropped|erased|gone|stripped|taken out)|disappear|go (away)?|leave)"
        ),
        f"no (more)? {what} ANYMORE?",
        f"(can|could|may|shall) {what} be (deleted|removed|dropped|taken out)",
        f"(i|we) (don't|do not) (want|need|use) {what} (in LEAD|ANYMORE), (so)? {away}",
        f"DELETE (the)? (definition|implementation|code) of {what}",
        f"{what} (is|are) never (used|called|needed)( ANYMORE)?, (so)? {away}",
        f"there (is|are) no (need|use) for {what} ANYMORE?, (so)? {away}?",
        f"{what} (isn't|aren't|is not|are not|is|are) (used|needed|wanted|called|UNWANTED) ANYMORE?, (so)? {away}",
        f"(i|we) (no longer|never) (need|use|want) {what}, (so)? {away}?",
        f"{what}, {away}",
        f"(i want|i'd like|we want) {what} (gone|removed|deleted|out|to go|to be (removed|deleted|gone))",
        f"(this|the) (file|code) (has|contains) (too many|a lot of|lots of) {what}, DELETE them (all)?",
    )


def deleting_all(what: str) -> tuple[str, ...]:
    """Of what a file has many."""
    return (
        f"{what} (out|away|removed|deleted|gone)",
        f"(the|this|my|our) (code|file|module|script) (MODAL not|shouldn't|mustn't) (contain|have|include) {what}",
        f"(clean|clear|free|strip|clean up) (the|this|my) (file|code|module|script) (from|of) {what}",
    )


def replacing(old: str, new: str) -> tuple[str, ...]:
    """That something becomes another, in the words that a model is taught."""
    return (
        f"(use|write|say|put|i want|i'd like) {new} (instead of|in place of|rather than) {old} WHERE?",
        f"(put|write|use|say) {new} (where|wherever) (it says|there is|the (text|string|number) is) {old}",
        f"(put|write) {new} for {old} WHERE?",
        f"{new} (should|must|has to) (replace|(take|stand in) (the)? place of) {old} WHERE?",
        f"(from now on)? {old} (is|reads|says) (now)? {new}",
        f"(make|let) {old} (be|read|say|an?)? {new} (from now on)?",
        f"where it says {old}, it (should|must) say {new}",
    )


def replacing_too(old: str, new: str) -> tuple[str, ...]:
    """With other words around the two: ``use port 9090 instead of 8080``."""
    bare_old, bare_new = old, new
    old, new = f"WORDS {old} UNIT", f"WORDS {new} UNIT"
    return (
        f"(CHANGE|rewrite) {old} (in WORDS)? WORDS (up|down)? (TO|as) (be|say|read)? {new} WORDS",
        f"(make|let) (it|them) (say|read) {new}, INSTEAD {old}",
        f"(CHANGE|move) LEAD from {old} (to|into|->) {new} WORDS",
        f"(CHANGE|use|return|set|say|write|put|print|show|raise|retry|WORDS (with|at|by|to))? {new} ((as|for|in) WORDS)? WORDS, INSTEAD {old} WORDS",
        f"WORDS (SHOULD|is|are) (now)? {new} (now)?, (INSTEAD|was|it was|no longer|used to be|previously) {old} WORDS",
        f"instead of {old}, (use|write|say|put|take|return|print|show|make it) {new}",
        f"(where|wherever|everywhere|anywhere) (it says)? {old} (appears|stands|is used)?, (use|write|say|put|make it) {new}",
        f"{old} (in WORDS)? WORDS ISNOW {new} WORDS",
        f"substitute {new} for {old}",
        f"WORDS (is|are) (now)? {new} (now)?, (so|please)? (replace|update|change) {old} WORDS",
        f"{bare_old} to {bare_new}",
        f"{bare_old} (is|isn't) (not)? (too)? WORDS ; {bare_new}",
        f"{old} (is|isn't|was|looks|sounds|has) (not)? (too)? WORDS, (so|please|it)? (SAY|ISNOW) {new}",
        f"LEAD :? {bare_new}, (instead of|in place of|rather than|not|and not|no longer) LEAD {bare_old} LEAD",
        f"LEAD {bare_new}, (so)? LEAD {bare_old} MODAL be (changed|replaced|updated|adapted|corrected)",
        f"LEAD {bare_old} UNIT, (it)? ISNOW {new} WORDS",
        f"LEAD MODAL (go|move|change|be (changed|raised|lowered|increased|reduced|set)) (up|down)? from {old} to {new}",
        f"rename (the)? STRING {bare_old} to {bare_new} WHERE?",
        f"(not|no|never|(don't|do not|never) (use|say|write)) {old}, (but|use|say|write)* {new}",
    )


_OF = "((of|in|from) (the)? (class|function|method)? PLACENAME)?"
_OLD = f"(EVERY|THE)? (inner|old)? KIND? OLDNAME KIND? {_OF}"
_CODE = f"(EVERY|THE)? KIND? OLDCODE KIND? {_OF}"
_NEW = "THE? KIND? NEWNAME"

NAMINGS = (
    "(rename|relabel) :? EVERY? KIND? OLDNAME (to|as|into|->|=) NEWNAME WHERE?",
    "(change|refactor) (the)? name of KIND? OLDNAME (to|into) NEWNAME WHERE?",
    "KIND? OLDNAME (should|must|ought to) be (called|named|renamed to) NEWNAME WHERE?",
    "use (the (new)? (name|identifier)) NEWNAME (instead of|for|in place of) KIND? OLDNAME WHERE?",
    "(i want|i'd like) KIND? OLDNAME (to be)? (renamed|called) (to)? NEWNAME WHERE?",
    "give KIND? OLDNAME the (new|better)? name NEWNAME WHERE?",
    "KIND? OLDNAME is a bad name, call it NEWNAME",
    "NEWNAME (is|would be) an? ADJECTIVE? name for KIND? OLDNAME, (rename it)?",
    "NEWNAME (is|would be) (a)? (clearer|nicer|better|more telling) (name)? than OLDNAME, rename it",
    "i (prefer|like) (the)? name NEWNAME (to|over|more than|better than) OLDNAME",
    "the name NEWNAME (should|must|has to) (replace|take the place of) KIND? OLDNAME WHERE?",
    "the name NEWNAME (instead of|in place of|rather than|and not) KIND? OLDNAME WHERE?",
    "write NEWNAME wherever the name (is OLDNAME|OLDNAME stands)",
    "from now on KIND? OLDNAME is called NEWNAME",
)
_CALLED = "(called|named|renamed (to|as)?|known as|written (out)? as|spelled)"
NAMINGS_TOO = (
    f"(rename|relabel|retitle) (from)? {_OLD} (back)? (to|as|into|->|=|with)? (be)? (called|named)? {_NEW}",
    f"(change|switch) (the)? name from {_OLD} to {_NEW}",
    f"{_OLD} SHOULD {_CALLED} {_NEW}",
    f"(could|can|should|may) {_OLD} be {_CALLED} {_NEW}",
    f"{_OLD} (MODAL (get|have|receive)|gets|has|receives|is given) (the|a) (new|better)? name :? {_NEW}",
    f"(i|we)? (have|'ve)? (renamed|retitled) {_OLD} (to|as|into)? {_NEW}, (rename it)?",
    f"rename {_OLD}, {_NEW} (is|would be|sounds) (a|an|the|much)? (better|clearer|nicer|right|ADJECTIVE) (name|choice|one)?",
    f"let {_OLD} be {_CALLED} (to)? {_NEW}",
    f"the (new|better)? name (for|of) {_OLD} (is|BECOMES) {_NEW}",
    f"the name {_OLD} MODAL be (replaced|changed|exchanged) (by|with|to|into|for) {_NEW}",
    f"{_OLD} : (the)? (new|better) name (is|:)? {_NEW}",
    f"{_OLD} NEEDS (a|an|another) (new|better|different|clearer|proper|ADJECTIVE)? name, (say|like|such as|call it|for example|maybe)* {_NEW}",
    f"(use|write|say|take|prefer) (the)? (new|full|whole|long|short|proper|better)? (word|name|form|identifier) {_NEW} (as (the|its)? KIND? name)?, INSTEAD {_OLD}",
    f"use {_NEW} as (the|a|its)? KIND? name, INSTEAD {_OLD}",
    f"{_OLD} (is|was|would be) (now|better)? {_CALLED} {_NEW} (now)?, ((update|change|rename|fix) it)?",
    f"{_OLD} would be (better|clearer|nicer) (as|named|called) {_NEW}",
    f"give {_OLD} (the|a) (new|better|different|clearer|proper)? name, {_NEW} (instead)?",
    f"(i want|i'd like|we want|i need|i'd prefer|i'd rather have) {_OLD} (to be)? {_CALLED} (to|as)? {_NEW}",
    f"(i want|i'd like|we want) {_CODE} to be NEWCODE",
    f"(use|take|(i|we) (want|prefer|would like)) {_NEW} as (the|a)? (new|better)? name (for|of|instead of) {_OLD}",
    "(call|name) KIND OLDNAME NEWNAME (instead)?",
    "(call|name) OLDNAME (NEWNAME instead|NEWPLAIN)",
    f"(call|name|make) {_CODE} NEWCODE",
    (
        f"{_NEW} (is|would be|sounds|seems) (a|an)? (much)? (better|clearer|nicer|good|shorter|more ADJECTIVE) "
        f"(name|choice|fit)? (for|than) {_OLD}"
    ),
    f"{_NEW} (describes|fits|names) {_OLD} better",
    "i (prefer|would prefer|'d prefer|like) NEWPLAIN (to|over|rather than|instead of|better than) OLDPLAIN",
    # With words that may mean anything: only what can hardly be English, or is said to be a name.
    f"(CHANGE|refactor|shorten|abbreviate|expand|spell|spell out) {_CODE} (TO|as) THE? KIND? NEWCODE",
    "(change|replace|switch|update|swap) EVERY? KIND OLDNAME KIND? TO KIND? NEWNAME",
    "(shorten|abbreviate|expand|spell out|lengthen) OLDNAME (to|into|as) NEWNAME",
    "(change|replace|refactor|switch) OLDNAME (to|with|by|into) NEWPLAIN",
    f"{_CODE} BECOMES THE? KIND? NEWCODE",
    "KIND? OLDNAME (becomes?|MODAL become|is now|are now) NEWPLAIN",
    "KIND? OLDPLAIN -> KIND? NEWBARE",
    "OLDPLAIN to NEWPLAIN",
    "(use|prefer|write|say|take)? (the (new)? name)? NEWPLAIN, INSTEAD KIND? OLDPLAIN",
    "instead of KIND? OLDPLAIN, (use|write|say|call it) NEWPLAIN",
    (
        "(we|i)? (don't|do not|never|no longer) (say|use|write|abbreviate|call it) OLDNAME ANYMORE?, (but|we|i|rather)* "
        "(say|use|write|call it) NEWNAME"
    ),
    "(don't|do not|never) use OLDNAME (as|for) (a|the)? (variable|function|class|parameter)? name, (but)? (use|take|call it) NEWNAME",
    "(make|convert|turn|change|write) OLDCODE (to|into|in)? (snake|camel|pascal|kebab|upper|lower) case, NEWCODE",
    (
        f"{_OLD} (is|was|has|sounds|seems|looks) (WORDS|too WORDS|not WORDS|very WORDS), (NEWPLAIN (would be|is|fits|sounds) "
        "(better|clearer|nicer|fine)|(better|rather|prefer|make it|(it)? (should|must) be|call it) NEWCODE)"
    ),
)

LINES_WITH = "lines? (with|containing|mentioning|including|(that|which) (contains?|mentions?|includes?|has|have))"
LINES = (
    "(EVERY|the|that|any|those)? (of the)? (lines? (OLDTEXT|OLDLINE)|(OLDTEXT|OLDLINE) lines?|lines? ((with|w/|containing|mentioning|including|having|matching|that say|saying|calling|using"
    "|(that|which) (contains?|mentions?|includes?|has|have|match|matches|calls?|says?|uses?)) (the|a)? (word|text|string|words)? "
    "(OLDTEXT|OLDLINE|OLDNAME)|(where|in which) (OLDTEXT|OLDLINE|OLDNAME) (appears|occurs|is used|is mentioned|is called|stands))"
    " (in (it|them))?)"
)
COMMENTS = "(EVERY|the|any)? (the)? (code|inline)? comments?"
COMMENTS_TOO = "(EVERY|the|any|my|both|any of)? (the|of the|those|these|of those|of these)? (code|inline|inline and block|line|block|useless|#|//)? comments? (lines?|blocks?)?"
PRINTS = (
    "(EVERY|the|any)? (the)? (debug|debugging)? (print|console.log|println|printf|prints) "
    "(calls?|statements?|lines?)?"
)
_PRINT = "(PRINTCALL|printing)"
PRINTS_TOO = (
    "(EVERY|the|any|some|my)? (the|of the|those|these|of those|of these)? (leftover|remaining|debug|debugging)? "
    f"({_PRINT} (calls?|statements?|lines?|output|debugging)?|(calls?|statements?) (to|of) {_PRINT}|(debug|debugging) output) "
    "((that|which)? (i|we) (left|added|put|forgot|used|had|inserted) (behind|in|there|in here|in there|over)? "
    "((for|while|when|to) (debugging|debug|testing|test|trying (things)? (out)?|developing|development))? "
    "(yesterday|earlier|before|today|some time ago)?|LEFT)?"
)
DEFINED = (
    "(the|that|this|my|our)? (whole|entire|unused|old)? (KIND OLDNAME|OLDNAME KIND|OLDPLAIN KIND?)"
    " ((from|of|in) (the class OWNERNAME|(the)? OWNERNAME class|(class)? OWNERNAME))?"
)


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
    "TOP": "(at|to) the (top|start|beginning|imports) (of (the|this) (file|module))?",
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
"""What the words in capitals stand for, in words."""

_ANY = r"[a-z`\"]\S+ "
# A word that says neither when nor what else, and is no code.
_BARE = (
    r"(?!.(?:if|when|unless|while|only|except|but|and|or|not|no|without|before|after|until|because|so|then|than|between) )"
    r"(?:[abefklqsuw]\S+|c[a-z]+) "
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
    "CLOSED": r"(?:,\) )?",
    "UNIT": r"(?:[wkl]\S+ )?",
    "ANYTHING": r"(?:\S+ )+",
    "VALUE": r"(?:\S(?:none|true|false|\[\]|\{\}) |[n\"`]\S+ |,\[ ,\] |,\{ ,\} )",
    "TYPE": r"[a-z`\"]\S+ (?:,, [a-z]\S+ ,\] |\S\| [a-z]\S+ )*",
    "ERROR": r"(?:[a-z](?:[a-z]*error|[a-z]*exception|stopiteration)|[`\"]\d+) ",
    "LOGCALL": r"\Slogg?(?:ing|er)?\.(?:debug|info|warning|error|critical) ",
    "PRINTCALL": r"\S(?:print|println|printf|console\.log|system\.out\.println)(?:\(\.*\))?s? (?:\S! )?",
    "LEVEL": r"\S(?:debug|info|warning|error|critical) ",
}
"""What else they stand for, as patterns of the line of ``wording``: a letter says of what sort a word is."""

BEFORE_KIND = r"(?:a\S+ |fthis |wmy |wour )?(?:\S(?:local|global|unused|old|loop|inner|private|helper|base|abstract|exception|utility|instance|whole|entire) )?"
A_KIND = r"(?:k\S+ |lnames? |\S(?:test|case) )+"
"""``KIND``: what is said before it, and itself."""
