"""Text files as bytes on a disk: read without losing one of them, replaced in one step or not at all.

Shared by all that write files (``editd edit --in-place``, the MCP tools). Knows no edit and no model.
"""
