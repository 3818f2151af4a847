-- Copied or selected text is merged into a file: same hunks, same review, same undo as an edit.

local apply = require("editd.apply")
local support = require("support")

local DAEMON = support.scripted_daemon("apply", {})
local SHORT = { "one", "two", "three", "four" }
local SKETCH = { "# ... existing code ...", "two", "NEW", "three", "# ... existing code ..." }
local APPLIED = { "one", "two", "NEW", "three", "four" }

---An editor with a clipboard of its own.
local function editor(copied)
  local child = support.child({ daemon = DAEMON })
  child:lua(
    [[
    _G.copied = ...
    local function get() return { _G.copied, "V" } end
    vim.g.clipboard = vim.g.clipboard or { -- it is read once
      name = "test", copy = { ["+"] = function() end, ["*"] = function() end },
      paste = { ["+"] = get, ["*"] = get },
    }
  ]],
    copied or {}
  )
  child:edit(support.file("a.py", table.concat(SHORT, "\n") .. "\n"))
  return child
end

test("a register holds a change, or it is said why not", function()
  vim.fn.setreg("a", SKETCH)
  same(table.concat(SKETCH, "\n") .. "\n", (apply.of_register("a")))
  vim.fn.setreg("b", " \n")
  for name, problem in pairs({
    b = "Register b holds no text.",
    ["src/a.py"] = '"src/a.py" is no register; for lines of this buffer use a range.',
  }) do
    same({ nil, problem }, { apply.of_register(name) }, name)
  end
end)

test("lines hold a change, or it is said why not", function()
  local buf = vim.api.nvim_create_buf(false, true)
  vim.api.nvim_buf_set_lines(buf, 0, -1, false, { "a", "b", "", " " })
  same("a\nb\n", (apply.of_lines(buf, { 0, 2 })))
  same({ nil, "These lines are empty." }, { apply.of_lines(buf, { 2, 4 }) })
end)

test("the clipboard is put into the file, reviewed and undone", function()
  local child = editor(vim.list_extend({ "Here is the code:", "```python", unpack(SKETCH) }, { "```" }))
  child:rewrite("EditdApply")
  same({ struck = {}, new = { "NEW" } }, child:lua("return _G.shown()"))
  same(SHORT, child:lines())
  check(child:notes():find("1 hunk.*%. Merged without a model, one reading%. %]e, then ga accepts it%.$"), child:notes())
  local origin = child:lua("return require('editd').origins({ all = true })[1]")
  same({ "NEW", "sketch" }, { origin.text, origin.source })
  child:type(":EditdAccept!<CR>")
  child:wait("_G.open() == 0")
  same(APPLIED, child:lines())
  child:type("u")
  child:wait("vim.fn.line('$') == 4")
  same(false, child:lua("return vim.bo.modified"))
end)

test("another register, and one that is empty", function()
  local child = editor()
  child:type(":EditdApply<CR>")
  child:wait("#_G.notes == 1")
  contains("The clipboard holds no text", child:notes())
  child:lua("vim.fn.setreg('a', ...)", SKETCH)
  child:rewrite("EditdApply a")
  same({ struck = {}, new = { "NEW" } }, child:lua("return _G.shown()"))
end)

test("selected lines are put into the other file, or into the one that is named", function()
  for _, name in ipairs({ "", " b.txt" }) do
    local child = editor()
    local first = child:lua("return vim.api.nvim_buf_get_name(0)")
    local directory = vim.fs.dirname(first)
    if name ~= "" then
      vim.fn.writefile(SHORT, directory .. "/b.txt")
      child:cmd("cd " .. directory)
    end
    child:cmd("new")
    child:lua("vim.api.nvim_buf_set_lines(0, 0, -1, false, ...)", { "Put this in:", unpack(SKETCH) })
    child:rewrite("2,$EditdApply" .. name)
    same(name == "" and first or directory .. "/b.txt", child:lua("return vim.api.nvim_buf_get_name(0)"))
    same({ struck = {}, new = { "NEW" } }, child:lua("return _G.shown()"))
    child:type(":EditdAccept!<CR>")
    child:wait("_G.open() == 0")
    same(APPLIED, child:lines())
    child:cmd("only!")
  end
end)

test("of several files the user chooses; with none it is said", function()
  local child = editor()
  child:cmd("enew")
  child:lua("vim.api.nvim_buf_set_lines(0, 0, -1, false, ...)", SKETCH)
  local other = support.file("other.txt", "x\n")
  child:cmd("badd " .. other .. " | call bufload('" .. other .. "')")
  child:lua([[
    vim.ui.select = function(items, options, done)
      _G.offered = vim.tbl_map(options.format_item, items)
      done(items[1])
    end
  ]])
  child:rewrite("%EditdApply")
  same({ "a.py", "other.txt" }, vim.tbl_map(vim.fs.basename, child:lua("return _G.offered")))
  same({ "NEW" }, child:lua("return _G.shown().new"))
  child:cmd("%bwipeout! | enew")
  child:lua("vim.api.nvim_buf_set_lines(0, 0, -1, false, ...)", SKETCH)
  child:type(":%EditdApply<CR>")
  child:wait("vim.iter(_G.notes):any(function(n) return n:find('No other file is open') end)")
end)

test("another way than text is the model, which is asked at once", function()
  local child = editor(SKETCH)
  child:rewrite("EditdApply")
  child:rewrite("EditdRetry")
  same("model", child:lua("return require('editd.edit').last(vim.api.nvim_get_current_buf()).way"))
  same({ 0, 1, 2, 3 }, child:lua("return _G.shown().struck")) -- the scripted model writes in upper case
end)
