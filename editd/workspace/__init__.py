"""A project's files as a source of drafts: indexed out of process, looked up in microseconds.

``rules``, ``ignore`` and ``walk`` decide which files count; ``builder``, a process of its own,
turns them into one ``index`` file in the user's cache folder; ``workspace`` keeps that file up to
date (``watcher``) and hands out snapshots, which ``decode.drafters.workspace`` drafts from. Nothing
here writes into a project, follows a link out of it, or logs a word of it.

Importing this package loads nothing: the language server and the command line never need it.
"""
