"""Guesses for new text, weighed by where they stand: ahead in the buffer, or nowhere near."""

from editd.decode.drafters.buffer import BufferDrafter
from editd.decode.drafters.cursor import Cursor
from editd.decode.drafters.guesses import GuessTree
from editd.decode.drafters.ngrams import REACH, Proximity
from editd.decode.drafters.suffix import SuffixDrafter
from tests.model_free_codec import PseudoCodec
from tests.unit.decode.drafting import task


def guesses(ahead, output, *, branches=True):
    """First tokens of the vote, likeliest first, after ``output``; the buffer goes on with ``ahead``."""
    codec = PseudoCodec()
    drafter = SuffixDrafter(task(codec, "f(one)\nf(two)\nf(six)\nf(ten)\n"), "tree")
    tree = GuessTree(64, branches=branches)
    tree.ahead = codec.encode(ahead)
    drafter.grow(tree, codec.encode(output), 64, 1.0)
    chances = {}
    for node, token_id in enumerate(tree.token_ids):
        chances[codec.decode(tree.path(node))] = tree.chances[node]
        assert token_id == tree.path(node)[-1]
    return chances


def test_what_stands_ahead_in_the_buffer_is_likelier():
    for near in ("one", "two", "six"):
        chances = guesses(f", {near}", "x = f(")
        assert all(
            chances[near] > 2 * chances.get(far, 0.0) for far in {"one", "two", "six"} - {near}
        )


def test_the_nearer_the_likelier():
    near = Proximity(range(100), branches=True)
    chances = [near.chance(0.1, near.distance(token_id)) for token_id in (1, 3, 9, 99)]
    assert chances == sorted(chances, reverse=True)
    assert near.distance(99) == REACH
    assert Proximity([5, 6, 5], branches=True).distance(5) == 0  # the first of two


def test_in_a_chain_nearness_counts_less():
    def gain(branches):
        near = Proximity(range(100), branches=branches)
        return near.chance(0.1, 0) / near.chance(0.1, REACH)

    assert gain(True) > 2 * gain(False) > 2.0


def test_nothing_is_far_where_no_buffer_is_known():
    known, unknown = (Proximity(ahead, branches=True) for ahead in ([1], []))
    assert unknown.chance(0.1, REACH) > known.chance(0.1, REACH)


def test_a_guess_that_stood_ahead_moves_the_place_on():
    # Behind the guessed "one" the buffer goes on with ")": that is near now, and was not before.
    def goes_on(ahead):
        chances = guesses(ahead, "x = f(")
        return chances["one)"] / chances["one"]

    passed = "k l m n o p q r "
    assert goes_on(f"{passed}one)") > goes_on(f"{passed}out)")


def test_the_buffer_tells_others_how_it_goes_on_where_a_gap_is_open():
    codec = PseudoCodec()
    drafter = BufferDrafter(task(codec, "a.b.c.d.e.f"), "tree")
    tree = GuessTree(64, branches=True)
    drafter.grow(tree, codec.encode("a.b.X"), 64, 1.0)
    assert codec.decode(tree.ahead) == "c.d.e.f"


def test_the_likeliest_place_is_where_the_gap_opened_until_a_copy_is_taken_up():
    codec = PseudoCodec()
    ids = codec.encode("a.b.c.d.e.f.g.h")
    cursor = Cursor(ids, codec)
    output = codec.encode("a.b.X")
    seen = cursor.walk(output, 0)
    cursor.step(output, seen)
    assert cursor.home == seen
    output += ids[9:12]  # ".f." is far enough to be no habit
    for at in range(seen + 1, len(output)):
        cursor.step(output, at)
    assert cursor.home == 12


def test_of_a_copy_in_doubt_much_is_gone_after_a_token_and_little_later():
    codec = PseudoCodec()
    drafter = BufferDrafter(task(codec, "".join(f"w{i} " for i in range(60))), "chain")
    tree = GuessTree(128, branches=False)
    drafter.grow(tree, codec.encode("w0 w1 X w3"), 128, 1.0)
    first = tree.chances.index(tree.likeliest)
    start, second, tenth, eleventh = (tree.chances[first + j] for j in (0, 1, 9, 10))
    assert second / start < 0.9
    assert eleventh / tenth > 0.9


def test_a_row_is_dearer_in_a_wide_window():
    drafted = []
    for window in (64, 128, 256):
        tree = GuessTree(window, branches=True)
        tree.add(-1, 1, 0.0047, "suffix")
        drafted.append(len(tree.draft(sorted(tree.most_worth(window)))))
    assert drafted == [1, 1, 0]
