"""Models that other programs store on this disk, by names that people know (``ollama:qwen2.5-coder:7b``).

A name is looked up among the models in a store; it never becomes part of a path. So wherever it comes from, it can only
denote a file inside these stores. ``layouts`` knows the stores, ``hub`` Hugging Face's cache, and how ``editd models
pull`` downloads into it, GGUF files by ``gguf_pull``. Reading the files is left to ``models``.
"""

from __future__ import annotations

import difflib
import re
from collections import Counter
from collections.abc import Iterable
from pathlib import Path

from editd.errors import ModelNotFound
from editd.stores.layouts import (
    ADAPTED,
    LEAVES,
    MISSING,
    PROGRAMS,
    UNREADABLE,
    StoredModel,
    begins_model,
    model_files,
    part_names,
    quantisations,
    stored_models,
    unreadable_stores,
)

__all__ = [
    "StoredModel",
    "begins_model",
    "find_model_file",
    "is_stored_name",
    "model_files",
    "part_names",
    "quantisations",
    "stored_models",
    "suggestion",
    "unreadable_stores",
    "with_unique_names",
]


_SPELLED = re.compile(
    rf"(?:{'|'.join(PROGRAMS)}|ollama_chat|lm[-_ ]?studio|huggingface)[:/]+", re.IGNORECASE
)
_REMEDIES = {
    LEAVES: "give the path of its file instead",
    UNREADABLE: "ask for the right to read it, or copy it",
    MISSING: "download it again there",
    ADAPTED: "which editd does not load: merge it into the model",
}


def is_stored_name(name: str) -> bool:
    """Whether ``name`` begins with a program's prefix (``ollama:``), whether or not that model exists."""
    program, colon, _ = name.partition(":")
    return bool(colon) and program in PROGRAMS


def find_model_file(name: str) -> Path:
    """The file of the model ``name`` (``ollama:qwen2.5-coder:7b``), which is searched in that program's store, in
    whatever case; of a model in parts the first.

    Raises ``ModelNotFound`` if no model of the store has that name, several that can be loaded have it, or the one that
    has it cannot be loaded; the sentence says what to do.
    """
    program, _, short_name = name.partition(":")
    models = list(stored_models(program))
    found = {
        model.file: model
        for model in models
        if short_name.casefold() in map(str.casefold, model.names)
    }
    loadable = [model for model in found.values() if not model.trouble]
    if len(loadable) == 1:
        return loadable[0].file
    if loadable:
        unique_names = [unique for model, unique in with_unique_names(models) if model in loadable]
        raise ModelNotFound(
            f"{name} matches {len(loadable)} models: use one of {', '.join(unique_names)}."
        )
    for model in found.values():
        raise ModelNotFound(
            f"{name} cannot be loaded: {model.trouble}; {_REMEDIES[model.trouble]} ({model.file})."
        )
    closed = "".join(f" {root} may not be read by you." for root in unreadable_stores())
    raise ModelNotFound(
        f"There is no {name} on this machine: `editd models` lists the models here.{suggestion(name)}{closed}"
    )


def suggestion(name: str) -> str:
    """“ Do you mean …?”, with a blank before it, and up to three stored models that another spelling may stand for,
    such as ``qwen2.5-coder:7b`` or ``ollama/qwen2.5-coder``; empty if none is near. Models that cannot be loaded are
    not offered.
    """
    bare = _SPELLED.sub("", name).casefold()
    named = [x for x in with_unique_names(stored_models()) if not x[0].trouble]
    exact = [
        unique
        for model, unique in named
        if any(bare in (x.casefold(), x.casefold().partition(":")[0]) for x in model.names)
    ]
    available = {unique.partition(":")[2].casefold(): unique for _, unique in named}
    near = [available[x] for x in difflib.get_close_matches(bare, available, n=3, cutoff=0.6)]
    offered = exact[:3] or near
    return f" Do you mean {' or '.join(offered)}?" if offered else ""


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
