"""The model of ``editd setup``: which ones it offers, the question, and an edit to begin with.

Offered are the model that is set, those of other programs and caches, and downloads, all of which this installation can run
in this machine's memory. Fetching, settings and editors are left to ``setup``.
"""

from __future__ import annotations

import shlex
import sys
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from editd.config import EMBEDDED
from editd.errors import UsageError
from editd.frontends.cli.catalogue import GGUF_MODELS, SAFETENSORS_MODELS
from editd.frontends.cli.console import prompt, say
from editd.frontends.cli.models_here import (
    file_here,
    has_torch,
    models_here,
    runs_gguf,
)
from editd.stores import hub
from editd.stores.hub import gigabytes

if TYPE_CHECKING:
    from editd.frontends.cli.machine import Machine
    from editd.frontends.cli.models_here import Here

_FIRST_CHOICE = 8  # billion parameters
_MOST_FILES = 50  # of the current folder, in which a function to begin with is looked for
_LONGEST = 20_000  # bytes of such a file
_MOST_LINES = 25  # of such a function
_PIPED = (
    "printf 'def mean(xs):\\n    return sum(xs) / len(xs)\\n' | editd edit - --path mean.py --diff"
)


@dataclass(frozen=True, slots=True)
class Offer:
    """A model that can be chosen. name: as ``fetch`` and the setting take it. is_here: nothing is downloaded or built."""

    name: str
    line: str
    is_here: bool = False


def choose_model(machine: Machine, set_model: str, *, yes: bool) -> Offer | None:
    """Ask which model to use, by number or by the path of a GGUF file; ``None`` if the user wants none now, which is
    a choice only if there is no usable model and none is set. ``yes`` takes the default without asking. Says which
    models on this machine are not offered, and why.

    set_model: the name in the user's settings, empty if there is none: the first choice and the default. Else the
    default is the largest usable model on this machine, and the embedded model without one. Raises ``UsageError`` at
    the end of the input.
    """
    listed = models_here(machine)
    usable = [model for model in listed if model.fits and not model.unusable]
    present = [Offer(model.name, _described(model), is_here=True) for model in usable]
    keep = [Offer(set_model, keeping(set_model), is_here=set_model != EMBEDDED)]
    offers = [
        *(keep if set_model else []),
        *(offer for offer in present if offer.name != set_model),
        *(offer for offer in _downloads(machine) if offer.name != set_model),
    ]
    default = 0
    if usable and not set_model:
        default = max(range(len(usable)), key=lambda at: usable[at].size_bytes)
    if yes:
        return offers[default]
    if left_out := [_left_out(model) for model in listed if model not in usable]:
        say(f"Not offered: {'; '.join(left_out)}.")
    none = [] if present or set_model else ["none now"]
    question = "Which model?" if present or set_model else "There is no model on this machine yet."
    lines = [*(offer.line for offer in offers), *none]
    answer = ask(question, lines, default, or_path=lambda text: _path_of(text, machine))
    if isinstance(answer, str):
        return Offer(answer, answer, is_here=True)
    return offers[answer] if answer < len(offers) else None


def keeping(name: str) -> str:
    """A sentence on the model that stays."""
    return f"Keep {name} (set in your settings)."


def ask(
    question: str,
    choices: Sequence[str],
    default: int,
    or_path: Callable[[str], str] | None = None,
) -> int | str:
    """Ask the user on standard error to choose by number, until the answer can be used; returns the index from 0. An
    empty line takes ``default``, an index.

    or_path: reads an answer that is no number, and raises ``UsageError`` with a sentence, which is said, if it cannot
    be used; its result is returned. Raises ``UsageError`` at the end of the input.
    """
    say(question)
    for number, choice in enumerate(choices, 1):
        prompt(f"  {number}. {choice}\n")
    wording = "Number, or the path of a .gguf file" if or_path else "Number"
    while True:
        prompt(f"{wording} [{default + 1}]: ")
        line = sys.stdin.readline()
        if not line:
            raise UsageError(
                "There is no terminal to ask on: use `editd setup --yes`, or --model and --editor."
            )
        answer = line.strip()
        if not answer:
            return default
        if answer.isdecimal() and 1 <= int(answer) <= len(choices):
            return int(answer) - 1
        if or_path is None or answer.isdecimal():
            say(f"Enter a number from 1 to {len(choices)}.")
            continue
        try:
            return or_path(answer)
        except UsageError as error:
            say(str(error))


def _downloads(machine: Machine) -> Iterator[Offer]:
    """Yield the embedded model, also if it is on this machine, then models that setup can download: the GGUF files
    that fit and that the catalogue offers for this device, in its order; or, without an engine for these, if torch is
    installed, the last in its order of those with safetensors that fit and have fewer than eight billion parameters.
    """
    from editd.embedded import base_model

    kinds = "a few kinds of edits of short texts"
    if base_model.is_downloaded():
        yield Offer(EMBEDDED, f"the embedded model, which is here: {kinds}")
    else:
        size = gigabytes(base_model.BYTES)
        yield Offer(EMBEDDED, f"download the embedded model ({size}, Apache-2.0): {kinds}")
    if runs_gguf():
        for model in GGUF_MODELS:
            if machine.device in model.offered and machine.has_room(
                machine.needs_bytes(model.nbytes)
            ):
                facts = f"{gigabytes(model.nbytes)}, {model.licence}"
                note = f": {model.note}" if model.note else ""
                yield Offer(model.short_name, f"download {model.title} ({facts}){note}")
    elif has_torch():
        fitting = [
            model
            for model in SAFETENSORS_MODELS
            if model.parameters < _FIRST_CHOICE and machine.fits(model.parameters * 1e9)
        ]
        for model in fitting[-1:]:
            facts = f"{gigabytes(model.nbytes)}, {model.licence}"
            yield Offer(model.name, f"download {model.name} ({facts}): any edit")


def _described(model: Here) -> str:
    """A line about a model on this machine."""
    facts = [gigabytes(model.size_bytes), model.quantisation]
    return f"{model.name} ({', '.join(filter(None, facts))})"


def _left_out(model: Here) -> str:
    """A model that is not offered, with the reason."""
    reason = model.unusable or f"needs {gigabytes(model.memory_bytes)} of memory"
    return f"{model.name} ({reason})"


def _path_of(text: str, machine: Machine) -> str:
    """The absolute path of the GGUF file that ``text`` names, ``~`` expanded. Raises ``UsageError`` if it is no
    ``.gguf`` file, is not there, cannot run here, or does not fit in memory, and ``OSError`` if it cannot be looked
    at.
    """
    file = hub.expand_home(text).absolute()
    if file.suffix.lower() != ".gguf" or not file.is_file():
        raise UsageError(f"{text} is no .gguf file on this machine.")
    model = file_here(machine, file, str(file))
    if model.unusable or not model.fits:
        raise UsageError(f"{_left_out(model)} is not offered here: choose another.")
    return str(file)


def first_edit(examples: Path | None, model: str) -> tuple[str, str]:
    """A command that asks ``model`` (its name) for an edit of a function, and, in words, what it shows: a docstring, or, from the embedded
    model, a try/except around the body, which it writes better. Reads files; runs nothing.

    The function is the first suitable one (``_undocumented``) in the first 50 Python files, by name, of the current
    folder, then of ``examples``, if given; without one, the command pipes a text of its own.
    """
    is_embedded = model == EMBEDDED
    words = (
        "Wrap the body of {} in try/except OSError." if is_embedded else "Add a docstring to {}."
    )
    doing = "a try/except around the body of {}" if is_embedded else "a docstring of {}"
    current = Path()
    for folder in filter(None, (current, examples)):
        for file in sorted(folder.glob("*.py"))[:_MOST_FILES]:
            if name := _undocumented(file):
                shown = shlex.quote(_shortest(file, current.absolute()))
                return (
                    f"editd edit {shown} -i {shlex.quote(words.format(name))}",
                    f"asks the model for {doing.format(name)}, shows the diff, and asks before it writes",
                )
    return f"{_PIPED} -i {shlex.quote(words.format('mean'))}", f"shows {doing.format('mean')}"


def _shortest(file: Path, folder: Path) -> str:
    """The file's path relative to ``folder`` if it is below that, else its absolute path."""
    file = file.absolute()
    return str(file.relative_to(folder) if file.is_relative_to(folder) else file)


def _undocumented(file: Path) -> str:
    """The name of the first plain ``def`` at the margin of a Python file that has 2 to 25 lines, no docstring, and a
    name that no other definition in it has; empty if there is none, or the file is above 20,000 bytes or cannot be
    read.
    """
    from editd.syntax.code import read_code

    try:
        text = file.read_text(encoding="utf-8") if file.stat().st_size <= _LONGEST else ""
    except (OSError, ValueError):
        return ""
    code = read_code(text, "python")
    documented = {text.count("\n", 0, token.start) for token in code.tokens_of("docstring")}
    names = [definition.name for definition in code.definitions]
    for definition in code.definitions:
        lines = range(definition.start, definition.end)
        is_function = code.lines[definition.start].startswith("def ")
        is_short = 2 <= len(lines) <= _MOST_LINES
        is_only = names.count(definition.name) == 1
        if is_function and is_short and is_only and documented.isdisjoint(lines):
            return definition.name
    return ""
