"""A rename or a deletion names the lines that build names like it at run time."""

import pytest

from editd.messages import EditRequest
from editd.refactor.computed import compute_edit

PY = "class Server:\n    def run(self, name):\n        {}\n\n    def handle_open(self):\n        return 1\n"
JS = "class Server {{\n  run(name) {{\n    {}\n  }}\n\n  handleOpen() {{\n    return 1;\n  }}\n}}\n"
TITLE = "It stays in texts of which names are built: line {}."


@pytest.mark.parametrize("instruction", ["rename {} to start", "delete the method {}"])
@pytest.mark.parametrize(
    ("path", "text", "line", "name"),
    [
        *(("a.py", PY.format(code), 3, "handle_open") for code in (
            'getattr(self, "handle_" + name)()', 'getattr(self, f"handle_{name}")()', "getattr(self, 'handle_%s' % name)()",
            'getattr(self, "handle_{}".format(name))()', 'globals()["handle_" + name]()', 'getattr(self, name + "_open")()',
            'getattr(self, f"{name}_open")()')),
        *((path, JS.format(code), 3, "handleOpen") for path in ("a.js", "a.ts") for code in (
            'this["handle" + name]();', "this[`handle${name}`]();", 'this["handle".concat(name)]();')),
        ("A.java", 'class A {\n    Object f(String name) {\n        return A.class.getMethod("handle" + name);\n    }\n\n    void handleOpen() {\n    }\n}\n', 3, "handleOpen"),
        ("a.go", 'package a\n\nfunc (s *S) run(name string) {\n\treflect.ValueOf(s).MethodByName("Handle" + name)\n}\n\nfunc (s *S) HandleOpen() {\n}\n', 4, "HandleOpen"),
        ("a.rb", 'class Server\n  def run(name)\n    send("handle_#{name}")\n  end\n\n  def handle_open\n    1\n  end\nend\n', 3, "handle_open"),
        ("a.php", "<?php\nclass A {\n    public function run($name) {\n        $this->{'handle' . $name}();\n    }\n\n    public function handleOpen() {\n    }\n}\n", 4, "handleOpen"),
    ],
)  # fmt: skip
def test_a_name_that_may_be_built(path, text, line, name, instruction):
    result = compute_edit(EditRequest("1", text, instruction.format(name), path=path))
    assert result.summary.endswith(TITLE.format(line))


@pytest.mark.parametrize(
    ("code", "name"),
    [
        ('print("handle_", name)', "handle_open"),
        ('print("hand" + name)', "handle_open"),
        ('print(f"handled {name}")', "handle_open"),
        ('print("x" + name)  # "handle_" + name', "handle_open"),
        ('print("handle_" + name)', "open_door"),
    ],
)
def test_no_such_name_is_built(code, name):
    text = PY.format(code).replace("handle_open", name)
    result = compute_edit(EditRequest("1", text, f"rename {name} to start", path="a.py"))
    assert "built" not in result.summary
