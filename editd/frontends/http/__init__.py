"""``editd serve``: completions and apply for programs that speak OpenAI's API, over HTTP.

A request comes down this list and its answer goes up again::

    serving                   the socket, the key, uvicorn; the only place of editd that listens
    guard                     who may ask, and what is logged
    routes                    a body to a request for the daemon; the names that are served
    completions               OpenAI's terms as requests and counts; messages in the apply form
    edit_prompts              prompts that hold their own prediction
    answers                   the answer in OpenAI's form, whole or streamed, for as long as its client waits

All work is left to the daemon. Importing the package loads no torch.
"""
