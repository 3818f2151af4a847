-- A follow-up builds on the last proposal, which stays in sight until it is replaced; and an edit that fails with several
-- ways out offers them.

local support = require("support")

local quick = support.scripted_daemon("follow-up", {})
local slow = support.scripted_daemon("follow-up-slow", { unit_seconds = 0.05, lines_per_unit = 1 })
local reading = support.scripted_daemon("follow-up-reading", { unit_seconds = 0.05, prefill_units = 80 })

local TEXT = "one\nTWO\nthree\nFOUR\nfive\n"

local function rewritten(options)
  local child = support.child(vim.tbl_extend("force", { daemon = quick }, options or {}))
  child:edit(support.file("a.txt", options and options.text or TEXT))
  child:rewrite(options and options.command or "Editd upper case")
  return child
end

---Rows and texts of what is dimmed.
local function dimmed(child)
  return child:lua([[
    local ns = vim.api.nvim_create_namespace("editd_earlier")
    local found = {}
    for _, mark in ipairs(vim.api.nvim_buf_get_extmarks(0, ns, 0, -1, { details = true })) do
      for _, line in ipairs(mark[4].virt_lines or {}) do
        table.insert(found, mark[2] .. " " .. line[1][1])
      end
    end
    return found
  ]])
end

test("a refinement builds on the last answer, and its hunks take the place of the last ones", function()
  local child = rewritten()
  child:rewrite("EditdRefine and louder")
  same(3, child:lua("return _G.open()"))
  check(child:lua("return require('editd.edit').of(vim.api.nvim_get_current_buf()).based_on ~= nil"))
  same({}, dimmed(child))
  child:type("gA")
  child:wait("_G.open() == 0")
  same({ "ONE", "TWO", "THREE", "FOUR", "FIVE" }, child:lines())
end)

test("the last proposal is dimmed until the new one has come, and back after a cancel", function()
  local child = rewritten({ daemon = slow })
  child:type(":EditdRefine and louder<CR>")
  child:wait("_G.running()")
  same({ "0 ONE", "2 THREE", "4 FIVE" }, dimmed(child))
  child:wait("_G.running() and _G.open() == 1")
  same({ "2 THREE", "4 FIVE" }, dimmed(child))
  child:type("ggOnew<Esc>") -- typing moves what is dimmed, too
  child:type(":EditdCancel<CR>")
  child:wait("not _G.running()")
  child:wait("_G.open() == 3")
  same({}, dimmed(child))
  contains("The last proposal is back. ga accepts, gA all.", child:notes())
  same({ struck = { 1, 3, 5 }, new = { "ONE", "THREE", "FIVE" } }, child:lua("return _G.shown()"))
  child:type("gA")
  child:wait("_G.open() == 0")
  same({ "new", "ONE", "TWO", "THREE", "FOUR", "FIVE" }, child:lines())
end)

test("keys about hunks that are being refined say so, and the new ones can be decided on", function()
  local child = rewritten({ daemon = reading })
  local function says_so(keys)
    child:lua("_G.notes = {}")
    child:type(keys)
    child:wait("#_G.notes > 0")
    same({ "editd: These hunks are being refined; wait for the new ones." }, child:lua("return _G.notes"), keys)
  end
  child:type("j:EditdRefine and louder<CR>")
  child:wait("_G.running()")
  child:type("ga") -- on no hunk it goes to the next, as ever
  child:wait("vim.fn.line('.') == 3")
  for _, keys in ipairs({ "ga", "gA", "gz", "gZ", "Vga", "Vgz", ":EditdAccept<CR>" }) do
    says_so(keys)
  end
  check(child:lua("return _G.running()"), "the follow-up was over before its keys were pressed")
  same(vim.split(TEXT, "\n", { trimempty = true }), child:lines())
  child:wait("not _G.running() and _G.open() == 3")
  child:type("gA")
  child:wait("_G.open() == 0")
  same({ "ONE", "TWO", "THREE", "FOUR", "FIVE" }, child:lines())
end)

test("the last proposal is back after a failure, and can be refined again", function()
  local child = rewritten({ fresh = true })
  child:lua([[
    local client = require("editd.client")
    local request = client.request
    client.request = function(server, buf, method, params, callback)
      if params.instruction == "break" then -- as where the model is gone
        params = vim.tbl_extend("force", params, { preset = "no such preset" })
      end
      return request(server, buf, method, params, callback)
    end
  ]])
  child:rewrite("EditdRefine break")
  contains("The last proposal is back.", child:notes())
  same({ struck = { 0, 2, 4 }, new = { "ONE", "THREE", "FIVE" } }, child:lua("return _G.shown()"))
  child:type("ga")
  child:wait("_G.open() == 2")
  child:rewrite("EditdRefine louder")
  same(2, child:lua("return _G.open()"))
end)

test("a refinement without an instruction asks for one", function()
  local child = rewritten({ command = "1Editd upper case" })
  contains("ga accepts it.", child:notes())
  child:type("GoFOUR<Esc>:1EditdReject<CR>")
  child:wait("_G.open() == 0")
  child:rewrite("1Editd upper case")
  contains("]e, then ga accepts it.", child:notes())
  child:rewrite("EditdRefine<CR>and louder")
  same("and louder", child:lua("return require('editd.edit').last(vim.api.nvim_get_current_buf()).instruction"))
  same(1, child:lua("return _G.open()"))
end)

test("a new edit while a refinement runs ends both", function()
  local child = rewritten({ daemon = slow })
  child:type(":EditdRefine and louder<CR>")
  child:wait("_G.running()")
  child:rewrite("1Editd upper case")
  same({ struck = { 0 }, new = { "ONE" } }, child:lua("return _G.shown()"))
  same({}, dimmed(child))
end)

test("a refinement keeps to the lines of the edit that it refines", function()
  local child = rewritten({ command = "3,5Editd upper case" })
  child:type("ggOnew<Esc>")
  child:wait("vim.fn.line('$') == 6")
  child:rewrite("EditdRefine more")
  same({ 3, 5 }, child:lua("return _G.shown().struck"))
end)

test("a refinement keeps to the definition that the edit was about, where no lines were named", function()
  local named = support.scripted_daemon("follow-up-named", {
    answers = { bigger = { ["    body"] = { "    BODY" } }, more = { ["    one"] = { "    1" }, ["    body"] = { "    2" } } },
  })
  local child = support.child({ daemon = named })
  child:edit(support.file("a.py", "def first():\n    one\n\ndef second():\n    body\n"))
  child:rewrite("Editd bigger")
  child:type("GOnew<Esc>ggOnew<Esc>")
  child:wait("vim.fn.line('$') == 7")
  child:rewrite("EditdRefine more")
  same({ struck = { 6 }, new = { "    2" } }, child:lua("return _G.shown()"))
end)

test("an edit that fails with several ways out offers them, by number", function()
  local failing = support.scripted_daemon("follow-up-ways", { error = "refused", ways = { "words", "model" } })
  local child = support.child({ daemon = failing, fresh = true })
  vim.rpcrequest(child.channel, "nvim_ui_attach", 80, 24, { rgb = true })
  child:edit(support.file("a.txt", TEXT))
  child:type(":Editd upper case<CR>")
  support.wait_for("the question", function()
    local mode = vim.rpcrequest(child.channel, "nvim_get_mode")
    return mode.blocking or mode.mode:match("^[cr]")
  end)
  child:type("2<CR>i") -- who types is not asked
  child:wait("_G.num_finished == 2")
  same("model", child:lua("return require('editd.edit').last(vim.api.nvim_get_current_buf()).way"))
  same("i", child:lua("return vim.api.nvim_get_mode().mode"))
  same(1, child:lua("return #_G.notes"))
end)
