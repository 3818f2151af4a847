"""Guesses at the words are carried out where one thing of the text fits, and left to a model where none or several do."""

import pytest

from editd.messages import EditRequest
from editd.refactor.computed import compute_edit

STOCK = """\
import argparse
import requests

API_URL = "https://stock.example.com/v1"
RETRY_LIMIT = 3
VERBOSE = False
CACHE_DIR = "/tmp/stock"
SITES = [
    "berlin",
    "munich",
]


def fetch(url, timeout=5):
    response = requests.get(url, timeout=timeout)
    response.raise_for_status()
    return response.json()


def retry(call):
    for attempt in range(3):
        call(attempt)


class Stock:
    def __init__(self, name, limit=100):
        self.name = name

    def add(self, sku, count=1):
        print("added", sku)


parser = argparse.ArgumentParser()
parser.add_argument(
    "--limit",
    default=100,
)
"""
COMPOSE = """\
services:
  web:
    image: app:1
    depends_on:
      - db
      - redis
  db:
    image: postgres:13
    volumes:
      - data:/var
  redis:
    image: redis:6
"""
SCRIPT = """\
PORT=8080
usage() {
  echo "usage"
}
start() {
  serve --port "$PORT"
}
npm ci
start
"""
RULES = """\
.card {
  color: #123456;
  padding: 12px;
}

.title {
  color: #123456;
}
"""
SLIDER = """\
import { zero } from 'a';
import { one } from 'b';

/** Slides. */
Slider.prototype.start = function () {
  show("No hits");
};

const [page, setPage] = useState(1);
// later
Slider.prototype.stop = function () {
  this.timer = 0;
};
"""
SERVICE = "services:\n  web:\n    image: shop:1.2\n"
FILES = {
    "c.yaml": SERVICE,
    "stock.py": STOCK,
    "compose.yml": COMPOSE,
    "run.sh": SCRIPT,
    "card.css": RULES,
    "Dockerfile": 'FROM node:18\nLABEL maintainer="a@x.io"\nLABEL version="1"\nEXPOSE 8000\n',
    "slider.js": SLIDER,
    "lexer.rs": "enum Token {\n    Num(i64),\n    End,\n}\n\nfn read(x: i64) -> Token {\n    match x {\n        0 => Token::End,\n        x => Token::Num(x),\n    }\n}\n",
    "wait.py": "LIMIT = 5\n# LIMIT = 9\n\n\ndef due(days=14):\n    return days\n",
    "main.go": 'package main\n\nvar retries = flag.Int("retries", 3, "how often")\n',
}


def changed(path, instruction):
    text = FILES[path]
    result = compute_edit(EditRequest("1", text, instruction, path=path))
    if result is None or result.text is None:
        return None
    before, after = text.splitlines(), result.text.splitlines()
    return _more(before, after), _more(after, before)


def _more(lines, others):
    """The lines that stand more often in ``lines``, each once, without their indentation."""
    found = (line.strip() for line in lines if lines.count(line) > others.count(line))
    return list(dict.fromkeys(found))


@pytest.mark.parametrize(
    ("path", "instruction", "gone", "new"),
    [
        ("stock.py", "turn verbose on", ["VERBOSE = False"], ["VERBOSE = True"]),
        ("stock.py", "someone forgot the raise_for_status call in fetch, take it out", ["response.raise_for_status()"], []),
        ("Dockerfile", "drop the LABEL with the maintainer", ['LABEL maintainer="a@x.io"'], []),
        ("Dockerfile", "we listen on 8080 from now on, so replace 8000 by 8080", ["EXPOSE 8000"], ["EXPOSE 8080"]),
        ("slider.js", "stop isn't called by anyone -> delete Slider.prototype.stop", ["};", "Slider.prototype.stop = function () {", "this.timer = 0;"], []),
        ("slider.js", "No hits -> One moment", ['show("No hits");'], ['show("One moment");']),
        ("slider.js", "it shows 'No hits'. Let it say 'One moment' instead", ['show("No hits");'], ['show("One moment");']),
        ("slider.js", "delete the // comments but leave the /** */ ones alone", ["// later"], []),
        ("slider.js", "also import two from b", ["import { one } from 'b';"], ["import { one, two } from 'b';"]),
        ("wait.py", "due should default to 30 days", ["def due(days=14):"], ["def due(days=30):"]),
        ("wait.py", "uncomment the LIMIT line with 9", ["# LIMIT = 9"], ["LIMIT = 9"]),
        ("lexer.rs", "Token::Num -> Token::Number", ["Num(i64),", "x => Token::Num(x),"], ["Number(i64),", "x => Token::Number(x),"]),
        ("lexer.rs", "rename Num to Number", ["Num(i64),", "x => Token::Num(x),"], ["Number(i64),", "x => Token::Number(x),"]),
        ("slider.js", "rename the state variable page to part and its setter setPage to setPart", ["const [page, setPage] = useState(1);"], ["const [part, setPart] = useState(1);"]),
        ("main.go", "default for the retries flag: 5", ['var retries = flag.Int("retries", 3, "how often")'], ['var retries = flag.Int("retries", 5, "how often")']),
        ("stock.py", "the retry limit should be 5", ["RETRY_LIMIT = 3"], ["RETRY_LIMIT = 5"]),
        ("stock.py", "fetch should have a default timeout of 30", ["def fetch(url, timeout=5):"], ["def fetch(url, timeout=30):"]),
        ("stock.py", "remove munich from the sites", ['"munich",'], []),
        ("stock.py", "comment out the raise_for_status call", ["response.raise_for_status()"], ["# response.raise_for_status()"]),
        ("stock.py", "delete the line with --limit", ["parser.add_argument(", '"--limit",', "default=100,", ")"], []),
        ("stock.py", "delete lines 5 to 6", ["RETRY_LIMIT = 3", "VERBOSE = False"], []),
        ("stock.py", "add attempts=3 to retry and use it in the loop", ["def retry(call):", "for attempt in range(3):"], ["def retry(call, attempts=3):", "for attempt in range(attempts):"]),
        ("stock.py", "annotate add: sku is a string and count an integer", ["def add(self, sku, count=1):"], ["def add(self, sku: str, count: int = 1):"]),
        ("compose.yml", "remove the redis dependency", ["- redis"], []),
        ("compose.yml", "remove the redis service", ["redis:", "image: redis:6"], []),
        ("compose.yml", "comment out the db volumes", ["volumes:", "- data:/var"], ["# volumes:", "#   - data:/var"]),
        ("compose.yml", "db image should be postgres:16", ["image: postgres:13"], ["image: postgres:16"]),
        ("compose.yml", "use postgres 16", ["image: postgres:13"], ["image: postgres:16"]),
        ("run.sh", "delete npm ci", ["npm ci"], []),
        ("run.sh", 'delete the line "start"', ["start"], []),
        ("run.sh", "remove the usage function", ["usage() {", 'echo "usage"', "}"], []),
        ("card.css", "card padding 16px", ["padding: 12px;"], ["padding: 16px;"]),
        ("c.yaml", "change the image to shop:1.3.", ["image: shop:1.2"], ["image: shop:1.3"]),
        ("c.yaml", "bump the image to 1.3", ["image: shop:1.2"], ["image: shop:1.3"]),
        ("card.css", "set the color of .title to red", ["color: #123456;"], ["color: red;"]),
        ("card.css", "replace #123456 by #000", ["color: #123456;"], ["color: #000;"]),
        ("stock.py", "retry -> bool, and the url argument of fetch should be typed as str",
         ["def fetch(url, timeout=5):", "def retry(call):"], ["def fetch(url: str, timeout=5):", "def retry(call) -> bool:"]),
        ("stock.py", "that print in add() was only for debugging, remove", ['print("added", sku)'], ["pass"]),
        ("stock.py", "annotate fetch: both args are ints", ["def fetch(url, timeout=5):"], ["def fetch(url: int, timeout: int = 5):"]),
        ("stock.py", "fetch takes a str and an optional int, annotate it",
         ["def fetch(url, timeout=5):"], ["def fetch(url: str, timeout: int | None = 5):"]),
        ("stock.py", "pull the hard-coded 3 in retry out into a parameter attempts",
         ["def retry(call):", "for attempt in range(3):"], ["def retry(call, attempts=3):", "for attempt in range(attempts):"]),
        ("stock.py", "retry gets a second argument `attempts: int = 3`, used instead of the number",
         ["def retry(call):", "for attempt in range(3):"], ["def retry(call, attempts: int = 3):", "for attempt in range(attempts):"]),
    ],
)  # fmt: skip
def test_what_fits_once_is_meant(path, instruction, gone, new):
    assert changed(path, instruction) == (gone, new)


@pytest.mark.parametrize(
    ("path", "instruction"),
    [
        ("stock.py", "remove the name parameter"),
        ("stock.py", "disable the cache"),
        ("stock.py", "the url should be required"),
        ("stock.py", "retry 5 times instead of 3"),
        ("stock.py", "limit should be positive"),
        ("stock.py", "set VERBOSE to args.verbose"),
        ("stock.py", "increase the timeout"),
        ("stock.py", "that print in add() is not needed for tests, keep it"),
        ("stock.py", "the comment in fetch is a lie, remove it"),
        ("stock.py", "disable verbose, retry limit 5"),
        ("stock.py", "name is a str"),
        ("stock.py", "annotate fetch: all three args are str"),
        ("stock.py", "add a third argument attempts=3 to retry"),
        ("stock.py", "return 2 instead of 3"),
        ("stock.py", "import Optional"),
        ("stock.py", "cache_dir tmp, retry limit 5"),
        ("stock.py", "delete the first line of add"),
        ("stock.py", "comment out the if"),
        ("stock.py", "import lazily"),
        ("stock.py", "add an import of Enum"),
        ("stock.py", "delete the comments but keep the first"),
        ("slider.js", "double quotes, but only in the header"),
        ("slider.js", "delete the // comments but keep those in start"),
        ("wait.py", "uncomment the second line"),
        ("wait.py", "due should default to 5"),
        ("Dockerfile", "drop the LABEL with the version and the maintainer"),
        ("compose.yml", "delete the image"),
        ("compose.yml", "add a healthcheck"),
        ("compose.yml", "rename redis to cache"),
        ("stock.py", "remove the response key"),
        ("stock.py", "RETRY_LIMIT = 5, VERBOSE = True in the tests"),
        ("stock.py", "the cache dir should be generated"),
        ("stock.py", "move munich to CACHE_DIR"),
        ("card.css", "card padding 16"),
        ("run.sh", "make it verbose"),
        ("card.css", "color should be darker"),
        ("card.css", "delete the color"),
        ("card.css", "make it look good on mobile"),
    ],
)
def test_what_fits_nothing_or_too_much_is_left(path, instruction):
    assert changed(path, instruction) is None


def test_two_renames_are_two():
    gone, new = changed("stock.py", "rename fetch to read and retry to write")
    assert (gone, new) == (
        ["def fetch(url, timeout=5):", "def retry(call):"],
        ["def read(url, timeout=5):", "def write(call):"],
    )


SHOP = """\
import logging

log = logging.getLogger(__name__)


def load(path, limit=10):
    fh = open(path)
    rows = fh.read()
    fh.close()
    print("rows %s" % rows)
    return rows[:10]


def save(path, rows):
    out = open(path, "w")
    out.write(rows)
    out.close()
    print("saved")


class Shop:
    def total(self, items):
        return sum(items)
"""


@pytest.mark.parametrize(
    "instruction",
    [
        "log the path in load unless limit is 0",
        "log the rows count in load",
        "log in load when the file is empty",
        "log errors in load",
        "add a log call to load and save the result",
        "add a logger parameter to load",
        "document load with a better docstring",
        "add a docstring to load that mentions 'limit'",
        "annotate load: path is a str, but leave limit alone",
        "annotate load with str and int where it makes sense",
        "load: path should be a Path",
        "load takes a str and two ints, annotate it",
        "use f-strings in load if that is shorter",
        "use f-strings in load, not in save",
        "use with for the file in load only when it exists",
        "use with in load and save, but keep the prints",
        "use a context manager for the database in load",
        "remove the print in load only when debugging",
        "turn the print in load into a log call except for the rows",
        "turn the first print into logging",
        "add a parameter debug=False to load and use it to skip the print",
        "add a parameter size=10 to load and use it for the chunk size",
        "add size=10 as the first parameter of load",
        "load should take a callback",
        "catch OSError in load and try again",
        "catch OSError in load and return the cached rows",
        "catch OSError in load and return None unless limit is 0",
        "wrap load in try/except OSError and tell the user",
        "on OSError in load ask for another path",
    ],
)
def test_what_asks_for_more_is_left(instruction):
    result = compute_edit(EditRequest("1", SHOP, instruction, path="shop.py"))
    assert result is None or result.text in (None, SHOP)
