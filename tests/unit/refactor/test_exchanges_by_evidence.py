"""A text gives way to another where the words say so of both and fit the place; reports, two wishes and names are left."""

import pytest

from editd.messages import EditRequest
from editd.refactor.computed import compute_edit

PY = """\
import hashlib
import logging

log = logging.getLogger("shop")
PLAN = "basic"
MODEL = "resnet18"
DUMP = "/usr/lib/postgresql/13/bin/pg_dump"
CPUS = 13


def welcome(name):
    # the US page
    log.debug("hello")
    print("DEBUG welcome", name)
    return "Welcome to Ironworks, " + name


def checksum(data):
    return hashlib.sha1(data), "DEBUG"
"""
YAML = """\
services:
  web:
    image: registry.local/web:14
    url: jdbc:postgresql://db1:5432/orders
  db:
    image: postgres:14
"""
JS = """\
var total = 0;
const role = 'admin';

function isAdmin(user) {
  return user.role === role;
}
"""
TEXTS = {"a.py": PY, "a.yaml": YAML, "a.js": JS}


def edited(path, sentence):
    """The text that the sentence makes, or ``None`` where it is left."""
    result = compute_edit(EditRequest("1", TEXTS[path], sentence, path=path))
    return None if result is None or result.text in (None, TEXTS[path]) else result.text


@pytest.mark.parametrize(
    ("path", "sentence", "old", "new"),
    [
        ("a.py", "Ironworks got bought, we are called Steelyard now", "Ironworks", "Steelyard"),
        ("a.py", "we aren't called Ironworks any longer, it's North Gym", "Ironworks", "North Gym"),
        ("a.py", "resnet18 out, resnet34 in", "resnet18", "resnet34"),
        ("a.py", "basic isn't a plan any more: starter is the default", '"basic"', '"starter"'),
        ("a.py", "postgres 13 is end of life, we're on 16", "/13/", "/16/"),
        ("a.py", "sha1 is weak, use sha256", "sha1", "sha256"),
        ("a.py", "In the comment it's no longer the US page, it's the Canada page.", "US page", "Canada page"),
        ("a.py", "log.debug is too quiet in welcome, should be log.info", "log.debug", "log.info"),
        ("a.py", "replace DEBUG by TRACE in the prints", "DEBUG welcome", "TRACE welcome"),
        ("a.py", "s/hello/good day/", "hello", "good day"),
        ("a.yaml", "Postgres 14 is EOL, please go to 16", "postgres:14", "postgres:16"),
        ("a.yaml", "registry.local has been replaced with hub.acme.net", "registry.local", "hub.acme.net"),
        ("a.yaml", "Our database moved: in the jdbc url it's pg-main now instead of db1.", "db1", "pg-main"),
        ("a.js", "who still writes var? const, please", "var", "const"),
        ("a.js", "the role isn't called admin any more but superuser", "'admin'", "'superuser'"),
    ],
)  # fmt: skip
def test_what_is_exchanged(path, sentence, old, new):
    assert TEXTS[path].count(old) == 1
    assert edited(path, sentence) == TEXTS[path].replace(old, new)


@pytest.mark.parametrize(
    ("path", "sentence"),
    [
        ("a.py", "Ironworks is gone"),
        ("a.py", "Ironworks is old, use something newer"),
        ("a.py", "basic is wrong, use starter for new members and premium for old ones"),
        ("a.py", "basic is used for tests, not free"),
        ("a.py", "hello is rude, be polite"),
        ("a.py", "Ironworks is ugly, make it bigger"),
        ("a.py", "resnet18 is slow, use a faster model"),
        ("a.py", "welcome is wrong, use greet in the tests"),
        ("a.py", "replace DEBUG by TRACE unless it is a print"),
        ("a.yaml", "Postgres 14 is EOL, use 2 replicas"),
        ("a.yaml", "web is down, restart it"),
        ("a.js", "role is not a name but a flag"),
    ],
)
def test_what_is_left(path, sentence):
    assert edited(path, sentence) is None
