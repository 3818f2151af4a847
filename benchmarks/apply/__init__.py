"""Sketches made of recorded edits, and what the merge without a model makes of them."""
