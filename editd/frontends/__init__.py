"""The front ends by which people and programs use editd: the command line, LSP, HTTP and MCP.

Each front end speaks one protocol and knows no other. All of them ask through a ``PlanningClient``, which answers what
needs no model and passes the rest to the daemon; HTTP and MCP, whose clients use a text as it comes, by ``checked_edit``.
"""
