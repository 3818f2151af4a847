"""The embedded model, as the product knows it: which instructions it takes, and what it refuses.

Reading order: ``families`` (the kinds of edits), ``recognise`` (which of them an instruction is),
``manifest`` (what a checkpoint says of itself). It is made in ``training/``, outside this package.
"""
