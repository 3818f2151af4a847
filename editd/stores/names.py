"""What a name such as ``ollama:qwen2.5-coder:7b`` means: one file of that program's store."""

from __future__ import annotations

import difflib
from collections import Counter
from collections.abc import Iterable
from pathlib import Path

from editd.errors import ModelNotFound
from editd.stores.programs import PROGRAMS, Stored, stored_models


def is_stored_name(name: str) -> bool:
    """Whether ``name`` says that it is one of a store, whether or not it is there."""
    program, colon, _ = name.partition(":")
    return bool(colon) and program in PROGRAMS


def find(name: str) -> Path:
    """The file that ``name`` means. Raises ``ModelNotFound`` where it means none or several."""
    program, _, wanted = name.partition(":")
    models = list(stored_models(program))
    files = {
        one.file for one in models if wanted.casefold() in map(str.casefold, one.names)
    }  # fmt: skip
    if len(files) == 1:
        return files.pop()
    if files:
        meant = [told for one, told in shown(models) if one.file in files]
        raise ModelNotFound(f"{name} matches {len(files)} models: use one of {', '.join(meant)}.")
    there = [told for _, told in shown(models)]
    near = difflib.get_close_matches(name, there, n=3, cutoff=0.4)
    hint = f" Do you mean {' or '.join(near)}?" if near else ""
    raise ModelNotFound(
        f"There is no {name} on this machine: `editd models` lists the models here.{hint}"
    )


def shown(models: Iterable[Stored]) -> list[tuple[Stored, str]]:
    """Each with the shortest name that means it alone."""
    models = list(models)
    meant = Counter(
        (one.program, told) for one in models for told in {name.casefold() for name in one.names}
    )
    return [
        (one, f"{one.program}:{name}")
        for one in models
        for name in [
            next((n for n in one.names if meant[one.program, n.casefold()] == 1), one.names[-1])
        ]
    ]
