-- What the user sees when an edit has ended or an accept left something out: one sentence or two, told at once.

local config = require("editd.config")
local errors = require("editd.errors")

local M = {}

---@param answer editd.EditAnswer
function M.ended(answer)
  if answer.status ~= "ok" then
    local kept = #answer.hunks > 0 and (answer.notices[#answer.notices] or "Some hunks were kept.")
    local message = answer.message or "The edit failed."
    errors.tell(kept and message .. " " .. kept or message, answer.code)
    return
  end
  local told = vim.list_slice(answer.notices)
  if config.options.messages then
    local summary = M.summary(answer)
    table.insert(told, 1, #told > 0 and summary:gsub("%.$", "") .. "." or summary)
  end
  if #told > 0 then
    errors.say(table.concat(told, " "), vim.log.levels.INFO)
  end
end

---@param answer editd.EditAnswer
---@return string
function M.summary(answer)
  local count, suspect = #answer.hunks, 0
  local said = answer.summary ~= "" and answer.summary or nil
  if count == 0 then
    return said or "The model left the text as it is."
  end
  for _, hunk in ipairs(answer.hunks) do
    suspect = suspect + (hunk.suspect and 1 or 0)
  end
  local parts = { count == 1 and "1 hunk" or count .. " hunks" }
  if suspect > 0 then
    parts[#parts + 1] = (", %d of them doubtful"):format(suspect)
  end
  local seconds, speed = answer.stats.total_seconds, answer.stats.tokens_per_second
  if type(seconds) == "number" and seconds >= 0.05 then
    parts[#parts + 1] = (" in %.1f s"):format(seconds)
  end
  if type(speed) == "number" and speed > 0 then
    parts[#parts + 1] = (", %.0f tokens/s"):format(speed)
  end
  if said then
    parts[#parts + 1] = ". " .. said
  end
  return table.concat(parts)
end

---@param answer editd.AcceptAnswer
function M.left_out(answer)
  local reasons, seen = {}, {}
  for _, hunk in ipairs(answer.leftOut) do
    if not seen[hunk.reason] then
      seen[hunk.reason] = true
      reasons[#reasons + 1] = hunk.reason
    end
  end
  if #reasons > 0 then
    local count = #answer.leftOut
    local what = count == 1 and "1 hunk was" or count .. " hunks were"
    errors.tell(("%s left out: %s"):format(what, table.concat(reasons, " ")), "refused")
  elseif answer.message then
    errors.tell(answer.message, "nothing")
  end
end

return M
