"""The command line: ``app`` names the commands, imports one when it is called, and turns errors into sentences and exit codes.

``edit`` with ``outputs`` and ``terminal_diff`` carries out one edit.

Nothing here imports torch, transformers or pygls before a command that needs them runs.
"""

from __future__ import annotations

CANCELLED = 130  # as a shell reports a process that SIGINT ended


def main() -> None:
    """Run ``editd`` with this process's arguments and exit with its code, as ``SystemExit``; if the code is above 128
    (a signal ended the command), exit at once, without waiting for threads. Never returns.

    Installs the handlers of signals first, then prepares the standard streams (``prepare_streams``).
    """
    import os
    import sys

    from editd import interrupts

    interrupts.listen()
    from editd.frontends.cli.app import run
    from editd.frontends.cli.console import prepare_streams

    prepare_streams()
    interrupts.end_in_order()
    code = run(sys.argv[1:])
    interrupts.ignore_signals()
    code = interrupts.exit_code(code)
    if code > 128:
        # A thread may be inside a call that cannot be interrupted (reading a pipe without a writer),
        # and an orderly exit would wait for it.
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(code)
    sys.exit(code)
