"""The thing with which a sentence has most in common is edited, and it alone; where that is not clear, or the file would break, nothing is."""

from difflib import ndiff

import pytest

from editd.intent import parse
from editd.refactor.by_kind.one_thing import READERS
from editd.refactor.by_kind.request import KindRequest
from editd.syntax.code import read_code
from editd.syntax.language import language_of

FEED_PY = """\
import time

PAGE_SIZE = 40
OLD_HOST = "feeds.example.org"


# not called since the move
def legacy_fetch(url):
    return urlopen(url).read()


def fetch(url):
    print("fetching", url)
    time.sleep(3)
    # the server counts from one
    page = get(url, page=1, size=PAGE_SIZE)
    print("got", len(page))
    return page


def store(page):
    # audit.record(page)
    db.insert(page)
    db.commit()


class Reader:
    # TODO: read in chunks
    def read(self, path):
        return open(path).read()

    def debug_view(self):
        return vars(self)
"""
SHOP_YML = """\
services:
  web:
    image: shop
    restart: always
    ports:
      - "80:80"
      # - "9229:9229"
  queue:
    image: rabbit
    restart: always
"""
CARD_TS = """\
export function open(card: Card) {
  console.log("open", card.id);
  track("card-opened", card);
  return render(card); // html
}

export function blink(el: HTMLElement) {
  el.classList.toggle("blink");
}
"""
HOME_CSS = """\
.hero {
  color: navy;
  outline: 1px dashed red;
}
"""
SYNC_SH = """\
#!/bin/bash
# copies the pictures
rsync -a pictures/ nas:/pictures/
# notify "copied"
sleep 30
docker image prune -f
"""
BAG_RS = """\
impl Bag {
    fn add(&mut self, x: u8) {
        println!("adding {}", x);
        self.items.push(x);
    }

    fn dump(&self) {
        eprintln!("{:?}", self.items);
    }
}
"""
FILES = {
    "feed.py": FEED_PY,
    "shop.yml": SHOP_YML,
    "card.ts": CARD_TS,
    "home.css": HOME_CSS,
    "sync.sh": SYNC_SH,
    "bag.rs": BAG_RS,
}


def change(path, kind, sentence):
    """The lines that the reader of a kind takes away and adds, without indentation; ``None`` if it makes no change."""
    text = FILES[path]
    code = read_code(text, language_of(path, ""))
    found = [*READERS[kind](KindRequest(sentence, kind, parse(sentence), code, path))]
    if not found:
        return None
    lines = ndiff(text.splitlines(), found[0].texts[0].splitlines())
    return sorted(x[0] + x[2:].strip() for x in lines if x[0] in "+-" and x[2:].strip())


READ = [
    # a line, by its name, its text, its place, or what stands beside it
    (
        "feed.py",
        "delete_line",
        "few requests come in, so kick the sleep in fetch out",
        ["-time.sleep(3)"],
    ),
    (
        "feed.py",
        "delete_line",
        "OLD_HOST went offline, scrub that constant",
        ['-OLD_HOST = "feeds.example.org"'],
    ),
    (
        "card.ts",
        "delete_line",
        "we stopped measuring, so opened cards needn't be tracked: lose the track call",
        ['-track("card-opened", card);'],
    ),
    (
        "home.css",
        "delete_line",
        "I forgot the dashed outline on the hero, get it out of there",
        ["-outline: 1px dashed red;"],
    ),
    (
        "shop.yml",
        "delete_line",
        "the restart policy of web is set by the host, drop it",
        ["-restart: always"],
    ),
    (
        "sync.sh",
        "delete_line",
        "no image gets pruned by us any more, take that line out",
        ["-docker image prune -f"],
    ),
    # a definition
    (
        "feed.py",
        "delete_definition",
        "the legacy fetch has no caller, that function may leave",
        ["-# not called since the move", "-def legacy_fetch(url):", "-return urlopen(url).read()"],
    ),
    (
        "feed.py",
        "delete_definition",
        "the debug method of the reader was mine, scrap it",
        ["-def debug_view(self):", "-return vars(self)"],
    ),
    (
        "card.ts",
        "delete_definition",
        "users hate it when things blink, so out with that function",
        ["-export function blink(el: HTMLElement) {", '-el.classList.toggle("blink");', "-}"],
    ),
    (
        "bag.rs",
        "delete_definition",
        "the method that dumps the bag isn't for release",
        ["-fn dump(&self) {", '-eprintln!("{:?}", self.items);', "-}"],
    ),
    (
        "feed.py",
        "delete_definition",
        "legacy_fetch and debug_view are dead, delete both functions",
        [
            "-# not called since the move",
            "-def legacy_fetch(url):",
            "-return urlopen(url).read()",
            "-def debug_view(self):",
            "-return vars(self)",
        ],
    ),
    (
        "shop.yml",
        "delete_definition",
        "we have no queue any more, remove that service",
        ["-queue:", "-image: rabbit", "-restart: always"],
    ),
    # comments
    (
        "feed.py",
        "delete_comments",
        "everybody knows how the server counts, drop that remark",
        ["-# the server counts from one"],
    ),
    (
        "feed.py",
        "delete_comments",
        "chunks are done, so the todo on them is done too, delete",
        ["-# TODO: read in chunks"],
    ),
    (
        "card.ts",
        "delete_comments",
        "wipe `// html`",
        ["-return render(card); // html", "+return render(card);"],
    ),
    (
        "card.ts",
        "delete_comments",
        "I want no comments in this file",
        ["-return render(card); // html", "+return render(card);"],
    ),
    # a comment of code, and code of a comment
    (
        "feed.py",
        "comment_out",
        "skip the commit while I test: make it a comment",
        ["-db.commit()", "+# db.commit()"],
    ),
    (
        "feed.py",
        "comment_out",
        "comment out both prints in fetch",
        [
            '-print("fetching", url)',
            '-print("got", len(page))',
            '+# print("fetching", url)',
            '+# print("got", len(page))',
        ],
    ),
    (
        "bag.rs",
        "comment_out",
        "the println is noisy, comment it out",
        ['-println!("adding {}", x);', '+// println!("adding {}", x);'],
    ),
    (
        "feed.py",
        "comment_out",
        "audits are back, so is the audit record: uncomment it",
        ["-# audit.record(page)", "+audit.record(page)"],
    ),
    (
        "sync.sh",
        "comment_out",
        "I do want to be notified again, activate that",
        ['-# notify "copied"', '+notify "copied"'],
    ),
    (
        "shop.yml",
        "comment_out",
        "take the # off the 9229 port",
        ['-# - "9229:9229"', '+- "9229:9229"'],
    ),
    (
        "home.css",
        "comment_out",
        "put a comment around the navy colour",
        ["-color: navy;", "+/* color: navy; */"],
    ),
]
LEFT = [
    # several fit alike
    ("feed.py", "delete_line", "one of the prints in fetch is enough, drop the other"),
    ("shop.yml", "delete_line", "drop the restart policy"),
    ("feed.py", "delete_comments", "delete that comment"),
    ("feed.py", "comment_out", "comment the print out"),
    # nothing fits, or a word of weight is not in it
    ("feed.py", "delete_line", "delete the webhook call"),
    ("feed.py", "delete_definition", "remove the parse_dates function"),
    ("feed.py", "delete_line", "delete the sleep in store"),
    ("card.ts", "delete_line", "remove the v2 prefix from the open url"),
    ("sync.sh", "delete_line", "drop the rsync of videos_2024"),
    ("sync.sh", "comment_out", "uncomment the reboot"),
    # two are meant, and one of them has no place
    ("feed.py", "delete_line", "OLD_HOST and NEW_HOST can go"),
    ("feed.py", "delete_line", "drop the sleep and its handler"),
    ("feed.py", "delete_comments", "delete the three comments in fetch"),
    # other code needs it
    ("feed.py", "delete_line", "the page size is dead, drop PAGE_SIZE"),
    ("feed.py", "delete_line", "delete the line that gets the page from the server"),
    # what is in it may have to stay, or another edit is asked for
    ("feed.py", "delete_comments", "remove the comment sign before audit.record"),
    ("feed.py", "delete_definition", "comment out debug_view"),
    ("feed.py", "delete_comments", "delete all comments but the todo"),
    ("feed.py", "delete_line", "drop the sleep... no, wait, the commit"),
    ("feed.py", "delete_line", "delete the first line of store"),
    ("feed.py", "delete_line", "we aren't called Got any more"),
    ("feed.py", "delete_line", "delete page"),
]


@pytest.mark.parametrize(("path", "kind", "sentence", "expected"), READ)
def test_the_thing_that_is_meant_is_edited(path, kind, sentence, expected):
    assert change(path, kind, sentence) == sorted(expected)


@pytest.mark.parametrize(("path", "kind", "sentence"), LEFT)
def test_what_is_not_clear_is_left(path, kind, sentence):
    assert change(path, kind, sentence) is None
