"""A draft model of the same vocabulary: in step, at its own pace, and harmless."""

import itertools

import pytest

from editd.decode.drafters import make_drafter
from editd.decode.drafters.base import Draft, DraftTask
from editd.decode.drafters.draft_session import DraftLength, DraftSession, share_vocabulary
from editd.decode.speculative import Decoding
from editd.decode.window import FixedWindow
from editd.errors import OutOfMemory, UsageError
from editd.models.text.codec import ModelCodec
from tests import tiny
from tests.reciter import Reciter
from tests.scripted import ScriptedTarget, scripted_choice

CODEC = ModelCodec(tiny.byte_level_tokenizer())
TRUTH = "".join(tiny.corpus(3))
TRUTH_IDS = CODEC.encode(TRUTH)
PROMPT_IDS = CODEC.encode("rewrite: " + "x = 1\n" * 30)
STOP = CODEC.id_of("<|end|>")


class Sequential(Reciter):
    """Recites ids, not text, and the stop token after them; ``wrong`` as in ``Reciter``."""

    def __init__(self, codec, truth=b"", **options):
        super().__init__(codec, truth, stop_ids=frozenset([STOP]), **options)

    def open(self, prompt_ids):
        sequence = super().open(prompt_ids)
        start = len(sequence.prompt_ids)

        def rest():
            place = len(sequence.ids) - start
            return self.codec.token_bytes(TRUTH_IDS[place]) if place < len(TRUTH_IDS) else b""

        sequence._rest = rest
        return sequence


def session_for(model, *, target=CODEC, **options):
    speaker = type(
        "Target",
        (),
        {"name": "t", "codec": target, "stop_ids": frozenset([STOP]), "render_chat": None},
    )()
    return DraftSession(model, speaker, **options)


def decode(model, spec="draft-model", *, window=16, wrap=None, passes=None, **options):
    notes = []
    session = session_for(model, note=notes.append, target_costs=passes, **options)
    drafter = make_drafter(spec, DraftTask(PROMPT_IDS, TRUTH, "", CODEC, draft=session))
    decoding = Decoding(
        ScriptedTarget(scripted_choice(len(PROMPT_IDS), TRUTH_IDS, STOP), vocab_size=512),
        PROMPT_IDS,
        wrap(drafter) if wrap else drafter,
        ends_answer=lambda token_id: token_id == STOP,
        max_new_tokens=2000,
        window=FixedWindow(window),
    )
    while decoding.finish_reason is None:
        decoding.advance()
    session.close()
    assert decoding.output_ids == [*TRUTH_IDS, STOP]
    assert all(sequence.closed for sequence in model.sequences)
    return decoding.stats, notes


@pytest.mark.parametrize("window", [1, 2, 7, 64])
@pytest.mark.parametrize("wrong", [0, 1, 3, 10])
def test_the_text_is_the_targets(window, wrong):
    stats, notes = decode(Sequential(CODEC, wrong=wrong), window=window)
    assert notes == []
    assert (stats.rejected == 0) == (wrong == 0) or window == 1
    if wrong == 0:
        assert stats.accepted > stats.output_tokens * window / (window + 4) * 0.7


@pytest.mark.parametrize("wrong", [0, 1, 4])
def test_nothing_is_computed_twice(wrong):
    model = Sequential(CODEC, wrong=wrong)
    stats, _ = decode(model)
    (sequence,) = model.sequences
    assert len(sequence.fed) == len(set(sequence.fed))
    right = len(PROMPT_IDS) + stats.output_tokens
    assert len(sequence.fed) <= right + stats.rejected


def test_it_catches_up_with_what_others_drafted():
    class EveryFourth:
        """Drafts the truth itself in three rounds of four."""

        name = "other"

        def __init__(self, inner):
            self.inner, self.round = inner, 0

        def propose(self, output_ids, max_tokens):
            self.round += 1
            if self.round % 4:
                return Draft(TRUTH_IDS[len(output_ids) :][: min(20, max_tokens)])
            return self.inner.propose(output_ids, max_tokens)

        def observe(self, accepted_ids):
            self.inner.observe(accepted_ids)

    model = Sequential(CODEC)
    stats, _ = decode(model, wrap=EveryFourth)
    (sequence,) = model.sequences
    assert stats.rejected == 0
    assert len(sequence.fed) == len(set(sequence.fed)) <= len(PROMPT_IDS) + stats.output_tokens


def test_composed_it_is_asked_only_when_the_others_are_silent():
    model = Sequential(CODEC)
    stats, _ = decode(model, "buffer+draft-model", window=200)
    assert stats.rounds < 6
    assert not model.sequences  # the buffer was right all along


def test_a_long_prompt_is_read_in_pieces():
    model = Sequential(CODEC, prefill_chunk=4)
    session = session_for(model)
    drafter = make_drafter("draft-model", DraftTask(PROMPT_IDS, "", "", CODEC, draft=session))
    drafts = [len(drafter.propose([], 8)) for _ in range(4)]
    assert drafts[0] == 0  # sixteen chunks a round
    assert drafts[-1] > 0
    # An engine can read it chunk by chunk beforehand.
    other = session_for(Sequential(CODEC, prefill_chunk=4))
    drafter = make_drafter("draft-model", DraftTask(PROMPT_IDS, "", "", CODEC, draft=other))
    chunks = 0
    while other.prefill_chunk():
        chunks += 1
    assert chunks == -(-(len(PROMPT_IDS) - 1) // 4)
    assert len(drafter.propose([], 8)) > 0


# --- when it cannot go on ------------------------------------------------------------------------


def out_of_memory(model):
    opening = model.open

    def open_broken(prompt_ids):
        sequence = opening(prompt_ids)
        drawing = sequence.draw

        def draw(*args, **options):
            if len(sequence.ids) > len(PROMPT_IDS) + 30:
                raise OutOfMemory("Memory ran out.")
            return drawing(*args, **options)

        sequence.draw = draw
        return sequence

    model.open = open_broken
    return model


@pytest.mark.parametrize(
    ("model", "why"),
    [
        (Sequential(CODEC, max_context=len(PROMPT_IDS) + 40), "reads at most"),
        (Sequential(CODEC, max_context=20), "reads at most"),
        (Sequential(CODEC, rewindable=False), "cannot be rewound"),
        (out_of_memory(Sequential(CODEC)), "ran out of memory"),
    ],
    ids=["context", "prompt", "stateful", "memory"],
)
def test_the_answer_goes_on_without_it_after_one_notice(model, why):
    stats, notes = decode(model)
    assert len(notes) == 1
    assert why in notes[0]
    assert "without it" in notes[0]
    assert stats.rounds > 100


def test_tokens_that_it_cannot_read_silence_it():
    model = Sequential(CODEC)
    notes = []
    session = session_for(model, note=notes.append)
    task = DraftTask([1, 9000], "", "", CODEC, draft=session)
    assert len(make_drafter("draft-model", task).propose([], 8)) == 0
    assert "does not know a token" in notes[0]


def test_it_needs_a_draft_model():
    with pytest.raises(UsageError, match="--draft-model"):
        make_drafter("draft-model", DraftTask([1], "", "", CODEC))


def test_another_vocabulary_is_refused_by_name():
    model = Sequential(ModelCodec(tiny.sentencepiece_tokenizer()), name="small")
    task = DraftTask([1], "", "", CODEC, draft=session_for(model))
    with pytest.raises(UsageError, match=r"small has a different vocabulary .* universal"):
        make_drafter("draft-model", task)


# --- vocabularies --------------------------------------------------------------------------------


class Words:
    """A vocabulary of words; ``None``: an id without a token, ``"<…>"``: a control token."""

    def __init__(self, words):
        self.words = words
        self.vocab_size = len(words)

    def word_of(self, token_id):
        return (self.words[token_id] if token_id < len(self.words) else None) or ""

    def token_bytes(self, token_id):
        word = self.word_of(token_id)
        return b"" if word.startswith("<") else word.encode()


COMMON = ["<s>", "</s>", *(f"w{i}" for i in range(300))]


@pytest.mark.parametrize(
    ("other", "alike"),
    [
        (COMMON, True),
        ([*COMMON, None, None, None], True),  # padded
        ([*COMMON, "<tool>", "<think>"], True),  # a later release
        ([*COMMON[:-1], "<tool>"], False),
        ([*COMMON[:5], "x", *COMMON[6:]], False),  # as large, and not the same
        (["</s>", "<s>", *COMMON[2:]], False),
        ([*COMMON[:2], *COMMON[3:]], False),
        (COMMON[:290], False),
        ([*COMMON, *(f"v{i}" for i in range(30))], False),
    ],
)
def test_vocabularies_are_compared_by_content(other, alike):
    assert share_vocabulary(Words(COMMON), Words(other)) is alike
    assert share_vocabulary(Words(other), Words(COMMON)) is alike


def test_real_vocabularies_are_compared_by_content():
    assert share_vocabulary(CODEC, ModelCodec(tiny.byte_level_tokenizer(), vocab_size=640))
    assert not share_vocabulary(CODEC, ModelCodec(tiny.sentencepiece_tokenizer()))


# --- pace ----------------------------------------------------------------------------------------


def test_drafts_grow_when_accepted_and_shrink_when_rejected():
    pace = DraftLength(0.1)
    first = pace.length()
    for _ in range(10):
        pace.observe(first, first)
    grown = pace.length()
    for _ in range(12):
        pace.observe(grown, 1)
    assert pace.length() < first < grown


def test_what_never_pays_is_tried_ever_more_rarely():
    pace = DraftLength(0.5)
    asked = []
    for _ in range(100):
        asked.append(pace.length())
        if asked[-1]:
            pace.observe(asked[-1], 0)
    assert 4 <= sum(count > 0 for count in asked) < 20
    assert max(asked[-60:]) <= 1
    for _ in range(80):  # and comes back when it pays again
        count = pace.length()
        if count:
            pace.observe(count, count)
    assert pace.length() > 2


def test_a_draft_model_dearer_than_the_target_is_hardly_asked():
    pace = DraftLength(1.2)
    asked = []
    for _ in range(100):
        asked.append(pace.length())
        if asked[-1]:
            pace.observe(asked[-1], asked[-1])
    assert sum(asked) < 12


@pytest.mark.parametrize("cost", [0.02, 0.1, 0.3])
def test_a_cheaper_draft_model_is_asked_for_more(cost):
    assert DraftLength(cost).length() > DraftLength(2 * cost).length()


class Passes:
    """What passes take: seconds of one row, and how much each further one adds."""

    def __init__(self, alone, row):
        self.alone, self.row = alone, row

    again_row = 0.0

    def seconds(self, num_tokens, context, *, tree=False):
        return self.alone + self.row * (num_tokens - 1) + 1e-6 * context

    def learn(self, num_tokens, context, seconds, *, tree=False):
        """Settled."""


@pytest.mark.parametrize(
    ("target", "draft", "pays"),
    [
        (Passes(1.0, 0.0), Passes(0.1, 0.0), True),  # a GPU: rows are free
        (Passes(1.0, 0.1), Passes(0.1, 0.1), True),
        (Passes(1.0, 0.5), Passes(0.4, 0.1), False),  # a CPU, a third of the size
        (Passes(1.0, 0.0), Passes(1.1, 0.0), False),
        (Passes(1.0, 0.9), Passes(0.01, 0.0), False),  # rows as dear as passes
    ],
)
def test_a_draft_model_that_cannot_pay_is_not_asked(target, draft, pays):
    length = DraftLength(0.1, target, draft)
    assert length.can_pay(1000) is pays
    asked = []
    for _ in range(100):
        asked.append(length.length(1000))
        if asked[-1]:
            length.observe(asked[-1], asked[-1])
    assert (max(asked) > 1) is pays


def test_what_cannot_pay_reads_nothing_and_says_so_once():
    model = Sequential(CODEC)
    stats, (note,) = decode(model, passes=Passes(1.0, 0.5), costs=Passes(0.4, 0.1))
    assert "longer on this machine than it can save" in note
    assert (model.sequences, stats.drafted) == ([], 0)
    stats, notes = decode(model, passes=Passes(1.0, 0.01), costs=Passes(0.05, 0.0))
    assert (notes, stats.accepted > 0) == ([], True)


def test_what_its_passes_take_is_learned_from_them():
    class Learning(Passes):
        learned = 0

        def learn(self, num_tokens, context, seconds, *, tree=False):
            assert (num_tokens >= 1, context > 0, seconds) == (True, True, 0.5)
            self.learned += 1

    ticks = itertools.count(0, 0.5)
    costs = Learning(0.05, 0.0)
    stats, _ = decode(Sequential(CODEC), costs=costs, clock=lambda: next(ticks))
    assert costs.learned >= stats.drafted > 0


def test_dearer_rows_make_shorter_drafts():
    lengths = [DraftLength(0.05, Passes(1.0, row)).length() for row in (0.0, 0.05, 0.2, 0.6)]
    assert lengths == sorted(lengths, reverse=True)
    assert lengths[0] > lengths[-1] == 1


def test_a_step_in_the_cost_of_rows_is_looked_beyond():
    """Two rows cost twice as much as one, and sixteen hardly more: a long draft pays, a short one not."""

    class Step(Passes):
        def seconds(self, num_tokens, context, *, tree=False):
            return 1.0 if num_tokens == 1 else 1.9 + 0.02 * num_tokens

    length = DraftLength(0.01, Step(1.0, 0.0))
    assert length.can_pay(0)
    assert length.length() > 3
    assert length.worth_going_on(0.5, 2)
    assert not length.worth_going_on(0.5, 0)  # the second row is the dear one
