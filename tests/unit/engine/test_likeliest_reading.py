"""A model that knows only some kinds of edits is not asked where the words have a literal meaning, doubtful or not."""

import pytest

from editd.messages import EditOptions, EditRequest
from tests.written_answer import TextModel, answered

CODE = "def total(qty):\n    return f'qty {qty}' + str(qty)\n"
NEW = CODE.replace("(qty)", "(number)").replace("{qty}", "{number}")
MODEL_SAYS = "```python\n" + CODE.replace("qty", "other") + "```\n"
DOUBTFUL = "rename qty to number everywhere"


@pytest.mark.parametrize(
    ("families", "instruction", "way", "text"),
    [
        (["rename"], DOUBTFUL, None, NEW),
        (["rename"], DOUBTFUL, "model", CODE.replace("qty", "other")),
        (None, DOUBTFUL, None, CODE.replace("qty", "other")),  # a model that knows more is asked
        (["rename"], "rename it", None, None),  # no literal meaning
    ],
)
def test_it_is_carried_out_for_a_small_model(families, instruction, way, text):
    model = TextModel("m", [MODEL_SAYS], "stop", "messages")
    if families:
        model.manifest = {"kind": "trained", "families": families}
    request = EditRequest("1", CODE, instruction, "a.py", options=EditOptions(way=way))
    result, _ = answered(request, model)
    assert result.text == text
    is_told = any("what they most likely mean" in notice for notice in result.notices)
    assert is_told == (text == NEW)
