"""An import that is used is removed only if the words say "anyway"."""

import pytest

from editd.messages import EditRequest
from editd.refactor.computed import compute_edit

PY = "import json\nimport os\n\nprint(json.dumps(os.sep))\n"
TS = 'import { join, sep } from "path";\nimport fs from "fs";\n\nfs.write(join("a"));\n'
GO = 'package a\n\nimport (\n\t"fmt"\n\t"os"\n)\n\nfunc main() {\n\tfmt.Println(os.Args)\n}\n'
JAVA = "import java.util.List;\nimport java.util.Map;\n\nclass A {\n    List<String> a;\n}\n"
RUST = 'use std::fs;\n\nfn main() {\n    fs::read("a");\n}\n'
STAYS = "“{}” is used (line {}), so its import stays; say “anyway” to remove it all the same."


@pytest.mark.parametrize(
    ("path", "text", "instruction", "name", "line"),
    [
        *(("a.py", PY, said, "json", 4) for said in (
            "remove the json import", "delete import json", "Remove the import of json", "remove the unused json import",
            "remove the imports of json and os", "delete the line import json", "delete the line that imports json",
            "json is not needed any more, remove its import", "comment out the json import")),
        ("a.py", "from a import b, c as d\n\nprint(d)\n", "delete the line from a import b, c as d", "d", 3),
        ("a.py", "import os.path\n\nprint(os.sep)\n", "remove the os.path import", "os", 3),
        ("a.py", "import json\n\n\ndef f():\n    return json.dumps(1)\n", "delete the json import", "json", 5),
        ("a.ts", TS, "remove the fs import", "fs", 4),
        ("a.js", TS, "delete the fs import", "fs", 4),
        ("a.go", GO, "remove the fmt import", "fmt", 9),
        ("A.java", JAVA, "remove the import of List", "List", 5),
        ("a.rs", RUST, "remove the import of fs", "fs", 4),
    ],
)  # fmt: skip
def test_a_used_import_stays(path, text, instruction, name, line):
    result = compute_edit(EditRequest("1", text, instruction, path=path))
    assert (result.finish_reason, result.text) == ("refused", None)
    assert result.error.message == STAYS.format(name, line)


@pytest.mark.parametrize(
    ("path", "text", "instruction", "gone"),
    [
        *(("a.py", PY, said, "import json\n") for said in (
            "remove the json import anyway", "remove the json import even though it is used", "delete import json regardless",
            "delete the json import, even if it's needed")),
        ("a.py", "import json\nimport os\n\nprint(os.sep)\n", "remove the json import", "import json\n"),
        ("a.py", "import json\n\n\ndef f(json):\n    return json.x\n", "remove the json import", "import json\n\n\n"),
        ("a.py", "import json\nimport json\n\nprint(json)\n", "delete line 2", "import json\n"),
        ("A.java", JAVA, "remove the import of Map", "import java.util.Map;\n"),
        ("a.go", GO.replace("fmt.Println(", "println("), "remove the fmt import", '\t"fmt"\n'),
    ],
)  # fmt: skip
def test_an_import_that_goes(path, text, instruction, gone):
    assert compute_edit(EditRequest("1", text, instruction, path=path)).text == text.replace(
        gone, "", 1
    )


def test_an_import_goes_with_its_uses():
    text = "import json\nimport os\n\njson.dump(1)\nprint(os)\n"
    request = EditRequest("1", text, "delete the lines that contain `json`", path="a.py")
    assert compute_edit(request).text == "import os\n\nprint(os)\n"


@pytest.mark.parametrize(
    "sentence", ["delete the lines that contain json", "delete all lines with json"]
)
def test_not_only_the_import_of_all_lines_with_a_word(sentence):
    text = "import json\nimport os\n\njson.dump(1)\nprint(os)\n"
    result = compute_edit(EditRequest("1", text, sentence, path="a.py"))
    assert result is None or result.text == "import os\n\nprint(os)\n"
