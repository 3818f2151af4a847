"""Texts that the tests of the trained model share."""

from random import Random

from training.corpus import File, pieces
from training.families import Source
from training.generated import LANGUAGES, write_file

PYTHON = '''"""Stock of a shop."""
import os

LIMIT = 10  # pieces


class Stock:
    def __init__(self, items=None):
        self.items = items or {}

    def add(self, name, count=1):
        """Add some."""
        print("adding", name)
        self.items[name] = self.items.get(name, 0) + count
        return self.items[name]


def load_stock(path):
    # one item a line
    with open(path) as file:
        lines = file.read().split("\\n")
    return "%s: %s items" % (path, len(lines))
'''

TYPESCRIPT = """// Stock of a shop.
const limit = 10;

export function addItem(name: string, count = 1): number {
  console.log("adding", name); // loud
  items[name] = (items[name] ?? 0) + count;
  return items[name];
}
"""


def sources(count, language="python", seed=0):
    """Pieces of this sample, or of generated files."""
    rng = Random(seed)
    found = []
    while len(found) < count:
        if language == "python":
            file = File("sample/stock.py", PYTHON, held_out=False)
        else:
            file = File(f"x/x.{LANGUAGES[language]}", write_file(language, rng), held_out=False)
        stream = pieces(file, rng, 900)
        found += [piece for piece, _ in zip(stream, range(5), strict=False) if piece.text]
    return found[:count]


def whole(text=PYTHON, path="stock.py"):
    return Source(text, path)
