"""A project's files as a source of drafts: those changed last, in memory, looked up in microseconds.

``walk`` and ``ignore`` decide which files count, ``index`` holds their tokens, and ``workspace`` updates it. The
drafter ``suffix`` copies from it. The package writes nothing, follows no link out of a project, and logs no word of
one.

Importing this package loads nothing: the language server and the command line never need it.
"""
