"""Reasons against a reading, how far each lowers its confidence, and which of them people see.

``table`` lists all doubts. ``checks`` raises those against an aligned change, with ``support``; ``weighing`` applies
them; ``losses`` looks for definitions and lines that nobody named; ``marks`` turns doubts into suspects and notes.
"""
