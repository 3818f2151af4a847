-- Completing `@…` in an instruction: on the command line and in the prompt, with the keys of a user.

local mentions = require("editd.mentions")
local presets = require("editd.presets")
local support = require("support")

local quick = support.scripted_daemon("mentions", {})

local project = support.directory("mentioned")
vim.fn.mkdir(project .. "/.git", "p")
vim.fn.mkdir(project .. "/src", "p")
for name, text in pairs({
  ["src/util.py"] = "def load_settings(): ...",
  ["two words.py"] = "x = 1",
  ["util_ignored.py"] = "x = 1",
  [".gitignore"] = "util_ignored.py",
  ["cart.py"] = "def load_cart(): ...",
}) do
  vim.fn.writefile({ text }, project .. "/" .. name)
end

local function editor(trusted)
  local child = support.child({ daemon = quick, options = { trust_workspace = trusted } })
  child:edit(project .. "/cart.py")
  child:cmd("EditdStatus") -- Tab does not wait long for a server that starts
  child:wait("#vim.lsp.get_clients({ name = 'editd', bufnr = 0 }) == 1")
  return child
end

test("where a mention begins", function()
  for _, case in ipairs({
    { "use @ut", 5, "ut" },
    { "@", 1, "" },
    { '@"two w', 1, "two w", quoted = true },
    { "see @src/ut", 5, "src/ut" },
    { "see @a.py and @b", 15, "b" },
    { "mail me@example" },
    { "use @util.py " },
    { "nothing" },
  }) do
    local first, prefix = mentions.at_end(case[1])
    same(case[2], first, case[1])
    same(case[3] and (case.quoted and '"' or "") .. case[3], prefix, case[1])
  end
end)

test("a file as the first word is no preset", function()
  same({ nil, "@util.py is better" }, { presets.parse("@util.py is better") })
  same({ nil, "@src/util.py" }, { presets.parse("@src/util.py") })
  same({ "fix", "but not all" }, { presets.parse("@fix but not all") })
  same({ "fix", ", but not all" }, { presets.parse("@fix, but not all") })
end)

test("Tab completes names after an @ in :Editd, :EditdRefine and the prompt", function()
  local child = editor(true)
  for _, case in ipairs({
    { ":Editd use @uti", "Editd use @src/util.py" },
    { ":%Editd use @load_s", "%Editd use @load_settings" },
    { ":Editd rename @load_c", "Editd rename @load_cart" },
    { ":Editd as in @two", 'Editd as in @"two words.py"' },
    { ":Editd @src/", "Editd @src/util.py" },
    { ":EditdRefine like @uti", "EditdRefine like @src/util.py" },
    { ":Editd<CR>use @uti", "use @src/util.py", prompt = true },
    { ":Editd use @util_i", nil }, -- git ignores it
    { ":Editd rename @none_such", nil },
  }) do
    local typed = case[1]:gsub("^:", ""):gsub("^Editd<CR>", "")
    child:type(case[1])
    child:wait(("vim.fn.getcmdline() == %q"):format(typed))
    child:type("<Tab>")
    local wanted = case[2] or typed
    if case[2] then
      child:wait(("vim.fn.getcmdline() == %q"):format(wanted))
    else
      vim.wait(500)
      check(vim.startswith(child:lua("return vim.fn.getcmdline()"), wanted), case[1])
    end
    child:type("<C-c>")
    child:wait("vim.fn.mode() == 'n'")
  end
end)

test("of a project that is not trusted only the buffer's own names are offered", function()
  local child = editor(false)
  child:type(":Editd call @load<Tab>")
  child:wait("vim.fn.getcmdline() == 'Editd call @load_cart'")
  child:type("<C-c>")
  child:wait("vim.fn.mode() == 'n'")
  child:type(":Editd call @uti<Tab>")
  vim.wait(500)
  check(vim.startswith(child:lua("return vim.fn.getcmdline()"), "Editd call @uti"))
end)
