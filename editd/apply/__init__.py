"""Merges a pasted change (a sketch, a diff or search/replace blocks) into its text without a model.

Texts in, texts out: no tokens, no model, no LSP, no files. ``merge`` reads the paste (``recognise``)
and places its parts (``blocks`` for diffs and search/replace blocks, ``reading`` for sketches). What is
not certain (``docs/explanation/apply.md``) is an ``InDoubt``, with the best reading and one sentence that
says why.
"""

from editd.apply.merging import merge
from editd.apply.outcome import Doubtful, InDoubt, Merged

__all__ = ["Doubtful", "InDoubt", "Merged", "merge"]
