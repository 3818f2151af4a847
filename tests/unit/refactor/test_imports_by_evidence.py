"""Imports are read by evidence: where they go, what is imported from which module; other words are left to a model."""

import pytest

from editd.messages import EditRequest
from editd.refactor.computed import compute_edit

PY = """\
#!/usr/bin/env python3
import csv
import os
from typing import Optional

from shop.text import HELLO

LIMIT = 3
"""
TS = """\
import { readable } from "svelte/store";
import type { Order } from "../types";
import { api } from "$lib/api";

export const total = readable(0);
"""
GO = """\
package main

import (
\t"fmt"
\t"os"

\t"github.com/acme/queue"
)
"""
RUST = """\
use std::fmt;
use std::fs::File;

const WIDTH: usize = 4;
"""
TEXTS = {"a.py": PY, "a.ts": TS, "a.go": GO, "a.rs": RUST}


@pytest.mark.parametrize(
    ("path", "sentence", "above", "line"),
    [
        ("a.py", "from pathlib import Path, at the end of the imports", "from shop.text import HELLO", "from pathlib import Path"),
        ("a.py", "import json first thing", "#!/usr/bin/env python3", "import json"),
        ("a.py", "json has to be imported (first in the list)", "#!/usr/bin/env python3", "import json"),
        ("a.py", "we need json here, put it between csv and os", "import csv", "import json"),
        ("a.py", "below the os line I need Path (pathlib)", "import os", "from pathlib import Path"),
        ("a.py", "numpy as np, after os please", "import os", "import numpy as np"),
        ("a.py", "pandas will be used soon, import it as pd above shop.text", "", "import pandas as pd"),
        ("a.ts", "import { tick } from ./clock as the last import", 'import { api } from "$lib/api";', 'import { tick } from "./clock";'),
        ("a.ts", "derived needs importing from svelte/motion, after the types import", 'import type { Order } from "../types";',
         'import { derived } from "svelte/motion";'),
        ("a.go", "strings is going to be used, add it to the imports in its alphabetical place", '\t"os"', '\t"strings"'),
        ("a.go", '"errors" must be imported as the first one', "import (", '\t"errors"'),
        ("a.rs", "import std::path::PathBuf right after File", "use std::fs::File;", "use std::path::PathBuf;"),
        ("a.rs", "use std::io; on top of the others", "^", "use std::io;"),
    ],
)  # fmt: skip
def test_where_a_new_line_goes(path, sentence, above, line):
    result = compute_edit(EditRequest("1", TEXTS[path], sentence, path=path))
    assert result is not None
    assert result.text is not None
    lines = result.text.splitlines()
    assert [x for x in lines if x != line] == TEXTS[path].splitlines()
    at = lines.index(line)
    assert (lines[at - 1] if at else "^") == above


@pytest.mark.parametrize(
    ("path", "sentence", "line"),
    [
        ("a.py", "add Any to the typing import", "from typing import Any, Optional"),
        ("a.py", "shop.text should also give us GOODBYE", "from shop.text import HELLO, GOODBYE"),
        (
            "a.ts",
            "add type Customer to the types import",
            'import type { Order, Customer } from "../types";',
        ),
        (
            "a.ts",
            "I need writable from svelte/store too",
            'import { readable, writable } from "svelte/store";',
        ),
    ],
)
def test_which_line_gets_a_name(path, sentence, line):
    result = compute_edit(EditRequest("1", TEXTS[path], sentence, path=path))
    assert result is not None
    assert result.text is not None
    assert set(result.text.splitlines()) - set(TEXTS[path].splitlines()) <= {
        line,
        line.replace("Any, Optional", "Optional, Any"),
    }
    assert result.text != TEXTS[path]


@pytest.mark.parametrize(
    ("path", "sentence"),
    [
        ("a.py", "import json below the yaml line"),
        ("a.py", "import json between csv and typing"),
        ("a.py", "we need json before the release"),
        ("a.py", "import json after os if it is used"),
        ("a.py", "import the data after the csv"),
        ("a.py", "import json at the end of the file"),
        ("a.py", "imports should be in alphabetical order, and json is missing"),
        ("a.py", "shop.text should give us a better text"),
        ("a.py", "add math to the first import line"),
        ("a.ts", "we need readable from svelte/store too"),
        ("a.ts", "import orders from the api"),
        ("a.go", "put the imports between os and time"),
    ],
)
def test_what_is_left(path, sentence):
    result = compute_edit(EditRequest("1", TEXTS[path], sentence, path=path))
    assert result is None or result.text in (None, TEXTS[path])
