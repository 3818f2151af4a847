"""Renames are read by evidence where words are about names; where they are about calls or values nothing is renamed."""

import re

import pytest

from editd.messages import EditRequest
from editd.refactor.computed import compute_edit

PY = """\
LIMIT = 3


class Cart:
    def put(self, qty):
        self.items = qty

    def put_many(self, quantities):
        for amt in quantities:
            self.put(amt)


def prune(cart):
    return cart.items[:LIMIT]


def notify(text):
    print("notify", text)
"""
CSS = """\
:root { --gap: 4px; }
.card { margin: var(--gap); }
.card:hover, .card-title { color: #abc; }
"""
GO = """\
package main

func check(u string) bool {
\treturn len(u) > 3
}
"""
TEXTS = {"a.py": PY, "a.css": CSS, "a.go": GO}


def edited(path, sentence):
    """The text that the sentence makes, or ``None`` where it is left."""
    result = compute_edit(EditRequest("1", TEXTS[path], sentence, path=path))
    return None if result is None or result.text in (None, TEXTS[path]) else result.text


@pytest.mark.parametrize(
    ("path", "sentence", "old", "new"),
    [
        ("a.py", "prune sounds like gardening. cut_off.", "prune", "cut_off"),
        ("a.py", "amt is sloppy, write amount", "amt", "amount"),
        ("a.py", "qty ain't a word, quantity is", "qty", "quantity"),
        ("a.py", "Could LIMIT be MAX_ITEMS?", "LIMIT", "MAX_ITEMS"),
        ("a.py", "LIMIT should have been MAX_ITEMS from the start", "LIMIT", "MAX_ITEMS"),
        ("a.py", "Cart.put should be named store instead (put_many keeps its name)", "put", "store"),
        ("a.py", "from now on prune is called cut", "prune", "cut"),
        ("a.py", "prune clashes with the s3 one. Make ours cutOff", "prune", "cutOff"),
        ("a.go", "in check the argument is only u, name it address so everybody understands", "u", "address"),
        ("a.go", "u tells me nothing. name the parameter in check address", "u", "address"),
        ("a.css", "class .card is too generic and bootstrap has one; ours becomes .tile", ".card", ".tile"),
        ("a.css", "the class card is now called tile", ".card", ".tile"),
        ("a.css", "--gap should be --space, as everywhere", "--gap", "--space"),
    ],
)  # fmt: skip
def test_what_is_renamed(path, sentence, old, new):
    word = re.compile(rf"(?<![\w-])(?<!\"){re.escape(old)}(?![\w-])")
    assert edited(path, sentence) == word.sub(new, TEXTS[path])


@pytest.mark.parametrize(
    ("path", "sentence"),
    [
        ("a.py", "notify is called too often"),
        ("a.py", "notify is called twice"),
        ("a.py", "notify is called by cron"),
        ("a.py", "notify should be called once"),
        ("a.py", "prune sounds like gardening"),
        ("a.py", "prune should call cut_off"),
        ("a.py", "amt is sloppy"),
        ("a.py", "LIMIT is too small, MAX_ITEMS or so"),
        ("a.py", "put is fine, put_many is not"),
        ("a.go", "check is called with u"),
        ("a.css", ".card should be wider"),
        ("a.css", "the card is too narrow"),
        ("a.css", ".card should be .card-title"),
    ],
)
def test_what_is_left(path, sentence):
    assert edited(path, sentence) is None
