-- The preview as the screen shows it: a real editor, but no server.

local support = require("support")

local function child_with(lines, options)
  local child = support.child(vim.tbl_extend("force", { lines = 12, columns = 40 }, options or {}))
  child:lua("vim.api.nvim_buf_set_lines(0, 0, -1, false, ...)", lines)
  return child
end

local function show(child, hunk)
  child:lua(
    "require('editd.preview').show(0 + vim.api.nvim_get_current_buf(), ...)",
    vim.tbl_extend("force", { done = true, revision = 1 }, hunk)
  )
end

local function screen(child, count)
  return vim.list_slice(child:lua("return _G.screen()"), 1, count)
end

test("old lines stay and new ones stand below them", function()
  local child = child_with({ "a", "b", "c" })
  show(child, { id = 1, start = 1, old_count = 1, new_lines = { "B", "B2" } })
  same({ "a", "b", "B", "B2", "c" }, screen(child, 5))
  same({ "a", "b", "c" }, child:lines())
  same({ struck = { 1 }, new = { "B", "B2" } }, child:lua("return _G.shown()"))
end)

test("the first line can be replaced, and deleted", function()
  local child = child_with({ "a", "b" })
  show(child, { id = 1, start = 0, old_count = 1, new_lines = { "A" } })
  same({ "a", "A", "b" }, screen(child, 3))
  show(child, { id = 1, start = 0, old_count = 1, new_lines = {}, revision = 2 })
  same({ "a", "b" }, screen(child, 2))
  same({ struck = { 0 }, new = {} }, child:lua("return _G.shown()"))
end)

test("what is inserted above the first line is visible", function()
  local child = child_with({ "a", "b" })
  show(child, { id = 1, start = 0, old_count = 0, new_lines = { "new 1", "new 2" } })
  same({ "new 1", "new 2", "a", "b" }, screen(child, 4))
end)

test("what is inserted above the first line is visible again after scrolling there", function()
  local lines = {}
  for number = 1, 60 do
    lines[number] = "line " .. number
  end
  local child = child_with(lines)
  child:cmd("normal! G")
  show(child, { id = 1, start = 0, old_count = 0, new_lines = { "new" } })
  child:type("gg")
  child:wait("_G.screen()[1] == 'new'", 60000)
  same({ "new", "line 1" }, screen(child, 2))
end)

test("an insertion stands behind the line that it follows, also the last one", function()
  local child = child_with({ "a", "b" })
  show(child, { id = 1, start = 1, old_count = 0, new_lines = { "between" } })
  show(child, { id = 2, start = 2, old_count = 0, new_lines = { "end" } })
  same({ "a", "between", "b", "end" }, screen(child, 4))
end)

test("the last line can be replaced", function()
  local child = child_with({ "a", "b" })
  show(child, { id = 1, start = 1, old_count = 1, new_lines = { "B" } })
  same({ "a", "b", "B" }, screen(child, 3))
  same({ struck = { 1 }, new = { "B" } }, child:lua("return _G.shown()"))
end)

test("tabs are as wide as in the buffer", function()
  local child = child_with({ "\tx\ty" })
  child:cmd("set tabstop=4")
  show(child, { id = 1, start = 0, old_count = 1, new_lines = { "\tx\tz\t!" } })
  same({ "    x   y", "    x   z   !" }, screen(child, 2))
end)

test("wide characters keep their width", function()
  local child = child_with({ "😀 one" })
  show(child, { id = 1, start = 0, old_count = 1, new_lines = { "😀\tone 漢字" } })
  same("😀      one 漢字", screen(child, 2)[2])
end)

test("a hunk that is being written shows that more may come", function()
  local child = child_with({ "a" })
  show(child, { id = 1, start = 0, old_count = 0, new_lines = { "x" }, done = false })
  same({ "x", "⋯", "a" }, screen(child, 3))
end)

test("a doubtful hunk says why", function()
  local child = child_with({ "a" }, { columns = 80 })
  show(child, { id = 1, start = 0, old_count = 1, new_lines = {}, suspect = "Half is gone." })
  same({ "a", "⚠ Half is gone. (not part of :EditdAccept!)" }, screen(child, 2))
end)

test("what is longer than the window is wrapped between words", function()
  local child = child_with({ "a", "b" })
  child:cmd("set number numberwidth=4")
  local suspect = "The text parsed before and does not now: '(' was never closed at line 1."
  show(child, { id = 1, start = 0, old_count = 1, new_lines = {}, suspect = suspect, note = "Look here." })
  same({
    "  1 a",
    "    ⚠ The text parsed before and does",
    "      not now: '(' was never closed at",
    "      line 1. (not part of",
    "      :EditdAccept!)",
    "    · Look here.",
    "  2 b",
  }, screen(child, 7))
  child:cmd("set nonumber numberwidth&")
end)

---Say how an edit ended in an editor with a screen, with the plugin's own messages.
local function ended(child, answer)
  child:lua(
    [[
    vim.notify = _G.notify
    local hunks = require("editd.hunks").new()
    require("editd.telling").ended(
      vim.tbl_extend("keep", ..., { status = "ok", hunks = {}, stats = {}, summary = "", notices = {} }),
      { buf = vim.api.nvim_get_current_buf(), hunks = hunks }
    )
  ]],
    answer
  )
end

local LONG = {
  hunks = { {} },
  summary = "Two\nlines.",
  notices = { "Only what the instruction names is rewritten.", "Two\nlines.", "And more." },
}

test("a long message is shown whole, in a window at the cursor, once; nobody has to press Enter", function()
  local child = child_with({ "a" }, { fresh = true })
  vim.rpcrequest(child.channel, "nvim_ui_attach", 40, 12, { rgb = true })
  child:cmd("set shortmess-=T")
  ended(child, LONG)
  same({ blocking = false, mode = "n" }, vim.rpcrequest(child.channel, "nvim_get_mode"))
  same({
    "a",
    "╭────────────── editd ──────────────╮",
    "│1 hunk. Two lines. Only what the   │",
    "│instruction names is rewritten. And│",
    "│more.                              │",
  }, screen(child, 5))
  same("", screen(child, 12)[12])
  contains(
    "editd: 1 hunk. Two lines. Only what the instruction names is rewritten. And more.",
    child:lua("return vim.fn.execute('messages')")
  )
  child:type("il<Esc>") -- any move
  child:wait("#vim.api.nvim_list_wins() == 1")
  ended(child, LONG)
  ended(child, { hunks = { {} } }) -- the next message takes its place
  same(1, child:lua("return #vim.api.nvim_list_wins()"))
  child:lua("require('editd.errors').show({ 'one', 'two', 'three' })")
  same("│one  │", screen(child, 3)[3])
  same(nil, child:lua("return vim.o.shortmess"):find("T", 1, true))
end)

test("a short message stays on its line, and an error's colour goes with it", function()
  local child = child_with({ "a" }, { fresh = true })
  vim.rpcrequest(child.channel, "nvim_ui_attach", 40, 12, { rgb = true })
  ended(child, { hunks = { {} } })
  same("editd: 1 hunk.", screen(child, 12)[12])
  ended(child, { status = "failed", code = "refused", message = ("It is refused. "):rep(5) })
  same(2, child:lua("return #vim.api.nvim_list_wins()"))
  local group = child:lua([[
    local ns = vim.api.nvim_create_namespace("editd_message")
    for _, win in ipairs(vim.api.nvim_list_wins()) do
      local marks = vim.api.nvim_buf_get_extmarks(vim.api.nvim_win_get_buf(win), ns, 0, -1, { details = true })
      if marks[1] then
        return marks[1][4].hl_group
      end
    end
  ]])
  same("WarningMsg", group)
end)

test("a note on a part stands behind its line and underlines it, one on the hunk stands below", function()
  local child = child_with({ "a" }, { columns = 80 })
  show(child, {
    id = 1,
    start = 0,
    old_count = 1,
    new_lines = { "total = a" },
    note = "Not named by the words.",
    noted = { { line = 0, first = 0, last = 5, text = "hesitated here: `total` or `sum`" } },
  })
  same({ "a", "total = a  · hesitated here: `total` or `sum`", "· Not named by the words." }, screen(child, 3))
  local chunks = child:lua([[
    for _, mark in ipairs(_G.marks()) do
      if mark[4].virt_lines then
        return mark[4].virt_lines[1]
      end
    end
  ]])
  same("total", chunks[1][1])
  check(vim.list_contains(chunks[1][2], "EditdNoted"), vim.inspect(chunks))
end)

test("notes on one line are one text, cut at the edge of the window", function()
  local child = child_with({ "a" }, { columns = 40 })
  local function noted(...)
    return vim.tbl_map(function(text)
      return { line = 0, first = 0, last = 1, text = "hesitated here: " .. text }
    end, { ... })
  end
  show(child, { id = 1, start = 0, old_count = 1, new_lines = { "x" }, noted = noted("`a` or `b`", "`c`", "`c`") })
  same("x  · hesitated here: `a` or `b`; `c`", screen(child, 2)[2])
  show(child, {
    id = 1,
    start = 0,
    old_count = 1,
    new_lines = { "value = 1" },
    noted = noted("`value` or `total`"),
    revision = 2,
  })
  same("value = 1  · hesitated here: `value` or…", screen(child, 2)[2])
end)

test("a proposal that another is to replace is dimmed, as far as the other has not come", function()
  local child = child_with({ "a", "b", "c" })
  show(child, { id = 1, start = 0, old_count = 1, new_lines = { "A" } })
  show(child, { id = 2, start = 2, old_count = 1, new_lines = { "C" } })
  child:type("ggOnew<Esc>")
  child:wait("vim.api.nvim_buf_line_count(0) == 4")
  child:lua("require('editd.preview').dim(0 + vim.api.nvim_get_current_buf(), ...)", {
    { id = 1, start = 0, old_count = 1, new_lines = { "A" } },
    { id = 2, start = 2, old_count = 1, new_lines = { "C" } },
  })
  same({ struck = {}, new = {} }, child:lua("return _G.shown()"))
  same({ "new", "a", "A", "b", "c", "C" }, screen(child, 6))
  child:lua("require('editd.preview').undim(vim.api.nvim_get_current_buf(), 3)")
  same({ "new", "a", "b", "c", "C" }, screen(child, 5))
  child:lua("require('editd.preview').clear(vim.api.nvim_get_current_buf())")
  same({ "new", "a", "b", "c" }, screen(child, 4))
end)

test("a stale hunk gives way to a remark", function()
  local child = child_with({ "a", "b" })
  show(child, { id = 1, start = 0, old_count = 1, new_lines = { "A" } })
  show(child, { id = 1, start = 0, old_count = 1, new_lines = { "A" }, revision = 2, stale = true })
  same({ "a   editd: changed under its hunk", "b" }, screen(child, 2))
end)

test("hunks move with the text until the server says where they are", function()
  local child = child_with({ "a", "b", "c" })
  show(child, { id = 1, start = 1, old_count = 1, new_lines = { "B" } })
  child:type("ggOnew<Esc>")
  child:wait("vim.api.nvim_buf_line_count(0) == 4")
  same({ "new", "a", "b", "B", "c" }, screen(child, 5))
  same(2, (child:lua("return (require('editd.preview').place(vim.api.nvim_get_current_buf(), 1))")))
end)

test("hunks are stepped through in a circle", function()
  local child = child_with({ "a", "b", "c", "d", "e" })
  show(child, { id = 1, start = 1, old_count = 1, new_lines = { "B" } })
  show(child, { id = 2, start = 3, old_count = 1, new_lines = { "D" } })
  for _, step in ipairs({ -- from row, so many hunks, to row
    { 0, 1, 1 },
    { 1, 1, 3 },
    { 3, 1, 1 },
    { 0, 2, 3 },
    { 4, -1, 3 },
    { 3, -1, 1 },
    { 1, -1, 3 },
    { 0, -1, 3 },
  }) do
    local found = child:lua(
      "return require('editd.preview').step(vim.api.nvim_get_current_buf(), ...)",
      step[1],
      step[2]
    )
    same(step[3], found, vim.inspect(step))
  end
end)

test("the changed words of a line are brighter", function()
  local child = child_with({ "local qty = one + two", "x" })
  show(child, { id = 1, start = 0, old_count = 1, new_lines = { "local size = one + two" } })
  local chunks = child:lua([[
    for _, mark in ipairs(_G.marks()) do
      if mark[4].virt_lines then
        return mark[4].virt_lines[1]
      end
    end
  ]])
  same({ "local ", "EditdAdd" }, chunks[1])
  same({ "size", "EditdAddText" }, chunks[2])
  same({ " = one + two", "EditdAdd" }, chunks[3])
end)

test("drawing moves neither cursor nor text in the window", function()
  local lines = {}
  for number = 1, 100 do
    lines[number] = "line " .. number
  end
  local child = child_with(lines)
  child:cmd("normal! 50Gzt")
  local before = child:lua("return vim.fn.winsaveview()")
  show(child, { id = 1, start = 2, old_count = 1, new_lines = { "x", "y" } })
  show(child, { id = 2, start = 70, old_count = 1, new_lines = { "x", "y" } })
  child:cmd("redraw")
  same(before, child:lua("return vim.fn.winsaveview()"))
end)
