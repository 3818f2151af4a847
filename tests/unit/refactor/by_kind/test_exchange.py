"""New values: where a sentence puts them, by the old value that it says or by the words that the value's name and place have."""

import pytest

from tests.unit.refactor.by_kind.check import check

PYTHON = """# fetches tiles
import hashlib

TILE_SIZE = 256
MAX_TRIES = 4
WAIT = 30
HOST = "tiles.old.test"
CONTACTS = ["ada@tiles.test", "bob@tiles.test"]


def fetch(name, retries=4, verbose=True):
    if not name:
        raise ValueError("no name")
    print("fetching tile")
    return hashlib.md5(name)


def clean(folder="/var/tiles"):
    print("cleaning up")
"""
YAML = """web:
  image: nginx:1.24
  restart: always
  ports:
    - "8080:80"
worker:
  image: redis:6
  restart: always
  replicas: 2
"""
SCRIPT = """const PAGE_MS = 4000;
export const theme = 'light';
const api = 'http://api.shop.test/v1';

export function label(n) {
  return n > 20 ? 'many' : 'few';
}
"""
TOML = """[server]
port = 7000
debug = true

[client]
port = 7001
"""
DOCKER = """FROM python:3.10-slim
ENV CACHE_DIR=/var/cache/app
EXPOSE 9000
CMD ["serve", "--port", "9000"]
"""


@pytest.mark.parametrize("kind", ["replace", "set_value"])
@pytest.mark.parametrize(
    ("path", "text", "sentence", "old", "new"),
    [
        ("a.py", PYTHON, "tiles come 512 wide nowadays, so their size has to follow", "= 256", "= 512"),
        ("a.py", PYTHON, "waiting 30 seconds is no good, 45 please", "= 30", "= 45"),
        ("a.py", PYTHON, "MAX_TRIES: six, not four", "TRIES = 4", "TRIES = 6"),
        ("a.py", PYTHON, "fetch is too chatty, verbose off by default", "True", "False"),
        ("a.py", PYTHON, "tiles.old.test was shut down, we are on tiles.new.test", "tiles.old.test", "tiles.new.test"),
        ("a.py", PYTHON, "bob quit, eve@tiles.test gets his mails", "bob@tiles.test", "eve@tiles.test"),
        ("a.py", PYTHON, "'no name' reads rude, let it say 'name missing'", "no name", "name missing"),
        ("a.py", PYTHON, "use sha256 rather than md5", "md5", "sha256"),
        ("a.py", PYTHON, "the folder to clean moved to /srv/tiles", "/var/tiles", "/srv/tiles"),
        ("a.yaml", YAML, "three replicas of the worker", "replicas: 2", "replicas: 3"),
        ("a.yaml", YAML, "redis 7 is out, bump it from 6 to 7", "redis:6", "redis:7"),
        ("a.yaml", YAML, "nginx:1.24 -> nginx:1.27", "nginx:1.24", "nginx:1.27"),
        ("a.js", SCRIPT, "turn pages every 6 seconds", "4000", "6000"),
        ("a.js", SCRIPT, "I want the dark theme", "'light'", "'dark'"),
        ("a.js", SCRIPT, "the api speaks https only", "http:", "https:"),
        ("a.js", SCRIPT, "lots instead of many", "many", "lots"),
        ("a.toml", TOML, "no more debug on the server, switch it off", "true", "false"),
        ("a.toml", TOML, "let the client use port 7100", "7001", "7100"),
        ("Dockerfile", DOCKER, "we cache in /data/app from now on", "/var/cache/app", "/data/app"),
        ("Dockerfile", DOCKER, "port 9000 should be 9100 everywhere in here", "9000", "9100"),
    ],
)  # fmt: skip
def test_the_new_value_goes_where_the_words_fit(kind, path, text, sentence, old, new):
    check(kind, path, text, sentence, text.replace(old, new))


@pytest.mark.parametrize("kind", ["replace", "set_value"])
@pytest.mark.parametrize(
    ("path", "text", "sentence"),
    [
        ("a.py", PYTHON, "make it 12"),
        ("a.py", PYTHON, "the colour should be 12"),  # no such thing
        ("a.py", PYTHON, "4 is too few, take 8"),  # of two
        ("a.py", PYTHON, "put ivy@tiles.test into the contacts"),  # of two addresses
        ("a.py", PYTHON, "TILE_SIZE 512 and MAX_TRIES 8"),
        ("a.py", PYTHON, "'loading tile' should say 'getting tile'"),  # no such text
        ("a.py", PYTHON, "wait a bit longer"),
        ("a.yaml", YAML, "restart on-failure"),  # of two
        ("a.yaml", YAML, "memory limit 512Mi"),
        ("a.js", SCRIPT, "cart.test instead of basket.test"),  # it has none of both
        ("a.toml", TOML, "port 8000"),  # of two
        ("a.toml", TOML, "debug or not, the port should be 7005"),
        ("Dockerfile", DOCKER, "the user should be app"),  # none is set
    ],
)
def test_what_is_left(kind, path, text, sentence):
    check(kind, path, text, sentence, None)
