"""Slots of a request, read in whatever order they stand: each pattern takes its words out, and what is left must say nothing.

A rule reads a request so where people word it in too many ways for rows: place, value, level and the like are taken out one
by one, then every word that is left has to be one that the rule knows, or one that says nothing ("please", "the", "to").
A word such as "except", "only" or "unless" is neither. Knows no buffer. Standard library only.
"""

from __future__ import annotations

import re

from editd.intent.english import FUNCTION_WORDS, KINDS, plain_name
from editd.intent.lexicon import words_of

TAKEN = "\x1f"
"""Stands in the text where a slot was taken out."""
FILLER = words_of(
    """
    a an the this that these those it its it's itself them they their there here my our your i i'd i'll i've we we'd we'll
    we've you you'd please pls now also too so then just simply really and can could would will should must may might
    shall ought let's let lets make makes have has having had get gets getting got need needs want wants wanted like be is
    are was were being been do does done add adds adding put puts putting insert introduce include write give gives use
    uses using used set of to in into inside on onto at for from with within as by which file code function functions
    method methods class def func fn routine one some any whole entire proper nice good better missing own itself whose
    """
)
"""Words that change no request, whatever else it says."""
_WORD = re.compile(r"[^\s\x1f,;:.!?()\"`—–-]+(?:[.'’-][^\s\x1f,;:.!?()\"`—–-]+)*|[-–—]>?|→")
_SAYS_NOTHING = frozenset(["-", "–", "—", "'"])
NAME = r"[`'\"]?(?P<name>(?!\d)[\w$]+(?:(?:\.|::|#)[\w$]+)*)(?:\([\w, ]*\))?[`'\"]?(?:(?<![`\"])['’]s?(?![\w'`\"]))?"
"""A pattern of a name, perhaps with call brackets, in quotes or with a possessive."""
SOON = r"(?:(?:right|just|directly|immediately|shortly) )*"
_OF_KIND = r"(?:function|method|class|func|def|constructor|routine|fn|struct|handler|helper)"
_BEFORE = r"(?:in|inside|inside of|within|into|of|for|to|on|onto|from)"
_NO_DEFINITION = FUNCTION_WORDS | KINDS | {"i"}
_NO_NAME = _NO_DEFINITION | (
    words_of(
        """
        file code script module top bottom start end beginning body loop line lines logger log logging print prints it
        place case error errors exception exceptions call calls return returns value default type types hint hints please
        docstring statement statements block string strings debug info warning level everything docs there caller callers
        """
    )
)
_SUBJECT = (
    r"(?:should|must|shall|needs?|has|ought|could|can|gets?|takes?|wants?|deserves?|lacks?|misses|is|still|returns?|accepts?"
    r"|doesn't|does|crashes|logs?|uses?|opens?|writes?|reads?|never|forgets|leaks?|leaves?|raises?|fails?)"
)
_OBJECT_OF = r"(?:give|let|make|have|get|teach|extend|document|annotate|type|convert|change|switch|port|migrate|modernize|modernise|flatten|un-?nest|refactor|restructure|update|rewrite)"


class UnreadText:
    """A request of which no slot, or some slots, have been taken out. ``text`` is what is left."""

    def __init__(self, text: str) -> None:
        self.text = text

    def take(self, pattern: re.Pattern[str]) -> re.Match[str] | None:
        """Replace the first match of ``pattern`` in ``text`` that is not empty by a mark that says that words were taken
        there, and return the match; ``None``, and nothing changed, if there is none.
        """
        found = next((x for x in pattern.finditer(self.text) if x[0]), None)
        if found is not None:
            self.text = f"{self.text[: found.start()]} {TAKEN} {self.text[found.end() :]}"
        return found

    def take_all(self, pattern: re.Pattern[str]) -> list[re.Match[str]]:
        """Replace each match of ``pattern`` in ``text`` by a mark, one after the other until there is none, and return
        them in the order in which they were found.
        """
        found = []
        while match := self.take(pattern):
            found.append(match)
        return found

    def take_function(
        self, no_names: frozenset[str] = frozenset(), *, only_inside: bool = False
    ) -> str:
        """Replace the words for a function or class in ``text`` by a mark, and return its name with dots (of a
        constructor ``Name.__init__``); empty, and nothing changed, if none is named.

        The plainest of these counts: "the function f", a heading ("in f, …", "f: …"), the subject of the sentence ("f
        should …"), its object ("give f …"), a name with brackets or like code behind a preposition, any other name
        there. no_names: words that are no names in this kind of request, unless in backticks or with brackets.
        only_inside: of prepositions, only "in" and "of" count.
        """
        for pattern, is_grammatical in _FUNCTIONS:
            if only_inside and pattern in _AT_ANY_PREPOSITION:
                continue
            others = _NO_DEFINITION if is_grammatical else _NO_NAME | no_names
            for found in pattern.finditer(self.text):
                name = plain_name(found["name"]).rstrip(".")
                if name.lower() in others and not re.search(r"[`(]", found[0]):
                    continue
                start, end = found.span("whole")
                self.text = f"{self.text[:start]} {TAKEN} {self.text[end:]}"
                name = re.sub(r"::|#", ".", name)
                is_constructor = re.search(r"\bconstructor of ", found[0], re.IGNORECASE)
                return f"{name}.__init__" if is_constructor else name
        return ""

    def take_next_word(self, known: frozenset[str]) -> str:
        """Replace the first word of ``text`` that is neither one of ``known`` nor says nothing by a mark, and return
        it; empty, and nothing changed, if there is none, or it is no name, which may have dots.
        """
        unknown = [word for word in _WORD.finditer(self.text) if not _is_known(word[0], known)]
        if not unknown or not re.fullmatch(r"[^\W\d][\w$]*(?:\.[\w$]+)*", unknown[0][0]):
            return ""
        return self._take_word(unknown[0])

    def take_only_word(self, known: frozenset[str]) -> str:
        """Replace the one word of ``text`` that is neither one of ``known`` nor says nothing by a mark, and return it;
        empty, and nothing changed, if there are none or several, or it is no name without dots.
        """
        unknown = [word for word in _WORD.finditer(self.text) if not _is_known(word[0], known)]
        if len(unknown) != 1 or not re.fullmatch(r"[^\W\d][\w$]*(?:\.[\w$]+)*", unknown[0][0]):
            return ""
        return self._take_word(unknown[0])

    def _take_word(self, found: re.Match[str]) -> str:
        """Replace a word of ``text`` by a mark, with the backticks around it, and return it."""
        start, end = found.span()
        before, after = self.text[:start].removesuffix("`"), self.text[end:].removeprefix("`")
        self.text = f"{before} {TAKEN} {after}"
        return found[0]

    def says_only(self, known: frozenset[str]) -> bool:
        """Whether each word that is left is one of ``known`` or says nothing."""
        return all(_is_known(word, known) for word in _WORD.findall(self.text))


def _is_known(word: str, known: frozenset[str]) -> bool:
    """Whether a word is one of ``known`` or says nothing."""
    word = word.lower().replace("’", "'")
    return word in FILLER or word in known or word in _SAYS_NOTHING


def _functions() -> tuple[tuple[re.Pattern[str], bool], ...]:
    """The patterns of the words for a function, the plainest first, each with whether only a name can stand there by
    the grammar. The group ``whole`` is what is taken out of the text, ``name`` the name.
    """
    code_like = r"(?=[`'\"]|[\w.]*(?:\(|_|\.\w|[a-z][A-Z]|[A-Z][a-z]))"
    patterns = (
        (
            rf"(?P<whole>(?:\b{_BEFORE} )?(?:\bthe )?\bconstructor of (?:the )?{NAME}(?: class\b)?)",
            True,
        ),
        (rf"(?P<whole>(?:\b{_BEFORE} )?(?:\bthe )?\b{_OF_KIND} (?:called |named )?{NAME})", False),
        (rf"(?P<whole>(?:\b{_BEFORE} )?\bthe {NAME} {_OF_KIND}\b)", False),
        (rf"^(?P<whole>(?:in|inside|within|for) (?:the )?{NAME}(?: ?[,:]| (?=\w)))", True),
        (rf"^(?P<whole>{NAME} ?(?:[:→—–]|->|=>| - ))(?= )", True),
        (rf"^(?P<whole>(?:the )?{NAME}) (?={_SUBJECT}\b)", True),
        (rf"(?<=[,;:.] )(?P<whole>{NAME}) (?={_SUBJECT}\b)", False),
        (
            r"(?<![\w.])(?P<whole>(?:the )?`?(?P<name>(?!\d)[\w$]+(?:\.[\w$]+)*)(?:\(\))?`?['’]s)(?= )",
            False,
        ),
        (rf"\b{_OBJECT_OF} (?P<whole>(?:the )?{NAME})(?!\w)", False),
        (rf"(?P<whole>\b(?:in|inside|within|of) (?:the )?(?-i:{code_like}){NAME})", False),
        (rf"(?P<whole>\b{_BEFORE} (?:the )?(?-i:{code_like}){NAME})", False),
        (rf"(?P<whole>\b(?:in|inside|within|of) {NAME})(?!\w)", False),
        (rf"(?P<whole>\b{_BEFORE} {NAME})(?!\w)", False),
    )
    return tuple(
        (re.compile(text, re.IGNORECASE), is_grammatical) for text, is_grammatical in patterns
    )


_FUNCTIONS = _functions()
_AT_ANY_PREPOSITION = (_FUNCTIONS[-3][0], _FUNCTIONS[-1][0])
