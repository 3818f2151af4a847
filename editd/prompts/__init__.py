"""From a request to the words that the model reads, and from its words to an answer.

In the order of an edit: ``scope`` chooses the lines (``named_lines`` finds those that an instruction names,
``narrowing`` those that it can concern, ``budget`` counts their tokens), ``formats`` write the prompt in the model's
own way, ``answer`` reads the model's text. Instructions are read in ``editd.intent``.
"""
