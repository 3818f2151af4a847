"""``python -m benchmarks.felt_wait.named``: the wait where the instruction names a function, and the wait of a follow-up to its answer.

The model is loaded before, and each file is one that it has not read. The editor warms it up while the instruction is typed, as
the clients do. The follow-up comes when the answer is shown, before anything is accepted.
"""

from __future__ import annotations

import json
import statistics
import tempfile
from collections import Counter
from dataclasses import asdict, dataclass
from pathlib import Path
from random import Random
from typing import Annotated

import typer

from benchmarks.answers.cases import SETS
from benchmarks.felt_wait.__main__ import beginning
from benchmarks.felt_wait.session import Session, session
from editd.syntax.code import read_code
from tests.fixtures.proposed_edits import library_files
from training.corpus import File

FOLLOW_UP = "Make the docstring one sentence longer."


@dataclass(frozen=True, slots=True)
class Waited:
    """Seconds from the request: to the first hunk, ``None`` where none came, and to the result."""

    first: float | None
    end: float
    status: str


def main(
    model: Annotated[str, typer.Option(help="A folder, a GGUF file or a pulled id.")],
    lines: Annotated[str, typer.Option(help="Lines of the files.")] = "130,300,1000",
    edits: Annotated[int, typer.Option(help="Edits of each length.")] = 10,
    most_seconds: Annotated[float, typer.Option(help="Of an edit; it is ended then.")] = 120.0,
    threads: Annotated[int, typer.Option(help="CPU threads.")] = 2,
    output: Annotated[Path | None, typer.Option("--json", help="Write the seconds here.")] = None,
) -> None:
    """Measure edits of named functions and their follow-ups."""
    files = library_files(SETS["test"])
    found: dict[str, list[dict[str, object]]] = {}
    print(
        "| lines | | n | first hunk: median | least | most | none | end: median |\n"
        + "|---" * 8
        + "|"
    )
    with (
        tempfile.TemporaryDirectory(prefix="editd-") as home,
        session(Path(home), model, threads) as editor,
    ):
        _edit(
            editor,
            "file:///load.py",
            "def f():\n    return 1\n",
            "Add a docstring to f.",
            most_seconds,
        )
        for count in map(int, lines.split(",")):
            named: list[Waited] = []
            following: list[Waited] = []
            for number in range(edits):
                text, instruction = _named_edit(files, count, Random(f"{count} {number}"))
                uri = f"file:///{count}-{number}.py"
                document = editor.open(uri, text)
                params = {"textDocument": document, "options": {"timeout": most_seconds}}
                editor.request("editd/warmup", params)
                named.append(_edit(editor, uri, text, instruction, most_seconds))
                following.append(
                    _edit(editor, f"{uri}+", text, FOLLOW_UP, most_seconds, based_on=uri)
                )
            for name, waits in (("named function", named), ("follow-up", following)):
                print(_row(count, name, waits), flush=True)
                found[f"{count} {name}"] = [asdict(wait) for wait in waits]
    if output:
        output.write_text(json.dumps(found, indent=1), encoding="utf-8")


def _named_edit(files: list[File], lines: int, rng: Random) -> tuple[str, str]:
    """A file of at most ``lines`` lines, and an instruction that wants a docstring for a function whose name is there once."""
    long = [file for file in files if file.text.count("\n") >= lines]
    for _ in range(2000):
        text = beginning(rng.choice(long).text, lines)
        functions = [x for x in read_code(text, "python").definitions if x.is_block]
        counts = Counter(function.name for function in functions)
        bare = [x for x in functions if counts[x.name] == 1 and x.end - x.start in range(4, 40)]
        bare = [x for x in bare if _is_bare(text.splitlines(keepends=True)[x.start : x.end])]
        if text.count("\n") > 0.8 * lines and bare:
            return text, f"Add a docstring to {rng.choice(bare).name}."
    raise typer.BadParameter(f"no file of {lines} lines has a function without a docstring")


def _is_bare(lines: list[str]) -> bool:
    """Whether the lines are a function, perhaps behind a decorator, without a docstring."""
    return any(x.lstrip().startswith("def ") for x in lines[:2]) and '"""' not in "".join(lines)


def _edit(
    editor: Session,
    token: str,
    text: str,
    instruction: str,
    most_seconds: float,
    *,
    based_on: str = "",
) -> Waited:
    """Ask for an edit, or for one of the proposal of ``based_on``."""
    params: dict[str, object] = {
        "editToken": token,
        "text": text,
        "path": token.rpartition("/")[2].rstrip("+"),
        "instruction": instruction,
        "options": {"timeout": most_seconds},
    }
    if based_on:
        params["basedOn"] = based_on
    answer, first, end = editor.request("editd/edit", params)
    return Waited(first, end, answer["status"])


def _row(lines: int, name: str, waits: list[Waited]) -> str:
    firsts = [wait.first for wait in waits if wait.first is not None]
    times = (
        [f"{statistics.median(firsts):.1f}", f"{min(firsts):.1f}", f"{max(firsts):.1f}"]
        if firsts
        else ["–"] * 3
    )
    end = f"{statistics.median(wait.end for wait in waits):.1f}"
    cells = (str(lines), name, str(len(waits)), *times, str(len(waits) - len(firsts)), end)
    return f"| {' | '.join(cells)} |"


if __name__ == "__main__":
    typer.run(main)
