"""Edits without a target are done where the words describe their places, in several languages, and left where they do not."""

from difflib import unified_diff

import pytest

from editd.messages import EditRequest
from editd.refactor.computed import compute_edit

FEED = """\
# feed of the harbour
import sys
import csv
from pathlib import Path

TABLE = "data/tides.csv"


def read(path=TABLE):
    fh = open(path)
    rows = list(csv.reader(fh))
    fh.close()
    print("rows: %d" % len(rows))
    return rows


def first(rows):
    if rows:
        row = rows[0]
        if row:
            return row
    return None


def dump(rows, name):
    out = open(name, "w")
    for row in rows:
        out.write("{};{}\\n".format(*row[:2]))
    out.close()
    print("DEBUG dumped", name)
    print("file " + name + " is ready")
"""
CART = """\
import { tax } from './tax';
import { logger } from './log';

const LIMIT = 20;

export function label(item) {
  if (item.count < LIMIT) {
    console.log('labelled');
    return item.name + ': ' + item.count;
  }
  return '';
}

load().catch(() => console.log('not loaded'));
"""
WORK_GO = """\
package main

import "fmt"

func work(id string) {
	fmt.Println("working on", id)
}
"""
STEP_RS = """\
use log::warn;

fn step(level: u8) {
    dbg!(level);
    println!("level {}", level);
    warn!("stepped");
}
"""
MAIN_RS = """\
use std::fmt::Write;
use std::io::Read;

fn step(level: u8, max: u8) {
    if level < max {
        println!("level {}", level);
    }
}
"""
RUN_SH = """\
NAME='web'
build() {
    make
    echo "debug: built"
}
say() {
    echo "$1"
}
"""
CI_YML = "env:\n  node: '18'\nimage:\n  tag: 'v1'\n"
SITE_CSS = "@import 'a.css';\n.b { content: \"x\"; }\n"


def difference(text, instruction, path):
    """The lines that are taken away and added; None if nothing is."""
    result = compute_edit(EditRequest("1", text, instruction, path=path))
    if result is None or result.text in (None, text):
        return None
    lines = unified_diff(text.split("\n"), result.text.split("\n"), n=0)
    return [line.replace(" ", "") for line in lines if not line.startswith(("---", "+++", "@@"))]


@pytest.mark.parametrize(
    ("text", "path", "instruction", "lines"),
    [
        (FEED, "feed.py", "the csv file stays open when a row is broken, make that a with",
         ["-fh=open(path)", "-rows=list(csv.reader(fh))", "-fh.close()", "+withopen(path)asfh:", "+rows=list(csv.reader(fh))"]),
        (FEED, "feed.py", "the print of the rows as an f-string please", ['-print("rows:%d"%len(rows))', '+print(f"rows:{len(rows)}")']),
        (FEED, "feed.py", "the debug output in dump is a leftover, delete it", ['-print("DEBUGdumped",name)']),
        (FEED, "feed.py", "'rows' should be logged rather than printed (logging.debug)",
         ["+importlogging", '-print("rows:%d"%len(rows))', '+logging.debug("rows:%d"%len(rows))']),
        (FEED, "feed.py", "two of the imports are unused, away with them", ["-importsys", "-frompathlibimportPath"]),
        (FEED, "feed.py", "sys and Path are imported for nothing", ["-importsys", "-frompathlibimportPath"]),
        (FEED, "feed.py", "imports are in no order, sort please", ["-importcsv", "+importcsv"]),
        (FEED, "feed.py", "first: use a guard for empty rows (return None) instead of all that nesting",
         ["-ifrows:", "-row=rows[0]", "-ifrow:", "-returnrow", "+ifnotrows:", "+returnNone", "+row=rows[0]", "+ifrow:", "+returnrow"]),
        (CART, "cart.ts", "template string in label, gluing with plus is hard to read",
         ["-returnitem.name+':'+item.count;", "+return`${item.name}:${item.count}`;"]),
        (CART, "cart.ts", "we have a logger, both console.logs should be logger.warn",
         ["-console.log('labelled');", "+logger.warn('labelled');", "-load().catch(()=>console.log('notloaded'));", "+load().catch(()=>logger.warn('notloaded'));"]),
        (CART, "cart.ts", "label: bail out first when the count is too high, no nesting",
         ["-if(item.count<LIMIT){", "-console.log('labelled');", "-returnitem.name+':'+item.count;", "+if(item.count>=LIMIT){", "+return'';",
          "-return'';", "+console.log('labelled');", "+returnitem.name+':'+item.count;"]),
        (FEED, "feed.py", "remove the print in read, the ones in dump stay", ['-print("rows:%d"%len(rows))']),
        (CART, "cart.ts", "the labelled log and the if around it are history, drop both", None),
        (CART, "cart.ts", "drop the print that says labelled, the 'not loaded' one is needed", ["-console.log('labelled');"]),
        (CART, "cart.ts", "labelled: console.debug, not console.log", ["-console.log('labelled');", "+console.debug('labelled');"]),
        (WORK_GO, "work.go", "fmt.Println has no timestamp, log.Println please",
         ['-import"fmt"', '+import"log"', '-\tfmt.Println("workingon",id)', '+\tlog.Println("workingon",id)']),
        (STEP_RS, "step.rs", "I forgot the dbg in step, remove it", ["-dbg!(level);"]),
        (STEP_RS, "step.rs", "println! -> info!", ['-println!("level{}",level);', '+log::info!("level{}",level);']),
        (MAIN_RS, "main.rs", "clippy says Write and Read are unused", ["-usestd::fmt::Write;", "-usestd::io::Read;"]),
        (MAIN_RS, "main.rs", "step(): if level is at or above max, return, then un-nest",
         ["-iflevel<max{", '-println!("level{}",level);', "+iflevel>=max{", "+return;", '+println!("level{}",level);']),
        (RUN_SH, "run.sh", "drop the debug echo in build", ['-echo"debug:built"']),
        (RUN_SH, "run.sh", "NAME in double quotes please", ["-NAME='web'", '+NAME="web"']),
        (CI_YML, "ci.yml", "our linter wants double quotes", ["-node:'18'", '+node:"18"', "-tag:'v1'", '+tag:"v1"']),
        (CI_YML, "ci.yml", "image tag with double quotes", ["-tag:'v1'", '+tag:"v1"']),
        (FEED, "feed.py", "sort the first two imports, the pathlib one stays", ["-importcsv", "+importcsv"]),
        (FEED, "feed.py", "the 'is ready' print should be an f-string",
         ['-print("file"+name+"isready")', '+print(f"file{name}isready")']),
        (CART, "cart.ts", "double quotes for the imports, the rest stays",
         ["-import{tax}from'./tax';", "-import{logger}from'./log';", '+import{tax}from"./tax";', '+import{logger}from"./log";']),
        (SITE_CSS, "site.css", "double quotes in the css as well", ["-@import'a.css';", '+@import"a.css";']),
    ],
)  # fmt: skip
def test_what_words_describe_is_done(text, path, instruction, lines):
    found = difference(text, instruction, path)
    assert found is None if lines is None else sorted(found or []) == sorted(lines)


@pytest.mark.parametrize(
    ("text", "path", "instruction"),
    [
        (FEED, "feed.py", "use a with for the socket in read"),
        (FEED, "feed.py", "f-string for the greeting"),
        (FEED, "feed.py", "all three files should be opened by with"),
        (FEED, "feed.py", "first: return early if the name is empty"),
        (FEED, "feed.py", "first: return None first if there are rows, flip the if"),
        (FEED, "feed.py", "three of the imports are unused, away with them"),
        (FEED, "feed.py", "delete both prints"),
        (
            FEED,
            "feed.py",
            "delete the ready print, the one in read stays and so does the one in first",
        ),
        (MAIN_RS, "main.rs", "println! should be info!"),
        (WORK_GO, "work.go", "log.Debug instead of fmt.Println"),
        (
            FEED,
            "feed.py",
            "don't print the rows, logging.debug them (the logging import is missing)",
        ),
        (RUN_SH, "run.sh", "build has a silly debug line, delete it and rename say"),
        (FEED, "feed.py", "csv is unused, remove the import if so"),
        (FEED, "feed.py", "the 'sent' print should be logging.info"),
        (FEED, "feed.py", "order the imports by file name"),
        (FEED, "feed.py", "imports: sys last, please sort them"),
        (FEED, "feed.py", "sort the top four imports, the stdlib ones"),
        (FEED, "feed.py", "both prints glue their text, f-strings please"),
        (FEED, "feed.py", "log to a file instead of printing"),
        (CART, "cart.ts", "label: return early when the count is too low, no nesting"),
        (CART, "cart.ts", "template literal for the title"),
        (MAIN_RS, "main.rs", "step: early return when level is above 0 and max is not"),
        (RUN_SH, "run.sh", "remove the echo that says done"),
        (CI_YML, "ci.yml", "double quotes for the branch"),
    ],
)
def test_what_words_do_not_describe_is_left(text, path, instruction):
    assert difference(text, instruction, path) is None
