-- Real editors and real daemons for end-to-end tests.
--
-- A `Child` is another Neovim of the same version with the plugin on its runtime path, driven over
-- RPC: keys are typed, not simulated, and its main loop is its own.

local M = {}

local tests = vim.fs.dirname(vim.fs.normalize(debug.getinfo(1, "S").source:sub(2)))
M.plugin = vim.fs.dirname(tests)
M.checkout = vim.fs.dirname(vim.fs.dirname(M.plugin))
M.python = M.checkout .. "/.venv/bin/python"
M.editd = M.checkout .. "/.venv/bin/editd"
M.scratch = assert(vim.env.EDITD_SCRATCH)

local processes = {}
local endings = {}
local num_files = 0

---A directory of its own under the scratch directory.
function M.directory(name)
  local path = M.scratch .. "/" .. name
  vim.fn.mkdir(path, "p")
  return path
end

---A file with exactly this content.
function M.file(name, content)
  num_files = num_files + 1
  local path = M.directory("files/" .. num_files) .. "/" .. name
  local file = assert(io.open(path, "wb"))
  file:write(content)
  file:close()
  return path
end

---The content of a file, byte for byte.
function M.read(path)
  local file = assert(io.open(path, "rb"))
  local content = file:read("a")
  file:close()
  return content
end

---The environment in which an editor finds the daemon of that name, and no other.
function M.environment(daemon)
  local runtime = M.runtime .. "/" .. daemon
  vim.fn.mkdir(runtime, "p", tonumber("700", 8))
  return {
    EDITD_RUNTIME_DIR = runtime,
    EDITD_STATE_DIR = M.directory("state-" .. daemon),
    EDITD_CONFIG = M.config,
    EDITD_EDIT_WORDS = "false", -- a model is what these tests are about
  }
end

M.config = M.directory("config") .. "/config.toml" -- the user's own says nothing here
vim.fn.writefile({ "[model]", ("name = %q"):format(vim.env.EDITD_TEST_MODEL) }, M.config)
-- A short path: a socket's may have some hundred bytes.
M.runtime = vim.fn.tempname()
vim.fn.mkdir(M.runtime, "p", tonumber("700", 8))

---Start a daemon with a scripted engine. fields: of `Script` in tests/fakes.py.
function M.scripted_daemon(name, fields)
  local environment = M.environment(name)
  local settings = vim.json.encode({
    build = "",
    daemon = vim.empty_dict(),
    limits = vim.empty_dict(),
    script = next(fields or {}) and fields or vim.empty_dict(),
  })
  environment.PYTHONPATH = M.checkout
  local daemon = vim.system(
    { M.python, M.checkout .. "/tests/fakes.py", settings },
    { env = environment, cwd = M.checkout, stdout = false, stderr = false }
  )
  table.insert(processes, daemon)
  M.wait_for("the scripted daemon's socket", function()
    return vim.fn.glob(environment.EDITD_RUNTIME_DIR .. "/*.sock") ~= ""
  end, 30000)
  return name
end

---What `editd status --json` says of a daemon.
function M.daemon_status(name)
  local done = vim
    .system({ M.editd, "status", "--json" }, { env = M.environment(name), text = true })
    :wait(60000)
  return done.code == 0 and vim.json.decode(done.stdout) or nil
end

---Wait until `condition` holds; raises an error when it takes too long. What another editor answers as nil
---is `vim.NIL` here.
function M.wait_for(what, condition, milliseconds)
  local value
  local ok = vim.wait(milliseconds or 60000, function()
    value = condition()
    return value and value ~= vim.NIL or false
  end, 20)
  if not ok then
    error("waited in vain for " .. what, 2)
  end
  return value
end

-- --- editors -------------------------------------------------------------------------------------

local Child = {}
Child.__index = Child

---@type table<string, table[]> editors that wait for the next test, by what they were made for
local idle = {}

---An editor. options: daemon (a name), options (of setup), lines, columns, environment (besides the daemon's);
---words: whether words may decide edits without a model; fresh: one that no test has used before, without a language server. Others have been tidied up, since starting
---costs time.
function M.child(options)
  options = options or {}
  local kind = ("%s %s %s %s"):format(options.daemon, options.lines, options.columns, options.words)
  local may_be_used = not options.fresh and not options.options and not options.environment
  local child = may_be_used and table.remove(idle[kind] or {}) or M._start(options)
  cleanup(function(ok)
    if ok and may_be_used then
      child:tidy_up()
      idle[kind] = idle[kind] or {}
      table.insert(idle[kind], child)
    else
      child:stop()
    end
  end)
  return child
end

function M._start(options)
  local environment =
    vim.tbl_extend("force", M.environment(options.daemon or "none"), options.environment or {})
  environment.NVIM = ""
  environment.EDITD_EDIT_WORDS = options.words and "true" or environment.EDITD_EDIT_WORDS
  local arguments = {
    vim.v.progpath,
    "--clean",
    "--embed",
    "--headless",
    "--cmd",
    "set noswapfile noundofile runtimepath^=" .. M.plugin,
  }
  local channel = vim.fn.jobstart(arguments, { rpc = true, env = environment })
  check(channel > 0, "the child editor did not start")
  local child = setmetatable({ channel = channel }, Child)
  child:lua(
    [[
    local editd, options, lines, columns = ...
    vim.o.lines, vim.o.columns = lines, columns
    _G.notes, _G.happened, _G.num_finished = {}, {}, 0
    _G.notify = vim.notify
    vim.notify = function(message, level)
      table.insert(_G.notes, message)
    end
    vim.api.nvim_create_autocmd("User", { pattern = "Editd*", callback = function(event)
      table.insert(_G.happened, { event.match, event.data })
      _G.num_finished = _G.num_finished + (event.match == "EditdFinished" and 1 or 0)
    end })
    require("editd").setup(vim.tbl_extend("force", { cmd = { editd, "lsp" } }, options))
    _G.marks = function()
      local ns = vim.api.nvim_create_namespace("editd")
      return vim.api.nvim_buf_get_extmarks(0, ns, 0, -1, { details = true })
    end
    -- What the preview shows: rows of struck lines, and virtual lines without their padding.
    _G.shown = function()
      local struck, new = {}, {}
      for _, mark in ipairs(_G.marks()) do
        local details = mark[4]
        if details.hl_group == "EditdDelete" then
          for row = mark[2], math.min(details.end_row, vim.api.nvim_buf_line_count(0)) - 1 do
            table.insert(struck, row)
          end
        end
        for _, line in ipairs(details.virt_lines or {}) do
          local text = ""
          for _, chunk in ipairs(line) do
            text = text .. chunk[1]
          end
          table.insert(new, (text:gsub("%s+$", "")))
        end
      end
      table.sort(struck)
      return { struck = struck, new = new }
    end
    _G.running = function()
      local edit = require("editd.edit").of(vim.api.nvim_get_current_buf())
      return edit ~= nil and edit.running
    end
    _G.open = function()
      local edit = require("editd.edit").of(vim.api.nvim_get_current_buf())
      return edit and #edit.hunks:open() or 0
    end
    -- Screen lines as they are drawn.
    _G.screen = function()
      vim.cmd.redraw()
      local rows = {}
      for row = 1, vim.o.lines do
        local text = ""
        for column = 1, vim.o.columns do
          text = text .. vim.fn.screenstring(row, column)
        end
        rows[row] = (text:gsub("%s+$", ""))
      end
      return rows
    end
  ]],
    options.editd or M.editd,
    options.options or vim.empty_dict(),
    options.lines or 24,
    options.columns or 80
  )
  return child
end

function Child:lua(code, ...)
  return vim.rpcrequest(self.channel, "nvim_exec_lua", code, { ... })
end

function Child:cmd(command)
  vim.rpcrequest(self.channel, "nvim_command", command)
end

---Type keys, `<CR>` and the like included.
function Child:type(keys)
  vim.rpcrequest(self.channel, "nvim_input", keys)
end

function Child:edit(path)
  self:cmd("edit " .. vim.fn.fnameescape(path))
end

function Child:lines()
  return vim.rpcrequest(self.channel, "nvim_buf_get_lines", 0, 0, -1, false)
end

---Wait until the Lua expression holds there.
function Child:wait(expression, milliseconds)
  local ok, value = pcall(M.wait_for, expression, function()
    return self:lua("return " .. expression)
  end, milliseconds)
  if not ok then
    local state = self:lua("return vim.inspect({ notes = _G.notes, happened = _G.happened })")
    error(value .. "\n" .. state, 2)
  end
  return value
end

---Names of the User autocommands so far.
function Child:events()
  return vim.tbl_map(function(event)
    return event[1]
  end, self:lua("return _G.happened"))
end

function Child:notes()
  return table.concat(self:lua("return _G.notes"), "\n")
end

---Ask for an edit by typing the command, and wait until its answer is there: minutes, where other
---programs need the processor.
function Child:rewrite(command)
  local before = self:lua("return _G.num_finished")
  self:type(":" .. command .. "<CR>")
  self:wait("_G.num_finished > " .. before, 300000)
end

---Leave nothing of a test behind but a running language server.
function Child:tidy_up()
  self:type("<C-Bslash><C-n><Esc>")
  self:wait("vim.api.nvim_get_mode().mode == 'n'")
  self:cmd("silent! only! | silent! %bwipeout! | set fixeol& hidden& tabstop&")
  self:wait("not vim.iter(vim.api.nvim_list_bufs()):any(require('editd.edit').of)")
  self:lua("_G.notes, _G.happened, _G.num_finished = {}, {}, 0")
end

function Child:stop()
  if self.channel then
    local channel = self.channel
    self.channel = nil
    pcall(vim.rpcnotify, channel, "nvim_command", "qall!")
    if vim.fn.jobwait({ channel }, 3000)[1] == -1 then
      vim.fn.jobstop(channel)
    end
  end
end

---Have `run` called after all specs.
function M.at_the_end(run)
  table.insert(endings, run)
end

---End what was started.
function M.finish()
  for _, children in pairs(idle) do
    for _, child in ipairs(children) do
      child:stop()
    end
  end
  for _, run in ipairs(endings) do
    run()
  end
  for _, process in ipairs(processes) do
    process:kill("sigterm")
    process:wait(5000)
  end
  -- A language server starts a real daemon where it finds none that is of the code on disk.
  for _, socket in ipairs(vim.fn.glob(M.runtime .. "/*/*.sock", false, true)) do
    local environment = M.environment(vim.fs.basename(vim.fs.dirname(socket)))
    vim.system({ M.editd, "stop", "--force" }, { env = environment }):wait(20000)
  end
end

return M
