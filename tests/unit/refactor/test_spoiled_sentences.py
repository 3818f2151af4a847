"""A sentence that is carried out is not, once words around it refuse, question or narrow it, or wish for more."""

import random
from dataclasses import replace

import pytest

from editd.syntax.code import read_code
from editd.syntax.language import language_of
from tests.fixtures.instructions import SETS, instructions

FRAMES = (
    "Please do not do this: {0}",
    "Last time somebody wrote: {0}. That was wrong, undo it.",
    "explain what happens if we {0}",
    "Should we do the following or not: {0}?",
    "{0} and make it faster",
    "{0}, then refactor the rest",
    "{0}, and write a test for it",
    "{0}, except in {1}",
    "{0}, but not in {1}",
)
TEXT_TO_THE_END = (
    "docstring",
    "replace",
)  # kinds with a new text that may go on to the end of the sentence
NUMBER = 25  # sentences of each set


def elsewhere(instruction):
    """A definition of the file that the sentence does not name; empty if there is none."""
    code = read_code(instruction.text, language_of(instruction.path, ""))
    names = (x.name for x in code.definitions if x.is_block and x.name not in instruction.sentence)
    return next(names, "")


@pytest.mark.parametrize("name", SETS)
def test_a_spoiled_sentence_is_left(name):
    known = [x for x in instructions(SETS[name]) if x.kind not in ("open", *TEXT_TO_THE_END)]
    random.Random(5).shuffle(known)
    done = [x for x in known[: 2 * NUMBER] if x.outcome() == "right"][:NUMBER]
    assert len(done) > NUMBER // 2
    read = []
    for instruction in done:
        place = elsewhere(instruction)
        for frame in FRAMES:
            if "{1}" in frame and not place:
                continue
            sentence = frame.format(instruction.sentence.rstrip(" .!"), place)
            if replace(instruction, sentence=sentence).outcome() in ("right", "wrong"):
                read.append((instruction.path, sentence))
    assert not read
