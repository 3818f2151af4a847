"""The embedded model, as the product knows it: which instructions it takes, and what it refuses.

``families`` has the kinds of edits, and which of them an instruction is. The other files put the model together
from a base model and an adapter, which is made in ``training/``, outside this package.
"""
