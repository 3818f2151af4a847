-- The lines of a definition, by indentation: what a follow-up may change where an edit rewrote only parts of a file.

local M = {}

---First words of lines that contain others and are no definitions.
local CONTROL = {}
for word in
  ("if else elif elsif for foreach while until loop try except catch finally rescue ensure switch match case when "
    .. "default with do begin unless select return"):gmatch("%S+")
do
  CONTROL[word] = true
end

---The rows `first` to `last` (exclusive) with the smallest definition around them.
---@param lines string[] of the buffer
---@param first integer 0-based
---@param last integer
---@return integer first, integer last
---@return boolean is_definition whether there is one; else the rows are as they were, with what is indented below them
function M.around(lines, first, last)
  local function indent(row)
    local blank, rest = (lines[row + 1] or ""):match("^(%s*)(.*)$")
    return rest ~= "" and vim.fn.strdisplaywidth(blank) or nil
  end
  local function is_head(row)
    local below = row + 1
    while below < #lines and not indent(below) do
      below = below + 1
    end
    local word = lines[row + 1]:match("[%w_]+") or "if"
    return not CONTROL[word] and not M._closes(lines[row + 1]) and (indent(below) or 0) > indent(row)
  end
  local least, head, is_definition = nil, nil, false
  for row = first, math.max(last, first + 1) - 1 do
    local depth = indent(row)
    if depth and not head then
      head, least, is_definition = row, depth, is_head(row)
    elseif depth and depth <= least then
      least, is_definition = depth, false -- what is around both
    end
  end
  -- 1) up to the line of the definition, past the lines of `if` and the like
  local row = first
  while row > 0 and least and least > 0 and not is_definition do
    row = row - 1
    local depth = indent(row)
    if depth and depth < least then
      first, least, is_definition = row, depth, is_head(row)
    end
  end
  while first > 0 and indent(first - 1) == least and lines[first]:match("^%s*@") do
    first = first - 1 -- decorators
  end
  -- 2) down to the last line that is indented more, and the bracket or word that closes it
  if least then
    row = last
    while row < #lines and (not indent(row) or indent(row) > least) do
      row = row + 1
      last = indent(row - 1) and row or last
    end
    if row < #lines and indent(row) == least and M._closes(lines[row + 1]) then
      last = row + 1
    end
  end
  return first, last, is_definition
end

---@private
---@param line string
function M._closes(line)
  return line:match("^%s*[%]%)}]") ~= nil or line:match("^%s*end%f[^%w_]") ~= nil
end

return M
