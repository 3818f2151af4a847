-- The keys of a buffer while its hunks wait, typed, and the line that names them.

local support = require("support")

local quick = support.scripted_daemon("keys", {})

local LINES = { "one", "TWO", "three", "FOUR", "five" }
local ALL = "ga accept · gz reject · ]e next · gA accept all · gZ reject all"

---An editor whose buffer has three hunks, at rows 0, 2 and 4. setup: Lua, run before the edit.
local function with_hunks(options, setup)
  local child = support.child(vim.tbl_extend("force", { daemon = quick }, options or {}))
  child:edit(support.file("a.txt", table.concat(LINES, "\n") .. "\n"))
  if setup then
    child:lua(setup)
  end
  child:rewrite("Editd upper case")
  return child
end

---Keys of the buffer that the plugin has mapped, each with its modes.
local function mapped(child)
  return child:lua([[
    local found = {}
    for _, mode in ipairs({ "n", "x" }) do
      for _, mapping in ipairs(vim.api.nvim_buf_get_keymap(0, mode)) do
        if vim.startswith(mapping.desc or "", "editd") then
          found[mapping.lhs] = (found[mapping.lhs] or "") .. mode
        end
      end
    end
    return next(found) and found or vim.empty_dict()
  ]])
end

local function screen_line(child, number)
  return child:lua("return _G.screen()[...]", number)
end

test("hunks are decided on by keys, and the keys go with the last of them", function()
  local child = with_hunks()
  same({ ga = "nx", gA = "n", gz = "nx", gZ = "n", ["]e"] = "n", ["[e"] = "n" }, mapped(child))
  child:type("ga")
  child:wait("_G.open() == 2")
  same("ONE", child:lines()[1])
  child:type("]e")
  child:wait("vim.fn.line('.') == 3")
  child:type("gz")
  child:wait("_G.open() == 1")
  child:type("ggga") -- on no hunk it goes to the next
  child:wait("vim.fn.line('.') == 5")
  same(1, child:lua("return _G.open()"))
  child:type("ga")
  child:wait("_G.open() == 0")
  same({ "ONE", "TWO", "three", "FOUR", "FIVE" }, child:lines())
  same({}, mapped(child))
  same("FIVE", screen_line(child, 5))
end)

test("all hunks, the selected ones, and counts", function()
  local child = with_hunks()
  child:type("2]e")
  child:wait("vim.fn.line('.') == 5")
  child:type("[e")
  child:wait("vim.fn.line('.') == 3")
  child:type("Vkkga")
  child:wait("_G.open() == 1")
  same({ "ONE", "TWO", "THREE", "FOUR", "five" }, child:lines())
  child:type("gZ")
  child:wait("_G.open() == 0")
  child:rewrite("Editd upper case")
  child:type("gA")
  child:wait("_G.open() == 0")
  same("FIVE", child:lines()[5])
end)

test("an undo of an accept brings its hunks back, and their keys", function()
  local child = with_hunks()
  local function undo()
    vim.wait(200) -- Neovim reports changes after some 30 ms; nobody is quicker
    child:type("u")
  end
  child:type("ga")
  child:wait("_G.open() == 2")
  undo()
  child:wait("_G.open() == 3 and vim.fn.getline(1) == 'one'")
  same({ struck = { 0, 2, 4 }, new = { "ONE", "THREE", "FIVE" } }, child:lua("return _G.shown()"))
  child:type("gA")
  child:wait("_G.open() == 0")
  same({}, mapped(child))
  undo()
  child:wait("_G.open() == 3")
  same(LINES, child:lines())
  child:type("gggz")
  child:wait("_G.open() == 2")
  child:type("gA")
  child:wait("_G.open() == 0")
  same({ "one", "TWO", "THREE", "FOUR", "FIVE" }, child:lines())
end)

test("a mapping of the user's stays, and that is said once", function()
  local setup = [[
    vim.keymap.set("n", "ga", "<Cmd>let g:aligned = 1<CR>")
    vim.keymap.set("n", "]ee", "<Cmd>let g:errors = 1<CR>") -- longer than ours
    vim.keymap.set("n", "gZ", "<Plug>(editd-reject-all)") -- the same as ours
    vim.keymap.set("n", "gz", "<Nop>", { buffer = true })
  ]]
  local child = with_hunks({ fresh = true }, setup)
  same({ gA = "n", ["[e"] = "n" }, mapped(child))
  contains(
    ":EditdAccept accepts, gA all. Your mappings of ga, gz, ]e stay; :EditdAccept, :EditdReject, :EditdNext do it.",
    child:notes()
  )
  child:type("ga]ee")
  child:wait("vim.g.aligned == 1 and vim.g.errors == 1")
  same(3, child:lua("return _G.open()"))
  same("one  gA accept all · gZ reject all", screen_line(child, 1))
  child:type("gZ")
  child:wait("_G.open() == 0")
  same("<Nop>", child:lua("return vim.fn.maparg('gz', 'n')"))
  child:lua("_G.notes = {}")
  child:rewrite("Editd upper case")
  same(nil, child:notes():match("mapping"))
end)

test("a mapping that the user makes while hunks wait is not taken away", function()
  local child = with_hunks({ fresh = true })
  child:lua("vim.keymap.set('n', 'gz', 'gg', { buffer = true })")
  child:type("gZ")
  child:wait("_G.open() == 0")
  same("gg", child:lua("return vim.fn.maparg('gz', 'n')"))
end)

test("one option does without the keys", function()
  local child = with_hunks({ options = { keys = false } })
  same({}, mapped(child))
  same("one", screen_line(child, 1))
  contains("3 hunks. :EditdAccept accepts, :EditdAccept! all.", child:notes())
end)

test("a dim line names the keys, and where hunks are", function()
  local child = with_hunks({ lines = 12 })
  same("one  " .. ALL, screen_line(child, 1))
  child:type("j")
  child:wait("vim.fn.line('.') == 2")
  same("one", screen_line(child, 1))
  contains("three  3 hunks · ]e next · gA accept all · gZ reject all", table.concat(child:lua("return _G.screen()"), "\n"))
  child:type("i")
  child:wait("vim.api.nvim_get_mode().mode == 'i'")
  same(nil, table.concat(child:lua("return _G.screen()"), "\n"):match("%]e next"))
  child:type("<Esc>")
  child:wait("vim.api.nvim_get_mode().mode == 'n'")
  child:type("gggz")
  child:wait("_G.open() == 2")
  child:type("gz") -- to the next one
  child:wait("vim.fn.line('.') == 3")
  child:type("gz")
  child:wait("_G.open() == 1")
  child:type("G")
  same("five  ga accept · gz reject", child:wait("vim.fn.line('.') == 5 and _G.screen()[5]"))
end)

test("the dim line is as long as there is room, and at the edge where the next hunk is out of sight", function()
  local child = support.child({ daemon = quick, lines = 12, columns = 50 })
  local lines = {}
  for number = 1, 80 do
    lines[number] = "LINE " .. number
  end
  lines[70] = "here it is"
  child:edit(support.file("long.txt", table.concat(lines, "\n")))
  child:rewrite("Editd upper case")
  same("LINE 10  1 hunk below · ]e next", screen_line(child, 10))
  child:type("G")
  child:wait("vim.fn.line('.') == 80")
  check(screen_line(child, 1):find("1 hunk above · ]e next", 1, true), screen_line(child, 1))
end)

test("the next hunk is brought into view whole", function()
  local twice = support.scripted_daemon("keys-twice", { copies = 3, lines_per_unit = 80 })
  local child = support.child({ daemon = twice, lines = 20 })
  local lines = {}
  for number = 1, 80 do
    lines[number] = "LINE " .. number
  end
  lines[16], lines[17] = "sixteen", "seventeen" -- 2 old lines and 6 new ones, at the window's end
  child:edit(support.file("long.txt", table.concat(lines, "\n")))
  child:rewrite("16,17Editd upper case")
  child:type("]e")
  child:wait("vim.fn.line('.') == 16")
  local screen = child:lua("return _G.screen()")
  local shown = vim.tbl_filter(function(line)
    return line:match("^SIXTEEN") or line:match("^SEVENTEEN")
  end, screen)
  same({ "SIXTEEN", "SIXTEEN", "SIXTEEN", "SEVENTEEN", "SEVENTEEN", "SEVENTEEN" }, shown)
  local before = child:lua("return vim.fn.line('w0')")
  child:type("]e")
  child:wait("vim.fn.line('.') == 16")
  same(before, child:lua("return vim.fn.line('w0')"), "what is in view does not scroll")
end)
