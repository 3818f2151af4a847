"""The process that keeps the model warm, one per user, and the clients that reach it.

A request comes down this list and its answers go up again::

    client · inprocess        what a front end holds; asking is what the two share
    lifecycle · locks         find the daemon, or start the one that all will use: spawning
    conversation              the client's end of a connection
    transport · framing       the socket; messages as bytes
    server · connection       accept, read, write, leave; limits and outbox bound what waits
    dispatcher · scheduler    whose turn it is, who is told what; entry is one request in it
    engine_room · worker      the engine, in the only thread that touches it

Nothing here loads torch except ``worker.default_engine``, in the engine's thread.
"""
