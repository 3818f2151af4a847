"""A project's files as a source of drafts: those changed last, in memory, looked up in microseconds.

``walk`` and ``ignore`` decide which files count, ``index`` holds their tokens, and
``workspace`` keeps it true. The drafter ``suffix`` copies from it. Nothing here writes anything,
follows a link out of a project, or logs a word of it.

Importing this package loads nothing: the language server and the command line never need it.
"""
