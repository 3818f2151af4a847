"""The words of a description: the noun for a thing, the words of it and of what is around it, how many are meant.

"the sleep after zstd" is ``sleep``, below a line with ``zstd``. Up to a verb or a relative clause the words have to fit; what
stands behind may fit. Standard library only.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from editd.intent.english import is_code_like
from editd.intent.evidence.buffer_facts import BufferFacts
from editd.intent.evidence.filler import FILLER
from editd.intent.target import TargetDescription, TargetWord
from editd.intent.word_forms import are_forms, words_in

NOUNS = {
    noun: kind
    for kind, nouns in {
        "comment": "comment remark todo fixme xxx hack annotation doc-comment note hint explanation docblock jsdoc javadoc",
        "print": "output message notice notification print println printf println! print! console.log echo system.out system.out.println fmt.println printout dbg! eprintln! console terminal stdout stderr",
        "log": "log logging",
        "definition": """
            function method helper func fn class struct enum interface getter setter routine def procedure constructor trait
        """,
        "test": "test testcase",
        "route": "route endpoint handler callback",
        "argument": "argument arg param parameter cli-flag",
        "entry": """
            option setting key entry property prop header field attribute attr flag switch variable var const constant env dependency dep
            package library script service volume port section table rule selector column label job alias value pair plugin feature trigger event policy
            style declaration config target volume mount limit limits default
        """,
        "statement": "call line statement step command instruction row assignment invocation layer action element item member listener subscription registration hook binding variant",
        "check": "check condition if guard branch validation",
        "loop": "loop",
        "block": "block lines code",
        "import": "import require include",
    }.items()
    for noun in nouns.split()
}
_PLURALS = {"entries": "entry", "dependencies": "dependency", "properties": "property", "libraries": "library", "echoes": "echo",
            "aliases": "alias", "classes": "class", "boxes": "box", "prints": "print", "switches": "switch", "branches": "branch",
            "consoles": "console"}  # fmt: skip
_OF_ITS_OWN = ("call", "invocation", "assignment")
"""Nouns behind whose "of" stands a word of the thing itself: "the call of notify"."""
_MEASURES = (
    "number",
    "amount",
    "count",
    "size",
    "list",
    "set",
    "value",
    "name",
    "kind",
    "version",
    "output",
)
"""Nouns that say less than the word behind their "of": "the number of workers"."""
_SCREENS = ("console", "terminal", "stdout", "stderr")
"""Places where a print is seen: "in the console"."""
_SOFT = ("note", "hint", "explanation")
"""Nouns for comments, unless the buffer has such a name."""
_PRINTED = frozenset(["output", "outputs", "noise", "spam", "out", "outs"])  # "the print outs"
_COUNTS = {"both": 2, "two": 2, "three": 3, "four": 4, "five": 5, "six": 6}
_MANY = frozenset(["all", "every", "each", "any", "everything"])
_FILLERS = frozenset(
    """
    the a an this that these those it its them they one ones thing things stuff bit piece part such same whole entire own
    please pls plz thx thanks just now too also again anymore more any longer already really actually simply completely entirely
    again altogether totally for with about regarding concerning to saying says say mentioning containing called named by like as into
    and or so then here there out away off back up down on at where our my your his her their we i you can could
    way some bye bit few moment time today temporarily meantime currently right still yet only file module script program code
    workflow pipeline dockerfile makefile stylesheet sheet impl parser buffer document page self do not don't
    s ms sec secs seconds kb mb class-level file-level function-level top-level is are was were
    """.split()  # noqa: SIM905
)
_ADJECTIVES = frozenset(
    """
    debug debugging old legacy unused deprecated obsolete dead stray leftover left over useless pointless noisy temporary temp
    unneeded unnecessary redundant superfluous silly stupid annoying ugly outdated stale wrong broken commented commented-out
    disabled single only little small big long short forgotten remaining random extra empty verbose duplicate lone
    """.split()  # noqa: SIM905
)
_STOPS = frozenset(
    """
    which who whom whose because since nobody noone no-one is are was were isn't aren't wasn't has have had hasn't haven't does
    doesn't do don't did didn't can can't cannot could must mustn't should shouldn't will won't would we i they it he she you
    gets got makes breaks spams costs hides needs uses never always when while until till
    """.split()  # noqa: SIM905
)
"""Words with which the description of a thing has ended."""
_WHERE = {
    **dict.fromkeys(("in", "inside", "within", "from", "under"), "in"),
    **dict.fromkeys(("of", "on", "at"), "of"),
    **dict.fromkeys(("above", "over", "before", "atop"), "above"),
    **dict.fromkeys(("below", "beneath", "after", "behind", "following", "underneath"), "below"),
}
_OWN = frozenset(
    [
        "about",
        "for",
        "to",
        "with",
        "saying",
        "says",
        "mentioning",
        "regarding",
        "concerning",
        "containing",
        "called",
        "named",
        "like",
        "by",
        "as",
        "that",
    ]
)
_ENDS = {"end": "last", "bottom": "last", "top": "first", "start": "first", "beginning": "first"}
"""Words behind which the words of the thing itself go on."""
_WEAKER = ("block", "statement", "entry", "argument")
"""Kinds of nouns that say less than all others, the weakest first."""
_MARKS = ("todo", "fixme", "xxx", "hack")
_QUOTE = "\ue000"  # of the first quoted text; the others follow


def hidden_quote(number: int) -> str:
    """The sign that stands for the quoted text of a number (from 0) in what ``described`` reads."""
    return chr(ord(_QUOTE) + number)


def described(
    text: str, quotes: Sequence[str], facts: BufferFacts, *, is_for_now: bool = False
) -> TargetDescription:
    """The description that the words of a clause are. quotes: the texts for which ``hidden_quote`` stands. is_for_now: behind
    "for" stands the purpose of the edit, not of the thing.
    """
    reader = _DescriptionReader(quotes, facts, is_for_now)
    tokens = re.findall(rf"[{_QUOTE}-\uf8ff]|[^\s{_QUOTE}-\uf8ff]+", text)
    for at, token in enumerate(tokens):
        reader.read(token, is_last=at + 1 == len(tokens))
    return reader.description()


@dataclass(slots=True)
class _DescriptionReader:
    """The state of reading a description word by word.

    where: the relation in which the next words stand to the thing. is_over: the description has ended. has_article: one stands
    before the words. is_the, after_the: the word, or the one before it, is "the". joins: an "and" stands before the next word; joined: places in ``words`` of those behind an "and".
    """

    quotes: Sequence[str]
    facts: BufferFacts
    is_for_now: bool
    words: list[TargetWord] = field(default_factory=list)
    optional: list[TargetWord] = field(default_factory=list)
    adjectives: list[TargetWord] = field(default_factory=list)
    noun: str = ""
    where: str = ""
    position: str = ""
    count: int = 1
    is_over: bool = False
    has_article: bool = False
    after_the: bool = False
    is_the: bool = False
    joins: bool = False
    joined: list[int] = field(default_factory=list)
    is_about: bool = False
    place: int = 0

    def description(self) -> TargetDescription:
        """The description of the words that have been read."""
        self._merge()
        is_bare = len(self.words) == 1 and not (self.noun or self.optional or self.has_article)
        return TargetDescription(
            self.noun,
            is_bare=is_bare and not (self.words[0].where or self.words[0].is_exact),
            required=tuple(self.words),
            optional=tuple(dict.fromkeys(self.optional)),
            adjectives=tuple(self.adjectives),
            count=self.count,
            position=self.position,
        )

    def read(self, token: str, *, is_last: bool) -> None:
        """Add what the next word says to the state. is_last: no word follows."""
        if _QUOTE <= token[:1] <= "\uf8ff":
            self._add(TargetWord(self.quotes[ord(token) - ord(_QUOTE)], self.where, is_exact=True))
            return
        bare = token.strip(",;!?\"'`")
        if bare.count("(") != bare.count(")"):
            bare = bare.strip("()")
        bare = re.sub(r"(?:['’]s|(?<=.)[.:])$", "", bare) if len(bare) > 1 else bare
        word = bare.lower()
        has_any = bool(self.words or self.noun)
        if word == "and" and self.words:
            self.joins = True
            return
        singular = _PLURALS.get(word) or (word if word in NOUNS else word.removesuffix("s"))
        is_name = bare in self.facts.definitions and (
            is_code_like(bare) or bool(self.where) or not (has_any or singular in NOUNS)
        )
        is_name |= singular in _SOFT and any(singular in words_in(x) for x in self.facts.names)
        is_name |= bare in self.facts.names and bool(self.where) and bare.isupper()
        self.after_the = self.is_the
        self.is_the = word == "the"
        self.has_article |= word in ("the", "that", "this", "our", "my") and not self.words
        if not bare or self._read_small(word, is_name=is_name, is_last=is_last, has_any=has_any):
            return
        if (
            singular in NOUNS
            and not is_name
            and (self.where != "in" or bare not in self.facts.definitions)
        ):
            self._read_noun(bare, singular)
        elif word in _PRINTED and NOUNS.get(self.noun) in ("print", "log"):
            return
        elif word in _ADJECTIVES and not is_name and (len(bare) == 1 or not bare.isupper()):
            self.optional.append(TargetWord(bare, self.where))
            if not self.is_over and any(word in words_in(x) for x in self.facts.names):
                self.adjectives.append(TargetWord(bare, self.where))
        elif (word not in _FILLERS and not self._says_nothing(word)) or is_name:
            self._add(
                TargetWord(bare.removesuffix("()"), self.where, is_name or self._is_code(bare))
            )

    def _is_code(self, word: str) -> bool:
        """Whether a word is spelled as code, and no English word with a capital at the start of a sentence."""
        if re.fullmatch(r"[A-Z][a-z]+", word) and word not in self.facts.names:
            return False
        return is_code_like(word) or re.search(r"[=/:#$%]", word) is not None

    def _says_nothing(self, word: str) -> bool:
        """Whether a word is filler in most requests, and the buffer does not have it."""
        return (
            not self.is_over
            and word in FILLER
            and not any(are_forms(word, x) for x in self.facts.words)
        )

    def _read_small(self, word: str, *, is_name: bool, is_last: bool, has_any: bool) -> bool:
        """Read a number, a preposition, or a word that ends the description; ``False`` for any other."""
        if word in ("every", "each", "any") and has_any:
            self.is_over = True  # "a checkpoint every epoch"
        elif word in _COUNTS or word in _MANY:
            if not self.is_over and not self.where:
                self.count = _COUNTS.get(word, 0)
        elif word in _ENDS and (self.where != "in" or not (self.words or is_last)):
            self.position = _ENDS[word]
        elif word in ("first", "last") and not self.where:
            self.position = word
        elif word in _WHERE and not is_name:
            self._read_place(word)
        elif word in _STOPS or (word == "that" and has_any):
            self.is_over = has_any
            self.where = self.where if has_any else ""
        elif word in ("one", "ones") and (self.words or self.after_the) and not self.noun:
            self.noun = "one"
        elif word in _OWN:
            self.where = ""
            self.is_about |= word in ("about", "regarding", "concerning") and has_any
            self.is_over |= word == "for" and self.is_for_now and has_any
        else:
            return False
        return True

    def _read_place(self, word: str) -> None:
        """Read a preposition; behind "call of", "number of" and "depend on" stands a word of the thing itself."""
        last = self.words[-1].text.lower() if self.words else ""
        if word == "of" and last in _MEASURES:
            self.optional.append(self.words.pop())
        is_own = (word == "of" and (last in _MEASURES or self.noun in _OF_ITS_OWN)) or (
            word == "on" and are_forms(last, "depend")
        )
        self.where = "" if is_own else _WHERE[word]
        self.place = len(self.words)

    def _read_noun(self, bare: str, noun: str) -> None:
        """Read a noun for a kind of things; what else it says may fit as a word."""
        if noun in _MARKS:
            self.words.append(TargetWord(noun))
            noun = "comment"
        if ("." in noun and NOUNS[noun] == "print") or noun.endswith("!"):
            self.optional.append(TargetWord(bare, is_exact=True))
        if noun in _SCREENS:
            self.where = ""
        is_late = NOUNS[noun] in ("print", "comment") and is_stronger(noun, self.noun)
        if self.where in ("in", "above", "below") or (
            (self.is_over or self.is_about) and not is_late
        ):
            self.optional.append(TargetWord(noun, self.where))
            return
        self.noun = noun if is_stronger(noun, self.noun) else self.noun
        if bare.lower() not in (noun, "outs", *_MARKS) and self.count == 1 and self.noun == noun:
            self.count = 0  # the plural
        self.optional.append(TargetWord(noun))

    def _add(self, word: TargetWord) -> None:
        """Add a word, which may stand for the one before it if an "and" stands between them."""
        if self.is_over:
            self.optional.append(word)
        else:
            if word.where in ("in", "of") and self.words[self.place :] and not self.joins:
                before = self.words[-1]  # of "the load step" the last word is the place
                if before.where == word.where and not before.is_exact:
                    self.optional.append(self.words.pop())
            self.words.append(word)
            if self.joins and len(self.words) > 1 and self.words[-2].where == word.where:
                self.joined.append(len(self.words) - 1)
        self.joins = False

    def _merge(self) -> None:
        """Make one word of those that an "and" joins, if they are places ("in toggle and tick") or many things are meant ("the
        slope and index prints").
        """
        for at in reversed(self.joined):
            word, before = self.words[at], self.words[at - 1]
            if word.where == "in" or self.count != 1:
                self.words[at - 1 : at + 1] = [
                    replace(before, others=(*before.others, word.text, *word.others))
                ]
                self.count = self.count if self.count != 1 else 0


def is_stronger(noun: str, other: str) -> bool:
    """Whether a noun says more about a thing than another: "print" more than "line"."""
    if other in ("", "one"):
        return True
    rank = {kind: at for at, kind in enumerate(_WEAKER)}
    return rank.get(NOUNS[noun], len(rank)) > rank.get(NOUNS[other], len(rank))
