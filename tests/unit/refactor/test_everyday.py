"""What people type first on a file: two wishes, an exception, an argument, the environment, an entry; each with what is left."""

import pytest

from editd.messages import EditRequest
from editd.refactor.computed import compute_edit

APP = "import os\nimport sys\n\nPORT = 5000\nDEBUG = True\nTOKEN = 'x1'\n\n\ndef load(path):\n    return open(path)\n\n\nrun(load, port=PORT, debug=DEBUG)\n"
PROJECT = (
    '[project]\nname = "a"\nversion = "0.4.2"\nrequires-python = ">=3.9"\ndependencies = ["rich"]\n'
)
WORKFLOW = 'jobs:\n  test:\n    strategy:\n      matrix:\n        python-version: ["3.9", "3.10"]\n    steps:\n      - run: |\n          pip install -e ".[dev]"\n'
PRINTS = 'def f(n):\n    print("start", n)\n    if n < 0:\n        print("error: n is", n)\n    for i in range(n):\n        print("row", i)\n    return n\n'
LOGS = 'console.log("order", o);\nsave(o);\nconsole.log("saved order", o.id);\nlisten(port, () => {\n  console.log(`listening on port ${port}`);\n});\n'
COMMENTS = "# Copyright 2024 by us. MIT licence.\nimport os\n\n# reads a file\nopen(os)\nx = os.name  # the system\n"
HTTP = "import requests\n\n\ndef get(url):\n    r = requests.get(url, params=None)\n    with open('a.txt') as f:\n        return r, f.read()\n"
SHELL = "#!/bin/bash\n# Builds.\n\nHOST=a.com\nnpm ci\n"
PACKAGE = '{\n  "name": "a",\n  "scripts": {\n    "build": "vite build"\n  },\n  "dependencies": {\n    "a": "1",\n    "react": "^18.2.0",\n    "zod": "3"\n  },\n  "devDependencies": {\n    "vitest": "^1.2.2"\n  }\n}\n'
TABLES = "CREATE TABLE members (\n    id SERIAL PRIMARY KEY,\n    email TEXT NOT NULL,\n    joined DATE DEFAULT now()\n);\n\nCREATE TABLE loans (\n    id SERIAL PRIMARY KEY,\n    member_id INTEGER REFERENCES members (id)\n);\n\nCREATE INDEX idx_members_joined ON members (joined);\n"
DUE = "from datetime import timedelta\n\n\nclass Invoice:\n    def due(self):\n        return self.issued + timedelta(days=30)\n\n    def late(self):\n        return self.due() < now()\n"
CONFIG = "const BASE_URL = 'http://a';\nconst RETRIES = 3;\nconst VERBOSE = false;\n"


def changed(path, text, sentence):
    result = compute_edit(EditRequest("1", text, sentence, path=path))
    return None if result is None else result.text


@pytest.mark.parametrize(
    ("path", "text", "sentence", "changes"),
    [
        # two wishes
        ("pyproject.toml", PROJECT, "bump the version to 0.5.0 and require python 3.11", {"0.4.2": "0.5.0", ">=3.9": ">=3.11"}),
        ("a.py", APP, "set PORT to 8080 and turn off debug", {"5000": "8080", "DEBUG = True": "DEBUG = False"}),
        ("a.py", APP, "change PORT to 8080 and rename load to read", {"5000": "8080", "load": "read"}),
        ("a.py", "import os\nimport re\nimport sys\n\nprint(os, sys)\n", "remove unused imports and sort the rest", {"import re\n": ""}),
        ("a.py", "import sys\nimport os\nimport re\n\nprint(os, sys)\n", "remove unused imports and sort the others", {"import sys\nimport os\nimport re\n": "import os\nimport sys\n"}),
        ("ci.yml", WORKFLOW, "also test on python 3.12 and drop 3.9", {'"3.9", "3.10"': '"3.10", "3.12"'}),
        ("pyproject.toml", PROJECT, "add httpx to dependencies and set the version to 1.0.0", {'"rich"': '"rich", "httpx"', "0.4.2": "1.0.0"}),
        ("a.md", "Run `npm test`, with `npm ci`.\n", 'change "npm test" to "npm run test" and "npm ci" to "npm install"', {"npm test": "npm run test", "npm ci": "npm install"}),
        # exceptions
        ("a.js", LOGS, "remove the console.logs except the one for the port", {'console.log("order", o);\n': "", 'console.log("saved order", o.id);\n': ""}),
        ("a.js", LOGS, "delete the console.logs but keep the listening one", {'console.log("order", o);\n': "", 'console.log("saved order", o.id);\n': ""}),
        ("a.js", LOGS, "remove all console.logs apart from the order ones", {"  console.log(`listening on port ${port}`);\n": ""}),
        ("a.py", COMMENTS, "delete all comments but the licence", {"# reads a file\n": "", "  # the system": ""}),
        ("a.py", COMMENTS, "remove the comments, keep the one about the system", {"# reads a file\n": ""}),
        # arguments
        ("a.py", HTTP, "add a timeout of 10 seconds to the request", {"params=None": "params=None, timeout=10"}),
        ("a.py", HTTP, "add a timeout of 10 seconds to the request in get", {"params=None": "params=None, timeout=10"}),
        ("a.py", HTTP, "requests.get needs a timeout of 2 minutes", {"params=None": "params=None, timeout=120"}),
        ("a.py", HTTP, "pass encoding utf-8 to open", {"'a.txt'": "'a.txt', encoding='utf-8'"}),
        ("a.py", HTTP, "open the file with utf-8", {"'a.txt'": "'a.txt', encoding='utf-8'"}),
        ("a.py", "run(\n    ['ls'],\n    text=True,\n)\n", "add check=True to run", {"True,\n": "True,\n    check=True,\n"}),
        ("a.ts", "api.get(url, { retries: 2 });\n", "add a timeout of 5 seconds to api.get", {"2 }": "2, timeout: 5000 }"}),
        # configurable
        ("a.py", DUE, "make the payment term configurable instead of the hardcoded 30 days", {"due(self)": "due(self, payment_term=30)", "days=30": "days=payment_term"}),
        ("a.py", DUE, "make the due days configurable", {"(days=30)": "(days=days)", "due(self)": "due(self, days=30)"}),
        ("a.py", DUE, "pull the 30 days out into a constant called PAYMENT_DAYS", {"timedelta\n\n\n": "timedelta\n\nPAYMENT_DAYS = 30\n\n\n", "days=30": "days=PAYMENT_DAYS"}),
        ("a.js", "const A = require('a');\n\na.listen(process.env.PORT || 3000);\n", "extract 3000 into a constant DEFAULT_PORT", {"('a');\n": "('a');\n\nconst DEFAULT_PORT = 3000;\n", "|| 3000": "|| DEFAULT_PORT"}),
        # the environment
        ("a.py", APP, "read PORT and DEBUG from environment variables", {"= 5000": '= int(os.environ.get("PORT", "5000"))', "= True": '= os.environ.get("DEBUG", "true").lower() in ("1", "true", "yes")'}),
        ("a.py", APP, "don't hardcode the token, read it from the environment", {"= 'x1'": '= os.environ["TOKEN"]'}),
        ("a.py", APP, "take DEBUG from the environment, default false", {"= True": '= os.environ.get("DEBUG", "false").lower() in ("1", "true", "yes")'}),
        ("a.py", "URL = 'http://a'\n", "read the url from an env var called API_URL", {"URL = 'http://a'": "import os\n\nURL = os.environ.get(\"API_URL\", 'http://a')"}),
        ("a.js", CONFIG, "read the base url from process.env", {"'http://a'": "process.env.BASE_URL || 'http://a'"}),
        ("a.js", CONFIG, "get RETRIES and VERBOSE from the environment", {"= 3": "= Number(process.env.RETRIES || 3)", "= false": '= process.env.VERBOSE === "true"'}),
        ("a.sh", SHELL, "read HOST from the environment", {"a.com": '"${HOST:-a.com}"'}),
        # entries
        ("package.json", PACKAGE, "add a test script that runs vitest", {'"vite build"': '"vite build",\n    "test": "vitest"'}),
        ("package.json", PACKAGE, "add mime 4.0.0 to dependencies", {'    "react"': '    "mime": "4.0.0",\n    "react"'}),
        ("a.py", "M = ['a.B', 'c.D']\n", "add e.F to M after B", {"'a.B'": "'a.B', 'e.F'"}),
        ("a.py", 'KINDS = (".jpg", ".png")\n', "also support .webp", {'".png"': '".png", ".webp"'}),
        ("ci.yml", WORKFLOW, "drop python 3.9", {'"3.9", ': ""}),
        ("a.sh", SHELL, "stop the script if any command fails", {"HOST": "set -e\n\nHOST"}),
        ("a.sh", SHELL, "make the script exit on errors and unset variables", {"HOST": "set -eu\n\nHOST"}),
        ("a.sql", TABLES, "add an index on loans.member_id", {"(joined);\n": "(joined);\nCREATE INDEX idx_loans_member_id ON loans (member_id);\n"}),
        ("a.sql", TABLES, "make the member email unique", {"TEXT NOT NULL": "TEXT NOT NULL UNIQUE"}),
        ("a.sql", TABLES, "members.joined should be required", {"joined DATE": "joined DATE NOT NULL"}),
    ],
)  # fmt: skip
def test_what_people_type_first(path, text, sentence, changes):
    new = text
    for old, written in changes.items():
        assert old in new
        new = new.replace(old, written)
    assert changed(path, text, sentence) == new


@pytest.mark.parametrize(
    ("path", "text", "sentence"),
    [
        # two wishes of which one is not certain, or none
        ("pyproject.toml", PROJECT, "bump the version to 0.5.0 and write a changelog"),
        ("pyproject.toml", PROJECT, "bump the version to 0.5.0 and the patience to 3"),
        ("a.py", APP, "set PORT to 8080 and the host to 0.0.0.0"),
        ("a.py", APP, "rename load to read and save to write"),
        ("a.py", APP, "rename load to run and run to load"),
        ("a.py", APP, "rename PORT to a, load to run and run to load"),
        ("a.py", APP, "remove unused imports and explain the rest"),
        ("a.py", APP, "if PORT is 5000 rename load to read and set DEBUG to False"),
        ("a.py", APP, "add a comment that says set PORT to 8080 and rename load to read"),
        ("a.py", APP, "the port is 8080 and the path is wrong"),
        # exceptions of places, of nothing, of several things, of all
        ("a.py", PRINTS, "remove the prints except in f"),
        ("a.py", PRINTS, "remove the prints except the one about cats"),
        ("a.js", LOGS, "remove the console.logs except the order one"),
        ("a.js", "console.log(1, a);\n", "remove the console.logs except the one with a"),
        ("a.py", APP, "rename load to read except the last one"),
        ("a.py", COMMENTS, "delete all comments but the todos"),
        # arguments without a value, a call, or one of several
        ("a.py", HTTP, "add a timeout to the request"),
        ("a.py", HTTP, "add a timeout of 10 seconds to the query"),
        ("a.py", HTTP, "add params=1 to requests.get"),
        ("a.py", HTTP, "add retries of 10 seconds to requests.get"),
        ("a.py", HTTP + "requests.get('b')\n", "add a timeout of 10 seconds to the request"),
        ("a.py", "run(['ls'], **options)\n", "add check=True to run"),
        ("a.py", "open('a', 'rb')\n", "open the file with utf-8"),
        ("a.py", HTTP, "pass mode to open"),
        # nothing to configure
        ("a.py", DUE, "make the payment term configurable"),
        ("a.py", DUE, "make the payment term configurable instead of 14 days"),
        ("a.py", DUE, "make it configurable"),
        ("a.py", DUE, "move the 30 into a constant"),
        ("a.py", DUE, "move the 14 into a constant called DAYS"),
        ("a.py", "A = 5\n\n\ndef f():\n    return 7 + 7\n", "move the 7 into a constant called SEVEN"),
        ("a.py", "A = 5\n\n\ndef f():\n    return A\n", "move the 5 into a constant called FIVE"),
        # nothing to read
        ("a.py", APP, "read HOST from the environment"),
        ("a.py", "A_URL = 'a'\nB_URL = 'b'\n", "read the url from the environment"),
        ("a.py", "import os\n\nURL = os.environ.get('URL', 'a')\n", "read URL from the environment"),
        ("a.py", "URL = f(1)\n", "read URL from the environment"),
        ("a.py", APP, "don't read PORT from the environment"),
        # no entries
        ("package.json", PACKAGE, "add a test script that runs the unit tests"),
        ("package.json", PACKAGE, "add a build script that runs tsc"),
        ("package.json", PACKAGE, "add a start script that runs build"),
        ("a.md", "Run `npm test`, with node 18.\n", 'change "npm test" to "npm run test" and yarn 1 to yarn 2'),
        ("package.json", PACKAGE, "add axios to dependencies"),
        ("a.py", "M = ['a.B', 'c.B']\n", "add e.F to M after B"),
        ("a.py", 'KINDS = (".jpg", ".png")\nMORE = (".gif",)\n', "also support .webp"),
        ("a.py", 'KINDS = (".jpg", ".png")\n', "also support dark mode"),
        ("a.sh", "#!/bin/bash\nset -u\nls\n", "stop the script if any command fails"),
        ("a.py", APP, "stop the script if any command fails"),
        ("a.sql", TABLES, "add an index on loans.title"),
        ("a.sql", TABLES, "make the email unique"),
        ("a.sql", TABLES, "make the loan email unique"),
    ],
)  # fmt: skip
def test_what_is_not_certain_is_left(path, text, sentence):
    assert changed(path, text, sentence) in (None, text)


def test_a_workflow_with_a_script_in_it_has_known_texts():
    assert changed("ci.yml", WORKFLOW, "delete the comments") == WORKFLOW
    assert changed("ci.yml", WORKFLOW, 'change "3.9" to "3.8"') == WORKFLOW.replace("3.9", "3.8")
