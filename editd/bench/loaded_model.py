"""The model that a benchmark measures: the one that an edit would use here, unless another is named."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Annotated, cast

import typer

from editd import settings
from editd.config import Config
from editd.errors import UsageError
from editd.models.model import Model
from editd.models.pool import ModelPool

ModelName = Annotated[str, typer.Option("--model", help="Model to measure; default: model.name.")]


def config_here(name: str) -> Config:
    """The settings of this machine, for the model ``name``; empty: the one that is set."""
    return settings.resolve({"model": {"name": name}} if name else None).config


@contextmanager
def model_here(name: str) -> Iterator[Model]:
    """The model, loaded in this process and freed afterwards; a server's cannot be measured so."""
    config = config_here(name)
    if config.model.engine == "remote":
        raise UsageError("The model runs on a server: name one of this machine with --model.")
    pool = ModelPool(config)
    spec = pool.spec(config.model)
    model, _ = pool.acquire(spec)
    try:
        yield cast(Model, model)
    finally:
        pool.release(spec)
        pool.unload()
