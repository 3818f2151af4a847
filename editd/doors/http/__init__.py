"""``editd serve``: completions and apply for programs that speak OpenAI's API, over HTTP.

A request comes down this list and its answer goes up again::

    serving · connection  the socket, the key, uvicorn; the only place of editd that listens
    guard                 who may ask, and what is logged
    app                   the routes: a body to a request for the daemon
    applying · models     messages in the apply form; the names that are served
    answering             the answer, whole or streamed, for as long as its client waits
    replies               answers and errors in OpenAI's form

Knows HTTP only: what a completion is, is left to ``completions``, all work to the daemon. Importing
the package loads no torch.
"""
