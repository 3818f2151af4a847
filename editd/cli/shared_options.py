"""The options that ``editd edit`` and ``editd apply`` share: one wording, one meaning."""

from __future__ import annotations

from typing import Annotated

from editd.cli.options import flag, option

INPUT, OUTPUT, MODEL, LIMITS = "Input", "Output (one of)", "Model", "Limits and safety"

Range = Annotated[
    str | None,
    option(
        "--range",
        metavar="START:END",
        about="Only these lines may change; counted from 1, END included.",
        panel=INPUT,
    ),
]
Diff = Annotated[bool, flag("--diff", about="A patch for git apply.", panel=OUTPUT)]
InPlace = Annotated[bool, flag("--in-place", about="Write the file, in one step.", panel=OUTPUT)]
Json = Annotated[bool, flag("--json", about="One JSON object for each file.", panel=OUTPUT)]
Stream = Annotated[
    bool, flag("--stream", about="JSON events, a line each, as they happen.", panel=OUTPUT)
]
Check = Annotated[
    bool, flag("--check", about="Write nothing; exit 1 if it would change.", panel=OUTPUT)
]
Model = Annotated[
    str | None,
    option(
        "--model",
        metavar="M",
        about="A hub id that was pulled, a folder or a .gguf file.",
        panel=MODEL,
    ),
]
NoDaemon = Annotated[
    bool,
    flag(
        "--no-daemon",
        about="Start an engine for this command alone, which loads the model first.",
        panel=MODEL,
    ),
]
Timeout = Annotated[
    float | None, option("--timeout", metavar="S", about="Stop after S seconds.", panel=LIMITS)
]
AllowSuspect = Annotated[
    bool, flag("--allow-suspect", about="Let --in-place write what the checks doubt.", panel=LIMITS)
]
