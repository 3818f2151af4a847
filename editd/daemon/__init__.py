"""The daemon, one process per user; its engine's process; its clients.

A request comes down this list and its answers go up again::

    engine_client             what a front end holds: client asks the daemon, hosting_client is --no-daemon
    lifecycle                 find the daemon, or start the one that all will use
    transport · framing       the socket; messages as bytes
    server                    accept, read, write, leave; outbox bounds what waits
    dispatcher · scheduler    whose turn it is, which client gets what: an entry for each request
    envelope                  what the daemon reads of what it passes on
    engine_process · orders   the engine's process from outside, and what is said to it
    engine_main · engine_core that process from inside: the only one that computes

Nothing here loads torch except ``engine_main.default_engine``, in the engine's process.
"""
