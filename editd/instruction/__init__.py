"""What an instruction says: read from its words alone, before any buffer is looked at.

``read`` makes one value of a sentence, ``Instruction``, and everybody asks that. ``table`` and ``chores`` have the
sentences that are one plain request, in the words of ``shared_rows``; ``frames`` takes off what surrounds it,
``sentences`` matches it, ``meanings`` are what it can ask for. ``phrases`` reads what stands anywhere in a text.
``answering`` computes what the words say of a buffer, ``places`` finds where in it is meant. Which of its lines a model is shown is ``prompts``' business.
"""

from editd.instruction.reading import Instruction, read

__all__ = ["Instruction", "read"]
