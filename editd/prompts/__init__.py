"""From a request to the words that the model reads, and from its words to an answer.

In the order of an edit: ``scope`` chooses the lines (``named_lines`` finds those that an instruction
names, ``outline`` the functions of a file, ``budget`` what fits), ``formats`` write the prompt in the
model's own way, ``answer`` reads what comes back. What an instruction says is read in
``editd.intent``.
"""
