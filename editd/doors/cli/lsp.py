"""``editd lsp``: runs the language server on standard input and output."""

from __future__ import annotations

from typing import Annotated

from editd import interrupts
from editd.doors.cli.options import flag


def lsp(
    *,
    stdio: Annotated[  # noqa: ARG001
        bool, flag("--stdio", about="Accepted for compatibility; stdio is always used.")
    ] = False,
) -> None:
    """Run the language server on standard input and output. Editors start it."""
    with interrupts.nothing_begun():  # there is nothing to clean up
        from editd.doors.lsp.server import main

        main()
