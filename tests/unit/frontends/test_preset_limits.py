"""A preset that the model in use cannot do says so before it is chosen."""

import pytest

from editd.config import BUILT_IN, ModelConfig, Preset
from editd.frontends.preset_limits import kinds_of_edits, refused_presets

BY_WORDS = Preset("sort", "Sort", "Sort the imports.")
KNOWN = Preset("doc", "Doc", "Add a docstring to load.")
OPEN = Preset("async", "Async", "Make it asynchronous.")


@pytest.mark.parametrize(
    ("model", "refused"),
    [
        (ModelConfig(), {preset.name for preset in BUILT_IN} | {"async"}),
        (ModelConfig(name="/models/m.gguf"), set()),
        (ModelConfig(engine="remote"), set()),
    ],
)
def test_only_the_embedded_model_refuses_by_the_words(model, refused):
    found = refused_presets([*BUILT_IN, BY_WORDS, KNOWN, OPEN], model)
    assert set(found) == refused
    assert all("does not know this kind of edit" in sentence for sentence in found.values())


def test_the_kinds_that_a_small_model_knows_are_told():
    kinds = kinds_of_edits(ModelConfig())
    assert len(kinds) == 13
    assert {"replace a string", "add an import (Python)"} <= set(kinds)
    assert kinds_of_edits(ModelConfig(name="/models/m.gguf")) == []
