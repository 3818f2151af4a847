"""Models that other programs store on this disk, by names that people know (``ollama:qwen2.5-coder:7b``).

A name is looked up among the models in a store; it never becomes part of a path. So wherever it comes from, it can only
denote a file inside these stores. ``layouts`` knows the stores, ``hub`` Hugging Face's cache, and how ``editd models
pull`` downloads into it. Reading the files is left to ``models``.
"""

from __future__ import annotations

import difflib
from collections import Counter
from collections.abc import Iterable
from pathlib import Path

from editd.errors import ModelNotFound
from editd.stores.layouts import PROGRAMS, StoredModel, model_files, stored_models

__all__ = [
    "StoredModel",
    "find_model_file",
    "is_stored_name",
    "model_files",
    "stored_models",
    "with_unique_names",
]


def is_stored_name(name: str) -> bool:
    """Whether ``name`` begins with a program's prefix (``ollama:``), whether or not that model exists."""
    program, colon, _ = name.partition(":")
    return bool(colon) and program in PROGRAMS


def find_model_file(name: str) -> Path:
    """The file of the model ``name``. Raises ``ModelNotFound`` if no model or several have that name."""
    program, _, short_name = name.partition(":")
    models = list(stored_models(program))
    files = {
        model.file for model in models if short_name.casefold() in map(str.casefold, model.names)
    }  # fmt: skip
    if len(files) == 1:
        return files.pop()
    if files:
        matching = [unique for model, unique in with_unique_names(models) if model.file in files]
        raise ModelNotFound(
            f"{name} matches {len(files)} models: use one of {', '.join(matching)}."
        )
    available = [unique for _, unique in with_unique_names(models)]
    near = difflib.get_close_matches(name, available, n=3, cutoff=0.4)
    hint = f" Do you mean {' or '.join(near)}?" if near else ""
    raise ModelNotFound(
        f"There is no {name} on this machine: `editd models` lists the models here.{hint}"
    )


def with_unique_names(models: Iterable[StoredModel]) -> list[tuple[StoredModel, str]]:
    """The models, each with ``program:name``: the first of its names that no other model of its program has, in whatever case;
    its last name if there is none.
    """
    models = list(models)
    owners = Counter(
        (model.program, folded)
        for model in models
        for folded in {name.casefold() for name in model.names}
    )
    return [
        (model, f"{model.program}:{name}")
        for model in models
        for name in [
            next(
                (n for n in model.names if owners[model.program, n.casefold()] == 1),
                model.names[-1],
            )
        ]
    ]
