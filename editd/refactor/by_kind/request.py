"""A request whose kind is known: what its sentence says, and the buffer that it is about."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cached_property

from editd.intent import Parsed, intents
from editd.intent.bare_request.clause_roles import role_of
from editd.intent.evidence import BufferFacts
from editd.intent.evidence.request_clauses import cut_sentence
from editd.intent.evidence.whole_requests import functions_in
from editd.refactor.candidates import Candidates
from editd.refactor.facts import facts_of
from editd.refactor.transform import located
from editd.syntax.code import Code


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
