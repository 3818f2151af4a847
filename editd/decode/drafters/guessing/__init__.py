"""Guesses with their chances: what may follow, where it stood, and one tree for several drafters."""
