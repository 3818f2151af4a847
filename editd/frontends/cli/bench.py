"""``editd bench``: whether drafting from the buffer pays on this machine, with a model and a file of the user's.

One edit is done twice, by plain decoding and with drafts, by an engine of this process that serves nobody else. The
figures are the engine's own and, on a CPU, its processor time, which other programs do not lengthen; ``python -m
benchmarks compare`` measures other engines beside it by the same clock.
"""

from __future__ import annotations

import dataclasses
import inspect
import textwrap
from collections.abc import Callable
from contextlib import aclosing, nullcontext, suppress
from dataclasses import dataclass
from pathlib import Path
from statistics import median
from typing import TYPE_CHECKING, Annotated

import typer

from editd import __version__, interrupts
from editd.config import DecodeConfig
from editd.errors import AnswerCutOff, DaemonUnreachable
from editd.frontends.cli.console import make_console, visible, write_json
from editd.frontends.cli.inputs import read_text, resolved_settings
from editd.frontends.cli.options import option
from editd.frontends.cli.outputs import duration
from editd.messages import EditRequest, EditResult
from editd.messages.options import EditOptions
from editd.outcome import error_of

if TYPE_CHECKING:
    from editd.daemon.engine_client import EngineClient

# Every model writes the whole text again for this, and changes a few places of it.
INSTRUCTION = "Rename the parameter width to columns, also in the text."
PLAIN = "none"
PAYS = 1.05  # times as fast as plain decoding; less is within what two runs differ by


@dataclass(frozen=True, slots=True)
class Figures:
    """The figures of a measured edit. Seconds and tokens per second are medians over the repeats, without reading the prompt.

    load_seconds: until the model was in memory. prompt_seconds: reading prompt_tokens. same_text: whether the drafted
    text is that of plain decoding. plain_cpu_seconds, drafted_cpu_seconds: processor time of the same, of all threads; 0
    if the model computes elsewhere. near_ties: tokens at which another was as good as equally likely, so that equal text is
    no promise. drafter: the drafter of the fast runs. runs: how passes are run, for a person. rounds: passes that verified.
    """

    version: str
    model: str
    device: str
    dtype: str
    runs: str
    drafter: str
    load_seconds: float
    prompt_tokens: int
    prompt_seconds: float
    output_tokens: int
    first_hunk_seconds: float | None
    plain_tokens_per_second: float
    drafted_tokens_per_second: float
    plain_seconds: float
    drafted_seconds: float
    plain_cpu_seconds: float
    drafted_cpu_seconds: float
    rounds: int
    same_text: bool
    near_ties: int

    @property
    def gain(self) -> float:
        """Times as fast as plain decoding: by processor time, where the model computes on the processor."""
        if self.plain_cpu_seconds and self.drafted_cpu_seconds:
            return self.plain_cpu_seconds / self.drafted_cpu_seconds
        return self.plain_seconds / self.drafted_seconds

    @property
    def verdict(self) -> str:
        """A sentence for the user: that drafting does not pay if its gain is below ``PAYS`` (1.05 times as fast),
        else how many times as fast it is.
        """
        if self.gain < PAYS:
            return "Drafting does not pay here: plain decoding is as fast (set decode.drafter to none)."
        return f"Drafting pays here: the edit is written {self.gain:.1f} times as fast."


def bench(
    model: Annotated[
        str, typer.Argument(metavar="MODEL", help="Model to measure; default: model.name.")
    ] = "",
    file: Annotated[
        str,
        typer.Argument(metavar="FILE", help="File to edit; default: a Python text of 40 lines."),
    ] = "",
    *,
    instruction: Annotated[
        str, option("--instruction", "-i", metavar="TEXT", about="What to change in it.")
    ] = INSTRUCTION,
    repeats: Annotated[
        int, option("--repeats", metavar="N", about="Edits of each kind; medians are shown.", min=1)
    ] = 1,
    json: Annotated[bool, option("--json", about="Print all figures as one JSON object.")] = False,
) -> None:
    """Measure what drafting from the buffer gains here: your machine, model and file.

    Loads the model in this process, beside a daemon that may have it as well. No file is written.
    """
    path, text = _text_of(file)
    config = resolved_settings().config
    named = dataclasses.replace(config.model, name=model) if model else config.model
    config = dataclasses.replace(config, model=named)
    if config.decode.drafter == PLAIN:  # else nothing would be compared
        default = dataclasses.replace(config.decode, drafter=DecodeConfig().drafter)
        config = dataclasses.replace(config, decode=default)
    from editd.daemon.hosting_client import HostingEngineClient

    request = EditRequest("bench", text, instruction, path=path, options=EditOptions(way="model"))
    console = make_console(stderr=True)
    waiting = console.status("measuring …") if console.is_terminal else nullcontext()
    with waiting:
        figures = interrupts.run(measure(lambda: HostingEngineClient(config), request, repeats))
    if json:
        write_json(dataclasses.asdict(figures) | {"gain": figures.gain, "verdict": figures.verdict})
    else:
        make_console().print(_table(figures))


async def measure(
    connect: Callable[[], EngineClient], request: EditRequest, repeats: int
) -> Figures:
    """Do the edit by plain decoding and with drafts, in turns, ``repeats`` times each (at least 1), after one of a
    single token that loads the model, and another whose processor time, that of all but writing, is taken off the
    others'. Returns medians of times; tokens and rounds are those of the last edits.

    connect: makes the client of an engine, which is closed in the end. ``same_text`` is true if all answers are
    equal. Raises the edit's own error if the model does not finish it.
    """
    client = connect()
    try:
        opening = await _edit(client, request, max_new_tokens=1)
        _, beside = await _timed_edit(client, request, drafter=PLAIN, max_new_tokens=1)
        plain, drafted, plain_cpu, drafted_cpu = [], [], [], []
        for _ in range(repeats):
            done, seconds = await _timed_edit(client, request, drafter=PLAIN)
            plain.append(done)
            plain_cpu.append(seconds - beside)
            done, seconds = await _timed_edit(client, request)
            drafted.append(done)
            drafted_cpu.append(seconds - beside)
        report = await client.status()
    finally:
        await client.aclose()
    status = next((held for held in report.models if held.state == "ready"), None)
    last = drafted[-1].stats
    first_hunks = [done.stats.first_hunk_ms for done in drafted if done.stats.first_hunk_ms]
    plain_seconds = median(_writing_seconds(done) for done in plain)
    drafted_seconds = median(_writing_seconds(done) for done in drafted)
    on_processor = status is not None and status.device == "cpu"
    return Figures(
        version=__version__,
        model=opening.model,
        device=status.device if status else "",
        dtype=status.dtype if status else "",
        runs=status.runs if status else "",
        drafter=last.drafter,
        load_seconds=opening.stats.load_seconds,
        prompt_tokens=opening.stats.prompt_tokens or 0,
        prompt_seconds=max(opening.stats.total_seconds - opening.stats.load_seconds, 0.0),
        output_tokens=last.output_tokens or 0,
        first_hunk_seconds=median(first_hunks) / 1000 if first_hunks else None,
        plain_tokens_per_second=(plain[-1].stats.output_tokens or 0) / plain_seconds,
        drafted_tokens_per_second=(last.output_tokens or 0) / drafted_seconds,
        plain_seconds=plain_seconds,
        drafted_seconds=drafted_seconds,
        plain_cpu_seconds=max(median(plain_cpu), 0.0) if on_processor else 0.0,
        drafted_cpu_seconds=max(median(drafted_cpu), 0.0) if on_processor else 0.0,
        rounds=last.rounds or 0,
        same_text=all(done.text == plain[0].text for done in [*plain, *drafted]),
        near_ties=last.near_ties or 0,
    )


async def _timed_edit(
    client: EngineClient,
    request: EditRequest,
    *,
    drafter: str | None = None,
    max_new_tokens: int | None = None,
) -> tuple[EditResult, float]:
    """As ``_edit``, with the processor seconds that the engine's process used meanwhile."""
    before = _engine_seconds()
    done = await _edit(client, request, drafter=drafter, max_new_tokens=max_new_tokens)
    return done, _engine_seconds() - before


def _engine_seconds() -> float:
    """The processor seconds that the processes below this one have used so far, of all their threads."""
    import psutil

    seconds = 0.0
    for process in psutil.Process().children(recursive=True):
        with suppress(psutil.Error):  # it has ended
            times = process.cpu_times()
            seconds += times.user + times.system
    return seconds


async def _edit(
    client: EngineClient,
    request: EditRequest,
    *,
    drafter: str | None = None,
    max_new_tokens: int | None = None,
) -> EditResult:
    """Do one edit and return its result; raises its error, except that ``max_new_tokens``, if given, may cut the
    answer off (then the result may lack a text). Raises ``DaemonUnreachable`` if the engine ends without a result,
    and what ``client.ask`` raises. drafter: ``None`` for the configured one.
    """
    options = dataclasses.replace(request.options, drafter=drafter, max_new_tokens=max_new_tokens)
    async with aclosing(client.ask(dataclasses.replace(request, options=options))) as messages:
        async for message in messages:
            if isinstance(message, EditResult):
                problem = error_of(message)
                is_wanted = max_new_tokens is not None and isinstance(problem, AnswerCutOff)
                if problem is not None and not is_wanted:
                    raise problem
                return message
    raise DaemonUnreachable("The engine ended during the edit; run the command again.")


def _writing_seconds(result: EditResult) -> float:
    """The seconds of decoding; never 0, so that a rate can be computed."""
    return max(result.stats.decode_seconds, 1e-9)


def _text_of(file: str) -> tuple[str, str]:
    """Name (without folders) and text of the file to edit; for an empty name ``textwrap.py`` and 40 lines of it, from
    ``def wrap`` on. Raises ``UsageError`` for a file that cannot be read or decoded.
    """
    if not file:
        lines = inspect.getsource(textwrap).splitlines(keepends=True)
        start = next(i for i, line in enumerate(lines) if line.startswith("def wrap("))
        return "textwrap.py", "".join(lines[start : start + 40])
    return Path(file).name, read_text(file)


def _table(figures: Figures) -> object:
    """The figures as a table of rich's for a terminal, a row for each phase, with the verdict below. Loads rich."""
    from rich.table import Table

    table = Table(
        title=f"{visible(figures.model)} on {figures.device or 'a server'} {figures.dtype}".rstrip(),
        title_justify="left",
        show_header=False,
        caption=figures.verdict,
        caption_justify="left",
    )
    first = figures.first_hunk_seconds
    rows = {
        "loading": duration(figures.load_seconds),
        "reading the prompt": f"{figures.prompt_tokens} tokens, {duration(figures.prompt_seconds)}",
        "first hunk": "none came"
        if first is None
        else f"{duration(first)}, with the prompt read before",
        "plain decoding": _speed(
            figures.plain_tokens_per_second, figures.plain_seconds, figures.plain_cpu_seconds
        ),
        "with drafts": _speed(
            figures.drafted_tokens_per_second, figures.drafted_seconds, figures.drafted_cpu_seconds
        ),
        "passes": f"{figures.rounds} for {figures.output_tokens} tokens, {figures.drafter}",
        "same text": "yes" if figures.same_text else f"no ({figures.near_ties} near ties)",
    }
    for name, value in rows.items():
        table.add_row(name, value)
    return table


def _speed(tokens_per_second: float, seconds: float, cpu_seconds: float) -> str:
    """A rate with its time, and the processor time where that is known."""
    rate = f"{tokens_per_second:.1f} tokens/s, {duration(seconds)}"
    return f"{rate}; {duration(cpu_seconds)} of the processor" if cpu_seconds else rate
