"""``editd status``: the state of the daemon. It does not start one."""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING, Annotated

from editd import interrupts
from editd.doors.cli.daemon import ask
from editd.doors.cli.options import flag
from editd.errors import DaemonUnreachable

if TYPE_CHECKING:
    from editd.messages import ModelStatus, StatusReport, WorkspaceStatus


def status(*, json: Annotated[bool, flag("--json", about="Print one JSON object.")] = False) -> int:
    """Show the state of the daemon, its models and their memory.

    Exits with 3 if no daemon is running.
    """
    from editd.doors.cli.console import write_json, write_text

    try:
        report = interrupts.run(ask(lambda client: client.status()))
    except DaemonUnreachable as error:
        if not json:
            raise
        write_json({"running": False, "error": {"code": error.code, "message": str(error)}})
        return error.exit_code
    if json:
        fields = dataclasses.asdict(report)
        del fields["request_id"]
        write_json({"running": True, **fields})
    else:
        write_text(_describe(report))
    return 0


def _describe(report: StatusReport) -> str:
    from editd.doors.cli.figures import figures
    from editd.models.hub import gigabytes

    lines = [
        f"editd {report.editd_version}: {report.state}"
        + (f" ({report.message})" if report.message else ""),
        f"  process  {report.pid}, up {_duration(report.uptime_seconds)}",
        f"  memory   {gigabytes(report.rss_bytes)}",
        f"  clients  {report.clients}, {report.queue} edits waiting",
    ]
    lines += [f"  model    {_model(model)}" for model in report.models] or [
        "  model    none in memory; the next edit loads one"
    ]
    if any(one.device == "cpu" and one.runs.startswith("llama.cpp") for one in report.models):
        from editd.doors.cli.llama_builds import idle_gpus

        lines += [f"  idle     {name}; `editd doctor` says how to use it" for name in idle_gpus()]
    lines += [f"  project  {_workspace(workspace)}" for workspace in report.workspaces]
    if report.last_stats is not None:
        lines.append(f"  last     {figures(report.last_stats)}")
    return "\n".join(lines) + "\n"


def _model(model: ModelStatus) -> str:
    from editd.doors.cli.safe_text import visible
    from editd.models.hub import gigabytes

    if model.state == "loading":
        done = "" if model.fraction is None else f", {model.fraction:.0%}"
        return f"{model.name}: loading{done}"
    if model.exactness == "remote":
        can = f" ({visible(model.runs)})" if model.runs else ""
        return f"{visible(model.name)}: the text of your edits goes to {model.device}{can}"
    told = (
        f"{model.name} on {model.device} as {model.dtype}, {model.parameters / 1e6:,.0f} M "
        f"parameters, {gigabytes(model.memory_bytes)}"
    )
    if model.kv_bytes:
        most = f" of {gigabytes(model.kv_limit_bytes)}" if model.kv_limit_bytes else ""
        told += f", keys and values {gigabytes(model.kv_bytes)}{most}"
    return f"{told}, {model.runs}" if model.runs else told


def _workspace(workspace: WorkspaceStatus) -> str:
    from editd.doors.cli.safe_text import visible
    from editd.models.hub import gigabytes

    told = f"{visible(workspace.root)}: {workspace.state}"
    if workspace.tokens:
        told += (
            f", {workspace.files:,} files, {workspace.tokens:,} tokens, "
            f"{gigabytes(workspace.memory_bytes)}"
        )
    return f"{told} ({visible(workspace.message)})" if workspace.message else told


def _duration(seconds: float) -> str:
    minutes, seconds = divmod(round(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    if hours:
        return f"{hours} h {minutes} min"
    return f"{minutes} min {seconds} s" if minutes else f"{seconds} s"
