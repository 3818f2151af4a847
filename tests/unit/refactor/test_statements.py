"""Statements that words point at: what is written beside them, and what is put around them."""

import pytest

from editd.messages import EditRequest
from editd.refactor.computed import compute_edit


def check(instruction, path, before, after):
    result = compute_edit(EditRequest("1", before, instruction, path=path))
    assert result is not None
    assert result.text == after


@pytest.mark.parametrize(
    ("instruction", "path", "before", "after"),
    [
        ('log "done" after the save call in f', "a.py",
         "import logging\n\n\ndef f(x):\n    x.save()\n    return x\n",
         'import logging\n\n\ndef f(x):\n    x.save()\n    logging.info("done")\n    return x\n'),
        ("in f, log x at debug level", "a.py",
         "import logging\n\nlog = logging.getLogger(__name__)\n\n\ndef f(x):\n    return x\n",
         'import logging\n\nlog = logging.getLogger(__name__)\n\n\ndef f(x):\n    log.debug("x: %s", x)\n    return x\n'),
        ("log when f is called", "a.py", "def f(x):\n    return x\n",
         'import logging\n\ndef f(x):\n    logging.info("f called")\n    return x\n'),
        ("log 'done' with x when f finishes", "a.py",
         "import logging\n\n\ndef f(x):\n    g(x)\n    return x\n",
         'import logging\n\n\ndef f(x):\n    g(x)\n    logging.info("done: %s", x)\n    return x\n'),
        ("f should log its arguments at debug level", "a.py",
         "import logging\n\nlog = logging.getLogger()\n\n\ndef f(x, y=1):\n    return x\n",
         'import logging\n\nlog = logging.getLogger()\n\n\ndef f(x, y=1):\n    log.debug("x: %s, y: %s", x, y)\n    return x\n'),
        ("console.log the id on entering f(id)", "a.js", "function f(id) {\n  g(id);\n}\n",
         'function f(id) {\n  console.log("id:", id);\n  g(id);\n}\n'),
        ("log each call of f with log.Println", "a.go", 'package a\n\nimport "log"\n\nfunc f(x int) {\n\tg(x)\n}\n',
         'package a\n\nimport "log"\n\nfunc f(x int) {\n\tlog.Println("f called")\n\tg(x)\n}\n'),
        ('f: after the commit, log log.info("kept %s", x.id)', "a.py",
         "import logging\n\nlog = logging.getLogger()\n\n\ndef f(x):\n    db.commit()\n    return x\n",
         'import logging\n\nlog = logging.getLogger()\n\n\ndef f(x):\n    db.commit()\n    log.info("kept %s", x.id)\n    return x\n'),
        ("just before f returns put check(len(x))", "a.py", "def f(x):\n    g(x)\n    return x\n",
         "def f(x):\n    g(x)\n    check(len(x))\n    return x\n"),
        ("the first thing f does should be check(x)", "a.js", "function f(x) {\n  g(x);\n}\n",
         "function f(x) {\n  check(x);\n  g(x);\n}\n"),
        ("right after g(x) add h(x)", "a.go", "package a\n\nfunc f(x int) {\n\tg(x)\n\tk(x)\n}\n",
         "package a\n\nfunc f(x int) {\n\tg(x)\n\th(x)\n\tk(x)\n}\n"),
        ('restart() should begin with log "starting"', "a.sh", "log() {\n  echo $1\n}\n\nrestart() {\n  run\n}\n",
         'log() {\n  echo $1\n}\n\nrestart() {\n  log "starting"\n  run\n}\n'),
        ("f still prints; it should use log.debug for that", "a.py",
         "import logging\n\nlog = logging.getLogger()\n\n\ndef f(x):\n    print(x)\n",
         "import logging\n\nlog = logging.getLogger()\n\n\ndef f(x):\n    log.debug(x)\n"),
        ("add `check(x)` at the end of f", "a.ts", "function f(x) {\n  g(x);\n  return x;\n}\n",
         "function f(x) {\n  g(x);\n  check(x);\n  return x;\n}\n"),
        ("log the name at the start of add", "A.java",
         "class A {\n    static final org.slf4j.Logger LOG = null;\n\n    void add(String name) {\n        put(name);\n    }\n}\n",
         'class A {\n    static final org.slf4j.Logger LOG = null;\n\n    void add(String name) {\n        LOG.info("name: {}", name);\n        put(name);\n    }\n}\n'),
        ("catch smtp.Error around send_all, print it and return", "a.py",
         "def f(x):\n    x.send_all()\n    return 1\n",
         "def f(x):\n    try:\n        x.send_all()\n    except smtp.Error as error:\n        print(error)\n        return\n    return 1\n"),
        ("if f raises KeyError return 0", "a.py", "def f(x):\n    return x['a']\n\n\nf({})\n",
         "def f(x):\n    try:\n        return x['a']\n    except KeyError:\n        return 0\n\n\nf({})\n"),
        ("put the += in f in a try and on ValueError continue", "a.py",
         "def f(x):\n    for y in x:\n        n += int(y)\n",
         "def f(x):\n    for y in x:\n        try:\n            n += int(y)\n        except ValueError:\n            continue\n"),
        ("f: try/catch the whole body, return false on error", "a.js",
         "function f(x) {\n  return g(`/${x}`);\n}\n",
         "function f(x) {\n  try {\n    return g(`/${x}`);\n  } catch (error) {\n    return false;\n  }\n}\n"),
        ("if int(x) raises ValueError then y = 0", "a.py",
         "def f(x):\n    y = int(x)\n    return y\n",
         "def f(x):\n    try:\n        y = int(x)\n    except ValueError:\n        y = 0\n    return y\n"),
        ("add `check(x)` as the first line of f", "a.ts", "function f(x) {\n  g(x);\n}\n", "function f(x) {\n  check(x);\n  g(x);\n}\n"),
        ('log "testing" before npm test', "a.sh", "npm ci\nnpm test\n", 'npm ci\necho "testing"\nnpm test\n'),
        ("in f, put the int(...) line in try/except ValueError and use y = 1", "a.py",
         "def f(x):\n    y = int(x)\n    return y\n",
         "def f(x):\n    try:\n        y = int(x)\n    except ValueError:\n        y = 1\n    return y\n"),
        ("wrap save() in a try/except OSError and log a warning", "a.py",
         "import logging\n\nsave()\n",
         'import logging\n\ntry:\n    save()\nexcept OSError as error:\n    logging.warning("save failed: %s", error)\n'),
        ("catch KeyError in f, log the error and re-raise", "a.py",
         'import logging\n\n\ndef f(x):\n    """Do."""\n    return x["a"]\n',
         'import logging\n\n\ndef f(x):\n    """Do."""\n    try:\n        return x["a"]\n    except KeyError:\n        logging.exception("f failed")\n        raise\n'),
        ("put repo.save in try/catch IOException and print the error", "A.java",
         "class A {\n    void f() {\n        repo.save(x);\n    }\n}\n",
         "class A {\n    void f() {\n        try {\n            repo.save(x);\n        } catch (IOException error) {\n            System.err.println(error);\n        }\n    }\n}\n"),
    ],
)  # fmt: skip
def test_the_statement_that_is_named(instruction, path, before, after):
    check(instruction, path, before, after)


EARLY = "import logging\n\n\ndef f(x):\n    if x:\n        return 1\n    y = g(x)\n    return y\n"
EARLY_JS = "function f(x) {\n  if (x) {\n    return 1;\n  }\n  const y = g(x);\n  return y;\n}\n"
EARLY_GO = 'package a\n\nimport "log"\n\nfunc f(x int) int {\n\tif x > 1 {\n\t\treturn 1\n\t}\n\ty := g(x)\n\treturn y\n}\n'


@pytest.mark.parametrize(
    ("path", "text"), [("a.py", EARLY), ("a.js", EARLY_JS), ("a.go", EARLY_GO)]
)
@pytest.mark.parametrize(
    "instruction",
    ["make f log y before returning it", "log x when f finishes", "log that f is done when f finishes", "just before f returns put check(x)"],
)  # fmt: skip
def test_what_is_done_at_returns_is_left_if_there_are_several(instruction, path, text):
    result = compute_edit(EditRequest("1", text, instruction, path=path))
    assert result is None


@pytest.mark.parametrize(
    ("path", "text", "line"),
    [
        ("a.py", EARLY.replace("    if x:\n        return 1\n", ""), '    logging.info("y: %s", y)'),
        ("a.py", EARLY.replace("if x:\n        return 1\n", "def h():\n        return 1\n"), '    logging.info("y: %s", y)'),
        ("a.js", EARLY_JS.replace("if (x) {\n    return 1;\n  }", "k(() => { return 1; });"), '  console.log("y:", y);'),
        ("a.go", EARLY_GO.replace("if x > 1 {\n\t\treturn 1\n\t}", "k()"), '\tlog.Println("y:", y)'),
    ],
)  # fmt: skip
def test_what_is_done_at_the_only_return(path, text, line):
    result = compute_edit(EditRequest("1", text, "make f log y before returning it", path=path))
    lines = result.text.splitlines()
    assert lines[lines.index(line) + 1].split()[:2] in (["return", "y"], ["return", "y;"])
