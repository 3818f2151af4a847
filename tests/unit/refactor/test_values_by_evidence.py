"""New values and names that a sentence gives in words of its own are set where one thing of the file fits, and left where none or
several do.
"""

import pytest

from editd.messages import EditRequest
from editd.refactor.computed import compute_edit

FETCH = '''\
"""Fetch the weather."""
import time

API_URL = "https://weather.example/v2/stations"
TIMEOUT = 20
MAX_TRIES = 3
CACHE_DAYS = 10
CACHE_DIR = "/var/cache/weather"
CONTACT = "noreply@weather.example"
VERBOSE = False


def get(station, unit="metric"):
    for n in range(MAX_TRIES):
        r = call(API_URL, station, unit, timeout=TIMEOUT)
        if r:
            return r
        time.sleep(2)
    log.warning("station is silent")


def clean(folder=CACHE_DIR):
    for f in folder.iterdir():
        if age(f) > CACHE_DAYS:
            f.unlink()
'''
SHOP_TS = """\
const POLL_MS = 5000;
const THEME = 'light';
export const pageSize = 20;

export function k(id: string): string {
  return 'cart:' + id;
}

export function total(xs: number[]) {
  const t = xs.reduce((a, b) => a + b, 0);
  return t + ' EUR';
}
"""
SERVER_GO = """\
package main

const maxConns = 64
const addr = "127.0.0.1:8080"

func (s *store) ok(key string) bool {
	return s.has(key)
}

func main() {
	s := &store{addr, maxConns}
	s.ok("a")
}
"""
PUMP_RS = """\
const WIDTH: usize = 40;
const GAIN: f32 = 0.5;

pub struct Grid {
    gen: u64,
}

impl Grid {
    pub fn tick(&mut self) {
        println!("tick {}", self.gen);
        self.gen += 1;
    }
}
"""
STOCK_JAVA = """\
class Stock {
    private static final int LOW = 5;

    int left(String s) {
        int r = find(s);
        return r;
    }
}
"""
PUMP_C = """\
#define MAX_SPEED 120
static int limit = 5;

int run(int p) {
    return p > limit;
}
"""
BACKUP_SH = """\
#!/bin/sh
# nightly backup
KEEP=5
TAG=${1:-latest}
REPO=ghcr.io/acme

ls -t images | tail -n "+$KEEP" | xargs rm
docker push "$REPO:$TAG"
sleep 10
"""
VALUES_YAML = """\
replicaCount: 2
image:
  tag: '1.4.0'
resources:
  limits:
    memory: 256Mi
  requests:
    memory: 128Mi
ingress:
  enabled: false
  host: shop.acme.test
"""
SETTINGS_TOML = """\
[server]
port = 9000
debug = true

[database]
pool_size = 10
timeout = 30
"""
PACKAGE_JSON = """\
{
  "name": "cart",
  "engines": { "node": ">=18" },
  "config": { "port": 3000, "logLevel": "debug" }
}
"""
CARD_CSS = """\
:root {
  --gap: 12px;
  --brand: #8a5a2b;
}
.title {
  font-weight: 600;
}
"""
DOCKERFILE = """\
FROM node:18-alpine AS build
WORKDIR /app
FROM node:18-alpine
WORKDIR /app
ENV PORT=3000
"""
FILES = {
    "fetch.py": FETCH,
    "shop.ts": SHOP_TS,
    "server.go": SERVER_GO,
    "pump.rs": PUMP_RS,
    "Stock.java": STOCK_JAVA,
    "pump.c": PUMP_C,
    "backup.sh": BACKUP_SH,
    "values.yaml": VALUES_YAML,
    "settings.toml": SETTINGS_TOML,
    "package.json": PACKAGE_JSON,
    "card.css": CARD_CSS,
    "Dockerfile": DOCKERFILE,
}


def changed(path, instruction):
    """The lines that are new, or ``None`` if the edit is left to a model."""
    text = FILES[path]
    result = compute_edit(EditRequest("1", text, instruction, path=path))
    if result is None or result.text is None or result.text == text:
        return None
    old = text.splitlines()
    return [line.strip() for line in result.text.splitlines() if line not in old]


@pytest.mark.parametrize(
    ("path", "instruction", "expected"),
    [
        # by the setting's name, however the words say it
        ("fetch.py", "requests time out too early, 20 is not enough, give it 45", ["TIMEOUT = 45"]),
        ("fetch.py", "the time-out is too short for slow stations, make it one minute", ["TIMEOUT = 60"]),
        ("fetch.py", "give up after 5 attempts", ["MAX_TRIES = 5"]),
        ("fetch.py", "two weeks of cached files are enough", ["CACHE_DAYS = 14"]),
        ("fetch.py", "be verbose from now on, switch it on", ["VERBOSE = True"]),
        ("fetch.py", "sleep half a second between tries", ["time.sleep(0.5)"]),
        ("shop.ts", "poll every 10 seconds, customers complain about the traffic", ["const POLL_MS = 10000;"]),
        ("shop.ts", "50 items per page suffice", ["export const pageSize = 50;"]),
        ("server.go", "the box is bigger now, 256 conns", ["const maxConns = 256"]),
        ("pump.rs", "64 wide from now on, the new display is larger", ["const WIDTH: usize = 64;"]),
        ("pump.rs", "gain 1 for now", ["const GAIN: f32 = 1.0;"]),
        ("Stock.java", "low begins at 8", ["private static final int LOW = 8;"]),
        ("pump.c", "the motor is new, speed may go up to 150", ["#define MAX_SPEED 150"]),
        ("backup.sh", "keep only 3 old images, the disk is full", ["KEEP=3"]),
        ("backup.sh", "10 s of sleep is long, 2 s will do", ["sleep 2"]),
        ("values.yaml", "pods get OOMKilled, memory limit to 512Mi", ["memory: 512Mi"]),
        ("values.yaml", "we shipped 1.5.0, so the image tag has to be 1.5.0", ["tag: '1.5.0'"]),
        ("values.yaml", "4 instances please, black friday", ["replicaCount: 4"]),
        ("settings.toml", "debug off for the release", ["debug = false"]),
        ("settings.toml", "the database times out, 90 seconds", ["timeout = 90"]),
        ("package.json", "port 3000 is taken, 3100 please", ['"config": { "port": 3100, "logLevel": "debug" }']),
        ("card.css", "a gap of 16px looks better", ["--gap: 16px;"]),
        ("card.css", "title in bold, 700", ["font-weight: 700;"]),
        # what is replaced is said, and is in the file
        ("fetch.py", "mails come from meteo@weather.example now, nobody reads noreply", ['CONTACT = "meteo@weather.example"']),
        ("fetch.py", "unit is imperial for the american site, was metric", ['def get(station, unit="imperial"):']),
        ("fetch.py", "cache moved to /srv/cache/weather", ['CACHE_DIR = "/srv/cache/weather"']),
        ("fetch.py", "the api is at v3, v2 was retired", ['API_URL = "https://weather.example/v3/stations"']),
        ("shop.ts", "prices are in CHF, no longer EUR", ["return t + ' CHF';"]),
        ("shop.ts", "theme should be dark, light hurts", ["const THEME = 'dark';"]),
        ("backup.sh", "default tag should be stable, latest bit us", ["TAG=${1:-stable}"]),
        ("values.yaml", "host: shop.acme.test should become store.acme.test, we were renamed", ["host: store.acme.test"]),
        ("card.css", "The brand colour #8a5a2b has to become #2b6a4a (new logo).", ["--brand: #2b6a4a;"]),
        ("Dockerfile", "workdir should be /srv/app in both stages", ["WORKDIR /srv/app", "WORKDIR /srv/app"]),
        ("Dockerfile", "node 18 is eol -> node:22-alpine in both stages", ["FROM node:22-alpine AS build", "FROM node:22-alpine"]),
        # names
        ("fetch.py", "r in get is cryptic, answer would be better", ["answer = call(API_URL, station, unit, timeout=TIMEOUT)", "if answer:", "return answer"]),
        ("shop.ts", "k is a bad function name, cartKey says what it does", ["export function cartKey(id: string): string {"]),
        ("shop.ts", "t in total tells nothing, sum would", ["const sum = xs.reduce((a, b) => a + b, 0);", "return sum + ' EUR';"]),
        ("server.go", "method ok → Contains; the present name is not telling", ["func (s *store) Contains(key string) bool {", 's.Contains("a")']),
        ("pump.rs", "gen is reserved in edition 2024, rename the field to generation", ["generation: u64,", 'println!("tick {}", self.generation);', "self.generation += 1;"]),
        ("Stock.java", "r in left is meaningless, pieces is clearer", ["int pieces = find(s);", "return pieces;"]),
        ("backup.sh", "TAG -> VERSION, all uses", ["VERSION=${1:-latest}", 'docker push "$REPO:$VERSION"']),
        ("settings.toml", "new code reads max_connections, so the pool_size key needs that name", ["max_connections = 10"]),
        ("card.css", "--gap custom property needs the name --card-gap", ["--card-gap: 12px;"]),
    ],
)  # fmt: skip
def test_what_fits_one_thing_is_done(path, instruction, expected):
    assert changed(path, instruction) == expected


@pytest.mark.parametrize(
    ("path", "instruction"),
    [
        ("fetch.py", "retry 5 times with a backoff"),
        ("fetch.py", "make the timeout configurable, 45 is a good default"),
        ("fetch.py", "TIMEOUT is too short for radar, only those calls should get 60"),
        ("fetch.py", "tries should never go below 1"),
        ("fetch.py", "timeout 45 and 5 tries"),
        ("fetch.py", "use 45 if TIMEOUT is not set"),
        ("fetch.py", "keep 5 for stations on weekends"),
        ("fetch.py", "rename r, except in get"),
        ("fetch.py", "find nicer names for n, r and f"),
        ("fetch.py", "units should be an enum"),
        ("shop.ts", "is k a good name, or would cartKey be better?"),
        ("shop.ts", "total should return null"),
        ("server.go", "raise maxConns to 128 and log it"),
        ("pump.rs", "make it 64"),
        ("pump.c", "limit and speed to 7"),
        ("values.yaml", "memory 1Gi"),
        ("values.yaml", "memory to 512"),
        ("settings.toml", "debug off in production"),
        ("settings.toml", "why is the timeout 30?"),
        ("card.css", "everything 2px wider"),
        ("Dockerfile", "use node:22-alpine for the second stage"),
    ],
)
def test_what_is_narrowed_or_fits_nothing_or_several_is_left(path, instruction):
    assert changed(path, instruction) is None


def test_the_user_is_told_how_the_sentence_was_read():
    request = EditRequest("1", SETTINGS_TOML, "the database times out, 90 seconds", path="a.toml")
    result = compute_edit(request)
    assert result is not None
    assert "Read as" in f"{result.summary} {result.notices}"
