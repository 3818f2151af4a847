"""Completions in OpenAI's words: what somebody asks for, as a request; a result, as an answer.

Shared by the doors that speak them (``editd/complete`` of the language server, ``editd serve``), so
that both give the same text. Knows neither LSP nor HTTP.
"""
