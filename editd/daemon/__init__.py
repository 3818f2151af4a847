"""The daemon, one process per user; its engine's process; its clients.

A request comes down this list and its answers go up again::

    engine_client             what a front end holds: client asks the daemon, hosting_client is --no-daemon
    lifecycle · locks         find the daemon, or start the one that all will use: spawning
    conversation              the client's end of a connection
    transport · framing       the socket; messages as bytes
    server · connection       accept, read, write, leave; client_limits and outbox bound what waits
    dispatcher · scheduler    whose turn it is, which client gets what: an entry for each request
    envelope · traces         what the daemon reads of what it passes on; what it keeps for explain
    engine_keeper             starts the engine, looks after it, ends it
    engine_process · orders   its process from outside, and what is said to it
    engine_main · engine_core that process from inside: the only one that computes

Nothing here loads torch except ``engine_main.default_engine``, in the engine's process.
"""
