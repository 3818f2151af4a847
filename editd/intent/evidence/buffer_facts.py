"""The facts about a buffer that a reader of evidence has: its language and names. Standard library only."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from itertools import pairwise

from editd.intent.english import is_code_like


@dataclass(frozen=True, slots=True)
class BufferFacts:
    """Facts about a buffer.

    language: as ``editd.syntax`` names it. definitions: names of its functions, methods and classes, with their owner as well
    (``Cart.add`` and ``add``). names: all names in its code. undefined: names that are used and that nothing defines.
    parameters: of each function by its full name, without ``self``. words: all words of the text and of its names, in lower case.
    imports: the names that imports bind, by words for them (``zod`` for ``z``). strings: its string literals, as they are written.
    nameable: what a rename may give another name: names, members, keyword arguments and keys. bodies: the words of each definition, by its
    full name. text: of the buffer.
    """

    language: str
    definitions: frozenset[str]
    names: frozenset[str]
    undefined: frozenset[str] = frozenset()
    parameters: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    words: frozenset[str] = frozenset()
    imports: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    strings: tuple[str, ...] = ()
    nameable: frozenset[str] = frozenset()
    bodies: Mapping[str, frozenset[str]] = field(default_factory=dict)
    text: str = ""

    def places_in(self, text: str) -> tuple[str, ...]:
        """The definitions that a request names, in its order, each once; a method with its owner only if the words say so.

        A definition whose name may be an ordinary word (``read``) counts where it is written like code (``read()``,
        backticks), behind a word for a place or a definition ("in read", "the method read"), before a colon, with a
        possessive, as the subject at the start ("read should …"), or beside another that counts ("in read and write").
        Words for a handler ("the delete route", "GET /books") are a place, too, if the buffer has each of them.
        """
        named = [x for x in _NAMED.finditer(text) if _plain(x["name"]) in self.definitions]
        kinds = [False, *(_KIND.fullmatch(text, a.end(), b.start()) for a, b in pairwise(named))]
        count = [
            is_code_like(_plain(x["name"])) or (not kind and _is_marked(text, x))
            for x, kind in zip(named, kinds, strict=False)
        ]
        order = range(1, len(named))
        for at, beside in (*((n, n - 1) for n in order), *((n - 1, n) for n in reversed(order))):
            first, second = sorted((named[at], named[beside]), key=lambda x: x.start())
            is_listed = _AND.fullmatch(text, first.end(), second.start()) is not None
            count[at] |= count[beside] and is_listed
        counted = [x for x, counts in zip(named, count, strict=True) if counts]
        found = [(x.start(), _plain(x["name"])) for x in counted]
        found += [
            (x.start(), x["handler"])
            for x in _HANDLER.finditer(text)
            if not any(x.start() <= name.start() < x.end() for name in counted)
            and {y.lower() for y in re.findall(r"[^\W_]+", x["words"] or x["word"] or x["path"])}
            <= self.words
        ]
        return tuple(dict.fromkeys(name for _, name in sorted(found)))

    def has_words(self, text: str) -> bool:
        """Whether one of the words of a text stands in a name or a string of the buffer."""
        known = " ".join((*self.names, *self.strings)).lower()
        return any(word in known for word in re.findall(r"[^\W_]\w+", text.lower()))


_NAMED = re.compile(
    r"(?<![\w.$])`?(?P<name>[^\W\d][\w$]*(?:(?:\.|::|#)[^\W\d][\w$]*)*)(?P<call>\([^()]*\))?`?(?:['’]s\b)?"
)
_HANDLER = re.compile(
    r"(?<![\w/])(?P<handler>(?:(?P<words>(?:GET|POST|PUT|DELETE|PATCH|get|post|put|delete|patch) /(?:[\w/:{}<>*-]*[\w/}>*])?)|(?:(?<=\bthe )|(?<=\bour ))(?P<word>(?!on\b)[\w/-]+))"
    r" (?:handler|route|endpoint|callback|hook|listener|command)\b|(?P<path>(?:GET|POST|PUT|DELETE|PATCH) /(?:[\w/:{}<>*-]*[\w/}>*])?))"
)
_KIND = re.compile(" (?:function|method|class) ", re.IGNORECASE)
"""Between two names belongs to the first: "the Cache class get …"."""
_AND = re.compile(r" ?(?:,|/|&|and|,? and)(?: in)?(?: the)? ", re.IGNORECASE)
_BEFORE_A_NAME = re.compile(
    r"(?:\b(?:in|inside|within|into|of|to|for|from|at|function|method|class|func|def|fn) (?:the )?)$",
    re.IGNORECASE,
)
_BEHIND_A_NAME = re.compile(r"(?: (?:function|method|class)\b|:|['’]s\b)", re.IGNORECASE)
_BEHIND_A_SUBJECT = re.compile(
    r" (?:should|must|could|can|may|might|will|would|needs?|wants?|has|have|still|also|is|isn['’]t|never|always|does|doesn['’]t|gets?|leaks?|leaves?|opens?|closes?|returns?|uses?"
    r"|raises?|throws?|crashes|fails|dies|blows?|explodes|without|with|reads (?:better|easier|nicer)|->|→|=>|-|–|—)(?: |$)",
    re.IGNORECASE,
)


_BEFORE_A_SUBJECT = re.compile(r"(?:^|[,;:.!?→–—-]|->|=>)\s*$")
_ARTICLE = re.compile(
    r"\b(?:the|an?|this|that|these|those|our|my|your|its|no|every|each|any)\s$", re.IGNORECASE
)


def _plain(name: str) -> str:
    """A name with dots before its parts."""
    return re.sub(r"::|#", ".", name)


def _is_marked(text: str, match: re.Match[str]) -> bool:
    """Whether a word is marked as a name by its spelling or by the words around it."""
    is_spelled_so = "`" in match[0] or bool(match["call"]) or bool(re.search(r"['’]s$", match[0]))
    return (
        is_spelled_so
        or bool(_BEFORE_A_NAME.search(text, 0, match.start()))
        or bool(_BEHIND_A_NAME.match(text, match.end()))
        or bool(
            _BEFORE_A_SUBJECT.search(text[: match.start()])
            and _BEHIND_A_SUBJECT.match(text, match.end())
        )
        or bool(
            not _ARTICLE.search(text[: match.start()])
            and re.match(r" (?:should|must)\b", text[match.end() :])
        )
    )
