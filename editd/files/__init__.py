"""Text files as bytes on disk: read without losing a byte, replaced atomically or not at all.

Shared by everything that writes files (``editd edit --in-place``, the MCP tools). Knows no edit and no model.
"""
