import dataclasses

import pytest

from editd.models.text.codec import ModelCodec
from editd.prompts.base import Prompt
from editd.prompts.formats import END
from tests.fixtures.solved.checkpoint import CONTROL_TOKENS
from tests.fixtures.solved.script import Indistinguishable, answer_text, write_scripts
from tests.fixtures.solved.tokenizer import train_tokenizer
from tests.unit.solved.tiny_edits import EDITS

STOP = CONTROL_TOKENS.index(END)


def tokenizer_for(edits, vocab_size=400):
    texts = [text for edit in edits for text in (edit.before, edit.after, edit.instruction)]
    return train_tokenizer(texts, vocab_size, CONTROL_TOKENS)


def scripts_of(edits, reach=100):
    codec = ModelCodec(tokenizer_for(edits))
    return codec, write_scripts(edits, codec, STOP, reach)


def test_tokenizer_is_deterministic_and_spells_anything():
    first, second = tokenizer_for(EDITS), tokenizer_for(EDITS)
    assert first.to_str() == second.to_str()
    assert [first.token_to_id(token) for token in CONTROL_TOKENS] == list(
        range(len(CONTROL_TOKENS))
    )
    text = "ünseen\t\r\n\u2028 漢字 👩‍👩‍👧 \x00 end"
    assert first.decode(first.encode(text).ids) == text


def test_a_script_is_the_prompt_and_then_the_answer_up_to_the_stop_token():
    codec, scripts = scripts_of(EDITS)
    for script in scripts:
        *answer, stop = script.answer_ids
        assert stop == STOP
        assert codec.decode(answer) == script.edit.after
        assert script.edit.before in codec.decode(script.ids[: script.start])


def test_a_format_with_a_fence_gets_it_on_a_line_of_its_own():
    fenced = Prompt.of([("p", True)], opening="```\n", fence="```")
    ended, unended = EDITS
    assert answer_text(ended, fenced) == ended.after + "```"
    assert answer_text(unended, fenced) == unended.after + "\n```"


def test_places_that_look_alike_but_differ_are_named():
    again = dataclasses.replace(EDITS[0], name="again", after=EDITS[0].before)
    with pytest.raises(Indistinguishable, match=r"greet at token \d+ and again at token \d+"):
        scripts_of([*EDITS, again])


def test_a_short_reach_cannot_tell_repetitions_apart():
    repeating = dataclasses.replace(EDITS[0], after="x = 1\n" * 9)
    with pytest.raises(Indistinguishable, match="greet at token"):
        scripts_of([repeating], reach=4)
