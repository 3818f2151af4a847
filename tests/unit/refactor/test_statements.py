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
