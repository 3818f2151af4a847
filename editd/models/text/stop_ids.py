"""Which tokens end an answer, from all of a model's files that say so.

A temperature or a penalty in ``generation_config.json`` must never change what an edit writes, so
that file is read only here.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from editd.models.text.codec import ModelCodec

_FILES = ("generation_config.json", "config.json", "tokenizer_config.json")


def stop_ids(folder: Path, codec: ModelCodec) -> frozenset[int]:
    """End tokens of generation_config, config and tokenizer together."""
    stops: set[int] = set()
    for file in _FILES:
        try:
            values = json.loads((folder / file).read_text(encoding="utf-8"))
        except (OSError, ValueError, RecursionError):
            continue
        if not isinstance(values, dict):
            continue
        for source in (values, values.get("text_config")):
            if isinstance(source, dict):
                stops.update(_ids(source.get("eos_token_id")))
        word = values.get("eos_token")
        if isinstance(word, dict):
            word = word.get("content")
        if isinstance(word, str) and (found := codec.id_of(word)) is not None:
            stops.add(found)
    return frozenset(stops)


def _ids(value: Any) -> list[int]:
    """One id, several, or none; JSON's ``true`` is not an id."""
    values = value if isinstance(value, list) else [value]
    return [i for i in values if isinstance(i, int) and not isinstance(i, bool) and i >= 0]
