"""Add an import: how people ask for it."""

from __future__ import annotations

import re
import sys

from editd.intent import lexicon
from editd.intent.english import FUNCTION_WORDS
from editd.intent.intents import AddImport
from editd.intent.rules.guess import Guess
from editd.intent.rules.import_words import import_words_of
from editd.intent.rules.rule import RowMatch, Rule, Slots

_MODULE = "(the)? (module|package|library)? (ITEMNAME from)? MODULENAME (module|package|library|(from|of) FROMNAME)?"
_IMPORTED = "(import MODULENAME|from MODULENAME import ITEMNAME|import ITEMNAME from MODULENAME)"
# "Add the missing import": there are modules called "types" and "string", but none called so.
_NO_MODULES = FUNCTION_WORDS | frozenset(
    "correct missing necessary needed required unused fails failed breaks works hook hooks guard guards order".split()  # noqa: SIM905
)
# Of Python's own modules those with others in them.
_PACKAGES = frozenset(
    """
    os xml xml.etree xml.dom xml.sax collections concurrent email importlib json logging multiprocessing unittest urllib http html
    tkinter asyncio ctypes curses dbm encodings lib2to3 sqlite3 wsgiref xmlrpc zoneinfo distutils pydoc_data
    """.split()  # noqa: SIM905
)


def _imported(slots: Slots) -> AddImport:
    """The import of the slots ``module`` and ``item``, as they are; but of Python's own modules ``pathlib.Path``, which
    is no module, is imported from ``pathlib``, as is any such class, and any part of a module that has no others in it,
    where no item is named.
    """
    module, item = slots["module"], slots.get("item", "")
    path, _, last = module.rpartition(".")
    is_of_python = path.partition(".")[0] in sys.stdlib_module_names and path != "xml.etree"
    is_class = re.fullmatch(r"[A-Z]+[a-z]\w*(?: as \w+)?", last)
    if is_of_python and not item and (is_class or path not in _PACKAGES):
        return AddImport(path, last)
    return AddImport(module, item)


def _is_no_module(match: RowMatch) -> bool:
    """Whether the request is no import of a module: the module is an ordinary word, or module or item, if not in
    quotes, ends in "ly", as an adverb does ("import lazily"), or in "as well".
    """
    bare = [match.slots[role] for role in ("module", "item") if not match.quotes.get(role, "?")]
    is_adverb = any(word.lower().endswith("ly") for word in bare)
    is_adverb |= re.search(r" as (?:well|also|too)$", match.slots["module"]) is not None
    return is_adverb or match.slots["module"].lower() in _NO_MODULES


def _is_certain(match: RowMatch) -> bool:
    """Whether no slot holds an ordinary word."""
    return _NO_MODULES.isdisjoint(text.lower() for text in match.slots.values())


ADD_IMPORT = Rule(
    "add-import",
    canonical=(
        "ADD? (the|an)? import (of|for)? (the module)? (ITEMNAME from)? MODULENAME TOP?",
        "ADD? (the)? from MODULENAME import ITEMNAME TOP?",
        "ADD (the|an)? MODULENAME import TOP?",
        "the import (of|for)? MODULENAME is missing, ADD it",
        "(ITEMNAME from)? MODULENAME is not imported, (import it|ADD the import)",
        "MODULENAME (should|must|has to) be imported",
        "ITEMNAME (should|must|has to) be imported from MODULENAME",
        "we need (ITEMNAME from)? MODULENAME, import it",
        "this file needs (to)? import MODULENAME",
        "bring in (ITEMNAME from)? MODULENAME",
        "i need the module MODULENAME (here)?, (import it)?",
        "load the module MODULENAME",
        "make (the module MODULENAME|ITEMNAME from MODULENAME) available (here)?",
        "(ITEMNAME from)? MODULENAME is used (here|below), (import it|ADD its import)",
        "have MODULENAME imported",
    ),
    paraphrases=(
        f"(WRITE|import|forgot)? (the|an|a)? (missing)? (line|statement|import)? {_IMPORTED} (is missing|is needed)? TOP?, (ADD it)?",
        f"(i|we|you) (need|want|forgot|miss) (to)? (the)? (line)? ({_IMPORTED}|ITEMNAME from MODULENAME) (here)? TOP?",
        f"(import|bring in) {_MODULE} TOP?",
        f"(WRITE|import) {_MODULE} (to|in) (the|our|my) (imports?|import (list|block|section|statements)) TOP?",
        f"(WRITE|forgot|(i|we|you) (need|want|forgot|miss|are missing)|we're missing) (the|an|a)? (missing)? import (statement|line)? (of|for|:)? {_MODULE} TOP?",
        f"(the|an|a|there is a|there's a)? (missing import (of|for|:)? {_MODULE}|import (of|for)? {_MODULE} is (missing|needed)) TOP?, (ADD (it|one))?",
        "(WRITE)? (the|an|a)? (missing)? MODULENAME import TOP?",
        f"{_IMPORTED} MODAL be (added|inserted|there) TOP?",
        f"{_MODULE} (isn't|is not|was not|wasn't|never gets|is never) imported (yet|here|ANYMORE)?, (import it|ADD it|ADD (the|an) import)?",
        f"{_MODULE} (MODAL|will)? be imported (here|as ALIASNAME|from FROMNAME)? TOP?",
        f"(make sure|ensure) (that)? ({_MODULE} (is|gets) imported|there is (a|an)? {_IMPORTED}) TOP?",
        f"{_MODULE} needs? (importing|an import) (here)? TOP?",
        f"{_MODULE} is (missing|needed|used) (here)?, (import it|ADD (the|an) import)",
        f"(we|i|you) (use|used) {_MODULE} (without importing it|but (it is|it's) not imported|but never import it), (ADD (it|the import))?",
    ),
    plain="{import_} {module}",
    intent=_imported,
    name_slots=("module", "item"),
    names_modules=True,
    excludes=_is_no_module,
    is_certain=_is_certain,
    is_of_one=True,
    examples=(
        ("add an import of json", AddImport("json")),
        ("import dataclass from dataclasses", AddImport("dataclasses", "dataclass")),
        ("from enum import Enum", AddImport("enum", "Enum")),
        ("Path has to be imported from pathlib", AddImport("pathlib", "Path")),
        ("add `import os.path` at the top", AddImport("os.path")),
        ("the import of string is missing, add it", AddImport("string")),
        ("we need import numpy as np", AddImport("numpy as np")),
    ),
    near_misses=(
        "add the missing import",
        "import lazily",
        "import the csv file into the database",
    ),
)


def _in_words(text: str) -> AddImport | None:
    """The intent of a request in any words to import one of the modules of Python that are known by name; ``None`` for
    another request or module, or with the word "require".
    """
    found = import_words_of(text)
    if found is None or found.requires or found.name.partition(".")[0] not in lexicon.MODULES:
        return None
    return AddImport(found.name)


ADD_KNOWN_IMPORT = Guess(
    "add-import",
    reads=_in_words,
    examples=(
        ("need datetime too, import it", AddImport("datetime")),
        ("we use os here but it's not imported", AddImport("os")),
        ("json isn't imported yet, add it at the top", AddImport("json")),
    ),
    says_more=re.compile(r"\b(?:print|log(?!ic|in))", re.IGNORECASE),
    near_misses=(
        "import it lazily",
        "remove the os import",
        "don't print it, logging.debug it (needs import logging too)",
    ),
)
"""Of a module that is known."""
