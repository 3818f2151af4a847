"""Blocks that lost all that they did: an ``if`` of which only ``pass`` or a comment is left, or a pair of braces.

A block is known by its first line. Python by its parser, other languages by tree-sitter. Where the words have something
removed, that may be all that a block did.
"""

from __future__ import annotations

import re

from editd.checks.requests import request_of
from editd.checks.rewrite import Rewrite, Suspicion, quoted
from editd.syntax.code import read_code

_ASKED = re.compile(
    r"\b(?:empty|stubs?|skeleton|placeholder|pass|no-?op|abstract|bod(?:y|ies)|hollow|blank out|contents?)\b",
    re.IGNORECASE,
)


def suspicions(rewrite: Rewrite) -> list[Suspicion]:
    """A suspicion about the hunk that emptied a block, for the first such block; no suspicion if no line is lost, the
    old or new text does not parse, or the instruction removes something or speaks of empty bodies.
    """
    if _ASKED.search(rewrite.instruction) or request_of(rewrite.instruction).is_removal:
        return []
    if not rewrite.lost_lines:
        return []
    total = len(rewrite.old_lines)
    old = read_code(rewrite.model_text(0, total), rewrite.language).constructs
    if old is None:
        return []
    full: set[str] = set()
    empty: set[str] = set()
    for block in old.blocks():
        (empty if block.is_empty else full).add(block.head)
    new = read_code(rewrite.new_text(0, total), rewrite.language).constructs
    for block in new.blocks() if new is not None else ():
        if block.is_empty and block.head in full and block.head not in empty:
            reason = (
                f"Nothing is left in the block of {quoted(block.head)}, at line {block.line + 1}."
            )
            return [Suspicion(reason, (rewrite.hunk_at(block.line).id,))]
    return []
