-- Where two lines differ, for a stronger colour there: what is left without their common ends. And sentences
-- as lines, names as people read them.

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

---Notes in one text: what they begin with alike ("hesitated here: ") is said once.
---@param noted editd.Noted[]
---@return string
function M.notes(noted)
  local parts, seen, last_head = {}, {}, nil
  for _, note in ipairs(noted) do
    local head, rest = note.text:match("^(%a[%a ]*: )(.*)$")
    if not seen[note.text] then
      seen[note.text] = true
      parts[#parts + 1] = head and head == last_head and rest or note.text
      last_head = head
    end
  end
  return table.concat(parts, "; ")
end

---A text of at most `width` columns; of a longer one the beginning and "…", or nothing where that is of no use.
---@param text string
---@param width number
---@return string
function M.cut(text, width)
  if vim.fn.strdisplaywidth(text) <= width then
    return text
  elseif width < 20 then
    return ""
  end
  local count = vim.fn.strchars(text)
  repeat
    count = count - 1
    local shorter = vim.fn.strcharpart(text, 0, count) .. "…"
  until vim.fn.strdisplaywidth(shorter) <= width
  return vim.fn.strcharpart(text, 0, count) .. "…"
end

---The whole identifier that bytes `first` to `last` (exclusive) of a line are a part of; the bytes without blanks if they
---are part of none.
---@param line string
---@param first integer
---@param last integer
---@return string
function M.identifier(line, first, last)
  local function is_word(index)
    return line:sub(index, index):match("[%w_\128-\255]") ~= nil
  end
  while first > 0 and is_word(first) and is_word(first + 1) do
    first = first - 1
  end
  while last < #line and is_word(last + 1) and is_word(last) do
    last = last + 1
  end
  return vim.trim(line:sub(first + 1, last))
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
