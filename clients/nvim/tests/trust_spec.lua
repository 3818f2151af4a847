-- Which projects are trusted, and that the server is notified once.

local config = require("editd.config")
local protocol = require("editd.protocol")
local support = require("support")
local trust = require("editd.trust")

test("nothing is trusted that the option does not name", function()
  local home = vim.fs.normalize("~")
  for _, case in ipairs({
    { false, "/w/shop", false },
    { true, "/w/shop", true },
    { {}, "/w/shop", false },
    { { "/w/shop" }, "/w/shop", true },
    { { "/w/shop/" }, "/w/shop", true },
    { { "/w/sho" }, "/w/shop", false },
    { { "/w" }, "/w/shop", false },
    { { "/w/*" }, "/w/shop", true },
    { { "/w/*" }, "/w/shop/vendor", false },
    { { "/x", "/w/**" }, "/w/shop/vendor", true },
    { { "~/src/**" }, home .. "/src/a", true },
    {
      function(root)
        return root == "/w/shop"
      end,
      "/w/shop",
      true,
    },
    {
      function()
        return "yes"
      end,
      "/w/shop",
      false,
    },
  }) do
    same(case[3], trust.covers(case[2], case[1]), vim.inspect(case))
  end
end)

test("the server is told of a buffer's project once, and again when the option has changed", function()
  local folder = support.directory("trusted/project")
  vim.fn.mkdir(folder .. "/.git", "p")
  vim.fn.mkdir(folder .. "/src", "p")
  vim.fn.writefile({ "a" }, folder .. "/src/a.txt")
  local buf = vim.fn.bufadd(folder .. "/src/a.txt")
  same(vim.fs.normalize(folder), trust.root(buf))
  local heard = {}
  local function hear(method, params)
    same(protocol.WORKSPACE, method)
    same(nil, protocol.problem("WorkspaceParams", params))
    table.insert(heard, params.trusted)
  end
  local client = { id = 4711 }
  client.notify = vim.fn.has("nvim-0.11") == 1 and function(_, ...)
    hear(...)
  end or hear
  local before = config.options.trust_workspace
  cleanup(function()
    config.options.trust_workspace = before
  end)
  for _, step in ipairs({
    { false, {} },
    { { "/elsewhere" }, {} },
    { { folder }, { true } },
    { { folder }, { true } },
    { { "/elsewhere" }, { true, false } },
    { true, { true, false, true } },
    { false, { true, false, true, false } },
  }) do
    config.options.trust_workspace = step[1]
    trust.tell(client, buf)
    same(step[2], heard, vim.inspect(step[1]))
  end
  config.options.trust_workspace = true
  trust.tell(client, vim.api.nvim_create_buf(false, true)) -- belongs to no project
  same(4, #heard)
end)
