"""Merges a pasted change (a sketch, a diff or search/replace blocks) into its text without a model.

Texts in, texts out: no tokens, no model, no LSP, no files. ``merge`` reads the paste (``recognise``)
and places its parts (``block`` for diffs and search/replace blocks, ``pieces`` for sketches). It
answers only if the rules of ``docs/explanation/apply.md`` allow one result. Otherwise it returns
``InDoubt``, with one sentence that says why.
"""

from editd.apply.merging import merge
from editd.apply.outcome import Doubtful, InDoubt, Merged

__all__ = ["Doubtful", "InDoubt", "Merged", "merge"]
