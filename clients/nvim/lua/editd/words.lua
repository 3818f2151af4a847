-- Where two lines differ, for a stronger colour there: what is left without their common ends. And sentences in lines.

local M = {}

---The byte ranges (0-based, end exclusive) in which two lines differ; nil if they share too little
---for that to help the eye.
---@param old string
---@param new string
---@return [integer, integer]? old_range, [integer, integer]? new_range
function M.changed(old, new)
  local shorter = math.min(#old, #new)
  local before = 0
  while before < shorter and old:byte(before + 1) == new:byte(before + 1) do
    before = before + 1
  end
  before = M._back_to_character(old, new, before)
  local after = 0
  while after < shorter - before and old:byte(#old - after) == new:byte(#new - after) do
    after = after + 1
  end
  while after > 0 and M._is_continuation(old, #old - after + 1) do
    after = after - 1
  end
  local indent = #old:match("^%s*")
  if (before - indent) + after < math.max(#old, #new) / 4 then
    return nil
  end
  return { before, #old - after }, { before, #new - after }
end

---A sentence in lines of at most `width` columns, cut between its words; a longer word stays whole.
---@param text string
---@param width integer
---@return string[]
function M.wrapped(text, width)
  local lines = {}
  for word in text:gmatch("%S+") do
    local longer = lines[#lines] and lines[#lines] .. " " .. word
    if longer and vim.fn.strdisplaywidth(longer) <= width then
      lines[#lines] = longer
    else
      lines[#lines + 1] = word
    end
  end
  return lines
end

---The largest number of bytes up to `count` that ends between two characters of both lines.
---@private
function M._back_to_character(old, new, count)
  while
    count > 0 and (M._is_continuation(old, count + 1) or M._is_continuation(new, count + 1))
  do
    count = count - 1
  end
  return count
end

---@private
function M._is_continuation(text, index)
  local byte = text:byte(index)
  return byte ~= nil and byte >= 0x80 and byte < 0xC0
end

return M
