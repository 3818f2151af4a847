-- What the user sees when an edit has ended or an accept left something out: one sentence or two, told at once.

local config = require("editd.config")
local errors = require("editd.errors")
local keys = require("editd.keys")

local M = {}

---Report how an edit ended, and how to accept its hunks.
---@param answer editd.EditAnswer
---@param edit editd.Edit whose hunks are shown now
---@param remark? string a sentence about them
function M.ended(answer, edit, remark)
  local sentences = {}
  if answer.status ~= "ok" then
    sentences[1] = answer.message or "The edit failed."
    if #answer.hunks > 0 then
      sentences[2] = answer.notices[#answer.notices] or "Some hunks were kept."
    end
  else
    if config.options.messages then
      sentences = M.summary(answer)
    end
    vim.list_extend(sentences, answer.notices)
  end
  sentences[#sentences + 1] = remark
  local num_open = #edit.hunks:open()
  if num_open > 0 and config.options.messages then
    sentences[#sentences + 1] = keys.how_to_accept(edit.buf, num_open)
  end
  sentences[#sentences + 1] = keys.notice()
  local text = M.joined(sentences)
  if answer.status ~= "ok" then
    errors.tell(text, answer.code, num_open > 0)
  elseif text ~= "" then
    errors.say(text, vim.log.levels.INFO, num_open > 0)
  end
end

---Sentences in a row, each with its full stop, and none twice.
---@param sentences string[]
---@return string
function M.joined(sentences)
  local parts, seen = {}, {}
  for _, sentence in ipairs(sentences) do
    sentence = vim.trim(sentence):gsub("%s*\n%s*", " ")
    if not sentence:match("[.!?…]$") then
      sentence = sentence .. "."
    end
    if not seen[sentence] and sentence ~= "." then
      seen[sentence] = true
      parts[#parts + 1] = sentence
    end
  end
  return table.concat(parts, " ")
end

---What came of an edit that is ok: how many hunks and how fast, and the server's line about the whole edit.
---@param answer editd.EditAnswer
---@return string[] sentences
function M.summary(answer)
  local count, suspect = #answer.hunks, 0
  if count == 0 then
    return { answer.summary ~= "" and answer.summary or "The model left the text as it is." }
  end
  for _, hunk in ipairs(answer.hunks) do
    suspect = suspect + (hunk.suspect and 1 or 0)
  end
  local parts = { count == 1 and "1 hunk" or count .. " hunks" }
  if suspect > 0 then
    parts[#parts + 1] = count == 1 and ", doubtful" or (", %d of them doubtful"):format(suspect)
  end
  local seconds, speed = answer.stats.total_seconds, answer.stats.tokens_per_second
  if type(seconds) == "number" and seconds >= 0.05 then
    parts[#parts + 1] = (" in %.1f s"):format(seconds)
  end
  if type(speed) == "number" and speed > 0 then
    parts[#parts + 1] = (", %.0f tokens/s"):format(speed)
  end
  return { table.concat(parts), answer.summary }
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
