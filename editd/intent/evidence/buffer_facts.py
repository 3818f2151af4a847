"""The facts about a buffer that a reader of evidence has: its language and names. Standard library only."""

from __future__ import annotations

import re
from dataclasses import dataclass

from editd.intent.english import FUNCTION_WORDS, KINDS, LABELS, is_code_like

_ENGLISH = FUNCTION_WORDS | KINDS | LABELS


@dataclass(frozen=True, slots=True)
class BufferFacts:
    """Facts about a buffer.

    language: as ``editd.syntax`` names it. definitions: names of its functions, methods and classes, with their owner as well
    (``Cart.add`` and ``add``). names: all names in its code. undefined: names that are used and that nothing defines.
    nameable: what a rename may give another name: names, members, keyword arguments and keys.
    """

    language: str
    definitions: frozenset[str]
    names: frozenset[str]
    undefined: frozenset[str] = frozenset()
    nameable: frozenset[str] = frozenset()

    def places_in(self, text: str) -> tuple[str, ...]:
        """The definitions that a request names, in its order, each once; a method with its owner only if the words say so.

        A definition whose name may be an ordinary word (``read``) counts where it is written like code (``read()``,
        backticks), behind a word for a place or a definition ("in read", "the method read"), at the start before a colon, or
        with a possessive, or beside another that counts ("in read and write").
        """
        found = []
        end = -1  # of the last that counts
        for match in _NAMED.finditer(text):
            name = re.sub(r"::|#", ".", match["name"])
            is_beside = end >= 0 and _AND.fullmatch(text, end, match.start()) is not None
            is_meant = is_code_like(name) or is_beside or _is_marked(text, match)
            if name in self.definitions and is_meant:
                found.append(name)
                end = match.end()
        return tuple(dict.fromkeys(found))

    def others_in(self, text: str) -> tuple[str, ...]:
        """The words of a request that are names of the buffer, written like code (``max_size``, ``Foo``, in backticks), and
        no definitions' names.
        """
        found = (match for match in _NAMED.finditer(text) if match["name"] in self.names)
        return tuple(
            dict.fromkeys(
                match["name"]
                for match in found
                if match["name"] not in self.definitions
                and match["name"].lower() not in _ENGLISH
                and (is_code_like(match["name"]) or "`" in match[0])
            )
        )


_NAMED = re.compile(
    r"(?<![\w.$])`?(?P<name>[^\W\d][\w$]*(?:(?:\.|::|#)[^\W\d][\w$]*)*)(?P<call>\([^()]*\))?`?(?:['’]s\b)?"
)
_AND = re.compile(r" ?(?:,|/|&|and|,? and)(?: in)?(?: the)? ", re.IGNORECASE)
_BEFORE_A_NAME = re.compile(
    r"(?:\b(?:in|inside|within|into|of|to|for|from|at|function|method|class|func|def|fn) (?:the )?)$",
    re.IGNORECASE,
)
_BEHIND_A_NAME = re.compile(r"(?: (?:function|method|class)\b|:|['’]s\b)", re.IGNORECASE)


def _is_marked(text: str, match: re.Match[str]) -> bool:
    """Whether a word is marked as a name by its spelling or by the words around it."""
    is_spelled_so = "`" in match[0] or bool(match["call"]) or bool(re.search(r"['’]s$", match[0]))
    return (
        is_spelled_so
        or bool(_BEFORE_A_NAME.search(text, 0, match.start()))
        or bool(_BEHIND_A_NAME.match(text, match.end()))
    )
