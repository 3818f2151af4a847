"""Evidence for a rename: of two names in a request exactly one is a name of the buffer, and the words are about names.

"d in handleEvent says nothing, payment would": ``d`` is the name that the buffer has, ``payment`` one that it lacks, and "says
nothing" is what people say of names. A name that may be an ordinary word counts where the words around it give it that part: "call it
X", "X would be better". Standard library only.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from editd.intent.asked_for import tells_of_calls
from editd.intent.english import CASE_STYLE, FUNCTION_WORDS, KINDS, LABELS, is_code_like
from editd.intent.evidence.buffer_facts import BufferFacts
from editd.intent.evidence.cue import pattern
from editd.intent.evidence.interpretation import Interpretation
from editd.intent.evidence.masking import masked_quotes
from editd.intent.evidence.request_clauses import cut_sentence
from editd.intent.evidence.request_words import NO_SETTINGS, asks_more
from editd.intent.intents import Rename, RenameSelector

_NAME = re.compile(
    r"(?<![\w.$/-])(?P<mark>[`'\"])?(?P<owner>(?:[^\W\d][\w$]*(?:\.|::|#))*)(?P<name>--[\w-]+|[^\W\d][\w$]*)(?P<call>\(\))?(?(mark)(?P=mark))(?![\w$/]|\.\w|-\w)"
)
_STYLES = ("css", "scss", "less")
_NAME_OF_STYLES = re.compile(
    r"(?<![\w$/.-])(?P<mark>[`'\"])?(?P<owner>)(?P<name>(?:--|[.#])?[A-Za-z][\w-]*)(?P<call>(?!))?(?(mark)(?P=mark))(?![\w$/]|\.\w)"
)
_SIGN = re.compile(r"--|[.#]|")
_ARROW = r"(?:->|=>|→|⇒|➜|-->)"
_KIND = r"(?:variable|function|method|class|parameter|param|attribute|constant|const|argument|arg|field|property|key|struct|type|member|fn|func|def|column|custom_property|setting|flag|option|name|identifier)"
_SAYS_OF_NAMES = pattern(
    rf"""\b(?:re)?nam(?:e|es|ed|ing)\b|\bidentifier\b|\bcall(?:ed)?_(?!to\b|site)|\bspell(?:s|ed|ing)?\b|\bwrit(?:e|ten)_(?:it_)?out\b|\bspell_out\b
    |\b(?:says?|tells?|means?|explains?)_(?:nothing|little|too_little|only|more|so|what|us_nothing|me_nothing|it_all|everything)\b
    |\b(?:is|are|isn't|sounds?|reads?|looks?|seems?|feels?)_(?:(?:a|an|too|so|very|much|rather|really|quite|pretty|just|not|hardly|only|far|way)_)*(?:an?_)?
    (?:meaningless|cryptic|confusing|confused|misleading|vague|unclear|unreadable|ambiguous|generic|terse|ugly|silly|odd|dull|slang|abbreviation|abbreviated|short|long|opaque|obscure|bad|poor|awful|terrible|horrible|weird|wrong|badly|telling|reserved|taken|a_keyword
    |better|clearer|nicer|clear|descriptive|no_(?:real_|english_)?word|(?:real_|english_)?word|hard_to_read|old_at_all|C_style|a_noun|a_verb|like_a_(?:noun|verb|state))\b
    |\b(?:shadows?|clash(?:es)?|collides?|misleads?|confuses?|hurts|hides)\b|\b(?:would|reads?|is|are|sounds?|fits?|says?|tells?)_(?:be_)?(?:much_|far_|so_much_)?(?:better|clearer|nicer|more_\w+|clear|best)\b
    |\b(?:more_telling|more_descriptive|self-explanatory|clearer|abbreviat\w+|typo|misspell\w+|reserved|needs?_a_longer|is_slang|deserves?)\b|\b{_KIND}_[\w$`]+_?(?:{_ARROW}|:_)|\beverywhere\b|\bit_should_be\b"""
)
# What comes directly before or after a name that is to become another.
_OLD_BEFORE = pattern(
    rf"""(?:^|[,;:.(]_?|\b(?:rename|renaming|relabel|retitle|call|have|could|can|may|might|should|shall|must|let|than|of|for|over|instead_of|not|from|replace|change)_)(?:the_|our_|this_|that_|a_)?(?:local_|old_|loop_|instance_|class_)?(?:{_KIND}_)?$
    |\b{_KIND}_$"""
)
_OLD_AFTER = pattern(
    rf"""_?(?:{_ARROW}|:_|,_|-_|–_|—_)|_(?:be|is|isn't|ain't|was|are|says?|sounds?|reads?|seems?|looks?|feels?|hurts?|shadows?|clash(?:es)?|collides?|hides?|holds?|means?|tells?|has|needs?|deserves?|should|must|ought|would|could|can|misleads?|confuses?
    |to|into|as|{_KIND})\b|_(?:in|of|inside|within|here|there|everywhere)\b|[,;.]?_*$"""
)
_NEW_BEFORE = pattern(
    rf"""(?:{_ARROW}_?|\b(?:to|into|as|be|become|becomes|be_called|is_called|are_called|called|named|(?:name|call|make)_(?:it|them|that|this|ours|mine)|(?:name|call)_the_\w+(?:_(?:in|of)_[\w.]+(?:\(\))?)?|write|say|read|use|prefer|like|have|want|see|calls_it|spell_it|spelled|is_now
    |better|rather|instead|wants|reads|name|needs_the_name|it's|it_is)_(?:the_name_|the_)?|[,:;]_|_[-–—]_)$"""
)
_NEW_AFTER = pattern(
    r"""_(?:would|will|is|are|was|says|say|fits?|tells?|reads?|describes?|sounds?|explains?|instead|please|pls|it_is|it's|might|may|suits?|matches|works|for_all|everywhere|so|because|since|as|like|from_now|in_the|now|has)\b|[.!,;)]?_*$|_\(|[,;.]_"""
)
_PLACE_BEFORE = re.compile(
    r"\b(?:in|inside|within|of|from|at|for|by) (?:the )?(?:function |method |class |struct )?[`'\"]?$",
    re.IGNORECASE,
)
_OWNERS = re.compile(
    r"\b(?:of|in|from) (?:the )?(?:class |struct |type )?([A-Z][a-z]+(?:[A-Z]\w*)?|\w+\(\))(?= (?:to|as|into|should|is)\b)"
)
"""A definition that a name is said to be of."""
_DATA = frozenset("json jsonc yaml toml ini css scss less properties dotenv env xml".split())  # noqa: SIM905
_IN_TEXTS = re.compile(
    r"\b(?:key|column|header|flag|option|event|topic|queue|table|route) [`'\"]?$", re.IGNORECASE
)
_ITSELF = ("self", "this", "cls")
_STAYS = re.compile(
    r" (?:can |may |should )?(?:stays?|remains?|is (?:fine|ok(?:ay)?|good)|keeps? (?:its|the|their)(?: old| present)? names?|is not touched|(?:is|are) left alone|doesn't change)\b(?! as\b)",
    re.IGNORECASE,
)
_CALLED = re.compile(r"\b(?:call|name) (?:the )?$", re.IGNORECASE)
_JUDGED = re.compile(
    r"(?:the |our |this )?(?:\w+ )?[`'\"]?[\w$.]+(?:\(\))?[`'\"]?(?: \w+)? (?:is|isn't|ain't|was|sounds?|looks?|reads?|feels?|seems?|smells?|means?|makes?|says?|has|doesn't|does not|could be|might be)\b",
    re.IGNORECASE,
)
_ASKING = frozenset(
    "please pls plz instead then rather better use prefer take try write make it that say call it's will would do be fine works the new now just simply and so let's".split()  # noqa: SIM905
)
_DIRECTION = re.compile(rf" ?{_ARROW} ?")
_NO_NAMES = frozenset(
    """
    rename renamed name names call called better clearer nicer please pls instead clear fine good bad ugly short long telling descriptive
    vague cryptic meaningless confusing misleading reserved spell spelled written write says say tells tell means mean would prefer rather
    like see fits reads sounds everywhere docs backend frontend caller callers uses usages linter reader readers everybody nobody somebody
    english german python java javascript typescript golang rust pythonic lowercase uppercase shorter longer
    """.split()  # noqa: SIM905
)
_BOTH = re.compile(
    r"\b(?P<number>both|two|three|four) (?:functions|methods|places|definitions|classes)\b",
    re.IGNORECASE,
)
_NUMBERS = {"both": 2, "two": 2, "three": 3, "four": 4}


@dataclass(frozen=True, slots=True)
class _Mention:
    """A word of a request that may be a name: as written, without its owner (``self.``), quotes and call brackets.

    is_marked: quotes, call brackets, an owner or its spelling show that it is a name. before, after: the request around it.
    """

    name: str
    owner: str
    start: int
    is_marked: bool
    before: str
    after: str


# "listOrders wants a second parameter pageSize" renames nothing.
_WANTS_ONE_MORE = re.compile(
    r"\b(?:wants?|needs?|gets?|takes?|accepts?|add|lacks?|misses)\b[^,;.]*\b(?:parameters?|params?|arguments?|args?|fields?|columns?|options?|keys?|flags?|import)\b",
    re.IGNORECASE,
)
_TYPES = frozenset(
    [
        "int",
        "str",
        "float",
        "bool",
        "bytes",
        "string",
        "number",
        "boolean",
        "void",
        "any",
        "object",
        "unknown",
        "never",
        "list",
        "dict",
    ]
)


def read_rename(text: str, facts: BufferFacts) -> Iterator[Interpretation]:
    """Yield a rename for each pair of an old and a new name in ``text`` that the words around them show to be such; nothing if the
    words are not about names, ask for more, or mention a style of names.
    """
    plain = text.replace("’", "'")
    is_arrow = _DIRECTION.search(plain) is not None
    is_of_others = CASE_STYLE.search(plain) or _WANTS_ONE_MORE.search(plain)
    if asks_more(plain) or is_of_others or tells_of_calls(plain):
        return
    mentions = list(_mentions(masked_quotes(plain), facts))
    is_data = facts.language in _DATA
    old = [
        x
        for x in mentions
        if x.name in facts.nameable and _is_old(x) and (is_data or not _IN_TEXTS.search(x.before))
    ]
    owners = {"", *_ITSELF, *(x.owner for x in old)}
    new = [
        x
        for x in mentions
        if x.name not in facts.nameable | facts.names and _is_new(x) and x.owner in owners
    ]
    is_of_names = is_arrow or _SAYS_OF_NAMES.search(plain) or _is_equation(old, new)
    if not (is_of_names or _is_spelled_out(old, new) or _is_offered(old, new, plain)):
        return
    names = {x.name for x in old}
    marked = [x for x in new if x.is_marked]
    if len({x.name for x in marked}) > 1:
        marked = [x for x in marked if _NEW_BEFORE.search(x.before)]
        if not marked:
            return
    new_names = {x.name for x in marked or new}
    if len(new_names) != 1:
        return
    [new_name] = new_names
    if is_arrow and new_name in _TYPES:
        return  # "total -> int" says what it returns
    if len(names) > 1 and len(strong := {x.name for x in old if x.is_marked}) == 1:
        names = strong
    places = [x for x in facts.places_in(plain) if x not in names and x != new_name]
    places = [x for x in places if _is_a_place(x, plain)]
    if len(names) != 1 or len(places) > 1:
        return
    mention = next(x for x in old if x.name in names)
    if any(
        x[1].removesuffix("()") not in facts.definitions | facts.nameable
        for x in _OWNERS.finditer(plain)
    ):
        return
    count = _BOTH.search(plain)
    if facts.language in _STYLES:
        sign, new_sign = (_SIGN.match(x)[0] for x in (mention.name, new_name))  # type: ignore[index]
        if sign and new_sign in ("", sign):
            name = new_name if new_sign else sign + new_name
            yield Interpretation(
                RenameSelector(mention.name, name), f"rename {mention.name} to {name}"
            )
        return
    yield Interpretation(
        Rename(
            mention.name,
            new_name,
            mention.owner,
            location=places[0] if places else "",
            count=_NUMBERS[count["number"].lower()] if count else 0,
        ),
        f"rename {mention.name} to {new_name}" + (f" in {places[0]}" if places else ""),
    )


def speaks_of_names(text: str) -> bool:
    """Whether words are such as people say of names, not of values."""
    return _SAYS_OF_NAMES.search(text.replace("’", "'")) is not None


def _mentions(text: str, facts: BufferFacts) -> Iterator[_Mention]:
    """Yield the words of a request that may be names, in a style sheet those of its classes, ids and properties with the sign of these."""
    for found in (_NAME_OF_STYLES if facts.language in _STYLES else _NAME).finditer(text):
        name = found["name"]
        if facts.language in _STYLES:
            signed = [x for sign in (".", "#", "--") if (x := sign + name) in facts.nameable]
            name = signed[0] if len(signed) == 1 else name
        owner = found["owner"].rstrip(".:#")
        is_spelled = is_code_like(name) and not re.fullmatch(r"[A-Z][a-z]+|[A-Z]{1,4}", name)
        yield _Mention(
            name,
            owner,
            found.start(),
            bool(
                found["mark"] or found["call"] or owner or is_spelled or re.search(r"^[.#]|-", name)
            ),
            text[: found.start()],
            text[found.end() :],
        )


def _is_old(mention: _Mention) -> bool:
    """Whether a word that the buffer has as a name stands where a request has the name that it wants changed."""
    if _PLACE_BEFORE.search(mention.before) and not re.search(
        r"\bname (?:of|for) (?:the )?$", mention.before
    ):
        return False
    if _STAYS.match(mention.after):
        return False
    if mention.is_marked or _CALLED.search(mention.before):
        return True
    lower = mention.name.lower()
    is_label = lower in KINDS | LABELS and not re.search(r"(?:^|[,;:(] )(?:the )?$", mention.before)
    if lower in FUNCTION_WORDS or is_label:
        return False
    is_first = _OLD_BEFORE.search(mention.before) is not None
    is_followed = _OLD_AFTER.match(mention.after) is not None
    is_short = len(mention.name) <= 2 or mention.name.isupper()
    return (is_first and is_followed) or (is_short and (is_first or is_followed))


def _is_new(mention: _Mention) -> bool:
    """Whether a word that the buffer lacks stands where a request has the name that it wants."""
    if mention.is_marked:
        return not _PLACE_BEFORE.search(mention.before)
    lower = mention.name.lower()
    if lower in FUNCTION_WORDS | KINDS | LABELS | NO_SETTINGS | _NO_NAMES:
        return False
    if lower.endswith("ly"):
        return False
    is_led = _NEW_BEFORE.search(mention.before) is not None
    return is_led and _NEW_AFTER.match(mention.after) is not None


def _is_equation(old: list[_Mention], new: list[_Mention]) -> bool:
    """Whether the words say no more than that one name in code's spelling should be, or is, another ("storedAt is createdAt"), or
    one has the other in it ("LOW_STOCK is a threshold, so LOW_STOCK_THRESHOLD").
    """
    for x in old:
        for y in new:
            between = x.after[: max(0, y.start - len(x.before) - len(x.name))] or "?"
            if y.is_marked and len(x.name) > 2 and x.name in y.name and x.name != y.name:
                return True
            is_said = re.match(
                r"(?:\(\))?[`'\"]? ?(?:(?:should|must|shall|ought to|has to|needs to|could|can|may|might|would) (?:now |really |rather |better )*)?"
                r"(?:be|become|have been|read|say)(?: called| named)? [`'\"]?$",
                between,
            )
            is_told = re.match(
                r"(?:\(\))?[`'\"]? ?(?:is|becomes|:|-|–|—|,)(?: called| now)? [`'\"]?$", between
            )
            if y.is_marked and y.start > x.start and (is_said or (is_told and x.is_marked)):
                return True
    return False


def _is_spelled_out(old: list[_Mention], new: list[_Mention]) -> bool:
    """Whether the one old name is an abbreviation of the one new name: "amt" of "amount"."""
    pairs = {(x.name.lower(), y.name.lower()) for x in old for y in new}
    return len(pairs) == 1 and is_abbreviation(*pairs.pop())


def is_abbreviation(short: str, word: str) -> bool:
    """Whether the letters of ``short`` stand in ``word`` in their order, the first at its beginning, and it is shorter by two at least."""
    letters = iter(word)
    is_inside = all(letter in letters for letter in short)
    return len(short) + 2 <= len(word) and short[:1] == word[:1] and is_inside


def _is_offered(old: list[_Mention], new: list[_Mention], text: str) -> bool:
    """Whether a clause is about an old name and another one has nothing but the new name, spelled as code: "prune sounds like gardening.
    delete_stale."
    """
    clauses = cut_sentence(text)
    names = {x.name for x in new if x.is_marked}
    alone = [x for x in clauses if len(words := _bare_words(x.text)) == 1 and words[0] in names]
    judged = [x for x in clauses if _JUDGED.match(x.text)]
    return len(alone) == 1 and any(x.start <= y.start < x.end for x in judged for y in old)


def _bare_words(text: str) -> list[str]:
    """The words of a clause, without those that only ask for it."""
    return [x for x in re.findall(r"[\w$-]+", text) if x.lower() not in _ASKING]


def _is_a_place(name: str, text: str) -> bool:
    """Whether a request speaks of a definition as the place of something."""
    return (
        re.search(
            rf"\b(?:in|inside|within|of|from) (?:the )?(?:function |method |class |struct )?[`'\"]?{re.escape(name)}(?![\w])",
            text,
        )
        is not None
    )
