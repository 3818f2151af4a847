"""Weights, tokenizer, forward passes and their caches: the only package that knows a device."""

from editd.model.quiet import prepare_imports

# Here, so that it comes before transformers is imported, whichever module does that first.
prepare_imports()
