-- The definition around some lines, by indentation.

local scope = require("editd.scope")

---Rows are named by their lines' own text: from which line to which, given the lines that an edit changed.
local function around(text, changed_first, changed_last)
  local lines = vim.split(vim.trim(text), "\n")
  local function row(part)
    for index, line in ipairs(lines) do
      if line:find(part, 1, true) then
        return index - 1
      end
    end
  end
  local first, last, is_definition = scope.around(lines, row(changed_first), row(changed_last or changed_first) + 1)
  return { vim.trim(lines[first + 1]), vim.trim(lines[last]), is_definition }
end

local PYTHON = [[
import os

class Client:
    @cached
    def get(self, name):
        if name:
            for part in name:
                send(part)
        return None

    def put(self):
        pass

def main():
    run()
]]

local JS = [[
const limit = 3;

export function total(items) {
  if (items.length) {
    return sum(items);
  }
}

const last = 1;
]]

test("the smallest definition around the changed lines", function()
  for _, case in ipairs({
    { PYTHON, "send(part)", nil, { "@cached", "return None", true } },
    { PYTHON, "def get", nil, { "@cached", "return None", true } },
    { PYTHON, "def get", "def put", { "class Client:", "pass", true } },
    { PYTHON, "def main", nil, { "def main():", "run()", true } },
    { PYTHON, "pass", nil, { "def put(self):", "pass", true } },
    { PYTHON, "return None", "pass", { "class Client:", "pass", true } },
    { PYTHON, "run()", nil, { "def main():", "run()", true } },
    { PYTHON, "import os", nil, { "import os", "import os", false } },
    { PYTHON, "import os", "run()", { "import os", "run()", false } },
    { JS, "return sum", nil, { "export function total(items) {", "}", true } },
    { JS, "const limit", nil, { "const limit = 3;", "const limit = 3;", false } },
    { "def f\n  x\nend\ny", "x", nil, { "def f", "end", true } },
  }) do
    same(case[4], around(case[1], case[2], case[3]), case[2])
  end
end)

test("an insertion into an empty line, and an empty buffer", function()
  same({ 0, 1, false }, { scope.around({ "" }, 0, 1) })
  same({ 1, 2, false }, { scope.around({ "a", "", "b" }, 1, 2) })
end)
