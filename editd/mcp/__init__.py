"""``editd mcp``: edits for agents, as tools of the Model Context Protocol over standard streams.

A call comes down this list::

    server     the SDK: eras of the protocol, progress, cancellation
    tools      what an agent is told of a tool, and what it may call the arguments
    editing    one call: find, lock, read, edit, write, tell
    paths      which files may be touched

Only ``server`` and ``tools`` know the protocol. Importing it loads no torch; a sketch that can mean
one thing only is merged without the daemon.
"""
