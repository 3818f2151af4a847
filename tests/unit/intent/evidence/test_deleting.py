"""The acts of deleting: which clauses ask that something goes, what is left of them, and what only sounds so."""

import pytest

from editd.intent.evidence.companions import parts_of, with_companions_joined
from editd.intent.evidence.deleting import act_of_deleting


def check(clause):
    """The words that are left, with ``?`` behind them if the wish is only implied; ``None`` if nothing is to go."""
    act = act_of_deleting(clause)
    return act and " ".join(act.rest.split()) + "?" * act.is_implied


@pytest.mark.parametrize(
    ("clause", "rest"),
    [
        ("please get rid of the retry", "the retry"),
        ("kindly do the needful and remove it", "it"),
        ("would you mind dropping the banner", "the banner"),
        ("strike max-age from .btn", "max-age from .btn"),
        ("take the mock out of the list", "the mock out of the list"),
        ("kick it out", "it out"),
        ("away with the sleep", "the sleep"),
        ("the sleep has to go", "the sleep"),
        ("tp-old goes", "tp-old"),
        ("the banner is to be removed", "the banner"),
        ("the banner needs deleting", "the banner"),
        ("the old export can go now", "the old export"),
        ("both prints away please", "both prints"),
        ("the second log raus", "the second log"),
        ("it can leave the table", "it the table"),
        ("ping isn't needed any more", "ping?"),
        ("nobody calls slug any longer", "slug?"),
        ("pad has no callers", "pad?"),
        ("check isn't called by main", "check?"),
        ("the shim is dead code", "the shim?"),
        ("mailhog is history", "mailhog?"),
        ("demo has done its job", "demo?"),
        ("we don't need the flash", "the flash?"),
        ("i'm tired of seeing the banner", "the banner?"),
        ("who needs the tracing print", "the tracing print?"),
        ("the token must not reach production", "the token?"),
        ("no sound on load please", "sound on load please?"),
        ("web does not depend on redis any more", "web redis?"),
        ("don't publish the debugger port any longer", "the debugger port?"),
        ("tokens shouldn't be printed", "tokens printed?"),
    ],
)  # fmt: skip
def test_what_asks_that_something_goes(clause, rest):
    assert check(clause) == rest


@pytest.mark.parametrize(
    "clause",
    [
        "the print is needed",
        "the sleep is too long",
        "sort that out",
        "figure out the port",
        "point the url out of the box",
        "the volumes are commented out",
        "deleting users was a mistake",
        "we aren't called Acme any longer",
        "redis is gone",
        "the window shouldn't be centered",
        "no way",
        "it is not bad",
        "we want to keep it",
        "printing must be faster",
        "login doesn't work any more",
        "the app doesn't find the config any more",
        "we don't know the port any more",
        "the list is never empty",
    ],
)
def test_what_asks_for_nothing_of_the_kind(clause):
    assert check(clause) is None


@pytest.mark.parametrize(
    ("text", "thing", "companions"),
    [
        ("ping and its entry in COMMANDS", "ping", ("its entry in COMMANDS",)),
        ("ping, its command and JOKES", "ping", ("its command", "JOKES")),
        ("its handler and, of course, its route", "its handler", ("its route",)),
        ("the roll command (handler and table)", "the roll command", ("its handler", "its table")),
        ("the roll command, handler + table", "the roll command", ("its handler", "its table")),
        ("ping and its entry is fine", "ping and its entry is fine", ()),
        ("ping and their servers", "ping and their servers", ()),
        ("ping and JOKES", "ping and JOKES", ()),
    ],
)
def test_what_goes_with_a_thing(text, thing, companions):
    found = parts_of(with_companions_joined(text, {"JOKES", "COMMANDS"}))
    assert (found.thing, found.companions) == (thing, companions)
