"""The command: which cases, which model, and where the figures go."""

from __future__ import annotations

from math import inf
from pathlib import Path
from time import monotonic
from typing import TYPE_CHECKING, Annotated, cast

import typer

from benchmarks.answers.cases import (
    SETS,
    folder_files,
    generated_files,
    recorded_cases,
    with_cut_lines,
    word_as,
)
from benchmarks.answers.judge import Outcome, by_the_words, carry_out
from benchmarks.answers.report import save, saved, table
from editd.config import Config, ModelConfig
from editd.engine import Engine
from editd.messages.options import EditOptions
from tests.fixtures.proposed_edits import Case, family_cases, library_files
from training.families import GENERATORS

if TYPE_CHECKING:
    from editd.messages.options import WayName


def main(
    model: Annotated[str, typer.Option(help="A folder, a GGUF file or a pulled id.")],
    of: Annotated[str, typer.Option("--set", help="tuning or test.")] = "test",
    kinds: Annotated[str, typer.Option(help="Families, comma-separated; empty: all.")] = "",
    count: Annotated[int, typer.Option(help="Cases of each kind.")] = 3,
    tokens: Annotated[str, typer.Option(help="Length of a text, from-to.")] = "60-420",
    seed: Annotated[int, typer.Option(help="Draws the cases.")] = 0,
    folders: Annotated[
        list[Path] | None, typer.Option("--folder", help="Texts to cut instead of the set's.")
    ] = None,
    languages: Annotated[str, typer.Option(help="Generated texts beside Python's.")] = "",
    wordings: Annotated[
        Path | None, typer.Option(help="How edits are asked for, instead of the families' words.")
    ] = None,
    cut_lines: Annotated[
        int, typer.Option(help="So many of the texts end in the middle of a line.")
    ] = 0,
    recorded: Annotated[Path | None, typer.Option(help="Recorded edits instead.")] = None,
    json_file: Annotated[
        Path | None, typer.Option("--json", help="Keep outcomes, and go on where they end.")
    ] = None,
    minutes: Annotated[float, typer.Option(help="End after so many; 0: when all is done.")] = 0,
    dtype: Annotated[str, typer.Option(help="Of the weights.")] = "auto",
    threads: Annotated[int, typer.Option(help="CPU threads.")] = 1,
    most_tokens: Annotated[int, typer.Option(help="Of an answer; 0: as editd decides.")] = 0,
    way: Annotated[
        str, typer.Option(help="As editd's --way: model, also where words alone decide; whole.")
    ] = "",
    *,
    words: Annotated[
        bool, typer.Option(help="Compute what the words decide, as a user's client does.")
    ] = False,
) -> None:
    """Carry edits out with a real model and count the right ones."""
    fewest, most = map(int, tokens.split("-"))
    if wordings is not None:
        word_as(wordings)
    if recorded is not None:
        cases = recorded_cases(recorded, int(most * 3.5))[: count or None]
    else:
        files = [file for folder in folders or () for file in folder_files(folder)]
        files = files or library_files(SETS[of])
        files += generated_files([name for name in languages.split(",") if name], seed)
        cases = family_cases(
            files, kinds.split(",") if kinds else list(GENERATORS), count, (fewest, most), seed
        )
        cases = with_cut_lines(cases, cut_lines, seed)
    options = EditOptions(
        max_new_tokens=most_tokens or None, way=cast("WayName", way) if way else None
    )
    config = Config(ModelConfig(model, dtype=dtype, threads=threads))
    ends = monotonic() + 60 * minutes if minutes else inf
    run(cases, config, options, json_file, ends, words=words)


def run(
    cases: list[Case],
    config: Config,
    options: EditOptions,
    json_file: Path | None = None,
    ends: float = inf,
    *,
    words: bool = False,
) -> list[Outcome]:
    """Carry out ``cases`` one after the other, print each as it ends, and all in a table; those in ``json_file`` are not asked again.

    ends: by ``monotonic``, after which no case is begun. words: what they decide is computed, every time
    anew, and not kept in ``json_file``.
    """
    computed = [found for case in cases if words and (found := by_the_words(case))]
    done = {outcome.case for outcome in computed}
    earlier = [] if json_file is None else saved(json_file)
    outcomes = [*computed, *(outcome for outcome in earlier if outcome.case not in done)]
    done |= {outcome.case for outcome in outcomes}
    left = [case for case in cases if case not in done]
    engine = Engine(config)
    try:
        for number, case in enumerate(left):
            if monotonic() > ends:
                print(f"{len(left) - number} of {len(cases)} edits are left: call again.")
                break
            outcome = carry_out(engine, case, options)
            outcomes.append(outcome)
            verdict = "exact" if outcome.exact else "unchanged" if outcome.unchanged else ""
            print(
                f"{case.name:20} {outcome.finish_reason:8} {verdict:10} {outcome.tokens:5} tokens "
                f"{outcome.rounds:4} rounds {outcome.seconds:6.1f} s  {case.instruction[:60]!r}",
                flush=True,
            )
            if json_file is not None:
                save([outcome], json_file)
    finally:
        engine.close()
    order = {case: number for number, case in enumerate(cases)}
    outcomes.sort(key=lambda outcome: order.get(outcome.case, 0))
    print("\n" + table(outcomes))
    return outcomes


if __name__ == "__main__":
    typer.run(main)
