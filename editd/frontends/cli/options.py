"""Short ways to declare options, and the options that several commands share.

A command that rewrites files has a parameter ``outputs`` and one ``given``: ``takes_edits`` puts options in
their place, with one wording and one meaning each.
"""

from __future__ import annotations

import inspect
import os
from collections.abc import Callable, Iterator, Sequence
from typing import Annotated, Any

import typer

INPUT, OUTPUT, MODEL, LIMITS = "Input", "Output (one of)", "Model", "Limits and safety"
DRAFTING, SAMPLING = "Drafting", "Sampling"

OUTPUTS = {
    "diff": "Print a patch for git apply.",
    "in-place": "Write the result to the file, atomically.",
    "json": "Print one JSON object per file.",
    "stream": "Print JSON events as they happen, one per line.",
    "check": "Write nothing; exit with 1 if the file would change.",
}
# Options of a request: their value in help, their panel, and their meaning if it is not the setting's words.
REQUEST_OPTIONS = {
    "model": ("M", MODEL, "Model to use: a name from `editd models`, a folder or a .gguf file."),
    "draft_model": ("M", MODEL, "Smaller model that drafts for the main one."),
    "drafter": ("NAME", DRAFTING, ""),
    "window": ("N", DRAFTING, ""),
    "acceptance": ("RULE", DRAFTING, ""),
    "temperature": ("T", SAMPLING, ""),
    "top_p": ("P", SAMPLING, ""),
    "top_k": ("K", SAMPLING, ""),
    "seed": ("N", SAMPLING, ""),
    "max_new_tokens": ("N", LIMITS, ""),
    "timeout": ("S", LIMITS, "Time limit for each file, in seconds; 0: none."),
}
_MAY_BE_BARE = ("--workspace",)


def option(
    *names: str, about: str, metavar: str = "", panel: str | None = None, **limits: Any
) -> Any:
    """Declare an option; without ``metavar`` it is a flag. limits: ``min`` and ``max`` of a number."""
    return typer.Option(*names, metavar=metavar, help=about, rich_help_panel=panel, **limits)


Range = Annotated[
    str | None,
    option(
        "--range",
        metavar="START:END",
        about="Change only lines START to END, both included; the first line is 1.",
        panel=INPUT,
    ),
]
NoDaemon = Annotated[
    bool,
    option(
        "--no-daemon",
        about="Load the model in this process instead of using the daemon.",
        panel=MODEL,
    ),
]
OtherWay = Annotated[
    str | None,
    option(
        "--way",
        metavar="WAY",
        about="Take another way to the edit, if there is one: reading (the other reading of the paste), "
        "words (as the words say), resembling (with what resembles it), model (ask the model), again "
        "(another answer, sampled) or whole (rewrite the whole file, even if the instruction concerns "
        "only part of it).",
        panel=MODEL,
    ),
]
Workspace = Annotated[
    str | None,
    option(
        "--workspace",
        metavar="[DIR]",
        about="Also draft new code from other files in DIR (default: the file's git repository, or else "
        "its folder), and run the linters that your settings name. Use it only for projects that you trust.",
        panel=DRAFTING,
    ),
]
AllowSuspect = Annotated[
    bool,
    option("--allow-suspect", about="Let --in-place write answers that look wrong.", panel=LIMITS),
]


def takes_edits(*settings: str) -> Callable[[Callable[..., int]], Callable[..., int]]:
    """A decorator for a command: in the signature that typer reads, its parameter ``outputs`` is replaced by the
    output flags, and ``given`` by the options ``settings`` (names of ``REQUEST_OPTIONS``). When called, the command
    gets both as mappings by name.
    """

    def decorated(command: Callable[..., int]) -> Callable[..., int]:
        def run(**values: Any) -> int:
            outputs = {name: values.pop(_parameter(name)) for name in OUTPUTS}
            given = {name: values.pop(name) for name in settings}
            return command(outputs=outputs, given=given, **values)

        parameters: list[inspect.Parameter] = []
        own = inspect.signature(command, eval_str=True)
        for parameter in own.parameters.values():
            places = {"outputs": _outputs(), "given": _given(settings)}
            parameters += places.get(parameter.name, iter((parameter,)))
        run.__signature__ = own.replace(parameters=parameters)  # type: ignore[attr-defined]
        run.__doc__ = command.__doc__
        run.__annotations__ = {}
        return run

    return decorated


def _outputs() -> Iterator[inspect.Parameter]:
    """The parameters of the output flags."""
    for name, about in OUTPUTS.items():
        yield _keyword(
            _parameter(name), Annotated[bool, option(f"--{name}", about=about, panel=OUTPUT)], False
        )


def _given(settings: Sequence[str]) -> Iterator[inspect.Parameter]:
    """The parameters of the options ``settings``, in their order, each with the type of its setting, the words of
    ``REQUEST_OPTIONS`` or else of its setting, and ``None`` by default. Raises ``KeyError`` for an unknown name.
    """
    from editd.config_sources import (
        request_options,  # here, because not every command line has settings
    )

    for name in settings:
        metavar, panel, about = REQUEST_OPTIONS[name]
        flag = "--" + name.replace("_", "-")
        setting = request_options()[name]
        kind: Any = setting.type
        declared = option(flag, metavar=metavar, about=about or setting.about.text, panel=panel)
        yield _keyword(name, Annotated[kind | None, declared], None)


def _keyword(name: str, annotation: Any, default: object) -> inspect.Parameter:
    """A keyword parameter."""
    kind = inspect.Parameter.KEYWORD_ONLY
    return inspect.Parameter(name, kind, default=default, annotation=annotation)


def _parameter(name: str) -> str:
    """The name of an option as a parameter."""
    return name.replace("-", "_")


def settle_optional(arguments: Sequence[str]) -> list[str]:
    """The command-line arguments with ``--workspace=`` in place of each ``--workspace`` that is not followed by an
    existing folder; arguments after ``--`` stay. Typer does not support options with an optional value.
    """
    complete: list[str] = []
    for index, argument in enumerate(arguments):
        if argument == "--":
            return complete + list(arguments[index:])
        following = arguments[index + 1 : index + 2]
        # Not pathlib's, which raises for what no folder can be called.
        is_bare = argument in _MAY_BE_BARE and not (following and os.path.isdir(following[0]))  # noqa: PTH112
        complete.append(f"{argument}=" if is_bare else argument)
    return complete
