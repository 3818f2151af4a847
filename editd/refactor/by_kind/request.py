"""A request whose kind is known: what its sentence says, and the buffer that it is about."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cached_property

from editd.intent import Parsed, intents
from editd.intent.bare_request.clause_roles import role_of
from editd.intent.english import FUNCTION_WORDS, QUOTED
from editd.intent.evidence import BufferFacts
from editd.intent.evidence.filler import FILLER
from editd.intent.evidence.request_clauses import cut_sentence
from editd.intent.evidence.whole_requests import functions_in
from editd.refactor.candidates import Candidates
from editd.refactor.facts import facts_of
from editd.refactor.transform import located
from editd.syntax.code import Code

CODE = re.compile(
    r"\b\w[\w.]*\([\w\"'][^()]*\)|\b[^\W\d]\w*(?:\.\w+)*\.[^\W\d]\w+\b|\b[^\W\d]\w*_\w+\b|(?<!-)\b[a-z]+[A-Z]\w*[a-z]\b"
)
"""Code in a sentence: a call with its arguments, and names with dots, underscores or capitals inside."""
_PLACE = re.compile(
    r"\b(?:in|inside|within|from|import) (?P<place>[^\W\d]\w*)(?:\(\))?(?=\s*(?:$|[,.;:!?)]|please\b|pls\b))",
    re.IGNORECASE,
)
_GAP = re.compile(r"…|\.\.\.")
"""Stands for the rest of a quoted text."""
_NO_PLACES = (
    FUNCTION_WORDS
    | FILLER
    | frozenset(
        "here there course line lines order block section list statement statements path paths group groups name names warning warnings prod production general place front order advance total case future practice favour favor principle use".split()  # noqa: SIM905
    )
)
"""Words behind "in" or "of" that name no place of a buffer."""


@dataclass(frozen=True)
class KindRequest:
    """A request of a known kind.

    text: the sentence without the clauses that say what stays; staying: what these name. kind: of the edit that it asks for.
    """

    text: str
    kind: str
    parsed: Parsed
    code: Code
    path: str
    staying: tuple[str, ...] = ()

    @cached_property
    def facts(self) -> BufferFacts:
        """The facts about the buffer."""
        return facts_of(self.code)

    @cached_property
    def asking(self) -> str:
        """The clauses that ask, without those that give reasons; the whole text if none asks."""
        asking = [x.text for x in cut_sentence(self.text) if role_of(x.text) in ("asks", "wish")]
        return "; ".join(asking) or self.text

    @cached_property
    def functions(self) -> tuple[str, ...]:
        """The names, without their owner, of the definitions that the sentence names."""
        named = functions_in(self.text, self.facts)
        return tuple(dict.fromkeys(x.rpartition(".")[2] for x in named))

    @cached_property
    def missing(self) -> tuple[str, ...]:
        """The quoted texts, the code and the places ("in parse") of the sentence that the buffer does not have."""
        quoted = [part for x in re.finditer(QUOTED, self.text) for part in _GAP.split(x[0][1:-1])]
        names = [x[0] for x in CODE.finditer(re.sub(QUOTED, " ", self.text))]
        places = [x["place"] for x in _PLACE.finditer(self.text)]
        places = [x for x in places if x.lower() not in self.facts.words | _NO_PLACES]
        own = f"{self.code.text}\n{self.path}"
        cited = (
            *(x for x in (*quoted, *names) if x.strip().removesuffix("()") not in own),
            *places,
        )
        return tuple(
            x for x in dict.fromkeys(cited) if re.search(r"\w", x) and x not in FUNCTION_WORDS
        )

    def done(self, intent: intents.Intent, *, chooses: bool = False) -> Candidates | None:
        """The certain change that an intent makes; ``None`` if it makes none. chooses: the caller chooses among its places, so that their number
        may be another than the sentence says.
        """
        found = located(intent, self.parsed, self.code, self.path, None, chooses=chooses)
        if found is None or found.problem or not found.is_certain:
            return None
        return found if found.texts[0] != self.code.text else None


Reader = Callable[[KindRequest], Iterator[Candidates]]
"""Yields the changes that a request of a known kind may ask for."""
