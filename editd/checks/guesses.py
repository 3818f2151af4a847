"""Words that a model guessed although an instruction leaves no choice.

A name, a value, an import or a line that goes is what the words say, or it is not; a model for which another word was as
likely has read them otherwise. Of a docstring, a message or a handler that says nothing, nor of code that is to be written.
"""

from __future__ import annotations

from collections.abc import Mapping

from editd.checks.exchanges import exchange_of
from editd.checks.requests import Request, request_of
from editd.checks.rewrite import Rewrite, Suspicion
from editd.syntax.constructs import ConstructKind

_CLOSED: frozenset[ConstructKind] = frozenset(["import", "type", "print", "comment", "f-string"])


def suspicions(rewrite: Rewrite, guesses: Mapping[int, str]) -> list[Suspicion]:
    """A suspicion for each hunk in which the model guessed, if the instruction leaves no choice.

    guesses: in words, what the model guessed, by the id of a hunk.
    """
    if not guesses or not _leaves_no_choice(rewrite, request_of(rewrite.instruction)):
        return []
    return [
        Suspicion(
            f"The words leave no choice, and the model guessed: {guesses[hunk.id]}.", (hunk.id,)
        )
        for hunk in rewrite.hunks
        if hunk.id in guesses
    ]


def _leaves_no_choice(rewrite: Rewrite, request: Request) -> bool:
    """Whether a request asks for nothing but an exchange of a name or value, an import, a type, f-strings, or the
    deletion of prints, comments or things that it names; false if some clause may ask for more.
    """
    if not request.is_plain:
        return False
    if request.kinds:
        return request.kinds <= _CLOSED
    return bool(request.is_removal and request.values) or exchange_of(rewrite, request) is not None
