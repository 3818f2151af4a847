-- What a running edit waits for: a dim text at the line where the model is, or at the nearest line in view; where
-- Neovim has them, also progress messages and 'busy'.

local config = require("editd.config")
local preview = require("editd.preview")
local view = require("editd.view")

local M = {}

local FIRST_MS, EVERY_MS = 150, 1000 -- what is over sooner needs no text

---@class editd.Progress
---@field stage string what the model does, in words; empty before the server has said anything
---@field percentage? integer of that
---@field is_writing boolean
---@field asked_at integer nanoseconds of `vim.uv.hrtime`
---@field row integer where the text stands until the model writes
---@field timer uv.uv_timer_t
---@field last_message? string
---@field is_busy boolean the buffer's 'busy' counts this edit

---@type table<editd.Edit, editd.Progress>
local running = setmetatable({}, { __mode = "k" })

---Show from now on what the edit waits for.
---@param edit editd.Edit
---@param row integer where it begins
function M.start(edit, row)
  local timer = assert(vim.uv.new_timer())
  local progress = { stage = "", is_writing = false, asked_at = vim.uv.hrtime(), row = row, timer = timer }
  running[edit] = progress
  if vim.fn.exists("+busy") == 1 then
    vim.bo[edit.buf].busy = vim.bo[edit.buf].busy + 1
    progress.is_busy = true
  end
  timer:start(
    FIRST_MS,
    EVERY_MS,
    vim.schedule_wrap(function()
      if running[edit] then
        M.draw(edit)
      end
    end)
  )
end

---Take a value of `$/progress`.
---@param edit editd.Edit
---@param value { kind: string, message?: string, percentage?: integer }
function M.report(edit, value)
  local progress = running[edit]
  if progress and value.kind ~= "end" and value.message then
    progress.stage, progress.percentage = value.message, value.percentage
    progress.is_writing = value.percentage == 100 and not value.message:match("^loading")
    if vim.uv.hrtime() - progress.asked_at >= FIRST_MS * 1e6 then
      M.draw(edit)
    end
  end
end

---Learn that a delta has arrived. The lines before the first one that is read come before the reading.
---@param edit editd.Edit
---@param delta editd.EditDelta
function M.on_delta(edit, delta)
  local progress = running[edit]
  if progress and (delta.seq > 1 or #delta.ops > 1 or delta.ops[1].hunk) then
    progress.is_writing = true
  end
end

---Draw the text, and tell Neovim.
---@param edit editd.Edit
function M.draw(edit)
  local progress = running[edit]
  if not progress or not vim.api.nvim_buf_is_loaded(edit.buf) then
    return
  end
  local stage, percentage = M.stage(edit, progress)
  local seconds = math.floor((vim.uv.hrtime() - progress.asked_at) / 1e9)
  local lines = require("editd.edit").range(edit)
  local row = progress.is_writing and math.max(edit.hunks.walked, lines and lines[1] or 0) or progress.row
  local win = view.window_of(edit.buf)
  local text = M.text(stage, percentage, seconds)
  preview.progress(edit.buf, win and view.in_view(win, row) or row, text)
  M._message(progress, stage, "running", percentage)
end

---Remove the text, and tell Neovim that the edit has ended. No effect the second time.
---@param edit editd.Edit
---@param is_ok boolean
function M.stop(edit, is_ok)
  local progress = running[edit]
  if not progress then
    return
  end
  running[edit] = nil
  progress.timer:close()
  preview.progress(edit.buf)
  if progress.is_busy and vim.api.nvim_buf_is_valid(edit.buf) then
    vim.bo[edit.buf].busy = math.max(vim.bo[edit.buf].busy - 1, 0)
  end
  if progress.last_message then
    M._message(progress, is_ok and "done" or "ended", is_ok and "success" or "failed", 100)
  end
end

---What an edit waits for, in words, and how much of that is done.
---@param edit editd.Edit
---@param progress editd.Progress
---@return string stage, integer? percentage
function M.stage(edit, progress)
  if progress.is_writing then
    local walked = edit.hunks.walked
    local lines, num_lines = require("editd.edit").range(edit), vim.api.nvim_buf_line_count(edit.buf)
    if walked >= num_lines then
      return "checking"
    end
    if lines then
      local count = lines[2] - lines[1]
      local line = math.max(math.min(walked - lines[1], count), 0)
      return ("writing %d/%d"):format(line, count)
    end
    return ("writing line %d/%d"):format(walked + 1, num_lines)
  elseif progress.percentage then
    return progress.stage:match("^%S+"):lower(), progress.percentage
  elseif progress.stage == "starting" and M._is_model_loaded() then
    return "reading" -- the first part of the text takes longest, and is reported when it has been read
  end
  return progress.stage ~= "" and progress.stage or "starting"
end

---The dim text.
---@param stage string
---@param percentage? integer
---@param seconds integer since the edit was asked for
---@return string
function M.text(stage, percentage, seconds)
  local text = percentage and ("%s %d %%"):format(stage, percentage) or stage
  return seconds > 0 and ("%s · %d s"):format(text, seconds) or text
end

---Whether a model has answered before; should it have left memory, the server reports its loading.
---@private
---@return boolean
function M._is_model_loaded()
  local status = require("editd.status").current()
  return status ~= nil and status.model ~= ""
end

---Show a progress message (Neovim 0.12) if it says something new; never while something is typed at the command line.
---@private
---@param progress editd.Progress
---@param text string
---@param status "running"|"success"|"failed"
---@param percentage? integer
function M._message(progress, text, status, percentage)
  local is_free = not vim.api.nvim_get_mode().mode:match("^[cr]")
  local may_show = config.options.messages and (is_free or status ~= "running")
  local message = text .. (percentage or "")
  if vim.fn.has("nvim-0.12") == 0 or not may_show or message == progress.last_message then
    return
  end
  progress.last_message = message
  progress.id = vim.api.nvim_echo({ { text } }, false, {
    id = progress.id,
    kind = "progress",
    source = "editd",
    title = "editd",
    status = status,
    percent = percentage,
  })
end

return M
