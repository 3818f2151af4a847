"""Source code: trees, tokens, definitions, imports and containers of a text, read once for everybody.

A leaf: nothing else of editd is imported, but for other leaves, and nothing outside asks a parser itself. Whoever wants to
know something about a text as code asks for it here::

    code = read_code(text, language)    # language_of(path) names the language
    code.parses                         # True, False, or None for a language without a parser
    code.definitions                    # functions, classes and constants, line by line
    code.tokens                         # names, literals and comments with their offsets
    code.constructs                     # docstrings, log calls, imports …; the text without them
    code.python, code.tree              # the syntax trees

Each answer is computed when first asked for, and kept with the last texts; so it must not be changed. ``imports`` says what
an import is, on a line and in a tree; ``scopes`` which definition is meant by a name, and whose a name is; ``members`` what
containers hold, in code and in data.
"""
