"""Models behind one seam: what can be loaded, by which library it runs, and who holds it in memory."""

from editd.backends.torch.quiet_transformers import prepare_imports

# Here, so that it comes before transformers is imported, whichever module does that first.
prepare_imports()
