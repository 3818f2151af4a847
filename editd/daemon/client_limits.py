"""The limits beyond which the daemon refuses a request or disconnects a client."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Limits:
    """Generous for a normal client, finite for a broken one. Sizes in bytes, times in seconds.

    clients: connections at once.
    requests, request_bytes: edits and warm-ups of one client that wait or run; more are refused.
    answers: messages that wait for one client to read them; until it does, nothing more is read
        from it.
    hello_seconds: how long a connection may say nothing at first.
    stall_bytes, stall_seconds: a client that has not read for so long, and for which so much
        waits, is dropped. max_waiting_bytes: dropped at once.
    farewell_seconds: how long a leaving daemon waits for its last words to be read.
    """

    clients: int = 256
    requests: int = 64
    request_bytes: int = 128 << 20
    answers: int = 256
    hello_seconds: float = 10.0
    stall_bytes: int = 8 << 20
    stall_seconds: float = 30.0
    max_waiting_bytes: int = 256 << 20
    farewell_seconds: float = 2.0


DEFAULT_LIMITS = Limits()
