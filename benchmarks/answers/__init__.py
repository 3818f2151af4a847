"""How often a model's edit is right: on edits that have one right answer, and on recorded ones.

``python -m benchmarks.answers --model FOLDER`` carries edits out as a user's daemon would, and
prints for each kind what came of them.
"""
