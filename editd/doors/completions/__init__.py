"""OpenAI's completions: a request to the daemon's, and its result back.

Shared by ``editd/complete`` of the language server and by ``editd serve``, so that both give the same
text. Knows neither LSP nor HTTP.
"""
