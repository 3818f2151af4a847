"""What an instruction says: read from its words alone, before any buffer is looked at.

``read`` makes one value of a sentence, ``Instruction``, and everybody asks that. ``table`` and ``chores`` have the
sentences that are one plain request, in the words of ``row_templates``; ``context`` takes off what surrounds it,
``sentences`` matches it, ``intents`` are what it can ask for. ``phrases`` reads what stands anywhere in a text.
What the words make of a text is ``refactor``'s business; which of its lines a model is shown is ``prompts``'.
"""

from editd.intent.parsing import Instruction, read

__all__ = ["Instruction", "read"]
