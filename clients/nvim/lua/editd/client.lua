-- The language server: how it is started, and what differs between versions of Neovim.
--
-- One server serves all buffers of this Neovim. It is started when it is first needed, unless
-- `vim.lsp.enable("editd")` has done so before.

local config = require("editd.config")
local errors = require("editd.errors")
local log = require("editd.log")
local protocol = require("editd.protocol")
local untitled = require("editd.untitled")

local M = {}

M.NAME = "editd"

---Called with what the server notifies; set by edit.lua and status.lua, so that they stay unloaded
---until the server runs.
---@type table<string, fun(params: table)>
local NOTIFIED = {
  [protocol.EDIT_DELTA] = function(params)
    require("editd.edit").on_delta(params)
  end,
  [protocol.EDIT_REBASED] = function(params)
    require("editd.edit").on_rebased(params)
  end,
  [protocol.DID_CHANGE_STATUS] = function(params)
    require("editd.status").on_change(params)
  end,
}

---@type table<integer, (fun(client: vim.lsp.Client?, problem: string?))[]> by buffer
local waiting = {}
---@type integer? id of the server that has been started and does not serve yet; Neovim 0.10 lists no such clients
local starting

---The configuration of the server, for `vim.lsp.config` and for `vim.lsp.start`.
---@return table
function M.lsp_config()
  local capabilities = vim.lsp.protocol.make_client_capabilities()
  capabilities.experimental = { editd = { schemaVersion = protocol.SCHEMA_VERSION } }
  local handlers = {}
  for method in pairs(NOTIFIED) do
    handlers[method] = M._handler(method)
  end
  handlers["$/progress"] = M._on_progress
  return vim.tbl_extend("error", M.settings(), {
    name = M.NAME,
    root_markers = { ".git" },
    capabilities = capabilities,
    handlers = handlers,
    on_init = M._on_init,
    on_exit = vim.schedule_wrap(M._on_exit),
    reuse_client = function(client, wanted)
      return client.name == wanted.name and not M._is_stopped(client)
    end,
  })
end

---The part of it that follows the user's options.
---@return table
function M.settings()
  return {
    cmd = config.options.cmd,
    init_options = next(config.options.init_options) and config.options.init_options or nil,
    flags = { debounce_text_changes = config.options.debounce },
  }
end

---The server, if it runs.
---@param buf? integer only if it serves this buffer
---@return vim.lsp.Client?
function M.get(buf)
  if buf and untitled.is_open(buf) then
    buf = nil
  end
  return vim.lsp.get_clients({ name = M.NAME, bufnr = buf })[1]
end

---Have a buffer served; then, at once or soon, call back with the server or with what is wrong.
---@param buf integer
---@param callback fun(client: vim.lsp.Client?, problem: string?)
function M.with(buf, callback)
  local is_nameless = vim.api.nvim_buf_get_name(buf) == ""
  local client = M.get(not is_nameless and buf or nil)
  if client and (client.initialized or not is_nameless) then
    M._serve(client, buf)
    callback(client)
    return
  end
  local lsp_config = M._resolved_config()
  local program = type(lsp_config.cmd) == "table" and lsp_config.cmd[1]
  if program and vim.fn.executable(program) == 0 then
    local problem = "`%s` is not installed, or not on PATH; :checkhealth editd says more."
    callback(nil, problem:format(program))
    return
  end
  waiting[buf] = waiting[buf] or {}
  table.insert(waiting[buf], callback)
  M._watch_attach()
  lsp_config.root_dir = type(lsp_config.root_dir) == "string" and lsp_config.root_dir
    or vim.fs.root(buf, lsp_config.root_markers or {})
    or vim.fn.getcwd()
  local id
  if not is_nameless then
    id = vim.lsp.start(lsp_config, { bufnr = buf, reuse_client = lsp_config.reuse_client })
  elseif client or starting then
    id = client and client.id or starting -- `_on_init` serves the buffer
  elseif vim.fn.has("nvim-0.11") == 1 then
    id = vim.lsp.start(lsp_config, { attach = false })
  else
    id = vim.lsp.start_client(lsp_config)
  end
  starting = not M.get() and id or nil
  if not id then
    M._call_waiting(buf, nil, "The server could not be started; :checkhealth editd says more.")
  end
end

---The URI under which the server knows a buffer.
---@param buf integer
---@return string
function M.uri(buf)
  return untitled.uri(buf)
end

---Have a buffer that has got a name served under it from the next request on. The server forgets its edits.
---@param buf integer
function M.take_name(buf)
  if vim.api.nvim_buf_get_name(buf) ~= "" then
    untitled.close(buf)
  end
end

---@param client vim.lsp.Client
---@param method string
---@param params table
function M.notify(client, method, params)
  if vim.fn.has("nvim-0.11") == 1 then
    client:notify(method, params)
  else
    client.notify(method, params)
  end
end

---Send a request about a buffer; changes of the buffer are sent first.
---@param client vim.lsp.Client
---@param buf integer
---@param method string
---@param params table
---@param callback fun(err: table?, result: any)
function M.request(client, buf, method, params, callback)
  local function answered(err, result)
    local shape = (protocol.MESSAGES[method] or {}).result
    local problem = not err and shape and protocol.problem(shape, result)
    if problem then
      log.write("error", "answer to %s: %s", method, problem)
      err = { message = "The server's answer cannot be read; is it as old as this plugin?" }
    end
    callback(err, result)
  end
  if vim.fn.has("nvim-0.11") == 1 then
    client:request(method, params, answered, buf)
  else
    client.request(method, params, answered, buf)
  end
end

-- --- beginning and end ---------------------------------------------------------------------------

---@private
---@return table
function M._resolved_config()
  -- With lsp/editd.lua on the runtime path this is ours with the user's laid over it.
  local resolved = vim.lsp.config and vim.lsp.config[M.NAME]
  return vim.deepcopy(resolved or M.lsp_config())
end

---@private
function M._watch_attach()
  vim.api.nvim_create_autocmd("LspAttach", {
    group = vim.api.nvim_create_augroup("editd_client", {}),
    callback = function(event)
      local client = vim.lsp.get_client_by_id(event.data.client_id)
      if client and client.name == M.NAME then
        M._call_waiting(event.buf, client)
      end
    end,
  })
end

---Let the server know a buffer that Neovim does not tell it of, and whether its project is trusted.
---@private
---@param client vim.lsp.Client
---@param buf integer
function M._serve(client, buf)
  if vim.api.nvim_buf_get_name(buf) == "" then
    untitled.open(buf, function(method, params)
      M.notify(client, method, params)
    end)
  end
  require("editd.trust").tell(client, buf)
end

---@private
function M._call_waiting(buf, client, problem)
  local callbacks = waiting[buf] or {}
  waiting[buf] = nil
  if client and #callbacks > 0 then
    M._serve(client, buf)
  end
  for _, callback in ipairs(callbacks) do
    callback(client, problem)
  end
end

---@private
function M._on_init(client)
  starting = nil
  local experimental = client.server_capabilities.experimental
  local told = type(experimental) == "table" and type(experimental.editd) == "table"
  local version = told and experimental.editd.schemaVersion
  log.write("info", "server started, schema version %s", version)
  if version ~= protocol.SCHEMA_VERSION then
    local problem = "The server speaks version %s, this plugin version %d; update the older."
    errors.say(problem:format(version, protocol.SCHEMA_VERSION), vim.log.levels.WARN)
  end
  vim.schedule(function() -- for buffers that Neovim does not attach
    for _, buf in ipairs(vim.tbl_keys(waiting)) do
      if vim.api.nvim_buf_is_valid(buf) and vim.api.nvim_buf_get_name(buf) == "" then
        M._call_waiting(buf, client)
      end
    end
  end)
end

---@private
function M._on_exit(code, signal)
  log.write(code == 0 and "info" or "error", "server ended: exit code %d, signal %d", code, signal)
  local message = "The server ended unexpectedly; the next command starts it again."
  untitled.forget_all()
  starting = nil
  for _, buf in ipairs(vim.tbl_keys(waiting)) do
    M._call_waiting(buf, nil, message)
  end
  require("editd.edit").on_server_gone(message)
  require("editd.status").on_server_gone()
end

---@private
function M._handler(method)
  return function(_, params)
    local problem = protocol.problem(protocol.MESSAGES[method].params, params)
    if problem then
      log.write("error", "%s: %s", method, problem)
      return
    end
    NOTIFIED[method](params)
  end
end

---Take progress of an edit, then do what Neovim does with it.
---@private
function M._on_progress(err, params, context, handler_config)
  if type(params) == "table" and type(params.value) == "table" then
    require("editd.edit").on_progress(params)
  end
  return vim.lsp.handlers["$/progress"](err, params, context, handler_config)
end

---@private
function M._is_stopped(client)
  if vim.fn.has("nvim-0.11") == 1 then
    return client:is_stopped()
  end
  return client.is_stopped()
end

return M
