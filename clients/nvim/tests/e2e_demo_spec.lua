-- End to end with nothing scripted: language server, daemon and the solved model, a real causal language
-- model that knows the edits of examples/demo by heart. The first edit starts the daemon.

local support = require("support")

local DAEMON = "demo"
local examples = support.checkout .. "/examples/demo/"

support.at_the_end(function()
  local stopped = vim.system(
    { support.editd, "stop", "--force" },
    { env = support.environment(DAEMON) }
  )
  stopped:wait(30000)
end)

-- One of each kind.
local CASES = {
  "inventory-rename",
  "report-range", -- some lines only
  "scheduler-delete",
  "settings-constant", -- CRLF
  "weather-translate", -- Japanese, Chinese, emoji
  "events-unchanged",
  "ring-rename", -- no final newline
}

---The edits that the model knows, by name.
local function cases()
  local list, by_name = {}, {}
  for line in support.read(examples .. "cases.toml"):gmatch("[^\n]+") do
    if line == "[[edit]]" then
      list[#list + 1] = {}
    elseif #list > 0 then
      local key, value = line:match('^(%w+) = "(.*)"$')
      if key then
        list[#list][key] = value
      end
      local first, last = line:match("^lines = %[(%d+), (%d+)%]")
      if first then
        list[#list].lines = first .. "," .. last
      end
    end
  end
  for _, case in ipairs(list) do
    by_name[case.name] = case
  end
  return by_name
end

---A copy of an example, opened.
local function open(child, name)
  local path = support.file(name, support.read(examples .. name))
  child:edit(path)
  return path
end

test("edits of a real model arrive, and a write keeps all other bytes", function()
  local child = support.child({ daemon = DAEMON })
  child:cmd("set nofixeol hidden")
  local known = cases()
  for _, name in ipairs(CASES) do
    local case = known[name]
    local path = open(child, case.file)
    local expected = support.read(examples .. case.after)
    child:rewrite((case.lines or "") .. "Editd " .. case.instruction)
    if expected ~= support.read(path) then
      check(child:lua("return _G.open()") > 0, case.name .. ": " .. child:notes())
      child:type(":EditdAccept!<CR>")
      child:wait("_G.open() == 0")
    end
    child:cmd("write")
    same(expected, support.read(path), case.name)
  end
  contains("The model left the text as it is.", child:notes()) -- events-unchanged
end)

test("what only a model can do is accepted hunk by hunk, by key", function()
  local child = support.child({ daemon = DAEMON })
  local known = cases()
  -- A new function, a bug by description, a translation.
  for _, name in ipairs({ "lru-method", "limiter-mutex", "weather-translate" }) do
    local case = known[name]
    local path = open(child, case.file)
    child:rewrite("Editd " .. case.instruction)
    child:type("gg")
    for left = child:lua("return _G.open()") - 1, 0, -1 do
      child:type("]ega")
      child:wait("_G.open() == " .. left)
    end
    child:type(":write<CR>")
    child:wait("not vim.bo.modified")
    same(support.read(examples .. case.after), support.read(path), name)
  end
end)

test("hunks stream in while the model writes", function()
  local child = support.child({ daemon = DAEMON })
  open(child, "inventory.py")
  child:rewrite("Editd Rename qty to quantity everywhere.")
  local running_with_hunks = vim.tbl_filter(function(event)
    return event[1] == "EditdHunks" and event[2].running and event[2].open > 0
  end, child:lua("return _G.happened"))
  check(#running_with_hunks > 0, "no hunk was shown before the answer")
  contains("hunks in", child:notes())
end)

test("it is told where each piece of new text came from", function()
  local child = support.child({ daemon = DAEMON })
  open(child, "inventory.py")
  child:rewrite("Editd Rename qty to quantity everywhere.")
  child:type("gg:EditdNext<CR>:EditdWhere<CR>")
  local page = child:wait([[(function()
    for _, win in ipairs(vim.api.nvim_list_wins()) do
      if vim.api.nvim_win_get_config(win).relative ~= "" then
        local buf = vim.api.nvim_win_get_buf(win)
        return table.concat(vim.api.nvim_buf_get_lines(buf, 0, -1, false), "\n")
      end
    end
  end)()]])
  contains("quantity", page)
  contains("copied from the file", page)
  -- All of the new text is accounted for, and the renamed word is no copy.
  local origins = child:lua("return require('editd').origins({ all = true })")
  local told, new, words = {}, {}, {}
  for _, origin in ipairs(origins) do
    told[#told + 1] = origin.text
    if origin.text:find("quantity") and origin.source == "buffer" then
      words[#words + 1] = origin.text
    end
  end
  local hunks = child:lua([[
    local edit = require("editd.edit").of(vim.api.nvim_get_current_buf())
    return edit.hunks:all()
  ]])
  for _, hunk in ipairs(hunks) do
    vim.list_extend(new, hunk.new_lines)
  end
  same(table.concat(new), table.concat(told))
  same({}, words)
end)

test("of a real edit one hunk is accepted, one rejected, the rest accepted", function()
  local child = support.child({ daemon = DAEMON })
  local path = open(child, "inventory.py")
  local before = support.read(path)
  child:rewrite("Editd Rename qty to quantity everywhere.")
  local count = child:lua("return _G.open()")
  check(count >= 3, count .. " hunks")
  child:type("gg:EditdNext<CR>:EditdReject<CR>")
  child:wait("_G.open() == " .. count - 1)
  local rejected = child:lua("return vim.fn.line('.')")
  child:type(":EditdNext<CR>:EditdAccept<CR>")
  child:wait("_G.open() == " .. count - 2)
  child:type(":EditdAccept!<CR>")
  child:wait("_G.open() == 0")
  local old = vim.split(before, "\n")
  same(old[rejected], child:lines()[rejected])
  local rest = vim.list_slice(child:lines(), rejected + 6)
  same(nil, table.concat(rest, "\n"):match("%f[%w_]qty%f[^%w_]"))
  child:type("u")
  child:wait("vim.fn.search('\\\\<qty\\\\>', 'n') > 0")
  child:type("u")
  child:wait("not vim.bo.modified")
  same(before, table.concat(child:lines(), "\n") .. "\n")
end)

test("the files of a project are looked at only where the user trusts it", function()
  local function is_known(options)
    local child = support.child({ daemon = DAEMON, options = options })
    local path = support.file("inventory.py", support.read(examples .. "inventory.py"))
    local folder = vim.fs.dirname(path)
    vim.fn.mkdir(folder .. "/.git", "p")
    child:edit(path)
    child:rewrite("Editd Rename qty to quantity everywhere.")
    return vim.iter(support.daemon_status(DAEMON).workspaces):any(function(project)
      return project.root == folder
    end)
  end
  same(false, is_known({ trust_workspace = { "/elsewhere/**" } }))
  same(true, is_known({ trust_workspace = { support.scratch .. "/**" } }))
end)

test("a text that no model can read is refused in a sentence", function()
  local child = support.child({ daemon = DAEMON })
  child:edit(support.file("a.py", ("x"):rep(70000)))
  child:rewrite("Editd make it shorter")
  contains("editd: ", child:notes())
  same(0, child:lua("return #_G.marks()"))
  same({ ("x"):rep(70000) }, child:lines())
end)

test("two editors share one daemon", function()
  local first = support.child({ daemon = DAEMON })
  local second = support.child({ daemon = DAEMON })
  open(first, "geometry.py")
  open(second, "lru.py")
  first:type(":Editd Add type hints to every function.<CR>")
  second:type(":Editd Add a method pop(key, default) to LRUCache.<CR>")
  for _, child in ipairs({ first, second }) do
    child:wait("_G.num_finished == 1 and _G.open() > 0", 60000)
  end
  local daemon = support.daemon_status(DAEMON)
  check(daemon.clients >= 2, vim.inspect(daemon))
  local function daemon_of(child)
    child:type(":EditdStatus<CR>")
    return child:wait("table.concat(_G.notes, '\\n'):match('daemon  process (%d+)')")
  end
  same(daemon_of(first), daemon_of(second))
end)

test("a daemon that is killed mid-edit is reported, and the next edit starts another", function()
  local child = support.child({ daemon = DAEMON })
  local pid = support.daemon_status(DAEMON).pid
  open(child, "geometry.py")
  child:type(":Editd Add type hints to every function.<CR>")
  child:wait("_G.running() and _G.open() > 0", 60000)
  vim.uv.kill(pid, "sigkill")
  child:wait("not _G.running()", 60000)
  local ended_early = child:lua("return _G.open() == 0")
  child:rewrite("Editd Add type hints to every function.")
  child:type(":EditdAccept!<CR>")
  child:wait("_G.open() == 0")
  local expected = support.read(examples .. "after/geometry-hints.py")
  same(expected, table.concat(child:lines(), "\n") .. "\n")
  check(ended_early, "the edit was over before its daemon was killed")
  contains("daemon", child:notes())
end)
