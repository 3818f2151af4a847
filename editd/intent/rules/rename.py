"""Rename: how people ask that a name become another."""

from __future__ import annotations

import re
from dataclasses import replace

from editd.intent.asked_for import tells_of_calls
from editd.intent.english import (
    A_NAME,
    CASE_STYLE,
    FUNCTION_WORDS,
    KINDS,
    LABELS,
    PRONOUNS,
    QUOTED,
    cut_owner,
    is_code_like,
    tokens_of,
)
from editd.intent.intents import Conditional, Rename
from editd.intent.restrictions import excepts
from editd.intent.rules.guess import Guess
from editd.intent.rules.rule import RowMatch, Rule, Slots, if_defined
from editd.intent.rules.word_lists import PRINT_CALL, TYPES

_OF = "((of|in|from) (the)? (class|function|method)? PLACENAME)?"
_OLD = f"(EVERY|THE)? (inner|old)? KIND? OLDNAME KIND? {_OF}"
_CODE = f"(EVERY|THE)? KIND? OLDCODE KIND? {_OF}"
_NEW = "THE? KIND? NEWNAME"
_CANONICAL = (
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
_PARAPHRASES = (
    f"(rename|relabel|retitle) (from)? {_OLD} (back)? (to|as|into|->|=|with)? (be)? (called|named)? {_NEW}",
    f"{_OLD} SHOULD {_CALLED} {_NEW}",
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
    f"(use|take|(i|we) (want|prefer|would like)) {_NEW} as (the|a)? (new|better)? name (for|of|instead of) {_OLD}",
    "(call|name) KIND OLDNAME NEWNAME (instead)?",
    "(call|name) THE? KIND NEWNAME (instead of|rather than|and not|not) OLDNAME",
    "(call|name) OLDNAME (NEWNAME instead|NEWPLAIN)",
    f"(call|name|make) {_CODE} NEWCODE",
    (
        f"{_NEW} (is|would be|sounds|seems) (a|an)? (much)? (better|clearer|nicer|good|shorter|more ADJECTIVE) "
        f"(name|choice|fit)? (for|than) {_OLD}"
    ),
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
    (
        f"{_OLD} (is|was|has|sounds|seems|looks) (WORDS|too WORDS|not WORDS|very WORDS), (NEWPLAIN (would be|is|fits|sounds) "
        "(better|clearer|nicer|fine)|(better|rather|prefer|make it|(it)? (should|must) be|call it) NEWCODE)"
    ),
)


def renamed(slots: Slots) -> Rename:
    """The rename of the slots ``old`` and ``new``; of ``Store.load`` the owner, ``Store``, stands apart.

    The new name is without that owner, too. If the new name is then no plain one, as in "rename a.b to c.d", the rename
    is of the whole old text and has no owner.
    """
    owner, old = cut_owner(slots["old"])
    new = slots["new"].removesuffix("()")
    short = new.removeprefix(owner)
    if owner and not short.isidentifier():
        return Rename(owner + old, new)
    return Rename(old, short, owner.rstrip(".:#"), slots.get("kind", ""))


def _is_no_rename(match: RowMatch) -> bool:
    """Whether old and new name are both texts in straight quotes, the new one is a type, or the old one a call that
    prints; never if the request speaks of names.
    """
    if tells_of_calls(match.clause.text):
        return True
    if match.speaks_of_names:
        return False
    are_texts = {match.quotes["old"], match.quotes["new"]} <= {'"', "'"}
    new = match.slots["new"].lower()
    return are_texts or new in TYPES or bool(PRINT_CALL.fullmatch(match.slots["old"]))


# Leaves the name open: "find a better name for pull".
_WANTS_A_NAME = re.compile(
    r"(?:find|think of|suggest|pick|choose|invent|come up with|look for|propose|need|we need|i need) (?:us |me )?an? (?:\w+ )*names? for\b",
    re.IGNORECASE,
)
_OF_A_LETTER = re.compile(
    r"rename (?:the (?:variable|parameter|argument) )?[a-z] (?:to|as|->) \w+", re.IGNORECASE
)


def _is_certain(match: RowMatch) -> bool:
    """Whether the old name can be nothing else: quoted, code, or no ordinary word; and neither side
    is a style of writing.

    The new one may be any word but a pronoun.
    """
    slots = match.slots
    if any(CASE_STYLE.fullmatch(slots[role]) for role in ("old", "new")):
        return False
    if match.location and _OF_A_LETTER.fullmatch(match.clause.text):
        return True
    roles = ["old"] if slots["new"].lower() not in PRONOUNS else ["old", "new"]
    # "rename value to amount" says of a word that it is a name.
    is_said = match.clause.text.lower().startswith("rename ")
    ordinary = FUNCTION_WORDS if is_said else FUNCTION_WORDS | KINDS | LABELS
    return all(
        match.quotes[role] or is_code_like(slots[role]) or slots[role].lower() not in ordinary
        for role in roles
    )


def _of_words(match: RowMatch) -> bool:
    """Whether one of the two is a type, a call that prints or a style of names."""
    words = (match.slots["old"], match.slots["new"])
    return any(
        word.lower() in TYPES or PRINT_CALL.fullmatch(word) or CASE_STYLE.fullmatch(word)
        for word in words
    )


RENAME = Rule(
    "rename",
    canonical=_CANONICAL,
    paraphrases=_PARAPHRASES,
    plain="rename {old} to {new}",
    rewrites_canonical=True,
    intent=renamed,
    name_slots=("old", "new"),
    excludes=_is_no_rename,
    is_certain=_is_certain,
    takes_location=True,
    model_takes_location=True,
    examples=(
        ("rename total to amount", Rename("total", "amount")),
        ("rename name to title", Rename("name", "title")),
        ("Please rename `total` to `amount` everywhere.", Rename("total", "amount")),
        ("rename the class About to Doc", Rename("About", "Doc", kind="class")),
        ("total is a bad name, call it amount", Rename("total", "amount")),
        ("let the function load() be called read", Rename("load", "read", kind="function")),
        ("rename Store.load to Store.read", Rename("load", "read", owner="Store")),
        (
            "rename the method Store.load to read",
            Rename("load", "read", owner="Store", kind="method"),
        ),
        ("rename total in load to amount", Rename("total", "amount", location="load")),
    ),
    near_misses=(
        "rename total to amount and simplify the loop",
        "rename it to that",
        "rename all camelCase names to snake_case",
        "rename snake_case to camelCase",
        "use snake_case instead of camelCase",
    ),
)
"""Words that can only mean a rename."""
RENAME_IF_DEFINED = Rule(
    "rename",
    canonical=(
        "(change|replace) EVERY? (the)? KIND OLDNAME (to|with|by|into) NEWNAME WHERE?",
        "(change|replace) EVERY OLDNAME (to|with|by|into) NEWNAME WHERE?",
        "KIND? OLDBARE -> NEWBARE WHERE?",
        "call KIND? OLDNAME NEWNAME WHERE?",
    ),
    intent=if_defined(renamed),
    name_slots=("old", "new"),
    excludes=_is_no_rename,
    is_certain=_is_certain,
    takes_location=True,
    model_takes_location=True,
    examples=(
        ("replace every total with amount", Conditional(Rename("total", "amount"))),
        ("total -> amount", Conditional(Rename("total", "amount"))),
    ),
)
"""Canonical words that mean a rename if the buffer gives something the old name."""
RENAME_WORD_IF_DEFINED = Rule(
    "rename-a-word",
    paraphrases=(
        "(change|replace|switch|swap) OLDNAME (to|with|by|into|for) NEWNAME WHERE?",
        "OLDNAME -> NEWNAME",
        "(use|write|say) NEWNAME (instead of|rather than) OLDNAME WHERE?",
    ),
    intent=if_defined(renamed),
    name_slots=("old", "new"),
    excludes=_of_words,
    takes_location=True,
    examples=(("use amount instead of total", Conditional(Rename("total", "amount"))),),
)
"""Other words that mean a rename if the buffer gives something the old name."""


# What a rename does anyway: "and its call in main", "everywhere it's used".
_USES = re.compile(
    r"[,(]* ?(?:\b(?:and|also|including|incl\.?|plus|with|along with|as well as|even|of course|the (?:class|function|method|variable|definition),? and)(?:\b|(?<=\.)),? ?)*"
    r"(?:\b(?:in|at|for|to)\b )?(?:(?:its|the|all|all of|every|both|each|any|their|whatever) )*"
    r"(?:(?:call ?sites?|calls?|callers?|uses?|usages?|references?|occurrences?|mentions?|places)\b(?: (?:(?:of|to) (?:it|that)|(?:in|of|from|inside) [\w.]+(?:\(\))?(?: and [\w.]+(?:\(\))?)?))?"
    r"|(?:everywhere|wherever|where)(?: (?:else )?(?:it|that)(?:'s| is| gets)? ?(?:used|called|referenced|mentioned|appears|occurs|stands))|everywhere"
    r"|where [\w.]+ (?:calls|uses) it|(?<=also )in [\w.]+)\)?$",
    re.IGNORECASE,
)
_A_PLACE = r"`?[^\W\d][\w.]*`?(?:\(\))?"
_IN_PLACES = re.compile(
    rf",? ?(?<!instead )(?<!place )\b(?:in|inside|within|of) (?:(?P<all>both|all|each|the two|the three) (?:of the |the )?(?:functions?|methods?|classes|tests?)"
    rf"|(?:the )?(?:(?:function|method|class)s? )?(?P<first>{_A_PLACE})(?P<others>(?:,? (?:and|as well as|or)(?: also)?(?: in)? {_A_PLACE}|, {_A_PLACE}(?=,? and ))*)(?: (?:function|method|class)s?)?)",
    re.IGNORECASE,
)
_NO_PLACES = re.compile(
    r"\b(?:comments?|strings?|docstrings?|code|it|them|half|total|this|that)\b", re.IGNORECASE
)
_FOR_A_KIND = re.compile(
    r" (?:for|as) (?:the |a |its )?(?:[a-z]+ )?(?:variable|parameter|argument|attribute|function|method|class|local|field|constant)(?: name)?\b",
    re.IGNORECASE,
)
_JUDGED = re.compile(
    rf"^(?:(?:the|this|that) )?(?:(?:variable|function|method|class|parameter|constant|attribute|name) )*(?:name )?(?P<old>{_A_PLACE})"
    r"(?: (?:variable|function|method|class|parameter|constant|attribute))? (?:is|was|isn't|sounds|seems|looks) [\w' -]+?,? ?(?:;|,|-|–|:|\.|\bso\b)"
    rf" (?:(?:please|better|rather|use|make it|call it|rename it to|make that|name it|let's use|say|prefer|take) )*(?P<new>{_A_PLACE})"
    r"(?: (?:please|instead|(?:is|would be) (?:better|clearer|nicer)))*$",
    re.IGNORECASE,
)
_CUE = re.compile(
    r"\b(?:re)?nam(?:e|es|ed|ing)\b|\brelabel|\bcall(?:ed)?\b|\bspel(?:l|led|t)\b|->|=>|→|⇒|\b(?:variable|parameter|attribute|identifier)\b"
    r"|\w\(\) (?:should|must|has to) (?:be|become) \w+\(\)",
    re.IGNORECASE,
)
_OLD_FIRST = re.compile(
    r"(?:->|=>|→|⇒|\b(?:to|as|into|become[s]?|be|called|named|call it|name it)\b)", re.IGNORECASE
)
_NEW_FIRST = re.compile(r"\b(?:instead of|rather than|in place of|not|over|for)\b", re.IGNORECASE)
_SAYS_NOTHING = (
    FUNCTION_WORDS
    | KINDS
    | frozenset(
        """
    rename renamed renaming relabel call called name named naming spell spelled spelt change changed make give use using prefer
    want need please really better new old out proper real now instead its full local private identifier names word the
    """.split()  # noqa: SIM905
    )
)


def _in_words(text: str) -> Rename | None:
    """The intent of a request in any words that a name become another, in the places that are named: without what a
    rename does anyway, two names are left, and the words between them say which is the old one.

    ``None`` for another request, an exception, if another word is left, if the words do not say which is which, or if
    both names stand in straight quotes, as texts do.
    """
    text = _USES.sub("", text.rstrip(" .!"))
    if not _CUE.search(re.sub(QUOTED, " ", text)) or excepts(text) or tells_of_calls(text):
        return None
    if _WANTS_A_NAME.match(text):
        return None
    places: tuple[str, ...] = ()
    count = 0
    if found := _IN_PLACES.search(text):
        text = f"{text[: found.start()].rstrip()} {text[found.end() :].lstrip()}".strip(" ,:")
        text = text.replace(" ,", ",")
        if found["all"]:
            count = {"both": 2, "the two": 2, "the three": 3}.get(found["all"].lower(), -1)
        else:
            listed = f"{found['first']} {found['others']}"
            if _NO_PLACES.search(listed):
                return None
            places = tuple(
                word.strip("`").removesuffix("()")
                for word in re.findall(_A_PLACE, listed)
                if word not in ("and", "as", "well", "or", "in", "also")
            )
    if found := _JUDGED.fullmatch(text):
        return _renamed_in(found["old"], found["new"], places, count)
    text = _FOR_A_KIND.sub(" ", text)
    tokens = [
        token for token in tokens_of(text) if token.text not in ("(", ")", ",", ":", "-", ".")
    ]
    names = [
        at
        for at, token in enumerate(tokens)
        if token.kind == "term" and (token.quoted or token.word not in _SAYS_NOTHING)
    ]
    if len(names) != 2 or not all(A_NAME.fullmatch(tokens[at].text) for at in names):
        return None
    if all(tokens[at].quoted in ("'", '"') for at in names):
        return None  # texts
    first, second = (tokens[at].text for at in names)
    between = " ".join(token.text for token in tokens[names[0] + 1 : names[1]])
    if _NEW_FIRST.search(between):
        return _renamed_in(second, first, places, count)
    before = {token.word for token in tokens[: names[0]]}
    is_called = not between and not before.isdisjoint(("call", "name", "make", "rename"))
    if _OLD_FIRST.search(between) or is_called:
        return _renamed_in(first, second, places, count)
    return None


def _renamed_in(old: str, new: str, places: tuple[str, ...], count: int) -> Rename | None:
    """The rename of ``old``, limited to the one place, or in all of several; ``None`` for styles of writing, types,
    pronouns and a new name that is no plain one, and for places beside an owner (``Store.load``).

    count: the number of definitions that have it; -1 for any, 0 if nothing is said.
    """
    pair = [name.strip("`").removesuffix("()") for name in (old, new)]
    if any(CASE_STYLE.fullmatch(name) or name.lower() in TYPES | PRONOUNS for name in pair):
        return None
    intent = renamed({"old": pair[0], "new": pair[1]})
    if not intent.new.isidentifier():
        return None
    if len(places) == 1 and not intent.owner:
        return replace(intent, location=places[0])
    if places and intent.owner:
        return None
    return replace(intent, places=places, count=count)


RENAME_IN_WORDS = Guess(
    "rename",
    reads=_in_words,
    examples=(
        (
            "rename the method low to below_limit (and its call in main)",
            Rename("low", "below_limit"),
        ),
        (
            "use totals instead of acc as the variable name inside group()",
            Rename("acc", "totals", location="group"),
        ),
        ("amt -> amount in both methods", Rename("amt", "amount", count=2)),
        (
            "rename amt to amount in deposit and withdraw",
            Rename("amt", "amount", places=("deposit", "withdraw")),
        ),
        ("OrderMgr is a terrible name, OrderManager please", Rename("OrderMgr", "OrderManager")),
        ("call the variable f in load fh", Rename("f", "fh", location="load")),
        ("OrderMgr -> OrderManager, everywhere it's used", Rename("OrderMgr", "OrderManager")),
    ),
    near_misses=(
        "rename total to amount except in load",
        "rename snake_case to camelCase",
        "call save after load",
        "make load return early",
        "notify is called too often",
        "notify is called twice here",
        "find a better name for pull",
        'change "name" to be optional',
    ),
)
"""A name that the buffer has."""
