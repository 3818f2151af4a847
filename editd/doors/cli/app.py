"""The commands by name. An error becomes one sentence and an exit code."""

from __future__ import annotations

import contextlib
import os
import sys
from collections.abc import Sequence
from typing import Annotated

import typer

import editd
from editd.doors.cli import (
    CANCELLED,
    apply,
    bench,
    config,
    daemon,
    doctor,
    edit,
    explain,
    lsp,
    mcp,
    models,
    serve,
    setup,
    status,
)
from editd.doors.cli.console import DEBUG_VARIABLE, OutputLost, complain, write_text
from editd.doors.cli.options import flag, give_pairs, settle_optional
from editd.errors import EditdError, as_out_of_memory

INTERNAL_ERROR = 1

app = typer.Typer(
    name="editd",
    help="Rewrite code with a local language model, using the current text as the draft.",
    epilog="Exit codes: 0 done, 1 failed or refused, 2 usage, 3 no daemon, 4 model, 5 cut off, "
    "130 cancelled.",
    context_settings={"help_option_names": ["-h", "--help"]},
    pretty_exceptions_enable=False,
)
app.command("setup")(setup.setup)
app.command("edit")(edit.edit)
app.command("apply")(apply.apply)
app.command("explain")(explain.explain)
app.command("daemon")(daemon.daemon)
app.command("status")(status.status)
app.command("stop")(daemon.stop)
app.command("logs")(daemon.logs)
app.command("lsp", context_settings=lsp.CONTEXT_SETTINGS)(lsp.lsp)
app.command("mcp")(mcp.mcp)
app.command("serve")(serve.serve)
app.command("doctor")(doctor.doctor)
app.add_typer(models.app, name="models")
app.add_typer(config.app, name="config")
app.command("bench", context_settings=bench.CONTEXT_SETTINGS, add_help_option=False)(bench.bench)


@app.callback(invoke_without_command=True)
def root(
    context: typer.Context,
    *,
    version: Annotated[bool, flag("--version", about="Print the version.")] = False,
    debug: Annotated[
        bool, flag("--debug", about=f"Show tracebacks; same as {DEBUG_VARIABLE}=1.")
    ] = False,
) -> None:
    """Options before the command."""
    if debug:
        os.environ[DEBUG_VARIABLE] = "1"
    if version:
        write_text(f"editd {editd.__version__}\n")
        raise typer.Exit
    if context.invoked_subcommand is None:
        write_text(f"{context.get_help()}\n")


def run(arguments: Sequence[str]) -> int:
    """Run one command line; the exit code."""
    try:
        command = give_pairs(typer.main.get_command(app))
        code = command.main(
            args=settle_optional(arguments), prog_name="editd", standalone_mode=False
        )
        sys.stdout.flush()
    except BrokenPipeError:  # the reader of our output has exited
        _abandon_output()
        return INTERNAL_ERROR
    except (KeyboardInterrupt, typer.Abort):
        return CANCELLED
    except EditdError as error:
        complain(str(error))
        return error.exit_code
    except OutputLost as error:
        _abandon_output()
        complain(f"The output could not be written: {error}.")
        return INTERNAL_ERROR
    except Exception as error:  # noqa: BLE001  # the last place where it can become a sentence
        if hasattr(error, "format_message"):  # what typer raises for a wrong command line
            if not error.format_message():  # no command: typer has printed the help instead
                return 0
            complain(f"{_sentence(error.format_message())}{_where_to_look(error)}")
            return getattr(error, "exit_code", 2)
        if (short := as_out_of_memory(error)) is not None:
            complain(str(short))
            return short.exit_code
        complain(
            f"internal error: {type(error).__name__}: {error} "
            f"(please report it; {DEBUG_VARIABLE}=1 shows where it happened)"
        )
        return INTERNAL_ERROR
    return code if isinstance(code, int) else 0


def _abandon_output() -> None:
    """Discard further output; Python would raise again when it flushes at exit."""
    with contextlib.suppress(OSError):
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _sentence(text: str) -> str:
    text = " ".join(text.split())
    return text if text.endswith((".", ")", "?")) else f"{text}."


def _where_to_look(error: Exception) -> str:
    context = getattr(error, "ctx", None)
    return f" See {context.command_path} --help." if context is not None else ""
