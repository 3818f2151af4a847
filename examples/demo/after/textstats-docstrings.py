"""Figures about a text: words, sentences, how hard it is to read."""

import re
from collections import Counter

WORD = re.compile(r"[^\W\d_]+(?:['’][^\W\d_]+)*")
SENTENCE_END = re.compile(r"[.!?…]+(?=\s|$)")
VOWELS = re.compile(r"[aeiouyäöü]+", re.IGNORECASE)

STOP_WORDS = frozenset("a an and are as at be by for from in is it of on or that the to was with".split())


def words(text):
    """The words of ``text`` in order, in lower case."""
    return [match.group().lower() for match in WORD.finditer(text)]


def sentences(text):
    """``text`` cut after each full stop, question or exclamation mark."""
    parts, start = [], 0
    for match in SENTENCE_END.finditer(text):
        parts.append(text[start : match.end()].strip())
        start = match.end()
    rest = text[start:].strip()
    return [part for part in [*parts, rest] if part]


def syllables(word):
    """A good guess at the number of syllables of an English word."""
    groups = len(VOWELS.findall(word))
    if word.endswith("e") and groups > 1 and not word.endswith("le"):
        groups -= 1
    return max(1, groups)


def reading_ease(text):
    """Flesch's formula: 100 is very easy, below 30 is for scholars."""
    word_list = words(text)
    if not word_list:
        return 0.0
    per_sentence = len(word_list) / max(1, len(sentences(text)))
    per_word = sum(map(syllables, word_list)) / len(word_list)
    return 206.835 - 1.015 * per_sentence - 84.6 * per_word


def frequent(text, count=10):
    """The ``count`` most frequent words that say something, with how often they occur."""
    counter = Counter(word for word in words(text) if word not in STOP_WORDS)
    return counter.most_common(count)


class Index:
    """Which word stands in which lines."""

    def __init__(self):
        """Start with no lines at all."""
        self._lines = {}

    def add(self, number, line):
        """Note every word of ``line``, which has the given number."""
        for word in set(words(line)):
            self._lines.setdefault(word, []).append(number)

    def lookup(self, word):
        """The numbers of all lines with ``word``, in the order in which they were added."""
        return self._lines.get(word.lower(), [])

    def near(self, first, second, gap=3):
        """Lines with ``first`` that have ``second`` at most ``gap`` lines away."""
        found = []
        for number in self.lookup(first):
            if any(abs(number - other) <= gap for other in self.lookup(second)):
                found.append(number)
        return found


def build_index(text):
    """An index of all lines of ``text``, counted from 1."""
    index = Index()
    for number, line in enumerate(text.splitlines(), start=1):
        index.add(number, line)
    return index
