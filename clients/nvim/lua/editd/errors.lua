-- Messages for the user: where they are shown, at a level that depends on their code.

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

---Show a message with the advice and the level that its code has.
---@param message string one sentence
---@param code? string
---@param is_aside? boolean as for `say`
function M.tell(message, code, is_aside)
  local advice = ADVICE[code or ""]
  log.write("info", "told the user: code %s", code or "none")
  M.say(message .. (advice and " " .. advice or ""), M.level(code), is_aside)
end

---@type integer? the window of the last message that was too long
local window

local GROUP_OF = { [levels.WARN] = "WarningMsg", [levels.ERROR] = "ErrorMsg" }

---Show a message: on one line of the screen, or whole in a floating window where it is longer than that, so that nobody
---has to press Enter. `:messages` has all of it. A user's own `vim.notify` gets it instead.
---@param message string
---@param level? integer of vim.log.levels
---@param is_aside? boolean a longer message stands above the command line and not at the cursor
function M.say(message, level, is_aside)
  local text = ("editd: " .. message):gsub("%s*\n%s*", " ")
  if not M.is_plain() then
    vim.notify(text, level)
    return
  end
  M.close()
  local shortmess = vim.o.shortmess
  vim.opt.shortmess:append("T") -- :echomsg leaves out the middle of what is too long; vim.notify does not
  local group = GROUP_OF[level or levels.INFO] or "None"
  vim.cmd(("echohl %s | echomsg %s | echohl None"):format(group, vim.fn.string(text)))
  vim.o.shortmess = shortmess
  local room = vim.v.echospace + (vim.o.cmdheight - 1) * vim.o.columns
  if vim.fn.strdisplaywidth(text) > room then
    vim.cmd("redraw | echo ''") -- once is enough
    M._float(message, group, is_aside)
  end
end

---Close the window of the last message, if it is open.
function M.close()
  if window and vim.api.nvim_win_is_valid(window) then
    vim.api.nvim_win_close(window, true)
  end
  window = nil
end

---Show a message in a floating window that closes when the cursor moves.
---@private
---@param message string
---@param group string highlight group
---@param is_aside? boolean
function M._float(message, group, is_aside)
  local width = math.min(80, vim.o.columns - 4)
  local lines = require("editd.words").wrapped(message, width)
  local buf, win = vim.lsp.util.open_floating_preview(lines, "", {
    focus_id = "editd-message",
    focusable = true,
    border = "rounded",
    title = " editd ",
    wrap = false,
    max_width = width,
  })
  window = win
  if is_aside then
    vim.api.nvim_win_set_config(win, {
      relative = "editor",
      anchor = "SW",
      row = vim.o.lines - vim.o.cmdheight - (vim.o.laststatus > 0 and 1 or 0),
      col = 0,
    })
  end
  if group ~= "None" then
    local highlight = vim.hl or vim.highlight -- its name before Neovim 0.11
    highlight.range(buf, vim.api.nvim_create_namespace("editd_message"), group, { 0, 0 }, { #lines, 0 })
  end
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
