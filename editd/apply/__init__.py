"""What somebody wrote as a change, put into the text that it is about: without a model, or not at all.

Texts in, texts out: no tokens, no model, no LSP, no files. One function, ``merge``, reads the paste
(``recognise``), places its parts (``blocks`` for patches and search/replace, ``sketch`` for lazy
sketches) and answers only where one placement exists under the rules of
``docs/explanation/apply.md``; everything else is ``InDoubt``, with one sentence.
"""

from editd.apply.merging import merge
from editd.apply.outcome import Doubtful, InDoubt, Merged

__all__ = ["Doubtful", "InDoubt", "Merged", "merge"]
