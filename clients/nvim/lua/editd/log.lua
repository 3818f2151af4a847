-- A log file for bug reports: what happened and when, never a line of a buffer or an instruction.

local config = require("editd.config")

local M = {}

local ORDER = { debug = 1, info = 2, warn = 3, error = 4 }

---@return string
function M.path()
  return vim.fs.joinpath(vim.fn.stdpath("log") --[[@as string]], "editd.log")
end

---@param level "debug"|"info"|"warn"|"error"
---@param text string
---@param ... any what `text` has places for
function M.write(level, text, ...)
  if ORDER[level] < ORDER[config.options.log_level] then
    return
  end
  local line = ("%s %-5s %s\n"):format(os.date("%Y-%m-%d %H:%M:%S"), level, text:format(...))
  local file = io.open(M.path(), "a")
  if not file then
    vim.fn.mkdir(vim.fs.dirname(M.path()), "p")
    file = io.open(M.path(), "a")
  end
  if file then
    file:write(line)
    file:close()
  end
end

return M
