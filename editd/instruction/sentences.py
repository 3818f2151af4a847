"""Instructions that are one plain sentence: another name, text or number, or lines to delete.

``renames`` reads phrases wherever they stand. Here the whole instruction must match, so a bare word may be a
name ("let total be called amount") and nothing else can be meant. Knows English, no buffer. Standard
library only.

Patterns are regular expressions in which words in capitals stand for what they may be filled with;
``OLD…`` is what is in the buffer, ``NEW…`` what it becomes.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from functools import cache

from editd.instruction.wording import FUNCTION_WORDS, KINDS, LABELS, PRONOUNS, is_code_like

_NAME = r"(?:[^\W\d][\w.]*|`[^\W\d][\w.]*(?:\(\))?`|'[^\W\d][\w.]*'|\"[^\W\d][\w.]*\")(?:\(\))?"
_QUOTED = r"(?:\"[^\"\n]*\"|'[^'\n]*'|`[^`\n]*`|“[^”\n]*”)"
_NUMBER = r"[`'\"]?[-+]?(?:0x[0-9a-f]+|\d[\d_]*(?:\.\d+)?)[`'\"]?"

SLOTS = {
    "NAME": _NAME,
    "OLDNAME": _NAME,
    "NEWNAME": _NAME,
    "QUOTED": _QUOTED,
    "OLDTEXT": _QUOTED,
    "NEWTEXT": _QUOTED,
    "NUMBER": _NUMBER,
    "OLDNUMBER": _NUMBER,
    "NEWNUMBER": _NUMBER,
    "EVERY": r"(?:(?:all|every|each)(?: (?:the|occurrences? of|of the|occurrence of|uses? of))?)",
    "KIND": r"(?:(?:the |this )?(?:local |global )?(?:variable|function|method|class|attribute|field|"
    r"parameter|argument|constant|property|identifier|name|module|struct|type|macro)"
    r"(?: called| named)?)",
    "STRING": r"(?:(?:the )?(?:strings?|texts?|literals?|string literals?))",
    "DELETE": r"(?:delete|remove|drop|erase|strip|kill|get rid of|throw (?:out|away)|cut|take(?: out)?|"
    r"clear out)",
    "UNWANTED": r"(?:unused|not used|dead code|not needed|no longer (?:needed|used)|obsolete|outdated|"
    r"useless|noise|for debugging)",
    "ADD": r"(?:add|insert|put|append)",
    "TOP": r"(?: (?:at|to) the (?:top|start|beginning)(?: of (?:the|this) (?:file|module))?)",
    "WHERE": r"(?: everywhere| throughout| here| please| (?:everywhere )?(?:in|from|throughout|out of|of) "
    r"(?:this|the|the whole|the entire|all of the)(?: \w+)? ?(?:file|code|module|buffer|text|function|"
    r"class|selection|program|script)?)",
}  # fmt: skip
"""What the words in capitals stand for."""


def deleting(what: str) -> tuple[str, ...]:
    """Patterns that ask for ``what`` to be deleted."""
    return (
        f"DELETE (out )?{what}( in (it|them))?(WHERE)?",
        f"(i|we) (don't|do not) (want|need|use) {what}( any ?more| any longer)?(WHERE)?(,? (so )?DELETE (it|them))?",
        f"(i want|make) (this|it)( file| code)? without {what}",
        f"(this|the) (file|code) needs no {what}(, ?DELETE them)?",
        f"{what} (is|are|was|were) (UNWANTED)[,:;]? (so )?DELETE (it|them)",
        f"nobody (calls|uses|needs) {what},? (so )?(DELETE (it|them)|take it away)",
        f"{what} (should|must|can|has to|have to|is to|are to) (be (deleted|removed|dropped|erased)|disappear|go( away)?)(WHERE)?",
        f"there (should|must) be no {what}(WHERE)?",
        f"(leave out|no more) {what}(WHERE)?",
        f"(we|i) can do without {what}",
    )


def _replacing(old: str, new: str) -> tuple[str, ...]:
    return (
        f"(replace|change|swap|turn|update|set|exchange|bump) (EVERY )?{old} (with|to|by|into|for) {new}(WHERE)?",
        f"substitute {new} for {old}(WHERE)?",
        f"(use|write|say|put|i want|i'd like) {new} (instead of|in place of|rather than) {old}(WHERE)?",
        f"(put|write|use|say) {new} (where|wherever) (it says|there is|the (text|string|number) is) {old}",
        f"(put|write) {new} for {old}(WHERE)?",
        f"{new} (should|must|has to) (replace|(take|stand in) (the )?place of) {old}(WHERE)?",
        f"(EVERY )?{old} (should|must|ought to) (be|read|say) {new}(WHERE)?",
        f"(from now on )?{old} (is|reads|says)( now)? {new}",
        f"(make|let) {old} (be |read |say |an? )?{new}( from now on)?",
        f"where it says {old},? it (should|must) say {new}",
        f"{old} ?(->|=>|→) ?{new}",
        f"{new} (instead of|in place of|rather than|and not) {old}",
    )


NAMINGS = (
    "(rename|relabel):? (EVERY )?(KIND )?OLDNAME( ?(to|as|into|->|=>|→|=) ?)NEWNAME(WHERE)?",
    "(change|refactor) (the )?name of (KIND )?OLDNAME (to|into) NEWNAME(WHERE)?",
    "(KIND )?OLDNAME (should|must|ought to) be (called|named|renamed to) NEWNAME(WHERE)?",
    "call (KIND )?OLDNAME NEWNAME instead(WHERE)?",
    "use (the (new )?(name|identifier) )NEWNAME (instead of|for|in place of) (KIND )?OLDNAME(WHERE)?",
    "(i want|i'd like) (KIND )?OLDNAME (to be )?(renamed|called)( to)? NEWNAME(WHERE)?",
    "give (KIND )?OLDNAME the (new |better )?name NEWNAME(WHERE)?",
    "(KIND )?OLDNAME needs (a new|another|a better) name: NEWNAME",
    "(KIND )?OLDNAME is a bad name, ?call it NEWNAME",
    "NEWNAME (is|would be) an? (\\w+ )?name for (KIND )?OLDNAME(, ?rename it)?",
    "NEWNAME (is|would be) (a )?(clearer|nicer|better|more telling)( name)? than OLDNAME, ?rename it",
    "i (prefer|like) (the )?name NEWNAME (to|over|more than|better than) OLDNAME",
    "the name NEWNAME (should|must|has to) (replace|take the place of) (KIND )?OLDNAME(WHERE)?",
    "the name NEWNAME (instead of|in place of|rather than|and not) (KIND )?OLDNAME(WHERE)?",
    "write NEWNAME wherever the name (is OLDNAME|OLDNAME stands)",
    "the (new |better )?name of (KIND )?OLDNAME (is|should be) NEWNAME",
    "let (KIND )?OLDNAME be called NEWNAME",
    "from now on (KIND )?OLDNAME is called NEWNAME",
)
"""A name becomes another wherever it stands."""

TEXTS = _replacing("(STRING )?OLDTEXT", "(STRING )?NEWTEXT")
"""A string becomes another."""

NUMBERS = _replacing(
    "(the )?((number|value|constant) )?OLDNUMBER", "(the (number|value) )?NEWNUMBER"
)
"""A number becomes another wherever it stands."""

VALUES = (
    (
        "(set|change|update|make|bump|let) (the )?(value of )?(KIND )?OLDNAME (to |= ?|be )?NEWNUMBER"
        "( instead of NUMBER)?(WHERE)?"
    ),
    "(change|update) (the )?(value of )?(KIND )?OLDNAME from NUMBER to NEWNUMBER(WHERE)?",
    "(raise|increase|lower|reduce|adjust) (KIND )?OLDNAME (from NUMBER )?to NEWNUMBER(WHERE)?",
    "(the )?(value of )?(KIND )?OLDNAME (should|must|ought to) be NEWNUMBER(WHERE)?",
    "(KIND )?OLDNAME ?= ?NEWNUMBER instead of NUMBER",
    "(KIND )?OLDNAME: ?NEWNUMBER( instead of NUMBER)?",
    "(i want|i'd like) (KIND )?OLDNAME to be NEWNUMBER",
    "give (KIND )?OLDNAME the value NEWNUMBER",
    "(the new value of|from now on) (KIND )?OLDNAME is NEWNUMBER",
)
"""What is called so gets another number."""

_LINES = (
    "lines? (with|containing|mentioning|including|(that |which )(contains?|mentions?|includes?|has|have)) "
    "(OLDTEXT|OLDNAME)"
)
LINES = (*deleting(f"(EVERY |the |any )?(the )?{_LINES}"), f"no {_LINES}")
"""Lines that contain a text are deleted."""

DEFINITIONS = (
    *deleting("(the )?(whole |entire |unused )?(KIND )OLDNAME"),
    "(KIND )OLDNAME has no callers[,:]? ?DELETE it",
)
"""A definition is deleted."""

IMPORTS = (
    "(ADD )?(the |an )?import( of| for)? (the module )?(NAME from )?NAME(TOP)?",
    "(ADD )?(the )?from NAME import NAME(TOP)?",
    "ADD `(import NAME|from NAME import NAME)`(TOP)?",
    "ADD (the |an )?NAME import(TOP)?",
    "the import( of| for)? NAME is missing, ?ADD it",
    "NAME (from NAME )?is not imported, ?(import it|ADD the import)",
    "NAME (should|must|has to) be imported( from NAME)?",
    "we need NAME( from NAME)?, ?import it",
    "this file needs (to )?import NAME",
    "bring in NAME( from NAME)?",
    "i need the module NAME( here)?(, ?import it)?",
    "load the module NAME",
    "make (the module NAME|NAME from NAME) available( here)?",
    "NAME (from NAME )?is used (here|below), ?(import it|ADD its import)",
    "have NAME imported",
)
"""An import is added."""

_POLITE = re.compile(
    r"^(?:please|now|ok|so|just|can you|could you|would you|can you please|could you please"
    r"|i want you to|i'd like you to|let's)[, ]+",
    re.IGNORECASE,
)


def plain(instruction: str) -> str:
    """``instruction`` in one line, without "please" and the mark at its end."""
    said = " ".join(instruction.split())
    while (shorter := _POLITE.sub("", said)) != said:
        said = shorter
    return re.sub(r",? please$", "", said.rstrip(" .!?"), flags=re.IGNORECASE)


def compiled(pattern: str, slots: Mapping[str, str] = SLOTS) -> re.Pattern[str]:
    """``pattern`` with its slots filled. Each name and kind is a group: ``oldname3``, ``kind0``."""
    numbers = iter(range(100))

    def filled(match: re.Match[str]) -> str:
        slot, name = slots[match[0]], match[0].lower()
        return f"(?P<{name}{next(numbers)}>{slot})" if name.endswith(_GROUPS) else slot

    return re.compile(re.sub(rf"\b(?:{'|'.join(slots)})\b", filled, pattern), re.IGNORECASE)


_GROUPS = ("name", "kind", "oldtext", "newtext", "oldnumber", "newnumber")


def renamed_in(instruction: str) -> tuple[str, str] | None:
    """``(old, new)`` if the instruction asks for another name, text or number and nothing else."""
    for kind in ("names", "texts", "numbers"):
        if found := _said(instruction, kind):
            return found["old"], found["new"]
    return None


def deleted_lines_in(instruction: str) -> str | None:
    """The text whose lines are to be deleted, if the instruction asks for nothing else."""
    found = _said(instruction, "lines")
    return found["old"] if found else None


def valued_in(instruction: str) -> str | None:
    """What is to have another value, if the instruction asks for nothing else."""
    found = _said(instruction, "values")
    return found["old"] if found else None


def deleted_definition_in(instruction: str) -> str | None:
    """The name of the definition to delete, if the instruction asks for nothing else."""
    found = _said(instruction, "definitions")
    return found["old"] if found else None


def asks_for_import(instruction: str) -> bool:
    """Whether the instruction asks for an import and nothing else."""
    return _said(instruction, "imports") is not None


def in_plain_words(instruction: str) -> str:
    """The same request in the most usual words, if it is one of these sentences.

    "Substitute 3 for 2" and "from now on 2 is 3" become "replace 2 with 3".
    """
    for kind, words in _PLAIN_WORDS.items():
        for groups in _filled(instruction, kind):
            filled = {key: _unquoted(text) for key, text in groups.items()}
            quoted = {f"{key}_text": _quoted(text) for key, text in filled.items()}
            return words.format(**filled, **quoted)
    return instruction


_PLAIN_WORDS = {
    "names": "rename {old} to {new}",
    "texts": "replace {old_text} with {new_text}",
    "numbers": "replace {old} with {new}",
    "values": "set {old} to {new}",
    "lines": "delete the lines that contain {old_text}",
    "definitions": "delete {kind} {old}",
}


def _said(instruction: str, kind: str) -> dict[str, str] | None:
    """``_filled``, if what it says is in the buffer can be nothing else."""
    for groups in _filled(instruction, kind):
        is_naming = kind == "names"
        # A new name may be any word; what is in the buffer has to be certain.
        may_be_any = is_naming and groups.get("new", "").lower() not in PRONOUNS
        unsure = [
            text
            for key, text in groups.items()
            if key == "old" or (key == "new" and not may_be_any)
        ]
        if all(_is_meant(text, may_be_bare=is_naming or "kind" in groups) for text in unsure):
            return {key: _unquoted(text) for key, text in groups.items()}
    return None


def _filled(instruction: str, kind: str) -> Iterator[dict[str, str]]:
    """``old``, ``new`` and ``kind`` of a sentence, as far as it has them, for each pattern it matches."""
    if len(instruction) > _LONGEST:
        return
    said = plain(instruction)
    for pattern in _patterns(kind):
        if match := pattern.fullmatch(said):
            groups = [(key, value) for key, value in match.groupdict().items() if value]
            names = {"old": "old", "new": "new", "kin": "kind"}
            yield {names[key[:3]]: value for key, value in groups if key[:3] in names}


def _is_meant(text: str, *, may_be_bare: bool) -> bool:
    """Whether ``text`` stands for itself: quoted, hardly English, or a word that names nothing else."""
    if text[0] in _QUOTES or is_code_like(text):
        return True
    return may_be_bare and text.lower() not in FUNCTION_WORDS | KINDS | LABELS


def _unquoted(text: str) -> str:
    return text[1:-1] if text[0] in _QUOTES else text


def _quoted(text: str) -> str:
    mark = next((mark for mark in "\"'" if mark not in text), "`")
    return f"{mark}{text}{mark}"


@cache
def _patterns(kind: str) -> list[re.Pattern[str]]:
    """Of one kind of sentence; compiled when it is first asked for."""
    return [compiled(pattern) for pattern in _KINDS[kind]]


_KINDS = {
    "names": NAMINGS,
    "texts": TEXTS,
    "numbers": NUMBERS,
    "values": VALUES,
    "lines": LINES,
    "definitions": DEFINITIONS,
    "imports": IMPORTS,
}
_QUOTES = "`'\"“"
_LONGEST = 300  # characters of such a sentence
