"""What a checkpoint of ours says of itself, and what it is not asked for."""

import pytest

from editd.embedded.families import describe, is_trained, longest, refuse

MANIFEST = describe(["rename", "f-strings"], "embedded")


@pytest.mark.parametrize(
    ("instruction", "language", "asked"),
    [
        ("Rename a to b.", "python", True),
        ("rename a to b", "lua", True),
        ("use f-strings", "python", True),
        ("use f-strings", "lua", False),
        ("delete the comments", "python", False),  # learned by none
        ("translate this to French", "python", False),
    ],
)
def test_only_what_it_learned_is_asked_for(instruction, language, asked):
    assert (refuse(MANIFEST, instruction, language) is None) is asked


def test_other_models_are_not_ours():
    assert is_trained(MANIFEST)
    assert not is_trained({})
    assert "delete-comments" in MANIFEST["left_out"]
    assert longest(MANIFEST) == 512
    assert longest({}) == 0  # nobody knows
