"""The time that a person waits, from Enter to the first hunk and to the end, in an editor's session.

``python -m benchmarks.felt_wait --model M`` speaks LSP to a server of its own, and prints a table.
"""
