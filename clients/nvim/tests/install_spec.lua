-- The ways of installing that :help editd-install describes and that need no network.

local support = require("support")

---Run an editor with a configuration of its own, and return what `expression` says there.
local function editor_with(name, init, expression, prepare, may_talk)
  local home = support.directory("install-" .. name)
  local config = home .. "/config/nvim"
  vim.fn.mkdir(config, "p")
  vim.fn.mkdir(home .. "/data/nvim/site/pack", "p")
  vim.fn.writefile(vim.split(init, "\n"), config .. "/init.lua")
  if prepare then
    prepare(home)
  end
  local done = vim
    .system({
      vim.v.progpath,
      "--headless",
      "-i",
      "NONE",
      "-c",
      ("lua io.stdout:write(tostring(%s))"):format(expression),
      "-c",
      "qall!",
    }, {
      text = true,
      env = {
        XDG_CONFIG_HOME = home .. "/config",
        XDG_DATA_HOME = home .. "/data",
        XDG_STATE_HOME = home .. "/state",
        XDG_CACHE_HOME = home .. "/cache",
      },
    })
    :wait(20000)
  if not may_talk then -- vim.pack says how far it is
    same("", done.stderr, name)
  end
  return done.stdout
end

local HAS_COMMAND = "vim.fn.exists(':Editd')"

test("the plugin works as a built-in package", function()
  local found = editor_with("package", "", HAS_COMMAND, function(home)
    local start = home .. "/data/nvim/site/pack/editd/start"
    vim.fn.mkdir(start, "p")
    vim.uv.fs_symlink(support.plugin, start .. "/editd")
  end)
  same("2", found)
end)

test("the plugin works from a folder on the runtime path", function()
  local init = ("vim.opt.runtimepath:prepend(%q)"):format(support.plugin)
  same("2", editor_with("rtp", init, HAS_COMMAND))
end)

test("the plugin and its help work where `editd setup` puts them", function()
  local expression = "vim.fn.exists(':Editd') .. #vim.fn.getcompletion('editd-', 'help')"
  local found = editor_with("setup", "", expression, function(home)
    local done = vim
      .system({ support.editd, "setup", "--model", vim.env.EDITD_TEST_MODEL, "--editor", "neovim" }, {
        text = true,
        env = {
          PATH = vim.fs.dirname(vim.v.progpath) .. ":" .. vim.env.PATH,
          HOME = home,
          XDG_DATA_HOME = home .. "/data",
          EDITD_CONFIG = support.file("config.toml", ""),
          EDITD_RUNTIME_DIR = support.environment("setup").EDITD_RUNTIME_DIR,
          EDITD_STATE_DIR = home .. "/state",
        },
      })
      :wait(60000)
    same(0, done.code, done.stderr .. done.stdout)
    contains("All is well", done.stdout)
  end)
  same("2", found:sub(1, 1))
  check(tonumber(found:sub(2)) > 0, "the help has no index")
end)

-- What the plugin managers do was read in their source; neither can be fetched by a test.
test("the plugin works where vim-plug puts it with 'rtp'", function()
  local init = "vim.opt.runtimepath:prepend(vim.fn.stdpath('data') .. '/plugged/editd/clients/nvim')"
  local found = editor_with("vim-plug", init, HAS_COMMAND, function(home)
    vim.fn.mkdir(home .. "/data/nvim/plugged", "p")
    vim.uv.fs_symlink(support.checkout, home .. "/data/nvim/plugged/editd")
  end)
  same("2", found)
end)

test("the plugin works where lazy.nvim puts it, by the configuration of the help", function()
  local init = [[
    vim.go.loadplugins = false
    local function packadd(folder) -- lazy.core.loader
      for _, file in ipairs(vim.fn.glob(folder .. "/plugin/**/*.lua", false, true)) do
        vim.cmd.source(file)
      end
    end
    local plugin = { dir = vim.fn.stdpath("data") .. "/lazy/editd" }
    vim.opt.runtimepath:prepend(plugin.dir)
    packadd(plugin.dir)
    assert(vim.fn.exists(":Editd") == 0)
    local folder = plugin.dir .. "/clients/nvim"
    vim.opt.runtimepath:prepend(folder)
    packadd(folder)
  ]]
  local found = editor_with("lazy", init, HAS_COMMAND, function(home)
    vim.fn.mkdir(home .. "/data/nvim/lazy", "p")
    vim.uv.fs_symlink(support.checkout, home .. "/data/nvim/lazy/editd")
  end)
  same("2", found)
end)

if vim.pack and vim.fn.executable("git") == 1 then
  test("the plugin is installed by vim.pack from a repository", function()
    local repository = support.directory("repository")
    vim.fn.mkdir(repository .. "/clients", "p")
    local function git(...)
      local identity = { "-c", "user.name=test", "-c", "user.email=test@localhost" }
      local command = vim.list_extend({ "git", "-C", repository }, identity)
      local done = vim.system(vim.list_extend(command, { ... }), { text = true }):wait(20000)
      same(0, done.code, done.stderr)
    end
    local copied = vim.system({ "cp", "-r", support.plugin, repository .. "/clients/nvim" }):wait()
    same(0, copied.code)
    git("init", "-q")
    git("add", "clients")
    git("commit", "-qm", "the plugin")
    local init = ([[
      vim.pack.add({ { src = "file://%s", name = "editd" } }, {
        confirm = false,
        load = function(plugin)
          vim.opt.runtimepath:prepend(plugin.path .. "/clients/nvim")
        end,
      })
    ]]):format(repository)
    same("2", editor_with("pack", init, HAS_COMMAND, nil, true))
  end)
end

test("without the plugin there is no command", function()
  same("0", editor_with("none", "", HAS_COMMAND))
end)

test("the help has tags that all lead somewhere", function()
  local copy = support.directory("help/doc")
  vim.fn.writefile(vim.fn.readfile(support.plugin .. "/doc/editd.txt"), copy .. "/editd.txt")
  vim.cmd("helptags " .. copy)
  local tags = {}
  for _, line in ipairs(vim.fn.readfile(copy .. "/tags")) do
    tags[line:match("^[^\t]+")] = true
  end
  local text = support.read(copy .. "/editd.txt")
  for target in text:gmatch("|(:?[Ee]ditd[%w-]*)|") do
    check(tags[target], target .. " leads nowhere")
  end
  for command in support.read(support.plugin .. "/plugin/editd.lua"):gmatch('command%("(%w+)"') do
    check(tags[":" .. command], command .. " is not in the help")
  end
  local num_maps = 0
  for _, map in ipairs(vim.api.nvim_get_keymap("n")) do
    if vim.startswith(map.lhs, "<Plug>(editd-") then
      num_maps = num_maps + 1
      contains(map.lhs, text)
    end
  end
  same(12, num_maps)
  for name in pairs(require("editd.config").defaults) do
    contains("      " .. name .. " = ", text)
  end
end)
