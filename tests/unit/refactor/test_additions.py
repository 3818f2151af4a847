"""Additions are read by evidence, in all languages, and left to a model where a word is not accounted for."""

import pytest

from editd.messages import EditRequest
from editd.refactor.computed import compute_edit

PY = """\
import json
import subprocess

LIMIT = 10
STATE = "state.json"


def load(path):
    with open(path) as file:
        return json.load(file)


def sync(items):
    done = 0
    for item in items:
        if done > LIMIT:
            break
        subprocess.run(["push", item])
        done += 1
    return done


def clear(folder):
    for entry in folder.iterdir():
        shutil.rmtree(entry)
"""
TS = """\
import { db } from "./db";

export function total(items) {
  return items.length * 2;
}

export async function store(name: string, value) {
  const entry = { name, value };
  await db.write(entry);
  return randomUUID();
}
"""
GO = """\
package main

import (
\t"fmt"
\t"os"
)

func run(name string) {
\tfmt.Println(strings.ToUpper(name))
\tos.Exit(1)
}
"""
JAVA = """\
package a;

import java.util.Map;

class Store {
    private int failures = 0;

    void push(Api api) {
        api.send(1);
        List<String> names = null;
    }
}
"""
RUST = """\
use std::fs;

pub fn reset(grid: &mut Grid) {
    grid.clear();
    fs::remove_file("a");
}
"""
TEXTS = {"a.py": PY, "a.ts": TS, "a.go": GO, "A.java": JAVA, "a.rs": RUST}


def check(sentence, path, old, new):
    """The sentence changes ``old`` to ``new`` in the text of its path; nothing, if ``new`` is ``None``."""
    text = TEXTS[path]
    result = compute_edit(EditRequest("1", text, sentence, path=path))
    if new is None:
        assert result is None or result.text in (None, text)
    else:
        assert text.count(old) == 1
        assert result is not None
        assert result.text == text.replace(old, new)


@pytest.mark.parametrize(
    ("sentence", "path", "old", "new"),
    [
        ("clear is silent, put print(entry) right before the entry gets deleted", "a.py",
         "        shutil", "        print(entry)\n        shutil"),
        ('nobody sees syncs: subprocess.run(["log"]) is fine, but logging.info("x") too', "a.py", "", None),
        ('at the end of sync print("synced %d" % done)', "a.py", "    return done", '    print("synced %d" % done)\n    return done'),
        ('console.log("stored") after the entry was written', "a.ts",
         "  await db.write(entry);\n", '  await db.write(entry);\n  console.log("stored");\n'),
        ('fmt.Println("bye") before it exits', "a.go", "\tos.Exit(1)", '\tfmt.Println("bye")\n\tos.Exit(1)'),
        ('println!("reset"); as first statement of reset', "a.rs", "    grid.clear", '    println!("reset");\n    grid.clear'),
        ('print("a") at the end of sync and drop the loop', "a.py", "", None),
        ('print("a") before the run and after the push', "a.py", "", None),
        ('print("a") at the top of sync if items is empty', "a.py", "", None),
    ],
)  # fmt: skip
def test_a_statement_is_added_where_the_words_say(sentence, path, old, new):
    check(sentence, path, old, new)


@pytest.mark.parametrize(
    ("sentence", "path", "old", "new"),
    [
        ("one failed push must not stop the others: wrap the subprocess.run call in sync, except CalledProcessError: continue", "a.py",
         '        subprocess.run(["push", item])\n',
         '        try:\n            subprocess.run(["push", item])\n        except subprocess.CalledProcessError:\n            continue\n'),
        ("json.load in load may raise ValueError, catch it and return {}", "a.py",
         "        return json.load(file)\n",
         "        try:\n            return json.load(file)\n        except ValueError:\n            return {}\n"),
        ("put what is inside the loop of clear in a try, on OSError print(entry)", "a.py",
         "        shutil.rmtree(entry)\n",
         "        try:\n            shutil.rmtree(entry)\n        except OSError:\n            print(entry)\n"),
        ("db is flaky, wrap the write call in store with try/catch (err): console.error(err), then rethrow", "a.ts",
         "  await db.write(entry);\n",
         "  try {\n    await db.write(entry);\n  } catch (err) {\n    console.error(err);\n    throw err;\n  }\n"),
        ("the send call: catch ApiException around it and increment failures", "A.java",
         "        api.send(1);\n",
         "        try {\n            api.send(1);\n        } catch (ApiException e) {\n            failures++;\n        }\n"),
        ("wrap json.load in load in try, except FooError: pass", "a.py", "", None),  # nothing defines it
        ("wrap the run call in try/except OSError and retry three times", "a.py", "", None),
        ("sync must not break when a push fails", "a.py", "", None),
        ("catch errors in sync", "a.py", "", None),
    ],
)  # fmt: skip
def test_code_is_wrapped_in_try(sentence, path, old, new):
    check(sentence, path, old, new)


@pytest.mark.parametrize(
    ("sentence", "path", "old", "new"),
    [
        ("load gets a second param encoding, default None. I'll wire it up later", "a.py",
         "def load(path)", "def load(path, encoding=None)"),
        ('sync(items, command="push") please, signature only', "a.py", "def sync(items)", 'def sync(items, command="push")'),
        ("total should take factor = 2 as last parameter and multiply by that", "a.ts",
         "total(items) {\n  return items.length * 2", "total(items, factor = 2) {\n  return items.length * factor"),
        ("sync: limit=LIMIT at the end and compare against it", "a.py",
         "def sync(items):\n    done = 0\n    for item in items:\n        if done > LIMIT",
         "def sync(items, limit=LIMIT):\n    done = 0\n    for item in items:\n        if done > limit"),
        ("sync gets dry_run=False and skips the push then", "a.py", "", None),
        ("sync gets dry_run=False as first parameter", "a.py", "", None),
        ("sync: limit=LIMIT and sort the imports", "a.py", "", None),
        ("load and sync get verbose=False and use it", "a.py", "", None),
    ],
)  # fmt: skip
def test_a_parameter_is_added(sentence, path, old, new):
    check(sentence, path, old, new)


@pytest.mark.parametrize(
    ("sentence", "path", "old", "new"),
    [
        ("load takes a str and gives back a dict, hints please", "a.py", "def load(path)", "def load(path: str) -> dict"),
        ("sync: items is a list of str, return type int too late noticed", "a.py", "", None),
        ("items in total is implicitly any, string[] and the result is a number", "a.ts", "total(items)", "total(items: string[]): number"),
        ("store returns Promise<string> - declare it", "a.ts", "value) {\n  const", "value): Promise<string> {\n  const"),
        ("type hints for load and sync: path is a str", "a.py", "", None),
        ("make load return a list", "a.py", "", None),
        ("load takes a str, an int and gives back a dict, hints please", "a.py", "", None),
    ],
)  # fmt: skip
def test_types_are_added(sentence, path, old, new):
    check(sentence, path, old, new)


@pytest.mark.parametrize(
    ("sentence", "path", "old", "new"),
    [
        ("docstring on sync pls: Push all over the wire, but not under LIMIT.", "a.py",
         "def sync(items):\n", 'def sync(items):\n    """Push all over the wire, but not under LIMIT."""\n'),
        ("JSDoc on total -> Twice the number of items.", "a.ts",
         "export function total", "/** Twice the number of items. */\nexport function total"),
        ("doc comment above reset: Clears all.", "a.rs", "pub fn reset", "/// Clears all.\npub fn reset"),
        ("docstring on sync: Push all. Then rename done to count.", "a.py", "", None),
        ("docstrings for load and sync: Do something useful.", "a.py", "", None),
    ],
)  # fmt: skip
def test_a_docstring_is_taken_letter_by_letter(sentence, path, old, new):
    check(sentence, path, old, new)


@pytest.mark.parametrize(
    ("sentence", "path", "old", "new"),
    [
        ("clear dies with a NameError, shutil is never imported", "a.py", "import json\n", "import json\nimport shutil\n"),
        ("randomUUID isn't imported, it comes from crypto", "a.ts",
         'from "./db";\n', 'from "./db";\nimport { randomUUID } from "crypto";\n'),
        ("undefined: strings", "a.go", '\t"os"\n', '\t"os"\n\t"strings"\n'),
        ("cannot find symbol List, the import is missing", "A.java",
         "import java.util.Map;\n", "import java.util.Map;\nimport java.util.List;\n"),
        ("shutil should be os here, undefined otherwise", "a.py", "", None),
        ("shutil is undefined, import it and sort the imports", "a.py", "", None),
        ("import Button", "a.ts", "", None),
        ("import load from json", "a.py", "import subprocess\n", "import subprocess\nfrom json import load\n"),
        ("import {sync} from './db' below the fs import", "a.ts", "", None),
    ],
)  # fmt: skip
def test_an_undefined_name_is_imported(sentence, path, old, new):
    check(sentence, path, old, new)
