"""Merges a pasted answer (a sketch, a diff or search/replace blocks) into a file's text, without a model.

How a paste becomes a text, in the order of the files:

``resolve`` takes a request, asks ``merging`` for its text, has it checked by ``guards``, and says whether a model is to
be asked; ``merging.merge`` tells the story. ``paste/recognise`` reads the paste's form and keeps what is for this file:
code blocks of a sketch, or old lines with new ones. ``readers/by_old_lines`` finds where old lines stand.
``readers/answer`` is the table of readers for code blocks: ``in_file_order`` (``by_alignment``, ``by_names``), one
block after the other (``one_block``: ``new_code``, ``new_imports``, ``prose_locations``), ``by_keys``; each returns a ``reading``.
``doubts/table`` lists every doubt that lowers its confidence, ``doubts/marks`` says what people see of them,
``outcome`` writes the text. ``best_guess`` gives a model its draft.

Texts in, texts out: no tokens, no model, no LSP, no files. What is not certain (``docs/explanation/apply.md``) is an
``InDoubt`` with the best reading and one sentence that says why.
"""

from editd.apply.merging import merge
from editd.apply.outcome import Doubtful, InDoubt, Merged

__all__ = ["Doubtful", "InDoubt", "Merged", "merge"]
