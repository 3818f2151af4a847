"""A parameter is added as the sentence says, and used where it asks for that; half of it is never done."""

import pytest

from tests.unit.refactor.by_kind.check import check

PY = """\
import time

PAUSE = 5


class Mill:
    def __init__(self, stone):
        self.stone = stone


def grind(corn, coarse=False):
    time.sleep(PAUSE)
    return press(corn, limit=20)


def press(corn, limit=3):
    return corn[:limit]


def page_label(book, page):
    return "page " + str(page)


def order(corn):
    row = {"corn": corn, "date": 1}
    send(row, data={"row": row})


def sift(flour):
    return [x for x in flour if x > 500]
"""
TS = """\
export function label(book: Book): string {
  return book.title + "-" + book.author;
}

export class Shelf {
  put(book: Book) {
    this.books.push({ book, lent: false });
  }

  find(book: Book) {
    return get("/books", { params: { book } });
  }
}
"""
TEXTS = {"a.py": PY, "a.ts": TS}
GRIND = "grind(corn, coarse=False"


def check_changes(path, sentence, changes):
    """Check that the reader makes exactly these changes, or none if they are empty."""
    new = TEXTS[path]
    for old, changed in changes.items():
        assert old in new
        new = new.replace(old, changed)
    check("add_parameter", path, TEXTS[path], sentence, new if changes else None)


@pytest.mark.parametrize(
    ("path", "sentence", "changes"),
    [
        ("a.py", "grind could do with a wheel_speed of its own, make that a parameter", {}),
        ("a.py", "one more arg for grind: wheel, three unless somebody passes it", {}),
        ("a.py", "one more arg for grind: wheel, three if it's not given", {f"{GRIND})": f"{GRIND}, wheel=3)"}),
        ("a.py", "would you let grind take a finer flag that defaults to false? I'll wire it up on monday", {f"{GRIND})": f"{GRIND}, finer=False)"}),
        ("a.py", "grind: `loud` as an extra keyword, None when omitted", {f"{GRIND})": f"{GRIND}, loud=None)"}),
        ("a.py", "page label should get one more parameter called lang, with 'en' as default", {"(book, page)": "(book, page, lang='en')"}),
        ("a.py", "the Mill constructor wants a motor as well, default None", {"(self, stone)": "(self, stone, motor=None)"}),
        ("a.py", "grind gets pause=PAUSE and sleeps for that", {f"{GRIND})": f"{GRIND}, pause=PAUSE)", "sleep(PAUSE)": "sleep(pause)"}),
        ("a.py", "give grind a limit parameter, 20 by default, and hand it to press", {f"{GRIND})": f"{GRIND}, limit=20)", "limit=20)\n\n\ndef": "limit=limit)\n\n\ndef"}),
        ("a.py", "sift always takes 500. It needs a fineness argument, default 500", {"sift(flour)": "sift(flour, fineness=500)", "> 500": "> fineness"}),
        ("a.ts", "label: new param sep, a string, default '-', only the signature", {"(book: Book): string": "(book: Book, sep: string = '-'): string"}),
        ("a.ts", 'let label have a sep = "-" and use it', {"(book: Book): string": '(book: Book, sep = "-"): string', '+ "-" +': "+ sep +"}),
        ("a.py", "order gets a weight, 1 by default, and stores it in row after corn", {"order(corn)": "order(corn, weight=1)", '"corn": corn,': '"corn": corn, "weight": weight,'}),
        ("a.py", "order: add speed=3 and send it along in data", {"order(corn)": "order(corn, speed=3)", '{"row": row}': '{"row": row, "speed": speed}'}),
        ("a.ts", "put: also take a shelf (default 0) and store it with lent", {"put(book: Book)": "put(book: Book, shelf = 0)", "lent: false }": "lent: false, shelf }"}),
        ("a.ts", "find gets a limit, default 20, sent along in params", {"find(book: Book)": "find(book: Book, limit = 20)", "params: { book }": "params: { book, limit }"}),
        ("a.py", "order gets a weight, 1 by default, and stores it in the shop", {}),
        ("a.py", "the Mill constructor also takes a motor, None by default, and keep it in self.motor", {}),
        # No default, no name, no function, another place, a use that there is none for, a name that is there, a second wish.
        ("a.py", "grind should take a speed", {}),
        ("a.py", "grind needs a parameter with default 3", {}),
        ("a.py", "add a parameter speed=3", {}),
        ("a.py", "add speed=3 to polish", {}),
        ("a.py", "grind: add speed=3 as the first parameter", {}),
        ("a.py", "page_label gets size=3 and multiplies by it", {}),
        ("a.py", "press: add size=3 and pass it on to grind", {}),
        ("a.py", "add limit=7 to press", {}),
        ("a.py", "grind takes speed, default fast", {}),
        ("a.py", "add speed=3 to grind and rename press", {}),
        ("a.py", "add speed=3 to grind and press", {}),
        ("a.py", "press should add a `rest` to the limit, zero by default", {}),
    ],
)  # fmt: skip
def test_the_parameter_is_added(path, sentence, changes):
    check_changes(path, sentence, changes)
