-- `User` autocommands: what happens to edits, for status lines, sounds and scripts.

local M = {}

---@param name string
---@param edit? editd.Edit
---@param more? table
function M.fire(name, edit, more)
  local data = more or {}
  if edit then
    data.buf = edit.buf
    data.token = edit.token
    data.running = edit.running
    data.open = #edit.hunks:open()
  end
  vim.api.nvim_exec_autocmds("User", { pattern = name, modeline = false, data = data })
  vim.cmd.redrawstatus()
end

return M
