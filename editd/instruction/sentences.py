"""Instructions that are one plain sentence: another name, text or number, or lines to delete.

``renames`` reads phrases wherever they stand. Here the whole instruction must match, so a bare word may be a
name ("let total be called amount") and nothing else can be meant. Knows English, no buffer. Standard
library only.

Patterns are regular expressions in which words in capitals stand for what they may be filled with;
``OLD…`` is what is in the buffer, ``NEW…`` what it becomes.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from functools import cache

from editd.instruction.chores import CHORES, CLUES, MEANINGS
from editd.instruction.chores import SLOTS as CHORE_SLOTS
from editd.instruction.meanings import (
    AddImport,
    DeleteComments,
    DeleteDefinition,
    DeleteLines,
    DeletePrints,
    Meaning,
    Open,
    Rename,
    Replace,
    SetValue,
)
from editd.instruction.wording import (
    CASE_STYLE,
    FUNCTION_WORDS,
    KINDS,
    LABELS,
    PRONOUNS,
    is_code_like,
)

_NAME = r"(?:[^\W\d][\w.]*|`[^\W\d][\w.]*(?:\(\))?`|'[^\W\d][\w.]*'|\"[^\W\d][\w.]*\")(?:\(\))?"
_QUOTED = r"(?:\"[^\"\n]*\"|'[^'\n]*'|`[^`\n]*`|“[^”\n]*”)"
_NUMBER = r"[`'\"]?[-+]?(?:0x[0-9a-f]+|\d[\d_]*(?:\.\d+)?)[`'\"]?"

SLOTS = {
    "NAME": _NAME,
    "MODULENAME": _NAME,
    "ITEMNAME": _NAME,
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
    "(ADD )?(the |an )?import( of| for)? (the module )?(ITEMNAME from )?MODULENAME(TOP)?",
    "(ADD )?(the )?from MODULENAME import ITEMNAME(TOP)?",
    "ADD `(import MODULENAME|from MODULENAME import ITEMNAME)`(TOP)?",
    "ADD (the |an )?MODULENAME import(TOP)?",
    "the import( of| for)? MODULENAME is missing, ?ADD it",
    "(ITEMNAME from )?MODULENAME is not imported, ?(import it|ADD the import)",
    "MODULENAME (should|must|has to) be imported",
    "ITEMNAME (should|must|has to) be imported from MODULENAME",
    "we need (ITEMNAME from )?MODULENAME, ?import it",
    "this file needs (to )?import MODULENAME",
    "bring in (ITEMNAME from )?MODULENAME",
    "i need the module MODULENAME( here)?(, ?import it)?",
    "load the module MODULENAME",
    "make (the module MODULENAME|ITEMNAME from MODULENAME) available( here)?",
    "(ITEMNAME from )?MODULENAME is used (here|below), ?(import it|ADD its import)",
    "have MODULENAME imported",
)
"""An import is added."""

COMMENTS = deleting("(EVERY |the |any )?(the )?(code |inline )?comments?")
"""All comments are deleted."""

PRINTS = deleting(
    "(EVERY |the |any )?(the )?(debug(ging)? )?(print|console\\.log|println|printf)s?"
    "( ?(calls?|statements?|lines?))?"
)
"""All calls that print are deleted."""

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


def meaning_of(instruction: str) -> Meaning:
    """What the instruction asks for, if it is one of these sentences and nothing else can be meant."""
    for kind, made in _MEANINGS.items():
        for groups in _filled(instruction, kind):
            if _is_certain(kind, groups):
                return made({key: _unquoted(text) for key, text in groups.items()})
    return Open()


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


def _named(groups: dict[str, str]) -> Rename:
    owner, old = cut_owner(groups["old"])
    new = groups["new"].removesuffix("()")
    short = new.removeprefix(owner)
    if owner and re.search(r"\W", short):  # "rename a.b to c.d": of no one name
        return Rename(owner + old, new)
    return Rename(old, short, owner.rstrip(".:#"))


def cut_owner(name: str) -> tuple[str, str]:
    """``("Foo.", "bar")`` of ``Foo.bar`` and of ``Foo.bar()``."""
    owner, name = _OWNED.fullmatch(name.removesuffix("()")).groups("")  # type: ignore[union-attr]
    return owner, name


_OWNED = re.compile(r"(?s)(.*(?:\.|::|#)(?=[^\W\d][\w$]*$))?(.*)")


def _defined(groups: dict[str, str]) -> DeleteDefinition:
    owner, name = cut_owner(groups["old"])
    return DeleteDefinition(name, groups.get("kind", ""), owner.rstrip(".:#"))


_MEANINGS: dict[str, Callable[[dict[str, str]], Meaning]] = {
    "names": _named,
    "texts": lambda said: Replace(said["old"], said["new"]),
    "numbers": lambda said: Replace(said["old"], said["new"], is_number=True),
    "lines": lambda said: DeleteLines(said["old"]),
    "values": lambda said: SetValue(said["old"], said["new"]),
    "definitions": _defined,
    "prints": lambda _: DeletePrints(),
    "comments": lambda _: DeleteComments(),
    "imports": lambda said: AddImport(said["module"], said.get("item", "")),
    **MEANINGS,
}
_PLAIN_WORDS = {
    "names": "rename {old} to {new}",
    "texts": "replace {old_text} with {new_text}",
    "numbers": "replace {old} with {new}",
    "values": "set {old} to {new}",
    "lines": "delete the lines that contain {old_text}",
    "definitions": "delete {kind} {old}",
}


def _is_certain(kind: str, said: dict[str, str]) -> bool:
    """Whether what the sentence names can be nothing else."""
    if kind in ("prints", "comments"):
        return True
    if kind in CHORES:  # a name is looked up in the text
        return all(_is_meant(said[key], may_be_bare=True) for key in ("old",) if key in said)
    if kind == "imports":
        return not _NO_MODULES.intersection(text.lower() for text in said.values())
    is_naming = kind == "names"
    if is_naming and any(map(CASE_STYLE.fullmatch, said.values())):
        return False
    # A new name may be any word; what is in the buffer has to be certain.
    if is_naming and said["new"].lower() not in PRONOUNS:
        said = {key: text for key, text in said.items() if key != "new"}
    if kind == "texts" and not has_letters_or_signs(_unquoted(said["old"])):
        return False
    bare = is_naming or "kind" in said
    return all(_is_meant(said[key], may_be_bare=bare) for key in ("old", "new") if key in said)


def has_letters_or_signs(text: str) -> bool:
    """Whether ``text`` is more than white space, written as such or as an escape."""
    return bool(re.sub(r"\\[tnrs]", "", text).strip())


def _filled(instruction: str, kind: str) -> Iterator[dict[str, str]]:
    """``old``, ``new`` and ``kind`` of a sentence, as far as it has them, for each pattern it matches."""
    if len(instruction) > _LONGEST:
        return
    said = plain(instruction)
    if kind in CLUES and not re.search(CLUES[kind], said, re.IGNORECASE):
        return
    for pattern in _patterns(kind):
        if match := pattern.fullmatch(said):
            groups = (
                (re.match(r"old|new|kind|module|item", key), value)
                for key, value in match.groupdict().items()
                if value
            )
            yield {key[0]: value for key, value in groups if key}


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
    slots = SLOTS | CHORE_SLOTS if kind in CHORES else SLOTS
    return [compiled(pattern, slots) for pattern in _KINDS[kind]]


_KINDS = {
    "names": NAMINGS,
    "texts": TEXTS,
    "numbers": NUMBERS,
    "values": VALUES,
    "lines": LINES,
    "definitions": DEFINITIONS,
    "imports": IMPORTS,
    "prints": PRINTS,
    "comments": COMMENTS,
    **CHORES,
}
_QUOTES = "`'\"“"
# "Add the missing import": there are modules called "types" and "string", but none called so.
_NO_MODULES = FUNCTION_WORDS | {"correct", "missing", "necessary", "needed", "required", "unused"}
_LONGEST = 300  # characters of such a sentence
