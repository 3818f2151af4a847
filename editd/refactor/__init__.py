"""Computes what an instruction asks for, where no model is needed: intents and source code to edits, or a reason."""
