"""``editd mcp``: edits for agents, as tools of the Model Context Protocol over standard streams.

A call comes down this list::

    server     the SDK: versions of the protocol, progress, cancellation; lines on standard streams
    tools      how a tool is described to an agent, and the names its arguments may have
    editing    one call: find (only files that may be touched), lock, read, edit, write, report

Only ``server`` and ``tools`` know the protocol. Importing the package loads no torch. An unambiguous
sketch is merged without the daemon.
"""
