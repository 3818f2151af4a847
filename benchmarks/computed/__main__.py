"""How often a computed chore is right on files that nobody wrote for it; no model is asked.

``python -m benchmarks.computed FOLDER`` draws files of each language (Python's also from the standard library and
the installed packages), asks for a chore in each, and judges the answer by other means than editd's own:
ruff and rustfmt, ``ast`` and ``tokenize``, and for the others tree-sitter's tokens. A chore is counted right, refused
(left to a model) or wrong.
"""

from __future__ import annotations

import sysconfig
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from random import Random
from typing import Annotated

import typer

from benchmarks.computed.imports import sort, unused
from benchmarks.computed.posing import ENDINGS, Judge, Posed
from benchmarks.computed.prints import logged, prints
from benchmarks.computed.shapes import docstrings, early, parameter, with_open
from benchmarks.computed.texts import comment_out, f_strings, quotes, uncommented
from editd.messages import EditRequest
from editd.refactor.computed import compute_edit
from editd.syntax.code import read_code

_MOST = 60_000  # characters of a file


def main(
    folder: Annotated[Path, typer.Argument(help="Holds packages' source files.")],
    kinds: Annotated[str, typer.Option(help="Comma-separated; empty: all.")] = "",
    languages: Annotated[str, typer.Option(help="Comma-separated.")] = ",".join(ENDINGS),
    count: Annotated[int, typer.Option(help="Edits of each kind and language.")] = 100,
    seed: Annotated[int, typer.Option(help="Draws the files.")] = 0,
    *,
    show: Annotated[bool, typer.Option(help="Name the files of wrong answers.")] = False,
) -> None:
    """A row for each kind and language."""
    print("| chore | language | edits | right | refused | wrong |\n|---|---|--:|--:|--:|--:|")
    for kind in kinds.split(",") if kinds else POSERS:
        for language in languages.split(","):
            files = list(_files(folder, language))
            row: Counter[str] = Counter()
            rng = Random(f"{kind} {language} {seed}")
            rng.shuffle(files)
            for file in files:
                if row.total() >= count:
                    break
                text = _read(file)
                if text is None or read_code(text, language).parses is False:
                    continue
                posed = POSERS[kind](text, language, rng)
                if posed is None:
                    continue
                verdict = _verdict(file, *posed)
                row[verdict] += 1
                if show and verdict == "wrong":
                    print(f"{kind} {language}: {file}: {posed[1]}")
            if row:
                cells = (row[verdict] for verdict in ("right", "refused", "wrong"))
                print(
                    f"| {kind} | {language} | {row.total()} | {' | '.join(map(str, cells))} |",
                    flush=True,
                )


def _files(folder: Path, language: str) -> Iterator[Path]:
    roots = [folder]
    if language == "python":
        roots += [Path(sysconfig.get_path("stdlib")), Path(sysconfig.get_path("purelib"))]
    for root in roots:
        for path in sorted(root.rglob("*")):
            if path.suffix in ENDINGS[language] and ".min." not in path.name and path.is_file():
                yield path


def _read(file: Path) -> str | None:
    try:
        text = file.read_bytes().decode()
    except (OSError, UnicodeDecodeError):
        return None
    return text if 200 < len(text) <= _MOST and "\r" not in text else None


def _verdict(file: Path, text: str, instruction: str, judge: Judge) -> str:
    # A file's own header stays first, which a shuffled text no longer shows.
    name = "a.c" if file.suffix in ENDINGS["c"] else file.name
    result = compute_edit(EditRequest("1", text, instruction, path=name))
    if result is None or result.text is None:
        return "refused"
    return "right" if judge(result.text) else "wrong"


POSERS: dict[str, Callable[[str, str, Random], Posed | None]] = {
    "sort imports": sort,
    "unused imports": unused,
    "quotes": quotes,
    "delete comments": uncommented,
    "comment out and back": comment_out,
    "delete prints": prints,
    "print to logging": logged,
    "with open": with_open,
    "f-strings": f_strings,
    "early return": early,
    "add a parameter": parameter,
    "delete docstrings": docstrings,
}


if __name__ == "__main__":
    typer.run(main)
