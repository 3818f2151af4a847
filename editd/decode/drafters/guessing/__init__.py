"""Guesses with their chances: what may follow, where it was copied from, and one tree for several drafters."""
