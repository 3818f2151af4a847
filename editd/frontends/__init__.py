"""What people and programs come in by: the command line, LSP, HTTP and MCP.

Each door speaks one protocol and knows no other. All of them hold a ``PlanningClient``, which computes what needs no model
and asks the daemon for the rest.
"""
