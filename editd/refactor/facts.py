"""The facts about a buffer that ``intent.evidence`` reads a request with."""

from __future__ import annotations

from editd.intent.evidence import BufferFacts
from editd.syntax.code import Code


def facts_of(code: Code) -> BufferFacts:
    """The facts about a text."""
    blocks = [x for x in code.definitions if x.is_block]
    return BufferFacts(
        code.language,
        frozenset(name for x in blocks for name in (x.name, x.qualified)),
        code.names,
        frozenset(code.undefined_names or ()),
    )
