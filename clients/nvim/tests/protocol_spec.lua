-- The same examples that the Python and TypeScript tests read.

local errors = require("editd.errors")
local hunks = require("editd.hunks")
local protocol = require("editd.protocol")
local support = require("support")

-- Named METHOD[.CASE].KIND.json; a response does not say its method itself.
local fixtures = vim.fn.glob(support.checkout .. "/clients/fixtures/protocol/*.json", false, true)

test("every example of the protocol has the shape that this plugin expects", function()
  local seen = {}
  for _, path in ipairs(fixtures) do
    local file = vim.fs.basename(path)
    local message = vim.json.decode(support.read(path), { luanil = { object = true } })
    local method = message.method or "editd/" .. file:match("^(%w+)")
    local shapes = protocol.MESSAGES[method]
    check(shapes or not vim.startswith(method, "editd/") or file:match("^executeCommand"), file)
    for _, part in ipairs({ "params", "result" }) do
      if shapes and shapes[part] and message[part] then
        same(nil, protocol.problem(shapes[part], message[part]), file)
        seen[method .. " " .. part] = true
      end
    end
    if message.error then
      local text, code = errors.of_response(message.error)
      check(#text > 0 and #code > 0, file)
    end
  end
  for method, shapes in pairs(protocol.MESSAGES) do
    for part in pairs(shapes) do
      check(seen[method .. " " .. part], "no example shows the " .. part .. " of " .. method)
    end
  end
end)

test("the hunks of the examples can be shown", function()
  for _, path in ipairs(fixtures) do
    local message = vim.json.decode(support.read(path), { luanil = { object = true } })
    if message.method == protocol.EDIT_DELTA then
      local known = hunks.new()
      same(true, known:delta(message.params), path)
      same(message.params.version, known.version, path)
    elseif vim.fs.basename(path) == "edit.response.json" then
      local known = hunks.new()
      known:answer(message.result)
      same(#message.result.hunks, #known:all(), path)
    end
  end
end)

test("methods are named as in editd/frontends/lsp/methods.py", function()
  local python = support.read(support.checkout .. "/editd/frontends/lsp/methods.py")
  for name, method in python:gmatch('\n([A-Z_]+) = "(editd/[%w]+)"') do
    same(method, protocol[name], name)
  end
  same(protocol.SCHEMA_VERSION, tonumber(python:match("\nSCHEMA_VERSION = (%d+)")))
end)

test("what is wrong with a message is named by its place", function()
  local delta = { editToken = "t", seq = 1, ops = { { hunk = { id = 1, start = 0, oldCount = 1 } } } }
  same("EditDelta.ops[0].hunk.done is missing", protocol.problem("EditDelta", delta))
  delta.ops[1].hunk.done = true
  delta.ops[1].hunk.newLines = { "a", 2 }
  same("EditDelta.ops[0].hunk.newLines[1] is a number, no string", protocol.problem("EditDelta", delta))
  delta.ops[1].hunk.newLines = {}
  same(nil, protocol.problem("EditDelta", delta))
  delta.news = "a newer server may say more"
  same(nil, protocol.problem("EditDelta", delta))
  same("EditDelta is no object", protocol.problem("EditDelta", 3))
end)

test("one of several types will do", function()
  for token, expected in pairs({ a = true, [1] = true }) do
    same(expected, protocol.problem("CancelParams", { editToken = token }) == nil)
  end
  check(protocol.problem("CancelParams", { editToken = true }))
  same(nil, protocol.problem("RejectParams", { editToken = 1, hunkIds = "all" }))
  same(nil, protocol.problem("RejectParams", { editToken = 1, hunkIds = { 1, 2 } }))
  check(protocol.problem("RejectParams", { editToken = 1, hunkIds = { "a" } }))
end)
