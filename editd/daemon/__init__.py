"""The daemon, one process per user; its engine's process; its clients.

A request comes down this list and its answers go up again::

    engine_client             what a front end holds: client asks the daemon
    lifecycle                 find the daemon, or start the one that all will use
    transport · framing       the socket; messages as bytes
    server                    accept, read, write, leave; outbox bounds what waits
    dispatcher · scheduler    whose turn it is, which client gets what; --no-daemon, which has no socket
    envelope                  what the daemon reads of what it passes on, and how the engine's process gets it
    engine_process            that process from outside: started, watched, ended
    engine_core               that process from inside: the only one that computes

Nothing here loads torch except ``engine_core.default_engine``, in the engine's process.
"""
