"""Additions are read from a request and the facts about a buffer: what is read, and what is left."""

import pytest

from editd.intent.evidence import BufferFacts, interpretations_of
from editd.intent.intents import (
    AddDocstring,
    AddTypeHints,
    Handler,
    ImportName,
    InsertStatement,
    IntroduceParameter,
    WrapTry,
)

FACTS = BufferFacts(
    "python",
    frozenset(["send", "prune"]),
    frozenset(["send", "prune", "LIMIT", "log"]),
    frozenset(["Path"]),
    {"send": ("user",), "prune": ("folder", "keep")},
    frozenset(["send", "prune", "sleep", "limit", "folder", "post"]),
)


@pytest.mark.parametrize(
    ("sentence", "intent"),
    [
        ('send is silent, put log.info("sent") after the post',
         InsertStatement('log.info("sent")', "after", anchor="the post", location="send")),
        ('log.info("x") at the end of prune', InsertStatement('log.info("x")', "end", function="prune")),
        ("wrap the post call in send, except OSError: pass",
         WrapTry("", "OSError", "", "post call", (Handler("pass"),), location="send")),
        ("send(user, delay=2) and sleep for that", IntroduceParameter("send", "delay", "2", is_used=True, where="sleep")),
        ("prune needs a third parameter dry_run, False by default", IntroduceParameter("prune", "dry_run", "False")),
        ("prune: folder is a str, keep an int", AddTypeHints("prune", (("folder", "str"), ("keep", "int")))),
        ("docstring on send: Send it over the wire.", AddDocstring("send", "Send it over the wire.")),
        ("Path is undefined, it's from pathlib", ImportName("Path", "pathlib")),
    ],
)  # fmt: skip
def test_what_is_read(sentence, intent):
    assert [x.intent for x in interpretations_of(sentence, FACTS) if x.reads_all] == [intent]


@pytest.mark.parametrize(
    "sentence",
    [
        'log.info("sent") after the post if user is new',
        'log.info("sent") after the post, and rename user to name',
        'log.info("sent") somewhere in send',
        "wrap the post call in send and retry",
        "prune needs dry_run=False as second parameter",
        "prune gets dry_run=False and skips the deletion",
        "prune: folder is a str, keep could be an int",
        "make prune return an int",
        "docstrings on send and prune: Do it well.",
        "Path is undefined, replace it with str",
    ],
)
def test_what_is_left(sentence):
    assert not [x for x in interpretations_of(sentence, FACTS) if x.reads_all]
