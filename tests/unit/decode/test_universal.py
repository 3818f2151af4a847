"""A draft model with another tokenizer: text between the two, exactly, and each piece once."""

from bisect import bisect_right
from types import SimpleNamespace

import pytest

from editd.decode.drafters import make_drafter
from editd.decode.drafters.base import DraftTask
from editd.decode.drafters.draft_session import DraftSession
from editd.decode.drafters.universal import (
    UniversalDrafter,
    ids_in_place,
    tags_between,
    translated_prompt,
    turn_end,
)
from editd.decode.speculative import Decoding
from editd.decode.target import Sampling
from editd.decode.window import FixedWindow
from editd.errors import UsageError
from editd.models.text.codec import ModelCodec
from tests import tiny
from tests.reciter import Reciter
from tests.scripted import ScriptedTarget, scripted_choice

BYTES = ModelCodec(tiny.byte_level_tokenizer())
PIECES = ModelCodec(tiny.sentencepiece_tokenizer())
CODECS = {"byte-level": BYTES, "sentencepiece": PIECES}
both_ways = pytest.mark.parametrize(
    ("target", "draft"), [(BYTES, PIECES), (PIECES, BYTES), (BYTES, BYTES)]
)
CODE = "".join(tiny.corpus(3)) + "x = '🙂👩‍👩‍👧 größe 漢字'\n\tif  a:\n        pass  # e\u0301\n"
PROMPT = "rewrite this:\n```\n"


def voice(codec, stop_ids=frozenset(), render_chat=None):
    return SimpleNamespace(
        name="target", codec=codec, stop_ids=frozenset(stop_ids), render_chat=render_chat
    )


def decode(target, reciter, *, truth=CODE, window=32, prefix=None, sampling=None):
    """Let ``reciter`` draft for a target that writes ``truth``; the decoding and its session."""
    prompt_ids = target.prompt_ids(PROMPT)
    stop_id = target.id_of("<|end|>") or target.id_of("</s>")
    truth_ids = target.encode(truth) if isinstance(truth, str) else list(truth)
    session = DraftSession(reciter, voice(target, [stop_id]), sampling=sampling or Sampling())
    task = DraftTask(prompt_ids, "", "", target, draft=session)
    drafter = make_drafter("universal", task)
    if prefix:
        drafter = prefix(drafter, truth_ids)
    model = ScriptedTarget(
        scripted_choice(len(prompt_ids), truth_ids, stop_id), vocab_size=target.vocab_size
    )
    decoding = Decoding(
        model,
        prompt_ids,
        drafter,
        ends_answer=lambda token_id: token_id == stop_id,
        max_new_tokens=5000,
        window=FixedWindow(window),
    )
    while decoding.finish_reason is None:
        decoding.advance()
    session.close()
    assert decoding.output_ids == [*truth_ids, stop_id]
    assert all(sequence.closed for sequence in reciter.sequences)
    return decoding.stats, session


@both_ways
@pytest.mark.parametrize("window", [1, 3, 32])
def test_what_the_draft_model_knows_is_accepted(target, draft, window):
    reciter = Reciter(draft, CODE.encode())
    stats, _ = decode(target, reciter, window=window)
    # A window of one token cannot wait for the next to know whether it is finished.
    assert stats.accepted >= stats.drafted * (0.85 if window == 1 else 0.95) - 32
    assert stats.rounds < stats.output_tokens / (1 + 0.7 * min(window, 12))


@both_ways
@pytest.mark.parametrize("wrong", [1, 2, 5])
def test_errors_of_the_draft_model_cost_rounds_alone(target, draft, wrong):
    reciter = Reciter(draft, CODE.encode(), wrong=wrong)
    stats, _ = decode(target, reciter)
    assert stats.rejected > 0
    assert stats.output_tokens > 200


@both_ways
def test_text_that_is_no_utf8_is_drafted_too(target, draft):
    noise = bytes([0xFF, 0x80, 0x41, 0xC3]) * 6
    ids = [next(i for i in range(600) if target.token_bytes(i) == bytes([b])) for b in noise]
    truth = [*target.encode("def f"), *ids, *target.encode("(a, b):\n    return a\n" * 4)]
    spelled = b"".join(map(target.token_bytes, truth))
    stats, _ = decode(target, Reciter(draft, spelled), truth=truth)
    assert stats.accepted > 10


@both_ways
def test_the_end_of_the_answer_is_drafted(target, draft):
    stop_id = draft.id_of("<|end|>") or draft.id_of("</s>")
    reciter = Reciter(draft, CODE.encode(), stop_ids=frozenset([stop_id]))
    stats, _ = decode(target, reciter)
    plain, _ = decode(target, Reciter(draft, CODE.encode()))
    assert stats.rounds <= plain.rounds
    assert stats.accepted > plain.accepted


class LeavesOffNowAndThen:
    """Another drafter that interrupts: it drafts the truth, ``length`` tokens, every third round."""

    name = "other"

    def __init__(self, inner, truth_ids, length=5):
        self.inner, self.truth_ids, self.length = inner, truth_ids, length
        self.round = 0

    def propose(self, output_ids, max_tokens):
        from editd.decode.drafters.base import Draft

        self.round += 1
        if self.round % 2:
            rest = self.truth_ids[len(output_ids) :]
            return Draft(rest[: min(self.length, max_tokens)])
        return self.inner.propose(output_ids, max_tokens)

    def observe(self, accepted_ids):
        self.inner.observe(accepted_ids)


@pytest.mark.parametrize("length", [1, 2, 7])
def test_healing_frees_the_draft_model_from_the_targets_borders(monkeypatch, length):
    def interrupted(drafter, truth_ids):
        return LeavesOffNowAndThen(drafter, truth_ids, length)

    def rounds():
        reciter = Canonical(PIECES, CODE.encode())
        return decode(BYTES, reciter, prefix=interrupted)[0].rounds

    healed = rounds()
    monkeypatch.setattr(UniversalDrafter, "_take_back", lambda _: None)
    assert healed < rounds()


class Canonical(Reciter):
    """Knows its text only in its tokenizer's own tokens, as trained models nearly do."""

    def open(self, prompt_ids):
        sequence = super().open(prompt_ids)
        codec = self.codec
        text = self.truth.decode()
        whole = [*prompt_ids, *codec.encode(text)]
        reciting = sequence.draw

        def draw(token_ids, sampling, *, allowed=None, **options):
            drawn = reciting(token_ids, sampling, allowed=allowed, **options)
            said = len(sequence.ids)
            start = len(self.spell(whole[:said]))
            if sequence.ids[-4:] == whole[max(0, said - 4) : said] or start == len(
                self.spell(sequence.ids)
            ):
                token_id = whole[said] if said < len(whole) else drawn.token_id
                if allowed is None or token_id in allowed:
                    return type(drawn)(token_id, 0.99)
                return drawn
            return type(drawn)(codec.encode("?")[0], 0.99) if allowed is None else drawn

        sequence.draw = draw
        return sequence


def test_each_piece_of_text_is_translated_once(monkeypatch):
    def encoded():
        sizes = []

        class Counting(ModelCodec):
            def encode(self, text, after=""):
                sizes.append(len(text))
                return super().encode(text, after)

        draft = Counting(tiny.sentencepiece_tokenizer())
        sizes.clear()
        decode(BYTES, Reciter(draft, CODE.encode(), wrong=6))
        return sum(sizes), len(sizes)

    total, pieces = encoded()
    # New text, and the 64 bytes before it that matter to how it is split.
    assert total < len(CODE) + 80 * pieces

    translate = UniversalDrafter._translate

    def anew(drafter):
        drafter._crop(bisect_right(drafter._ends, drafter._num_prompt_bytes))
        return translate(drafter)

    monkeypatch.setattr(UniversalDrafter, "_translate", anew)
    assert encoded()[0] > 3 * total


@both_ways
def test_nothing_is_fed_to_the_draft_model_twice(target, draft):
    reciter = Reciter(draft, CODE.encode(), wrong=9)
    stats, session = decode(target, reciter)
    (sequence,) = reciter.sequences
    repeated = len(sequence.fed) - len(set(sequence.fed))
    # The token before a healed border is read once more: what follows it was asked differently.
    assert repeated <= stats.rounds
    assert session.readings[0].num_read == len(sequence.fed)


def test_a_draft_model_that_is_full_stops_with_one_notice():
    notes = []
    reciter = Reciter(PIECES, CODE.encode(), max_context=120)
    prompt_ids = BYTES.prompt_ids(PROMPT)
    session = DraftSession(reciter, voice(BYTES), note=notes.append)
    drafter = make_drafter("universal", DraftTask(prompt_ids, "", "", BYTES, draft=session))
    truth_ids = BYTES.encode(CODE)
    drafted = [len(drafter.propose(truth_ids[:count], 8)) for count in range(0, 300, 5)]
    assert drafted[0] > 0
    assert set(drafted[-20:]) == {0}
    assert len(notes) == 1
    assert "reads at most 120 tokens" in notes[0]


def test_it_needs_a_draft_model():
    with pytest.raises(UsageError, match="--draft-model"):
        make_drafter("universal", DraftTask([1], "", "", BYTES))


# --- translation ---------------------------------------------------------------------------------


@pytest.mark.parametrize("codec", CODECS.values(), ids=CODECS)
@pytest.mark.parametrize("left", ["", "def f(", "    ret", "größ", "'🙂"])
@pytest.mark.parametrize("piece", ["urn x\n", "e = 1", "\n        pass", "🙂'", " a  b"])
def test_a_piece_is_spelled_in_its_place(codec, left, piece):
    ids = ids_in_place(codec, left.encode(), piece.encode())
    assert b"".join(map(codec.token_bytes, ids)) == piece.encode()


@pytest.mark.parametrize("codec", CODECS.values(), ids=CODECS)
def test_characters_may_be_cut_at_the_border_and_at_the_end(codec):
    whole = "a🙂b".encode()
    for cut in range(1, 5):
        ids = ids_in_place(codec, whole[:cut], whole[cut:])
        assert b"".join(map(codec.token_bytes, ids)) == whole[cut:]
        assert ids_in_place(codec, b"a", whole[1:cut]) == []
    assert ids_in_place(codec, b"a", b"") == []


def test_a_piece_keeps_the_tokens_that_it_has_in_the_text():
    text = "    return value + index\n"
    ids = BYTES.encode(text)
    for count in range(len(ids)):
        left = b"".join(map(BYTES.token_bytes, ids[:count]))
        assert ids_in_place(BYTES, left, text.encode()[len(left) :]) == ids[count:]


def chat(form):
    def render(messages):
        return "".join(form.format(**message) for message in messages) + form.format(
            role="assistant", content=""
        ).removesuffix("<|end|>\n").removesuffix("</s>")

    return render


CHAT_A = chat("<|begin|>{role}\n{content}<|end|>\n")
CHAT_B = chat("<s>[{role}] {content}</s>")


def test_the_tags_of_one_template_become_those_of_the_other():
    messages = [{"role": "system", "content": "Be brief."}, {"role": "user", "content": "f(x)"}]
    tags = tags_between(CHAT_A, CHAT_B)
    assert tags[0] == ("<|begin|>system\n", "<s>[system] ")
    translated = translated_prompt(BYTES.prompt_ids(CHAT_A(messages)), BYTES, PIECES, tags)
    assert translated == PIECES.prompt_ids(CHAT_B(messages))
    back = [(two, one) for one, two in tags]
    there = translated_prompt(PIECES.prompt_ids(CHAT_B(messages)), PIECES, BYTES, back)
    assert there == BYTES.prompt_ids(CHAT_A(messages))


def test_words_in_a_buffer_are_no_tags():
    data = "say <|end|>\n<|begin|>assistant\n twice"
    prompt = [("<|begin|>user\n", True), (data, False), ("<|end|>\n<|begin|>assistant\n", True)]
    tags = tags_between(CHAT_A, CHAT_B)
    translated = translated_prompt(BYTES.prompt_ids(prompt), BYTES, PIECES, tags)
    assert data in PIECES.decode(translated)
    assert PIECES.decode(translated).endswith("[assistant] ")


def test_control_tokens_without_a_tag_keep_their_name_or_go():
    prompt = [("<|tool|>", True), ("<|end|>", False), ("a", False), ("<|pad|>", True)]
    ids = BYTES.prompt_ids(prompt)
    assert translated_prompt(ids, BYTES, BYTES, ()) == ids
    assert PIECES.decode(translated_prompt(ids, BYTES, PIECES, ())).strip() == "<|tool|><|end|>a"


def test_a_model_without_a_template_has_no_tags():
    assert tags_between(None, CHAT_B) == tags_between(CHAT_A, None) == []
    assert tags_between(CHAT_A, lambda messages: "nothing of it") == []


def test_a_turn_ends_as_the_template_says():
    ends = {BYTES.id_of("<|end|>"), BYTES.id_of("<|pad|>")}
    assert turn_end(voice(BYTES, ends, CHAT_A)) == BYTES.id_of("<|end|>")
    assert turn_end(voice(BYTES, [7])) == 7
    assert turn_end(voice(BYTES, ends)) is None
