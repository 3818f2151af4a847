-- End to end against the real language server, and a daemon whose engine follows a script: where
-- timing must be forced. The script writes lines in upper case, one line a unit.

local support = require("support")

local quick = support.scripted_daemon("quick", {})
local slow = support.scripted_daemon("slow", { unit_seconds = 0.025 })

local function lines_with(every, count)
  local lines = {}
  for number = 1, count do
    lines[number] = number % every == 0 and ("line %d"):format(number) or ("LINE %d"):format(number)
  end
  return lines
end

local function text(lines)
  return table.concat(lines, "\n") .. "\n"
end

local SHORT = { "one", "TWO", "three", "FOUR", "five" }

---An editor with a file, rewritten in upper case.
local function rewritten(options)
  local child = support.child(vim.tbl_extend("force", { daemon = quick }, options or {}))
  child:edit(support.file("a.txt", options and options.text or text(SHORT)))
  child:rewrite(options and options.command or "Editd upper case")
  return child
end

---An editor with a long file that is being rewritten slowly; a third of it is there.
local function streaming()
  local child = support.child({ daemon = slow })
  local lines = lines_with(4, 60) -- hunks at rows 3, 7, 11 …; a second and a half
  child:edit(support.file("long.txt", text(lines)))
  child:type(":Editd upper case<CR>")
  child:wait("_G.running() and _G.open() >= 4")
  return child, lines
end

local function struck(child)
  return child:lua("return _G.shown().struck")
end

-- --- asking and deciding -------------------------------------------------------------------------

test("a file is rewritten: hunks are shown, the buffer is untouched", function()
  local child = rewritten()
  same({ struck = { 0, 2, 4 }, new = { "ONE", "THREE", "FIVE" } }, child:lua("return _G.shown()"))
  same(SHORT, child:lines())
  same(false, child:lua("return vim.bo.modified"))
  contains("3 hunks", child:notes())
  local screen = child:lua("return _G.screen()")
  check(vim.startswith(screen[1], "one  ga accept"), screen[1])
  same({ "ONE", "TWO" }, vim.list_slice(screen, 2, 3))
end)

test("a selection is rewritten, and nothing else", function()
  local child = support.child({ daemon = quick })
  child:edit(support.file("a.txt", text({ "a", "b", "c", "d" })))
  child:type("jVj:Editd upper case<CR>")
  child:wait("_G.open() == 2 and not _G.running()")
  same({ struck = { 1, 2 }, new = { "B", "C" } }, child:lua("return _G.shown()"))
end)

test("one hunk is accepted, one rejected, and an undo takes back one accept", function()
  local child = rewritten()
  child:type(":1<CR>:EditdAccept<CR>")
  child:wait("_G.open() == 2")
  same({ "ONE", "TWO", "three", "FOUR", "five" }, child:lines())
  child:type(":EditdNext<CR>")
  child:wait("vim.fn.line('.') == 3")
  child:type(":EditdReject<CR>")
  child:wait("_G.open() == 1")
  same({ struck = { 4 }, new = { "FIVE" } }, child:lua("return _G.shown()"))
  child:type(":5<CR>:EditdAccept<CR>")
  child:wait("_G.open() == 0")
  same({ "ONE", "TWO", "three", "FOUR", "FIVE" }, child:lines())
  same({ struck = {}, new = {} }, child:lua("return _G.shown()"))
  child:type("u")
  child:wait("vim.fn.getline(5) == 'five'")
  same("ONE", child:lines()[1])
  child:type("u")
  child:wait("vim.fn.getline(1) == 'one'")
  same(SHORT, child:lines())
  same({ "EditdAccepted", "EditdAccepted" }, vim.tbl_filter(function(name)
    return name == "EditdAccepted"
  end, child:events()))
end)

test("all hunks are accepted as one undo step", function()
  local child = rewritten()
  child:type(":EditdAccept!<CR>")
  child:wait("_G.open() == 0")
  same({ "ONE", "TWO", "THREE", "FOUR", "FIVE" }, child:lines())
  child:type("u")
  child:wait("vim.fn.getline(1) == 'one'")
  same(SHORT, child:lines())
  same(false, child:lua("return vim.bo.modified"))
  child:type("<C-r>")
  child:wait("vim.fn.getline(1) == 'ONE'")
  same({ "ONE", "TWO", "THREE", "FOUR", "FIVE" }, child:lines())
end)

test("an accept is undone apart from what was typed before and after it", function()
  local child = rewritten()
  child:type("GAx<Esc>") -- row 4 is no longer what its hunk replaces
  child:wait("_G.open() == 2")
  child:type(":EditdAccept!<CR>")
  child:wait("_G.open() == 0")
  child:type("ggA!<Esc>")
  child:wait("vim.fn.getline(1) == 'ONE!'")
  same({ "ONE!", "TWO", "THREE", "FOUR", "fivex" }, child:lines())
  child:type("u")
  child:wait("vim.fn.getline(1) == 'ONE'")
  child:type("u")
  child:wait("vim.fn.getline(1) == 'one'")
  same("fivex", child:lines()[5])
end)

test("the hunks of a range are accepted", function()
  local child = rewritten()
  child:type(":1,3EditdAccept<CR>")
  child:wait("_G.open() == 1")
  same({ "ONE", "TWO", "THREE", "FOUR", "five" }, child:lines())
end)

test("all hunks are rejected", function()
  local child = rewritten()
  child:type(":EditdReject!<CR>")
  child:wait("_G.open() == 0")
  same({ struck = {}, new = {} }, child:lua("return _G.shown()"))
  same(SHORT, child:lines())
end)

test("doubtful hunks are left out of accept-all, but can be accepted themselves", function()
  local doubtful = support.scripted_daemon("doubtful", { suspect = "It looks wrong." })
  local child = rewritten({ daemon = doubtful })
  contains("⚠ It looks wrong.", table.concat(child:lua("return _G.shown().new"), "\n"))
  child:type(":EditdAccept!<CR>")
  child:wait("vim.iter(_G.notes):any(function(n) return n:find('left out') end)")
  same(SHORT, child:lines())
  contains("3 hunks were left out: It looks wrong.", child:notes())
  child:type(":1<CR>:EditdAccept<CR>")
  child:wait("_G.open() == 2")
  same("ONE", child:lines()[1])
end)

test("an edit that changes nothing says so", function()
  local child = rewritten({ text = "ALL\nUPPER\n" })
  contains("The model left the text as it is.", child:notes())
  same(0, child:lua("return #_G.marks()"))
end)

test("of several other ways the user chooses, or names one; there are no others", function()
  local ways = support.scripted_daemon("ways", { ways = { "again", "whole" }, summary = "All of it." })
  local child = rewritten({ daemon = ways })
  contains(". All of it. ga accepts, gA all.", child:notes())
  child:lua([[
    vim.ui.select = function(items, options, done)
      _G.offered = vim.tbl_map(options.format_item, items)
      done(items[2])
    end
  ]])
  local params = "require('editd.edit')._params(require('editd.edit').of(vim.api.nvim_get_current_buf()))"
  child:rewrite("EditdRetry")
  same({ "Ask again", "On the whole file" }, child:lua("return _G.offered"))
  same({ way = "whole" }, child:lua(("return %s.options"):format(params)))
  child:rewrite("EditdRetry again")
  same({ way = "again" }, child:lua(("return %s.options"):format(params)))
  check(child:lua(("return %s.basedOn == nil"):format(params)))
  same(3, child:lua("return _G.open()"))
  child:type(":EditdRetry words<CR>")
  child:wait("vim.iter(_G.notes):any(function(n) return n:find('there is: again, whole') end)")
end)

test("notes are shown, and their hunks are part of accept-all", function()
  local noted = support.scripted_daemon("noted", { note = "Look here.", span = "`ON` or `IN`" })
  local child = rewritten({ daemon = noted, text = "é one\n" })
  same({ "É ONE  · `ON` or `IN`", "· Look here." }, child:lua("return _G.shown().new"))
  child:type(":EditdAccept!<CR>")
  child:wait("_G.open() == 0")
  same({ "É ONE" }, child:lines())
end)

test("a preset is run by its name, and completed", function()
  local child = support.child({ daemon = quick })
  child:edit(support.file("a.py", "x = 1\n"))
  child:type(":Editd @doc<Tab>")
  child:wait("vim.fn.getcmdline() == 'Editd @docstring'")
  child:type("<CR>")
  child:wait("_G.open() == 1")
  same("docstring", child:lua("return require('editd.edit').of(vim.api.nvim_get_current_buf()).preset"))
  child:rewrite("Editd @nonsense")
  contains("nonsense", child:notes())
end)

test("the preset fix takes the diagnostics of its lines along", function()
  local child = support.child({ daemon = quick })
  child:edit(support.file("a.py", "x = 1\ny = 2\n"))
  child:lua([[
    local ns = vim.api.nvim_create_namespace("test")
    vim.diagnostic.set(ns, 0, {
      { lnum = 0, col = 0, message = "no x", source = "lint" },
      { lnum = 1, col = 0, message = "no y" },
    })
  ]])
  same(
    { "lint: no x" },
    child:lua([[
      return vim.tbl_map(function(entry)
        return entry.text
      end, require("editd.diagnostics").context(vim.api.nvim_get_current_buf(), { 0, 1 }))
    ]])
  )
  child:rewrite("1Editd @fix")
  same({ 0 }, struck(child))
end)

test("without an instruction one is asked for", function()
  local child = support.child({ daemon = quick })
  child:edit(support.file("a.txt", "x\n"))
  child:lua("vim.ui.input = function(_, done) done('upper case') end")
  child:rewrite("Editd")
  same({ 0 }, struck(child))
end)

-- --- the text moves while the model writes -------------------------------------------------------

test("typing before a hunk while it streams moves it", function()
  local child, lines = streaming()
  child:type("ggOnew<Esc>")
  child:wait("not _G.running()")
  child:wait("_G.open() == 15")
  local expected = {}
  for number = 4, 60, 4 do
    expected[#expected + 1] = number -- one further down
  end
  same(expected, struck(child))
  child:type(":EditdAccept!<CR>")
  child:wait("_G.open() == 0")
  local result = vim.tbl_map(string.upper, lines)
  table.insert(result, 1, "new")
  same(result, child:lines())
end)

test("typing inside a hunk while it streams takes that hunk away, and no other", function()
  local child, lines = streaming()
  child:type("4GA mine<Esc>")
  child:wait("not _G.running()")
  child:wait("_G.open() == 14")
  child:type(":EditdAccept!<CR>")
  child:wait("_G.open() == 0")
  local result = vim.tbl_map(string.upper, lines)
  result[4] = "line 4 mine"
  same(result, child:lines())
  same(0, child:lua("return #_G.marks()"))
end)

test("typing after all hunks while it streams moves none", function()
  local child, lines = streaming()
  child:type("GoTHE END<Esc>")
  child:wait("not _G.running() and _G.open() == 15")
  child:type(":EditdAccept!<CR>")
  child:wait("_G.open() == 0")
  local result = vim.tbl_map(string.upper, lines)
  result[#result + 1] = "THE END"
  same(result, child:lines())
end)

test("a line that the model has not reached yet can be edited while it streams", function()
  local child, lines = streaming()
  child:type("48GA mine<Esc>")
  child:wait("not _G.running() and _G.open() == 14")
  child:type(":EditdAccept!<CR>")
  child:wait("_G.open() == 0")
  local result = vim.tbl_map(string.upper, lines)
  result[48] = "line 48 mine"
  same(result, child:lines())
end)

test("a hunk is accepted while others still stream", function()
  local child, lines = streaming()
  child:type(":4EditdAccept<CR>")
  child:wait("vim.fn.getline(4) == 'LINE 4'")
  check(child:lua("return _G.running()"), "the edit ended early")
  child:wait("not _G.running() and _G.open() == 14")
  child:type(":EditdAccept!<CR>")
  child:wait("_G.open() == 0")
  same(vim.tbl_map(string.upper, lines), child:lines())
end)

test("fast typing all over the file while it streams never misplaces a hunk", function()
  local child, lines = streaming()
  for _ = 1, 6 do
    child:type("ggOABOVE<Esc>")
    child:type("GoBELOW<Esc>")
    vim.wait(40)
  end
  child:wait("not _G.running() and _G.open() == 15")
  child:type(":EditdAccept!<CR>")
  child:wait("_G.open() == 0")
  local result = vim.tbl_map(string.upper, lines)
  for _ = 1, 6 do
    table.insert(result, 1, "ABOVE")
    table.insert(result, "BELOW")
  end
  same(result, child:lines())
end)

-- --- ends that come early ------------------------------------------------------------------------

test("cancelling mid-stream stops the engine and clears the preview", function()
  local child, lines = streaming()
  child:type(":EditdCancel<CR>")
  child:wait("not _G.running() and _G.open() == 0")
  same(0, child:lua("return #_G.marks()"))
  same(lines, child:lines())
  contains("cancelled", child:notes())
  support.wait_for("the daemon to be idle", function()
    local status = support.daemon_status(slow)
    return status and status.state == "idle"
  end)
end)

test("cancelling with ! keeps the hunks that are whole, and they can be accepted", function()
  local child, lines = streaming()
  child:type(":EditdCancel!<CR>")
  child:wait("not _G.running()")
  local kept = child:lua("return _G.open()")
  check(kept >= 4 and kept < 15, kept .. " hunks")
  contains("no check has looked", child:notes())
  same(lines, child:lines())
  same(kept, #struck(child))
  child:type(":EditdAccept!<CR>")
  child:wait("_G.open() == 0")
  for row = 4, 4 * kept, 4 do
    lines[row] = lines[row]:upper()
  end
  same(lines, child:lines())
  same(0, child:lua("return #_G.marks()"))
end)

test("the option keep_on_cancel does without the !", function()
  local child = support.child({ daemon = slow, options = { keep_on_cancel = true } })
  child:edit(support.file("long.txt", text(lines_with(4, 60))))
  child:type(":Editd upper case<CR>")
  child:wait("_G.running() and _G.open() >= 4")
  child:type(":EditdCancel<CR>")
  child:wait("not _G.running()")
  check(child:lua("return _G.open()") >= 4)
  child:type(":Editd upper case<CR>") -- a new edit takes the place of what was kept
  child:wait("_G.running()")
  child:wait("not _G.running() and _G.open() == 15")
end)

test("rejecting everything mid-stream stops it", function()
  local child = streaming()
  child:type(":EditdReject!<CR>")
  child:wait("not _G.running() and _G.open() == 0")
  same(0, child:lua("return #_G.marks()"))
end)

test("closing the buffer mid-stream stops it", function()
  local child = streaming()
  local buf = child:lua("return vim.api.nvim_get_current_buf()")
  child:cmd("new")
  child:cmd("bwipeout! " .. buf)
  support.wait_for("the daemon to be idle", function()
    local status = support.daemon_status(slow)
    return status and status.state == "idle"
  end)
  same(nil, child:notes():match("[Ee]rror"))
  child:edit(support.file("b.txt", "next\n"))
  child:rewrite("Editd upper case")
  same({ 0 }, struck(child))
end)

test("reading the file anew mid-stream drops the edit", function()
  local child = streaming()
  child:cmd("edit!")
  child:wait("not _G.running() and _G.open() == 0")
  same(0, child:lua("return #_G.marks()"))
  child:rewrite("Editd upper case")
  same(15, child:lua("return _G.open()"))
end)

test("a new edit takes the place of one that runs", function()
  local child = streaming()
  child:rewrite("1,4Editd upper case")
  same({ 3 }, struck(child))
  same(false, child:lua("return _G.running()"))
end)

test("a language server that dies says so, and the next command starts another", function()
  local child = streaming()
  local pid = child:lua([[
    return vim.api.nvim_get_proc_children(vim.fn.getpid())[1]
  ]])
  vim.uv.kill(pid, "sigkill")
  child:wait("not _G.running()")
  contains("ended unexpectedly", child:notes())
  same(0, child:lua("return #_G.marks()"))
  child:rewrite("1,8Editd upper case")
  same({ 3, 7 }, struck(child))
end)

-- --- texts ---------------------------------------------------------------------------------------

---What a file holds after an accept of everything and a write.
local function bytes_after_accept(child, content, setup, first_line)
  local path = support.file("bytes.txt", content)
  child:edit(path)
  if setup then
    child:cmd(setup)
  end
  child:rewrite("Editd upper case")
  child:type(":EditdAccept!<CR>")
  child:wait(("_G.open() == 0 and vim.fn.getline(1) == %q"):format(first_line))
  child:cmd("write")
  return support.read(path)
end

test("line ends, a missing last one, tabs and emoji survive an accept and a write", function()
  local child = support.child({ daemon = quick })
  for _, case in ipairs({
    { "one\r\ntwo\r\n", "ONE\r\nTWO\r\n", "ONE" },
    { "one\ntwo", "ONE\nTWO", "ONE", "set nofixeol" },
    { "one\r\ntwo", "ONE\r\nTWO", "ONE", "set nofixeol" },
    { "a 😀 b\nx\n", "A 😀 B\nX\n", "A 😀 B" },
    { "👩‍👩‍👧 é x\n漢字 y\n", "👩‍👩‍👧 É X\n漢字 Y\n", "👩‍👩‍👧 É X" },
    { "\tone\n \ttwo \n", "\tONE\n \tTWO \n", "\tONE" },
    { "one\n\n\ntwo\n", "ONE\n\n\nTWO\n", "ONE" },
    { "\239\187\191one\ntwo\n", "\239\187\191ONE\nTWO\n", "ONE" },
    { "one\u{2028}x\fy\ntwo\n", "ONE\u{2028}X\fY\nTWO\n", "ONE\u{2028}X\fY" },
  }) do
    child:tidy_up()
    local found = bytes_after_accept(child, case[1], case[4], case[3])
    same(case[2], found, vim.inspect(case[1]))
  end
end)

test("a hunk on the last line of a file without a final newline is accepted alone", function()
  local child = rewritten({ text = "ONE\ntwo" })
  same({ struck = { 1 }, new = { "TWO" } }, child:lua("return _G.shown()"))
  child:type("G:EditdAccept<CR>")
  child:wait("vim.fn.getline(2) == 'TWO'")
  same({ "ONE", "TWO" }, child:lines())
  same(false, child:lua("return vim.bo.endofline"))
end)

test("deleted lines are struck through, and gone after an accept", function()
  local deleting = support.scripted_daemon("deleting", { rewrite = "delete" })
  local child = rewritten({ daemon = deleting, text = text({ "a", "b", "c" }), command = "1,2Editd x" })
  same({ struck = { 0, 1 }, new = {} }, child:lua("return _G.shown()"))
  child:type(":EditdAccept!<CR>")
  child:wait("vim.fn.line('$') == 1")
  same({ "c" }, child:lines())
end)

-- --- the eye -------------------------------------------------------------------------------------

test("an accept leaves cursor and view alone, in every window", function()
  local child = support.child({ daemon = quick })
  child:edit(support.file("long.txt", text(lines_with(4, 200))))
  child:cmd("split | normal! 150Gzt3l")
  child:cmd("wincmd j | normal! 100Gzt2l")
  child:rewrite("Editd upper case")
  local before = child:lua("return { vim.fn.winsaveview(), vim.fn.getwininfo()[1].topline }")
  child:type(":EditdAccept!<CR>")
  child:wait("_G.open() == 0")
  child:cmd("redraw")
  same(before, child:lua("return { vim.fn.winsaveview(), vim.fn.getwininfo()[1].topline }"))
end)

test("the cursor stays on its text when lines are inserted above it", function()
  local twice = support.scripted_daemon("twice", { copies = 2 })
  local child = support.child({ daemon = twice })
  child:edit(support.file("long.txt", text(lines_with(10, 100))))
  child:cmd("normal! 55Gzt2l")
  child:rewrite("1,10Editd twice")
  child:type(":EditdAccept!<CR>")
  child:wait("vim.fn.line('$') == 110")
  child:cmd("redraw")
  same({ "LINE 55", 3 }, child:lua("return { vim.fn.getline('.'), vim.fn.col('.') }"))
  same(65, child:lua("return vim.fn.line('w0')"))
end)

test("the status line follows", function()
  local child = streaming()
  contains("editd: writing", child:lua("return require('editd').statusline()"))
  child:wait("not _G.running()")
  same("editd: 15 hunks", child:lua("return require('editd').statusline()"))
  child:type(":EditdReject!<CR>")
  child:wait("require('editd').statusline() == ''")
end)

test("opening the command line lets the model read the file", function()
  local child = support.child({ daemon = quick, fresh = true })
  child:edit(support.file("a.txt", text(SHORT)))
  same(0, child:lua("return #vim.lsp.get_clients()"))
  child:lua([[
    local client = require("editd.client")
    local request = client.request
    _G.asked = {}
    client.request = function(server, buf, method, params, callback)
      table.insert(_G.asked, { method, params })
      return request(server, buf, method, params, function(err, answer)
        table.insert(_G.asked, { method .. " answered", answer })
        callback(err, answer)
      end)
    end
  ]])
  child:type(":2,4Editd ")
  child:wait("vim.iter(_G.asked):any(function(a) return a[1] == 'editd/warmup answered' end)")
  local asked = child:lua("return _G.asked")
  local warmup = vim.tbl_filter(function(one)
    return one[1] == "editd/warmup"
  end, asked)
  same(1, #warmup)
  same({ line = 1, character = 0 }, warmup[1][2].range.start)
  same({ line = 4, character = 0 }, warmup[1][2].range["end"])
  child:type("upper case<CR>")
  child:wait("_G.open() == 1")
  same({ 2 }, struck(child))
end)

test("other commands of the command line start nothing", function()
  local child = support.child({ daemon = quick, fresh = true })
  child:edit(support.file("a.txt", text(SHORT)))
  child:type(":echo 'Editd x'<CR>:set nu<CR>:EditdNext<CR>")
  child:wait("#_G.notes == 1")
  contains("There are no hunks", child:notes())
  same(0, child:lua("return #vim.lsp.get_clients()"))
end)

-- --- problems, said in a sentence ----------------------------------------------------------------

test("what cannot be edited is refused in a sentence", function()
  local child = support.child({ daemon = quick })
  child:cmd("help")
  child:type(":Editd x<CR>")
  child:wait("#_G.notes == 1")
  contains("no text buffer", child:notes())
end)

test("a missing program is named", function()
  local child = support.child({ options = { cmd = { "no-such-editd", "lsp" } } })
  child:edit(support.file("a.txt", "x\n"))
  child:type(":Editd x<CR>")
  child:wait("#_G.notes >= 1")
  contains("`no-such-editd` is not installed", child:notes())
  same(false, child:lua("return _G.running()"))
end)

test("a program that ends at once is reported once", function()
  local child = support.child({ options = { cmd = { "false" } } })
  child:edit(support.file("a.txt", "x\n"))
  child:type(":Editd x<CR>")
  child:wait("vim.iter(_G.notes):any(function(n) return n:find('ended unexpectedly') end)")
  same(false, child:lua("return _G.running()"))
end)

test("the status command reports server and daemon", function()
  local child = rewritten()
  child:type(":EditdStatus<CR>")
  child:wait("vim.iter(_G.notes):any(function(n) return n:find('daemon  process') end)")
end)

test("the health check finds a working server", function()
  local child = rewritten()
  child:cmd("checkhealth editd")
  local report = table.concat(child:lines(), "\n")
  contains("editd", report)
  contains("the server runs", report)
  same(nil, report:match("ERROR"), report)
end)

test("options count whether they are set before or after vim.lsp.enable", function()
  local child = support.child({ daemon = quick, fresh = true })
  if not child:lua("return vim.lsp.config ~= nil") then
    return
  end
  local preset = child:lua([[
    vim.lsp.enable("editd")
    local before = vim.lsp.config.editd.init_options
    require("editd").setup({ init_options = { edit = { presets = { mine = "Do it." } } } })
    return { before == nil, vim.lsp.config.editd.init_options.edit.presets.mine }
  ]])
  same({ true, "Do it." }, preset)
end)

test("vim.lsp.enable attaches to files, and code actions offer presets", function()
  local child = support.child({ daemon = quick, fresh = true })
  if not child:lua("return vim.lsp.config ~= nil") then
    return
  end
  child:lua("vim.lsp.enable('editd')")
  child:edit(support.file("a.py", "x = 1\n"))
  child:wait("#vim.lsp.get_clients({ bufnr = 0, name = 'editd' }) == 1")
  local titles = child:lua([[
    local answers = vim.lsp.buf_request_sync(0, "textDocument/codeAction", {
      textDocument = { uri = vim.uri_from_bufnr(0) },
      range = { start = { line = 0, character = 0 }, ["end"] = { line = 1, character = 0 } },
      context = { diagnostics = {}, triggerKind = 1 },
    }, 60000)
    local titles = {}
    for _, answer in pairs(answers) do
      for _, action in ipairs(answer.result) do
        table.insert(titles, action.title)
      end
    end
    return titles
  ]])
  check(vim.list_contains(titles, "editd: Write docstrings"), vim.inspect(titles))
  child:rewrite("Editd upper case")
  same(1, child:lua("return #vim.lsp.get_clients()"))
end)
