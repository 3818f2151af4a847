"""``editd lsp``: hand standard input and output to the language server."""

from __future__ import annotations

from typing import Annotated

from editd import interrupts
from editd.cli.options import flag

# Editors add words of their own to the command of a language server.
CONTEXT_SETTINGS = {"allow_extra_args": True, "ignore_unknown_options": True}


def lsp(
    *,
    stdio: Annotated[  # noqa: ARG001
        bool, flag("--stdio", about="Accepted for compatibility; stdio is always used.")
    ] = False,
) -> None:
    """Run the language server on standard input and output. Editors start it."""
    with interrupts.nothing_begun():  # nothing of an editor's is kept here
        from editd.lsp.server import main

        main()
