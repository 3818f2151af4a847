"""Hunks, and the functions that find, apply and show them. Text and offsets; no tokens, no LSP."""
