"""The facts about a buffer that ``intent.evidence`` reads a request with."""

from __future__ import annotations

from editd.intent.evidence import BufferFacts
from editd.refactor.entries import is_program
from editd.refactor.values import SHELLS, values_of
from editd.syntax.code import Code


def facts_of(code: Code) -> BufferFacts:
    """The facts about a text."""
    blocks = [x for x in code.definitions if x.is_block]
    return BufferFacts(
        code.language,
        frozenset(name for x in blocks for name in (x.name, x.qualified)),
        code.names,
        frozenset(code.undefined_names or ()),
        _nameable(code),
    )


def _nameable(code: Code) -> frozenset[str]:
    """The names of a text that a rename may change: in code names, members, arguments and keys, in data its keys."""
    names = {x.text for x in code.tokens_of("name", "member", "argument", "key")}
    if not is_program(code) or code.language in SHELLS:
        names.update(part for value in values_of(code) for part in value.path)
    return frozenset(names)
