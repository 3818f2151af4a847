"""The parts of the buffer and suffix drafters, each by worked examples."""

import pytest

from editd.decode.drafters.cursor import Cursor, TokenHunk
from editd.decode.drafters.guesses import GuessTree
from editd.decode.drafters.ngrams import NgramModel
from editd.decode.drafters.substitutions import (
    SHIFTED,
    PlainText,
    Shift,
    Substitutions,
    rule_of,
    shift_of,
)
from tests.model_free_codec import PseudoCodec
from tests.replay.automaton import SuffixAutomaton


@pytest.mark.parametrize(
    ("left", "old", "new", "right", "rule"),
    [
        ("x = get_", "user", "account", "(1)", ("get_user", "get_account")),
        ("x = ", "user", "account", "(1)", ("user", "account")),
        ("mock", "Workflow", "Agent", "File)", ("mockWorkflowFile", "mockAgentFile")),
        ("val", ".complex", ".nontrivial", ".i", ("complex", "nontrivial")),
        ("a ", "assert_equal", "", "(b)", ("assert_equal", "")),
        ("a = ", "1", "2", "\n", None),  # a number changes for its own reasons
        # Nothing was replaced: the insertion is tied to the signs and the word that follow it.
        ("f(", "", "x, ", "y)", ("(y", "(x, y")),
        ("a = ", "", "await ", "client.get()", ("= client", "= await client")),
        ("x", "", ";", "\n", None),
        ("", "one\ntwo", "three", "", None),  # lines are no words
        ("", "word " * 20, "x", "", None),  # a passage is no name
    ],
)
def test_a_hunk_teaches_its_smallest_whole_words(left, old, new, right, rule):
    assert rule_of(left, old, new, right) == rule


@pytest.mark.parametrize(
    ("left", "old", "new", "right", "indents"),
    [
        ("a\n", "  ", "    ", "b = c", ("  ", "    ")),
        ("a\n    ", "", "if d:\n        ", "b = c", ("    ", "        ")),
        ("a\n", "\t\t", "\t", "b = c", ("\t\t", "\t")),
        ("a\n", "b", "d", " = c", None),
        ("a\n  ", "", "", "b", None),
    ],
)
def test_an_indentation_is_seen_to_change(left, old, new, right, indents):
    assert shift_of(left, old, new, right) == indents


def test_a_shift_ends_with_its_block():
    codec = PseudoCodec()
    text = PlainText("if a:\n    b\n\n    c\n        d\ne\n    f\n", "", codec)
    view = text.substituted(Substitutions(""), Shift(len("if a:\n"), "    ", "  "))
    assert codec.decode(view.ids) == "if a:\n  b\n\n  c\n      d\ne\n    f\n"
    assert view.rules.count(SHIFTED) == 3
    assert sorted(view.origins) == view.origins


def test_a_shift_and_a_rule_that_spell_the_same_are_told_apart():
    text = PlainText("a:\n  call(b)\n", "", PseudoCodec())
    shifted = text.substituted(Substitutions(""), Shift(3, "  ", "    "))
    rules = Substitutions("  call(b)")
    rules.rules["  call"] = "    call"
    read = text.substituted(rules)
    assert shifted.ids == read.ids
    assert SHIFTED in shifted.rules
    assert SHIFTED not in read.rules


def ruled(text, old, new):
    substitutions = Substitutions(text)
    assert substitutions.learn("", old, new, "")
    return substitutions


def test_a_refuted_rule_returns_only_when_shown_again():
    substitutions = ruled("user user user", "user", "account")
    assert substitutions.refute("user")
    assert not substitutions.refute("user")
    assert not substitutions.learn("", "new", "new", "")
    assert substitutions.learn("", "user", "account", "")


def test_a_rule_for_what_the_text_does_not_hold_is_not_kept():
    assert not Substitutions("a b c").learn("", "user", "account", "")


def test_a_view_keeps_the_tokens_of_untouched_lines_and_knows_origins():
    codec = PseudoCodec()
    text = PlainText("one user\ntwo\nthe user, superuser\n", "", codec)
    view = text.substituted(ruled("user", "user", "account"))
    assert codec.decode(view.ids) == "one account\ntwo\nthe account, superuser\n"
    assert [codec.decode([i]) for i, rule in zip(view.ids, view.rules, strict=True) if rule] == [
        "account",
        "account",
    ]
    comma = view.ids.index(codec.encode(",")[0])
    assert view.origins[comma] == len("one user\ntwo\nthe user")
    assert view.index_at(view.origins[comma]) == comma


def test_a_rule_is_applied_over_several_rounds_where_one_has_no_time_for_it():
    class Counting(PseudoCodec):
        num_encoded = 0

        def encode(self, text, after=""):
            Counting.num_encoded += len(text)
            return super().encode(text, after)

    line = "the user said " + 20 * "something " + "\n"
    codec, rules = Counting(), ruled("user", "user", "account")
    text = PlainText(400 * line, "", codec)
    told = []
    for _ in range(400):
        Counting.num_encoded = 0
        text.next_round()
        told.append(codec.decode(text.substituted(rules, None, 300 * len(line)).ids).splitlines())
        assert Counting.num_encoded <= (1 << 14) + 2 * len(line)
        if not text.unfinished:
            break
    assert len(told) > 3
    assert "account" in told[0][300]  # where the output is comes first
    assert "user" in told[0][0]
    assert told[-1] == (400 * line).replace("user", "account").splitlines()


def cursor_after(before, after):
    codec = PseudoCodec()
    cursor = Cursor(codec.encode(before), codec)
    output = codec.encode(after)
    seen = 0
    while seen < len(output):
        if cursor.synced:
            seen = cursor.walk(output, seen)
            if seen == len(output):
                break
        cursor.step(output, seen)
        seen += 1
    return codec, cursor, output


def likeliest(before, after):
    codec, cursor, output = cursor_after(before, after)
    at = cursor.at if cursor.synced else cursor.places(output)[0].at
    return codec.decode(cursor.ids[at:])


@pytest.mark.parametrize(
    ("name", "before", "after", "rest"),
    [
        ("copying", "a.b.c.d.e.f", "a.b.c", ".d.e.f"),
        ("one token replaced", "a.b.c.d.e.f", "a.b.X", ".d.e.f"),
        ("replaced and confirmed", "a.b.c.d.e.f", "a.b.X.d", ".e.f"),
        ("deleted", "a b c d e f g h i j", "a b h i", " j"),
        ("next line after a replaced one", "one()\ntwo()\nthree()\n", "one()\nnew\n", "three()\n"),
    ],
)
def test_the_cursor_finds_its_place_again(name, before, after, rest):
    assert likeliest(before, after) == rest


def test_a_lone_newline_is_no_proof_of_a_far_place():
    before = "".join(f"name{chr(97 + i)} = {i}\n" for i in range(26))
    _codec, cursor, output = cursor_after(before, "namea = 0\nentirely different\n")
    assert not cursor.synced
    assert all(place.chance < 0.5 for place in cursor.places(output))


def test_a_hunk_is_told_once():
    before = "a(b, c, d, e, f, g, h, i, j, k)"
    codec, cursor, _output = cursor_after(before, "a(b, XX, d, e, f, g, h, i, j")
    start = cursor.ids.index(codec.encode("c")[0])
    assert cursor.hunks == [TokenHunk(start, start + 1, start, start + 1)]
    assert cursor.synced


def test_exact_contexts_weigh_more_than_loose_ones():
    codec = PseudoCodec()
    model = NgramModel(codec, codec.encode("f(x)f(y)f("))
    shares = dict(model.likely(model.tail, 0.1))
    x, y = codec.encode("x")[0], codec.encode("y")[0]
    # "f(" came after ")" once, with "y" behind it; the shorter context knows "x", too.
    assert shares[y] > shares[x] > 0.0
    assert sum(shares.values()) <= 1.0


def test_extending_in_pieces_is_extending_at_once():
    codec = PseudoCodec()
    ids = codec.encode("if a:\n    b = c\n    d = c\nif e:\n    b = c\n" * 3)
    whole = NgramModel(codec, ids)
    pieces = NgramModel(codec, [])
    pieces.prompt_length = whole.prompt_length
    for at in range(0, len(ids), 3):
        pieces.extend(ids[at : at + 3])
    assert pieces.tail == whole.tail
    assert pieces.likely(pieces.tail, 0.01) == whole.likely(whole.tail, 0.01)


def test_a_tree_shares_prefixes_and_keeps_what_is_worth_most():
    tree = GuessTree(16, branches=True)
    tree.add_copy(-1, [1, 2, 3], 0.6, 4.0, "a")
    tree.add_copy(-1, [1, 2, 9], 0.3, 4.0, "b")
    tree.add_copy(-1, [7, 8], 0.2, 4.0, "b")
    draft = tree.draft(sorted(tree.most_worth(16)))
    assert list(draft.token_ids) == [1, 2, 3, 9, 7, 8]
    assert list(draft.parents) == [-1, 0, 1, 1, -1, 4]
    small = tree.draft(sorted(tree.most_worth(3)))
    assert list(small.token_ids) == [1, 2, 3]
    assert small.parents is None  # no branch left: a chain
    assert list(tree.draft(tree.path_of_most(16)).token_ids) == [1, 2, 3]


def test_a_chain_is_drafted_as_far_as_it_is_believed():
    tree = GuessTree(128, branches=False)
    tree.add_copy(-1, range(200), 0.4, 10.0, "a")
    assert len(tree) == 151  # 0.4 * 10 / (10 + j) is 0.025 at j = 150
    assert tree.chances == sorted(tree.chances, reverse=True)


def test_a_doubtful_copy_is_drafted_as_far_as_it_saves_rounds():
    tokens = []
    for chance, held in ((0.5, 4.0), (0.5, 64.0), (0.05, 4.0)):
        tree = GuessTree(128, branches=True)
        tree.add_copy(-1, range(1000, 1128), chance, held, "a")
        tokens.append(len(tree))
    short, long, unlikely = tokens
    assert long > short > unlikely > 0


def test_an_unlikely_end_of_a_new_copy_gives_way_to_guesses():
    tree = GuessTree(128, branches=True)
    tree.add_copy(-1, range(1000, 1128), 0.3, 64.0, "buffer")
    tree.add(-1, 5, 0.02, "suffix")
    draft = tree.draft(sorted(tree.most_worth(20)))
    assert 5 in draft.token_ids


def test_the_automaton_knows_every_run_and_no_other():
    text = [1, 2, 1, 2, 3, 1, 2, 1]
    automaton = SuffixAutomaton()
    for token_id in text:
        automaton.extend(token_id)
    assert automaton.longest_run([1, 2, 3, 1, 9]) == 4
    assert automaton.longest_run([2, 1, 2, 1]) == 3
    assert automaton.longest_run([3, 2]) == 1
    assert automaton.longest_run([4]) == 0
