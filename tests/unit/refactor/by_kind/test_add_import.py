"""The import that a sentence names, as code, with its module, or by a name that the language knows."""

import pytest

from editd.intent import parse
from editd.refactor.by_kind.add_import import READERS
from editd.refactor.by_kind.request import KindRequest
from editd.syntax.code import read_code
from editd.syntax.language import language_of

FILES = {
    "a.py": "import os\nfrom typing import Any\n\n\ndef stamp(x: Any):\n    return datetime.now()\n",
    "b.ts": "import axios, { AxiosError } from 'axios';\n\nexport const get = axios.get;\n",
    "c.go": 'package a\n\nimport (\n\t"fmt"\n\t"os"\n)\n\nfunc main() { fmt.Println(os.Args) }\n',
    "D.java": "package a;\n\nimport java.util.List;\n\nclass D {}\n",
    "e.rs": "use std::fmt;\n\nfn main() {}\n",
}


def check(sentence, path, line):
    """The sentence adds the line, or nothing if that is empty."""
    code = read_code(FILES[path], language_of(path, ""))
    request = KindRequest(sentence, "add_import", parse(sentence), code, path)
    texts = [x.texts[0].splitlines() for x in READERS["add_import"](request)]
    added = [line for text in texts for line in text if line not in code.text.splitlines()]
    assert [x.strip() for x in added] == ([line] if line else [])


@pytest.mark.parametrize(
    ("sentence", "path", "line"),
    [
        (
            "for the next step I need gzip in this module, so import it please",
            "a.py",
            "import gzip",
        ),
        (
            "stamp() wants `from datetime import datetime`, somebody dropped it",
            "a.py",
            "from datetime import datetime",
        ),
        ("an import of logging is lacking", "a.py", "import logging"),
        (
            "let us have the typing module's Iterable",
            "a.py",
            "from typing import Any, Iterable",
        ),
        (
            "for the tables: import pandas as pd, we start on Monday",
            "a.py",
            "import pandas as pd",
        ),
        (
            "I want CancelToken imported from axios for the abort button",
            "b.ts",
            "import axios, { AxiosError, CancelToken } from 'axios';",
        ),
        ("the log package has to be imported, Set will use it", "c.go", '"log"'),
        ("java.time.Instant will be needed", "D.java", "import java.time.Instant;"),
        (
            "a use of std::path::Path is wanted, since Path comes next",
            "e.rs",
            "use std::path::Path;",
        ),
    ],
)
def test_is_read(sentence, path, line):
    check(sentence, path, line)


@pytest.mark.parametrize(
    ("sentence", "path"),
    [
        ("import whatever we need here", "a.py"),
        ("the unused import of os should go", "a.py"),
        ("we want the orders imported from the api", "a.py"),
        ("import os", "a.py"),
        ("either gzip or zlib has to be imported", "a.py"),
        ("make Foo available from the library", "e.rs"),
    ],
)
def test_what_is_not_clear_is_left(sentence, path):
    check(sentence, path, "")
