"""Answers that the words contradict are suspect, whatever wrote them; those that do what was asked are not."""

import pytest

from editd.checks import check_hunks
from editd.checks.literal import compared
from editd.diff.document import Document
from editd.intent import parse
from editd.refactor.computed import hunks_to
from editd.syntax.language import language_of

PYTHON = '''\
import os

LIMIT = 10


class Store:
    def load(self, path):
        """Reads a file."""
        if path:
            print(path)
        return open(path).read()

    def save(self, path, text):
        # total of all
        total = len(text)
        open(path, "w").write("total " + text)
        return total


def main():
    print(Store().load("total"))
'''
SCRIPT = """\
import fs from "fs";

// Reads a file.
export function load(path) {
  if (path) {
    console.log(path);
  }
  return fs.read(path);
}

class Store {
  save(path, text) {
    const total = text.length;
    fs.write(path, "total" + text);
    return total;
  }
}
"""
GO = """\
package store

import "os"

// Load reads a file.
func Load(path string) string {
\tif path != "" {
\t\tprintln(path)
\t}
\tdata, _ := os.ReadFile(path)
\treturn string(data)
}

func Save(path string, text string) int {
\ttotal := len(text)
\treturn total
}
"""
RUST = """\
use std::fs;

/// Reads a file.
fn load(path: &str) -> String {
    println!("{}", path);
    fs::read_to_string(path).unwrap()
}

fn save(path: &str, text: &str) -> usize {
    let total = text.len();
    total
}
"""
JAVA = """\
import java.util.List;

class Store {
    // Reads a file.
    String load(String path) {
        System.out.println(path);
        return read(path);
    }

    int save(String path, String text) {
        int total = text.length();
        return total;
    }
}
"""
C = """\
#include <stdio.h>

/* Reads a file. */
int load(const char *path) {
    printf("%s", path);
    return open(path);
}

int save(const char *path, int size) {
    int total = size;
    return total;
}
"""
TEXTS = {"a.py": PYTHON, "a.js": SCRIPT, "a.ts": SCRIPT, "a.go": GO, "a.rs": RUST, "A.java": JAVA, "a.c": C}  # fmt: skip


def doubts_of(path, instruction, *changes, text=None, guesses=None):
    """What is doubted of an answer; ``changes``: (old, new) in turn."""
    old = TEXTS[path] if text is None else text
    new = old
    for before, after in changes:
        assert before in new, before
        new = new.replace(before, after)
    document, language = Document.of(old), language_of(path)
    hunks = hunks_to(document, new)
    said = compared(document, hunks, parse(instruction), language)
    marked, doubts = check_hunks(
        document, hunks, instruction, language, comparison=said, guesses=guesses
    )
    assert all(hunk.suspect is None or hunk.suspect in doubts for hunk in marked)
    assert bool(doubts) == any(hunk.suspect for hunk in marked)
    return doubts


def check(path, instruction, changes, part):
    """``part``: of the only doubt; empty if there is none."""
    doubts = doubts_of(path, instruction, *changes)
    assert [part in one for one in doubts] == [True] * bool(part), doubts


DROP_IF = {
    "a.py": ("        if path:\n            print(path)\n", "        if path:\n            pass\n"),
    "a.js": ("    console.log(path);\n", ""),
    "a.go": ("\t\tprintln(path)\n", ""),
}
HEADS = {
    "a.py": ("    def save(self, path, text):\n", '    def save(self, path, text):\n        """Writes."""\n'),
    "a.js": ("  save(path, text) {\n", "  /** Writes. */\n  save(path, text) {\n"),
    "a.ts": ("  save(path, text) {\n", "  // Writes.\n  save(path, text) {\n"),
    "a.go": ("func Save", "// Save writes.\nfunc Save"),
    "a.rs": ("fn save", "/// Writes.\nfn save"),
    "A.java": ("    int save", "    /** Writes. */\n    int save"),
    "a.c": ("int save", "/* Writes. */\nint save"),
}  # fmt: skip
TOTAL = {path: "Save" if path == "a.go" else "save" for path in HEADS}
OTHER = {
    "a.py": ("return total", "return total + 1"), "a.js": ("return total", "return total + 1"),
    "a.ts": ("return total", "return total + 1"), "a.go": ("return total", "return total + 1"),
    "a.rs": ("    total\n", "    total + 1\n"), "A.java": ("return total", "return total + 1"),
    "a.c": ("return total", "return total + 1"),
}  # fmt: skip
COMMENTS = {
    "a.py": ("        # total of all\n", ""), "a.js": ("// Reads a file.\n", ""), "a.ts": ("// Reads a file.\n", ""),
    "a.go": ("// Load reads a file.\n", ""), "a.rs": ("/// Reads a file.\n", ""), "A.java": ("    // Reads a file.\n", ""),
    "a.c": ("/* Reads a file. */\n", ""),
}  # fmt: skip
LOGS = {
    "a.py": ("        total = len(text)\n", '        logging.info("save")\n        total = len(text)\n'),
    "a.js": ("    const total", '    console.info("save");\n    const total'),
    "a.ts": ("    const total", '    logger.info("save");\n    const total'),
    "a.go": ("\ttotal := len(text)\n", '\tlog.Println("save")\n\ttotal := len(text)\n'),
    "a.rs": ("    let total", '    log::info!("save");\n    let total'),
    "A.java": ("        int total", '        LOGGER.info("save");\n        int total'),
    "a.c": ("    int total", '    log_info("save");\n    int total'),
}  # fmt: skip
PATHS = tuple(HEADS)


@pytest.mark.parametrize("path", PATHS)
def test_what_is_asked_for_has_to_be_there_in_every_language(path):
    name = TOTAL[path]
    check(path, f"nobody knows what {name} does, please document it", [HEADS[path]], "")
    check(path, f"document {name}", [OTHER[path]], f"“{name}”")
    check(path, f"I'd like a log line whenever {name} runs", [LOGS[path]], "")
    check(path, f"log every call of {name}", [HEADS[path]], "a logging call")


@pytest.mark.parametrize("path", PATHS)
def test_nothing_else_changes_in_any_language(path):
    name = TOTAL[path]
    check(path, f"document {name}", [HEADS[path], OTHER[path]], "do not name this change")
    check(path, f"log calls to {name}", [LOGS[path], OTHER[path]], "do not name this change")
    check(path, "no comments please, just the code", [COMMENTS[path]], "")
    check(path, "no comments please, just the code", [COMMENTS[path], OTHER[path]], "do not name")


@pytest.mark.parametrize("path", DROP_IF)
def test_a_block_is_not_left_empty(path):
    check(path, "make it quiet", [DROP_IF[path]], "Nothing is left in the block of")
    check(path, "leave the body empty", [DROP_IF[path]], "")


@pytest.mark.parametrize(
    ("path", "instruction", "changes", "part"),
    [
        # definitions
        ("a.py", "make main louder", [("def main", "def start")], "“main” (line 20) is gone"),
        ("a.py", "rework main", [("def main", "def start")], ""),
        ("a.py", "call main start instead", [("def main", "def start")], ""),
        ("a.py", "make main louder", [("    def save(self", "def save(self")], "no longer in “Store”"),
        ("a.py", "move save out of the class", [("\n    def save(self", "\ndef save(self"), ("\n        total = len(text)", "\n    total = len(text)")], "parsed before"),
        ("a.js", "make it louder", [("function load", "function read")], "“load” (line 3) is gone"),
        ("a.py", "make main louder", [("def main", "def main():\n    return 1\n\n\ndef main")], "defined a second time"),
        ("a.go", "make it louder", [("func Save", "func Load(path string) string {\n\treturn path\n}\n\nfunc Save")], "defined a second time"),
        # names that are taken
        ("a.py", "rename total to path", [("total =", "path ="), ("return total", "return path")], "is the name of something else"),
        # one text in the place of another
        ("a.py", "`main` is a terrible name, call it `start`", [("def main", "def startmain")], "which the words do not say"),
        ("a.py", 'it says "total " where it should say "sum "', [('"total "', '"sum "')], ""),
        ("a.py", 'it says "total " where it should say "sum "', [('"total "', '"the sum is"')], "which the words do not say"),
        ("a.py", "please bump LIMIT so that its value is 12", [("LIMIT = 10", "LIMIT = 12")], ""),
        ("a.py", "please bump LIMIT so that its value is 12", [("LIMIT = 10", "TWELVE = 12")], "its name changed"),
        ("a.py", "please bump LIMIT so that its value is 12", [("LIMIT = 10", "LIMIT = 13")], "do not say “13”"),
        ("a.py", "go with 77 and not 78 in all places", [("LIMIT = 10", "LIMIT = 77")], "does not stand in this text"),
        ("a.py", 'put "sum" for "total" in the strings, in every one', [('"total"', '"sum"'), ('"total ', '"sum ')], ""),
        ("a.py", 'put "sum" for "total" in the strings, in every one', [('"total"', '"sum"'), ('"total ', '"sum '), ("# total", "# sum")], "strings alone"),
        ("a.py", "rename total to count only in the comments", [("# total", "# count")], ""),
        ("a.py", "rename total to count only in the comments", [("# total", "# count"), ("total =", "count ="), ("return total", "return count")], "comments alone"),
        # comments and docstrings alone
        ("a.py", "translate the comments into German", [("total of all", "Summe von allem")], ""),
        ("a.py", "translate the comments into German", [("total of all", "Summe von allem"), ("total =", "summe ="), ("return total", "return summe")], "do not name"),
        ("a.py", "fix the grammar of the docstring of load", [("Reads a file", "Read a file")], ""),
        ("a.py", "fix the grammar of the docstring of load", [("Reads a file", "Read a file"), ("if path:", "if path is None:")], "do not name"),
        ("a.go", "improve the comments", [("Load reads a file", "Load reads a whole file")], ""),
        ("a.go", "improve the comments", [("Load reads a file", "Load reads a whole file"), ("return total", "return 0")], "do not name"),
        # what is to go
        ("a.py", 'any line with "total of" can be dropped', [("        # total of all\n", "")], ""),
        ("a.py", 'any line with "total of" can be dropped', [("        # total of all\n        total = len(text)\n", "")], "has no “total of”"),
        ("a.py", "i moved `main` elsewhere, so cut it from here", [('\n\ndef main():\n    print(Store().load("total"))\n', "")], ""),
        ("a.py", "i moved `main` elsewhere, so cut it from here", [("def main():\n    print", "print")], "More than “main” changed"),
        ("a.py", "get rid of `absent`", [("LIMIT = 10\n", "")], "does not stand in this text"),
        ("a.py", "leave everything as it is", [("LIMIT = 10", "LIMIT = 11")], "no change"),
        ("a.py", "kill all prints", [("            print(path)\n", "            pass\n"), ('    print(Store().load("total"))', "    pass")], ""),
        ("a.py", "kill all prints", [("    print(Store().load", "    (Store().load")], "this answer leaves it"),
        # more of what is there
        ("a.py", "have save caught for KeyError, it gives [] then", [("return total", "return total + 1")], "The words alone would change lines 14, 15 and 16"),
        ("a.py", "wrap main in try/except", [('    print(Store().load("total"))', '    try:\n        print(Store().load("total"))\n    except Exception:\n        raise')], ""),
        ("a.py", "wrap save in try/except", [("        return total", "        try:\n            return total\n        except Exception:\n            raise")], "around the whole body"),
        ("a.py", "let main return [] on KeyError", [('    print(Store().load("total"))', '    try:\n        print(Store().load("total"))\n    except KeyError:\n        pass')], "returns `[]`"),
        ("a.py", "log each call of load", [("            print(path)\n", '            print(path)\n            logging.info("load")\n')], "each call of “load” reaches"),
        ("a.py", "log calls of main at debug level", [("    print(Store", '    logging.info("main")\n    print(Store')], "level “debug”"),
        ("a.py", "I want Path (from pathlib) among the imports, thanks to mypy", [("import os\n", "import os\nimport pathlib\n")], "an import of “Path”"),
        ("a.py", "I want Path (from pathlib) among the imports, thanks to mypy", [("import os\n", "import os\nfrom pathlib import Path\n")], ""),
        ("a.py", "the path parameter of load is typed str", [("load(self, path)", "load(self, path: str)")], ""),
        ("a.py", "the path parameter of load is typed str", [("load(self, path)", "load(self, path: str) -> str")], "do not name this change"),
    ],
)  # fmt: skip
def test_the_words_and_the_answer(path, instruction, changes, part):
    check(path, instruction, changes, part)


@pytest.mark.parametrize(
    ("path", "instruction", "changes"),
    [
        ("a.py", "rename main to class", [("def main", "def class")]),
        ("a.js", "rename total to default", [("const total", "const default")]),
        ("a.go", "rename total to range", [("total :=", "range :=")]),
        ("A.java", "rename total to switch", [("int total", "int switch")]),
    ],
)
def test_a_keyword_is_no_name(path, instruction, changes):
    assert any("is a keyword" in one for one in doubts_of(path, instruction, *changes))


JSON = '{\n  "name": "app",\n  "version": "1.0.0",\n  "private": true\n}\n'
YAML = "name: app\nversion: 1.0.0\nports:\n  - port: 80\n"


@pytest.mark.parametrize(
    ("path", "text", "instruction", "right", "wrong"),
    [
        ("a.json", JSON, 'set "version" to "1.1.0"', ('"1.0.0"', '"1.1.0"'), ('"version"', '"1.1.0"')),
        ("a.json", JSON, "set version to 1.1.0", ('"1.0.0"', '"1.1.0"'), ('"version"', '"release"')),
        ("a.json", JSON, 'the name should be "tool"', ('"app"', '"tool"'), ('"name"', '"tool"')),
        ("a.json", JSON, "make private false", ("true", "false"), ('"private": true', '"public": false')),
        ("a.yaml", YAML, "change the port to 8080", ("80", "8080"), ("port: 80", "server_port: 8080")),
        ("a.yaml", YAML, 'use "tool" as the name', ("app", "tool"), ("name: app", "tool: app")),
        ("a.py", PYTHON, "set LIMIT to 20", ("= 10", "= 20"), ("LIMIT = 10", "MAX = 20")),
        ("a.js", "const limit = 10;\n", "limit must be 20", ("10", "20"), ("limit = 10", "max = 20")),
    ],
)  # fmt: skip
def test_a_key_keeps_its_name_where_its_value_is_named(path, text, instruction, right, wrong):
    key = next(
        word
        for word in ("version", "name", "private", "port", "LIMIT", "limit")
        if word in instruction
    )
    assert doubts_of(path, instruction, right, text=text) == []
    told = f"The value of “{key}” is named, and its name changed."
    assert told in doubts_of(path, instruction, wrong, text=text)
    renamed = doubts_of(path, f"rename the key {key}", wrong, text=text)
    assert told not in renamed


FORMATS = 'a = "%s of %d" % (x, y)\nb = "{} of {n}".format(x, n=y)\nc = "100%"\n'


@pytest.mark.parametrize(
    ("new", "part"),
    [
        ('a = f"{x} of {y}"\nb = f"{x} of {y}"\nc = "100%"\n', ""),
        ('a = f"{y} of {x}"\nb = f"{x} of {y}"\nc = "100%"\n', "do not name"),
        ('a = f"{x} of {y}"\nb = f"{x} of {y}"\nc = f"100"\n', "do not name"),
        ('a = f"{x} of {y}"\nb = "{} of {n}".format(x, n=y)\nc = "100%"\n', "f-strings, also for"),
    ],
)
def test_f_strings_say_what_the_formats_said(new, part):
    doubts = doubts_of(
        "a.py",
        "i'd rather have f-strings everywhere than what stands there",
        (FORMATS, new),
        text=FORMATS,
    )
    assert [part in one for one in doubts] == [True] * bool(part), doubts
    # Words alone compute this sentence; an answer that differs is doubted all the same.
    doubts = doubts_of("a.py", "i'd rather have f-strings everywhere", (FORMATS, new), text=FORMATS)
    assert len(doubts) == bool(part), doubts


@pytest.mark.parametrize(
    ("path", "text", "more"),
    [
        ("a.py", "x = 1\n\n\ndef f(a):\n    return a.pa", "th\n"),
        ("a.py", "x = 1\n\n\ndef f(a):\n", "    return a\n"),
        ("a.py", "x = 1\n\n\nclass A:\n    def f(self, a", "):\n        return a\n"),
        ("a.js", "let x = 1;\n\nfunction f(a) {\n  return a.pa", "th;\n}\n"),
        ("a.go", "package a\n\nvar x = 1\n\nfunc F(a int) int {\n\treturn a +", " 1\n}\n"),
    ],
)
def test_a_text_that_stops_in_a_statement_stops_there_after_it(path, text, more):
    right = ("x = 1", "x = 2")
    assert doubts_of(path, "change the 1 of x to 2", right, text=text) == []
    on = "The text stops in the middle of a statement, and this goes on with it."
    assert on in doubts_of(path, "change the 1 of x to 2", (text, text + more), text=text)
    assert doubts_of(path, "complete the function", (text, text + more), text=text) == []


@pytest.mark.parametrize(
    ("instruction", "doubted"),
    [
        ("rename total to count", True),
        ("we need 12 there and not 10", False),  # it is what the words say
        ("import json", True),
        ("write a function that adds", False),
        ("document save", False),
        ("rename total to count and make it faster", False),
    ],
)
def test_a_guess_is_suspect_where_the_words_leave_no_choice(instruction, doubted):
    doubts = doubts_of("a.py", instruction, ("LIMIT = 10", "LIMIT = 12"), guesses={1: "`a` or `b`"})
    told = "The words leave no choice, and the model guessed: `a` or `b`."
    assert (told in doubts) is doubted


@pytest.mark.parametrize(
    "instruction",
    [
        "make it faster", "fix the bug in save", "refactor", "support other encodings", "what does it do?", "",
        "use pathlib instead of open", "let load take a list of paths",
    ],
)  # fmt: skip
def test_open_requests_are_not_judged(instruction):
    more = ("return total", "return total * 2")
    assert doubts_of("a.py", instruction, more, ("LIMIT = 10", "LIMIT = 11")) == []
