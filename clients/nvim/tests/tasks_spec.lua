-- What a first user asks for, typed: the edits of clients/fixtures/tasks.json, and the states of file and model that they may
-- meet. Words decide where they can, as they do for a user; a script answers where only a model could.

local support = require("support")

local fixture = vim.json.decode(support.read(support.checkout .. "/clients/fixtures/tasks.json"))

local answers = {}
for _, task in ipairs(fixture.tasks) do
  if task.engine == "scripted" then
    answers[task.instruction] = task.after
  end
end
local daemon = support.scripted_daemon("tasks", { answers = answers })

---The lines of a task's file when the edit is accepted.
local function expected(task)
  local lines = {}
  for _, line in ipairs(fixture.files[task.file]) do
    vim.list_extend(lines, task.after[line] or { line })
  end
  return lines
end

---An editor with a file, in which words decide where they can.
local function opened(file, lines)
  local child = support.child({ daemon = daemon, words = true })
  local path = support.file(file, table.concat(lines, "\n") .. "\n")
  child:edit(path)
  return child, path
end

for _, task in ipairs(fixture.tasks) do
  test("a task: " .. task.name, function()
    local child, path = opened(task.file, fixture.files[task.file])
    child:rewrite("Editd " .. task.instruction)
    child:type("gA")
    child:wait("_G.open() == 0 and vim.bo.modified")
    same(expected(task), child:lines())
    child:type(":write<CR>")
    child:wait("not vim.bo.modified")
    same(table.concat(expected(task), "\n") .. "\n", support.read(path))
  end)
end

test("a file of 2,000 lines", function()
  local lines, renamed = {}, {}
  for number = 1, 500 do
    local body = number % 100 == 0 and "total" or "len"
    vim.list_extend(lines, { "", "", ("def part_%d(items):"):format(number), ("    return %s(items)"):format(body) })
  end
  for number, line in ipairs(lines) do
    renamed[number] = line:gsub("total", "sum_of")
  end
  local child = opened("long.py", lines)
  child:type("G")
  child:rewrite("Editd Rename total to sum_of.")
  same(5, child:lua("return _G.open()"))
  child:type("gA")
  child:wait("_G.open() == 0")
  same(renamed, child:lines())
end)

test("what is typed and not saved is what is edited; the file is left alone until it is written", function()
  local task = fixture.tasks[1]
  local lines = fixture.files[task.file]
  local child, path = opened(task.file, lines)
  child:type("Goprint(total([]))<Esc>")
  child:rewrite("Editd " .. task.instruction)
  child:type("gA")
  child:wait("_G.open() == 0")
  same("print(sum_of([]))", child:lines()[#lines + 1]:gsub("^%s+", ""))
  same(table.concat(lines, "\n") .. "\n", support.read(path))
end)

test("a model that is not on this machine: one sentence names the way to another", function()
  local config = support.file("config.toml", '[model]\nname = "/nowhere/model"\n')
  local child = support.child({ daemon = "no-model", environment = { EDITD_CONFIG = config } })
  support.at_the_end(function()
    vim.system({ support.editd, "stop", "--force" }, { env = support.environment("no-model") }):wait(30000)
  end)
  child:edit(support.file("a.py", "print(1)\n"))
  child:rewrite("Editd Make it louder.")
  contains("/nowhere/model", child:notes())
  contains(":EditdModel", child:notes())
  same({ "print(1)" }, child:lines())
end)

test("a preset that the model refuses: one sentence names the way to another", function()
  local child = support.child({ daemon = "embedded", environment = { EDITD_CONFIG = support.file("config.toml", "") } })
  support.at_the_end(function()
    vim.system({ support.editd, "stop", "--force" }, { env = support.environment("embedded") }):wait(30000)
  end)
  child:edit(support.file("a.py", "print(1)\n"))
  child:rewrite("Editd @simplify")
  contains(":EditdModel", child:notes())
  same({ "print(1)" }, child:lines())
end)
