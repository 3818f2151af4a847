"""Whole edits through the engine by each way of running passes, with transformers beside them."""
