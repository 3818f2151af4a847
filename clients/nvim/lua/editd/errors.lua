-- Reports errors to the user: one sentence, at a level that depends on the error's code.

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
  vim.notify("editd: " .. message .. (advice and " " .. advice or ""), M.level(code))
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
