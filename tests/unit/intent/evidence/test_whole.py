"""Edits without a target are read from a request and the facts about a buffer: what is read, and what is left."""

import pytest

from editd.intent.evidence import BufferFacts
from editd.intent.evidence.whole import read_whole
from editd.intent.intents import (
    ChangeQuotes,
    DeletePrints,
    PrintsToLogging,
    RemoveUnusedImports,
    ReturnEarly,
    Several,
    SomePlaces,
    SortImports,
    UseFStrings,
    UseWithOpen,
)

FACTS = BufferFacts(
    "python",
    definitions=frozenset(["fetch", "store", "Cache", "Cache.get", "get"]),
    names=frozenset(
        ["fetch", "store", "Cache", "get", "os", "json", "Path", "url", "depth", "log"]
    ),
    imports={"os": ("os",), "json": ("json",), "Path": ("Path",), "pathlib": ("Path",)},
    strings=('"page is not there"', "'depth %d reached'", '"w"'),
)


def read(sentence):
    return [x.intent for x in read_whole(sentence, FACTS)]


@pytest.mark.parametrize(
    ("sentence", "intent"),
    [
        ("fetch() never closes its file, with-block please", SomePlaces(UseWithOpen(location="fetch"))),
        ("context managers in fetch and store", SomePlaces(Several((UseWithOpen(location="fetch"), UseWithOpen(location="store"))))),
        ("the depth message is hard to read, f-string please", SomePlaces(UseFStrings(with_sums=True), ("depth",), count=1)),
        ("f-string for the not there error", SomePlaces(UseFStrings(with_sums=True), ('"not there"',), count=1)),
        ("both messages as f-strings", SomePlaces(UseFStrings(), count=2)),
        ("our lead wants guard clauses, so in fetch return None first if url is empty",
         ReturnEarly(location="fetch", value="None", described="url is empty")),
        ("os and pathlib are leftovers", RemoveUnusedImports(("os", "Path"))),
        ("ruff says F401, clean that up please", RemoveUnusedImports()),
        ("the import block is a mess, isort it", SortImports()),
        ("order the stdlib imports alphabetically, the Path one stays where it is", SortImports(part="stdlib", spared=("Path",))),
        ("can you sort the top two imports?", SortImports(top=2)),
        ("group the imports: stdlib, third party, ours (json is ours)", SortImports(own=("json",), is_grouped=True)),
        ("imports sorted by module please", SortImports(is_of_lines=True)),
        ("prune the imports", RemoveUnusedImports()),
        ("our style is double quotes now, convert the strings", SomePlaces(ChangeQuotes('"'))),
        ("imports with double quotes, the rest stays", SomePlaces(ChangeQuotes('"', part="imports"))),
        ("all strings in double quotes, the commented-out call included", SomePlaces(ChangeQuotes('"', with_comments=True))),
        ("the constants in single quotes please", SomePlaces(ChangeQuotes("'", constants=0))),
        ("we have log, so why print? log.debug in fetch", SomePlaces(PrintsToLogging("debug", "log", location="fetch"))),
        ("the print in fetch is noise, out with it", SomePlaces(DeletePrints(location="fetch"), count=1)),
        ("lose the depth print, the one in store has to stay",
         SomePlaces(DeletePrints(), ("depth",), count=1, leaves_some=True, spared=(("store",),))),
        ("stop printing the depth, it syncs", SomePlaces(DeletePrints(), ("depth",), count=1)),
        ("nothing must be printed in fetch", SomePlaces(DeletePrints(location="fetch"))),
        ("the depth print and the if around it can go", SomePlaces(DeletePrints(with_check=True), ("depth",), count=1)),
        ("the depth message shouldn't go to the console, make it a log.debug",
         SomePlaces(PrintsToLogging("debug", "log"), ("depth",), count=1)),
        ("I'd rather have a logging.info for the depth print (and the import for it)",
         SomePlaces(PrintsToLogging("info"), ("depth",), count=1)),
        ("delete only the depth prints", SomePlaces(DeletePrints(), ("depth",), leaves_some=True)),
        ("the strings are single quoted, make them double like everywhere else", SomePlaces(ChangeQuotes('"'))),
        ("everything here is to be single quoted", SomePlaces(ChangeQuotes("'"))),
    ],
)  # fmt: skip
def test_what_is_read(sentence, intent):
    assert read(sentence) == [intent]


@pytest.mark.parametrize(
    "sentence",
    [
        "make fetch more robust",
        "with-blocks for fetch, but not in store",
        "use f-strings where it is shorter",
        "f-strings and template literals, or .format?",
        "use f-strings in fetch and rename url to address",
        "flip the url check in fetch and store",
        "remove the unused imports except os",
        "requests is unused, remove that import",
        "sort the imports by length",
        "sort the imports, only the unused ones go",
        "clean up the imports",
        "log.info or log.debug instead of print",
        "write prints to a file instead of logging",
        "delete the prints, fetch needs its own",
        "drop the prints in fetch unless depth is 0",
        "remove every print of the scheduler",
        "log.info('stored', url) at the end of store",
        "remove the prints, and the one in fetch could become a log.info",
        "single or double quotes, whatever",
        "quote the url",
    ],
)
def test_what_is_left(sentence):
    assert read(sentence) == []
