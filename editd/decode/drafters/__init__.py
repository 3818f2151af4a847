"""Guessers of the next output tokens, one short file each, found by name."""
