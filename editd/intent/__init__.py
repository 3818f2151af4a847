"""Reads an instruction from its words alone, before any buffer is looked at.

``parse`` makes one value of it, ``Parsed``, and everybody asks that. ``rules`` has a file for each intent
(``intents``): the rows that state it, with examples. ``context`` takes off what surrounds a request, ``matching``
finds its row, ``clauses`` splits several. ``lexical`` reads an unusual request by its words in any order, and
``phrases`` what stands anywhere in a text. What an intent makes of a text is done in ``refactor``.
"""

from editd.intent.parsed import Parsed, parse

__all__ = ["Parsed", "parse"]
