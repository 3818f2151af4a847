"""Delete a definition: how people ask that a function, class, method or variable go."""

from __future__ import annotations

import re

from editd.intent.english import SIGNS, USES, cut_owner, plain_name
from editd.intent.intents import Conditional, DeleteDefinition, Intent, Several
from editd.intent.rules.frames import deleted_in
from editd.intent.rules.guess import Guess, of_each
from editd.intent.rules.rule import RowMatch, Rule, Slots, if_defined
from editd.intent.rules.templates import deleting, deleting_too
from editd.intent.rules.word_lists import NO_DEFINITIONS

_DEFINED = (
    "(the|that|this|my|our)? (whole|entire|unused|old)? (KIND OLDNAME|OLDNAME KIND|OLDPLAIN KIND?)"
    " ((from|of|in) (the class OWNERNAME|(the)? OWNERNAME class|(class)? OWNERNAME))?"
)
# "Delete f and its calls": what becomes of these takes understanding.
_ITS_USES = re.compile(rf"(?:with|and|including|in|at)\b.*\b{USES}")

_NOUN = (
    r"(?:function|method|class|helper(?: function)?|endpoint|route|view|handler|test(?: case)?|command|component|hook|fixture|struct|enum"
    r"|interface|type|trait|property|utility|util|procedure|subroutine|callback|task|job|model|signal|listener)"
)
_ADJECTIVE = (
    r"(?:deprecated|unused|old|dead|legacy|obsolete|useless|static|private|public|whole|entire|async|abstract|temporary|debug|broken"
    r"|outdated|redundant|unneeded|unnecessary|exported|local|nested|inner|empty|little|duplicate)"
)
_OWNER = r"(?: (?:of|from|in|on) (?:the )?(?:class |struct )?(?P<owner>[`'\"]?[^\W\d]\w*[`'\"]?)(?: class)?)?"
_DOTTED = r"(?P<name>[`'\"]?(?:[A-Za-z_$][\w$]*(?:\.|::|#))?[^\W\d][\w$]*[`'\"]?(?:\(\))?)"
_DESCRIBED = tuple(
    re.compile(rf"(?:(?:the|this|that|our|my) )?(?:{words}){_OWNER}", re.IGNORECASE)
    for words in (
        rf"(?:{_ADJECTIVE},? )*{_DOTTED} {_NOUN}",
        rf"(?:{_ADJECTIVE},? )*{_NOUN} (?:called |named )?{_DOTTED}",
        rf"(?:{_ADJECTIVE},? )+{_DOTTED}",
    )
)
# A bare name, which has no article before it.
_BARE = re.compile(rf"{_DOTTED}{_OWNER}", re.IGNORECASE)
_WHERE_LAST = r"(?:(?: (?:right |all the way )?(?:at|on|from|near) the (?:very )?(?:bottom|end)(?: of (?:the|this) (?:file|module|script|class))?))"
_MARKS = r"(?:skipped|deprecated|parametri[sz]ed|ignored|disabled|cached|abstract|legacy|obsolete|flaky|experimental|unused)"
_NAMELESS = tuple(
    re.compile(form, re.IGNORECASE)
    for form in (
        rf"(?:the |that |this )(?:(?P<last>last|bottom|final) )?(?:(?P<marked>{_MARKS}) )?(?P<noun>{_NOUN})(?P<where>{_WHERE_LAST})?",
        rf"(?:the |that )(?P<noun>{_NOUN}) (?:that|which) (?:is|was|'s) (?:currently |always |now )?(?P<marked>{_MARKS})(?P<where>{_WHERE_LAST})?",
    )
)
_NO_NAMES = (
    NO_DEFINITIONS
    | SIGNS
    | frozenset(
        "code imports import prints comments comment tests variables stuff the this that a an".split()  # noqa: SIM905
    )
)


def _definition(slots: Slots) -> DeleteDefinition:
    """The intent to delete the definition that the slot ``old`` names; ``Store.load`` is ``load`` of the class
    ``Store``, a name without an owner has that of the slot ``owner``, or none.
    """
    owner, name = cut_owner(slots["old"])
    owner = owner.rstrip(".:#") or slots.get("owner", "")
    return DeleteDefinition(name, slots.get("kind", ""), owner)


def _is_no_definition(match: RowMatch) -> bool:
    """Whether a parameter is meant, a remark says that the uses of the definition are to go, too, or the word cannot
    name a definition.
    """
    is_parameter = match.slots.get("kind", "").startswith(("param", "arg"))
    if any(_ITS_USES.fullmatch(remark.text) for remark in match.clause.remarks):
        return True
    return is_parameter or match.slots["old"].lower() in NO_DEFINITIONS | SIGNS


DELETE_DEFINITION = Rule(
    "delete-function",
    paraphrases=(
        "KIND OLDNAME has no callers, DELETE it",
        *deleting(_DEFINED),
        *deleting_too(_DEFINED),
    ),
    plain="delete {kind} {old}",
    rewrites_canonical=True,
    intent=_definition,
    name_slots=("old", "owner"),
    excludes=_is_no_definition,
    is_of_one=True,
    examples=(
        ("remove the function parse", DeleteDefinition("parse", "function")),
        ("load_items is dead code, get rid of it", DeleteDefinition("load_items")),
        ("the method Store.save can go", DeleteDefinition("save", "method", "Store")),
    ),
    near_misses=(
        "delete the function",
        "delete the cache",
    ),
)
"""Words that can only mean a definition."""
DELETE_IF_DEFINED = Rule(
    "delete-function",
    canonical=("DELETE OLDNAME WHERE?",),
    intent=if_defined(_definition),
    name_slots=("old",),
    excludes=_is_no_definition,
    is_of_one=True,
    examples=(("delete save", Conditional(DeleteDefinition("save"))),),
)
"""A bare name, if the buffer defines it."""


def _described(text: str) -> Intent | None:
    """The intent of a request to delete that names a definition, or several; ``None`` for another request, or if a name is
    an ordinary word.
    """
    return of_each(deleted_in(text), _of_one)


def _of_one(what: str) -> DeleteDefinition | None:
    """The intent for the definition that the words name, beside words for what it is or alone, or describe by how it is
    marked ("the skipped test") or where it stands ("the last function"); ``None`` for other words, or if the name is an
    ordinary word.
    """
    for form in _NAMELESS:
        found = form.fullmatch(what)
        is_last = bool(found and (found["where"] or found.groupdict().get("last")))
        if found and (is_last or found["marked"]):
            kind = found["noun"].lower().removesuffix(" function")
            return DeleteDefinition(
                "", kind, marked=(found["marked"] or "").lower(), is_last=is_last
            )
    found = next((match for row in (*_DESCRIBED, _BARE) if (match := row.fullmatch(what))), None)
    if found is None:
        return None
    owner, name = cut_owner(plain_name(found["name"]))
    owner = owner.rstrip(".:#") or plain_name(found["owner"] or "")
    return None if name.lower() in _NO_NAMES else DeleteDefinition(name, "", owner)


DELETE_DESCRIBED = Guess(
    "delete-definition",
    reads=_described,
    examples=(
        ("delete the ping endpoint", DeleteDefinition("ping")),
        ("remove the deprecated delete method", DeleteDefinition("delete")),
        ("drop the unused handler on_exit of App", DeleteDefinition("on_exit", "", "App")),
        ("the old pad helper can go", DeleteDefinition("pad")),
        ("LRU.stats isn't needed, cut that method", DeleteDefinition("stats", "", "LRU")),
        ("Guest can be deleted", DeleteDefinition("Guest")),
        (
            "slug() and plural() are unused, delete both",
            Several((DeleteDefinition("slug"), DeleteDefinition("plural"))),
        ),
        (
            "pad and trim moved to another module, delete both functions here",
            Several((DeleteDefinition("pad"), DeleteDefinition("trim"))),
        ),
        (
            "throw away the skipped test at the bottom",
            DeleteDefinition("", "test", marked="skipped", is_last=True),
        ),
        ("remove the last function", DeleteDefinition("", "function", is_last=True)),
    ),
    near_misses=("delete the unused imports", "delete the old code", "delete the function"),
)
"""A name, alone or beside words for what it is, or where it stands or how it is marked."""
