"""What an instruction's words alone make of a text, without a model.

``literal`` computes it, ``answering`` makes a normal answer of it where nothing else can be meant.
``source`` knows names, strings and comments of a text. How sentences are read is left to ``instruction``;
whether a model's answer agrees, to ``checks``.
"""
