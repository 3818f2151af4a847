"""The daemon, one process per user; its engine's process; its clients.

A request comes down this list and its answers go up again::

    engine_client               the interface that a front end holds
    client · conversation       asks the daemon: which daemon, and one connection to it
    hosting_client              does the daemon's part itself: ``--no-daemon``
    lifecycle                   finds the daemon, or starts the one that all will use
    file_lock · spawning        one daemon at a time; what it is started with
    transport · framing         the socket; messages as bytes
    server · connection         accepts, watches, exits; one client, whose waiting messages outbox bounds
    dispatcher · scheduler      which client gets which message; whose turn it is; traces remembers finished edits
    forwarded · failures        what passes through as bytes; answers in a job's place
    orders                      orders to the engine's process and its reports
    engine_supervisor           when the engine's process is started and ended
    engine_process              that process from outside
    engine_main · engine_core   that process from inside: standard input and signals; the loop, which alone computes

Nothing in this package loads torch except ``engine_main.default_engine``, in the engine's process.
"""
