"""What people and programs come in by: the command line, LSP, HTTP and MCP.

Each door speaks one protocol and knows no other; all of them hold an ``EngineClient`` of ``daemon``. Shared here:
``by_words`` answers what an instruction's words decide, ``sketches`` merges what was pasted, ``completions`` knows
OpenAI's terms.
"""
