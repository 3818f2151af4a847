"""The commands by name. An error becomes one sentence and an exit code."""

from __future__ import annotations

import contextlib
import importlib
import os
import sys
from collections.abc import Sequence
from typing import Annotated, Any

import typer
from typer.core import TyperCommand, TyperGroup

import editd
from editd import interrupts
from editd.errors import EditdError, as_out_of_memory
from editd.frontends.cli import CANCELLED
from editd.frontends.cli.console import DEBUG_VARIABLE, OutputLost, complain, write_text
from editd.frontends.cli.options import option, settle_optional
from editd.outcome import outcome_of

INTERNAL_ERROR = 1

_COMMANDS = {
    "setup": "setup",
    "edit": "edit",
    "apply": "edit",
    "explain": "explain",
    "bench": "bench",
    "daemon": "daemon",
    "status": "daemon",
    "stop": "daemon",
    "logs": "daemon",
    "lsp": "servers",
    "mcp": "servers",
    "serve": "servers",
    "doctor": "doctor",
    "models": "models",
    "presets": "presets",
    "config": "config",
}
"""By command the module that has it: as a function of its name, or as ``app`` if it has commands of its own."""

# Editors add their own arguments to the command of a language server.
_TAKES_ANYTHING = {"allow_extra_args": True, "ignore_unknown_options": True}


class _Converter:
    """Converts option values in typer's place: text and absent options stay as they are, typer's converter does the
    rest.

    Typer's converter needs pydantic, and loading pydantic is a fifth of the CPU time of an edit by words.
    """

    def coerce(self, value: Any, param: Any, ctx: Any) -> Any:
        """The value that the command gets for ``value``: text as it is, for an absent option ``None`` or, if it may be
        repeated, ``()``; other values as typer converts them, which raises its errors.
        """
        several = param.multiple or param.nargs == -1
        if value is None:
            return () if several else None
        if param.type_descriptor.annotation in (str, list[str]):
            return list(value) if several else value
        return type(param).get_runtime_param(param).coerce(value, param=param, ctx=ctx)


class _Lean:
    """A command whose parameters ask for a ``_Converter``.

    A trap: typer has no public way to this (a ``parser=`` goes through pydantic as well), and a version that
    renames ``get_runtime_param`` breaks nothing: edits only take longer. So a test looks whether it is called:
    ``test_typer_asks_for_the_converter_that_loads_no_pydantic``.
    """

    def get_params(self, ctx: Any) -> Any:
        """The command's parameters. Sets ``get_runtime_param`` of each of them to ``_Converter``, so that typer
        converts values by it.
        """
        parameters = super().get_params(ctx)  # type: ignore[misc]  # of the class beside this one
        for parameter in parameters:
            parameter.get_runtime_param = _Converter
        return parameters


class _Command(_Lean, TyperCommand):
    """A command without commands of its own."""


class _OnDemand(_Lean, TyperGroup):
    """The group of all commands; imports a command when it is called, or all when help asks for them."""

    def list_commands(self, ctx: Any) -> list[str]:  # noqa: ARG002
        """The commands' names, in the order of the help."""
        return list(_COMMANDS)

    def get_command(self, ctx: Any, cmd_name: str) -> Any:  # noqa: ARG002
        """The command ``cmd_name``, imported by the first call and kept; ``None`` for an unknown name, for which all
        commands are imported, so that typer can suggest the nearest.
        """
        # Of a word that is none, all of them: the nearest is suggested.
        for name in (cmd_name,) if cmd_name in _COMMANDS else _COMMANDS:
            if name not in self.commands:
                self.commands[name] = _load_command(name)
        return self.commands.get(cmd_name)


def _load_command(name: str) -> Any:
    """Import the module of the command ``name`` and return its command for typer: a group if the module has commands of
    its own (``app``). A signal during the import ends the process.
    """
    with interrupts.ending_at_once():
        module = importlib.import_module(f"editd.frontends.cli.{_COMMANDS[name]}")
    holder = typer.Typer(add_completion=False)
    holder.callback()(lambda: None)
    if hasattr(module, "app"):
        holder.add_typer(module.app, name=name)
    else:
        settings = _TAKES_ANYTHING if name == "lsp" else None
        holder.command(name, cls=_Command, context_settings=settings)(getattr(module, name))
    return typer.main.get_group(holder).commands[name]


app = typer.Typer(
    cls=_OnDemand,
    name="editd",
    help="Rewrite code with a local language model, using the current text as the draft.",
    epilog="Exit codes: 0 done, 1 failed or refused, 2 usage, 3 no daemon, 4 model, 5 cut off, "
    "130 cancelled.",
    context_settings={"help_option_names": ["-h", "--help"]},
    pretty_exceptions_enable=False,
)


@app.callback(invoke_without_command=True)
def root(
    context: typer.Context,
    *,
    version: Annotated[bool, option("--version", about="Print the version.")] = False,
    debug: Annotated[
        bool, option("--debug", about=f"Show tracebacks; same as {DEBUG_VARIABLE}=1.")
    ] = False,
) -> None:
    """Options before the command.

    Sets ``EDITD_DEBUG`` of this process for ``--debug``. With ``--version``, prints the version and raises
    ``typer.Exit``; without a command, prints the help.
    """
    if debug:
        os.environ[DEBUG_VARIABLE] = "1"
    if version:
        write_text(f"editd {editd.__version__}\n")
        raise typer.Exit
    if context.invoked_subcommand is None:
        write_text(f"{context.get_help()}\n")


def run(arguments: Sequence[str]) -> int:
    """Run one command line and return the command's exit code (0 if it returned none); never raises an ``Exception``:
    an error becomes a sentence on standard error, with a traceback before it if ``EDITD_DEBUG`` is set, and its own
    code.

    Flushes standard output. Returns 130 after Ctrl-C or a signal, and 1, silently, if the reader of the output has
    left; 1 with a sentence for output that cannot be written, a file that cannot be used, or an error that nobody
    foresaw.
    """
    try:
        command = typer.main.get_command(app)
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
        return outcome_of(error).exit_code
    except OutputLost as error:
        _abandon_output()
        complain(f"The output could not be written: {error}.")
        return INTERNAL_ERROR
    except Exception as error:  # noqa: BLE001  # the last place where it can become a sentence
        if interrupts.is_ending():  # made of that on its way
            return CANCELLED
        if hasattr(error, "format_message"):  # what typer raises for a wrong command line
            if not error.format_message():  # no command: typer has printed the help instead
                return 0
            complain(f"{_sentence(error.format_message())}{_where_to_look(error)}")
            return getattr(error, "exit_code", 2)
        if (short := as_out_of_memory(error)) is not None:
            complain(str(short))
            return outcome_of(short).exit_code
        if isinstance(error, OSError) and error.filename:  # of the machine, not of editd
            complain(f"{error.filename} cannot be used: {error.strerror}.")
            return INTERNAL_ERROR
        complain(
            f"internal error: {type(error).__name__}: {error} "
            f"(please report it; {DEBUG_VARIABLE}=1 shows where it happened)"
        )
        return INTERNAL_ERROR
    return code if isinstance(code, int) else 0


def _abandon_output() -> None:
    """Discard further output, which Python would flush at exit and raise again."""
    with contextlib.suppress(OSError):
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _sentence(text: str) -> str:
    """The text on one line, ending like a sentence."""
    text = " ".join(text.split())
    return text if text.endswith((".", ")", "?")) else f"{text}."


def _where_to_look(error: Exception) -> str:
    """A sentence that names the help of the wrong command; empty if it is unknown."""
    context = getattr(error, "ctx", None)
    return f" See {context.command_path} --help." if context is not None else ""
