-- Tells the user: one sentence on one line, errors at a level that depends on their code.

local log = require("editd.log")

local M = {}

local levels = vim.log.levels

---Codes of editd/errors.py and of this plugin that are not failures; all others are errors.
local LEVEL_OF = {
  cancelled = levels.INFO,
  moved = levels.INFO,
  nothing = levels.INFO,
  refused = levels.WARN,
  ["scope-too-large"] = levels.WARN,
  ["cut-off"] = levels.WARN,
  buffer = levels.WARN,
  usage = levels.WARN,
}

---What to do about it, where the sentence itself does not say.
local ADVICE = {
  internal = ":checkhealth editd says where the logs are.",
  failed = ":checkhealth editd says where the logs are.",
}

---@param code? string
---@return integer level of vim.log.levels
function M.level(code)
  return LEVEL_OF[code or ""] or levels.ERROR
end

---Tell the user.
---@param message string one sentence
---@param code? string
function M.tell(message, code)
  local advice = ADVICE[code or ""]
  log.write("info", "told the user: code %s", code or "none")
  M.say(message .. (advice and " " .. advice or ""), M.level(code))
end

local GROUP_OF = { [levels.WARN] = "WarningMsg", [levels.ERROR] = "ErrorMsg" }

---Say it on one line of the screen, so that nobody has to press Enter; `:messages` has all of it, and so has who
---shows notifications otherwise.
---@param message string
---@param level? integer of vim.log.levels
function M.say(message, level)
  local text = ("editd: " .. message):gsub("%s*\n%s*", " ")
  if not M.is_plain() then
    vim.notify(text, level)
    return
  end
  local shortmess = vim.o.shortmess
  vim.opt.shortmess:append("T") -- :echomsg leaves out the middle of what is too long; vim.notify does not
  local group = GROUP_OF[level or levels.INFO] or "None"
  vim.cmd(("echohl %s | echomsg %s | echohl None"):format(group, vim.fn.string(text)))
  vim.o.shortmess = shortmess
end

---Show several lines, in a window that closes when the cursor moves.
---@param lines string[]
function M.show(lines)
  if M.is_plain() then
    vim.lsp.util.open_floating_preview(lines, "", { focus_id = "editd", border = "single" })
  else
    vim.notify(table.concat(lines, "\n"))
  end
end

---Whether Neovim itself shows notifications, below the text.
---@return boolean
function M.is_plain()
  local source = debug.getinfo(vim.notify, "S").source
  return source:match("^@?vim/") ~= nil or source:match("^=?%?$") ~= nil -- 0.12 has it without its name
end

---A JSON-RPC error as sentence and code.
---@param err table|string
---@return string message, string code
function M.of_response(err)
  if type(err) ~= "table" then
    return tostring(err), "internal"
  end
  local data = type(err.data) == "table" and err.data or {}
  return tostring(data.message or err.message or "The server gave no reason."),
    tostring(data.code or "rpc")
end

return M
