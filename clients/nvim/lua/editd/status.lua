-- A status line component: the server's last status.

local events = require("editd.events")

local M = {}

---@type editd.ServerStatus?
local current

---@param status editd.ServerStatus
function M.on_change(status)
  current = status
  events.fire("EditdStatus", nil, { status = status })
end

function M.on_server_gone()
  current = nil
  require("editd.presets").forget()
  events.fire("EditdStatus", nil, {})
end

---@return editd.ServerStatus?
function M.current()
  return current
end

---Whether the model works, and how many hunks wait; empty when there is nothing to say.
---@param buf? integer
---@return string
function M.line(buf)
  local edit = require("editd.edit").of(buf or vim.api.nvim_get_current_buf())
  return M.text(current, edit and #edit.hunks:open(), edit ~= nil and edit.running)
end

---@param status editd.ServerStatus?
---@param num_open integer? hunks that wait; nil without an edit
---@param is_running boolean
---@return string
function M.text(status, num_open, is_running)
  local parts = {}
  local state = status and status.state
  if state == "loading" then
    local percent = status.fraction and (" %d%%"):format(status.fraction * 100) or ""
    parts[#parts + 1] = "loading" .. percent
  elseif state == "starting" then
    parts[#parts + 1] = "starting"
  elseif state == "error" then
    parts[#parts + 1] = "error"
  elseif is_running and status and status.queue > 0 then
    parts[#parts + 1] = ("waiting for %d"):format(status.queue)
  elseif is_running then
    parts[#parts + 1] = "writing"
  end
  if num_open and num_open > 0 then
    parts[#parts + 1] = num_open == 1 and "1 hunk" or num_open .. " hunks"
  end
  return #parts > 0 and "editd: " .. table.concat(parts, ", ") or ""
end

---Several lines for `:EditdStatus`.
---@param status editd.ServerStatus
---@return string[]
function M.report(status)
  local daemon = status.daemon
  local lines = {
    ("state   %s%s"):format(status.state, status.message ~= "" and " - " .. status.message or ""),
    ("model   %s"):format(status.model ~= "" and status.model or "none loaded yet"),
  }
  if not daemon then
    lines[#lines + 1] = "daemon  does not run; the next edit starts it"
    return lines
  end
  local shared = daemon.clients == 1 and "1 editor or script" or ("%d editors and scripts"):format(daemon.clients)
  local daemon_line = "daemon  process %d, editd %s, %s, %d waiting, %.0f MB"
  lines[#lines + 1] = daemon_line:format(
    daemon.pid,
    daemon.editd_version,
    shared,
    daemon.queue,
    daemon.rss_bytes / 1e6
  )
  for _, model in ipairs(daemon.models or {}) do
    lines[#lines + 1] = ("        %s: %s on %s, %s, %.0f MB"):format(
      model.name,
      model.state,
      model.device,
      model.dtype,
      model.memory_bytes / 1e6
    )
  end
  for _, project in ipairs(daemon.workspaces or {}) do
    local told = project.message ~= "" and project.message or ("%d files"):format(project.files)
    lines[#lines + 1] = ("project %s: %s, %s"):format(project.root, project.state, told)
  end
  return lines
end

return M
