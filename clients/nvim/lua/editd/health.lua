-- `:checkhealth editd`: is everything there that an edit needs?

local client = require("editd.client")
local config = require("editd.config")
local log = require("editd.log")
local protocol = require("editd.protocol")

local M = {}

local WAIT_MS = 10000 -- Python starts slowly on a cold disk

function M.check()
  local health = vim.health
  health.start("editd: this plugin")
  if vim.fn.has("nvim-0.11") == 1 then
    health.ok("Neovim has vim.lsp.config and vim.lsp.enable")
  else
    health.ok("Neovim 0.10: the server is started by :Editd")
  end
  for _, problem in ipairs(config.problems) do
    health.warn(problem)
  end
  health.info("log of the plugin: " .. log.path())
  health.info("log of Neovim's language client: " .. M._lsp_log())

  health.start("editd: the program")
  local command = M._command()
  local program = command[1]
  local path = vim.fn.exepath(program)
  if path == "" then
    health.error(("`%s` is not installed, or not on the PATH of Neovim"):format(program), {
      "install editd, and put it on the PATH",
      'or name it: require("editd").setup({ cmd = { "/path/to/editd", "lsp" } })',
    })
    return
  end
  health.ok(path)
  local version = vim.system({ path, "--version" }, { text = true }):wait(WAIT_MS)
  if version.code == 0 then
    health.ok(vim.trim(version.stdout))
  else
    health.error(("`%s --version` fails"):format(path), vim.split(vim.trim(version.stderr), "\n"))
    return
  end

  health.start("editd: server and daemon")
  local server = client.get()
  if not server then
    health.info("the server does not run yet; the first :Editd starts it")
    health.info("`editd doctor` in a terminal looks at the model and the daemon")
    return
  end
  health.ok("the server runs")
  M._check_status(server)
end

---@private
function M._check_status(server)
  local status, problem
  local buf = next(server.attached_buffers) or 0
  client.request(server, buf, protocol.STATUS, vim.empty_dict(), function(err, answer)
    status, problem = answer, err
  end)
  vim.wait(WAIT_MS, function()
    return status ~= nil or problem ~= nil
  end, 10)
  if not status then
    local reason = problem and problem.message or "no answer"
    vim.health.error("the server does not answer with its status: " .. tostring(reason))
    return
  end
  if status.schemaVersion ~= protocol.SCHEMA_VERSION then
    vim.health.error(
      ("the server speaks version %s, this plugin version %d"):format(
        status.schemaVersion,
        protocol.SCHEMA_VERSION
      ),
      { "update the older of the two" }
    )
  end
  for _, line in ipairs(require("editd.status").report(status)) do
    vim.health.info(line)
  end
  if status.state == "error" then
    vim.health.error(status.message, { "run `editd doctor` in a terminal" })
  end
end

---@private
---@return string[]
function M._command()
  local resolved = vim.lsp.config and vim.lsp.config[client.NAME]
  local command = resolved and resolved.cmd
  return type(command) == "table" and command or config.options.cmd
end

---@private
---@return string
function M._lsp_log()
  return vim.lsp.log and vim.lsp.log.get_filename and vim.lsp.log.get_filename()
    or vim.lsp.get_log_path()
end

return M
